import type { ChangePushAction } from '@sluice/contract';
import type { Rec } from '@sluice/adapter-kit';
import { type Db, execute, row, rows, type Sql, sql } from '../../platform/db.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
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
  /** Operations of each kind that it has planned; they are sent in this order. */
  inserts: number;
  updates: number;
  deletes: number;
  /** Places of its plan before this one have an item. */
  next_seq: number;
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

/** Row ids by what is to be done with them, each list in the order of the sending. */
interface Plan {
  insert: readonly number[];
  update: readonly number[];
  delete: readonly number[];
}

const plannedOf = (plan: Plan): number[] => [...plan.insert, ...plan.update, ...plan.delete];

export async function insertPush(
  db: Db,
  collectionId: number,
  push: Pick<PushRow, 'user_id' | 'notification_id'>,
  plan: Plan,
): Promise<string> {
  const inserted = await row<{ push_id: string }>(
    db,
    sql`insert into push (collection_id, user_id, notification_id, skipped, status, planned, inserts, updates, deletes)
        values (${collectionId}, ${push.user_id}, ${push.notification_id}, '[]', 'QUEUED', ${plannedOf(plan)}::int4[],
          ${plan.insert.length}, ${plan.update.length}, ${plan.delete.length}) returning push_id`,
  );
  if (!inserted) throw new Error('The push was not created');
  return inserted.push_id;
}

/** A push without what cannot be sent; one of nothing is at its end. */
export async function replan(db: Db, pushId: string, plan: Plan, skipped: PushRow['skipped']): Promise<void> {
  const planned = plannedOf(plan);
  await execute(
    db,
    sql`update push set planned = ${planned}::int4[], inserts = ${plan.insert.length}, updates = ${plan.update.length},
          deletes = ${plan.delete.length}, skipped = ${JSON.stringify(skipped)},
          status = ${planned.length === 0 ? 'DONE' : 'QUEUED'}, finished_at = ${planned.length === 0 ? new Date() : null}
        where push_id = ${pushId}`,
  );
}

/** Holds the rows of the plan until the transaction ends: neither an edit nor a refresh comes in between. */
export async function lockPlannedRows(db: Db, collectionId: number, pushId: string): Promise<void> {
  await execute(
    db,
    sql`select count(*) from (select 1 from ${tableOf(collectionId)}
          where rid = any((select planned from push where push_id = ${pushId})::int4[]) order by rid for update) l`,
  );
}

