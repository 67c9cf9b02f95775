import type { FilterCondition, Value } from '@sluice/contract';
import type { TFunction } from 'i18next';
import { countSelectedRows, redo, undo } from '../../grid/actions.ts';
import { duplicateRows, fillSelection } from '../../grid/fill.ts';
import {
  type Selection,
  hasWholeRows,
  isSingleCell,
  selectCol,
  selectRow,
  selectedRowSpans,
} from '../../grid/selection.ts';
import type { CellAt, GridColumn, RowView } from '../../grid/types.ts';
import { nextRedo, nextUndo } from '../../grid/undo.ts';
import type { MountedGrid } from '../../grid/view/mount.ts';
import { keyCaps } from '../../platform/shortcuts.ts';
import { errorText } from '../../platform/call.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { autosizeColumns, moveColumn, pinColumns, setColumn } from './arrangement.ts';
import { revertChosen } from './bulk-actions.ts';
import type { TableSession } from './table-session.ts';

const keys = (...names: string[]): string => keyCaps(names).join(' ');

export interface MenuActions {
  onFilter: (columnId: string, at: { x: number; y: number }) => void;
  onArranged: () => void;
  onDelete: () => void;
  onBatchEdit: () => void;
  onClear: () => void;
  onAdded: () => void;
  onOpenForm: (id: string) => void;
  onHistory: (id: string) => void;
  onCopyForm: (id: string) => void;
}

export interface MenuContext {
  table: TableSession;
  mounted: MountedGrid;
  actions: MenuActions;
  t: TFunction;
}

/** Columns that are selected as such, when the pressed one is among them; else that one alone. */
const columnsAt = (selection: Selection, columns: readonly GridColumn[], col: number): GridColumn[] => {
  const own = selection.ranges.find((r) => r.kind === 'cols' && col >= r.left && col <= r.right);
  return columns.slice(own?.left ?? col, (own?.right ?? col) + 1);
};

const sortEntries = ({ table, t }: MenuContext, column: GridColumn): MenuEntry[] => {
  const { sort } = table.state.get().view;
  const own = sort.find((key) => key.field === column.id);
  const others = sort.filter((key) => key !== own);
  const only = (isDescending: boolean) => () => table.setView({ sort: [{ field: column.id, isDescending }] });
  const also = (isDescending: boolean) => () =>
    table.setView({ sort: [...others, { field: column.id, isDescending }] });
  const isOnly = own !== undefined && others.length === 0;
  return [
    {
      label: t('table.sortAscending'),
      icon: 'up',
      isChecked: isOnly && !own.isDescending,
      onClick: only(false),
    },
    {
      label: t('table.sortDescending'),
      icon: 'down',
      isChecked: isOnly && own.isDescending,
      onClick: only(true),
    },
    ...(others.length > 0
      ? [
          {
            label: t('table.sortLevelAscending'),
            isChecked: own?.isDescending === false,
            onClick: also(false),
          },
          {
            label: t('table.sortLevelDescending'),
            isChecked: own?.isDescending === true,
            onClick: also(true),
          },
        ]
      : []),
    ...(own ? [{ label: t('table.sortNone'), onClick: () => table.setView({ sort: others }) }] : []),
  ];
};

export const headerMenu = (
  context: MenuContext,
  at: CellAt,
  place: { x: number; y: number },
): MenuEntry[] => {
  const { table, mounted, actions, t } = context;
  const { grid } = table;
  const column = grid.columnAt(at.col);
  if (!column) return [];
  const chosen = columnsAt(grid.selection, grid.layout.columns, at.col);
  const ids = chosen.map((one) => one.id);
  const isPinned = at.col < grid.layout.pinned;
  const { filter } = table.state.get().view;
  const isFiltered = filter.some((one) => one.field === column.id);
  const arrange = (change: () => void) => () => {
    change();
    actions.onArranged();
  };
  const fit = (which: readonly string[]): void =>
    autosizeColumns(grid, which, (col) => mounted.view.fittingWidth(col));
  return [
    ...sortEntries(context, column),
    'divider',
    { label: t('table.filterColumn'), icon: 'filter', onClick: () => actions.onFilter(column.id, place) },
    ...(isFiltered
      ? [
          {
            label: t('table.clearColumnFilter'),
            onClick: () => table.setView({ filter: filter.filter((one) => one.field !== column.id) }),
          },
        ]
      : []),
    'divider',
    {
      label: t('table.selectColumn'),
      hint: keys('Mod', 'K'),
      onClick: () => grid.select(selectCol(grid.selection, at.col)),
    },
    {
      label: t(isPinned ? 'table.unpin' : 'table.pin'),
      icon: 'columns',
      onClick: arrange(() => pinColumns(grid, ids, !isPinned)),
    },
    { label: t('table.autosize'), onClick: arrange(() => fit(ids)) },
    {
      label: t('table.autosizeAll'),
      onClick: arrange(() => fit(grid.layout.columns.map((one) => one.id))),
    },
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
      isDisabled: grid.layout.columns.length <= ids.length,
      onClick: arrange(() => {
        for (const id of ids) setColumn(grid, id, { isHidden: true });
      }),
    },
  ];
};

