import type { FieldError, PendingReply, RecordChange } from '@sluice/contract';
import type { Actor, UserActor } from '../../platform/actor.ts';
import { rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { type CollectionModel, pendingTableOf } from '../cache/model.ts';
import { type CollectionContext, openCached, requireRightToEdit } from '../records/context.ts';
import { operationsOf, readRows, ridOf } from '../records/service.ts';
import { applyCells, type LockedRow, lockRids, lockRows, nextRevision } from './apply.ts';
import { type CellTexts, isReadOnly, textsOfChanges, throwFaults } from './changes.ts';
import * as journal from './journal.ts';
import { isRuled, revalidateSharing, sharersOf } from './revalidate.ts';
import { beginEdit, type EditOptions, type PendingServices, publishRows, replyOf } from './service.ts';
import { stageClean } from './stage-clean.ts';
import { groupOperations } from './wire.ts';

/** Changes of existing records: one batch, all or nothing on structural faults, conflicts and locks. */
export async function patchRecords(
  services: PendingServices,
  actor: UserActor,
  path: string,
  body: readonly RecordChange[],
  options: EditOptions,
): Promise<PendingReply> {
  const context = await openCached(services, actor, path);
  // Which of them are new shows when they are locked: in `stage`.
  requireRightToEdit(context, true);
  const { model } = context;
  const faults: Omit<FieldError, 'message'>[] = [];
  const wanted = new Map<number, CellTexts>();
  const seen = new Map<number, number>();
  body.forEach(({ id, revision, changes }, index) => {
    const rid = ridOf(id);
    // Whether a field is read-only for this record shows when it is known to be new or not: below.
    const texts = textsOfChanges(model, changes, { place: `[${index}].changes.`, isNew: true, id }, faults);
    const known = wanted.get(rid);
    wanted.set(rid, known ? new Map([...known, ...texts]) : texts);
    seen.set(rid, revision ?? 0);
  });
  throwFaults(faults);

  return await mutate(
    { pool: services.pool, actor },
    'records.update',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const staged = await stage(tx, services, actor, context, { wanted, seen, faults, options });
      const rids = [...wanted.keys()];
      tx.audit(`collection:${model.collectionId}`, { editId: staged.editId, cells: staged.cells });
      const editId = staged.cells > 0 ? staged.editId : null;
      if (options.answer !== 'brief') return await replyOf(tx, actor, model, rids, staged.cleared, editId);
      return await briefReplyOf(tx, actor, model, rids, staged, editId);
    },
  );
}

export interface Batch {
  /** Row id -> the cells to write. */
  wanted: ReadonlyMap<number, CellTexts>;
  /** Row id -> the revision that the user saw. */
  seen: ReadonlyMap<number, number>;
  faults: Omit<FieldError, 'message'>[];
  options: EditOptions;
}

export interface Staged {
  editId: string;
  revision: number;
  cells: number;
  /** Rows that had no pending operation and are now just as they were sent; `isRuled`: a rule may be broken by it. */
  plain: number[];
  isRuled: boolean;
  cleared: number[];
}

/** Writes a batch: rows without a pending operation at once, the others by the rules of shared editing. */
export async function stage(
  tx: Tx,
  services: PendingServices,
  actor: UserActor,
  context: CollectionContext,
  { wanted, seen, faults, options }: Batch,
): Promise<Staged> {
  const { model } = context;
  const rids = [...wanted.keys()];
  const fnos = new Set<number>();
  for (const texts of wanted.values()) for (const fno of texts.keys()) fnos.add(fno);
  const paths = [...fnos].flatMap((fno) => model.byFno.get(fno)?.path ?? []);
  const ruled = isRuled(model, paths);
  // Who shares a unique value now must still be known when it has changed.
  if (ruled) await lockRids(tx, model, rids);
  const before = ruled ? await sharersOf(tx, model, rids) : [];
  const editId = await beginEdit(tx, context, actor, options, 'edit');
  const author = { userId: actor.userId, at: services.now(), revision: await nextRevision(tx) };
  // What breaks a rule of editing is thrown below and takes all of it back.
  const plain = await stageClean(tx, model, author, editId, wanted);
  checkKnown(model, plain.changed, wanted, faults);
  const rest = without(wanted, plain.changed);
  const locked = rest.size > 0 ? await lockRows(tx, model, [...rest.keys()]) : new Map<number, LockedRow>();
  requireRightToEdit(context, plain.changed.length === 0 && areNew(locked));
  checkEditable(model, locked, rest, faults);
  throwFaults(faults);
  await checkRevisions(tx, services, actor, model, locked, rest, seen);
  const applied = await applyCells(tx, model, author, locked, rest);
  await journal.addCells(tx, editId, applied.changes);
  const concerned = ruled ? await revalidateSharing(tx, model, rids, before) : [];
  await journal.countCells(tx, editId, plain.cells + applied.changes.length);
  const others = [...applied.touched, ...applied.cleared, ...concerned];
  publishRows(tx, model, others.length > 0 ? [...new Set([...plain.changed, ...others])] : plain.changed);
  return {
    editId,
    revision: author.revision,
    cells: plain.cells + applied.changes.length,
    plain: plain.changed,
    isRuled: ruled,
    cleared: applied.cleared,
  };
}

