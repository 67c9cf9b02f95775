import type { FieldDescriptor } from '@sluice/contract';
import {
  type Delimiter,
  type FileEncoding,
  type ImportColumn,
  dateChoices,
  delimiters,
  fileEncodings,
  numberChoices,
  suggestFields,
} from '@sluice/mapping/files';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GridController } from '../../grid/controller.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ColumnTable } from './column-table.tsx';
import { rememberedFields, rememberFields } from './remembered.ts';
import { ImportResultView } from './import-result.tsx';
import { type ImportResult, readRows, runImport } from './import-run.ts';
import { ProblemTable } from './problem-table.tsx';
import { FileError, type FileTable, readFile } from './read-file.ts';
import { RepeatNote } from './repeat-note.tsx';
import { withoutRepeats } from './repeats.ts';

type Stage =
  | { name: 'choose'; fault: string | null }
  | { name: 'columns' }
  | { name: 'running'; done: number; total: number }
  | { name: 'done'; result: ImportResult };

const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' } as const;

/** A file becomes pending changes of a table: nothing reaches the external system before a push. */
export const ImportDialog = ({
  collection,
  tableId,
  title,
  grid,
  keyFields,
  onClose,
  onImported,
}: {
  collection: string;
  tableId: string;
  title: string;
  grid: GridController;
  keyFields: readonly string[];
  onClose: () => void;
  /** What was imported can be undone by this step. */
  onImported: (editId: string) => void;
}) => {
  const { t } = useTranslation();
  const fields = useMemo(
    () =>
      grid.columns
        .map(({ field }) => field)
        .filter((field) => (!field.isReadOnly || field.isKey) && field.kind === 'field'),
    [grid],
  );
  const [stage, setStage] = useState<Stage>({ name: 'choose', fault: null });
  const [source, setSource] = useState<File | null>(null);
  const [file, setFile] = useState<FileTable | null>(null);
  const [columns, setColumns] = useState<ImportColumn[]>([]);
  const [keys, setKeys] = useState<string | null>(null);
  const cancelling = useRef(new AbortController());

  const headings = useMemo(
    () => (file?.rows[0] ?? []).map((cell) => (typeof cell === 'string' ? cell : String(cell ?? ''))),
    [file],
  );
  const body = useMemo(() => file?.rows.slice(1) ?? [], [file]);

  const open = async (
    chosen: File,
    given: { encoding?: FileEncoding; delimiter?: Delimiter } = {},
  ): Promise<void> => {
    try {
      const table = await readFile(chosen, given);
      const names = (table.rows[0] ?? []).map((cell) => String(cell ?? ''));
      const remembered = rememberedFields(tableId, names, fields);
      const suggested = remembered ?? suggestFields(names, fields);
      setSource(chosen);
      setFile(table);
      setColumns(suggested.map((field, at) => columnFor(field, textsOf(table, at), grid)));
      setKeys(keyOf(suggested, keyFields));
      setStage({ name: 'columns' });
    } catch (error) {
      const reason = error instanceof FileError ? error.reason : 'unreadable';
      setStage({ name: 'choose', fault: t(`transfer.${reason}`, { name: chosen.name }) });
    }
  };

  const undecided = columns.filter(
    (column, at) => column.field && needsChoice(column, file ? textsOf(file, at) : []),
  );
  const read = useMemo(
    () => readRows(body, 2, headings, columns, grid.settings),
    [body, headings, columns, grid],
  );
  const used = columns.flatMap(({ field }) => (field ? [field] : []));
  const keyed = keys === null ? [] : used.filter(({ id }) => keys.split(',').includes(id));

  const { rows, repeats } = withoutRepeats(read.good, keyed);

  const start = async (): Promise<void> => {
    rememberFields(tableId, headings, columns);
    setStage({ name: 'running', done: 0, total: rows.length });
    const { editId, ...result } = await runImport({
      collection,
      rows,
      keys: keyed,
      canInsert: grid.canInsert,
      canUpdate: grid.canUpdate,
      texts: {
        ambiguous: t('transfer.severalRecords'),
        noInsert: t('transfer.noInsert'),
        noUpdate: t('transfer.noUpdate'),
      },
      signal: cancelling.current.signal,
      onProgress: (done) => setStage({ name: 'running', done, total: rows.length }),
    });
    setStage({ name: 'done', result: { ...result, repeats: [...repeats, ...result.repeats] } });
    // A call without an answer may have been stored: the step covers it too.
    if (result.added + result.updated + (result.failure?.uncertain ?? 0) > 0) onImported(editId);
  };

  const footer =
    stage.name === 'columns' ? (
      <>
        <span className="sec">
          {undecided.length > 0
            ? t('transfer.decideFirst', { count: undecided.length })
            : used.length === 0
              ? t('transfer.noColumns')
              : t('transfer.ready', { count: rows.length })}
        </span>
        <span className="sp" />
        <button type="button" className="btn lg" onClick={() => setStage({ name: 'choose', fault: null })}>
          {t('transfer.otherFile')}
        </button>
        <button
          type="button"
          className="btn primary lg"
          disabled={undecided.length > 0 || rows.length === 0}
          onClick={() => void start()}
        >
          {t('transfer.import', { count: rows.length })}
        </button>
      </>
    ) : stage.name === 'running' ? (
      <>
        <span className="sp" />
        <button type="button" className="btn lg" onClick={() => cancelling.current.abort()}>
          {t('transfer.stop')}
        </button>
      </>
    ) : (
      <>
        <span className="sp" />
        <button
          type="button"
          className={`btn lg ${stage.name === 'done' ? 'primary' : ''}`}
          onClick={onClose}
        >
          {t('common.close')}
        </button>
      </>
    );

  return (
    <Dialog
      isOpen
      onClose={stage.name === 'running' ? () => cancelling.current.abort() : onClose}
      title={t('transfer.importTitle', { title })}
      subtitle={file && stage.name !== 'choose' ? file.name : t('transfer.importHint')}
      width={960}
      isTall={stage.name === 'columns'}
      footer={footer}
    >
      {stage.name === 'choose' ? (
        <ChooseFile fault={stage.fault} onChosen={(chosen) => void open(chosen)} />
      ) : null}
      {stage.name === 'columns' && file ? (
        <div
          style={{
            flex: 1,
            overflow: 'auto',
            minHeight: 0,
            padding: '0 20px 16px',
            display: 'grid',
            gap: 16,
            alignContent: 'start',
          }}
        >
          <div className="frm" style={{ padding: 0 }}>
            {file.kind === 'text' && source ? (
              <>
                <SelectField
                  label={t('transfer.encoding')}
                  value={file.encoding ?? 'utf-8'}
                  options={fileEncodings.map((value) => ({ value, label: value.toUpperCase() }))}
                  onChange={(encoding) =>
                    void open(source, {
                      encoding: encoding as FileEncoding,
                      ...(file.delimiter ? { delimiter: file.delimiter } : {}),
                    })
                  }
                />
                <SelectField
                  label={t('transfer.delimiter')}
                  value={file.delimiter ?? ','}
                  options={delimiters.map((value) => ({
                    value,
                    label: t(`transfer.${DELIMITER_NAMES[value]}`),
                  }))}
                  onChange={(delimiter) =>
                    void open(source, {
                      delimiter: delimiter as Delimiter,
                      ...(file.encoding ? { encoding: file.encoding } : {}),
                    })
                  }
                />
              </>
            ) : null}
            <SelectField
              label={t('transfer.matchBy')}
              hint={t(keyed.length > 0 ? 'transfer.matchHint' : 'transfer.newHint')}
              value={keys ?? ''}
              options={[
                { value: '', label: t('transfer.allNew') },
                ...keyChoices(used, keyFields).map(({ ids, label }) => ({ value: ids, label })),
              ]}
              onChange={(value) => setKeys(value === '' ? null : value)}
            />
          </div>
          {file.brokenRows.length > 0 ? (
            <p className="note-line warn" role="alert">
              <Icon name="warning" />
              {t('transfer.brokenQuotes', { rows: file.brokenRows.slice(0, 5).join(', ') })}
            </p>
          ) : null}
          <ColumnTable
            headings={headings}
            columns={columns}
            fields={fields}
            samples={(at) => textsOf(file, at)}
            onChange={(at, column) =>
              setColumns((before) => before.map((one, index) => (index === at ? column : one)))
            }
            columnFor={(field, at) => columnFor(field, textsOf(file, at), grid)}
          />
          {undecided.length === 0 && repeats.length > 0 ? <RepeatNote repeats={repeats} /> : null}
          {undecided.length === 0 && read.badRows > 0 ? (
            <ProblemTable problems={read.problems} badRows={read.badRows} />
          ) : null}
        </div>
      ) : null}
      {stage.name === 'running' ? (
        <output style={{ padding: '8px 20px 24px', display: 'grid', gap: 8 }}>
          <progress value={stage.done} max={stage.total} style={{ width: '100%' }} />
          <span className="sec">{t('transfer.progress', { done: stage.done, total: stage.total })}</span>
        </output>
      ) : null}
      {stage.name === 'done' ? <ImportResultView result={stage.result} badRows={read.badRows} /> : null}
    </Dialog>
  );
};

