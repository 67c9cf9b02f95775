import type { Value } from '@sluice/contract';
import type { GridController } from './controller.ts';
import { failuresByCell } from './local-cells.ts';
import { rowIds, seenRevisions } from './found-rows.ts';
import { cutRanges, hasWholeRows, selectedRowSpans } from './selection.ts';
import { Slices } from './slices.ts';
import type { TopRow } from './top-rows.ts';
import type { CellAt, CellFailure, EditBatch, EditKind } from './types.ts';
import { nextRedo, nextUndo, record, redone, undone } from './undo.ts';

/** Most cells of one paste or of one emptying. */
export const MAX_CHANGED_CELLS = 500_000;
/** Cells of an answer that are settled at a time. */
const CELLS_PER_SLICE = 5000;

export interface Change {
  rowId: string;
  fieldId: string;
  value: Value;
}

/** Sends changes to the server; they show at once, and a cell that could not be saved says so at its place. */
export const applyChanges = (
  grid: GridController,
  changes: readonly Change[],
  kind: EditKind = 'edit',
  /** Revision that the user saw, where it is not the row's present one. */
  seen: ReadonlyMap<string, number> = new Map(),
): Promise<void> => {
  if (changes.length === 0) return Promise.resolve();
  grid.store.setLocal(shownOf(grid, changes));
  // What somebody else changes while this waits for its turn has not been seen.
  const revisions = revisionsOf(grid, changes, seen);
  return grid.steps.run(new Set(revisions.keys()), () => sendChanges(grid, changes, kind, revisions));
};

/** Shows what a step will send when it is its turn, except over newer changes; answers the revisions that are seen. */
export const showInStep = (
  grid: GridController,
  changes: readonly Change[],
  seen: ReadonlyMap<string, number>,
  since: number,
): ReadonlyMap<string, number> => {
  grid.store.setLocal(shownOf(grid, changes), since);
  return revisionsOf(grid, changes, seen);
};

/** Rows that are not loaded show nothing: half a million cells laid over them would only fill the memory. */
export const shownOf = ({ store }: GridController, changes: readonly Change[]): readonly Change[] =>
  changes.filter(({ rowId, fieldId }) => store.positionOf(rowId) !== null || store.localCell(rowId, fieldId));

