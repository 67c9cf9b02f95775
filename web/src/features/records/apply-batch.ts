import type { PendingOperations, Value } from '@sluice/contract';
import type { CellFailure, EditBatch, EditOutcome, RowPatch } from '../../grid/types.ts';
import { ApiError, call, callSurely, errorText } from '../../platform/call.ts';
import { trackLong } from './bulk-run.ts';
import { allOperations } from './row-state.ts';
import type { TableSession } from './table-session.ts';

/** Records of one call: half of the contract's `maxBatch`. */
const MAX_BATCH = 5000;
/** Cells of one call: some tenths of a second, so that one sees how far it is. */
const MAX_CELLS = 10_000;
/** Records of the first call, which opens the step and keeps the others waiting. */
const FIRST_BATCH = 1000;
/** Calls under way at a time. */
const AT_ONCE = 3;
/** From here on the server names what it stored instead of repeating it. */
const BRIEF_FROM = 200;

const chunks = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / MAX_BATCH) }, (_, i) =>
    list.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH),
  );

type Edits = EditBatch['edits'];

const cellsOf = (edits: Edits): number =>
  edits.reduce((sum, { changes }) => sum + Object.keys(changes).length, 0);

/** Edits as they are sent: a call each. */
const calls = (edits: Edits): Edits[] => {
  const lists: Edits[] = [];
  let list: Edits = [];
  let cells = 0;
  for (const edit of edits) {
    const most = lists.length === 1 ? FIRST_BATCH : MAX_BATCH;
    if (list.length === 0 || list.length >= most || cells >= MAX_CELLS) {
      lists.push((list = []));
      cells = 0;
    }
    list.push(edit);
    cells += Object.keys(edit.changes).length;
  }
  return lists;
};

/** Which cells a refused call names, with the reason; null when it names none. */
const failuresOf = (error: ApiError, edits: Edits): CellFailure[] | null => {
  if (error.code === 'REVISION_CONFLICT') return conflictsOf(error, edits);
  if (error.code === 'BEING_PUSHED' || error.code === 'NOT_FOUND') {
    const ids = idsOf(error.body?.details?.['ids']);
    const failures = edits
      .filter((edit) => ids.has(edit.rowId))
      .flatMap((edit) =>
        Object.keys(edit.changes).map((fieldId) => ({ rowId: edit.rowId, fieldId, message: error.message })),
      );
    return failures.length > 0 ? failures : null;
  }
  const named = error.fieldErrors.flatMap(({ id, field, message }): CellFailure[] => {
    const place = /^\[(\d+)\]\.?(?:changes\.?)?(.*)$/.exec(field);
    const rowId = id ?? (place ? edits[Number(place[1])]?.rowId : undefined);
    const fieldId = place ? (place[2] ?? '') : field;
    return rowId ? [{ rowId, fieldId, message }] : [];
  });
  return named.length > 0 ? named : null;
};

const idsOf = (value: unknown): Set<string> => new Set(Array.isArray(value) ? value.map(String) : []);

/** 409: the cells that somebody else changed meanwhile, with what they hold now. */
const conflictsOf = (error: ApiError, edits: Edits): CellFailure[] => {
  const details = error.body?.details;
  const operations = details?.['pendingOperations'] as PendingOperations | undefined;
  const byId = new Map((operations ? allOperations(operations) : []).map((one) => [one.id, one]));
  const sent = new Set(edits.map((edit) => edit.rowId));
  return error.fieldErrors.flatMap(({ id, field }): CellFailure[] => {
    if (!id || !sent.has(id)) return [];
    const change = byId.get(id)?.changes.find((one) => one.fieldName === field);
    const theirs: Value = change ? change.newValue : null;
    return [{ rowId: id, fieldId: field, message: error.message, theirs }];
  });
};

const without = (edits: Edits, failures: readonly CellFailure[]): Edits => {
  const bad = new Set(failures.map(({ rowId, fieldId }) => `${rowId}\n${fieldId}`));
  return edits.flatMap((edit) => {
    const good = Object.entries(edit.changes).filter(([field]) => !bad.has(`${edit.rowId}\n${field}`));
    return good.length > 0 ? [{ ...edit, changes: Object.fromEntries(good) }] : [];
  });
};

const allFailed = (edits: Edits, message: string): CellFailure[] =>
  edits.flatMap(({ rowId, changes }) => Object.keys(changes).map((fieldId) => ({ rowId, fieldId, message })));

