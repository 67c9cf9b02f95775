import type { BulkCommand, Value } from '@sluice/contract';
import { clearSelection, deleteRows, selectedIds } from '../../grid/actions.ts';
import { type Chosen, chosenRows } from '../../grid/chosen-rows.ts';
import type { GridController } from '../../grid/controller.ts';
import { type Range, cutRanges } from '../../grid/selection.ts';
import type { GridColumn } from '../../grid/types.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { toast } from '../../ui/toasts.tsx';
import { type BulkPart, runBulk, tellBulk, tellChanged } from './bulk-run.ts';
import type { TableSession } from './table-session.ts';

/** Selections up to here whose rows are loaded are changed cell by cell, which shows at once. */
const DIRECT_ROWS = 1000;

const isDirect = (grid: GridController, spans: readonly { top: number; bottom: number }[]): boolean => {
  let rows = 0;
  for (const { top, bottom } of spans) {
    rows += bottom - top + 1;
    if (rows > DIRECT_ROWS) return false;
    for (let row = top; row <= bottom; row++) {
      if (!grid.store.rowAt(row) && !grid.store.isGap(row)) return false;
    }
  }
  return true;
};

/** False (and said so) while the number of rows is not known: then nobody can mean all of them. */
export const canChoose = (grid: GridController): boolean => {
  if (grid.store.total !== null) return true;
  toast('info', t('bulk.stillCounting'));
  return false;
};

const isWritable = (grid: GridController, column: GridColumn): boolean =>
  !column.isReadOnly && grid.canUpdate;

/** Deletes chosen rows: drafts just go, a few loaded ones at once, many by a command. */
export const deleteChosen = async (table: TableSession, chosen: Chosen): Promise<void> => {
  const { grid } = table;
  const spans = [...chosen.rows.ranges].map(([from, to]) => ({
    top: from + grid.store.topRows.length,
    bottom: to + grid.store.topRows.length,
  }));
  if (chosen.count <= DIRECT_ROWS && isDirect(grid, spans)) {
    await deleteRows(grid, await selectedIds(grid));
    return;
  }
  if (chosen.draftIds.length > 0) grid.store.removeRows(chosen.draftIds);
  const command: BulkCommand = { kind: 'delete' };
  const result = await runBulk(table, [{ rows: chosen.rows, command }], 'delete', t('bulk.deleting'));
  if (result) tellBulk(result, t('bulk.deletedRecords', { count: result.changedRecords }));
};

/** Each selected block as a command of its own, for its rows and columns; all one step. */
const partsOf = (
  grid: GridController,
  ranges: readonly Range[],
  command: (columns: readonly GridColumn[]) => BulkCommand | null,
): BulkPart[] =>
  ranges.flatMap((range) => {
    const columns = grid.layout.columns.slice(range.left, range.right + 1);
    const made = command(columns);
    const { rows, count } = chosenRows(grid, [{ top: range.top, bottom: range.bottom }]);
    return made && count > 0 ? [{ rows, command: made }] : [];
  });

/** Empties the selected cells, however many rows there are and whether they are loaded or not. */
export const clearChosen = async (table: TableSession): Promise<void> => {
  const { grid } = table;
  const ranges = cutRanges(grid.selection, grid.extent);
  if (isDirect(grid, ranges)) {
    await clearSelection(grid);
    return;
  }
  if (!canChoose(grid)) return;
  const parts = partsOf(grid, ranges, (columns) => {
    const changes: Record<string, Value> = {};
    for (const column of columns) if (isWritable(grid, column)) changes[column.id] = null;
    return Object.keys(changes).length > 0 ? { kind: 'set', changes } : null;
  });
  if (parts.length === 0) return;
  const result = await runBulk(table, parts, 'edit', t('bulk.clearing'));
  if (result) tellChanged(result);
};

/** Back to the external system's values: whole records, or only the selected columns of them. */
export const revertChosen = async (table: TableSession, what: 'cells' | 'records'): Promise<void> => {
  const { grid } = table;
  if (!canChoose(grid)) return;
  const parts = partsOf(grid, cutRanges(grid.selection, grid.extent), (columns) => ({
    kind: 'revert',
    fields: what === 'records' ? null : columns.map((column) => column.id),
  }));
  const result = await runBulk(table, parts, 'revert', t('bulk.reverting'));
  if (!result) return;
  // What was not changed is no news when one's own changes are taken back.
  delete result.skipped.unchanged;
  if (result.changedRecords === 0) toast('info', t('bulk.nothingChanged'));
  else {
    tellBulk(
      result,
      t('bulk.revertedRecords', {
        count: result.changedRecords,
        system: table.metadata.systemName,
      }),
    );
  }
};
