import type { FieldPath, SimpleSource } from '@sluice/contract';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ConstantInput, constantType } from './constant-input.tsx';
import { newSource } from './edit-mappings.ts';
import { type Pick, PickButton } from './pick-list.tsx';
import { fieldNameIn, sampleTexts, useWorkspace, type Workspace } from './workspace.ts';
import { fieldType, typeName } from './words.ts';

/** Source fields to choose from, with what is in them. */
export const useSourcePicks = (): readonly Pick[] => {
  const { source, samples } = useWorkspace();
  return useMemo(
    () =>
      source.fields.map((field) => ({
        value: field.path,
        label: field.name,
        tag: fieldType(field),
        words: field.path,
        detail: sampleTexts(samples, field.path).join(' · ') || undefined,
      })),
    [source, samples],
  );
};

export const targetPicks = (fields: readonly FieldPath[]): Pick[] =>
  fields.map((field) => ({
    value: field.path,
    label: field.name,
    tag: fieldType(field),
    words: field.path,
  }));

const kindsOf = ({ place }: Workspace): SimpleSource['type'][] => [
  'sourceValue',
  'customValue',
  'macro',
  'targetValue',
  ...(place === 'failure' ? (['responseErrorMessage'] as const) : []),
];

/** What a source is called in a line: its field, its value in quotes, its macro. */
export const sourceName = (
  source: SimpleSource,
  { source: end, targetFields, macros }: Workspace,
): string => {
  switch (source.type) {
    case 'sourceValue':
      return fieldNameIn(end.fields, source.field);
    case 'targetValue':
      return fieldNameIn(targetFields, source.field);
    case 'customValue':
      return `“${typeof source.value === 'object' ? JSON.stringify(source.value ?? '') : String(source.value)}”`;
    case 'macro':
      return macros.find(({ id }) => id === source.macroId)?.name ?? source.macroId;
    case 'responseErrorMessage':
      return '';
  }
};

/** Where a value comes from: the kind, and what of that kind. */
export const SourceInput = ({
  source,
  onChange,
  target,
  isWrong = false,
  editName,
}: {
  source: SimpleSource;
  onChange: (source: SimpleSource, name: string | null) => void;
  /** Field that a constant is for; absent in a merge. */
  target?: FieldPath | undefined;
  isWrong?: boolean;
  editName: string;
}) => {
  const { t } = useTranslation();
  const workspace = useWorkspace();
  const { canEdit, macros, targetFields, source: end } = workspace;
  const sourcePicks = useSourcePicks();
  const kinds = kindsOf(workspace);
  const macro = source.type === 'macro' ? macros.find(({ id }) => id === source.macroId) : undefined;
  const fieldPick = (
    label: string,
    field: string,
    picks: readonly Pick[],
    fields: readonly FieldPath[],
    onPick: (path: string) => void,
  ) => (
    <PickButton
      label={label}
      shown={field === '' ? null : { text: fieldNameIn(fields, field) }}
      picks={picks}
      isWrong={isWrong}
      isDisabled={!canEdit}
      onPick={onPick}
    />
  );
  return (
    <div className="srcin">
      <span className="inp sm kind">
        <select
          aria-label={t('mapping.sourceKind')}
          value={source.type}
          disabled={!canEdit}
          onChange={(event) =>
            onChange(newSource(kinds.find((kind) => kind === event.target.value) ?? 'sourceValue'), null)
          }
        >
          {[...new Set([...kinds, source.type])].map((kind) => (
            <option key={kind} value={kind}>
              {t(`mapping.source_${kind}`)}
            </option>
          ))}
        </select>
      </span>
      {source.type === 'sourceValue'
        ? fieldPick(t('mapping.chooseSourceField'), source.field, sourcePicks, end.fields, (field) =>
            onChange({ ...source, field }, null),
          )
        : null}
      {source.type === 'targetValue'
        ? fieldPick(
            t('mapping.chooseTargetField'),
            source.field,
            targetPicks(targetFields),
            targetFields,
            (field) => onChange({ ...source, field }, null),
          )
        : null}
      {source.type === 'customValue' ? (
        <ConstantInput
          label={t('mapping.constant')}
          type={constantType(target)}
          options={target?.options}
          value={source.value}
          isWrong={isWrong}
          isDisabled={!canEdit}
          onChange={(value) => onChange({ ...source, value }, editName)}
        />
      ) : null}
      {source.type === 'macro' ? (
        <PickButton
          label={t('mapping.chooseMacro')}
          shown={source.macroId === '' ? null : { text: macro?.name ?? source.macroId }}
          picks={macros.map(({ id, name, description, returnType }) => ({
            value: id,
            label: name,
            detail: description,
            tag: typeName(returnType),
          }))}
          isWrong={isWrong}
          isDisabled={!canEdit}
          onPick={(macroId) => onChange({ type: 'macro', macroId }, null)}
        />
      ) : null}
      {source.type === 'macro' && macro?.needsField
        ? fieldPick(
            t('mapping.chooseTargetField'),
            source.field ?? '',
            targetPicks(targetFields),
            targetFields,
            (field) => onChange({ ...source, field }, null),
          )
        : null}
    </div>
  );
};
