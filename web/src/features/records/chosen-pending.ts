import { countSelectedRows } from '../../grid/actions.ts';
import { type ChosenRecords, chosenRows } from '../../grid/chosen-rows.ts';
import type { GridController } from '../../grid/controller.ts';
import { hasWholeRows } from '../../grid/selection.ts';
import { waitForStore } from '../../grid/wait-for-store.ts';
import { call } from '../../platform/call.ts';
import { t } from '../../platform/i18n/i18n.ts';
import type { TableSession } from './table-session.ts';

const nothingChosen: ChosenRecords = { ids: null, isMeant: false };

/** Within one row, which chooses nothing. */
const isOneRow = ({ selection: { ranges } }: GridController): boolean =>
  ranges.length <= 1 &&
  ranges.every(({ kind, top, bottom }) => (kind === 'cells' || kind === 'rows') && top === bottom);

/**
 * What a review of the selection is about, however many rows that is; the server tells which of them have changes.
 * A table that is just being read anew is waited for. Rejects with what the reading or the server answered, and with an
 * `AbortError` when the user stops it.
 */
export const chosenPending = async (table: TableSession): Promise<ChosenRecords> => {
  const { grid, collection } = table;
  if (isOneRow(grid)) return nothingChosen;
  const controller = new AbortController();
  const { signal } = controller;
  // A command that is running has the strip for itself.
  const hasStrip = table.state.get().job === null;
  if (hasStrip)
    table.setJob({
      label: t('bulk.preparing'),
      unit: 'records',
      done: 0,
      total: 0,
      cancel: () => controller.abort(),
    });
  try {
    // Until the rows are counted nobody knows what Ctrl+A means.
    await waitForStore(grid.store, ({ total }) => total !== null, signal);
    if (countSelectedRows(grid) <= 1) return nothingChosen;
    const { rows } = chosenRows(grid);
    const { ids } = await call('getChosenPending', { params: { collection }, body: { rows }, signal });
    return { ids, isMeant: hasWholeRows(grid.selection) };
  } finally {
    if (hasStrip) table.setJob(null);
  }
};
