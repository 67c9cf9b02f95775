import { copyByCommand } from '../../ui/clipboard.ts';
import { countSelectedRows, editCell } from '../actions.ts';
import { toTsv } from '../clipboard.ts';
import { type Copied, copyAll, copyLoaded, isCopiedAsTable } from '../copy.ts';
import type { GridController } from '../controller.ts';
import { paste } from '../paste.ts';
import { countCells, hasWholeRows } from '../selection.ts';
import type { CellAt } from '../types.ts';
import { Bubble, type NoteAction } from './bubble.ts';
import { el } from './dom.ts';
import { Editor } from './editor.ts';
import { GridView } from './grid-view.ts';
import { Keys } from './keys.ts';
import { Pointer } from './pointer.ts';
import type { MenuPlace } from './pointer-targets.ts';

/** Announced when the selection has not changed for this long. */
const SAY_AFTER_MS = 500;

export interface GridHost {
  label: string;
  onMenu: (place: MenuPlace) => void;
  onDeleteRows: () => void;
  /** Empty the selected cells. */
  onClear: () => void;
  onUndoDelete: (rowId: string) => void;
  onOpenArray: (at: CellAt) => void;
  onResolve: (choice: 'keepMine' | 'takeTheirs', rowId: string, fieldId: string) => void;
  onColumnResized: () => void;
  onMoveColumns: (ids: readonly string[], before: number) => void;
  onAutosize: (ids: readonly string[]) => void;
  onSortLevel: (columnId: string) => void;
  onFind: () => void;
  onLeave: () => void;
}

export interface MountedGrid {
  view: GridView;
  editor: Editor;
  focus: () => void;
  dispose: () => void;
  copy: (withNames?: boolean) => Promise<void>;
  cut: () => Promise<void>;
  /** What the clipboard holds, asked for from the browser: menus have no paste event. */
  paste: () => Promise<void>;
}

/** Rows of the first table in a piece of HTML: what some programs put on the clipboard without a text form. */
const tableText = (html: string): string => {
  const table = new DOMParser().parseFromString(html, 'text/html').querySelector('table');
  if (!table) return '';
  return toTsv([...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? '').trim())));
};

const fillWith = (data: DataTransfer, { text, html }: Copied): void => {
  data.setData('text/plain', text);
  if (html !== null) data.setData('text/html', html);
};

