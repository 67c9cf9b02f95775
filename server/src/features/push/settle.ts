import type { ReadRecord } from '@sluice/adapter-kit';
import { isSameValue } from '@sluice/mapping';
import { type Db, execute, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, pendingTableOf, tableOf } from '../cache/model.ts';
import { applyLive } from '../cache/refresh.ts';
import { deleteRows } from '../pending/apply.ts';
import { revalidateSharing, sharersOf } from '../pending/revalidate.ts';
import { publishRows } from '../pending/service.ts';
import { type PushItem, settleItems, type Settlement } from './store.ts';

export interface Success {
  item: PushItem;
  key: string;
  version: string | null;
  /** The record as the external system answered it, where it did. */
  live: ReadRecord | null;
}

/**
 * What succeeded leaves pending and becomes the cached truth, in the transaction that settles the items: an inserted
 * row gets its key and stays the same row; the external system's answer replaces the values.
 */
export async function settleSuccesses(
  tx: Tx,
  model: CollectionModel,
  successes: readonly Success[],
  at: Date,
): Promise<void> {
  if (successes.length === 0) return;
  const table = tableOf(model.collectionId);
  const inserts = successes.filter(({ item }) => item.action === 'i');
  const deleted = successes.filter(({ item }) => item.action === 'd').map(({ item }) => item.rid);
  const written = successes.filter(({ item }) => item.action !== 'd');
  await lock(tx, model, successes);
  const rids = successes.map(({ item }) => item.rid);
  const sharers = await sharersOf(tx, model, rids);
  await removeTwins(tx, model, inserts);
  await execute(
    tx,
    sql`delete from ${pendingTableOf(model.collectionId)} where rid = any(${rids}::int4[])`,
  );
  await execute(
    tx,
    sql`update ${table} t set k = v.k, ver = v.ver, p = false, bad = null
        from unnest(${written.map(({ item }) => item.rid)}::int4[], ${written.map(({ key }) => key)}::text[],
          ${written.map(({ version }) => version)}::text[]) v(rid, k, ver) where t.rid = v.rid`,
  );
  await deleteRows(tx, model, deleted);
  const live = successes.flatMap((success) => (success.live ? [success.live] : []));
  if (live.length > 0) await applyLive(tx, model, [], live, at.toISOString());
  const concerned = await revalidateSharing(tx, model, rids, sharers);
  publishRows(
    tx,
    model,
    concerned.filter((rid) => !rids.includes(rid)),
  );
  const settlements = successes.map(({ item, key, live: answer }): Settlement => ({
    item,
    state: 'succeeded',
    newKey: item.action === 'i' ? key : null,
    errors: notTakenOver(item, answer),
  }));
  await settleItems(tx, settlements, at);
}

async function lock(tx: Tx, model: CollectionModel, successes: readonly Success[]): Promise<void> {
  await execute(
    tx,
    sql`select 1 from ${tableOf(model.collectionId)} where rid = any(${successes.map(({ item }) => item.rid)}::int4[]) order by rid for update`,
  );
}

/** A refresh may have read the new record before its answer arrived: one row must remain, the one that people know. */
async function removeTwins(tx: Tx, model: CollectionModel, inserts: readonly Success[]): Promise<void> {
  if (inserts.length === 0) return;
  const twins = await rows<{ rid: number; own: number; p: boolean }>(
    tx,
    sql`select t.rid, v.rid as own, t.p from ${tableOf(model.collectionId)} t
        join unnest(${inserts.map(({ item }) => item.rid)}::int4[], ${inserts.map(({ key }) => key)}::text[]) v(rid, k)
          on t.k = v.k and t.rid <> v.rid for update of t`,
  );
  await deleteRows(
    tx,
    model,
    twins.map(({ rid }) => rid),
  );
}

/** Fields that the external system answered differently from what was sent: said, because nobody else will notice. */
function notTakenOver(item: PushItem, live: ReadRecord | null): Settlement['errors'] {
  if (!live) return null;
  const differing = Object.entries(item.payload ?? {}).filter(
    ([field, value]) => field in live.values && !isSameValue(live.values[field] ?? null, value),
  );
  return differing.length > 0
    ? differing.map(([field]) => ({ errCode: 'NOT_TAKEN_OVER', msg: field, field, class: 'other' }))
    : null;
}

/** Refused: the operation stays, with the external system's words. */
export async function settleRejected(
  tx: Tx,
  model: CollectionModel,
  rejected: readonly Pick<Settlement, 'item' | 'errors'>[],
  at: Date,
): Promise<void> {
  await unlock(
    tx,
    model,
    rejected.map(({ item, errors }) => ({ item, errors })),
    { at, isUnknown: false },
  );
  await settleItems(
    tx,
    rejected.map(({ item, errors }) => ({ item, errors, state: 'rejected', newKey: null })),
    at,
  );
}

export async function settleUnknown(
  tx: Tx,
  model: CollectionModel,
  unknown: readonly Pick<Settlement, 'item' | 'errors'>[],
  at: Date,
): Promise<void> {
  await unlock(tx, model, unknown, { at, isUnknown: true });
  await settleItems(
    tx,
    unknown.map(({ item, errors }) => ({ item, errors, state: 'unknown', newKey: null })),
    at,
  );
}

/** Changed or removed in the external system since the user saw it: nothing is written, both values are kept. */
export async function settleConflicts(
  tx: Tx,
  model: CollectionModel,
  conflicts: readonly { item: PushItem; live: ReadRecord | null; errors: Settlement['errors'] }[],
  at: Date,
): Promise<void> {
  if (conflicts.length === 0) return;
  await unlock(tx, model, conflicts, { at, isUnknown: false });
  const asked = conflicts.flatMap(({ item }) => (item.key === null ? [] : [item.key]));
  await applyLive(
    tx,
    model,
    asked,
    conflicts.flatMap(({ live }) => (live ? [live] : [])),
    at.toISOString(),
  );
  await settleItems(
    tx,
    conflicts.map(({ item, errors }) => ({ item, errors, state: 'conflict', newKey: null })),
    at,
  );
}

/** Back to pending as if the push had not been. */
export async function settleCancelled(
  tx: Tx,
  model: CollectionModel,
  items: readonly PushItem[],
  at: Date,
): Promise<void> {
  await unlock(
    tx,
    model,
    items.map((item) => ({ item, errors: null })),
    { at, isUnknown: false },
  );
  await settleItems(
    tx,
    items.map((item) => ({ item, errors: null, state: 'cancelled', newKey: null })),
    at,
  );
}

async function unlock(
  db: Db,
  model: CollectionModel,
  settled: readonly { item: PushItem; errors: Settlement['errors'] }[],
  { at, isUnknown }: { at: Date; isUnknown: boolean },
): Promise<void> {
  if (settled.length === 0) return;
  const texts = settled.map(({ errors }) =>
    errors
      ? JSON.stringify(
          errors.map(({ errCode, msg, field }) => ({ errCode, msg, field, at: at.toISOString() })),
        )
      : null,
  );
  await execute(
    db,
    sql`update ${pendingTableOf(model.collectionId)} p
        set push_id = null, errors = v.errors::jsonb, is_unknown = ${isUnknown}, revision = nextval('pending_revision')
        from unnest(${settled.map(({ item }) => item.rid)}::int4[], ${texts}::text[]) v(rid, errors) where p.rid = v.rid`,
  );
}
