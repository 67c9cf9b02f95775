import type { Pool } from '../../platform/db.ts';
import { execute, rows, type Sql, sql } from '../../platform/db.ts';
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
import { lockRids, nextRevision } from '../pending/apply.ts';
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
  let left = 0;
  const pending = await rows<{ rid: number }>(
    services.pool,
    sql`select rid from ${pendingTableOf(model.collectionId)} where action <> 'i' order by rid`,
  );
  if (pending.length > 0) await indexStaging(services.pool, model.collectionId);
  for (let at = 0; at < pending.length; at += chunk) {
    const rids = pending.slice(at, at + chunk).map(({ rid }) => rid);
    await record(services.pool, async (tx) => {
      const source = stagingTableOf(model.collectionId);
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
  const changed: number[] = [];
  const revision = await nextRevision(tx);
  for (const pendingRow of found) {
    const isChanged =
      pendingRow.staged === null
        ? isFull && (await markGone(tx, model, pendingRow))
        : await rebaseRow(tx, model, pendingRow, pendingRow.staged, source, revision);
    if (isChanged) changed.push(pendingRow.rid);
  }
  return changed;
}

async function markGone(
  tx: Tx,
  model: CollectionModel,
  { rid, action, is_gone }: PendingRow,
): Promise<boolean> {
  if (action === 'd') {
    // What was to be deleted is deleted already.
    await execute(tx, sql`delete from ${pendingTableOf(model.collectionId)} where rid = ${rid}`);
    await execute(tx, sql`delete from ${tableOf(model.collectionId)} where rid = ${rid}`);
    return true;
  }
  if (is_gone) return false;
  await execute(
    tx,
    sql`update ${pendingTableOf(model.collectionId)} set is_gone = true, revision = nextval('pending_revision') where rid = ${rid}`,
  );
  return true;
}

async function rebaseRow(
  tx: Tx,
  model: CollectionModel,
  pending: PendingRow,
  staged: readonly (string | null)[],
  source: Sql,
  revision: number,
): Promise<boolean> {
  const cells: Cells = {};
  const taken = [];
  let isChanged = pending.is_gone;
  for (const [index, { fno, pgType }] of model.columns.entries()) {
    const theirs = staged[index] ?? null;
    const own = pending.own[index] ?? null;
    const cell = pending.cells[fno];
    const isSame = (a: string | null, b: string | null): boolean => isSameText(pgType, a, b);
    if (!cell) {
      if (!isSame(theirs, own)) isChanged = true;
      taken.push(sql`${columnOf(fno)} = s.${columnOf(fno)}`);
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
  const table = tableOf(model.collectionId);
  const isDone = pending.action === 'u' && Object.keys(cells).length === 0;
  const assignments = [...taken, sql`ver = s.ver`, sql`bad = s.bad`, ...(isDone ? [sql`p = false`] : [])];
  await execute(
    tx,
    sql`update ${table} t set ${sql.join(assignments)} from ${source} s
        where t.rid = ${pending.rid} and s.k = t.k`,
  );
  const pendingTable = pendingTableOf(model.collectionId);
  if (isDone) await execute(tx, sql`delete from ${pendingTable} where rid = ${pending.rid}`);
  else if (isChanged) {
    const hasConflict = Object.values(cells).some((cell) => cell.c !== undefined);
    await execute(
      tx,
      sql`update ${pendingTable} set cells = ${JSON.stringify(cells)}, has_conflict = ${hasConflict}, is_gone = false,
            revision = ${revision} where rid = ${pending.rid}`,
    );
  }
  return isChanged;
}
