import type { Value } from '@sluice/contract';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Chosen } from '../../grid/chosen-rows.ts';
import { fullName } from '../../grid/column-layout.ts';
import { cellText } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import {
  type BatchLine,
  type BatchOperation,
  batchColumns,
  batchCommands,
  batchParts,
  exampleOf,
  operationsOf,
  type ReadLine,
  readLine,
} from './batch-edit.ts';
import { runBulk, tellChanged } from './bulk-run.ts';
import type { TableSession } from './table-session.ts';
import './records.css';

const OPERATION_TEXT = {
  set: 'bulk.opSet',
  empty: 'bulk.opEmpty',
  add: 'bulk.opAdd',
  multiply: 'bulk.opMultiply',
  percent: 'bulk.opPercent',
  round: 'bulk.opRound',
} as const satisfies Record<BatchOperation, string>;

const newLine = (columnId: string): BatchLine => ({ columnId, operation: 'set', text: '', roundTo: '' });

/** The same change of some fields in all chosen records, loaded or not. */
export const BatchEditDialog = ({
  table,
  chosen,
  columnId,
  onClose,
}: {
  table: TableSession;
  chosen: Chosen;
  /** The field to begin with: that of the active cell. */
  columnId: string | null;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const { grid } = table;
  const columns = batchColumns(grid.columns);
  const [lines, setLines] = useState<readonly BatchLine[]>(() => [
    newLine(columns.find((column) => column.id === columnId)?.id ?? columns[0]?.id ?? ''),
  ]);
  const [areFaultsShown, showFaults] = useState(false);
  const change = (at: number, part: Partial<BatchLine>): void =>
    setLines((list) => list.map((line, i) => (i === at ? { ...line, ...part } : line)));
  const read = lines.map((line) => {
    const column = columns.find((one) => one.id === line.columnId);
    return {
      columnId: line.columnId,
      column,
      read: column ? readLine(line, column, grid.settings) : ({ isOk: false, fault: 'required' } as const),
    };
  });
  const free = columns.filter((column) => !lines.some((line) => line.columnId === column.id));

  const handleSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (read.some((line) => !line.read.isOk)) {
      showFaults(true);
      return;
    }
    onClose();
    runBulk(table, batchParts(chosen.rows, batchCommands(read)), 'batchEdit', t('bulk.editing'))
      .then((result) => {
        if (result) tellChanged(result);
      })
      .catch((error: unknown) => console.error('batch edit', error));
  };
  const faultOf = (at: number): string | null => {
    const one = read[at]?.read;
    if (!areFaultsShown || !one || one.isOk) return null;
    if (one.fault === 'required') return t('bulk.required');
    return one.fault === 'number' ? t('grid.mustBeFloat') : t('grid.isInvalid', { x: lines[at]?.text ?? '' });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width={720}
      title={t('bulk.title', { count: chosen.count })}
      subtitle={t('bulk.subtitle')}
      footer={
        <DialogFooter
          note={
            <span className="sec">
              {t('bulk.preview', {
                records: t('bulk.records', { count: chosen.count }),
                fields: t('bulk.fields', { count: lines.length }),
              })}
            </span>
          }
          onClose={onClose}
          action={{ label: t('bulk.apply', { count: chosen.count }), form: 'batch-edit' }}
        />
      }
    >
      <form id="batch-edit" className="batch" onSubmit={handleSubmit} noValidate>
        <div className="batch-head" aria-hidden="true">
          <span>{t('bulk.field')}</span>
          <span>{t('bulk.change')}</span>
          <span>
            {t(lines.every((line) => line.operation === 'set') ? 'bulk.newValue' : 'bulk.valueOrAmount')}
          </span>
        </div>
        {lines.map((line, at) => {
          const column = read[at]?.column;
          if (!column) return null;
          const others = columns.filter((one) => one.id === line.columnId || free.includes(one));
          return (
            <fieldset
              className="batch-row"
              key={line.columnId}
              aria-label={fullName(column)}
              style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}
            >
              <SelectField
                label={t('bulk.field')}
                value={line.columnId}
                options={others.map((one) => ({ value: one.id, label: fullName(one) }))}
                onChange={(id) => change(at, newLine(id))}
              />
              <SelectField
                label={t('bulk.change')}
                value={line.operation}
                options={operationsOf(column).map((one) => ({ value: one, label: t(OPERATION_TEXT[one]) }))}
                onChange={(next) => {
                  const operation = operationsOf(column).find((one) => one === next);
                  if (operation) change(at, { operation });
                }}
              />
              {line.operation === 'empty' ? (
                <span />
              ) : (
                <ValueField
                  column={column}
                  line={line}
                  fault={faultOf(at)}
                  onChange={(text) => change(at, { text })}
                  words={{ yes: grid.settings.yes, no: grid.settings.no }}
                />
              )}
              <button
                type="button"
                className="iconbtn"
                disabled={lines.length === 1}
                aria-label={t('bulk.removeField', { name: fullName(column) })}
                onClick={() => setLines((list) => list.filter((_, i) => i !== at))}
              >
                <Icon name="close" />
              </button>
              {['add', 'multiply', 'percent'].includes(line.operation) ? (
                <div className="batch-round">
                  <span aria-hidden="true">{t('bulk.roundTo')}</span>
                  <TextField
                    label={t('bulk.roundTo')}
                    placeholder={t('bulk.noRounding')}
                    style={{ textAlign: 'right' }}
                    inputMode="decimal"
                    value={line.roundTo}
                    onChange={(roundTo) => change(at, { roundTo })}
                  />
                </div>
              ) : null}
              <Example column={column} read={read[at]?.read} table={table} />
            </fieldset>
          );
        })}
        <div style={{ display: 'flex', alignItems: 'center', gap: 12 }}>
          <button
            type="button"
            className="btn"
            disabled={free.length === 0}
            onClick={() => {
              const [next] = free;
              if (next) setLines((list) => [...list, newLine(next.id)]);
            }}
          >
            <Icon name="plus" />
            {t('bulk.addField')}
          </button>
          <span className="mut" style={{ fontSize: 12 }}>
            {t('bulk.onlyWritable')}
          </span>
        </div>
      </form>
    </Dialog>
  );
};

