import type { FieldDescriptor, Scalar, Value } from '@sluice/contract';
import { type FileCell, type ImportColumn, type ImportProblem, readCell } from '@sluice/mapping/files';
import type { TypedContext } from '@sluice/mapping';
import { ApiError, call, errorText } from '../../platform/call.ts';

/** Records of one call: small enough to show progress and to be cancelled. */
const CHUNK = 2000;

export interface CellProblem {
  /** As the file counts: 1 is its first row. */
  row: number;
  heading: string;
  field: string;
  text: string;
  problem: ImportProblem;
}

interface ReadRow {
  row: number;
  values: Record<string, Value>;
}

export interface ReadRows {
  good: ReadRow[];
  /** Rows with a cell that is no value of its field; they are left out. */
  badRows: number;
  problems: CellProblem[];
}

/** Most problems that are kept to be shown; all rows are counted. */
const SHOWN_PROBLEMS = 500;

/** All rows below the headings as values of their fields. */
export const readRows = (
  rows: readonly (readonly FileCell[])[],
  firstRow: number,
  headings: readonly string[],
  columns: readonly ImportColumn[],
  context: TypedContext,
): ReadRows => {
  const result: ReadRows = { good: [], badRows: 0, problems: [] };
  rows.forEach((cells, index) => {
    const row = firstRow + index;
    const values: Record<string, Value> = {};
    let isBad = false;
    columns.forEach((column, at) => {
      if (!column.field) return;
      const cell = cells[at] ?? null;
      const read = readCell(column, cell, context);
      if (read.problem) {
        isBad = true;
        if (result.problems.length < SHOWN_PROBLEMS)
          result.problems.push({
            row,
            heading: headings[at] ?? '',
            field: column.field.name,
            text: typeof cell === 'object' && cell !== null ? cell.date : String(cell),
            problem: read.problem,
          });
      } else values[column.field.id] = read.value ?? null;
    });
    if (isBad) result.badRows += 1;
    else if (Object.values(values).some((value) => value !== null)) result.good.push({ row, values });
  });
  return result;
};

export interface ImportResult {
  updated: number;
  added: number;
  unchanged: number;
  /** Rows that the server did not take, or whose key several records have. */
  refused: { row: number; message: string }[];
  isCancelled: boolean;
}

interface ImportOptions {
  collection: string;
  rows: readonly ReadRow[];
  /** Fields that decide which record a row is; empty = every row is a new record. */
  keys: readonly FieldDescriptor[];
  canInsert: boolean;
  canUpdate: boolean;
  texts: { ambiguous: string; noInsert: string; noUpdate: string };
  signal: AbortSignal;
  onProgress: (done: number) => void;
}

/** Makes the rows pending changes, a part at a time, as one step that can be undone. */
export const runImport = async (options: ImportOptions): Promise<ImportResult & { editId: string }> => {
  const editId = crypto.randomUUID();
  const result: ImportResult = { updated: 0, added: 0, unchanged: 0, refused: [], isCancelled: false };
  for (let at = 0; at < options.rows.length; at += CHUNK) {
    if (options.signal.aborted) {
      result.isCancelled = true;
      break;
    }
    const part = options.rows.slice(at, at + CHUNK);
    const { updates, inserts } = await divide(options, part, result);
    await sendUpdates(options, editId, updates, result);
    await sendInserts(options, editId, inserts, result);
    options.onProgress(at + part.length);
  }
  return { ...result, editId };
};

