import type { Value } from '@sluice/contract';
import { rowIds } from './found-rows.ts';
import { toHtml, toTsv } from './clipboard.ts';
import type { GridController } from './controller.ts';
import { clipboardText } from './format-value.ts';
import { type Range, cutRanges } from './selection.ts';

/** Most cells of one copy. */
const MAX_COPY_CELLS = 2_000_000;

export interface Copied {
  text: string;
  html: string;
  cells: number;
}

/** The range that copying takes: the last one. */
const copyRange = (grid: GridController): Range | null =>
  cutRanges(grid.selection, grid.extent).at(-1) ?? null;

type RowValues = (row: number) => ((fieldIndex: number, fieldId: string) => Value | undefined) | null;

const copyText = (grid: GridController, range: Range, valuesOf: RowValues, withNames: boolean): Copied => {
  const columns = grid.layout.columns.slice(range.left, range.right + 1);
  const rows: string[][] = withNames
    ? [columns.map((column) => (column.group ? `${column.group} › ${column.name}` : column.name))]
    : [];
  for (let row = range.top; row <= range.bottom; row++) {
    const values = valuesOf(row);
    if (!values) continue;
    rows.push(
      columns.map((column) => clipboardText(values(column.index, column.id), column.field, grid.settings)),
    );
  }
  return {
    text: toTsv(rows),
    html: toHtml(rows),
    cells: (rows.length - (withNames ? 1 : 0)) * columns.length,
  };
};

/** Text of the selection at once; null when some of its rows are not loaded. */
export const copyLoaded = (grid: GridController, withNames = false): Copied | null => {
  const range = copyRange(grid);
  if (!range || range.bottom - range.top > 50_000 || !isLoaded(grid, range)) return null;
  return copyText(
    grid,
    range,
    (row) => (grid.store.isGap(row) ? null : (_, fieldId) => grid.store.valueAt(row, fieldId)),
    withNames,
  );
};

/** Text of the selection, with what is not loaded fetched. */
export const copyAll = async (grid: GridController, withNames = false): Promise<Copied | null> => {
  const range = copyRange(grid);
  if (!range) return null;
  const cells = (range.right - range.left + 1) * (range.bottom - range.top + 1);
  if (cells > MAX_COPY_CELLS) {
    grid.announce(grid.translate('tooLargeToCopy', { count: MAX_COPY_CELLS }), 'warning');
    return null;
  }
  grid.announce(grid.translate('copying', { count: cells }));
  const width = range.right - range.left + 1;
  const tracker = grid.commands.track('copy', cells);
  const ids = await rowIds(grid, range.top, range.bottom, (rows) => {
    tracker.update(rows * width);
    return !tracker.isStopped;
  }).finally(() => tracker.end());
  if (tracker.isStopped) return null;
  const valuesOf: RowValues = (row) => {
    const found = ids.get(row);
    if (!found) return null;
    const { values } = found;
    return values ? (field) => values(field) : (_, fieldId) => grid.store.valueAt(row, fieldId);
  };
  return copyText(grid, range, valuesOf, withNames);
};

const isLoaded = (grid: GridController, range: Range): boolean => {
  for (let row = range.top; row <= range.bottom; row++) {
    if (!grid.store.rowAt(row) && !grid.store.isGap(row)) return false;
  }
  return true;
};
