import type { CellAt } from './types.ts';

/**
 * Selected cells as a short list of rectangles. Whole rows and columns are rectangles too, open to the far side,
 * so that a column of a million rows costs one object.
 */
export interface Range {
  kind: 'cells' | 'rows' | 'cols' | 'all';
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Selection {
  ranges: readonly Range[];
  /** The cell that has the focus; lies in the last range. */
  active: CellAt;
  /** The fixed corner while the last range is being stretched. */
  anchor: CellAt;
}

export interface Extent {
  rows: number;
  cols: number;
}

const OPEN = Number.MAX_SAFE_INTEGER;

const rangeOfCell = (at: CellAt): Range => ({
  kind: 'cells',
  top: at.row,
  bottom: at.row,
  left: at.col,
  right: at.col,
});

export const startSelection: Selection = {
  ranges: [rangeOfCell({ row: 0, col: 0 })],
  active: { row: 0, col: 0 },
  anchor: { row: 0, col: 0 },
};

const between = (a: CellAt, b: CellAt): Range => ({
  kind: 'cells',
  top: Math.min(a.row, b.row),
  bottom: Math.max(a.row, b.row),
  left: Math.min(a.col, b.col),
  right: Math.max(a.col, b.col),
});

export const clampCell = (at: CellAt, extent: Extent): CellAt => ({
  row: Math.max(0, Math.min(at.row, extent.rows - 1)),
  col: Math.max(0, Math.min(at.col, extent.cols - 1)),
});

/** Cuts a range to what is there now; null when nothing of it is left. */
export const cutRange = (range: Range, extent: Extent): Range | null => {
  const cut = {
    ...range,
    bottom: Math.min(range.bottom, extent.rows - 1),
    right: Math.min(range.right, extent.cols - 1),
  };
  return cut.bottom < cut.top || cut.right < cut.left ? null : cut;
};

export const cutRanges = (selection: Selection, extent: Extent): Range[] =>
  selection.ranges.flatMap((range) => cutRange(range, extent) ?? []);

export const selectCell = (at: CellAt): Selection => ({ ranges: [rangeOfCell(at)], active: at, anchor: at });

/** Ctrl + click: another range, the earlier ones stay. */
export const addCell = (selection: Selection, at: CellAt): Selection => ({
  ranges: [...selection.ranges, rangeOfCell(at)],
  active: at,
  anchor: at,
});

const replaceLast = (selection: Selection, range: Range): Selection => ({
  ...selection,
  ranges: [...selection.ranges.slice(0, -1), range],
});

/** Shift + click, Shift + arrows, drag: the last range reaches from the anchor to `to`. */
export const stretchTo = (selection: Selection, to: CellAt): Selection => {
  const last = selection.ranges.at(-1);
  if (last?.kind === 'rows') return replaceLast(selection, rowsRange(selection.anchor.row, to.row));
  if (last?.kind === 'cols') return replaceLast(selection, colsRange(selection.anchor.col, to.col));
  return replaceLast(selection, between(selection.anchor, to));
};

/** The far corner of the last range, seen from the anchor: what Shift + arrow moves. */
export const movingCorner = (selection: Selection): CellAt => {
  const last = selection.ranges.at(-1) ?? rangeOfCell(selection.active);
  return {
    row: last.top === selection.anchor.row && last.kind !== 'cols' ? last.bottom : last.top,
    col: last.left === selection.anchor.col && last.kind !== 'rows' ? last.right : last.left,
  };
};

const rowsRange = (a: number, b: number): Range => ({
  kind: 'rows',
  top: Math.min(a, b),
  bottom: Math.max(a, b),
  left: 0,
  right: OPEN,
});

const colsRange = (a: number, b: number): Range => ({
  kind: 'cols',
  top: 0,
  bottom: OPEN,
  left: Math.min(a, b),
  right: Math.max(a, b),
});

const withRange = (selection: Selection, range: Range, at: CellAt, isAdded: boolean): Selection => ({
  ranges: isAdded ? [...selection.ranges, range] : [range],
  active: at,
  anchor: at,
});

export const selectRow = (selection: Selection, row: number, isAdded = false): Selection =>
  withRange(selection, rowsRange(row, row), { row, col: isAdded ? 0 : selection.active.col }, isAdded);

export const selectCol = (selection: Selection, col: number, isAdded = false): Selection =>
  withRange(selection, colsRange(col, col), { row: selection.active.row, col }, isAdded);

/** Shift + Space and Ctrl + K: the rows or columns of the current range. */
export const widenToRows = (selection: Selection): Selection => {
  const last = selection.ranges.at(-1) ?? rangeOfCell(selection.active);
  return replaceLast(selection, rowsRange(last.top, last.bottom));
};
export const widenToCols = (selection: Selection): Selection => {
  const last = selection.ranges.at(-1) ?? rangeOfCell(selection.active);
  return replaceLast(selection, colsRange(last.left, last.right));
};

export const selectAll = (selection: Selection): Selection => ({
  ...selection,
  ranges: [{ kind: 'all', top: 0, left: 0, bottom: OPEN, right: OPEN }],
});

export const isCellSelected = (selection: Selection, row: number, col: number): boolean =>
  selection.ranges.some((r) => row >= r.top && row <= r.bottom && col >= r.left && col <= r.right);

export const isSingleCell = (selection: Selection): boolean => {
  const [only, another] = selection.ranges;
  return !!only && !another && only.top === only.bottom && only.left === only.right;
};

/** Every selected row, whatever the columns. */
export const selectedRowSpans = (selection: Selection, extent: Extent): { top: number; bottom: number }[] => {
  const spans = cutRanges(selection, extent)
    .map(({ top, bottom }) => ({ top, bottom }))
    .sort((a, b) => a.top - b.top);
  const merged: { top: number; bottom: number }[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span.top <= last.bottom + 1) last.bottom = Math.max(last.bottom, span.bottom);
    else merged.push({ ...span });
  }
  return merged;
};

/** Rows selected as rows (or all), which is what Delete and the row commands act on. */
export const hasWholeRows = (selection: Selection): boolean =>
  selection.ranges.length > 0 && selection.ranges.every((r) => r.kind === 'rows' || r.kind === 'all');

/** Cells in the union of the ranges; overlaps count once. */
export const countCells = (selection: Selection, extent: Extent): number => {
  const ranges = cutRanges(selection, extent);
  if (ranges.length === 1) {
    const [r] = ranges;
    return r ? (r.bottom - r.top + 1) * (r.right - r.left + 1) : 0;
  }
  const edges = [...new Set(ranges.flatMap((r) => [r.top, r.bottom + 1]))].sort((a, b) => a - b);
  let sum = 0;
  for (let i = 0; i + 1 < edges.length; i++) {
    const from = edges[i] ?? 0;
    const to = edges[i + 1] ?? 0;
    const spans = ranges
      .filter((r) => r.top <= from && r.bottom >= from)
      .map((r) => [r.left, r.right] as const)
      .sort((a, b) => a[0] - b[0]);
    let reach = -1;
    for (const [left, right] of spans) {
      if (right <= reach) continue;
      sum += (right - Math.max(left, reach + 1) + 1) * (to - from);
      reach = right;
    }
  }
  return sum;
};
