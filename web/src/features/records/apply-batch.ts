import type { PendingOperations, Value } from '@sluice/contract';
import type { CellFailure, EditBatch, EditOutcome, RowPatch } from '../../grid/types.ts';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { allOperations } from './row-state.ts';
import type { TableSession } from './table-session.ts';

/** Records of one call: half of the contract's `maxBatch`, so that one sees how far it is. */
const MAX_BATCH = 5000;
/** From here on the server names what it stored instead of repeating it. */
const BRIEF_FROM = 200;

const chunks = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / MAX_BATCH) }, (_, i) =>
    list.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH),
  );

type Edits = EditBatch['edits'];

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
  return error.fieldErrors.flatMap(({ id, field }): CellFailure[] => {
    if (!id || !edits.some((edit) => edit.rowId === id)) return [];
    const change = byId.get(id)?.changes.find((one) => one.fieldName === field);
    const theirs: Value = change ? change.newValue : null;
    return [{ rowId: id, fieldId: field, message: error.message, theirs }];
  });
};

const without = (edits: Edits, failures: readonly CellFailure[]): Edits =>
  edits.flatMap((edit) => {
    const bad = new Set(failures.filter((one) => one.rowId === edit.rowId).map((one) => one.fieldId));
    const changes = Object.fromEntries(Object.entries(edit.changes).filter(([field]) => !bad.has(field)));
    return Object.keys(changes).length > 0 ? [{ ...edit, changes }] : [];
  });

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
  const stored = new Map<string, number>();
  const params = { collection: table.collection };
  const query = { editId: batch.editId, kind: batch.kind };

  for (const list of chunks(batch.inserts)) {
    const reply = await call('insertRecords', { params, query, body: list.map(({ values }) => values) });
    table.patches(reply.resources, reply.pendingOperations).forEach((patch, i) => {
      const draftId = list[i]?.draftId;
      if (draftId) settled.set(draftId, patch);
    });
    isStored = true;
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
      rows.push(...table.patches(reply.resources, reply.pendingOperations));
      const told = new Set(reply.resources.map((resource) => resource.internalId));
      const untold = allOperations(reply.pendingOperations).filter((operation) => !told.has(operation.id));
      table.applyOperations(
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
  const lists = chunks(batch.edits);
  const total = batch.edits.reduce((sum, edit) => sum + Object.keys(edit.changes).length, 0);
  const tracker = lists.length > 1 ? table.track(batch.kind === 'fill' ? 'fill' : 'paste', total) : null;
  const unsent = new Set<string>();
  let done = 0;
  let broken: string | null = null;
  try {
    for (const list of lists) {
      if (tracker?.isStopped) for (const edit of list) unsent.add(edit.rowId);
      else if (broken !== null) failures.push(...allFailed(list, broken));
      else {
        try {
          await send(list, true);
        } catch (error) {
          // What went before is stored and can be undone: only the rest failed.
          if (!isStored) throw error;
          broken = errorText(error);
          failures.push(...allFailed(list, broken));
        }
      }
      done += list.reduce((sum, edit) => sum + Object.keys(edit.changes).length, 0);
      tracker?.update(done);
    }
  } finally {
    tracker?.end();
  }
  if (isStored) void table.readCounts();
  return {
    rows,
    settled,
    failures,
    isStored,
    unsent,
    stored,
  };
};

/** The other user's operation is what the row holds now: the next try is then an informed one. */
const noteOthers = (table: TableSession, error: ApiError): void => {
  const operations = error.body?.details?.['pendingOperations'] as PendingOperations | undefined;
  if (operations) table.applyOperations(allOperations(operations), []);
};
