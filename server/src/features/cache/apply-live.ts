import type { ReadRecord } from '@sluice/adapter-kit';
import { copyLines } from '../../platform/copy.ts';
import { execute, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { revalidateSharing, sharersOf } from '../pending/revalidate.ts';
import { copyEncoder } from './encode.ts';
import { copyInto, linesOf, mergeClean } from './merge.ts';
import { type CollectionModel, columnOf, tableOf } from './model.ts';
import { rebaseRows } from './rebase.ts';

/**
 * Brings live records of a few keys into the cache within the caller's transaction, by the rules of a refresh.
 * Keys that were asked for and are gone get the rules of vanished records. Answers the rows whose operation changed.
 */
export async function applyLive(
  tx: Tx,
  model: CollectionModel,
  asked: readonly string[],
  records: readonly ReadRecord[],
  startedAt: string | null,
): Promise<number[]> {
  const fields = model.columns.map(({ fno, pgType }) => sql`${columnOf(fno)} ${sql.raw(pgType)}`);
  const source = sql.id(`live_${model.collectionId}`);
  await execute(
    tx,
    sql`create temp table ${source} (k text collate "C", ver text, bad jsonb${fields.length > 0 ? sql`, ${sql.join(fields)}` : sql``}) on commit drop`,
  );
  const lines = await linesOf(records, copyEncoder(model.columns));
  await copyLines(tx.client, copyInto(model, source), lines);
  const incoming = { source, isFull: false, startedAt };
  const keys = [...asked, ...records.map(({ key }) => key)];
  const known = await rows<{ rid: number }>(
    tx,
    sql`select rid from ${tableOf(model.collectionId)} where k = any(${keys}::text[])`,
  );
  const rids = known.map(({ rid }) => rid);
  const sharers = await sharersOf(tx, model, rids);
  await mergeClean(tx.client, model, incoming);
  const concerned = await rows<{ rid: number; p: boolean; is_there: boolean }>(
    tx,
    sql`select t.rid, t.p, exists (select 1 from ${source} s where s.k = t.k) as is_there
        from ${tableOf(model.collectionId)} t where t.k = any(${asked}::text[])`,
  );
  const gone = concerned.filter(({ p, is_there }) => !p && !is_there).map(({ rid }) => rid);
  await execute(
    tx,
    sql`delete from ${tableOf(model.collectionId)} where rid = any(${gone}::int4[]) and not p`,
  );
  const pending = concerned.filter(({ p }) => p).map(({ rid }) => rid);
  const changed = await rebaseRows(tx, model, pending, { ...incoming, isFull: true });
  await execute(tx, sql`drop table ${source}`);
  return [...new Set([...changed, ...(await revalidateSharing(tx, model, rids, sharers))])];
}