/** Locks what can be sent of the plan for the push: nobody edits what is on its way. Answers how many that are. */
export async function lockPlannedOperations(
  db: Db,
  collectionId: number,
  pushId: string,
  plan: Plan,
  isUnknownConfirmed: boolean,
): Promise<number> {
  const actions = { i: plan.insert, u: plan.update, d: plan.delete };
  let from = 1;
  let locked = 0;
  for (const [action, { length }] of Object.entries(actions)) {
    if (length === 0) continue;
    const rids = sql`(select planned[${from}:${from + length - 1}] from push where push_id = ${pushId})::int4[]`;
    locked += await execute(
      db,
      sql`update ${pendingTableOf(collectionId)} set push_id = ${pushId}, errors = null
          where rid = any(${rids}) and action = ${action} and push_id is null and not has_conflict and not is_gone
            and invalid is null and (${isUnknownConfirmed} or not is_unknown)`,
    );
    from += length;
  }
  return locked;
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
  return await row(
    db,
    sql`select push_id, collection_id, user_id, notification_id, status, is_cancel_requested, message, skipped,
          inserts, updates, deletes, next_seq, created_at, started_at, finished_at
        from push where push_id = ${pushId}`,
  );
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
    succeeded?: number;
    failed?: number;
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

export type ItemOfReply = Pick<PushItem, 'rid' | 'action' | 'key' | 'new_key' | 'label' | 'state' | 'errors'>;

/** Items in their order, and those that wait for theirs. */
export async function listItemsForReply(
  db: Db,
  model: CollectionModel,
  pushId: string,
  { states, offset, limit }: { states: readonly string[] | null; offset: number; limit: number },
): Promise<ItemOfReply[]> {
  return await rows(
    db,
    sql`select * from (
          select seq, rid, action, key, new_key, label, state, errors from push_item where push_id = ${pushId}
          union all
          select x.place::int - 1, x.rid, ${actionAt(sql`x.place`)}, t.k, null, ${labelOf(model)}, 'planned', null
          from push p, unnest(p.planned) with ordinality x(rid, place) join ${tableOf(model.collectionId)} t on t.rid = x.rid
          where p.push_id = ${pushId} and p.finished_at is null and x.place > p.next_seq
        ) i where ${states ? sql`state = any(${states}::text[])` : sql`true`}
        order by seq offset ${offset} limit ${limit}`,
  );
}

/** The kind of operation at a place (from 1) of a plan, of a push `p`. */
const actionAt = (place: Sql) =>
  sql`(case when ${place} <= p.inserts then 'i' when ${place} <= p.inserts + p.updates then 'u' else 'd' end)::"char"`;

/** The record's own name for itself, of a row `t`. */
export function labelOf(model: CollectionModel): Sql {
  const label = model.byPath.get(model.description.labelField ?? '');
  return label ? sql`t.${columnOf(label.fno)}::text` : sql`null::text`;
}

const json = (value: Rec | null): string | null => (value ? JSON.stringify(value) : null);

/** Row ids beyond it cannot have been known before. */
const watermarkOf = ({ collection_id }: PushItem): Sql =>
  sql`(select coalesce(max(rid), 0) from ${sql.id('cache', `c_${collection_id}`)})`;

/**
 * Items at the next places of a plan, each with its state and with what it sends, whatever becomes of it. Those that
 * are sent must be committed before the network call.
 */
export async function insertItems(db: Db, items: readonly PushItem[], at: Date): Promise<void> {
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last) return;
  const of = <T>(read: (item: PushItem) => T): T[] => items.map(read);
  await execute(
    db,
    sql`insert into push_item (push_id, collection_id, seq, rid, action, op_id, key, version, label, payload, before,
          state, errors, attempts, sent_at, sent_watermark, settled_at)
        select ${first.push_id}, ${first.collection_id}, v.*, (v.state = 'sent')::int,
          case when v.state = 'sent' then ${at}::timestamptz end, case when v.state = 'sent' then w.rid end,
          case when v.state not in ('planned', 'sent') then ${at}::timestamptz end
        from unnest(${of(({ seq }) => seq)}::int4[], ${of(({ rid }) => rid)}::int4[], ${of(({ action }) => action)}::"char"[],
          ${of((item) => item.op_id)}::uuid[], ${of(({ key }) => key)}::text[], ${of(({ version }) => version)}::text[],
          ${of(({ label }) => label)}::text[], ${of(({ payload }) => json(payload))}::jsonb[],
          ${of(({ before }) => json(before))}::jsonb[], ${of(({ state }) => state)}::text[],
          ${of(({ errors }) => (errors ? JSON.stringify(errors) : null))}::jsonb[])
          v(seq, rid, action, op_id, key, version, label, payload, before, state, errors), ${watermarkOf(first)} w(rid)`,
  );
  await execute(db, sql`update push set next_seq = ${last.seq + 1} where push_id = ${first.push_id}`);
}

/** Sent (again), with the time, before the network call; the transaction must be committed first. */
export async function markSent(db: Db, items: readonly PushItem[], at: Date): Promise<void> {
  const [first] = items;
  if (!first) return;
  await execute(
    db,
    sql`update push_item i set state = 'sent', sent_at = ${at}, attempts = attempts + 1,
          sent_watermark = ${watermarkOf(first)}
        where i.push_id = ${first.push_id} and i.seq = any(${items.map(({ seq }) => seq)}::int4[])`,
  );
}

/** Marked sent and certainly not taken by the external system: as if it had not been, so that no attempt counts. */
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
  const seqs = settlements.map(({ item }) => item.seq);
  await execute(
    db,
    sql`update push_item i set state = v.state, settled_at = ${at}, new_key = v.new_key, errors = v.errors::jsonb
        from unnest(${seqs}::int4[], ${settlements.map(({ state }) => state)}::text[],
          ${settlements.map(({ newKey }) => newKey)}::text[],
          ${settlements.map(({ errors }) => (errors ? JSON.stringify(errors) : null))}::text[]) v(seq, state, new_key, errors)
        where i.push_id = ${first.item.push_id} and i.seq = v.seq
          and i.seq between ${Math.min(...seqs)} and ${Math.max(...seqs)}`,
  );
}

export async function countStates(
  db: Db,
  pushId: string,
): Promise<Record<PushItem['state'] | 'insert' | 'update' | 'delete', number>> {
  const counted = await row<Record<PushItem['state'] | 'insert' | 'update' | 'delete', number>>(
    db,
    sql`select i.*, i.planned + case when p.finished_at is null then greatest(0, cardinality(p.planned) - p.next_seq) else 0 end as planned,
          p.inserts as insert, p.updates as update, p.deletes as delete
        from push p, lateral (
          select count(*) filter (where state = 'planned')::int as planned, count(*) filter (where state = 'sent')::int as sent,
            count(*) filter (where state = 'succeeded')::int as succeeded, count(*) filter (where state = 'rejected')::int as rejected,
            count(*) filter (where state = 'conflict')::int as conflict, count(*) filter (where state = 'unknown')::int as unknown,
            count(*) filter (where state = 'cancelled')::int as cancelled
          from push_item where push_id = p.push_id) i
        where p.push_id = ${pushId}`,
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