const divide = async (options: ImportOptions, part: readonly ReadRow[], result: ImportResult) => {
  const updates: { id: string; row: ReadRow }[] = [];
  const inserts: ReadRow[] = [];
  const { keys, texts } = options;
  const keyIds = keys.map(({ id }) => id);
  const hasKey = (row: ReadRow): boolean =>
    keyIds.length > 0 && keyIds.every((id) => (row.values[id] ?? null) !== null);
  const keyed = part.filter(hasKey);
  const found =
    keyed.length > 0
      ? await call('lookup', {
          params: { collection: options.collection },
          body: {
            fields: keyIds,
            keys: keyed.map(({ values }) => keyIds.map((id) => values[id] as Scalar)),
          },
        })
      : { ids: [] };
  const idsOf = new Map(keyed.map((row, index) => [row, found.ids[index] ?? []]));
  for (const row of part) {
    const ids = idsOf.get(row) ?? [];
    const [id] = ids;
    if (ids.length > 1) result.refused.push({ row: row.row, message: texts.ambiguous });
    else if (id !== undefined && options.canUpdate) updates.push({ id, row });
    else if (id !== undefined) result.refused.push({ row: row.row, message: texts.noUpdate });
    else if (options.canInsert) inserts.push(row);
    else result.refused.push({ row: row.row, message: texts.noInsert });
  }
  return { updates, inserts };
};

const withoutKeys = (
  values: Record<string, Value>,
  keys: readonly FieldDescriptor[],
): Record<string, Value> => {
  const names = new Set(keys.map(({ id }) => id));
  return Object.fromEntries(Object.entries(values).filter(([id]) => !names.has(id)));
};

const sendUpdates = async (
  { collection, keys }: ImportOptions,
  editId: string,
  updates: readonly { id: string; row: ReadRow }[],
  result: ImportResult,
): Promise<void> => {
  // The same record twice in a file: the later row counts, as in the order of typing.
  const byId = new Map(updates.map((update) => [update.id, update]));
  let list = [...byId.values()];
  result.unchanged += updates.length - list.length;
  while (list.length > 0) {
    try {
      const reply = await call('patchRecords', {
        params: { collection },
        query: { editId, kind: 'import', answer: 'brief' },
        body: list.map(({ id, row }) => ({ id, changes: withoutKeys(row.values, keys) })),
      });
      const touched =
        (reply.stored?.ids.length ?? 0) +
        reply.pendingOperations.update.length +
        reply.pendingOperations.insert.length;
      result.updated += touched;
      result.unchanged += Math.max(0, list.length - touched);
      return;
    } catch (error) {
      const bad = refusedIds(error, list);
      if (bad.size === 0) throw error;
      for (const { id, row } of list) {
        const message = bad.get(id);
        if (message !== undefined) result.refused.push({ row: row.row, message });
      }
      list = list.filter(({ id }) => !bad.has(id));
    }
  }
};

/** Which records a refused batch names: by id, or by their place in the batch. */
const refusedIds = (error: unknown, list: readonly { id: string }[]): Map<string, string> => {
  if (!(error instanceof ApiError)) return new Map();
  const bad = new Map<string, string>();
  for (const { id, field, message } of error.fieldErrors) {
    const place = /^\[(\d+)\]/.exec(field)?.[1];
    const known = id ?? (place === undefined ? undefined : list[Number(place)]?.id);
    if (known !== undefined) bad.set(known, message);
  }
  const pushed = error.body?.details?.['ids'];
  if (error.code === 'BEING_PUSHED' && Array.isArray(pushed))
    for (const id of pushed) bad.set(String(id), error.message);
  return bad;
};

const sendInserts = async (
  { collection }: ImportOptions,
  editId: string,
  inserts: readonly ReadRow[],
  result: ImportResult,
): Promise<void> => {
  let list = [...inserts];
  while (list.length > 0) {
    try {
      await call('insertRecords', {
        params: { collection },
        query: { editId, kind: 'import' },
        body: list.map(({ values }) =>
          Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
        ),
      });
      result.added += list.length;
      return;
    } catch (error) {
      const bad = refusedIds(
        error,
        list.map((_, index) => ({ id: String(index) })),
      );
      if (bad.size === 0) throw error instanceof Error ? error : new Error(errorText(error));
      list.forEach((row, index) => {
        const message = bad.get(String(index));
        if (message !== undefined) result.refused.push({ row: row.row, message });
      });
      list = list.filter((_, index) => !bad.has(String(index)));
    }
  }
};
