import type { GridController } from '../controller.ts';
import { MAX_COLUMN_WIDTH, MIN_COLUMN_WIDTH } from '../column-layout.ts';
import {
  type Range,
  addCell,
  cutRanges,
  isCellSelected,
  selectAll,
  selectCell,
  selectCol,
  selectRow,
  stretchTo,
} from '../selection.ts';
import type { CellAt } from '../types.ts';
import type { Bubble } from './bubble.ts';
import type { Editor } from './editor.ts';
import { fillRange, fillTarget } from '../fill.ts';
import { Drags } from './drags.ts';
import { type GridView, HEADER_HEIGHT } from './grid-view.ts';

export type MenuPlace = { kind: 'cell' | 'row' | 'header'; at: CellAt; x: number; y: number };

export interface PointerTargets {
  grid: GridController;
  view: GridView;
  editor: Editor;
  bubble: Bubble;
  onMenu: (place: MenuPlace) => void;
  onUndoDelete: (rowId: string) => void;
  onColumnResized: () => void;
  /** Columns were dragged before column `before` (the number of columns = to the end). */
  onMoveColumns: (ids: readonly string[], before: number) => void;
  onAutosize: (ids: readonly string[]) => void;
  onSortLevel: (columnId: string) => void;
}

/** Held this long without moving opens the menu, by touch and by mouse. */
const LONG_PRESS_MS = 700;
const HOVER_MS = 350;
const RESIZE_ZONE = 5;
const MENU_ZONE = 26;
/** A press becomes a drag after this many pixels. */
const DRAG_START = 5;

/** Mouse, pen and touch: selecting, stretching, resizing columns, menus. */
export class Pointer {
  private readonly targets: PointerTargets;
  private readonly drags: Drags;
  private hoverTimer = 0;
  private pressTimer = 0;
  private wasHeld = false;

  constructor(targets: PointerTargets) {
    this.targets = targets;
    this.drags = new Drags(targets.view);
    const { scroller } = targets.view;
    scroller.addEventListener('pointerdown', this.handleDown);
    scroller.addEventListener('pointermove', this.handleHover);
    scroller.addEventListener('pointerleave', this.handleLeave);
    scroller.addEventListener('dblclick', this.handleDouble);
    scroller.addEventListener('contextmenu', this.handleMenu);
    scroller.addEventListener('touchend', this.handleTouchEnd);
  }

  dispose(): void {
    this.drags.cancel();
    clearTimeout(this.hoverTimer);
    clearTimeout(this.pressTimer);
  }

  private isOnScrollbar(event: MouseEvent): boolean {
    const { scroller } = this.targets.view;
    const box = scroller.getBoundingClientRect();
    return (
      event.clientX - box.left >= scroller.clientWidth || event.clientY - box.top >= scroller.clientHeight
    );
  }

  private readonly handleDown = (event: PointerEvent): void => {
    if (event.button !== 0 || this.isOnScrollbar(event)) return;
    const { grid, view, editor } = this.targets;
    this.noteKind(event);
    if (event.target === view.overlays.handle) {
      this.dragHandle(event);
      return;
    }
    const hit = view.hit(event.clientX, event.clientY);
    if (hit.area === 'none') return;
    // The field of the grid keeps the focus; the press itself must not move it.
    if (event.pointerType !== 'touch') event.preventDefault();
    if (editor.isEditing && !editor.commit()) {
      editor.focus();
      return;
    }
    if (event.pointerType === 'touch') {
      this.watchLongPress(event);
      this.tapOnRelease(event, hit.area, hit.at);
      return;
    }
    editor.focus();
    this.watchLongPress(event);
    const isAdding = event.ctrlKey || event.metaKey;
    if (hit.area === 'header') {
      this.pressHeader(event, hit.at.col, hit.x, isAdding);
      return;
    }
    if (hit.area === 'corner') {
      grid.select(selectAll(grid.selection));
      return;
    }
    if (hit.area === 'gutter' && this.isOnUndo(event, hit.at)) return;
    if (hit.area === 'gutter') {
      grid.select(
        event.shiftKey ? stretchTo(grid.selection, hit.at) : selectRow(grid.selection, hit.at.row, isAdding),
      );
    } else if (event.shiftKey) grid.select(stretchTo(grid.selection, hit.at));
    else grid.select(isAdding ? addCell(grid.selection, hit.at) : selectCell(hit.at));
    if (hit.area === 'cell') view.scrollToCell(hit.at);
    this.drags.start(
      (move) => {
        const to = view.hit(move.clientX, move.clientY).at;
        grid.select(stretchTo(grid.selection, to));
      },
      hit.area === 'gutter' ? 'rows' : 'both',
    );
  };

