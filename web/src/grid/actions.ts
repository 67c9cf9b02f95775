import type { Value } from '@sluice/contract';
import { parseTsv } from './clipboard.ts';
import type { GridController } from './controller.ts';
import { type PastePlan, planPaste } from './edit-plan.ts';
import { type Range, cutRange, cutRanges, hasWholeRows, selectedRowSpans } from './selection.ts';
import type { RowView, TopRow } from './store.ts';
import type { CellAt, CellFailure, EditBatch, EditKind } from './types.ts';
import { nextRedo, nextUndo, record, redone, undone } from './undo.ts';

/** Most cells of one paste or of one emptying. */
const MAX_CHANGED_CELLS = 500_000;
/** Rows of one request for what is not loaded: few enough that the page stays awake between the answers. */
const ROWS_PER_READ = 1000;

export interface Change {
  rowId: string;
  fieldId: string;
  value: Value;
}

const running = new WeakMap<GridController, Set<Promise<unknown>>>();

/** Steps under way: undo waits for them, since what is seen already is what one wants to take back. */
export const whileRunning = async <T>(grid: GridController, work: Promise<T>): Promise<T> => {
  const own = running.get(grid) ?? new Set();
  running.set(grid, own.add(work));
  try {
    return await work;
  } finally {
    own.delete(work);
  }
};

/** Sends changes to the server; they show at once, and a cell that could not be saved says so at its place. */
export const applyChanges = (
  grid: GridController,
  changes: readonly Change[],
  kind: EditKind = 'edit',
  /** Revision that the user saw, where it is not the row's present one. */
  seen: ReadonlyMap<string, number> = new Map(),
): Promise<void> => whileRunning(grid, sendChanges(grid, changes, kind, seen));

const sendChanges = async (
  grid: GridController,
  changes: readonly Change[],
  kind: EditKind,
  seen: ReadonlyMap<string, number>,
): Promise<void> => {
  if (changes.length === 0) return;
  const { store, commands } = grid;
  // Rows that are not loaded show nothing: half a million cells laid over them would only fill the memory.
  const shown = changes.filter(({ rowId }) => store.positionOf(rowId) !== null);
  store.setLocal(shown);
  const batch = batchOf(grid, changes, kind, seen);
  try {
    const outcome = await commands.apply(batch);
    for (const [draftId, patch] of outcome.settled) store.settleDraft(draftId, patch);
    store.applyPatches(outcome.rows);
    if (outcome.stored) store.commit(shown, outcome.stored, new Date().toISOString());
    store.settleLocal(shown, outcome.failures);
    // Some may have been read in between, before they were changed.
    if (shown.length < changes.length) store.markStale();
    if (outcome.isStored) {
      grid.undoStack = record(grid.undoStack, batch.editId);
      grid.emit('undo');
    }
    if (outcome.unsent?.size) {
      grid.announce(grid.translate('stopped', { count: outcome.unsent.size }), 'warning');
    }
    const [first] = outcome.failures;
    if (first) grid.announce(`${grid.translate('notSaved')}: ${first.message}`, 'error');
  } catch (error) {
    const message = commands.describeError(error);
    const failures: CellFailure[] = shown.map(({ rowId, fieldId }) => ({ rowId, fieldId, message }));
    store.settleLocal(shown, failures);
    grid.announce(`${grid.translate('notSaved')}: ${message}`, 'error');
  }
};