/** Puts a grid into an element: view, editor, keys, pointer and clipboard tied together. */
export const mountGrid = (root: HTMLElement, grid: GridController, host: GridHost): MountedGrid => {
  root.classList.add('sg');
  const view = new GridView(root, grid, host.label);
  const bubble = new Bubble(grid, view);
  const editor = new Editor(root, grid, view, bubble, host.label);
  const live = el('div', 'sg-hidden', { 'aria-live': 'polite', role: 'status' });
  root.append(bubble.node, live);
  editor.onOpenArray = host.onOpenArray;

  const isMac = navigator.platform.startsWith('Mac');
  const menuAt = (at: CellAt): void => {
    const box = root.getBoundingClientRect();
    const rect = view.cellRect(at);
    bubble.hide();
    const kind = { cells: 'cell', cols: 'header', rows: 'row', all: 'row' } as const;
    host.onMenu({
      kind: kind[grid.selection.ranges.at(-1)?.kind ?? 'cells'],
      at,
      x: box.left + rect.left,
      y: box.top + rect.top + rect.height,
    });
  };
  const keys = new Keys({
    grid,
    view,
    editor,
    isMac,
    onDeleteRows: host.onDeleteRows,
    onClear: host.onClear,
    onContextMenu: menuAt,
    onFind: host.onFind,
    onLeave: host.onLeave,
  });
  const pointer = new Pointer({
    grid,
    view,
    editor,
    bubble,
    onMenu: (place) => {
      bubble.hide();
      host.onMenu(place);
    },
    onUndoDelete: host.onUndoDelete,
    onColumnResized: host.onColumnResized,
    onMoveColumns: host.onMoveColumns,
    onAutosize: host.onAutosize,
    onSortLevel: host.onSortLevel,
  });

  bubble.onAction = (action, at) => act(action, at);
  const act = (action: NoteAction, at: CellAt): void => {
    const column = grid.columnAt(at.col);
    const row = grid.store.rowAt(at.row);
    if (!column || !row) return;
    const local = grid.store.localCell(row.id, column.id);
    bubble.hide();
    if (action === 'dismiss' || (action === 'takeTheirs' && local)) grid.store.dropLocal(row.id, column.id);
    else if (local) void editCell(grid, at, local.value);
    else if (action === 'keepMine' || action === 'takeTheirs') host.onResolve(action, row.id, column.id);
    editor.focus();
  };

  /** Browsers let a page write only while the user's press is fresh: what takes longer is promised to them then. */
  const write = async (copying: Promise<Copied | null>): Promise<Copied | null> => {
    if (!isSecureContext) {
      const copied = await copying;
      if (copied && !copyByCommand((data) => fillWith(data, copied)))
        throw new Error(grid.translate('copyNeedsHttps'));
      return copied;
    }
    const form = async (type: string, textOf: (copied: Copied) => string): Promise<Blob> => {
      const copied = await copying;
      if (!copied) throw new DOMException('nothing was copied', 'AbortError');
      return new Blob([textOf(copied)], { type });
    };
    const text = { 'text/plain': form('text/plain', (copied) => copied.text) };
    const both = (): Record<string, Promise<Blob>> => ({
      ...text,
      'text/html': form('text/html', (copied) => copied.html ?? ''),
    });
    try {
      await navigator.clipboard.write([new ClipboardItem(isCopiedAsTable(grid) ? both() : text)]);
    } catch (error) {
      if ((await copying) !== null) throw error;
    }
    return await copying;
  };
  const copy = async (withNames = false): Promise<boolean> => {
    try {
      const loaded = copyLoaded(grid, withNames);
      const copied = await write(loaded ? Promise.resolve(loaded) : copyAll(grid, withNames));
      if (copied) grid.announce(grid.translate('copied', { count: copied.cells }));
      return copied !== null;
    } catch (error) {
      grid.announce(grid.commands.describeError(error), 'error');
      return false;
    }
  };
  const readClipboard = async (): Promise<string | null> => {
    try {
      for (const item of await navigator.clipboard.read()) {
        if (item.types.includes('text/plain')) return await (await item.getType('text/plain')).text();
        if (item.types.includes('text/html'))
          return tableText(await (await item.getType('text/html')).text());
      }
      return '';
    } catch (error) {
      if (!isSecureContext) {
        grid.announce(grid.translate('pasteNeedsHttps'), 'error');
        return null;
      }
      // Refused, or the browser has no such thing; everything else is content that nobody can read.
      const isUnreadable = error instanceof DOMException && error.name === 'DataError';
      grid.announce(grid.translate(isUnreadable ? 'clipboardUnreadable' : 'clipboardRefused'), 'error');
      return null;
    }
  };
  const pasteFromClipboard = async (): Promise<void> => {
    const text = await readClipboard();
    if (text === '') grid.announce(grid.translate('clipboardUnreadable'), 'error');
    else if (text !== null) await paste(grid, text);
    editor.focus();
  };
  const cut = async (): Promise<void> => {
    if (await copy()) host.onClear();
  };
  const handleCopy = (event: ClipboardEvent): void => {
    if (editor.isEditing) return;
    event.preventDefault();
    const copied = copyLoaded(grid);
    if (copied && event.clipboardData) {
      fillWith(event.clipboardData, copied);
      say(grid.translate('copied', { count: copied.cells }));
      if (event.type === 'cut') host.onClear();
    } else void (event.type === 'cut' ? cut() : copy());
  };
  const handlePaste = (event: ClipboardEvent): void => {
    if (editor.isEditing) return;
    event.preventDefault();
    const data = event.clipboardData;
    const text = data?.getData('text/plain') || tableText(data?.getData('text/html') ?? '');
    if (text) void paste(grid, text);
    else grid.announce(grid.translate('clipboardUnreadable'), 'error');
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (keys.handle(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const say = (text: string): void => {
    live.textContent = text;
  };
  /** How much is selected, once it stays so; a single cell is told by itself. */
  let selectionTimer = 0;
  const saySelection = (): void => {
    const cells = countCells(grid.selection, grid.extent);
    if (cells < 2) return;
    say(
      hasWholeRows(grid.selection)
        ? grid.translate('rowsSelected', { count: countSelectedRows(grid) })
        : grid.translate('cellsSelected', { count: cells }),
    );
  };
  const unsubscribe = grid.subscribe((event) => {
    if (event === 'selection') {
      requestAnimationFrame(() => pointer.showActiveNote());
      clearTimeout(selectionTimer);
      selectionTimer = window.setTimeout(saySelection, SAY_AFTER_MS);
    }
    if ((event === 'rows' || event === 'block') && bubble.cell && !editor.isEditing)
      requestAnimationFrame(() => pointer.showActiveNote());
  });

  const { input } = editor;
  input.addEventListener('keydown', handleKey);
  input.addEventListener('copy', handleCopy);
  input.addEventListener('cut', handleCopy);
  input.addEventListener('paste', handlePaste);
  input.addEventListener('focus', () => root.classList.add('has-focus'));
  input.addEventListener('blur', () => root.classList.remove('has-focus'));

  const announceToFrame = grid.announce;
  grid.announce = (text, kind) => {
    say(text);
    announceToFrame(text, kind);
  };

  return {
    view,
    editor,
    focus: () => editor.focus(),
    copy: async (withNames) => {
      await copy(withNames);
    },
    cut,
    paste: pasteFromClipboard,
    dispose: () => {
      unsubscribe();
      clearTimeout(selectionTimer);
      pointer.dispose();
      view.dispose();
      root.replaceChildren();
      root.classList.remove('sg');
      grid.announce = announceToFrame;
    },
  };
};
