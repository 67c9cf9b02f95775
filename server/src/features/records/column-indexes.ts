import { type Db, execute, type Pool, rows, sql } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { type CollectionModel, columnOf, tableOf } from '../cache/model.ts';
import { uniqueSets } from '../pending/revalidate.ts';
import { tendSearchIndexes } from './search-index.ts';
import type { ViewSpec } from './view-sql.ts';

/** What an index of one column is for: people sort by it, or runs look their records up by it. */
type Purpose = 'sort' | 'match';

/** Below this a sort takes milliseconds without an index. */
const worthIndexing = 50_000;
const maxPerTable = 6;
const unusedDays = 14;

/** A big table sorted by a column wants an index on it: answered without it now, made in the background. */
export async function noteSortedColumns(db: Db, model: CollectionModel, view: ViewSpec): Promise<void> {
  const column = model.byPath.get(view.order[0]?.path ?? '');
  if (!column || model.rowCount < worthIndexing || column.pgType === 'jsonb') return;
  await want(db, model, [column.fno], 'sort');
}

/**
 * Runs ask for thousands of values of their unique fields with every page, of a table that may grow by what they
 * insert: without an index each page would read all of it. A field whose values the ERP wants unique has one already.
 */
export async function noteMatchedColumns(
  db: Db,
  model: CollectionModel,
  fields: readonly string[],
): Promise<void> {
  const indexed = new Set(uniqueSets(model).map(([first]) => first));
  const columns = fields.flatMap((field) => model.byPath.get(field) ?? []);
  const wanted = columns.filter(({ path, pgType }) => pgType !== 'jsonb' && !indexed.has(path));
  if (wanted.length < columns.length) return;
  await want(
    db,
    model,
    wanted.map(({ fno }) => fno),
    'match',
  );
}

async function want(
  db: Db,
  model: CollectionModel,
  fnos: readonly number[],
  purpose: Purpose,
): Promise<void> {
  if (fnos.length === 0) return;
  await execute(
    db,
    sql`insert into column_index (collection_id, fno, purpose)
        select ${model.collectionId}, fno, ${purpose} from unnest(${[...fnos]}::int4[]) wanted(fno)
        on conflict (collection_id, fno, purpose) do update set used_at = now()
          where column_index.used_at < now() - interval '1 hour'`,
  );
}

const indexName = (collectionId: number, fno: number, purpose: Purpose): string =>
  `c_${collectionId}_f${fno}_${purpose}`;

interface ColumnIndex {
  collection_id: number;
  fno: number;
  purpose: Purpose;
}

/** Makes the indexes that are wanted and drops those that nobody used for two weeks; one process at a time. */
export async function tendColumnIndexes(pool: Pool, log: Log): Promise<void> {
  const client = await pool.connect();
  try {
    const lock = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(716253003) as taken');
    if (!lock.rows[0]?.taken) return;
    const drop = async ({ collection_id: id, fno, purpose }: ColumnIndex): Promise<void> => {
      const name = sql.id('cache', indexName(id, fno, purpose));
      await execute(client, sql`drop index concurrently if exists ${name}`);
    };
    const old = await rows<ColumnIndex>(
      client,
      sql`select collection_id, fno, purpose from column_index s
          where state = 'ready' and (used_at < now() - make_interval(days => ${unusedDays})
            or (select count(*) from column_index o
                where o.collection_id = s.collection_id and o.purpose = s.purpose and o.used_at > s.used_at) >= ${maxPerTable})`,
    );
    for (const index of old) {
      await drop(index);
      await execute(
        client,
        sql`delete from column_index
            where collection_id = ${index.collection_id} and fno = ${index.fno} and purpose = ${index.purpose}`,
      );
    }
    const wanted = await rows<ColumnIndex & { pg_type: string }>(
      client,
      sql`select s.collection_id, s.fno, s.purpose, f.pg_type
          from column_index s join collection_field f using (collection_id, fno)
          where s.state = 'wanted' order by s.used_at desc limit 4`,
    );
    for (const index of wanted) {
      const { collection_id: id, fno, purpose, pg_type } = index;
      // An interrupted build leaves an invalid index behind.
      await drop(index);
      const column = columnOf(fno);
      const key =
        purpose === 'match'
          ? column
          : sql`${column}${pg_type === 'text' ? sql` collate sluice_text` : sql``}, rid`;
      await execute(
        client,
        sql`create index concurrently ${sql.id(indexName(id, fno, purpose))} on ${tableOf(id)} (${key})`,
      );
      await execute(
        client,
        sql`update column_index set state = 'ready' where collection_id = ${id} and fno = ${fno} and purpose = ${purpose}`,
      );
      log.info('Made an index of a column', { collectionId: id, fno, purpose });
    }
    await tendSearchIndexes(client, log);
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => undefined);
    client.release();
  }
}
