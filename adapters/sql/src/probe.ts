import type { ProbeAnswer, Rec, WriteOp } from '@sluice/adapter-kit';
import type { Dialect } from './dialect.ts';
import { type Line, within } from './line.ts';
import { columnOf, type Table } from './model.ts';
import { readKeys } from './read.ts';
import { selectionOf, Statement, textOf } from './statement.ts';

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
  pay(): Promise<void>;
}

const mostCandidates = 20;

/** What became of an operation whose answer was lost. */
export async function probe(
  dialect: Dialect,
  line: Line,
  table: Table,
  op: WriteOp,
  limits: Limits,
): Promise<ProbeAnswer> {
  if (op.action === 'insert') return await findInsert(dialect, line, table, op.values ?? {}, limits);
  const key = op.key ?? '';
  const [record] = await readKeys(dialect, line, table, [key], null, limits);
  if (op.action === 'delete')
    return record ? { state: 'notApplied' } : { state: 'applied', key, version: null };
  if (!record) return { state: 'notApplied' };
  const isSame = Object.entries(op.values ?? {}).every(([id, value]) =>
    isSameText(table, id, value, record.values[id]),
  );
  return isSame ? { state: 'applied', key, version: record.version } : { state: 'notApplied' };
}

function isSameText(table: Table, id: string, a: Rec[string], b: Rec[string] | undefined): boolean {
  const column = columnOf(table, id);
  if (!column) return false;
  const [one, other] = [textOf(column, a), textOf(column, b)];
  if ((one ?? '') === (other ?? '')) return true;
  if (one === null || other === null) return false;
  // Back and forth, both have the form that the column gives.
  const again = (text: string): string => JSON.stringify(column.type.toValue(text));
  return again(one) === again(other) || (column.type.dataType === 'unknown' && isSameJson(one, other));
}

function isSameJson(a: string, b: string): boolean {
  const sorted = (_: string, value: unknown): unknown =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : value;
  try {
    return JSON.stringify(JSON.parse(a), sorted) === JSON.stringify(JSON.parse(b), sorted);
  } catch {
    return false;
  }
}

/** Records that hold all values of an insert, as far as the database can compare them. */
async function findInsert(
  dialect: Dialect,
  line: Line,
  table: Table,
  values: Rec,
  limits: Limits,
): Promise<ProbeAnswer> {
  const statement = new Statement(dialect);
  const conditions = Object.entries(values).flatMap(([id, value]) => {
    const column = columnOf(table, id);
    if (!column?.type.isComparable || value === null) return [];
    return [`${statement.name(column)} = ${statement.compared(column, column.type.toText(value))}`];
  });
  if (conditions.length === 0)
    return { state: 'undecidable', reason: 'the record has no values to look for' };
  const selection = selectionOf(dialect, table, null);
  const sql = `select ${selection.list} from ${selection.from} t where ${conditions.join(' and ')} limit ${mostCandidates}`;
  await limits.pay();
  const { rows } = await within(line, limits, async () => await line.read(sql, statement.values));
  return { state: 'candidates', records: rows.map((row) => selection.toRecord(row)) };
}
