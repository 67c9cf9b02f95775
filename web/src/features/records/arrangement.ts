import type { TableConfig } from '@sluice/contract';
import { type ColumnSetting, MIN_COLUMN_WIDTH } from '../../grid/column-layout.ts';
import type { GridController } from '../../grid/controller.ts';
import { currentUser, savePreference } from '../../platform/session.ts';

const SAVE_MS = 500;
/** A long text is not worth the whole window. */
const MAX_FITTING_WIDTH = 480;
let timer = 0;

const saved = (id: string): TableConfig | undefined =>
  currentUser()?.userPreferences.options.table.config.find((config) => config.id === id);

/** Puts the columns as the user left them. */
export const restoreArrangement = (grid: GridController, id: string): void => {
  const config = saved(id);
  if (config)
    grid.arrange(
      config.columnOrderPermutation.length > 0 ? config.columnOrderPermutation : null,
      config.columns,
      config.pinned ?? null,
    );
};

/** Saves the columns as they are now, half a second after the last change. */
export const keepArrangement = (grid: GridController, id: string): void => {
  clearTimeout(timer);
  // As they are now: in half a second a saved view may have put them otherwise.
  const { order, settings, pinned } = grid.columnState;
  timer = window.setTimeout(() => {
    const options = currentUser()?.userPreferences.options;
    if (!options) return;
    const mine: TableConfig = {
      id,
      columnOrderPermutation: [...(order ?? [])],
      columns: { ...settings },
      ...(pinned ? { pinned: [...pinned] } : {}),
    };
    const config = [...options.table.config.filter((one) => one.id !== id), mine];
    savePreference('options/table/config', config).catch((error: unknown) =>
      console.error('column arrangement was not saved', error),
    );
  }, SAVE_MS);
};

export const setColumn = (grid: GridController, columnId: string, change: ColumnSetting): void => {
  const { order, settings } = grid.columnState;
  grid.arrange(order, { ...settings, [columnId]: { ...settings[columnId], ...change } });
};

/** Moves a column one visible place to the left or right. */
export const moveColumn = (grid: GridController, columnId: string, step: 1 | -1): void => {
  const at = grid.layout.columns.findIndex((column) => column.id === columnId);
  if (at >= 0) moveColumns(grid, [columnId], step > 0 ? at + 2 : at - 1);
};

/**
 * Moves columns to stand before visible column `before` (the number of columns = at the end). What is put among the
 * pinned ones is pinned, what leaves them is not.
 */
export const moveColumns = (grid: GridController, ids: readonly string[], before: number): void => {
  const { order, settings } = grid.columnState;
  const { columns, pinned } = grid.layout;
  const moved = new Set(ids);
  const own = columns.filter((column) => moved.has(column.id));
  const next = columns.slice(Math.max(0, before)).find((column) => !moved.has(column.id));
  const last = columns.slice(0, Math.max(0, before)).findLast((column) => !moved.has(column.id));
  if (own.length === 0 || (!next && !last)) return;
  const full = order ?? grid.columns.map((column) => column.index);
  const seen = new Set(full);
  const all = [...full, ...grid.columns.map((column) => column.index).filter((index) => !seen.has(index))];
  const rest = all.filter((index) => !own.some((column) => column.index === index));
  const place = next ? rest.indexOf(next.index) : rest.indexOf(last?.index ?? -1) + 1;
  const front = columns.slice(0, pinned).filter((column) => !moved.has(column.id));
  const isPinned =
    before < pinned || (before === pinned && own.every((column) => columns.indexOf(column) < pinned));
  grid.arrange(
    [...rest.slice(0, place), ...own.map((column) => column.index), ...rest.slice(place)],
    settings,
    [...front, ...(isPinned ? own : [])].map((column) => column.id),
  );
};

/** Keeps columns in sight at the left, or lets them scroll with the others. */
export const pinColumns = (grid: GridController, ids: readonly string[], isPinned: boolean): void => {
  const { order, settings } = grid.columnState;
  const front = grid.layout.columns.slice(0, grid.layout.pinned).map((column) => column.id);
  const others = front.filter((id) => !ids.includes(id));
  grid.arrange(order, settings, isPinned ? [...others, ...ids] : others);
};

/** Gives columns the widths that fit what they show; `widthOf` measures. */
export const autosizeColumns = (
  grid: GridController,
  ids: readonly string[],
  widthOf: (col: number) => number,
): void => {
  const { order, settings } = grid.columnState;
  const next = { ...settings };
  for (const id of ids) {
    const col = grid.layout.columns.findIndex((column) => column.id === id);
    if (col < 0) continue;
    const width = Math.max(MIN_COLUMN_WIDTH, Math.min(MAX_FITTING_WIDTH, widthOf(col)));
    next[id] = { ...next[id], width };
  }
  grid.arrange(order, next);
};
