import type { ActionMetadata, EndMetadata, Scalar, TriggerCondition } from '@sluice/contract';
import type { MappingProblem } from '@sluice/mapping/engine';
import { problemText } from '@sluice/mapping/engine';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage, numeral } from '../../platform/i18n/i18n.ts';
import { Icon } from '../../ui/icons.tsx';
import { ConstantInput, constantType } from './constant-input.tsx';
import { scalarOf, textOfScalar } from './constants.ts';
import { frequentValues, withComparison } from './edit-triggers.ts';
import { PickButton } from './pick-list.tsx';
import type { Samples } from './preview.ts';
import { fieldNameIn, sampleTexts } from './workspace.ts';
import { fieldType } from './words.ts';

/** Several values: chips, and a box that takes one more with Enter or many at once by paste. */
const ManyValues = ({
  label,
  values,
  type,
  suggestions,
  canEdit,
  isWrong,
  onChange,
}: {
  label: string;
  values: readonly Scalar[];
  type: string;
  suggestions: readonly string[];
  canEdit: boolean;
  isWrong: boolean;
  onChange: (values: Scalar[]) => void;
}) => {
  const { t } = useTranslation();
  const id = useId();
  const add = (texts: readonly string[]): void => {
    const next = [...values];
    for (const text of texts) {
      const value = scalarOf(text.trim(), type);
      if (value !== null && !next.includes(value)) next.push(value);
    }
    onChange(next);
  };
  return (
    <span className={`many ${isWrong ? 'bad' : ''}`}>
      {values.map((value) => (
        <span className="chip" key={String(value)}>
          {textOfScalar(value)}
          <button
            type="button"
            aria-label={t('mapping.removeItem', { name: textOfScalar(value) })}
            disabled={!canEdit}
            onClick={() => onChange(values.filter((one) => one !== value))}
          >
            <Icon name="close" size="xs" />
          </button>
        </span>
      ))}
      {canEdit ? (
        <input
          aria-label={label}
          placeholder={t('mapping.addValue')}
          list={id}
          onKeyDown={(event) => {
            const { value } = event.currentTarget;
            if ((event.key === 'Enter' || event.key === ',') && value.trim() !== '') {
              event.preventDefault();
              add([value]);
              event.currentTarget.value = '';
            } else if (event.key === 'Backspace' && value === '') onChange(values.slice(0, -1));
          }}
          onBlur={(event) => {
            if (event.target.value.trim() !== '') add([event.target.value]);
            event.target.value = '';
          }}
          onPaste={(event) => {
            const texts = event.clipboardData
              .getData('text/plain')
              .split(/[\t\r\n;]+/)
              .filter(Boolean);
            if (texts.length < 2) return;
            event.preventDefault();
            add(texts);
          }}
        />
      ) : null}
      <datalist id={id}>
        {suggestions.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </datalist>
    </span>
  );
};

/** One condition: field, operator, one value or several; how many sample records meet it. */
export const ConditionRow = ({
  condition,
  index,
  source,
  metadata,
  samples,
  problems,
  count,
  canEdit,
  onChange,
  onRemove,
}: {
  condition: TriggerCondition;
  index: number;
  source: EndMetadata;
  metadata: ActionMetadata;
  samples: Samples | null;
  problems: readonly MappingProblem[];
  count: number | null;
  canEdit: boolean;
  onChange: (condition: TriggerCondition, name: string | null) => void;
  onRemove: () => void;
}) => {
  const { t } = useTranslation();
  const field = source.fields.find(({ path }) => path === condition.field);
  const operators = metadata.triggerConditionOperators;
  const isGone = operators.every(({ id }) => id !== condition.operator);
  const isTyped = condition.operator === 'in' || condition.operator === 'notIn';
  const type = isTyped ? constantType(field) : 'string';
  const label = t('mapping.conditionValue', { number: index + 1 });
  const isWrong = problems.length > 0;
  return (
    <li className="cond">
      <span className="cond-and mut">{index === 0 ? t('mapping.when') : t('mapping.and')}</span>
      <PickButton
        label={t('mapping.chooseSourceField')}
        shown={
          condition.field === ''
            ? null
            : { text: fieldNameIn(source.fields, condition.field), tag: field ? fieldType(field) : undefined }
        }
        picks={source.fields.map((one) => ({
          value: one.path,
          label: one.name,
          tag: fieldType(one),
          words: one.path,
          detail: sampleTexts(samples, one.path).join(' · ') || undefined,
        }))}
        isDisabled={!canEdit}
        onPick={(path) => onChange({ ...condition, field: path }, null)}
      />
      <span className="inp sm">
        <select
          aria-label={t('mapping.operator')}
          value={condition.operator}
          disabled={!canEdit}
          onChange={(event) => onChange({ ...condition, operator: event.target.value }, null)}
        >
          {isGone ? <option value={condition.operator}>{condition.operator}</option> : null}
          {operators.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </span>
      <span className="inp sm">
        <select
          aria-label={t('mapping.comparison')}
          value={condition.comparison}
          disabled={!canEdit}
          onChange={(event) =>
            onChange(
              withComparison(
                condition,
                event.target.value === 'multipleValues' ? 'multipleValues' : 'singleValue',
              ),
              null,
            )
          }
        >
          <option value="singleValue">{t('mapping.singleValue')}</option>
          <option value="multipleValues">{t('mapping.multipleValues')}</option>
        </select>
      </span>
      {condition.comparison === 'singleValue' ? (
        <ConstantInput
          key={`${condition.field}:${type}`}
          label={label}
          type={type}
          options={isTyped ? field?.options : null}
          value={condition.value}
          isWrong={isWrong}
          isDisabled={!canEdit}
          onChange={(value) => onChange({ ...condition, value }, `condition${index}`)}
        />
      ) : (
        <ManyValues
          label={label}
          values={condition.values}
          type={type}
          suggestions={frequentValues(samples, field, 30)}
          canEdit={canEdit}
          isWrong={isWrong}
          onChange={(values) => onChange({ ...condition, values }, null)}
        />
      )}
      <span className="num mut cond-n">{count === null ? '' : numeral(count)}</span>
      {canEdit ? (
        <button
          type="button"
          className="iconbtn"
          aria-label={t('mapping.removeCondition', { number: index + 1 })}
          onClick={onRemove}
        >
          <Icon name="trash" size="s" />
        </button>
      ) : (
        <span />
      )}
      {problems.map((problem) => (
        <p className="err-t cond-e" key={problem.code}>
          {problemText(
            { code: problem.code, params: { ...problem.params, field: field?.name ?? condition.field } },
            currentLanguage(),
          )}
        </p>
      ))}
    </li>
  );
};