const areNew = (locked: ReadonlyMap<number, LockedRow>): boolean =>
  [...locked.values()].every(({ action }) => action === 'i');

function without(wanted: ReadonlyMap<number, CellTexts>, rids: readonly number[]): Map<number, CellTexts> {
  if (rids.length === wanted.size) return new Map();
  const isDone = new Set(rids);
  return new Map([...wanted].filter(([rid]) => !isDone.has(rid)));
}

/** What may not be changed in records that the external system knows. */
function checkKnown(
  model: CollectionModel,
  rids: readonly number[],
  wanted: ReadonlyMap<number, CellTexts>,
  faults: Omit<FieldError, 'message'>[],
): void {
  const closed = new Set(model.columns.filter((column) => isReadOnly(column, false)).map(({ fno }) => fno));
  if (closed.size === 0) return;
  for (const rid of rids) {
    for (const fno of wanted.get(rid)?.keys() ?? []) {
      const field = model.byFno.get(fno)?.path ?? '';
      if (closed.has(fno))
        faults.push({ field, code: null, params: { key: 'field.readOnly', field }, id: String(rid) });
    }
  }
}

/** Only the records that are not simply as they were sent; the rest by their ids (`answer=brief`). */
async function briefReplyOf(
  tx: Tx,
  actor: Actor,
  model: CollectionModel,
  rids: readonly number[],
  staged: Staged,
  editId: string | null,
): Promise<PendingReply> {
  const invalid = staged.isRuled
    ? await rows<{ rid: number }>(
        tx,
        sql`select rid from ${pendingTableOf(model.collectionId)}
            where rid = any(${staged.plain}::int4[]) and invalid is not null`,
      )
    : [];
  const isTold = new Set(invalid.map(({ rid }) => rid));
  const plain = new Set(staged.plain.filter((rid) => !isTold.has(rid)));
  const told = rids.filter((rid) => !plain.has(rid));
  const reply = await replyOf(tx, actor, model, told, staged.cleared, editId);
  return { ...reply, stored: { ids: [...plain].map(String), revision: staged.revision } };
}

function checkEditable(
  model: CollectionModel,
  locked: ReadonlyMap<number, LockedRow>,
  wanted: ReadonlyMap<number, CellTexts>,
  faults: Omit<FieldError, 'message'>[],
): void {
  const beingPushed: string[] = [];
  for (const [rid, texts] of wanted) {
    const id = String(rid);
    const row = locked.get(rid);
    if (!row) faults.push({ field: 'id', code: null, params: { key: 'record.notFound', id }, id });
    else if (row.push_id) beingPushed.push(id);
    else if (row.action === 'd')
      faults.push({ field: 'id', code: null, params: { key: 'record.pendingDelete' }, id });
    else {
      for (const fno of texts.keys()) {
        const column = model.byFno.get(fno);
        if (column && isReadOnly(column, row.action === 'i')) {
          faults.push({
            field: column.path,
            code: null,
            params: { key: 'field.readOnly', field: column.path },
            id,
          });
        }
      }
    }
  }
  if (beingPushed.length > 0)
    throw new AppError('BEING_PUSHED', { details: { ids: beingPushed.slice(0, 100) } });
}

/**
 * The last *informed* writer wins: whoever overwrites another's cell, or a value that the external system has got
 * meanwhile, must have seen it (decisions Q-PEND-03, Q-PEND-05).
 */
async function checkRevisions(
  tx: Tx,
  services: PendingServices,
  actor: UserActor,
  model: CollectionModel,
  locked: ReadonlyMap<number, LockedRow>,
  wanted: ReadonlyMap<number, CellTexts>,
  seen: ReadonlyMap<number, number>,
): Promise<void> {
  const conflicts: { rid: number; fields: string[] }[] = [];
  for (const [rid, texts] of wanted) {
    const fields = [...texts.keys()].filter((fno) => {
      const cell = locked.get(rid)?.cells[fno];
      const isOthers = cell !== undefined && (cell.a !== actor.userId || cell.c !== undefined);
      return isOthers && cell.r > (seen.get(rid) ?? 0);
    });
    if (fields.length > 0)
      conflicts.push({ rid, fields: fields.flatMap((fno) => model.byFno.get(fno)?.path ?? []) });
  }
  if (conflicts.length === 0) return;
  const records = (
    await readRows(
      tx,
      model,
      conflicts.map(({ rid }) => rid),
    )
  ).filter((record) => record !== null);
  const { operations } = await operationsOf(services.pool, model, actor, records);
  throw new AppError('REVISION_CONFLICT', {
    details: {
      conflicts: conflicts.map(({ rid, fields }) => ({ id: String(rid), fields })),
      pendingOperations: groupOperations(operations),
    },
    fields: conflicts.flatMap(({ rid, fields }) =>
      fields.map((field) => ({
        field,
        code: null,
        params: { key: 'error.REVISION_CONFLICT' },
        id: String(rid),
      })),
    ),
  });
}
