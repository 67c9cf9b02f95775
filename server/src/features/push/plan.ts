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
import { lockRids } from '../pending/apply.ts';
import { text } from '../../platform/texts.ts';
import type { stateOf } from '../pending/wire.ts';
import { ridOf } from '../records/service.ts';
import * as store from './store.ts';

const actionOf = { insert: 'i', update: 'u', delete: 'd' } as const;
export const lists = ['insert', 'update', 'delete'] as const;

export interface Chosen {
  rid: number;
  action: 'i' | 'u' | 'd';
}

/** Which of the asked operations can be sent, in the order of their sending; the others with the reason. */
export async function chooseOperations(tx: Tx, model: CollectionModel, body: BodyOf<typeof pushEndpoint>) {
  const skipped: ChangePushAction['skipped'] = [];
  const chosen: Chosen[] = [];
  const wanted = new Map(lists.flatMap((list) => body[list].map((id) => [ridOf(id), list] as const)));
  await lockRids(tx, model, [...wanted.keys()]);
  const found = await rows<{ rid: number; action: Chosen['action'] } & Parameters<typeof stateOf>[0]>(
    tx,
    sql`select rid, action, push_id, errors, is_unknown, has_conflict, is_gone, invalid
        from ${pendingTableOf(model.collectionId)} where rid = any(${[...wanted.keys()]}::int4[])`,
  );
  const byRid = new Map(found.map((row) => [row.rid, row]));
  for (const [rid, list] of wanted) {
    const row = byRid.get(rid);
    const id = String(rid);
    if (row?.action !== actionOf[list]) skipped.push({ id, reason: 'notFound' });
    else if (row.push_id) skipped.push({ id, reason: 'beingPushed' });
    else if (row.has_conflict || row.is_gone) skipped.push({ id, reason: 'conflict' });
    else if (row.invalid) skipped.push({ id, reason: 'validationErrors' });
    else if (row.is_unknown && !body.confirmUnknown) skipped.push({ id, reason: 'outcomeUnknown' });
    else chosen.push({ rid, action: row.action });
  }
  // New parents exist before they are referred to, references leave before deletes (decisions Q-PUSH-04).
  const order = { i: 0, u: 1, d: 2 };
  chosen.sort((a, b) => order[a.action] - order[b.action] || a.rid - b.rid);
  return { chosen, skipped };
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
  { action, limit }: { action: Chosen['action'] | null; limit: number },
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
function gone(action: Chosen['action']): Pick<store.PushItem, 'state' | 'errors'> {
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
  action: Chosen['action'],
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