/** The calculation on the first record of the selection, or of the table. */
const Example = ({
  column,
  read,
  table: { grid },
}: {
  column: GridColumn;
  read: ReadLine | undefined;
  table: TableSession;
}) => {
  const { t } = useTranslation();
  const before = grid.store.valueAt(grid.selection.active.row, column.id);
  const after = read ? exampleOf(read, before) : null;
  if (after === null || before === undefined) return null;
  const shown = (value: Value): string => cellText(value, column.field, grid.settings).main;
  return (
    <output className="batch-example">
      {t('bulk.example', {
        before: shown(before),
        after: shown(typeof before === 'number' ? Number(after) : after),
      })}
    </output>
  );
};

const ValueField = ({
  column,
  line,
  fault,
  words,
  onChange,
}: {
  column: GridColumn;
  line: BatchLine;
  fault: string | null;
  words: { yes: string; no: string };
  onChange: (text: string) => void;
}) => {
  const { t } = useTranslation();
  const { options, dataType } = column.field;
  const isSet = line.operation === 'set';
  const label = isSet ? t('bulk.newValue') : t('bulk.amount');
  if (isSet && options?.length) {
    return (
      <SelectField
        label={label}
        value={line.text}
        error={fault}
        options={[
          { value: '', label: '' },
          ...options.map(({ value, description }) => ({
            value: String(value),
            label: description ? `${String(value)}  ${description}` : String(value),
          })),
        ]}
        onChange={onChange}
      />
    );
  }
  if (isSet && dataType === 'bool') {
    return (
      <SelectField
        label={label}
        value={line.text}
        error={fault}
        options={['', words.yes, words.no].map((word) => ({ value: word, label: word }))}
        onChange={onChange}
      />
    );
  }
  const isNumber = !isSet || column.align === 'end';
  return (
    <TextField
      label={label}
      value={line.text}
      error={fault}
      onChange={onChange}
      data-autofocus
      {...(isNumber ? { inputMode: 'decimal' as const, style: { textAlign: 'right' as const } } : {})}
    />
  );
};