  private isOnUndo(event: PointerEvent, at: CellAt): boolean {
    const { grid, view } = this.targets;
    const row = grid.store.rowAt(at.row);
    const box = view.scroller.getBoundingClientRect();
    const isSign = event.clientX - box.left < 28;
    if (!row || row.state?.action !== 'delete' || !isSign) return false;
    this.targets.onUndoDelete(row.id);
    return true;
  }

  private pressHeader(event: PointerEvent, col: number, x: number, isAdding: boolean): void {
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

  /** The knob fills; by touch it widens the selection, since a finger's drag scrolls. */
  private dragHandle(event: PointerEvent): void {
    const { grid, view, editor } = this.targets;
    const source = cutRanges(grid.selection, grid.extent).at(-1);
    event.preventDefault();
    if (!source || (editor.isEditing && !editor.commit())) return;
    editor.focus();
    if (event.pointerType === 'touch') {
      this.drags.start(
        (move) => grid.select(stretchTo(grid.selection, view.hit(move.clientX, move.clientY).at)),
        'both',
      );
      return;
    }
    let isTurned = false;
    this.drags.start(
      (move) => {
        isTurned = move.ctrlKey || move.metaKey;
        view.overlays.fillPreview = fillTarget(source, view.hit(move.clientX, move.clientY).at);
        view.redrawOverlays();
      },
      'both',
      (isCancelled) => {
        const target = view.overlays.fillPreview;
        view.overlays.fillPreview = null;
        view.redrawOverlays();
        if (!target || isCancelled) return;
        const whole = union(source, target);
        grid.select({
          ranges: [whole],
          active: { row: source.top, col: source.left },
          anchor: { row: whole.top, col: whole.left },
        });
        void fillRange(grid, source, target, isTurned ? 'turned' : 'usual');
      },
    );
  }

  /** Knobs are larger after a touch. */
  private noteKind(event: PointerEvent): void {
    const { view } = this.targets;
    const isTouch = event.pointerType === 'touch';
    if (view.overlays.isTouch === isTouch) return;
    view.overlays.isTouch = isTouch;
    view.redrawOverlays();
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

  /** A finger that neither moved nor stayed: selects, and opens the editor at the second tap. */
  private tapOnRelease(event: PointerEvent, area: 'corner' | 'header' | 'gutter' | 'cell', at: CellAt): void {
    const { grid, editor } = this.targets;
    const { clientX, clientY } = event;
    const stop = (): void => {
      window.removeEventListener('pointerup', handleUp);
      window.removeEventListener('pointercancel', stop);
    };
    const handleUp = (up: PointerEvent): void => {
      stop();
      if (this.wasHeld || Math.hypot(up.clientX - clientX, up.clientY - clientY) > 8) return;
      if (area === 'gutter' && this.isOnUndo(up, at)) return;
      if (area === 'corner') grid.select(selectAll(grid.selection));
      else if (area === 'header') grid.select(selectCol(grid.selection, at.col));
      else if (area === 'gutter') grid.select(selectRow(grid.selection, at.row));
      else {
        const { active } = grid.selection;
        const isSame = active.row === at.row && active.col === at.col;
        grid.selectAt(at);
        if (isSame) editor.open();
      }
      editor.focus();
    };
    window.addEventListener('pointerup', handleUp);
    // The browser took the finger for scrolling.
    window.addEventListener('pointercancel', stop);
  }

  private watchLongPress(event: PointerEvent): void {
    clearTimeout(this.pressTimer);
    this.wasHeld = false;
    const { clientX, clientY } = event;
    const stop = (): void => {
      clearTimeout(this.pressTimer);
      window.removeEventListener('pointermove', cancel);
      window.removeEventListener('pointerup', stop);
      window.removeEventListener('pointercancel', stop);
    };
    const cancel = (move: PointerEvent): void => {
      if (Math.hypot(move.clientX - clientX, move.clientY - clientY) > 8) stop();
    };
    window.addEventListener('pointermove', cancel);
    window.addEventListener('pointerup', stop);
    window.addEventListener('pointercancel', stop);
    this.pressTimer = window.setTimeout(() => {
      stop();
      this.wasHeld = true;
      this.drags.cancel();
      this.openMenu(clientX, clientY);
    }, LONG_PRESS_MS);
  }

  private readonly handleDouble = (event: MouseEvent): void => {
    const { grid, view, editor } = this.targets;
    if (editor.isEditing || this.isOnScrollbar(event)) return;
    const hit = view.hit(event.clientX, event.clientY);
    if (hit.area === 'cell' && event.target !== view.overlays.handle) {
      grid.selectAt(hit.at);
      editor.open();
    }
    if (hit.area !== 'header') return;
    const edge = this.edgeAt(hit.at.col, hit.x);
    if (edge === null) return;
    // All selected columns get their fitting width together.
    const own = grid.selection.ranges.find((r) => r.kind === 'cols' && edge >= r.left && edge <= r.right);
    const columns = grid.layout.columns.slice(own?.left ?? edge, (own?.right ?? edge) + 1);
    this.targets.onAutosize(columns.map((column) => column.id));
  };

  /** The column whose right edge is at a place of the header; null when none is near. */
  private edgeAt(col: number, x: number): number | null {
    const { lefts } = this.targets.grid.layout;
    const left = lefts[col] ?? 0;
    const right = lefts[col + 1] ?? 0;
    if (right - x <= RESIZE_ZONE) return col;
    return x - left <= RESIZE_ZONE && col > 0 ? col - 1 : null;
  }

  /** The mouse events that browsers make of a touch would close the menu that it opened. */
  private readonly handleTouchEnd = (event: TouchEvent): void => {
    if (this.wasHeld) event.preventDefault();
  };

  private readonly handleMenu = (event: MouseEvent): void => {
    if (this.isOnScrollbar(event)) return;
    event.preventDefault();
    this.openMenu(event.clientX, event.clientY);
  };

  private openMenu(x: number, y: number): void {
    const { grid, view, editor } = this.targets;
    const hit = view.hit(x, y);
    if (hit.area === 'none' || hit.area === 'corner') return;
    if (editor.isEditing && !editor.commit()) return;
    const kind = hit.area === 'header' ? 'header' : hit.area === 'gutter' ? 'row' : 'cell';
    const isRowChosen = grid.selection.ranges.some(
      (r) => (r.kind === 'rows' || r.kind === 'all') && hit.at.row >= r.top && hit.at.row <= r.bottom,
    );
    if (kind === 'row' && !isRowChosen) {
      grid.select(selectRow(grid.selection, hit.at.row));
    }
    if (kind === 'cell' && !isCellSelected(grid.selection, hit.at.row, hit.at.col)) grid.selectAt(hit.at);
    editor.focus();
    this.targets.onMenu({ kind, at: hit.at, x, y });
  }

  private readonly handleHover = (event: PointerEvent): void => {
    if (event.pointerType === 'touch' || this.drags.isOn) return;
    const { grid, view, editor, bubble } = this.targets;
    const hit = view.hit(event.clientX, event.clientY);
    view.scroller.style.cursor = this.cursorOf(hit);
    clearTimeout(this.hoverTimer);
    // On the way to its buttons the note stays what it is.
    if (hit.area !== 'cell' || editor.isEditing || bubble.covers(event.clientX, event.clientY)) return;
    const { cell } = bubble;
    if (cell && cell.row === hit.at.row && cell.col === hit.at.col) return;
    this.hoverTimer = window.setTimeout(() => {
      const note = grid.noteAt(hit.at);
      if (note) bubble.show(note, hit.at);
      else this.showActiveNote();
    }, HOVER_MS);
  };

  private readonly handleLeave = (): void => {
    clearTimeout(this.hoverTimer);
  };

  /** The bubble goes back to the focused cell when nothing is hovered. */
  showActiveNote(): void {
    const { grid, bubble, editor } = this.targets;
    if (editor.isEditing) return;
    const note = grid.noteAt(grid.selection.active);
    if (note) bubble.show(note, grid.selection.active);
    else bubble.hide();
  }

  private cursorOf(hit: ReturnType<GridView['hit']>): string {
    if (hit.area !== 'header') return hit.area === 'cell' ? 'cell' : 'default';
    return this.edgeAt(hit.at.col, hit.x) === null ? 'default' : 'col-resize';
  }
}

const union = (a: Range, b: Range): Range => ({
  kind: 'cells',
  top: Math.min(a.top, b.top),
  left: Math.min(a.left, b.left),
  bottom: Math.max(a.bottom, b.bottom),
  right: Math.max(a.right, b.right),
});
