import type { Pool } from '../../platform/db.ts';
import { type Db, execute, rows, type Sql, sql } from '../../platform/db.ts';
import { record, type Tx } from '../../platform/mutate.ts';
import {
  type CollectionModel,
  columnOf,
  isSameText,
  pendingTableOf,
  stagingTableOf,
  tableOf,
} from './model.ts';
import { settledSince } from './settled.ts';
import { indexStaging } from './table.ts';
import { deleteRows, lockRids, nextRevision } from '../pending/apply.ts';
import { revalidate, uniquePending } from '../pending/revalidate.ts';

/** A pending cell as it is stored: old value, author, time (ms), revision; `c` what the external system holds if it changed. */
export interface Cell {
  o: string | null;
  a: number;
  t: number;
  r: number;
  c?: string | null;
}
export type Cells = Record<string, Cell>;

const chunk = 500;

/**
 * Rows with pending changes after a refresh: unedited cells take the external value; an edited cell keeps the user's,
 * and becomes a conflict where the external value is no longer the one that he saw (decisions Q-PEND-05, Q-PEND-06).
 * Answers how many rows are left to a running push.
 */
export async function rebasePending(
  services: { pool: Pool },
  model: CollectionModel,
  refresh: { isFull: boolean; startedAt: string },
): Promise<number> {
  const source = stagingTableOf(model.collectionId);
  const moved = await movedRows(services.pool, model, { source, ...refresh });
  const pending = moved.rids;
  let { left } = moved;
  if (pending.length > 0) await indexStaging(services.pool, model.collectionId);
  for (let at = 0; at < pending.length; at += chunk) {
    const rids = pending.slice(at, at + chunk);
    await record(services.pool, async (tx) => {
      const changed = await rebaseRows(tx, model, rids, { source, ...refresh });
      left += await countLeft(tx, model, rids, source);
      await revalidate(tx, model, changed);
      if (changed.length > 0) {
        tx.publish({
          topic: 'collection',
          collectionId: model.collectionId,
          rids: changed,
          removed: [],
          isReloadNeeded: false,
          refreshedAt: null,
        });
      }
    });
  }
  return left;
}

/**
 * Pending rows of which the external system now says something else than is known of it, and how many there are in
 * running pushes. Of ten thousands of pending rows that is few; it may name some for which nothing follows.
 */
async function movedRows(
  db: Db,
  model: CollectionModel,
  { source, isFull }: Incoming,
): Promise<{ rids: number[]; left: number }> {
  const fields = model.columns.map(({ fno }) => String(fno));
  const differs = model.columns.map(({ fno }) => {
    const name = sql`${String(fno)}::text`;
    const known = sql`p.cells->${name}->>(case when p.cells->${name} ? 'c' then 'c' else 'o' end)`;
    const [own, theirs] = [sql`t.${columnOf(fno)}`, sql`s.${columnOf(fno)}`];
    return sql`case when p.cells ? ${name} then ${theirs}::text is distinct from ${known} else ${theirs} is distinct from ${own} end`;
  });
  const isMoved = [
    sql`p.is_gone`,
    sql`p.action = 'u' and not p.cells ?| ${fields}::text[]`,
    sql`(s.ver, s.bad) is distinct from (t.ver, t.bad)`,
    ...differs,
  ];
  const found = await rows<{ rid: number; is_pushed: boolean }>(
    db,
    sql`select t.rid, p.push_id is not null as is_pushed
        from ${pendingTableOf(model.collectionId)} p join ${tableOf(model.collectionId)} t using (rid)
          left join ${source} s on s.k = t.k
        where p.action <> 'i' and case
            when s.k is null then ${isFull}::bool and p.push_id is null
            when p.push_id is not null then true
            else ${sql.join(isMoved, sql` or `)}
          end
        order by t.rid`,
  );
  const rids = found.flatMap(({ rid, is_pushed }) => (is_pushed ? [] : [rid]));
  return { rids, left: found.length - rids.length };
}

