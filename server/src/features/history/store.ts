import { type Db, row, rows, sql } from '../../platform/db.ts';
import type { RowImage } from '../pending/apply.ts';
import type { PushItem, PushRow } from '../push/store.ts';

/** A step of the journal, or an item of a push, that concerned a record. */
export interface EventRow {
  kind: 'edit' | 'push';
  /** Of the step, or of the push. */
  id: string;
  at: string;
}

const eventsOf = (collectionId: number, rid: number) => sql`
  select 'edit' as kind, e.edit_id as id, e.at from edit e
  where e.collection_id = ${collectionId} and e.edit_id in (
    select edit_id from edit_cell where rid = ${rid} union select edit_id from edit_row where rid = ${rid})
  union all
  select 'push', i.push_id, coalesce(i.settled_at, i.sent_at, p.created_at)
  from push_item i join push p using (push_id) where i.collection_id = ${collectionId} and i.rid = ${rid}`;

export async function listEvents(
  db: Db,
  { collectionId, rid, limit, offset }: { collectionId: number; rid: number; limit: number; offset: number },
): Promise<EventRow[]> {
  return await rows(
    db,
    sql`select kind, id, at from (${eventsOf(collectionId, rid)}) v order by at desc, id desc limit ${limit} offset ${offset}`,
  );
}

export async function countEvents(db: Db, collectionId: number, rid: number): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from (${eventsOf(collectionId, rid)}) v`,
  );
  return counted?.n ?? 0;
}

export interface StepRow {
  edit_id: string;
  user_id: number;
  kind: string;
  is_undone: boolean;
}

export async function listSteps(db: Db, editIds: readonly string[]): Promise<StepRow[]> {
  if (editIds.length === 0) return [];
  return await rows(
    db,
    sql`select edit_id, user_id, kind, is_undone from edit where edit_id = any(${editIds}::uuid[])`,
  );
}

export interface CellRow {
  edit_id: string;
  fno: number;
  old: string | null;
  new: string | null;
}

/** Changed cells of one record, in the order in which they were changed. */
export async function listCells(db: Db, rid: number, editIds: readonly string[]): Promise<CellRow[]> {
  if (editIds.length === 0) return [];
  return await rows(
    db,
    sql`select edit_id, fno, old, new from edit_cell where rid = ${rid} and edit_id = any(${editIds}::uuid[]) order by ctid`,
  );
}

export interface RowStepRow {
  edit_id: string;
  kind: 'add' | 'delete' | 'undelete' | 'discard';
  before: RowImage | null;
  after: RowImage | null;
}

export async function listRowSteps(db: Db, rid: number, editIds: readonly string[]): Promise<RowStepRow[]> {
  if (editIds.length === 0) return [];
  return await rows(
    db,
    sql`select edit_id, kind, before, after from edit_row where rid = ${rid} and edit_id = any(${editIds}::uuid[]) order by seq`,
  );
}

export async function listItemsOfRecord(
  db: Db,
  { collectionId, rid }: { collectionId: number; rid: number },
  pushIds: readonly string[],
): Promise<(PushItem & Pick<PushRow, 'user_id'>)[]> {
  if (pushIds.length === 0) return [];
  return await rows(
    db,
    sql`select i.*, p.user_id from push_item i join push p using (push_id)
        where i.collection_id = ${collectionId} and i.rid = ${rid} and i.push_id = any(${pushIds}::uuid[])`,
  );
}

export interface PushOfTable extends Pick<PushRow, 'push_id' | 'user_id' | 'status' | 'created_at'> {
  insert: number;
  update: number;
  delete: number;
  succeeded: number;
  failed: number;
}

export async function listPushesOf(
  db: Db,
  collectionId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<PushOfTable[]> {
  return await rows(
    db,
    sql`select p.push_id, p.user_id, p.status, p.created_at, p.inserts as insert, p.updates as update, p.deletes as delete, n.*
        from (select push_id, user_id, status, created_at, inserts, updates, deletes from push where collection_id = ${collectionId}
              order by created_at desc, push_id desc limit ${limit} offset ${offset}) p,
          lateral (select count(*) filter (where state = 'succeeded')::int as succeeded,
              count(*) filter (where state in ('rejected', 'conflict', 'unknown'))::int as failed
            from push_item i where i.push_id = p.push_id) n
        order by p.created_at desc, p.push_id desc`,
  );
}

export async function countPushesOf(db: Db, collectionId: number): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from push where collection_id = ${collectionId}`,
  );
  return counted?.n ?? 0;
}

/** What a push has done in the external system; of some records only where `rids` is given. */
export async function listDone(db: Db, pushId: string, rids: readonly number[] | null): Promise<PushItem[]> {
  const among = rids === null ? sql`true` : sql`rid = any(${rids}::int4[])`;
  return await rows(
    db,
    sql`select * from push_item where push_id = ${pushId} and state = 'succeeded' and ${among} order by seq`,
  );
}