const batchOf = (
  grid: GridController,
  changes: readonly Change[],
  kind: EditKind,
  seen: ReadonlyMap<string, number>,
): EditBatch => {
  const { store } = grid;
  const drafts = new Map(store.topRows.filter((row) => row.isDraft).map((row) => [row.id, row]));
  const byRow = new Map<string, Record<string, Value>>();
  for (const { rowId, fieldId, value } of changes) {
    const own = byRow.get(rowId) ?? {};
    own[fieldId] = value;
    byRow.set(rowId, own);
  }
  const batch: EditBatch = { editId: grid.commands.newId(), kind, edits: [], inserts: [] };
  for (const [rowId, values] of byRow) {
    if (drafts.has(rowId)) batch.inserts.push({ draftId: rowId, values: draftValues(grid, rowId, values) });
    else {
      const position = store.positionOf(rowId);
      const now = position === null ? null : store.rowAt(position)?.revision;
      const revision = seen.get(rowId) ?? now ?? 0;
      batch.edits.push({ rowId, revision, changes: values });
    }
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

interface FoundRow {
  id: string;
  revision: number;
  /** Null where the row is loaded: the store has them then. */
  values: ((fieldIndex: number) => Value) | null;
}

/** What the user saw of rows that are not loaded: their revisions, for the server to compare. */
export const seenRevisions = (rows: ReadonlyMap<number, FoundRow>): Map<string, number> =>
  new Map([...rows.values()].filter(({ values }) => values).map(({ id, revision }) => [id, revision]));

/** Rows that are not loaded are fetched, in order, as the snapshot has them. */
export const rowIds = async (
  grid: GridController,
  top: number,
  bottom: number,
  /** Told how many rows are there; false stops it. */
  onProgress: (rows: number) => boolean = () => true,
): Promise<Map<number, FoundRow>> => {
  const found = new Map<number, FoundRow>();
  const offset = grid.store.topRows.length;
  for (let row = top; row <= bottom; row++) {
    const loaded = grid.store.rowAt(row);
    if (loaded) {
      found.set(row, { id: loaded.id, revision: loaded.revision, values: null });
      continue;
    }
    if (grid.store.isGap(row)) continue;
    const limit = Math.min(ROWS_PER_READ, bottom - row + 1);
    const block = await grid.commands.loadRows(row - offset, limit, grid.store.currentSnapshot);
    block.ids.forEach((id, i) => {
      if (id === null) return;
      const values = (field: number): Value => block.columns[field]?.[i] ?? null;
      found.set(row + i, { id, revision: block.revisions[i] ?? 0, values });
    });
    if (block.ids.length === 0) break;
    row += block.ids.length - 1;
    if (!onProgress(row - top + 1)) break;
  }
  return found;
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

/** Lays pasted text over the selection. Types are checked before anything changes. */
export const paste = (grid: GridController, text: string): Promise<void> =>
  whileRunning(grid, layDown(grid, text));

const layDown = async (grid: GridController, text: string): Promise<void> => {
  const block = parseTsv(text);
  if (block.length === 0) return;
  const selected = cutRange(
    grid.selection.ranges.at(-1) ?? { kind: 'cells', top: 0, left: 0, bottom: 0, right: 0 },
    grid.extent,
  );
  const at = grid.selection.active;
  const target: Range = selected ?? {
    kind: 'cells',
    top: at.row,
    bottom: at.row,
    left: at.col,
    right: at.col,
  };
  const plan = planPaste(block, target, {
    columns: grid.layout.columns,
    rowCount: grid.store.rowCount,
    canAddRows: grid.canInsert && grid.store.total !== null,
    settings: grid.settings,
    canWrite: (column) => !column.isReadOnly || column.field.isReadOnlyOnUpdate,
  });
  if (plan.invalidColumns.length > 0) {
    grid.announce(grid.translate('invalidDataTypes', { columns: plan.invalidColumns.join(', ') }), 'error');
    return;
  }
  if (plan.height * plan.width > MAX_CHANGED_CELLS) {
    grid.announce(grid.translate('tooLargeToPaste', { count: MAX_CHANGED_CELLS }), 'warning');
    return;
  }
  const kept = plan.height - plan.extraRows;
  const drafts: TopRow[] = Array.from({ length: plan.extraRows }, () => ({
    id: grid.commands.newId(),
    revision: 0,
    isDraft: true,
    values: grid.columns.map((column) => column.field.defaultValue ?? null),
  }));
  const changes: Change[] = [];
  let skipped = plan.readOnlyColumns * plan.height;
  const take = (r: number, id: string, view: RowView | null): void => {
    for (let c = 0; c < plan.width; c++) {
      const column = grid.columnAt(plan.left + c);
      const value = plan.valueAt(r, c);
      if (!column || value === undefined) continue;
      if (view && grid.whyReadOnly(view, column)) skipped++;
      else changes.push({ rowId: id, fieldId: column.id, value });
    }
  };
  const missing: number[] = [];
  for (let r = 0; r < kept; r++) {
    const view = grid.store.rowAt(plan.top + r);
    if (view) take(r, view.id, view);
    else if (!grid.store.isGap(plan.top + r)) missing.push(r);
  }
  // What is loaded shows at once; the rest is asked for meanwhile.
  grid.store.setLocal(changes);
  selectPasted(grid, plan, kept);
  grid.emit('block');
  const first = changes.length;
  let seen: ReadonlyMap<string, number> = new Map();
  const [from, to] = [missing[0], missing.at(-1)];
  if (from !== undefined && to !== undefined) {
    try {
      const ids = await rowIds(grid, plan.top + from, plan.top + to);
      seen = seenRevisions(ids);
      for (const r of missing) {
        const id = ids.get(plan.top + r)?.id;
        if (id !== undefined) take(r, id, null);
      }
    } catch (error) {
      const message = grid.commands.describeError(error);
      grid.store.settleLocal(
        changes,
        changes.slice(0, first).map(({ rowId, fieldId }) => ({ rowId, fieldId, message })),
      );
      grid.announce(`${grid.translate('notSaved')}: ${message}`, 'error');
      return;
    }
  }
  // Rows beyond the end have no place in the snapshot; they join the other new records at the top.
  if (drafts.length > 0) grid.store.addTop(drafts, 'end');
  drafts.forEach(({ id }, i) => {
    const view = grid.store.rowAt(grid.store.positionOf(id) ?? -1);
    take(kept + i, id, view);
  });
  if (skipped > 0) grid.announce(grid.translate('readOnlySkipped', { count: skipped }), 'info');
  grid.announce(grid.translate('pasted', { count: changes.length }));
  await applyChanges(grid, changes, 'paste', seen);
};

const selectPasted = (grid: GridController, plan: PastePlan, kept: number): void =>
  grid.select({
    ranges: [
      {
        kind: 'cells',
        top: plan.top,
        left: plan.left,
        bottom: plan.top + Math.max(0, kept - 1),
        right: plan.left + plan.width - 1,
      },
    ],
    anchor: { row: plan.top, col: plan.left },
    active: { row: plan.top, col: plan.left },
  });

/** Records chosen in the table, for a dialog over it. */
export interface ChosenRecords {
  ids: readonly string[];
  /** Chosen as whole rows, so most likely for that dialog; otherwise the choice is only offered there. */
  isMeant: boolean;
}

export const chosenRecords = async (grid: GridController): Promise<ChosenRecords> => ({
  ids: countSelectedRows(grid) > 1 ? await selectedIds(grid) : [],
  isMeant: hasWholeRows(grid.selection),
});

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
  whileRunning(grid, removeRows(grid, ids));

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
    grid.undoStack = record(grid.undoStack, editId);
    grid.emit('undo');
  } catch (error) {
    grid.announce(commands.describeError(error), 'error');
  }
};

export const undo = (grid: GridController): Promise<void> => step(grid, 'undo');
export const redo = (grid: GridController): Promise<void> => step(grid, 'redo');

/** Takes back one step, the last one or the one named (the undo button of a pending delete). */
const step = async (grid: GridController, direction: 'undo' | 'redo'): Promise<void> => {
  const { commands, store, translate } = grid;
  await Promise.allSettled(running.get(grid) ?? new Set<Promise<unknown>>());
  const id = direction === 'undo' ? nextUndo(grid.undoStack) : nextRedo(grid.undoStack);
  if (id === null) {
    grid.announce(translate(direction === 'undo' ? 'nothingToUndo' : 'nothingToRedo'));
    return;
  }
  grid.undoStack = direction === 'undo' ? undone(grid.undoStack) : redone(grid.undoStack);
  grid.emit('undo');
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
  }
};

/** Delete and Backspace: whole rows ask to be deleted, cells are emptied. */
export const wantsRowDelete = (grid: GridController): boolean => hasWholeRows(grid.selection);
