import type { Value } from '@sluice/contract';
import { htmlOf, htmlRow, tsvLine, tsvOf } from './clipboard.ts';
import type { GridController } from './controller.ts';
import { clipboardText } from './format-value.ts';
import { visitRows } from './found-rows.ts';
import { type Range, cutRanges } from './selection.ts';

/** Most cells of one copy; whoever wants more is told to export. */
const MAX_COPY_CELLS = 1_000_000;
/** Cells that are copied at once when they are loaded; others and more take a while and tell how far they are. */
const MAX_COPY_AT_ONCE = 50_000;
/** The form as a table takes ten times as much room as the text. */
const MAX_HTML_CELLS = 200_000;

export interface Copied {
  text: string;
  /** Null where it would be too large: see `isCopiedAsTable`. */
  html: string | null;
  cells: number;
}

/** The range that copying takes: the last one. */
const copyRange = (grid: GridController): Range | null =>
  cutRanges(grid.selection, grid.extent).at(-1) ?? null;

const cellsOf = (range: Range): number => (range.right - range.left + 1) * (range.bottom - range.top + 1);

/** Whether the selection goes out as a table too, beside the text. */
export const isCopiedAsTable = (grid: GridController): boolean => {
  const range = copyRange(grid);
  return range !== null && cellsOf(range) <= MAX_HTML_CELLS;
};

/** The forms of a copied block, row by row. */
class CopiedRows {
  private readonly columns: GridController['columns'];
  private readonly lines: string[] = [];
  private readonly html: string[] | null;
  private rows = 0;
  private readonly grid: GridController;

  constructor(grid: GridController, range: Range, withNames: boolean) {
    this.grid = grid;
    this.columns = grid.layout.columns.slice(range.left, range.right + 1);
    this.html = cellsOf(range) <= MAX_HTML_CELLS ? [] : null;
    if (withNames) this.write(this.columns.map(({ group, name }) => (group ? `${group} › ${name}` : name)));
  }

  add(valueOf: (fieldIndex: number, fieldId: string) => Value | undefined): void {
    this.rows++;
    this.write(
      this.columns.map(({ index, id, field }) =>
        clipboardText(valueOf(index, id), field, this.grid.settings),
      ),
    );
  }

  private write(cells: readonly string[]): void {
    this.lines.push(tsvLine(cells));
    this.html?.push(htmlRow(cells));
  }

  finish(): Copied {
    return {
      text: tsvOf(this.lines),
      html: this.html && htmlOf(this.html),
      cells: this.rows * this.columns.length,
    };
  }
}

/** Text of the selection at once; null when some of its rows are not loaded, or it is large. */
export const copyLoaded = (grid: GridController, withNames = false): Copied | null => {
  const { store } = grid;
  const range = copyRange(grid);
  if (!range || cellsOf(range) > MAX_COPY_AT_ONCE) return null;
  const rows = new CopiedRows(grid, range, withNames);
  for (let row = range.top; row <= range.bottom; row++) {
    const id = store.idAt(row);
    if (id === undefined) return null;
    if (id !== null) rows.add((_, fieldId) => store.valueAt(row, fieldId));
  }
  return rows.finish();
};

/** Text of the selection, with what is not loaded fetched; null when it was stopped or may not be. */
export const copyAll = async (grid: GridController, withNames = false): Promise<Copied | null> => {
  const { store } = grid;
  const range = copyRange(grid);
  if (!range) return null;
  // Nobody means the rows that happen to be known when he chooses all of them.
  if (store.total === null && range.kind !== 'cells' && range.kind !== 'rows') {
    grid.announce(grid.translate('stillCounting'), 'info');
    return null;
  }
  const cells = cellsOf(range);
  if (cells > MAX_COPY_CELLS) {
    grid.announce(grid.translate('tooLargeToCopy', { count: MAX_COPY_CELLS }), 'warning');
    return null;
  }
  grid.announce(grid.translate('copying', { count: cells }));
  const width = range.right - range.left + 1;
  const copied = new CopiedRows(grid, range, withNames);
  const tracker = grid.commands.track('copy', cells);
  try {
    await visitRows(
      grid,
      range.top,
      range.bottom,
      (_, { id, values }) => copied.add(values ?? ((__, fieldId) => store.valueOf(id, fieldId))),
      (rows) => {
        tracker.update(rows * width);
        return !tracker.isStopped;
      },
    );
  } finally {
    tracker.end();
  }
  return tracker.isStopped ? null : copied.finish();
};