const revisionsOf = (
  { store }: GridController,
  changes: readonly Change[],
  seen: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> => {
  const revisions = new Map<string, number>();
  for (const { rowId, fieldId } of changes) {
    const known = revisions.get(rowId) ?? seen.get(rowId) ?? Number.POSITIVE_INFINITY;
    const now = store.seenRevision(rowId, fieldId) ?? (seen.has(rowId) ? known : 0);
    revisions.set(rowId, Math.min(known, now));
  }
  return revisions;
};

/** One step of the user on its way; what it changes shows already. `revisions`: what he saw of each row. */
export const sendChanges = async (
  grid: GridController,
  wanted: readonly Change[],
  kind: EditKind,
  revisions: ReadonlyMap<string, number>,
): Promise<void> => {
  if (wanted.length === 0) return;
  const { store, commands } = grid;
  // A draft may have become a record while this waited for its turn.
  const changes = wanted.map((change) => {
    const rowId = store.nowOf(change.rowId).id;
    return rowId === change.rowId ? change : { ...change, rowId };
  });
  const shown = shownOf(grid, changes);
  const slices = new Slices();
  const settle = async (failures: readonly CellFailure[], stored?: ReadonlyMap<string, number>) => {
    const at = new Date().toISOString();
    const failed = failuresByCell(failures);
    for (let from = 0; from < shown.length; from += CELLS_PER_SLICE) {
      const part = shown.slice(from, from + CELLS_PER_SLICE);
      if (stored) store.commit(part, stored, at);
      store.settleLocal(part, failed);
      if (slices.isOver) await slices.pause();
    }
  };
  try {
    const batch = await batchOf(grid, changes, kind, revisions);
    const outcome = await commands.apply(batch);
    for (const [draftId, patch] of outcome.settled) store.settleDraft(draftId, patch);
    store.applyPatches(outcome.rows);
    await settle(outcome.failures, outcome.stored);
    // Some may have been read in between, before they were changed.
    if (shown.length < changes.length) store.markStale();
    if (outcome.isStored) {
      grid.undoStack = record(grid.undoStack, outcome.editId ?? batch.editId);
      grid.emit('undo');
    }
    if (outcome.unsent?.size) {
      grid.announce(grid.translate('stopped', { count: outcome.unsent.size }), 'warning');
    }
    const [first] = outcome.failures;
    if (first) grid.announce(`${grid.translate('notSaved')}: ${first.message}`, 'error');
  } catch (error) {
    const message = commands.describeError(error);
    await settle(shown.map(({ rowId, fieldId }) => ({ rowId, fieldId, message })));
    grid.announce(`${grid.translate('notSaved')}: ${message}`, 'error');
  }
};

const batchOf = async (
  grid: GridController,
  changes: readonly Change[],
  kind: EditKind,
  revisions: ReadonlyMap<string, number>,
): Promise<EditBatch> => {
  const { store } = grid;
  const drafts = new Set(store.topRows.filter((row) => row.isDraft).map((row) => row.id));
  const byRow = new Map<string, Record<string, Value>>();
  const slices = new Slices();
  for (const { rowId, fieldId, value } of changes) {
    const own = byRow.get(rowId);
    if (own) own[fieldId] = value;
    else {
      byRow.set(rowId, { [fieldId]: value });
      if (slices.isOver) await slices.pause();
    }
  }
  const batch: EditBatch = { editId: grid.commands.newId(), kind, edits: [], inserts: [] };
  for (const [rowId, values] of byRow) {
    if (drafts.has(rowId)) batch.inserts.push({ draftId: rowId, values: draftValues(grid, rowId, values) });
    else batch.edits.push({ rowId, revision: revisions.get(rowId) ?? 0, changes: values });
  }
  return batch;
};

/** A draft's first values go with all that it shows: its defaults too. */
const draftValues = (
  grid: GridController,
  draftId: string,
  values: Record<string, Value>,
): Record<string, Value> => {
  const all: Record<string, Value> = {};
  for (const column of grid.columns) {
    const value = grid.store.valueOf(draftId, column.id);
    if (value !== null && value !== undefined && !(column.isReadOnly && !column.field.isReadOnlyOnUpdate)) {
      all[column.id] = value;
    }
  }
  return { ...all, ...values };
};

/** `seenRevision`: of the row when the edit began, so that a change of somebody else since then is not lost. */
export const editCell = (
  grid: GridController,
  at: CellAt,
  value: Value,
  seenRevision?: number,
): Promise<void> => {
  const row = grid.store.rowAt(at.row);
  const column = grid.columnAt(at.col);
  if (!row || !column) return Promise.resolve();
  const why = grid.whyReadOnly(row, column);
  if (why) {
    grid.announce(`${grid.translate('notSaved')}: ${grid.translate(why)}`, 'warning');
    return Promise.resolve();
  }
  const before = grid.store.valueOf(row.id, column.id, at.row) ?? null;
  const failed = grid.store.localCell(row.id, column.id)?.state === 'failed';
  if (!failed && (before === value || (before === null && value === ''))) return Promise.resolve();
  const seen = seenRevision === undefined ? new Map() : new Map([[row.id, seenRevision]]);
  return applyChanges(grid, [{ rowId: row.id, fieldId: column.id, value }], 'edit', seen);
};

/** Drafts at the top; they reach the server once a cell has a value. */
export const addRows = (grid: GridController, count: number, defaults: Record<string, Value> = {}): void => {
  addDrafts(
    grid,
    Array.from({ length: count }, () => ({
      id: grid.commands.newId(),
      values: grid.columns.map((column) => defaults[column.id] ?? column.field.defaultValue ?? null),
    })),
  );
};

/** Rows with values at the top, and the cursor in the first of them. */
export const addDrafts = (grid: GridController, drafts: readonly { id: string; values: Value[] }[]): void => {
  const rows: TopRow[] = drafts.map(({ id, values }) => ({ id, values, revision: 0, isDraft: true }));
  grid.store.addTop(rows, 'start');
  // Where typing is useful at once: not a key that the external system hands out.
  const firstWritable = grid.layout.columns.findIndex(
    ({ isReadOnly, field }) => (!isReadOnly || field.isReadOnlyOnUpdate) && !field.hasServerDefault,
  );
  grid.selectAt({ row: 0, col: Math.max(0, firstWritable) });
};

/** Empties the selected cells; read-only ones are left and counted. */
export const clearSelection = async (grid: GridController): Promise<void> => {
  const changes: Change[] = [];
  const seen = new Map<string, number>();
  let skipped = 0;
  for (const range of cutRanges(grid.selection, grid.extent)) {
    if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > MAX_CHANGED_CELLS) return;
    const ids = await rowIds(grid, range.top, range.bottom);
    for (const [id, revision] of seenRevisions(ids)) seen.set(id, revision);
    for (const [row, { id }] of ids) {
      const view = grid.store.rowAt(row);
      for (let col = range.left; col <= range.right; col++) {
        const column = grid.columnAt(col);
        if (!column) continue;
        if (view && grid.whyReadOnly(view, column)) skipped++;
        else if (!view && column.isReadOnly) skipped++;
        else if (!view || grid.store.valueAt(row, column.id) !== null) {
          changes.push({ rowId: id, fieldId: column.id, value: null });
        }
      }
    }
  }
  if (skipped > 0) grid.announce(grid.translate('readOnlySkipped', { count: skipped }), 'info');
  await applyChanges(grid, changes, 'edit', seen);
};