/**
 * Sends one step of the user. The server takes a batch whole or not at all: cells that it names are marked, the rest
 * is sent again without them.
 */
export const applyBatch = async (table: TableSession, batch: EditBatch): Promise<EditOutcome> => {
  const rows: RowPatch[] = [];
  const settled = new Map<string, RowPatch>();
  const failures: CellFailure[] = [];
  let isStored = false;
  let { editId } = batch;
  const stored = new Map<string, number>();
  const params = { collection: table.collection };
  const query = { editId: batch.editId, kind: batch.kind };

  let broken: { error: unknown } | null = null;

  // One after the other: new records keep the order in which they were written.
  for (const list of chunks(batch.inserts)) {
    try {
      if (broken) throw broken.error;
      // The draft's own name goes along: what reaches the server twice is added once.
      const body = list.map(({ draftId, values }) => ({ ...values, internalId: draftId }));
      const reply = await callSurely('insertRecords', { params, query, body });
      editId = reply.editId ?? editId;
      table.answers.patches(reply.resources, reply.pendingOperations).forEach((patch, i) => {
        const draftId = list[i]?.draftId;
        if (draftId) settled.set(draftId, patch);
      });
      isStored = true;
    } catch (error) {
      broken = { error };
      const drafts = list.map(({ draftId, values }) => ({ rowId: draftId, revision: 0, changes: values }));
      failures.push(...allFailed(drafts, errorText(error)));
    }
  }

  const send = async (edits: Edits, mayRetry: boolean): Promise<void> => {
    if (edits.length === 0) return;
    const body = edits.map(({ rowId, revision, changes }) => ({ id: rowId, revision, changes }));
    try {
      const isBrief = edits.length > BRIEF_FROM;
      const reply = await call('patchRecords', {
        params,
        query: { ...query, ...(isBrief ? { answer: 'brief' as const } : {}) },
        body,
      });
      if (reply.stored) {
        for (const id of reply.stored.ids) stored.set(id, reply.stored.revision);
      }
      rows.push(...table.answers.patches(reply.resources, reply.pendingOperations));
      const told = new Set(reply.resources.map((resource) => resource.internalId));
      const untold = allOperations(reply.pendingOperations).filter((operation) => !told.has(operation.id));
      table.answers.applyOperations(
        untold,
        reply.clearedIds.filter((id) => !told.has(id)),
      );
      isStored = true;
    } catch (error) {
      const named = error instanceof ApiError ? failuresOf(error, edits) : null;
      if (!named || named.length === 0 || !mayRetry) throw error;
      failures.push(...named);
      if (error instanceof ApiError && error.code === 'REVISION_CONFLICT') noteOthers(table, error);
      await send(without(edits, named), false);
    }
  };
  const waiting = calls(batch.edits);
  const kind = batch.kind === 'fill' ? 'fill' : 'paste';
  const tracker = waiting.length > 1 ? trackLong(table, kind, cellsOf(batch.edits)) : null;
  const unsent = new Set<string>();
  let done = 0;
  /** What was sent before a call fails is stored and can be undone: its answers count whatever becomes of the rest. */
  const sendNext = async (): Promise<void> => {
    const list = waiting.shift();
    if (!list) return;
    if (tracker?.isStopped) for (const { rowId } of list) unsent.add(rowId);
    else if (broken) failures.push(...allFailed(list, errorText(broken.error)));
    else {
      try {
        await send(list, true);
      } catch (error) {
        broken ??= { error };
        // Before those that the server has named: what it said of them is more exact.
        failures.unshift(...allFailed(list, errorText(error)));
      }
    }
    done += cellsOf(list);
    tracker?.update(done);
  };
  const sendRest = async (): Promise<void> => {
    while (waiting.length > 0) await sendNext();
  };
  try {
    // The first call that is stored opens the step in the journal; the others join it, in whatever order.
    while (waiting.length > 0 && !isStored) await sendNext();
    await Promise.all(Array.from({ length: AT_ONCE }, sendRest));
  } finally {
    tracker?.end();
  }
  if (isStored) void table.readCounts();
  return {
    rows,
    settled,
    failures,
    isStored,
    editId,
    unsent,
    stored,
  };
};

/** The other user's operation is what the row holds now: the next try is then an informed one. */
const noteOthers = (table: TableSession, error: ApiError): void => {
  const operations = error.body?.details?.['pendingOperations'] as PendingOperations | undefined;
  if (operations) table.answers.applyOperations(allOperations(operations), []);
};
