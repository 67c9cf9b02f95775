import type { FieldDescriptor, Value } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isArrayField } from '../../grid/edit-plan.ts';
import type { FormatSettings } from '../../grid/format-value.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { draftsOf, emptyDraft, faultOf, partsOf, valueOfDrafts } from './array-table.ts';
import './form.css';

/** One cell of an array's table. */
const Cell = ({
  label,
  part,
  text,
  fault,
  settings,
  onText,
}: {
  label: string;
  part: FieldDescriptor;
  text: string;
  fault: string | null;
  settings: FormatSettings;
  onText: (text: string) => void;
}) => {
  const { t } = useTranslation();
  const choices = part.options?.length
    ? part.options.map((option) => ({
        value: String(option.value),
        label: option.description ? `${String(option.value)} ${option.description}` : String(option.value),
      }))
    : part.dataType === 'bool'
      ? [settings.yes, settings.no].map((word) => ({ value: word, label: word }))
      : null;
  const isNumber = part.dataType === 'int' || part.dataType === 'uint' || part.dataType === 'float64';
  return (
    <>
      {choices ? (
        <select aria-label={label} value={text} onChange={(event) => onText(event.target.value)}>
          <option value="">{t('form.notSet')}</option>
          {text === '' || choices.some((choice) => choice.value === text) ? null : (
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
          aria-label={label}
          aria-invalid={fault !== null}
          className={isNumber ? 'num' : ''}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      )}
      {fault ? <span className="err-t">{fault}</span> : null}
    </>
  );
};

/** The entries of an array as rows and fields, edited in place; nobody has to read JSON. */
export const ArrayTable = ({
  field,
  value,
  settings,
  isReadOnly,
  warningOf,
  onChange,
}: {
  field: FieldDescriptor;
  value: Value;
  settings: FormatSettings;
  isReadOnly: boolean;
  /** A broken rule of one cell; rules do not keep it from being saved. */
  warningOf?: (row: number, part: FieldDescriptor) => string | null;
  /** `isWrong`: some text is no value, so that it cannot be saved. */
  onChange: (value: Value[], isWrong: boolean) => void;
}) => {
  const { t } = useTranslation();
  const parts = partsOf(field);
  const [drafts, setDrafts] = useState(() => draftsOf(value, field, settings));
  const [nested, setNested] = useState<{ row: number; part: FieldDescriptor } | null>(null);
  const change = (next: typeof drafts): void => {
    setDrafts(next);
    onChange(
      valueOfDrafts(next, field, settings),
      next.some((draft) => parts.some((part) => faultOf(draft, part, settings) !== null)),
    );
  };
  const setAt = (row: number, kind: 'texts' | 'arrays', id: string, to: string | Value): void =>
    change(
      drafts.map((draft, r) => (r === row ? { ...draft, [kind]: { ...draft[kind], [id]: to } } : draft)),
    );
  const labelOf = (row: number, part: FieldDescriptor): string => `${field.name} ${row + 1}: ${part.name}`;
  const open = nested ? drafts[nested.row] : undefined;
  return (
    <div className="arr-box">
      {drafts.length === 0 ? (
        <p className="arr-empty">{t('table.arrayEmpty')}</p>
      ) : (
        <div className="arr-scroll">
          <table className="tbl arr">
            <thead className={field.kind === 'primitiveValuesArray' ? 'vh' : ''}>
              <tr>
                {parts.map((part) => (
                  <th key={part.id} scope="col">
                    {part.name}
                    {part.isMandatory ? <span aria-hidden="true"> *</span> : null}
                  </th>
                ))}
                {isReadOnly ? null : (
                  <th scope="col">
                    <span className="vh">{t('common.remove')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {drafts.map((draft, row) => (
                <tr key={draft.key}>
                  {parts.map((part) => {
                    if (isArrayField(part)) {
                      const list = draft.arrays[part.id];
                      const count = Array.isArray(list) ? list.length : 0;
                      return (
                        <td key={part.id}>
                          <button
                            type="button"
                            className="link"
                            aria-label={labelOf(row, part)}
                            onClick={() => setNested({ row, part })}
                          >
                            {t('form.entries', { count })}
                          </button>
                        </td>
                      );
                    }
                    const text = draft.texts[part.id] ?? '';
                    const isFixed = isReadOnly || part.isReadOnly || part.dataType === 'unknown';
                    const fault = faultOf(draft, part, settings);
                    const warning = warningOf?.(row, part);
                    return (
                      <td key={part.id}>
                        {isFixed ? (
                          <span className="arr-text">{text}</span>
                        ) : (
                          <Cell
                            label={labelOf(row, part)}
                            part={part}
                            text={text}
                            fault={fault ? t(`grid.${fault}` as 'grid.isInvalid', { x: text }) : null}
                            settings={settings}
                            onText={(next) => setAt(row, 'texts', part.id, next)}
                          />
                        )}
                        {warning && !fault ? <span className="warn-t">{warning}</span> : null}
                      </td>
                    );
                  })}
                  {isReadOnly ? null : (
                    <td className="acts">
                      <button
                        type="button"
                        className="iconbtn"
                        aria-label={t('table.arrayRemove', { number: row + 1 })}
                        onClick={() => change(drafts.filter((_, r) => r !== row))}
                      >
                        <Icon name="trash" />
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isReadOnly ? null : (
        <button
          type="button"
          className="btn arr-add"
          data-autofocus
          onClick={() => change([...drafts, emptyDraft(parts, settings)])}
        >
          <Icon name="plus" />
          {t('table.arrayAdd')}
        </button>
      )}
      {nested && open ? (
        <ArrayEditor
          field={nested.part}
          value={open.arrays[nested.part.id] ?? null}
          settings={settings}
          isReadOnly={isReadOnly || nested.part.isReadOnly}
          onClose={() => setNested(null)}
          onSave={(list) => {
            setAt(nested.row, 'arrays', nested.part.id, list);
            setNested(null);
          }}
        />
      ) : null}
    </div>
  );
};

/** The same in a dialog: for a cell of the table, and for arrays within arrays. */
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
  const [edited, setEdited] = useState<{ value: Value; isWrong: boolean } | null>(null);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={field.name}
      width={Math.min(1040, Math.max(420, 260 + partsOf(field).length * 140))}
      footer={
        <DialogFooter
          close={t(isReadOnly ? 'common.close' : 'common.cancel')}
          onClose={onClose}
          action={
            isReadOnly
              ? null
              : {
                  label: t('common.apply'),
                  isDisabled: edited?.isWrong ?? false,
                  onClick: () => (edited ? onSave(edited.value) : onClose()),
                }
          }
        />
      }
    >
      <div style={{ overflow: 'auto', minHeight: 0, padding: '0 20px 16px' }}>
        <ArrayTable
          field={field}
          value={value}
          settings={settings}
          isReadOnly={isReadOnly}
          onChange={(list, isWrong) => setEdited({ value: list, isWrong })}
        />
      </div>
    </Dialog>
  );
};
