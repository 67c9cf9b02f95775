import { randomUUID } from 'node:crypto';
import type { BodyOf, ChangePushAction, push as pushEndpoint, Value } from '@sluice/contract';
import { arrays, type Db, rows, type Sql, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import {
  type CollectionModel,
  type Column,
  columnOf,
  pendingTableOf,
  tableOf,
  valueOfText,
} from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';
import { text } from '../../platform/texts.ts';
import { ridOf } from '../records/service.ts';
import { sendingOrder } from './order.ts';
import * as store from './store.ts';

export const lists = ['insert', 'update', 'delete'] as const;

type Action = store.PushItem['action'];

/** What was asked for, in the order of the sending. */
interface Wanted {
  insert: number[];
  update: number[];
  delete: number[];
}

/**
 * Makes a push of the asked operations that can be sent, and locks them for it; the others are skipped with the reason.
 * Thousands of row ids go to the database once: what comes after works with the plan that is stored there.
 */
export async function planPush(
  tx: Tx,
  model: CollectionModel,
  push: Pick<store.PushRow, 'user_id' | 'notification_id'>,
  body: BodyOf<typeof pushEndpoint>,
): Promise<{ pushId: string; rids: number[]; skipped: ChangePushAction['skipped'] }> {
  const wanted = await wantedOf(tx, model, body);
  const pushId = await store.insertPush(tx, model.collectionId, push, wanted);
  await store.lockPlannedRows(tx, model.collectionId, pushId);
  const locked = await store.lockPlannedOperations(
    tx,
    model.collectionId,
    pushId,
    wanted,
    body.confirmUnknown === true,
  );
  const count = lists.reduce((sum, list) => sum + wanted[list].length, 0);
  const skipped = locked === count ? [] : await unfitOf(tx, model, pushId);
  if (locked < count || count === 0) {
    const without = new Set(skipped.map(({ id }) => Number(id)));
    for (const list of lists) wanted[list] = wanted[list].filter((rid) => !without.has(rid));
    await store.replan(tx, pushId, wanted, skipped);
  }
  return { pushId, rids: lists.flatMap((list) => wanted[list]), skipped };
}

/** New parents exist before they are referred to, references leave before deletes (decisions Q-PUSH-04). */
async function wantedOf(db: Db, model: CollectionModel, body: BodyOf<typeof pushEndpoint>): Promise<Wanted> {
  // A record has one operation: of one that is asked for as several the last counts.
  const listOf = new Map(lists.flatMap((list) => body[list].map((id) => [ridOf(id), list] as const)));
  const wanted: Wanted = { insert: [], update: [], delete: [] };
  for (const [rid, list] of listOf) wanted[list].push(rid);
  for (const list of lists) wanted[list] = await sendingOrder(db, model, list, wanted[list]);
  return wanted;
}

/** What of the plan could not be locked for the push, in its order, and why not. */
async function unfitOf(tx: Tx, model: CollectionModel, pushId: string): Promise<ChangePushAction['skipped']> {
  return await rows(
    tx,
    sql`select x.rid::text as id, case
            when p.action is distinct from (case when x.place <= push.inserts then 'i'
              when x.place <= push.inserts + push.updates then 'u' else 'd' end)::"char" then 'notFound'
            when p.push_id is not null then 'beingPushed'
            when p.has_conflict or p.is_gone then 'conflict'
            when p.invalid is not null then 'validationErrors'
            else 'outcomeUnknown'
          end as reason
        from push, unnest(push.planned) with ordinality x(rid, place)
          left join ${pendingTableOf(model.collectionId)} p on p.rid = x.rid
        where push.push_id = ${pushId} and p.push_id is distinct from push.push_id
        order by x.place`,
  );
}

type Operation = [
  seq: number,
  rid: number,
  isThere: boolean,
  key: string | null,
  version: string | null,
  label: string | null,
  cells: Cells | null,
  ...values: Value[],
];

/**
 * The next operations of the plan with what they send and what the user saw before, as items that are not stored yet:
 * until their turn comes nobody can change the rows. Of one action, or of any. Rows that are there no more come with
 * their end.
 */
export async function nextOperations(
  db: Db,
  model: CollectionModel,
  push: store.PushRow,
  { action, limit }: { action: Action | null; limit: number },
): Promise<store.PushItem[]> {
  const { inserts, updates, deletes, next_seq: from } = push;
  const ends = { i: inserts, u: inserts + updates, d: inserts + updates + deletes };
  const to = Math.min(from + limit, ends[action ?? 'd']);
  if (to <= from) return [];
  const planned = sql`unnest((select planned[${from + 1}:${to}] from push where push_id = ${push.push_id}))`;
  const columns = from >= ends.i && to <= ends.u ? await changedColumns(db, model, planned) : model.columns;
  const selected = columns.map(({ fno }) => sql`, t.${columnOf(fno)}`);
  const found = await arrays(
    db,
    // A new record sends all that it has: which of its cells were edited does not matter.
    sql`select x.place::int - 1 + ${from}::int, x.rid, coalesce(p.push_id = ${push.push_id}, false), t.k, t.ver,
          ${store.labelOf(model)}, case when p.action <> 'i' then p.cells end ${sql.join(selected, sql``)}
        from ${planned} with ordinality x(rid, place)
          left join ${tableOf(model.collectionId)} t on t.rid = x.rid
          left join ${pendingTableOf(model.collectionId)} p on p.rid = x.rid
        order by x.place`,
  );
  return (found as Operation[]).map(([seq, rid, isThere, key, version, label, cells, ...values]) => {
    const kind = seq < ends.i ? 'i' : seq < ends.u ? 'u' : 'd';
    return {
      push_id: push.push_id,
      seq,
      collection_id: model.collectionId,
      rid,
      action: kind,
      op_id: randomUUID(),
      key,
      label,
      version,
      ...valuesOf(columns, kind, cells, values),
      ...(isThere ? { state: 'planned', errors: null } : gone(kind)),
      attempts: 0,
      is_second_pass: false,
      sent_at: null,
      sent_watermark: null,
      settled_at: null,
      new_key: null,
    };
  });
}

/** Another new record got the key of this one: the external system has it no more (decisions Q-PEND-06). */
function gone(action: Action): Pick<store.PushItem, 'state' | 'errors'> {
  if (action === 'd') return { state: 'succeeded', errors: null };
  return {
    state: 'conflict',
    errors: [{ errCode: 'NOT_FOUND', msg: text('EN', 'push.gone'), field: null, class: 'conflict' }],
  };
}

/** Of changed records only what somebody changed is read: often one column of thirty. */
async function changedColumns(db: Db, model: CollectionModel, planned: Sql): Promise<Column[]> {
  const changed = await rows<{ fno: number }>(
    db,
    sql`select distinct fno::int from ${planned} x(rid) join ${pendingTableOf(model.collectionId)} p using (rid),
          jsonb_object_keys(p.cells) fno`,
  );
  const fnos = new Set(changed.map(({ fno }) => fno));
  return model.columns.filter(({ fno }) => fnos.has(fno));
}

function valuesOf(
  columns: readonly Column[],
  action: Action,
  cells: Cells | null,
  values: readonly Value[],
): Pick<store.PushItem, 'payload' | 'before'> {
  const payload: Record<string, Value> = {};
  const before: Record<string, Value> = {};
  columns.forEach(({ fno, path, pgType }, position) => {
    const cell = cells?.[fno];
    const value = values[position] ?? null;
    const old = cell ? valueOfText(pgType, cell.o) : value;
    // Of a deleted record what it was, so that it can be added again.
    if (action === 'u' ? cell : (action === 'd' ? old : value) !== null)
      payload[path] = action === 'd' ? old : value;
    if (cell) before[path] = old;
  });
  return { payload, before: action === 'u' ? before : null };
}
