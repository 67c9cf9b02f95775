import type { TFunction } from 'i18next';
import { countSelectedRows, redo, undo } from '../../grid/actions.ts';
import type { CellAt } from '../../grid/types.ts';
import { nextRedo, nextUndo } from '../../grid/undo.ts';
import type { MountedGrid } from '../../grid/view/mount.ts';
import { keyCaps } from '../../platform/shortcuts.ts';
import { errorText } from '../../platform/call.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { moveColumn, setColumn } from './arrangement.ts';
import type { TableSession } from './table-session.ts';

const keys = (...names: string[]): string => keyCaps(names).join(' ');

export interface MenuActions {
  onFilter: (columnId: string, at: { x: number; y: number }) => void;
  onArranged: () => void;
  onDelete: () => void;
  onOpenForm: (id: string) => void;
  onCopyForm: (id: string) => void;
}

export const headerMenu = (
  table: TableSession,
  at: CellAt,
  place: { x: number; y: number },
  actions: MenuActions,
  t: TFunction,
): MenuEntry[] => {
  const { grid } = table;
  const column = grid.columnAt(at.col);
  if (!column) return [];
  const { view } = table.state.get();
  const own = view.sort.find((sort) => sort.field === column.id);
  const sortBy = (isDescending: boolean): void =>
    table.setView({ sort: [{ field: column.id, isDescending }] });
  const arrange = (change: () => void) => () => {
    change();
    actions.onArranged();
  };
  return [
    {
      label: t('table.sortAscending'),
      icon: 'up',
      isChecked: own?.isDescending === false,
      onClick: () => sortBy(false),
    },
    {
      label: t('table.sortDescending'),
      icon: 'down',
      isChecked: own?.isDescending === true,
      onClick: () => sortBy(true),
    },
    ...(own ? [{ label: t('table.sortNone'), onClick: () => table.setView({ sort: [] }) }] : []),
    'divider',
    { label: t('table.filterColumn'), icon: 'filter', onClick: () => actions.onFilter(column.id, place) },
    'divider',
    {
      label: t('table.moveLeft'),
      isDisabled: at.col === 0,
      onClick: arrange(() => moveColumn(grid, column.id, -1)),
    },
    {
      label: t('table.moveRight'),
      isDisabled: at.col >= grid.layout.columns.length - 1,
      onClick: arrange(() => moveColumn(grid, column.id, 1)),
    },
    {
      label: t('table.hideColumn'),
      isDisabled: grid.layout.columns.length <= 1,
      onClick: arrange(() => setColumn(grid, column.id, { isHidden: true })),
    },
  ];
};

export const cellMenu = (
  table: TableSession,
  at: CellAt,
  mounted: MountedGrid,
  actions: MenuActions,
  t: TFunction,
): MenuEntry[] => {
  const { grid } = table;
  const row = grid.store.rowAt(at.row);
  const column = grid.columnAt(at.col);
  if (!row || !column) return [];
  const value = grid.store.valueAt(at.row, column.id);
  const count = countSelectedRows(grid);
  const paste = async (): Promise<void> => {
    try {
      await mounted.pasteText(await navigator.clipboard.readText());
    } catch {
      toast('warning', t('table.pasteBlocked', { keys: keys('Mod', 'V') }));
    }
  };
  const isDeleted = row.state?.action === 'delete';
  return [
    { label: t('table.cut'), hint: keys('Mod', 'X'), onClick: () => void mounted.cut() },
    { label: t('table.copy'), icon: 'copy', hint: keys('Mod', 'C'), onClick: () => void mounted.copy() },
    { label: t('table.paste'), hint: keys('Mod', 'V'), onClick: () => void paste() },
    'divider',
    {
      label: t('table.undo'),
      icon: 'undo',
      isDisabled: nextUndo(grid.undoStack) === null,
      onClick: () => void undo(grid),
    },
    {
      label: t('table.redo'),
      icon: 'redo',
      isDisabled: nextRedo(grid.undoStack) === null,
      onClick: () => void redo(grid),
    },
    'divider',
    ...(value === undefined || (typeof value === 'object' && value !== null)
      ? []
      : [
          {
            label: t('table.filterByValue'),
            icon: 'filter' as const,
            onClick: () => {
              const others = table.state.get().view.filter.filter((one) => one.field !== column.id);
              const condition =
                value === null || value === ''
                  ? { field: column.id, operator: 'isEmpty' as const }
                  : typeof value === 'boolean'
                    ? { field: column.id, operator: value ? ('isTrue' as const) : ('isFalse' as const) }
                    : { field: column.id, operator: 'equals' as const, value };
              table.setView({ filter: [...others, condition] });
            },
          },
        ]),
    {
      label: t('table.openForm'),
      icon: 'form',
      isDisabled: row.isDraft,
      onClick: () => actions.onOpenForm(row.id),
    },
    {
      label: t('table.copyForm'),
      isDisabled: row.isDraft || !grid.canInsert,
      onClick: () => actions.onCopyForm(row.id),
    },
    'divider',
    ...(row.state && row.state.action !== null && row.state.bar !== 'pushing'
      ? [
          {
            label: t(isDeleted ? 'table.undoDelete' : 'table.discardRecord'),
            icon: 'undo' as const,
            onClick: () => {
              const list = { add: 'insert', update: 'update', delete: 'delete' } as const;
              const key = list[row.state?.action ?? 'update'];
              table
                .discard({ insert: [], update: [], delete: [], [key]: [row.id] })
                .catch((error: unknown) => toast('error', errorText(error)));
            },
          },
        ]
      : []),
    {
      label: count > 1 ? t('table.deleteMany', { count }) : t('table.deleteOne'),
      icon: 'trash',
      isDanger: true,
      isDisabled: !grid.canDelete && !row.isDraft,
      onClick: actions.onDelete,
    },
  ];
};
