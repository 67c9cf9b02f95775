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
import { fillRange, fillTarget } from '../fill.ts';
import { Drags } from './drags.ts';
import type { GridView } from './grid-view.ts';
import { HeaderPointer } from './header-pointer.ts';
import type { PointerTargets } from './pointer-targets.ts';

/** Held this long without moving opens the menu, by touch and by mouse. */
const LONG_PRESS_MS = 700;
const HOVER_MS = 350;

/** Mouse, pen and touch: selecting, stretching, resizing columns, menus. */
export class Pointer {
  private readonly targets: PointerTargets;
  private readonly drags: Drags;
  private readonly header: HeaderPointer;
  private hoverTimer = 0;
  private pressTimer = 0;
  private wasHeld = false;

  constructor(targets: PointerTargets) {
    this.targets = targets;
    this.drags = new Drags(targets.view);
    this.header = new HeaderPointer(targets, this.drags);
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
      this.header.press(event, hit.at.col, hit.x, isAdding);
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
    const edge = this.header.edgeAt(hit.at.col, hit.x);
    if (edge === null) return;
    this.header.autosize(edge);
  };

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
    return this.header.edgeAt(hit.at.col, hit.x) === null ? 'default' : 'col-resize';
  }
}

const union = (a: Range, b: Range): Range => ({
  kind: 'cells',
  top: Math.min(a.top, b.top),
  left: Math.min(a.left, b.left),
  bottom: Math.max(a.bottom, b.bottom),
  right: Math.max(a.right, b.right),
});
