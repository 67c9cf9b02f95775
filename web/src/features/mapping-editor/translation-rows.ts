import type { TranslationTable } from '@sluice/contract';
import { compileTable } from '@sluice/mapping/engine';
import { parseTsv } from '../../grid/clipboard.ts';
import { scalarOf, textOfScalar } from './constants.ts';

/** A row as it is typed; it becomes values of the table's types when the dialog is left. */
export interface TextRow {
  key: string;
  value: string;
}

export const blankRow: TextRow = { key: '', value: '' };
const isBlank = ({ key, value }: TextRow): boolean => key === '' && value === '';

export const rowsOf = (table: TranslationTable): TextRow[] =>
  table.rows.map(({ key, value }) => ({ key: textOfScalar(key), value: textOfScalar(value) }));

/** The table of what was typed; rows without anything in them are none. */
export const tableOf = (
  rows: readonly TextRow[],
  settings: Omit<TranslationTable, 'rows'>,
): TranslationTable => ({
  ...settings,
  rows: rows
    .filter((row) => !isBlank(row))
    .map(({ key, value }) => ({
      key: scalarOf(key, settings.inputType),
      value: scalarOf(value, settings.returnType),
    })),
});

/**
 * Two columns of a spreadsheet as rows; null where it is not two (CLIP-02). Empty lines are left out, and cells beyond
 * the second that are all empty do not count.
 */
export const parsePair = (text: string): TextRow[] | null => {
  const lines = parseTsv(text)
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter((cells) => cells.some((cell) => cell !== ''));
  if (lines.length === 0) return null;
  if (lines.some((cells) => cells.length < 2 || cells.slice(2).some((cell) => cell !== ''))) return null;
  return lines.map(([key = '', value = '']) => ({ key, value }));
};

/** Pasted rows over those that begin at a place, as in a spreadsheet. */
export const pasteRows = (rows: readonly TextRow[], at: number, pasted: readonly TextRow[]): TextRow[] => [
  ...rows.slice(0, at),
  ...pasted,
  ...rows.slice(at + pasted.length),
];

/** Pasted rows behind the last that has anything in it. */
export const appendRows = (rows: readonly TextRow[], pasted: readonly TextRow[]): TextRow[] => {
  const kept = rows.findLastIndex((row) => !isBlank(row)) + 1;
  return [...rows.slice(0, kept), ...pasted];
};

export type RowFault = 'duplicateKey' | 'invalidKey' | 'invalidValue';

/** What is wrong with which row of those typed; of two with one key both are marked. */
export const faultsOf = (
  rows: readonly TextRow[],
  settings: Omit<TranslationTable, 'rows'>,
  zone: string,
): ReadonlyMap<number, RowFault> => {
  const places = rows.flatMap((row, index) => (isBlank(row) ? [] : [index]));
  const table = tableOf(rows, settings);
  const compiled = compileTable(table, zone);
  const faults = new Map<number, RowFault>();
  const twice = new Set<string>();
  for (const { row, code } of compiled.problems) {
    faults.set(places[row] ?? row, code);
    const key = code === 'duplicateKey' ? compiled.keyOf(table.rows[row]?.key ?? null) : null;
    if (key !== null) twice.add(key);
  }
  if (twice.size > 0)
    table.rows.forEach(({ key }, index) => {
      const place = places[index] ?? index;
      const name = compiled.keyOf(key);
      if (name !== null && twice.has(name) && !faults.has(place)) faults.set(place, 'duplicateKey');
    });
  return faults;
};
