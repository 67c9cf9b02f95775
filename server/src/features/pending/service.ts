import { randomUUID } from 'node:crypto';
import type { PendingReply } from '@sluice/contract';
import type { Actor, UserActor } from '../../platform/actor.ts';
import { type Db, rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { type CollectionModel, pendingTableOf, tableOf } from '../cache/model.ts';
import {
  type CollectionContext,
  type ContextServices,
  openCached,
  requireRight,
} from '../records/context.ts';
import { operationsOf, readRows, resourceOf, ridOf } from '../records/service.ts';
import { deleteRows, imagesOf, type LockedRow, lockRows } from './apply.ts';
import * as journal from './journal.ts';
import { othersOf, tellLosers } from './losses.ts';
import { revalidateSharing, sharersOf } from './revalidate.ts';
import { groupOperations } from './wire.ts';

export interface PendingServices extends ContextServices {
  now(): Date;
}

export interface EditOptions {
  editId?: string | undefined;
  kind?: string | undefined;
  /** `brief` leaves out of the answer what the caller knows: records that are just as they were sent. */
  answer?: 'brief' | undefined;
}

/** Tells everybody who has the table open. */
export function publishRows(
  tx: Tx,
  model: CollectionModel,
  rids: readonly number[],
  removed: readonly number[] = [],
): void {
  if (rids.length === 0 && removed.length === 0) return;
  tx.publish({
    topic: 'collection',
    collectionId: model.collectionId,
    rids: [...rids],
    removed: [...removed],
    isReloadNeeded: rids.length + removed.length > 300,
    refreshedAt: null,
  });
}

export async function beginEdit(
  tx: Tx,
  context: CollectionContext,
  actor: UserActor,
  options: EditOptions,
  kind: string,
): Promise<string> {
  const editId = options.editId ?? randomUUID();
  const isOpen = await journal.openEdit(tx, {
    editId,
    collectionId: context.model.collectionId,
    userId: actor.userId,
    kind: options.kind ?? kind,
  });
  if (!isOpen)
    throw new AppError('MALFORMED', {
      text: { key: 'error.MALFORMED', params: { reason: 'editId belongs to another step' } },
    });
  return editId;
}

export async function replyOf(
  tx: Tx,
  actor: Actor,
  model: CollectionModel,
  rids: readonly number[],
  cleared: readonly number[],
  editId: string | null,
): Promise<PendingReply> {
  const records = (await readRows(tx, model, rids)).filter((record) => record !== null);
  const { operations } = await operationsOf(tx, model, actor, records);
  return {
    resources: records.map((record) => resourceOf(model, record)),
    pendingOperations: groupOperations(operations),
    clearedIds: cleared.map(String),
    editId,
  };
}

export interface DeleteReply {
  deleted: number;
  refused: { id: string; reason: 'notFound' | 'beingPushed' }[];
  pendingOperations: ReturnType<typeof groupOperations>;
  removedIds: string[];
  editId: string | null;
}

/** Records become pending deletes; a pending insert is simply dropped (decisions Q-PEND-07). */
export async function deleteRecords(
  services: PendingServices,
  actor: UserActor,
  path: string,
  ids: readonly string[],
  options: EditOptions,
): Promise<DeleteReply> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const rids = [...new Set(ids.map(ridOf))];
  return await mutate(
    { pool: services.pool, actor },
    'records.delete',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const locked = await lockRows(tx, model, rids);
      const refused: DeleteReply['refused'] = [];
      const inserts: number[] = [];
      const marks: number[] = [];
      const dropped: LockedRow[] = [];
      for (const rid of rids) {
        const row = locked.get(rid);
        if (!row) refused.push({ id: String(rid), reason: 'notFound' });
        else if (row.push_id) refused.push({ id: String(rid), reason: 'beingPushed' });
        else if (row.action === 'i') {
          inserts.push(rid);
          dropped.push(row);
        } else if (row.action !== 'd') marks.push(rid);
      }
      if (marks.length > 0) requireRight(context, 'delete');
      // To delete what another wants to add is to discard it (decisions Q-PEND-07, Q-PEND-12).
      if (dropped.some((row) => othersOf(row, actor).length > 0)) requireRight(context, 'create');
      const sharers = await sharersOf(tx, model, [...inserts, ...marks]);
      const editId = await beginEdit(tx, context, actor, options, 'delete');
      const before = await imagesOf(tx, model, [...inserts, ...marks]);
      await deleteRows(tx, model, inserts);
      await tellLosers(tx, context, actor, dropped);
      await markDeleted(tx, model, actor, services.now(), marks);
      await journal.addRows(
        tx,
        editId,
        [...inserts, ...marks].map((rid) => ({
          rid,
          kind: 'delete',
          before: before.get(rid) ?? null,
          after: null,
        })),
      );
      publishRows(tx, model, await revalidateSharing(tx, model, marks, sharers), inserts);
      tx.audit(`collection:${model.collectionId}`, { editId, records: inserts.length + marks.length });
      const reply = await replyOf(tx, actor, model, marks.slice(0, maxReplied), [], editId);
      return {
        deleted: inserts.length + marks.length,
        refused,
        pendingOperations: reply.pendingOperations,
        removedIds: inserts.map(String),
        editId: inserts.length + marks.length > 0 ? editId : null,
      };
    },
  );
}

export async function deleteRecord(
  services: PendingServices,
  actor: UserActor,
  path: string,
  id: string,
): Promise<void> {
  const { refused } = await deleteRecords(services, actor, path, [id], {});
  if (refused[0]?.reason === 'notFound')
    throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id } } });
  if (refused[0]?.reason === 'beingPushed') throw new AppError('BEING_PUSHED', { details: { ids: [id] } });
}

/** An answer lists at most this many operations; beyond that the caller loads the table again. */
const maxReplied = 10_000;

export async function markDeleted(
  db: Db,
  model: CollectionModel,
  actor: { userId: number },
  at: Date,
  rids: readonly number[],
  origin: object | null = null,
): Promise<void> {
  if (rids.length === 0) return;
  await rows(
    db,
    sql`with marked as (
          insert into ${pendingTableOf(model.collectionId)} as p (rid, action, revision, author, created_at, updated_at, origin)
          select rid, 'd', nextval('pending_revision'), ${actor.userId}, ${at}, ${at},
            ${origin === null ? null : JSON.stringify(origin)}::jsonb from unnest(${rids}::int4[]) v(rid)
          on conflict (rid) do update set action = 'd', revision = excluded.revision, author = excluded.author,
            origin = excluded.origin, updated_at = excluded.updated_at, errors = null, is_unknown = false, invalid = null
          returning rid)
        update ${tableOf(model.collectionId)} t set p = true from marked where t.rid = marked.rid and not t.p returning 1`,
  );
}
