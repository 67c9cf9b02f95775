import type { Value } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { isArrayField } from '../../grid/edit-plan.ts';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { Labelled } from '../../ui/fields.tsx';

/** The input of one field, by its descriptor. */
export const FormField = ({
  column,
  text,
  array,
  settings,
  isLocked,
  isNew,
  isChanged,
  error,
  warning,
  onText,
  onBlur,
  onOpenArray,
}: {
  column: GridColumn;
  text: string;
  array: Value | undefined;
  settings: FormatSettings;
  isLocked: boolean;
  isNew: boolean;
  isChanged: boolean;
  error: string | null;
  warning: string | null;
  onText: (text: string) => void;
  onBlur: () => void;
  onOpenArray: () => void;
}) => {
  const { t } = useTranslation();
  const { field } = column;
  const isLong = field.format === 'multiline';
  const hint =
    field.dataType === 'date' || field.dataType === 'datetime'
      ? settings.formats.shortDate + (field.dataType === 'datetime' ? ' hh:mm' : '')
      : (field.help ?? null);
  const placeholder = isNew && field.hasServerDefault ? t('form.onPush') : undefined;
  const wrap = `inp sm ${error ? 'bad' : ''} ${isLocked ? 'ro' : ''} ${isLong ? 'area' : ''}`;
  return (
    <Labelled
      label={column.name}
      error={error}
      warning={warning}
      hint={hint}
      isWide={isLong}
      isChanged={isChanged}
      isRequired={field.isMandatory && !field.hasServerDefault}
    >
      {(ids) => {
        if (isArrayField(field)) {
          const count = Array.isArray(array) ? array.length : 0;
          return (
            <span className={wrap}>
              <span className="sp tn">{count}</span>
              <button type="button" className="link" id={ids.id} onClick={onOpenArray}>
                {t(isLocked ? 'notifications.open' : 'common.edit')}
              </button>
            </span>
          );
        }
        const common = { ...ids, disabled: isLocked, onBlur };
        if (field.options?.length || field.dataType === 'bool') {
          const options = field.options?.length
            ? field.options.map((option) => ({
                value: String(option.value),
                label: option.description
                  ? `${String(option.value)} ${option.description}`
                  : String(option.value),
              }))
            : [
                { value: settings.yes, label: settings.yes },
                { value: settings.no, label: settings.no },
              ];
          const isKnown = text === '' || options.some((option) => option.value === text);
          return (
            <span className={wrap}>
              <select {...common} value={text} onChange={(event) => onText(event.target.value)}>
                <option value="">{t('form.notSet')}</option>
                {isKnown ? null : <option value={text}>{text}</option>}
                {options.map((option) => (
                  <option key={option.value} value={option.value}>
                    {option.label}
                  </option>
                ))}
              </select>
            </span>
          );
        }
        return (
          <span className={wrap}>
            {isLong ? (
              <textarea {...common} rows={4} value={text} onChange={(event) => onText(event.target.value)} />
            ) : (
              <input
                {...common}
                value={text}
                placeholder={placeholder}
                style={
                  column.align === 'end'
                    ? { textAlign: 'right', fontVariantNumeric: 'tabular-nums' }
                    : undefined
                }
                onChange={(event) => onText(event.target.value)}
              />
            )}
          </span>
        );
      }}
    </Labelled>
  );
};
