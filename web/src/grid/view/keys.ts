import { fillSelection } from '../fill.ts';
import { redo, undo, wantsRowDelete } from '../actions.ts';
import type { GridController } from '../controller.ts';
import { moveOfKey, moveSelection, stepSelection } from '../navigation.ts';
import { selectAll, widenToCols, widenToRows } from '../selection.ts';
import type { CellAt } from '../types.ts';
import type { Editor } from './editor.ts';
import type { GridView } from './grid-view.ts';

export interface KeyTargets {
  grid: GridController;
  view: GridView;
  editor: Editor;
  isMac: boolean;
  onDeleteRows: () => void;
  onClear: () => void;
  onContextMenu: (at: CellAt) => void;
  onFind: () => void;
  /** Moves the focus out of the grid. */
  onLeave: () => void;
}

const isCommand = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey;

/** All keys of the grid; true when the key was the grid's. */
export class Keys {
  private homeCol: number | null = null;
  private readonly targets: KeyTargets;

  constructor(targets: KeyTargets) {
    this.targets = targets;
  }

  handle(event: KeyboardEvent): boolean {
    if (event.isComposing || event.keyCode === 229) return false;
    const { editor } = this.targets;
    return editor.isEditing ? this.whileEditing(event) : this.whileReady(event);
  }

  private select(selection: GridController['selection']): void {
    const { grid, view } = this.targets;
    grid.select(selection);
    view.scrollToCell(grid.selection.active);
  }

  private step(axis: 'tab' | 'enter', direction: 1 | -1): boolean {
    const { grid } = this.targets;
    if (axis === 'tab') this.homeCol ??= grid.selection.active.col;
    const next = stepSelection(
      grid.selection,
      axis,
      direction,
      grid.extent,
      axis === 'enter' ? this.homeCol : null,
    );
    if (axis === 'enter') this.homeCol = null;
    if (!next) return false;
    this.select(next);
    return true;
  }

  private whileEditing(event: KeyboardEvent): boolean {
    const { editor, grid } = this.targets;
    const { openCalendar } = editor;
    if (openCalendar) {
      const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
      if (days) {
        openCalendar.move(days);
        return true;
      }
      if (event.key === 'Enter') {
        editor.pickDay(openCalendar.day);
        return true;
      }
    }
    switch (event.key) {
      case 'Escape':
        if (openCalendar) editor.toggleCalendar();
        else editor.cancel();
        return true;
      case 'Enter':
        if (event.altKey) {
          editor.insertLineBreak();
          return true;
        }
        if (editor.commit()) this.step('enter', event.shiftKey ? -1 : 1);
        return true;
      case 'Tab':
        if (editor.commit()) this.step('tab', event.shiftKey ? -1 : 1);
        return true;
      case 'ArrowDown':
      case 'ArrowUp':
        if (event.altKey && event.key === 'ArrowDown') {
          editor.toggleCalendar();
          return true;
        }
        if (editor.hasList) {
          editor.moveInList(event.key === 'ArrowDown' ? 1 : -1);
          return true;
        }
        break;
      case 'PageDown':
      case 'PageUp':
        if (!editor.hasList) break;
        editor.moveInList(event.key === 'PageDown' ? 8 : -8);
        return true;
    }
    const move = editor.isTyped && !editor.hasList && !event.shiftKey ? moveOfKey(event) : null;
    if (move && event.key.startsWith('Arrow')) {
      if (editor.commit()) {
        this.select(moveSelection(grid.selection, move, grid.extent, 1, false));
      }
      return true;
    }
    return false;
  }

  private whileReady(event: KeyboardEvent): boolean {
    const { grid, view, editor } = this.targets;
    if (this.command(event)) return true;
    if (event.key === 'Tab') return this.step('tab', event.shiftKey ? -1 : 1);
    if (event.altKey) return event.key === 'ArrowDown' ? editor.open() : false;
    const move = moveOfKey(event);
    if (move) {
      this.homeCol = null;
      const next = moveSelection(grid.selection, move, grid.extent, view.pageRows, event.shiftKey);
      if (event.shiftKey) {
        grid.select(next);
        const corner = next.ranges.at(-1);
        if (corner && corner.kind === 'cells') {
          const { anchor } = next;
          view.scrollToCell({
            row: corner.top === anchor.row ? corner.bottom : corner.top,
            col: corner.left === anchor.col ? corner.right : corner.left,
          });
        }
      } else {
        this.select(next);
        // The first column may be a pinned one: the others are wanted at their beginning too then.
        if (move === 'rowStart' || move === 'firstCell') view.scrollToStart();
      }
      return true;
    }
    switch (event.key) {
      case 'Enter':
        if (event.shiftKey) this.step('enter', -1);
        else if (!editor.open()) this.step('enter', 1);
        return true;
      case 'F2':
        editor.open();
        return true;
      case 'Backspace':
      case 'Delete':
        if (wantsRowDelete(grid)) this.targets.onDeleteRows();
        else this.targets.onClear();
        return true;
      case 'Escape':
        grid.selectAt(grid.selection.active);
        return true;
      case ' ':
        if (!event.shiftKey) return this.toggleBool();
        grid.select(widenToRows(grid.selection));
        return true;
      default:
        return false;
    }
  }

  /** The space bar flips a yes/no cell; in others it is a typed character. */
  private toggleBool(): boolean {
    const { grid, editor } = this.targets;
    const column = grid.columnAt(grid.selection.active.col);
    return column?.field.dataType === 'bool' ? editor.open() : false;
  }

  private command(event: KeyboardEvent): boolean {
    const { grid, isMac } = this.targets;
    const key = event.key.toLowerCase();
    if (event.altKey && event.shiftKey && isCommand(event) && event.code === 'KeyM') {
      this.targets.onLeave();
      return true;
    }
    const isMenuKey = key === 'contextmenu' || (event.shiftKey && key === 'f10') || (isMac && key === 'f12');
    if (isMenuKey) {
      this.targets.onContextMenu(grid.selection.active);
      return true;
    }
    if (!isCommand(event) || event.altKey) return false;
    if (key === 'z') {
      void (event.shiftKey ? redo(grid) : undo(grid));
      return true;
    }
    if (key === 'y') {
      void redo(grid);
      return true;
    }
    if (key === 'a') {
      grid.select(selectAll(grid.selection));
      return true;
    }
    if (key === 'k') {
      grid.select(widenToCols(grid.selection));
      return true;
    }
    if (key === 'd' || key === 'r') {
      if (grid.canUpdate) void fillSelection(grid, key === 'd' ? 'down' : 'right');
      return true;
    }
    if (key === 'f') {
      this.targets.onFind();
      return true;
    }
    return false;
  }
}
