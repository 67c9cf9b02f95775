import type { ChangePushAction } from '@sluice/contract';
import type { Rec } from '@sluice/adapter-kit';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';
import { pendingTableOf } from '../cache/model.ts';
import { settledSince } from '../cache/settled.ts';

export interface PushRow {
  push_id: string;
  collection_id: number;
  user_id: number;
  notification_id: string;
  status: ChangePushAction['status'];
  is_cancel_requested: boolean;
  message: string | null;
  skipped: ChangePushAction['skipped'];
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface ItemError {
  errCode: string;
  msg: string;
  field: string | null;
  class: string;
}

export interface PushItem {
  push_id: string;
  seq: number;
  collection_id: number;
  rid: number;
  action: 'i' | 'u' | 'd';
  op_id: string;
  key: string | null;
  label: string | null;
  version: string | null;
  payload: Rec | null;
  before: Rec | null;
  state: 'planned' | 'sent' | 'succeeded' | 'rejected' | 'conflict' | 'unknown' | 'cancelled';
  attempts: number;
  is_second_pass: boolean;
  sent_at: string | null;
  sent_watermark: number | null;
  settled_at: string | null;
  new_key: string | null;
  errors: ItemError[] | null;
}

export async function insertPush(
  db: Db,
  push: Pick<PushRow, 'collection_id' | 'user_id' | 'notification_id' | 'skipped'> & { isDone: boolean },
): Promise<PushRow> {
  const inserted = await row<PushRow>(
    db,
    sql`insert into push (collection_id, user_id, notification_id, skipped, status, finished_at)
        values (${push.collection_id}, ${push.user_id}, ${push.notification_id}, ${JSON.stringify(push.skipped)},
          ${push.isDone ? 'DONE' : 'QUEUED'}, ${push.isDone ? new Date() : null}) returning *`,
  );
  if (!inserted) throw new Error('The push was not created');
  return inserted;
}

/** Locks the records' operations for the push: nobody edits what is on its way. */
export async function lockOperations(
  db: Db,
  collectionId: number,
  rids: readonly number[],
  pushId: string,
): Promise<void> {
  await execute(
    db,
    sql`update ${pendingTableOf(collectionId)} set push_id = ${pushId}, errors = null where rid = any(${rids}::int4[])`,
  );
}

/** Which of these operations are still as the external system refused them. */
export async function listRefused(
  db: Db,
  collectionId: number,
  rids: readonly number[],
): Promise<{ rid: number; action: PushItem['action'] }[]> {
  return await rows(
    db,
    sql`select rid, action from ${pendingTableOf(collectionId)}
        where rid = any(${rids}::int4[]) and push_id is null and errors is not null and not has_conflict and not is_gone`,
  );
}

export async function findPush(db: Db, pushId: string): Promise<PushRow | null> {
  return await row(db, sql`select * from push where push_id = ${pushId}`);
}

/** The oldest unfinished push of each table: later ones on the same table wait behind it. */
export async function listOpenPushes(
  db: Db,
  limit: number,
): Promise<{ push_id: string; collection_id: number; domain_id: string }[]> {
  return await rows(
    db,
    sql`select distinct on (p.collection_id) p.push_id, p.collection_id, c.domain_id
        from push p join collection c using (collection_id) where p.finished_at is null
        order by p.collection_id, p.created_at, p.push_id limit ${limit}`,
  );
}

export async function updatePush(
  db: Db,
  pushId: string,
  change: Partial<Pick<PushRow, 'status' | 'message' | 'is_cancel_requested'>> & {
    started_at?: Date;
    finished_at?: Date;
  },
): Promise<void> {
  const assignments = Object.entries(change).map(([name, value]) => sql`${sql.id(name)} = ${value}`);
  await execute(db, sql`update push set ${sql.join(assignments)} where push_id = ${pushId}`);
}

/** Items of a state in their order, from a place on: without it all that come before are looked at again each time. */
export async function listItems(
  db: Db,
  pushId: string,
  state: PushItem['state'],
  { action = null, from = 0, limit }: { action?: PushItem['action'] | null; from?: number; limit: number },
): Promise<PushItem[]> {
  return await rows(
    db,
    sql`select * from push_item where push_id = ${pushId} and seq >= ${from} and state = ${state}
          and (${action}::text is null or action = ${action}::text::"char") order by seq limit ${limit}`,
  );
}

export async function listItemsForReply(
  db: Db,
  pushId: string,
  states: readonly string[] | null,
  offset: number,
  limit: number,
): Promise<PushItem[]> {
  return await rows(
    db,
    sql`select * from push_item where push_id = ${pushId} ${states ? sql`and state = any(${states}::text[])` : sql``}
        order by seq offset ${offset} limit ${limit}`,
  );
}

const json = (value: Rec | null): string | null => (value ? JSON.stringify(value) : null);
const valuesOf = (items: readonly PushItem[]) =>
  sql`unnest(${items.map(({ seq }) => seq)}::int4[], ${items.map(({ payload }) => json(payload))}::text[],
        ${items.map(({ before }) => json(before))}::text[]) v(seq, payload, before)`;

/** Sent, with the time and what is sent, before the network call; the transaction must be committed first. */
export async function markSent(db: Db, items: readonly PushItem[], at: Date): Promise<void> {
  const [first] = items;
  if (!first) return;
  await execute(
    db,
    sql`update push_item i set state = 'sent', sent_at = ${at}, attempts = attempts + 1,
          sent_watermark = (select coalesce(max(rid), 0) from ${sql.id('cache', `c_${first.collection_id}`)}),
          payload = v.payload::jsonb, before = v.before::jsonb
        from ${valuesOf(items)} where i.push_id = ${first.push_id} and i.seq = v.seq`,
  );
}

/** What items that end without a call would have sent. */
export async function keepValues(db: Db, items: readonly PushItem[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  await execute(
    db,
    sql`update push_item i set payload = v.payload::jsonb, before = v.before::jsonb
        from ${valuesOf(items)} where i.push_id = ${first.push_id} and i.seq = v.seq`,
  );
}

/** Marked sent and never given to the network: as if it had not been marked, so that no attempt is counted. */
export async function takeBack(db: Db, items: readonly PushItem[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  await execute(
    db,
    sql`update push_item set state = 'planned', attempts = attempts - 1, sent_at = null, sent_watermark = null
        where push_id = ${first.push_id} and seq = any(${items.map(({ seq }) => seq)}::int4[]) and state = 'sent'`,
  );
}

/** Certainly not done: to be sent (again). */
export async function markPlanned(db: Db, items: readonly PushItem[]): Promise<void> {
  const [first] = items;
  if (!first) return;
  await execute(
    db,
    sql`update push_item i set state = 'planned', version = v.version, is_second_pass = v.is_second_pass
        from unnest(${items.map(({ seq }) => seq)}::int4[], ${items.map(({ version }) => version)}::text[],
          ${items.map(({ is_second_pass }) => is_second_pass)}::bool[]) v(seq, version, is_second_pass)
        where i.push_id = ${first.push_id} and i.seq = v.seq`,
  );
}

export interface Settlement {
  item: PushItem;
  state: 'succeeded' | 'rejected' | 'conflict' | 'unknown' | 'cancelled';
  newKey: string | null;
  errors: ItemError[] | null;
}

export async function settleItems(db: Db, settlements: readonly Settlement[], at: Date): Promise<void> {
  const [first] = settlements;
  if (!first) return;
  await execute(
    db,
    sql`update push_item i set state = v.state, settled_at = ${at}, new_key = v.new_key, errors = v.errors::jsonb
        from unnest(${settlements.map(({ item }) => item.seq)}::int4[], ${settlements.map(({ state }) => state)}::text[],
          ${settlements.map(({ newKey }) => newKey)}::text[],
          ${settlements.map(({ errors }) => (errors ? JSON.stringify(errors) : null))}::text[]) v(seq, state, new_key, errors)
        where i.push_id = ${first.item.push_id} and i.seq = v.seq`,
  );
}

export async function countStates(
  db: Db,
  pushId: string,
): Promise<Record<PushItem['state'] | 'insert' | 'update' | 'delete', number>> {
  const counted = await row<Record<PushItem['state'] | 'insert' | 'update' | 'delete', number>>(
    db,
    sql`select count(*) filter (where state = 'planned')::int as planned, count(*) filter (where state = 'sent')::int as sent,
          count(*) filter (where state = 'succeeded')::int as succeeded, count(*) filter (where state = 'rejected')::int as rejected,
          count(*) filter (where state = 'conflict')::int as conflict, count(*) filter (where state = 'unknown')::int as unknown,
          count(*) filter (where state = 'cancelled')::int as cancelled,
          count(*) filter (where action = 'i')::int as insert, count(*) filter (where action = 'u')::int as update,
          count(*) filter (where action = 'd')::int as delete
        from push_item where push_id = ${pushId}`,
  );
  if (!counted) throw new Error('A count gave no row');
  return counted;
}

/** Keys among these that were known before the item was sent, or that another operation has made. */
export async function knownKeys(db: Db, item: PushItem, keys: readonly string[]): Promise<Set<string>> {
  const known = await rows<{ k: string }>(
    db,
    sql`select k from ${sql.id('cache', `c_${item.collection_id}`)} where k = any(${keys}::text[]) and rid <= ${item.sent_watermark ?? 0} and rid <> ${item.rid}
        union select i.new_key from ${settledSince(item.collection_id, new Date(item.sent_at ?? 0))} i
          where i.new_key = any(${keys}::text[]) and not (i.push_id = ${item.push_id} and i.seq = ${item.seq})`,
  );
  return new Set(known.map(({ k }) => k));
}
