import type { FieldDescriptor } from '@sluice/contract';
import type { ReadRow } from './import-run.ts';

/** A row whose record comes again further down in the file: only the later row counts. */
export interface Repeat {
  /** As the file counts. */
  row: number;
  by: number;
}

/** The values that decide which record a row is; null where one of them is missing, or none decides. */
export const keyOfRow = ({ values }: ReadRow, keys: readonly FieldDescriptor[]): string | null => {
  const parts = keys.map(({ id }) => values[id] ?? null);
  return parts.length === 0 || parts.includes(null) ? null : JSON.stringify(parts);
};

/**
 * The rows that count, in the file's order. What two rows say of one record would be stored one after the other, the
 * last one on top: the earlier is left out and named, whether the record exists already or not.
 */
export const withoutRepeats = (
  rows: readonly ReadRow[],
  keys: readonly FieldDescriptor[],
): { rows: ReadRow[]; repeats: Repeat[] } => {
  const last = new Map<string, number>();
  for (const row of rows) {
    const key = keyOfRow(row, keys);
    if (key !== null) last.set(key, row.row);
  }
  const kept: ReadRow[] = [];
  const repeats: Repeat[] = [];
  for (const row of rows) {
    const by = last.get(keyOfRow(row, keys) ?? '') ?? row.row;
    if (by === row.row) kept.push(row);
    else repeats.push({ row: row.row, by });
  }
  return { rows: kept, repeats };
};
