import { MAX_COLUMN_WIDTH, MIN_COLUMN_WIDTH } from '../column-layout.ts';
import { selectCol, stretchTo } from '../selection.ts';
import type { Drags } from './drags.ts';
import { HEADER_HEIGHT } from './places.ts';
import type { PointerTargets } from './pointer-targets.ts';

const RESIZE_ZONE = 5;
const MENU_ZONE = 26;
/** A press becomes a drag after this many pixels. */
const DRAG_START = 5;

/** Presses on the headers: choosing, moving and resizing columns, their menus, levels of the order. */
export class HeaderPointer {
  private readonly targets: PointerTargets;
  private readonly drags: Drags;

  constructor(targets: PointerTargets, drags: Drags) {
    this.targets = targets;
    this.drags = drags;
  }

  press(event: PointerEvent, col: number, x: number, isAdding: boolean): void {
    const { grid, view } = this.targets;
    const { lefts } = grid.layout;
    const left = lefts[col] ?? 0;
    const right = lefts[col + 1] ?? 0;
    const resized = this.edgeAt(col, x);
    if (resized !== null) {
      this.resize(event, resized);
      return;
    }
    const column = grid.columnAt(col);
    const isEnd = column?.align === 'end';
    const isMenu = isEnd ? x - left < MENU_ZONE : right - x < MENU_ZONE;
    if (isMenu) {
      const box = view.scroller.getBoundingClientRect();
      const rect = view.cellRect({ row: 0, col });
      this.targets.onMenu({
        kind: 'header',
        at: { row: 0, col },
        x: box.left + rect.left,
        y: box.top + HEADER_HEIGHT,
      });
      return;
    }
    if (event.shiftKey) {
      this.stretchOrSort(event, col);
      return;
    }
    const isChosen = grid.selection.ranges.some((r) => r.kind === 'cols' && col >= r.left && col <= r.right);
    if (!isChosen || isAdding) grid.select(selectCol(grid.selection, col, isAdding));
    this.moveColumns(event, col);
  }

  /** Shift + click makes a column the next level of the order; Shift + drag selects columns. */
  private stretchOrSort(event: PointerEvent, col: number): void {
    const { grid, view } = this.targets;
    let hasMoved = false;
    this.drags.start(
      (move) => {
        const to = view.hit(move.clientX, move.clientY).at.col;
        if (!hasMoved && Math.abs(move.clientX - event.clientX) < DRAG_START) return;
        if (!hasMoved) grid.select(selectCol(grid.selection, col));
        hasMoved = true;
        grid.select(stretchTo(grid.selection, { row: 0, col: to }));
      },
      'columns',
      () => {
        const column = grid.columnAt(col);
        if (!hasMoved && column) this.targets.onSortLevel(column.id);
      },
    );
  }

  /** Dragging a header moves its column, or all selected ones when it is among them. */
  private moveColumns(event: PointerEvent, col: number): void {
    const { grid, view } = this.targets;
    const own = grid.selection.ranges.find((r) => r.kind === 'cols' && col >= r.left && col <= r.right);
    const moved = grid.layout.columns.slice(own?.left ?? col, (own?.right ?? col) + 1);
    let before: number | null = null;
    this.drags.start(
      (move) => {
        if (before === null && Math.abs(move.clientX - event.clientX) < DRAG_START) return;
        const { at, x } = view.hit(move.clientX, move.clientY);
        const { lefts, widths } = grid.layout;
        before = at.col + (x > (lefts[at.col] ?? 0) + (widths[at.col] ?? 0) / 2 ? 1 : 0);
        view.showDrop(before);
        const [first] = moved;
        view.columnDrag.showGhost(
          moved.length > 1 ? `${first?.name ?? ''} + ${moved.length - 1}` : (first?.name ?? ''),
          move.clientX,
          move.clientY,
        );
      },
      'columns',
      (isCancelled) => {
        view.showDrop(null);
        view.columnDrag.showGhost(null);
        if (before !== null && !isCancelled)
          this.targets.onMoveColumns(
            moved.map((column) => column.id),
            before,
          );
        else if (before === null) grid.select(selectCol(grid.selection, col, event.ctrlKey || event.metaKey));
      },
    );
  }

  private resize(event: PointerEvent, col: number): void {
    const { grid } = this.targets;
    const column = grid.columnAt(col);
    const start = grid.layout.widths[col] ?? 0;
    const from = event.clientX;
    if (!column) return;
    this.drags.start(
      (move) => {
        const width = Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_COLUMN_WIDTH, start + move.clientX - from));
        grid.resizeColumn(column.id, Math.round(width));
      },
      'none',
      () => this.targets.onColumnResized(),
    );
  }

  /** All selected columns get their fitting width together. */
  autosize(edge: number): void {
    const { grid } = this.targets;
    const own = grid.selection.ranges.find((r) => r.kind === 'cols' && edge >= r.left && edge <= r.right);
    const columns = grid.layout.columns.slice(own?.left ?? edge, (own?.right ?? edge) + 1);
    this.targets.onAutosize(columns.map((column) => column.id));
  }

  /** The column whose right edge is at a place of the header; null when none is near. */
  edgeAt(col: number, x: number): number | null {
    const { lefts } = this.targets.grid.layout;
    const left = lefts[col] ?? 0;
    const right = lefts[col + 1] ?? 0;
    if (right - x <= RESIZE_ZONE) return col;
    return x - left <= RESIZE_ZONE && col > 0 ? col - 1 : null;
  }
}
