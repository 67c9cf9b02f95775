import { type ColumnLayout, columnAt } from '../column-layout.ts';
import type { GridController } from '../controller.ts';
import type { CellAt } from '../types.ts';
import type { ColumnWindow } from './row-slot.ts';

export const HEADER_HEIGHT = 32;
const OVERSCAN_COLUMNS = 1;

/** Pixels of the grid's element. */
export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What the view shows of the grid now, in pixels. */
export interface ViewFrame {
  grid: GridController;
  /** Pinned columns. */
  pinned: number;
  gutterWidth: number;
  pinnedWidth: number;
  scrollLeft: number;
  viewTop: number;
  width: number;
  height: number;
}

/** What lies at a point; `x` counts from the first column. */
export interface Hit {
  area: 'corner' | 'header' | 'gutter' | 'cell' | 'none';
  at: CellAt;
  x: number;
}

export const rectOf = (frame: ViewFrame, at: CellAt): Rect => {
  const { layout, rowHeight } = frame.grid;
  const shift = at.col < frame.pinned ? 0 : frame.scrollLeft;
  return {
    left: frame.gutterWidth + (layout.lefts[at.col] ?? 0) - shift,
    top: HEADER_HEIGHT + at.row * rowHeight - frame.viewTop,
    width: layout.widths[at.col] ?? 0,
    height: rowHeight,
  };
};

export const isInSight = (frame: ViewFrame, at: CellAt): boolean => {
  const rect = rectOf(frame, at);
  return (
    rect.top >= HEADER_HEIGHT - 1 &&
    rect.top + rect.height <= frame.height + 1 &&
    (at.col < frame.pinned || (rect.left >= frame.pinnedWidth - 1 && rect.left < frame.width))
  );
};

/** `x` and `y` count from the corner of the grid's element. */
export const hitAt = (frame: ViewFrame, x: number, y: number): Hit => {
  const { layout, rowHeight, extent } = frame.grid;
  const row = Math.floor((y - HEADER_HEIGHT + frame.viewTop) / rowHeight);
  const isPinned = x < frame.pinnedWidth;
  const contentX = isPinned ? x - frame.gutterWidth : x - frame.gutterWidth + frame.scrollLeft;
  const col = columnAt(layout, Math.max(0, contentX));
  const at = { row: Math.max(0, Math.min(row, extent.rows - 1)), col };
  const isBeyond = contentX > (layout.lefts.at(-1) ?? 0) || row >= extent.rows;
  if (y < HEADER_HEIGHT) {
    if (x < frame.gutterWidth) return { area: 'corner', at, x: contentX };
    return { area: contentX > (layout.lefts.at(-1) ?? 0) ? 'none' : 'header', at, x: contentX };
  }
  if (isBeyond || extent.rows === 0) return { area: 'none', at, x: contentX };
  return { area: x < frame.gutterWidth ? 'gutter' : 'cell', at, x: contentX };
};

/** Which columns are drawn; `before`: the window drawn last. */
export const columnWindow = (frame: ViewFrame, before: ColumnWindow): ColumnWindow => {
  const { pinned } = frame;
  const { layout } = frame.grid;
  const left = frame.scrollLeft + (layout.lefts[pinned] ?? 0);
  const right = left + frame.width - frame.pinnedWidth;
  const first = Math.max(pinned, columnAt(layout, left) - OVERSCAN_COLUMNS);
  const last = Math.min(layout.columns.length - 1, columnAt(layout, right) + OVERSCAN_COLUMNS);
  const count = Math.max(0, last - first + 1);
  // A ring that never shrinks keeps columns in their slots while scrolling sideways.
  const isSame = before.size >= count && before.size <= count + 4;
  return { pinned, first, last, size: Math.max(1, isSame ? before.size : count + 1) };
};

/** Width of the row numbers and the marks beside them, in px. */
export const gutterFor = (rows: number): number =>
  26 + Math.max(38, 16 + String(Math.max(1, rows)).length * 7);

/** Pinned columns must leave room for the others; the first one stays whatever its width. */
export function fittingPins({ pinned, lefts }: ColumnLayout, gutterWidth: number, width: number): number {
  let count = pinned;
  while (count > 1 && gutterWidth + (lefts[count] ?? 0) > width * 0.7) count--;
  return count;
}

/** Smallest movement sideways that brings a column into sight, as the scroller's new left. */
export function revealLeft({ grid, pinned, pinnedWidth, scrollLeft, width }: ViewFrame, col: number): number {
  if (col < pinned) return scrollLeft;
  const { lefts, widths } = grid.layout;
  const left = (lefts[col] ?? 0) - (lefts[pinned] ?? 0);
  const right = left + (widths[col] ?? 0);
  const room = width - pinnedWidth;
  // The pinned pane hides what lies under it: a column counts from its right edge on.
  if (left < scrollLeft) return left;
  return right > scrollLeft + room ? Math.min(left, right - room) : scrollLeft;
}

/** Where the drop line of a dragged column stands: before column `col`. */
export function dropLeft({ grid, pinned, gutterWidth, scrollLeft }: ViewFrame, col: number): number {
  const isPinned = col <= pinned && (col < pinned || scrollLeft > 0);
  return gutterWidth + (grid.layout.lefts[col] ?? 0) - (isPinned ? 0 : scrollLeft);
}
