import {
  type Extent,
  type Selection,
  clampCell,
  cutRange,
  isSingleCell,
  movingCorner,
  selectCell,
  stretchTo,
} from './selection.ts';
import type { CellAt } from './types.ts';

export type Move =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageUp'
  | 'pageDown'
  | 'rowStart'
  | 'rowEnd'
  | 'firstRow'
  | 'lastRow'
  | 'firstCell'
  | 'lastCell';

const target = (from: CellAt, move: Move, extent: Extent, pageRows: number): CellAt => {
  const { row, col } = from;
  switch (move) {
    case 'up':
      return { row: row - 1, col };
    case 'down':
      return { row: row + 1, col };
    case 'left':
      return { row, col: col - 1 };
    case 'right':
      return { row, col: col + 1 };
    case 'pageUp':
      return { row: row - pageRows, col };
    case 'pageDown':
      return { row: row + pageRows, col };
    case 'rowStart':
      return { row, col: 0 };
    case 'rowEnd':
      return { row, col: extent.cols - 1 };
    case 'firstRow':
      return { row: 0, col };
    case 'lastRow':
      return { row: extent.rows - 1, col };
    case 'firstCell':
      return { row: 0, col: 0 };
    case 'lastCell':
      return { row: extent.rows - 1, col: extent.cols - 1 };
  }
};

/** Arrow keys and their kin. With `isStretching` (Shift) the range grows, else a single cell is selected. */
export const moveSelection = (
  selection: Selection,
  move: Move,
  extent: Extent,
  pageRows: number,
  isStretching: boolean,
): Selection => {
  if (!isStretching) return selectCell(clampCell(target(selection.active, move, extent, pageRows), extent));
  const corner = clampCell(movingCorner(selection), extent);
  return stretchTo(selection, clampCell(target(corner, move, extent, pageRows), extent));
};

/** The keys of movement, by platform-neutral event fields; null when it is not one. */
export const moveOfKey = (event: { key: string; ctrlKey: boolean; metaKey: boolean }): Move | null => {
  const isJump = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case 'ArrowUp':
      return isJump ? 'firstRow' : 'up';
    case 'ArrowDown':
      return isJump ? 'lastRow' : 'down';
    case 'ArrowLeft':
      return isJump ? 'rowStart' : 'left';
    case 'ArrowRight':
      return isJump ? 'rowEnd' : 'right';
    case 'PageUp':
      return 'pageUp';
    case 'PageDown':
      return 'pageDown';
    case 'Home':
      return isJump ? 'firstCell' : 'rowStart';
    case 'End':
      return isJump ? 'lastCell' : 'rowEnd';
    default:
      return null;
  }
};

/**
 * Tab and Enter. Inside a selected range they go round in it; else Tab goes on at the next row's start and
 * Enter returns to the column where a run of Tabs began (`homeCol`). Null = nothing further: focus may leave.
 */
export const stepSelection = (
  selection: Selection,
  axis: 'tab' | 'enter',
  direction: 1 | -1,
  extent: Extent,
  homeCol: number | null,
): Selection | null => {
  const { row, col } = selection.active;
  const last = selection.ranges.at(-1);
  const range = last && !isSingleCell(selection) ? cutRange(last, extent) : null;
  if (range) return { ...selection, active: stepInside(range, selection.active, axis, direction) };
  if (axis === 'enter') {
    return selectCell(clampCell({ row: row + direction, col: homeCol ?? col }, extent));
  }
  const next = col + direction;
  if (next >= 0 && next < extent.cols) return selectCell({ row, col: next });
  const nextRow = row + direction;
  if (nextRow < 0 || nextRow >= extent.rows) return null;
  return selectCell({ row: nextRow, col: direction > 0 ? 0 : extent.cols - 1 });
};

const stepInside = (
  range: { top: number; left: number; bottom: number; right: number },
  active: CellAt,
  axis: 'tab' | 'enter',
  direction: 1 | -1,
): CellAt => {
  const width = range.right - range.left + 1;
  const height = range.bottom - range.top + 1;
  const size = width * height;
  const r = active.row - range.top;
  const c = active.col - range.left;
  const at = axis === 'tab' ? r * width + c : c * height + r;
  const next = (at + direction + size) % size;
  return axis === 'tab'
    ? { row: range.top + Math.floor(next / width), col: range.left + (next % width) }
    : { row: range.top + (next % height), col: range.left + Math.floor(next / height) };
};
