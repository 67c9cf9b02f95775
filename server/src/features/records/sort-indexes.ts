import { type Db, execute, type Pool, rows, sql } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { type CollectionModel, columnOf, tableOf } from '../cache/model.ts';
import { tendSearchIndexes } from './search-index.ts';
import type { ViewSpec } from './view-sql.ts';

/** Below this a sort takes milliseconds without an index. */
const worthIndexing = 50_000;
const maxPerTable = 6;
const unusedDays = 14;

/** A big table sorted by a column wants an index on it: answered without it now, made in the background. */
export async function noteSortedColumns(db: Db, model: CollectionModel, view: ViewSpec): Promise<void> {
  const column = model.byPath.get(view.order[0]?.path ?? '');
  if (!column || model.rowCount < worthIndexing || column.pgType === 'jsonb') return;
  await execute(
    db,
    sql`insert into sort_index (collection_id, fno) values (${model.collectionId}, ${column.fno})
        on conflict (collection_id, fno) do update set used_at = now() where sort_index.used_at < now() - interval '1 hour'`,
  );
}

const indexName = (collectionId: number, fno: number) => sql.id('cache', `c_${collectionId}_f${fno}_sort`);

/** Makes the indexes that are wanted and drops those that nobody used for two weeks; one process at a time. */
export async function tendSortIndexes(pool: Pool, log: Log): Promise<void> {
  const client = await pool.connect();
  try {
    const lock = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(716253003) as taken');
    if (!lock.rows[0]?.taken) return;
    const old = await rows<{ collection_id: number; fno: number }>(
      client,
      sql`select collection_id, fno from sort_index s where state = 'ready' and (used_at < now() - make_interval(days => ${unusedDays})
            or (select count(*) from sort_index o where o.collection_id = s.collection_id and o.used_at > s.used_at) >= ${maxPerTable})`,
    );
    for (const { collection_id: id, fno } of old) {
      await execute(client, sql`drop index concurrently if exists ${indexName(id, fno)}`);
      await execute(client, sql`delete from sort_index where collection_id = ${id} and fno = ${fno}`);
    }
    const wanted = await rows<{ collection_id: number; fno: number; pg_type: string }>(
      client,
      sql`select s.collection_id, s.fno, f.pg_type from sort_index s join collection_field f using (collection_id, fno)
          where s.state = 'wanted' order by s.used_at desc limit 4`,
    );
    for (const { collection_id: id, fno, pg_type } of wanted) {
      const collation = pg_type === 'text' ? sql` collate sluice_text` : sql``;
      // An interrupted build leaves an invalid index behind.
      await execute(client, sql`drop index concurrently if exists ${indexName(id, fno)}`);
      await execute(
        client,
        sql`create index concurrently ${sql.id(`c_${id}_f${fno}_sort`)} on ${tableOf(id)} (${columnOf(fno)}${collation}, rid)`,
      );
      await execute(
        client,
        sql`update sort_index set state = 'ready' where collection_id = ${id} and fno = ${fno}`,
      );
      log.info('Made a sort index', { collectionId: id, fno });
    }
    await tendSearchIndexes(client, log);
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => undefined);
    client.release();
  }
}
