import { randomUUID } from 'node:crypto';
import type { BodyOf, discard as discardEndpoint } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { mutate } from '../../platform/mutate.ts';
import { openCached } from '../records/context.ts';
import { ridOf } from '../records/service.ts';
import { imagesOf, type LockedRow, lockRows } from './apply.ts';
import { discardRows } from './discard-rows.ts';
import * as journal from './journal.ts';
import { othersOf, tellLosers } from './losses.ts';
import { revalidateSharing, sharersOf } from './revalidate.ts';
import { type PendingServices, publishRows } from './service.ts';

export interface DiscardReply {
  discarded: { insert: number; update: number; delete: number };
  refused: { id: string; reason: 'beingPushed' | 'noRight' | 'notFound' }[];
  editId: string | null;
  removedIds: string[];
}

const lists = { i: 'insert', u: 'update', d: 'delete' } as const;
const rightOf = { i: 'create', u: 'update', d: 'delete' } as const;

/** Drops pending operations. Own changes always; those of others with the matching right, and they are told (Q-PEND-12). */
export async function discardOperations(
  services: PendingServices,
  actor: UserActor,
  path: string,
  body: BodyOf<typeof discardEndpoint>,
): Promise<DiscardReply> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const rids = [...new Set([...body.insert, ...body.update, ...body.delete].map(ridOf))];
  return await mutate(
    { pool: services.pool, actor },
    'records.discard',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const locked = await lockRows(tx, model, rids);
      const reply: DiscardReply = {
        discarded: { insert: 0, update: 0, delete: 0 },
        refused: [],
        editId: null,
        removedIds: [],
      };
      const allowed: number[] = [];
      const dropped: LockedRow[] = [];
      for (const rid of rids) {
        const row = locked.get(rid);
        const id = String(rid);
        if (!row?.action) reply.refused.push({ id, reason: 'notFound' });
        else if (row.push_id) reply.refused.push({ id, reason: 'beingPushed' });
        else if (othersOf(row, actor).length > 0 && !context.rights[rightOf[row.action]])
          reply.refused.push({ id, reason: 'noRight' });
        else {
          allowed.push(rid);
          dropped.push(row);
          reply.discarded[lists[row.action]] += 1;
        }
      }
      if (allowed.length === 0) return reply;
      const editId = randomUUID();
      await journal.openEdit(tx, {
        editId,
        collectionId: model.collectionId,
        userId: actor.userId,
        kind: 'discard',
      });
      const before = await imagesOf(tx, model, allowed);
      await journal.addRows(
        tx,
        editId,
        allowed.map((rid) => ({ rid, kind: 'discard', before: before.get(rid) ?? null, after: null })),
      );
      const sharers = await sharersOf(tx, model, allowed);
      const { removed, restored } = await discardRows(tx, model, locked, allowed);
      const concerned = await revalidateSharing(tx, model, restored, sharers);
      publishRows(tx, model, concerned, removed);
      await tellLosers(tx, context, actor, dropped);
      tx.audit(`collection:${model.collectionId}`, { editId, discarded: reply.discarded });
      return { ...reply, editId, removedIds: removed.map(String) };
    },
  );
}