const clipboardEntries = ({ mounted, table, t }: MenuContext): MenuEntry[] => {
  const canWrite = table.grid.canUpdate || table.grid.canInsert;
  return [
    ...(canWrite
      ? [{ label: t('table.cut'), hint: keys('Mod', 'X'), onClick: () => void mounted.cut() }]
      : []),
    { label: t('table.copy'), icon: 'copy', hint: keys('Mod', 'C'), onClick: () => void mounted.copy() },
    { label: t('table.copyNames'), onClick: () => void mounted.copy(true) },
    ...(canWrite
      ? [{ label: t('table.paste'), hint: keys('Mod', 'V'), onClick: () => void mounted.paste() }]
      : []),
  ];
};

const undoEntries = ({ table: { grid }, t }: MenuContext): MenuEntry[] => [
  {
    label: t('table.undo'),
    icon: 'undo',
    hint: keys('Mod', 'Z'),
    isDisabled: nextUndo(grid.undoStack) === null,
    onClick: () => void undo(grid),
  },
  {
    label: t('table.redo'),
    icon: 'redo',
    isDisabled: nextRedo(grid.undoStack) === null,
    onClick: () => void redo(grid),
  },
];

const conditionFor = (field: string, value: Value, isExcluded: boolean): FilterCondition | null => {
  if (value === null || value === '') return { field, operator: isExcluded ? 'isNotEmpty' : 'isEmpty' };
  if (typeof value === 'object') return null;
  if (typeof value === 'boolean') return { field, operator: value === isExcluded ? 'isFalse' : 'isTrue' };
  return isExcluded ? { field, operator: 'notIn', values: [value] } : { field, operator: 'equals', value };
};

const valueFilterEntries = ({ table, t }: MenuContext, column: GridColumn, value: Value | undefined) => {
  if (value === undefined) return [];
  const narrow = (condition: FilterCondition): void => {
    const { filter } = table.state.get().view;
    // Leaving out several values one after the other adds up; a value that one wants stands alone.
    const others = condition.operator === 'notIn' ? filter : filter.filter((one) => one.field !== column.id);
    table.setView({ filter: [...others, condition] });
  };
  const [only, without] = [conditionFor(column.id, value, false), conditionFor(column.id, value, true)];
  return [
    ...(only
      ? [{ label: t('table.filterByValue'), icon: 'filter' as const, onClick: () => narrow(only) }]
      : []),
    ...(without ? [{ label: t('table.excludeValue'), onClick: () => narrow(without) }] : []),
  ];
};

const recordEntries = ({ table, actions, t }: MenuContext, row: RowView): MenuEntry[] => [
  {
    label: t('table.openForm'),
    icon: 'form',
    isDisabled: row.isDraft,
    onClick: () => actions.onOpenForm(row.id),
  },
  {
    label: t('table.copyForm'),
    isDisabled: row.isDraft || !table.grid.canInsert,
    onClick: () => actions.onCopyForm(row.id),
  },
  {
    label: t('history.open'),
    icon: 'clock',
    isDisabled: row.isDraft,
    onClick: () => actions.onHistory(row.id),
  },
];

/** Taking back what is pending: of the one record here, or of all that are selected. */
const revertEntries = ({ table, t }: MenuContext, row: RowView | null, count: number): MenuEntry[] => {
  if (count > 1) {
    return [
      {
        label: t('table.revertRecords', { count }),
        icon: 'undo',
        onClick: () => void revertChosen(table, 'records'),
      },
    ];
  }
  const action = row?.state?.action;
  if (!row || !action || row.state?.bar === 'pushing') return [];
  const list = { add: 'insert', update: 'update', delete: 'delete' } as const;
  return [
    {
      label: t(action === 'delete' ? 'table.undoDelete' : 'table.discardRecord'),
      icon: 'undo',
      onClick: () => {
        table
          .discard({ insert: [], update: [], delete: [], [list[action]]: [row.id] })
          .catch((error: unknown) => toast('error', errorText(error)));
      },
    },
  ];
};

