import { setImmediate } from 'node:timers/promises';
import type { ReadRecord } from '@sluice/adapter-kit';
import { isSameValue } from '@sluice/mapping';
import { type Db, execute, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import { text } from '../../platform/texts.ts';
import { copyEncoder, textsOfLine } from '../cache/encode.ts';
import { applyLive } from '../cache/apply-live.ts';
import { deleteRows, lockRids } from '../pending/apply.ts';
import { revalidate, sharersOf } from '../pending/revalidate.ts';
import { publishRows } from '../pending/service.ts';
import { readRows, valuesOf } from '../records/service.ts';
import { type PushItem, settleItems, type Settlement } from './store.ts';

export interface Success {
  item: PushItem;
  key: string;
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
  const inserts = successes.filter(({ item }) => item.action === 'i');
  const deleted = successes.filter(({ item }) => item.action === 'd').map(({ item }) => item.rid);
  const written = successes.filter(({ item }) => item.action !== 'd');
  const rids = successes.map(({ item }) => item.rid);
  await lockRids(tx, model, rids);
  const answers = await wholeAnswers(tx, model, successes);
  const own = new Set(rids);
  const sharers = await sharersOf(tx, model, rids);
  await execute(tx, sql`delete from ${pendingTableOf(model.collectionId)} where rid = any(${rids}::int4[])`);
  const adopted = new Set(await adoptTwins(tx, model, inserts, at));
  const isAnswered = new Set(answers.map(({ item }) => item.rid));
  await takeKeysOnly(
    tx,
    model,
    written.filter(({ item }) => !isAnswered.has(item.rid) || adopted.has(item.rid)),
    adopted,
  );
  await takeAnswers(
    tx,
    model,
    answers.filter(({ item }) => !adopted.has(item.rid)),
  );
  await deleteRows(tx, model, deleted);
  const toRebase = answers.filter(({ item }) => adopted.has(item.rid)).map(({ live }) => live);
  if (toRebase.length > 0) await applyLive(tx, model, [], toRebase, null);
  // Nothing is pending any more on the rows themselves, except on those that got a twin's changes.
  const sharing = [...new Set([...sharers, ...(await sharersOf(tx, model, rids))])];
  const concerned = sharing.filter((rid) => !own.has(rid));
  await revalidate(tx, model, [...concerned, ...adopted]);
  publishRows(tx, model, concerned);
  const settlements = successes.map(({ item, key, live: answer }): Settlement => ({
    item,
    state: 'succeeded',
    newKey: item.action === 'i' ? key : null,
    errors: notTakenOver(item, answer),
  }));
  await settleItems(tx, settlements, at);
}

/** What succeeded without an answer of its values: those that were sent stay; rows with changes of a twin keep its state. */
async function takeKeysOnly(
  tx: Tx,
  model: CollectionModel,
  written: readonly Success[],
  adopted: ReadonlySet<number>,
): Promise<void> {
  if (written.length === 0) return;
  const isAdopted = sql`t.rid = any(${[...adopted]}::int4[])`;
  await execute(
    tx,
    sql`update ${tableOf(model.collectionId)} t set k = v.k, p = ${isAdopted},
          ver = case when ${isAdopted} then t.ver end, bad = case when ${isAdopted} then t.bad end
        from unnest(${written.map(({ item }) => item.rid)}::int4[], ${written.map(({ key }) => key)}::text[]) v(rid, k)
        where t.rid = v.rid`,
  );
}

interface Answer {
  item: PushItem;
  live: ReadRecord;
}

/** The external system's answers become the rows, all by one statement; nothing is pending on them any more. */
async function takeAnswers(tx: Tx, model: CollectionModel, answers: readonly Answer[]): Promise<void> {
  if (answers.length === 0) return;
  const changed = model.columns.filter(
    ({ path }) => !answers.every(({ item, live }) => isAsSent(item, live, path)),
  );
  const encode = copyEncoder(changed);
  const lines: (string | null)[][] = [];
  for (const { live } of answers) {
    lines.push(textsOfLine(encode(live)));
    // The answer of the next call is not kept waiting.
    if (lines.length % 100 === 0) await setImmediate();
  }
  const columns = [
    { name: sql.id('k'), type: 'text' },
    { name: sql.id('ver'), type: 'text' },
    { name: sql.id('bad'), type: 'jsonb' },
    ...changed.map(({ fno, pgType }) => ({ name: columnOf(fno), type: pgType })),
  ];
  const inputs = columns.map((_, index) => sql`${lines.map((texts) => texts[index] ?? null)}::text[]`);
  const assignments = columns.map(({ name, type }) => sql`${name} = v.${name}::${sql.raw(type)}`);
  await execute(
    tx,
    sql`update ${tableOf(model.collectionId)} t set p = false, ${sql.join(assignments)}
        from unnest(${answers.map(({ item }) => item.rid)}::int4[], ${sql.join(inputs)})
          v(rid, ${sql.join(columns.map(({ name }) => name))}) where t.rid = v.rid`,
  );
}

/** Of a new record every value was sent, and its row holds them: what came back the same is not written again. */
const isAsSent = (item: PushItem, live: ReadRecord, path: string): boolean =>
  item.action === 'i' && (live.values[path] ?? null) === (item.payload?.[path] ?? null);

/**
 * An answer may hold only what was written (Tryton's does): every other field stays as it is. Its version is not
 * kept then: a version of fields that nobody has seen would let the next push overwrite them.
 */
async function wholeAnswers(
  tx: Tx,
  model: CollectionModel,
  successes: readonly Success[],
): Promise<Answer[]> {
  const answered = successes.flatMap(({ item, live }) => (live ? [{ item, live }] : []));
  const isPartial = answered.map(({ live }) => model.columns.some(({ path }) => !(path in live.values)));
  const partial = answered.filter((_, index) => isPartial[index]).map(({ item }) => item.rid);
  const stored = new Map((await readRows(tx, model, partial)).map((record) => [record?.rid, record]));
  return answered.map(({ item, live }) => {
    const record = stored.get(item.rid);
    const values = record ? { ...valuesOf(model, record), ...live.values } : live.values;
    return { item, live: record ? { ...live, version: null, values } : live };
  });
}

/**
 * A refresh may have read the new record before its answer arrived: one row must remain, the one that people know.
 * What they have changed in the other one meanwhile moves to it. Answers the rows that got such changes.
 */
async function adoptTwins(
  tx: Tx,
  model: CollectionModel,
  inserts: readonly Success[],
  at: Date,
): Promise<number[]> {
  if (inserts.length === 0) return [];
  const table = tableOf(model.collectionId);
  const found = await rows<{ rid: number; own: number; p: boolean; is_old: boolean }>(
    tx,
    sql`select t.rid, v.rid as own, t.p, t.rid <= coalesce((select sent_watermark from push_item i
            where i.push_id = v.push_id and i.seq = v.seq), 0) as is_old
        from ${table} t
        join unnest(${inserts.map(({ item }) => item.rid)}::int4[], ${inserts.map(({ key }) => key)}::text[],
          ${inserts.map(({ item }) => item.push_id)}::uuid[], ${inserts.map(({ item }) => item.seq)}::int4[]) v(rid, k, push_id, seq)
          on t.k = v.k and t.rid <> v.rid
        for update of t`,
  );
  await takeKeys(
    tx,
    model,
    found.flatMap(({ rid, is_old }) => (is_old ? [rid] : [])),
    at,
  );
  const twins = found.filter(({ is_old }) => !is_old);
  const changed = twins.filter(({ p }) => p);
  if (changed.length > 0) await moveChanges(tx, model, changed);
  const removed = twins.map(({ rid }) => rid);
  await deleteRows(tx, model, removed);
  publishRows(tx, model, [], removed);
  return changed.map(({ own }) => own);
}

/**
 * Rows that had the key of a new record before it was sent: the record behind them must have been gone. A pending
 * delete of it is done; pending changes are kept, as of a record that vanished (decisions Q-PEND-06).
 */
async function takeKeys(tx: Tx, model: CollectionModel, rids: readonly number[], at: Date): Promise<void> {
  if (rids.length === 0) return;
  const { collectionId } = model;
  const msg = text('EN', 'push.gone');
  const errors = JSON.stringify([{ errCode: 'NOT_FOUND', msg, field: null, at: at.toISOString() }]);
  const changed = await rows<{ rid: number }>(
    tx,
    sql`update ${pendingTableOf(collectionId)} set is_gone = true, revision = nextval('pending_revision'),
          errors = case when push_id is null then errors else ${errors}::jsonb end, push_id = null
        where rid = any(${rids}::int4[]) and action = 'u' returning rid`,
  );
  await execute(
    tx,
    sql`update push_item set state = case when action = 'd' then 'succeeded' else 'conflict' end, settled_at = ${at},
          errors = case when action = 'd' then null else ${JSON.stringify([{ errCode: 'NOT_FOUND', msg, field: null, class: 'conflict' }])}::jsonb end
        where collection_id = ${collectionId} and rid = any(${rids}::int4[]) and settled_at is null`,
  );
  const kept = changed.map(({ rid }) => rid);
  const removed = rids.filter((rid) => !kept.includes(rid));
  await execute(
    tx,
    sql`update ${tableOf(collectionId)} set k = null, ver = null where rid = any(${kept}::int4[])`,
  );
  await deleteRows(tx, model, removed);
  publishRows(tx, model, kept, removed);
}

/** Values, pending changes, undo steps and planned pushes of one row become those of another. */
async function moveChanges(
  tx: Tx,
  model: CollectionModel,
  moves: readonly { rid: number; own: number }[],
): Promise<void> {
  const { collectionId } = model;
  const pairs = sql`unnest(${moves.map(({ rid }) => rid)}::int4[], ${moves.map(({ own }) => own)}::int4[]) v(rid, own)`;
  const names = [sql.id('ver'), sql.id('bad'), ...model.columns.map(({ fno }) => columnOf(fno))];
  const assignments = sql.join(names.map((name) => sql`${name} = twin.${name}`));
  await execute(
    tx,
    sql`update ${tableOf(collectionId)} t set ${assignments}
        from ${tableOf(collectionId)} twin join ${pairs} on twin.rid = v.rid where t.rid = v.own`,
  );
  await execute(
    tx,
    sql`update ${pendingTableOf(collectionId)} p set rid = v.own, revision = nextval('pending_revision')
        from ${pairs} where p.rid = v.rid`,
  );
  for (const journal of ['edit_cell', 'edit_row']) {
    await execute(
      tx,
      sql`update ${sql.id(journal)} j set rid = v.own from edit e, ${pairs}
          where e.edit_id = j.edit_id and e.collection_id = ${collectionId} and j.rid = v.rid`,
    );
  }
  await execute(
    tx,
    sql`update push_item i set rid = v.own from ${pairs}
        where i.collection_id = ${collectionId} and i.rid = v.rid and i.settled_at is null`,
  );
  for (const { rid, own } of moves) {
    await execute(
      tx,
      sql`update push set planned = array_replace(planned, ${rid}::int4, ${own}::int4)
          where collection_id = ${collectionId} and finished_at is null and ${rid}::int4 = any(planned[next_seq + 1:])`,
    );
  }
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
    { at, isUnknown: 'no' },
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
  await unlock(tx, model, unknown, { at, isUnknown: 'yes' });
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
  await unlock(tx, model, conflicts, { at, isUnknown: 'no' });
  const asked = conflicts.flatMap(({ item }) => (item.key === null ? [] : [item.key]));
  await applyLive(
    tx,
    model,
    asked,
    conflicts.flatMap(({ live }) => (live ? [live] : [])),
    null,
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
    { at, isUnknown: 'asBefore' },
  );
  await settleItems(
    tx,
    items.map((item) => ({ item, errors: null, state: 'cancelled', newKey: null })),
    at,
  );
}

// An insert that may have been done once stays doubtful, whatever a later push says of it.
const unknownAfter = {
  yes: sql`true`,
  no: sql`p.is_unknown and p.action = 'i'`,
  asBefore: sql`p.is_unknown`,
};

async function unlock(
  db: Db,
  model: CollectionModel,
  settled: readonly { item: PushItem; errors: Settlement['errors'] }[],
  { at, isUnknown }: { at: Date; isUnknown: keyof typeof unknownAfter },
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
        set push_id = null, errors = v.errors::jsonb, is_unknown = ${unknownAfter[isUnknown]}, revision = nextval('pending_revision')
        from unnest(${settled.map(({ item }) => item.rid)}::int4[], ${texts}::text[]) v(rid, errors) where p.rid = v.rid`,
  );
}
