import type { FieldDescriptor, Value } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FormatSettings, clipboardText } from '../../grid/format-value.ts';
import { readTyped } from '../../grid/parse-typed.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';

type Entry = Record<string, Value>;

/** The columns of an array: its own fields, or the one value of a list of plain values. */
const partsOf = (field: FieldDescriptor): FieldDescriptor[] =>
  field.kind === 'primitiveValuesArray'
    ? [{ ...field, kind: 'field', isMandatory: false }]
    : (field.children ?? []);

const isFlat = (field: FieldDescriptor): boolean =>
  partsOf(field).every((part) => part.kind === 'field' || part.kind === 'fieldInSimpleArray');

const entriesOf = (value: Value, field: FieldDescriptor): Entry[] =>
  Array.isArray(value)
    ? value.map((item) =>
        typeof item === 'object' && item !== null && !Array.isArray(item)
          ? (item as Entry)
          : { [field.id]: item },
      )
    : [];

/** The entries of an array as rows and fields; nobody has to read JSON. */
export const ArrayEditor = ({
  field,
  value,
  settings,
  isReadOnly,
  onSave,
  onClose,
}: {
  field: FieldDescriptor;
  value: Value;
  settings: FormatSettings;
  isReadOnly: boolean;
  onSave: (value: Value) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const parts = partsOf(field);
  const canEdit = !isReadOnly && isFlat(field);
  const [texts, setTexts] = useState(() =>
    entriesOf(value, field).map((entry) =>
      parts.map((part) => clipboardText(entry[part.id] ?? null, part, settings)),
    ),
  );
  const faults = texts.map((row) =>
    row.map((text, i) => {
      const part = parts[i];
      const parsed = part ? readTyped(text, part, settings) : null;
      return parsed && !parsed.ok ? t(`grid.${parsed.fault}`, { x: text }) : null;
    }),
  );
  const isWrong = faults.some((row) => row.some(Boolean));
  const save = (): void => {
    const read = (text: string, part: FieldDescriptor): Value => {
      const parsed = readTyped(text, part, settings);
      return parsed.ok ? parsed.value : null;
    };
    const originals = entriesOf(value, field);
    onSave(
      field.kind === 'primitiveValuesArray'
        ? texts.map((row) => read(row[0] ?? '', parts[0] ?? field))
        : texts.map((row, at) => ({
            ...originals[at],
            ...Object.fromEntries(parts.map((part, i) => [part.id, read(row[i] ?? '', part)])),
          })),
    );
  };
  const setText = (at: number, column: number, text: string): void =>
    setTexts((rows) =>
      rows.map((row, r) => (r === at ? row.map((old, c) => (c === column ? text : old)) : row)),
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={field.name}
      subtitle={canEdit || isReadOnly ? undefined : t('table.arrayReadOnly')}
      width={Math.min(1040, 260 + parts.length * 140)}
      footer={
        <>
          {canEdit ? (
            <button
              type="button"
              className="btn"
              data-autofocus
              onClick={() => setTexts((rows) => [...rows, parts.map(() => '')])}
            >
              <Icon name="plus" />
              {t('table.arrayAdd')}
            </button>
          ) : null}
          <span className="sp" />
          <button type="button" className="btn lg" onClick={onClose}>
            {t(canEdit ? 'common.cancel' : 'common.close')}
          </button>
          {canEdit ? (
            <button type="button" className="btn primary lg" disabled={isWrong} onClick={save}>
              {t('common.apply')}
            </button>
          ) : null}
        </>
      }
    >
      <div style={{ overflow: 'auto', minHeight: 0 }}>
        {texts.length === 0 ? (
          <EmptyState icon="table" title={t('table.arrayEmpty')} />
        ) : (
          <table className="tbl arr">
            <thead>
              <tr>
                {parts.map((part) => (
                  <th key={part.id} scope="col">
                    {part.name}
                  </th>
                ))}
                {canEdit ? (
                  <th scope="col">
                    <span className="vh">{t('common.remove')}</span>
                  </th>
                ) : null}
              </tr>
            </thead>
            <tbody>
              {texts.map((row, at) => (
                <tr key={at}>
                  {parts.map((part, column) => (
                    <td key={part.id}>
                      {canEdit ? (
                        <>
                          <input
                            aria-label={part.name}
                            aria-invalid={Boolean(faults[at]?.[column])}
                            value={row[column] ?? ''}
                            onChange={(event) => setText(at, column, event.target.value)}
                          />
                          {faults[at]?.[column] ? <span className="err-t">{faults[at][column]}</span> : null}
                        </>
                      ) : (
                        row[column]
                      )}
                    </td>
                  ))}
                  {canEdit ? (
                    <td className="acts">
                      <button
                        type="button"
                        className="iconbtn"
                        aria-label={t('table.arrayRemove', { number: at + 1 })}
                        onClick={() => setTexts((rows) => rows.filter((_, r) => r !== at))}
                      >
                        <Icon name="trash" />
                      </button>
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Dialog>
  );
};