const ChooseFile = ({ fault, onChosen }: { fault: string | null; onChosen: (file: File) => void }) => {
  const { t } = useTranslation();
  return (
    <div style={{ padding: '0 20px 20px', display: 'grid', gap: 12 }}>
      {fault ? (
        <p className="note-line bad" role="alert">
          <Icon name="danger" />
          {fault}
        </p>
      ) : null}
      {/* The field itself takes a dropped file: it covers the whole frame. */}
      <label className="dropzone">
        <Icon name="table" />
        <span className="m">{t('transfer.choose')}</span>
        <span className="sec">{t('transfer.chooseHint')}</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,.xlsx,text/csv"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen) onChosen(chosen);
          }}
        />
      </label>
    </div>
  );
};

/** Texts of a column below its heading; cells that a spreadsheet stored as something else need no choice. */
const textsOf = (file: FileTable, at: number): string[] =>
  file.rows.slice(1).flatMap((row) => {
    const cell = row[at];
    return typeof cell === 'string' ? [cell] : [];
  });

const NUMBERS = new Set(['int', 'uint', 'float64', 'nonFormattableInt']);
const DATES = new Set(['date', 'datetime']);

/** A column with the formats that its values leave no doubt about. */
const columnFor = (
  field: FieldDescriptor | null,
  texts: readonly string[],
  grid: GridController,
): ImportColumn => {
  const { formats } = grid.settings;
  const column: ImportColumn = { field, dateFormat: null, numberFormat: null };
  if (field && DATES.has(field.dataType ?? '')) {
    const { fitting, isAmbiguous } = dateChoices(texts);
    if (!isAmbiguous)
      column.dateFormat = fitting.includes(formats.shortDate)
        ? formats.shortDate
        : (fitting[0] ?? formats.shortDate);
  }
  if (field && NUMBERS.has(field.dataType ?? '')) {
    const { fitting, isAmbiguous } = numberChoices(texts);
    if (!isAmbiguous)
      column.numberFormat = fitting.includes(formats.numberFormat)
        ? formats.numberFormat
        : (fitting[0] ?? formats.numberFormat);
  }
  return column;
};