async function countLeft(
  tx: Tx,
  model: CollectionModel,
  rids: readonly number[],
  source: Sql,
): Promise<number> {
  const found = await rows<{ n: number }>(
    tx,
    sql`select count(*)::int as n from ${pendingTableOf(model.collectionId)} p
          join ${tableOf(model.collectionId)} t using (rid) join ${source} s on s.k = t.k
        where p.rid = any(${rids}::int4[]) and p.push_id is not null`,
  );
  return found[0]?.n ?? 0;
}

/** Unique values after a refresh: what it brought may be what somebody wants to add, or no longer. */
export async function recheckUniques(services: { pool: Pool }, model: CollectionModel): Promise<void> {
  const pending = await uniquePending(services.pool, model);
  for (let at = 0; at < pending.length; at += chunk) {
    const rids = pending.slice(at, at + chunk);
    await record(services.pool, async (tx) => {
      await lockRids(tx, model, rids);
      await revalidate(tx, model, rids);
    });
  }
}

/** Other fields, rules or options: what is pending may have become right or wrong by them (decisions Q-PEND-09). */
export async function recheckPending(services: { pool: Pool }, model: CollectionModel): Promise<void> {
  const pending = await rows<{ rid: number }>(
    services.pool,
    sql`select rid from ${pendingTableOf(model.collectionId)} where action <> 'd' and push_id is null order by rid`,
  );
  for (let at = 0; at < pending.length; at += chunk) {
    const rids = pending.slice(at, at + chunk).map(({ rid }) => rid);
    await record(services.pool, async (tx) => {
      await lockRids(tx, model, rids);
      await revalidate(tx, model, rids);
      tx.publish({
        topic: 'collection',
        collectionId: model.collectionId,
        rids,
        removed: [],
        isReloadNeeded: false,
        refreshedAt: null,
      });
    });
  }
}

interface PendingRow {
  rid: number;
  action: 'u' | 'd';
  cells: Cells;
  is_gone: boolean;
  staged: (string | null)[] | null;
  own: (string | null)[];
}

/**
 * Where newly read records are (columns `k, ver, bad, f…`), whether it holds all there are, and when reading began:
 * what a push settled since is left alone. Null = a push has just read them itself.
 */
export interface Incoming {
  source: Sql;
  isFull: boolean;
  startedAt: string | null;
}

export async function rebaseRows(
  tx: Tx,
  model: CollectionModel,
  rids: readonly number[],
  { source, isFull, startedAt }: Incoming,
): Promise<number[]> {
  const table = tableOf(model.collectionId);
  const pendingTable = pendingTableOf(model.collectionId);
  await lockRids(tx, model, rids);
  const columnTexts = (alias: string) =>
    sql.join(model.columns.map(({ fno }) => sql`${sql.ref(alias)}.${columnOf(fno)}::text`));
  const found = await rows<PendingRow>(
    tx,
    sql`select t.rid, p.action, p.cells, p.is_gone,
          case when s.k is null then null else array[${columnTexts('s')}]::text[] end as staged,
          array[${columnTexts('t')}]::text[] as own
        from ${table} t join ${pendingTable} p using (rid)
          left join ${source} s on s.k = t.k
        where t.rid = any(${rids}::int4[]) and p.action <> 'i' and p.push_id is null
          and t.rid not in (select rid from ${settledSince(model.collectionId, startedAt)} i)`,
  );
  const { gone = [], known = [] } = Object.groupBy(found, ({ staged }) =>
    staged === null ? 'gone' : 'known',
  );
  const revision = await nextRevision(tx);
  const rebased = known.map((pendingRow) => rebasedOf(model, pendingRow, revision));
  await writeRebased(tx, model, rebased, source, revision);
  return [
    ...rebased.flatMap(({ rid, isChanged }) => (isChanged ? [rid] : [])),
    ...(isFull ? await markGone(tx, model, gone) : []),
  ];
}

