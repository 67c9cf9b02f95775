import type { FieldDescriptor, Scalar, Value } from '@sluice/contract';
import { type FileCell, type ImportColumn, type ImportProblem, readCell } from '@sluice/mapping/files';
import type { TypedContext } from '@sluice/mapping';
import { ApiError, call, callSurely, errorText } from '../../platform/call.ts';
import { newId } from '../../platform/ids.ts';
import { keyOfRow, type Repeat } from './repeats.ts';

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

export interface ReadRow {
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
  /** Rows that named the record of a later row in another way; what the file repeats is left out before. */
  repeats: Repeat[];
  isCancelled: boolean;
  failure: ImportFailure | null;
}

/** Why an import broke off. What was stored before stays, and is undone like any import. */
interface ImportFailure {
  message: string;
  /** Rows that were not answered for. */
  missed: number;
  /** The last call got no answer: up to that many of the missed rows may be stored all the same. */
  uncertain: number;
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

/** Makes the rows pending changes, a part at a time, as one step that can be undone. Never throws: a failure is part of what became of the rows. */
export const runImport = async (options: ImportOptions): Promise<ImportResult & { editId: string }> => {
  const editId = newId();
  const result: ImportResult = {
    updated: 0,
    added: 0,
    unchanged: 0,
    refused: [],
    repeats: [],
    isCancelled: false,
    failure: null,
  };
  for (let at = 0; at < options.rows.length; at += CHUNK) {
    if (options.signal.aborted) {
      result.isCancelled = true;
      break;
    }
    const part = options.rows.slice(at, at + CHUNK);
    let unanswered = 0;
    try {
      const { updates, inserts } = await divide(options, part, result);
      const wanted = lastOfEach(updates, result);
      unanswered = wanted.length;
      await sendUpdates(options, editId, wanted, result);
      unanswered = inserts.length;
      await sendInserts(options, editId, inserts, result);
    } catch (error) {
      const isLost = error instanceof ApiError && ['NETWORK', 'TIMEOUT'].includes(error.code);
      result.failure = {
        message: errorText(error),
        missed: options.rows.length - answered(result),
        uncertain: isLost ? unanswered : 0,
      };
      break;
    }
    options.onProgress(at + part.length);
  }
  return { ...result, editId };
};

const answered = ({ updated, added, unchanged, refused, repeats }: ImportResult): number =>
  updated + added + unchanged + refused.length + repeats.length;

const divide = async (options: ImportOptions, part: readonly ReadRow[], result: ImportResult) => {
  const updates: Update[] = [];
  const inserts: ReadRow[] = [];
  const { keys, texts } = options;
  const keyIds = keys.map(({ id }) => id);
  const keyed = part.filter((row) => keyOfRow(row, keys) !== null);
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

interface Update {
  id: string;
  row: ReadRow;
}

/** One call names a record once: of two keys that are written differently and mean the same the later row counts. */
const lastOfEach = (updates: readonly Update[], result: ImportResult): Update[] => {
  const byId = new Map<string, Update>();
  for (const update of updates) {
    const earlier = byId.get(update.id);
    if (earlier) result.repeats.push({ row: earlier.row.row, by: update.row.row });
    byId.set(update.id, update);
  }
  return [...byId.values()];
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
  updates: readonly Update[],
  result: ImportResult,
): Promise<void> => {
  let list = [...updates];
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
  // Named once: what reaches the server twice is added once.
  let list = inserts.map((row) => ({ ...row, name: newId() }));
  while (list.length > 0) {
    try {
      await callSurely('insertRecords', {
        params: { collection },
        query: { editId, kind: 'import' },
        body: list.map(({ name, values }) => ({
          ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
          internalId: name,
        })),
      });
      result.added += list.length;
      return;
    } catch (error) {
      const bad = refusedIds(
        error,
        list.map((_, index) => ({ id: String(index) })),
      );
      if (bad.size === 0) throw error;
      list.forEach((row, index) => {
        const message = bad.get(String(index));
        if (message !== undefined) result.refused.push({ row: row.row, message });
      });
      list = list.filter((_, index) => !bad.has(String(index)));
    }
  }
};