const needsChoice = ({ field, dateFormat, numberFormat }: ImportColumn, texts: readonly string[]): boolean =>
  (field !== null &&
    DATES.has(field.dataType ?? '') &&
    dateFormat === null &&
    dateChoices(texts).isAmbiguous) ||
  (field !== null &&
    NUMBERS.has(field.dataType ?? '') &&
    numberFormat === null &&
    numberChoices(texts).isAmbiguous);

/** The table's key where the file has all of it: then rows are updates of the records that have it. */
const keyOf = (used: readonly (FieldDescriptor | null)[], keyFields: readonly string[]): string | null => {
  const ids = new Set(used.map((field) => field?.id));
  return keyFields.length > 0 && keyFields.every((id) => ids.has(id)) ? keyFields.join(',') : null;
};

const keyChoices = (
  used: readonly FieldDescriptor[],
  keyFields: readonly string[],
): { ids: string; label: string }[] => {
  const byId = new Map(used.map((field) => [field.id, field.name]));
  const whole =
    keyFields.length > 1 && keyFields.every((id) => byId.has(id))
      ? [{ ids: keyFields.join(','), label: keyFields.map((id) => byId.get(id) ?? id).join(' + ') }]
      : [];
  return [...whole, ...used.map(({ id, name }) => ({ ids: id, label: name }))];
};