/** Ids of the rows that the selection touches. */
export const selectedIds = async (grid: GridController): Promise<string[]> => {
  const ids: string[] = [];
  for (const span of selectedRowSpans(grid.selection, grid.extent)) {
    for (const { id } of (await rowIds(grid, span.top, span.bottom)).values()) ids.push(id);
  }
  return ids;
};

export const countSelectedRows = (grid: GridController): number =>
  selectedRowSpans(grid.selection, grid.extent).reduce((sum, { top, bottom }) => sum + bottom - top + 1, 0);

/** Makes the rows of the selection pending deletes; drafts just go. */
export const deleteRows = (grid: GridController, ids: readonly string[]): Promise<void> =>
  grid.steps.run(new Set(ids), () => removeRows(grid, ids));

const removeRows = async (grid: GridController, ids: readonly string[]): Promise<void> => {
  const { store, commands } = grid;
  const drafts = new Set(store.topRows.filter((row) => row.isDraft).map((row) => row.id));
  const draftIds = ids.filter((id) => drafts.has(id));
  const others = ids.filter((id) => !drafts.has(id));
  if (draftIds.length > 0) store.removeRows(draftIds);
  if (others.length === 0) return;
  const editId = commands.newId();
  try {
    const outcome = await commands.remove(editId, others);
    store.setRevisions(outcome.revisions);
    store.setStates(outcome.states);
    if (outcome.removedIds.length > 0) store.removeRows(outcome.removedIds);
    if (outcome.refused > 0)
      grid.announce(grid.translate('deleteRefused', { count: outcome.refused }), 'warning');
    if (outcome.refused === others.length) return;
    grid.undoStack = record(grid.undoStack, editId);
    grid.emit('undo');
  } catch (error) {
    grid.announce(commands.describeError(error), 'error');
  }
};

/** What is seen already is what one wants to take back: it waits for the steps under way. */
export const undo = (grid: GridController): Promise<void> => grid.steps.run(null, () => step(grid, 'undo'));
export const redo = (grid: GridController): Promise<void> => grid.steps.run(null, () => step(grid, 'redo'));

const step = async (grid: GridController, direction: 'undo' | 'redo'): Promise<void> => {
  const { commands, store, translate } = grid;
  const id = direction === 'undo' ? nextUndo(grid.undoStack) : nextRedo(grid.undoStack);
  if (id === null) {
    grid.announce(translate(direction === 'undo' ? 'nothingToUndo' : 'nothingToRedo'));
    return;
  }
  grid.undoStack = direction === 'undo' ? undone(grid.undoStack) : redone(grid.undoStack);
  grid.emit('undo');
  const tracker = commands.track(direction, 0);
  try {
    const outcome = await (direction === 'undo' ? commands.undo(id) : commands.redo(id));
    store.applyPatches(outcome.rows, true);
    if (outcome.removedIds.length > 0) store.removeRows(outcome.removedIds);
    grid.announce(translate(direction === 'undo' ? 'undone' : 'redone'));
    if (outcome.kept > 0) grid.announce(translate('keptByOthers', { count: outcome.kept }), 'warning');
  } catch (error) {
    grid.undoStack = direction === 'undo' ? redone(grid.undoStack) : undone(grid.undoStack);
    grid.emit('undo');
    grid.announce(commands.describeError(error), 'error');
  } finally {
    tracker.end();
  }
};

/** Delete and Backspace: whole rows ask to be deleted, cells are emptied. */
export const wantsRowDelete = (grid: GridController): boolean => hasWholeRows(grid.selection);
