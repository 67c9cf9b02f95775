import type { SavedView } from '@sluice/contract';
import { isSameValue } from '@sluice/mapping';
import { restoreArrangement } from '../features/records/arrangement.ts';
import { wholeTable } from '../features/records/read-columns.ts';
import type { TableSession } from '../features/records/table-session.ts';
import { record } from '../grid/undo.ts';
import type { ShownView } from '../features/views/views-menu.tsx';

/** What the table shows now, in the words of a saved view. */
export const shownView = (table: TableSession): ShownView => {
  const { grid } = table;
  const { view } = table.state.get();
  const { order, settings } = grid.columnState;
  const { columns, pinned } = grid.layout;
  const visible = new Set(columns.map((column) => column.id));
  const pinnedIds = new Set(columns.slice(0, pinned).map((column) => column.id));
  const all = (order ?? grid.columns.map((column) => column.index)).flatMap(
    (index) => grid.columns.find((column) => column.index === index) ?? [],
  );
  return {
    view: {
      filter: [...view.filter],
      search: view.search,
      order: view.sort.map(({ field, isDescending }) => ({ path: field, isDescending })),
    },
    columns: all.map(({ id }) => ({
      field: id,
      isHidden: !visible.has(id),
      width: settings[id]?.width === undefined ? null : Math.round(settings[id].width),
      isPinned: pinnedIds.has(id),
    })),
  };
};

/** Puts the table as a saved view says; fields that are gone since are passed over. Null = as without one. */
export const applyView = (table: TableSession, saved: SavedView | null): void => {
  const { grid } = table;
  if (saved === null) {
    grid.arrange(null, {}, null);
    restoreArrangement(grid, table.metadata.tableId);
    table.setView(wholeTable);
    return;
  }
  const byId = new Map(grid.columns.map((column) => [column.id, column]));
  const columns = saved.columns.filter(({ field }) => byId.has(field));
  const named = new Set(columns.map(({ field }) => field));
  const order = [
    ...columns.flatMap(({ field }) => byId.get(field)?.index ?? []),
    ...grid.columns.filter(({ id }) => !named.has(id)).map(({ index }) => index),
  ];
  const settings = Object.fromEntries(
    columns.map(({ field, isHidden, width }) => [field, { isHidden, ...(width === null ? {} : { width }) }]),
  );
  grid.arrange(
    order,
    settings,
    columns.filter(({ isPinned }) => isPinned).map(({ field }) => field),
  );
  table.setView({
    filter: saved.view.filter.filter(({ field }) => byId.has(field)),
    sort: saved.view.order.flatMap(({ path, isDescending }) =>
      byId.has(path) ? [{ field: path, isDescending }] : [],
    ),
    search: saved.view.search,
  });
};

/** Whether the table still is as a saved view says; columns that came or went since are no change of anybody. */
export const isAsSaved = (table: TableSession, saved: SavedView): boolean => {
  const now = shownView(table);
  const fields = new Set(now.columns.map(({ field }) => field));
  const named = new Set(saved.columns.map(({ field }) => field));
  return isSameValue(
    {
      filter: saved.view.filter.filter(({ field }) => fields.has(field)),
      search: saved.view.search,
      order: saved.view.order.filter(({ path }) => fields.has(path)),
      columns: saved.columns.filter(({ field }) => fields.has(field)),
    },
    { ...now.view, columns: now.columns.filter(({ field }) => named.has(field)) },
  );
};

/** A step that was made past the grid: undo takes it back like any other. */
export const rememberStep = ({ grid }: TableSession, editId: string): void => {
  grid.undoStack = record(grid.undoStack, editId);
  grid.emit('undo');
};