/** The external system has them no more: what was to be deleted is, and changes are kept (decisions Q-PEND-06). */
async function markGone(tx: Tx, model: CollectionModel, gone: readonly PendingRow[]): Promise<number[]> {
  const deleted = gone.filter(({ action }) => action === 'd').map(({ rid }) => rid);
  const kept = gone.filter(({ action, is_gone }) => action !== 'd' && !is_gone).map(({ rid }) => rid);
  await deleteRows(tx, model, deleted);
  await execute(
    tx,
    sql`update ${pendingTableOf(model.collectionId)} set is_gone = true, revision = nextval('pending_revision')
        where rid = any(${kept}::int4[])`,
  );
  return [...deleted, ...kept];
}

interface Rebased {
  rid: number;
  /** What is left pending of it. */
  cells: Cells;
  /** Numbers of the fields that take the external value. */
  taken: number[];
  /** Its operation is another one than before, or its values are. */
  isChanged: boolean;
  /** Nothing is left to push. */
  isDone: boolean;
}

function rebasedOf(model: CollectionModel, pending: PendingRow, revision: number): Rebased {
  const cells: Cells = {};
  const taken: number[] = [];
  let isChanged = pending.is_gone;
  for (const [index, { fno, pgType }] of model.columns.entries()) {
    const theirs = pending.staged?.[index] ?? null;
    const own = pending.own[index] ?? null;
    const cell = pending.cells[fno];
    const isSame = (a: string | null, b: string | null): boolean => isSameText(pgType, a, b);
    if (!cell) {
      if (!isSame(theirs, own)) isChanged = true;
      taken.push(fno);
    } else if (isSame(theirs, own)) {
      // The external system has come to the same value: nothing is left to push.
      isChanged = true;
    } else if (isSame(theirs, cell.o)) {
      const { c, ...rest } = cell;
      if (c !== undefined) isChanged = true;
      cells[fno] = rest;
    } else {
      const isNew = cell.c === undefined || !isSame(cell.c, theirs);
      if (isNew) isChanged = true;
      // Nobody has seen it: the next writer must have looked since.
      cells[fno] = { ...cell, c: theirs, ...(isNew ? { r: revision } : {}) };
    }
  }
  const isDone = pending.action === 'u' && Object.keys(cells).length === 0;
  return { rid: pending.rid, cells, taken, isChanged, isDone };
}

/** Rows in which the same fields take the external values are written by one statement. */
async function writeRebased(
  tx: Tx,
  model: CollectionModel,
  rebased: readonly Rebased[],
  source: Sql,
  revision: number,
): Promise<void> {
  const groups = Map.groupBy(rebased, ({ taken, isDone }) => `${isDone} ${taken.join()}`);
  for (const group of groups.values()) {
    const [{ taken, isDone }] = group as [Rebased, ...Rebased[]];
    const assignments = [
      ...taken.map((fno) => sql`${columnOf(fno)} = s.${columnOf(fno)}`),
      sql`ver = s.ver`,
      sql`bad = s.bad`,
      ...(isDone ? [sql`p = false`] : []),
    ];
    await execute(
      tx,
      sql`update ${tableOf(model.collectionId)} t set ${sql.join(assignments)} from ${source} s
          where t.rid = any(${group.map(({ rid }) => rid)}::int4[]) and s.k = t.k`,
    );
  }
  const pendingTable = pendingTableOf(model.collectionId);
  const done = rebased.filter(({ isDone }) => isDone).map(({ rid }) => rid);
  await execute(tx, sql`delete from ${pendingTable} where rid = any(${done}::int4[])`);
  const kept = rebased.filter(({ isDone, isChanged }) => isChanged && !isDone);
  await execute(
    tx,
    sql`update ${pendingTable} p set cells = v.cells::jsonb, has_conflict = v.has_conflict, is_gone = false, revision = ${revision}
        from unnest(${kept.map(({ rid }) => rid)}::int4[], ${kept.map(({ cells }) => JSON.stringify(cells))}::text[],
          ${kept.map(({ cells }) => Object.values(cells).some((cell) => cell.c !== undefined))}::bool[]) v(rid, cells, has_conflict)
        where p.rid = v.rid`,
  );
}
