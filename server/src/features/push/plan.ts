import type { BodyOf, ChangePushAction, push as pushEndpoint, Value } from '@sluice/contract';
import { arrays, type Db, execute, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf, valueOfText } from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';
import { lockRids } from '../pending/apply.ts';
import type { stateOf } from '../pending/wire.ts';
import { ridOf } from '../records/service.ts';
import type * as store from './store.ts';

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

/**
 * Stores an item for each of the chosen operations, in their order. What each of them sends is read when its turn
 * comes (`withValues`): until then nobody can change it.
 */
export async function planItems(
  tx: Tx,
  model: CollectionModel,
  pushId: string,
  chosen: readonly Chosen[],
): Promise<void> {
  const label = model.byPath.get(model.description.labelField ?? '');
  await execute(
    tx,
    sql`insert into push_item (push_id, collection_id, seq, rid, action, op_id, key, version, label)
        select ${pushId}, ${model.collectionId}, x.seq - 1, t.rid, p.action, gen_random_uuid(), t.k, t.ver,
          ${label ? sql`t.${columnOf(label.fno)}::text` : sql`null`}
        from unnest(${chosen.map(({ rid }) => rid)}::int4[]) with ordinality x(rid, seq)
          join ${tableOf(model.collectionId)} t on t.rid = x.rid
          join ${pendingTableOf(model.collectionId)} p on p.rid = t.rid
        order by x.seq`,
  );
}

type Operation = [rid: number, action: Chosen['action'], cells: Cells | null, ...values: Value[]];

/** The items with what they send and what the user saw before; those that were sent once hold it already. */
export async function withValues(
  db: Db,
  model: CollectionModel,
  items: readonly store.PushItem[],
): Promise<store.PushItem[]> {
  const rids = items.flatMap(({ rid, payload }) => (payload === null ? [rid] : []));
  if (rids.length === 0) return [...items];
  const columns = model.columns.map(({ fno }) => sql`t.${columnOf(fno)}`);
  // A new record sends all that it has: which of its cells were edited does not matter.
  const found = await arrays(
    db,
    sql`select t.rid, p.action, case when p.action <> 'i' then p.cells end, ${sql.join(columns)}
        from ${tableOf(model.collectionId)} t join ${pendingTableOf(model.collectionId)} p on p.rid = t.rid
        where t.rid = any(${rids}::int4[])`,
  );
  const values = new Map((found as Operation[]).map((row) => [row[0], valuesOf(model, row)]));
  return items.map((item) => ({ ...item, ...values.get(item.rid) }));
}

function valuesOf(
  model: CollectionModel,
  [, action, cells, ...values]: Operation,
): Pick<store.PushItem, 'payload' | 'before'> {
  const payload: Record<string, Value> = {};
  const before: Record<string, Value> = {};
  model.columns.forEach(({ fno, path, pgType }, position) => {
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
