import { useEffect } from 'react';
import { applyChanges } from '../../grid/actions.ts';
import type { CellValue } from '../../grid/local-cells.ts';
import type { CellAt } from '../../grid/types.ts';
import type { MountedGrid } from '../../grid/view/mount.ts';
import { keepWork, takeWork } from '../../platform/saved-work.ts';
import { isNarrowed, type TableView } from './read-columns.ts';
import type { TableSession } from './table-session.ts';

interface SavedTable {
  view: TableView;
  /** The active cell. */
  at: CellAt;
  /** What stood in the open cell. */
  typed: { rowId: string; fieldId: string; text: string } | null;
  /** Values that the server had not taken yet, or had refused. */
  unsent: readonly CellValue[];
}

/** So long the rows of the restored place may take to come. */
const PATIENCE_MS = 20_000;

/** Puts a table back as it was; what was typed comes back into its cell once the row is there. */
const restore = (table: TableSession, mounted: MountedGrid, saved: SavedTable): (() => void) => {
  const { grid } = table;
  if (isNarrowed(saved.view) || saved.view.sort.length > 0) table.setView(saved.view);
  const { typed } = saved;
  const deadline = Date.now() + PATIENCE_MS;
  let isPlaced = false;
  const proceed = (): boolean => {
    if (!grid.store.isLoaded) return false;
    if (!isPlaced) {
      isPlaced = true;
      grid.selectAt(saved.at);
      mounted.view.scrollToCell(saved.at);
      if (saved.unsent.length > 0) void applyChanges(grid, [...saved.unsent], 'edit', new Map());
    }
    if (typed === null) return true;
    const row = grid.store.positionOf(typed.rowId);
    const col = grid.layout.columns.findIndex((column) => column.id === typed.fieldId);
    if (col < 0) return true;
    if (row === null) return false;
    grid.selectAt({ row, col });
    mounted.focus();
    mounted.editor.resume(typed.text);
    return true;
  };
  const timer = window.setInterval(() => {
    if (proceed() || Date.now() > deadline) clearInterval(timer);
  }, 50);
  return () => clearInterval(timer);
};

/** What is unfinished in a table outlives the session (decisions Q-SESS-01). */
export const useSavedTable = (table: TableSession, mounted: MountedGrid | null): void => {
  useEffect(() => {
    if (!mounted) return undefined;
    const key = `table:${table.collection}`;
    const saved = takeWork<SavedTable>(key);
    const stop = saved ? restore(table, mounted, saved) : () => undefined;
    const forget = keepWork(key, (): SavedTable => ({
      view: table.state.get().view,
      at: table.grid.selection.active,
      typed: mounted.editor.typed,
      unsent: table.grid.store.unsent,
    }));
    return () => {
      forget();
      stop();
    };
  }, [table, mounted]);
};
