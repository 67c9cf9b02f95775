import type { Value } from '@sluice/contract';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FormatSettings, clipboardText } from '../../grid/format-value.ts';
import { readTyped } from '../../grid/parse-typed.ts';
import type { GridColumn } from '../../grid/types.ts';

/** A small field for another value of one cell, in the review itself. */
export const ValueInput = ({
  column,
  value,
  settings,
  onSave,
  onCancel,
}: {
  column: GridColumn;
  value: Value;
  settings: FormatSettings;
  onSave: (value: Value) => void;
  onCancel: () => void;
}) => {
  const { t } = useTranslation();
  const { field } = column;
  const [text, setText] = useState(() => clipboardText(value, field, settings));
  const parsed = readTyped(text, field, settings);
  const fault = parsed.ok ? null : t(`grid.${parsed.fault}`, { x: text });
  const choices =
    field.dataType === 'bool'
      ? [settings.yes, settings.no].map((word) => ({ value: word, label: word }))
      : field.options?.map((option) => ({
          value: String(option.value),
          label: option.description ? `${String(option.value)} ${option.description}` : String(option.value),
        }));
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (parsed.ok) onSave(parsed.value);
  };
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null);
  // The user asked for this field: it is where typing goes on.
  useEffect(() => control.current?.focus(), []);
  const common = {
    ref: control,
    'aria-label': column.name,
    // The dialog's own Escape leaves this one to the field.
    'data-mantine-stop-propagation': 'true',
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') onCancel();
    },
  };
  return (
    <form className="rv-edit" onSubmit={save}>
      <span className={`field ${fault ? 'bad' : ''}`}>
        {choices?.length ? (
          <select {...common} value={text} onChange={(event) => setText(event.target.value)}>
            <option value="">{t('form.notSet')}</option>
            {choices.some((choice) => choice.value === text) || text === '' ? null : (
              <option value={text}>{text}</option>
            )}
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...common}
            aria-invalid={fault !== null}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </span>
      <button type="submit" className="btn primary" disabled={!parsed.ok}>
        {t('common.save')}
      </button>
      <button type="button" className="btn" onClick={onCancel}>
        {t('common.cancel')}
      </button>
      {fault ? (
        <span className="err-t" role="alert">
          {fault}
        </span>
      ) : null}
    </form>
  );
};