const deleteEntry = (
  { table: { grid }, actions, t }: MenuContext,
  row: RowView | null,
  count: number,
): MenuEntry => ({
  label: count > 1 ? t('table.deleteMany', { count }) : t('table.deleteOne'),
  icon: 'trash',
  isDanger: true,
  isDisabled: !grid.canDelete && !row?.isDraft,
  onClick: actions.onDelete,
});

const duplicateEntry = ({ table: { grid }, actions, t }: MenuContext, count: number): MenuEntry => ({
  label: count > 1 ? t('table.duplicateRows', { count }) : t('table.duplicateRow'),
  isDisabled: !grid.canInsert,
  onClick: () => {
    duplicateRows(grid, selectedRowSpans(grid.selection, grid.extent))
      .then(() => actions.onAdded())
      .catch((error: unknown) => toast('error', errorText(error)));
  },
});

/** Menu of the cells that are selected, or of the one under the pointer. */
export const cellMenu = (context: MenuContext, at: CellAt): MenuEntry[] => {
  const { table, actions, t } = context;
  const { grid } = table;
  const row = grid.store.rowAt(at.row);
  const column = grid.columnAt(at.col);
  if (!column) return [];
  const count = countSelectedRows(grid);
  const isSingle = isSingleCell(grid.selection);
  const state = row ? grid.store.cellState(row.id, column.id) : null;
  const hasOldValue = state?.oldValue !== undefined;
  const system = table.metadata.systemName;
  return [
    ...clipboardEntries(context),
    ...(grid.canUpdate
      ? [
          {
            label: t('table.clearCells'),
            hint: keyCaps(['Delete']).join(''),
            onClick: actions.onClear,
          },
        ]
      : []),
    'divider',
    ...undoEntries(context),
    ...(grid.canUpdate && (!isSingle || hasOldValue)
      ? [
          {
            label: isSingle ? t('table.revertCell', { system }) : t('table.revertCells', { system }),
            onClick: () => void revertChosen(table, 'cells'),
          },
        ]
      : []),
    'divider',
    ...(grid.canUpdate && !isSingle
      ? [
          {
            label: t('table.fillDown'),
            icon: 'down' as const,
            hint: keys('Mod', 'D'),
            onClick: () => void fillSelection(grid, 'down'),
          },
          {
            label: t('table.fillRight'),
            icon: 'arrowRight' as const,
            hint: keys('Mod', 'R'),
            onClick: () => void fillSelection(grid, 'right'),
          },
          {
            label: t('table.batchEdit', { count }),
            icon: 'edit' as const,
            onClick: actions.onBatchEdit,
          },
          'divider' as const,
        ]
      : []),
    ...(isSingle ? valueFilterEntries(context, column, grid.store.valueAt(at.row, column.id)) : []),
    ...(isSingle && row ? recordEntries(context, row) : []),
    ...(isSingle ? ['divider' as const] : []),
    duplicateEntry(context, count),
    ...revertEntries(context, row, count),
    deleteEntry(context, row, count),
  ];
};

/** Menu of a row number: of all rows that are selected. */
export const rowMenu = (context: MenuContext, at: CellAt): MenuEntry[] => {
  const { table, actions, t } = context;
  const { grid } = table;
  const row = grid.store.rowAt(at.row);
  const count = countSelectedRows(grid);
  return [
    ...clipboardEntries(context),
    'divider',
    ...(hasWholeRows(grid.selection)
      ? []
      : [
          {
            label: t('table.selectRow'),
            hint: keys('Shift', 'Space'),
            onClick: () => grid.select(selectRow(grid.selection, at.row)),
          },
        ]),
    ...(row && count === 1 ? recordEntries(context, row) : []),
    ...(grid.canUpdate
      ? [
          {
            label: t('table.batchEdit', { count }),
            icon: 'edit' as const,
            onClick: actions.onBatchEdit,
          },
        ]
      : []),
    duplicateEntry(context, count),
    'divider',
    ...undoEntries(context),
    ...revertEntries(context, row, count),
    deleteEntry(context, row, count),
  ];
};
