import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { BodyOf, ChangePushAction, push as pushEndpoint, Value } from '@sluice/contract';
import { arrays, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf, valueOfText } from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';
import { lockRids } from '../pending/apply.ts';
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

type Planned = [
  rid: number,
  key: string | null,
  version: string | null,
  action: Chosen['action'],
  cells: Cells | null,
  ...values: Value[],
];

/** Items of one statement: while PostgreSQL stores them the next ones are made. */
const itemsPerPart = 1000;

/** Stores an item for each of the chosen operations, in their order. */
export async function planItems(
  tx: Tx,
  model: CollectionModel,
  pushId: string,
  chosen: readonly Chosen[],
): Promise<void> {
  const writes: Promise<void>[] = [];
  try {
    for (let at = 0; at < chosen.length; at += rowsPerRead) {
      const found = await readChosen(tx, model, chosen.slice(at, at + rowsPerRead));
      for (let from = 0; from < found.length; from += itemsPerPart) {
        const items = found
          .slice(from, from + itemsPerPart)
          .map((planned, index) => itemOf(model, planned, at + from + index));
        const write = store.insertItems(tx, pushId, model.collectionId, items);
        // Thrown below.
        write.catch(() => undefined);
        writes.push(write);
        await setImmediate();
      }
    }
  } finally {
    await Promise.allSettled(writes);
  }
  await Promise.all(writes);
}

const rowsPerRead = 5000;

async function readChosen(tx: Tx, model: CollectionModel, chosen: readonly Chosen[]): Promise<Planned[]> {
  const columns = model.columns.map(({ fno }) => sql`t.${columnOf(fno)}`);
  // A new record sends all that it has: which of its cells were edited does not matter.
  const found = await arrays(
    tx,
    sql`select t.rid, t.k, t.ver, p.action, case when p.action <> 'i' then p.cells end, ${sql.join(columns)}
        from unnest(${chosen.map(({ rid }) => rid)}::int4[]) with ordinality x(rid, o)
          join ${tableOf(model.collectionId)} t on t.rid = x.rid
          join ${pendingTableOf(model.collectionId)} p on p.rid = t.rid
        order by x.o`,
  );
  return found as Planned[];
}

function itemOf(
  model: CollectionModel,
  [rid, key, version, action, cells, ...values]: Planned,
  seq: number,
): store.NewItem {
  const payload: Record<string, Value> = {};
  const before: Record<string, Value> = {};
  let label: string | null = null;
  model.columns.forEach(({ fno, path, pgType }, position) => {
    const cell = cells?.[fno];
    const value = values[position] ?? null;
    const old = cell ? valueOfText(pgType, cell.o) : value;
    // Of a deleted record what it was, so that it can be added again.
    if (action === 'u' ? cell : (action === 'd' ? old : value) !== null)
      payload[path] = action === 'd' ? old : value;
    if (cell) before[path] = old;
    if (path === model.description.labelField && value !== null) label = String(value);
  });
  return {
    seq,
    rid,
    action,
    op_id: randomUUID(),
    key,
    version,
    label,
    payload,
    before: action === 'u' ? before : null,
  };
}
