import type { TableConfig } from '@sluice/contract';
import type { ColumnSetting } from '../../grid/column-layout.ts';
import type { GridController } from '../../grid/controller.ts';
import { currentUser, savePreference } from '../../platform/session.ts';

const SAVE_MS = 500;
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
    );
};

/** Saves the columns as they are now, half a second after the last change. */
export const keepArrangement = (grid: GridController, id: string): void => {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    const options = currentUser()?.userPreferences.options;
    if (!options) return;
    const { order, settings } = grid.columnState;
    const mine: TableConfig = { id, columnOrderPermutation: [...(order ?? [])], columns: { ...settings } };
    const config = [...options.table.config.filter((one) => one.id !== id), mine];
    savePreference('options/table/config', config, (now) => ({
      ...now,
      table: { ...now.table, config },
    })).catch((error: unknown) => console.error('column arrangement was not saved', error));
  }, SAVE_MS);
};

export const setColumn = (grid: GridController, columnId: string, change: ColumnSetting): void => {
  const { order, settings } = grid.columnState;
  grid.arrange(order, { ...settings, [columnId]: { ...settings[columnId], ...change } });
};

/** Moves a column one visible place to the left or right. */
export const moveColumn = (grid: GridController, columnId: string, step: 1 | -1): void => {
  const { order, settings } = grid.columnState;
  const full = order ?? grid.columns.map((column) => column.index);
  const visible = grid.layout.columns;
  const at = visible.findIndex((column) => column.id === columnId);
  const own = visible[at];
  const other = visible[at + step];
  if (!own || !other) return;
  const rest = full.filter((index) => index !== own.index);
  const place = rest.indexOf(other.index) + (step > 0 ? 1 : 0);
  grid.arrange([...rest.slice(0, place), own.index, ...rest.slice(place)], settings);
};
