import type { GridController } from '../controller.ts';
import { MAX_COLUMN_WIDTH, MIN_COLUMN_WIDTH } from '../column-layout.ts';
import {
  addCell,
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
}

/** Touch: held this long without moving opens the menu. */
const LONG_PRESS_MS = 700;
const HOVER_MS = 350;
const RESIZE_ZONE = 5;
const MENU_ZONE = 26;

/** Mouse, pen and touch: selecting, stretching, resizing columns, menus. */
export class Pointer {
  private readonly targets: PointerTargets;
  private dragEnd: (() => void) | null = null;
  private autoscroll = 0;
  private lastEvent: PointerEvent | null = null;
  private hoverTimer = 0;
  private pressTimer = 0;

  constructor(targets: PointerTargets) {
    this.targets = targets;
    const { scroller } = targets.view;
    scroller.addEventListener('pointerdown', this.handleDown);
    scroller.addEventListener('pointermove', this.handleHover);
    scroller.addEventListener('pointerleave', this.handleLeave);
    scroller.addEventListener('dblclick', this.handleDouble);
    scroller.addEventListener('contextmenu', this.handleMenu);
  }

  dispose(): void {
    this.dragEnd?.();
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
      if (hit.area === 'cell') this.tapOnRelease(hit.at);
      return;
    }
    editor.focus();
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
    this.drag((move) => {
      const to = view.hit(move.clientX, move.clientY).at;
      grid.select(stretchTo(grid.selection, to));
    }, true);
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
    const resized = right - x <= RESIZE_ZONE ? col : x - left <= RESIZE_ZONE && col > 0 ? col - 1 : null;
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
    grid.select(
      event.shiftKey ? stretchTo(grid.selection, { row: 0, col }) : selectCol(grid.selection, col, isAdding),
    );
    this.drag((move) => {
      const to = view.hit(move.clientX, move.clientY).at;
      grid.select(stretchTo(grid.selection, to));
    }, true);
  }

  private resize(event: PointerEvent, col: number): void {
    const { grid } = this.targets;
    const column = grid.columnAt(col);
    const start = grid.layout.widths[col] ?? 0;
    const from = event.clientX;
    if (!column) return;
    this.drag(
      (move) => {
        const width = Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_COLUMN_WIDTH, start + move.clientX - from));
        grid.resizeColumn(column.id, Math.round(width));
      },
      false,
      () => this.targets.onColumnResized(),
    );
  }

  /** Follows the pointer until it is released; at the edges the grid scrolls along. */
  private drag(onMove: (event: PointerEvent) => void, isScrolling: boolean, onEnd?: () => void): void {
    this.dragEnd?.();
    const handleMove = (event: PointerEvent): void => {
      this.lastEvent = event;
      onMove(event);
    };
    const tick = (): void => {
      this.autoscroll = requestAnimationFrame(tick);
      if (!this.lastEvent || !isScrolling) return;
      const { view } = this.targets;
      const box = view.scroller.getBoundingClientRect();
      const { clientX, clientY } = this.lastEvent;
      const y = pull(clientY, box.top + HEADER_HEIGHT, box.top + view.scroller.clientHeight);
      const x = pull(clientX, box.left + view.gutterWidth, box.left + view.scroller.clientWidth);
      if (x === 0 && y === 0) return;
      view.scrollBy(x, y);
      onMove(this.lastEvent);
    };
    this.dragEnd = () => {
      window.removeEventListener('pointermove', handleMove);
      cancelAnimationFrame(this.autoscroll);
      this.lastEvent = null;
      this.dragEnd = null;
      onEnd?.();
    };
    window.addEventListener('pointermove', handleMove);
    window.addEventListener('pointerup', () => this.dragEnd?.(), { once: true });
    window.addEventListener('pointercancel', () => this.dragEnd?.(), { once: true });
    this.autoscroll = requestAnimationFrame(tick);
  }

  private tapOnRelease(at: CellAt): void {
    const { grid, editor, view } = this.targets;
    const start = view.scroller.scrollTop;
    window.addEventListener(
      'pointerup',
      () => {
        clearTimeout(this.pressTimer);
        if (Math.abs(view.scroller.scrollTop - start) > 4) return;
        const { active } = grid.selection;
        const isSame = active.row === at.row && active.col === at.col;
        grid.selectAt(at);
        editor.focus();
        if (isSame) editor.open();
      },
      { once: true },
    );
  }

  private watchLongPress(event: PointerEvent): void {
    clearTimeout(this.pressTimer);
    const { clientX, clientY } = event;
    const cancel = (move: PointerEvent): void => {
      if (Math.hypot(move.clientX - clientX, move.clientY - clientY) > 8) clearTimeout(this.pressTimer);
    };
    window.addEventListener('pointermove', cancel);
    this.pressTimer = window.setTimeout(() => this.openMenu(clientX, clientY), LONG_PRESS_MS);
    window.addEventListener('pointerup', () => window.removeEventListener('pointermove', cancel), {
      once: true,
    });
  }

  private readonly handleDouble = (event: MouseEvent): void => {
    const { grid, view, editor } = this.targets;
    if (editor.isEditing) return;
    const hit = view.hit(event.clientX, event.clientY);
    if (hit.area === 'cell' && !this.isOnScrollbar(event)) {
      grid.selectAt(hit.at);
      editor.open();
    }
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
    if (kind === 'row' && !grid.selection.ranges.some((r) => hit.at.row >= r.top && hit.at.row <= r.bottom)) {
      grid.select(selectRow(grid.selection, hit.at.row));
    }
    if (kind === 'cell' && !isCellSelected(grid.selection, hit.at.row, hit.at.col)) grid.selectAt(hit.at);
    editor.focus();
    this.targets.onMenu({ kind, at: hit.at, x, y });
  }

  private readonly handleHover = (event: PointerEvent): void => {
    if (event.pointerType === 'touch' || this.dragEnd) return;
    const { grid, view, editor, bubble } = this.targets;
    const hit = view.hit(event.clientX, event.clientY);
    view.scroller.style.cursor = this.cursorOf(hit);
    clearTimeout(this.hoverTimer);
    if (hit.area !== 'cell' || editor.isEditing) return;
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
    const { lefts } = this.targets.grid.layout;
    const left = lefts[hit.at.col] ?? 0;
    const right = lefts[hit.at.col + 1] ?? 0;
    const isEdge = right - hit.x <= RESIZE_ZONE || (hit.x - left <= RESIZE_ZONE && hit.at.col > 0);
    return isEdge ? 'col-resize' : 'default';
  }
}

const pull = (at: number, low: number, high: number): number => {
  if (at < low) return Math.max(-60, (at - low) / 2);
  if (at > high) return Math.min(60, (at - high) / 2);
  return 0;
};
