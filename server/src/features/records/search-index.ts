import { type Db, execute, rows, type Sql, sql } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { type CollectionModel, type Column, columnOf, tableOf } from '../cache/model.ts';

/** Below this a scan of all texts takes some tens of milliseconds. */
const worthIndexing = 200_000;
/** Searches of a table until it gets an index: it costs every edit of a text something. */
const usesUntilWanted = 3;
const unusedDays = 14;

const isIndexed = ({ pgType }: Column): boolean => pgType === 'text' || pgType === 'jsonb';

/** All texts of a record in lower case, what could not be stored included. The index and the queries share these words. */
const textsOf = (fnos: readonly number[], table = sql``): Sql =>
  sql`lower(${sql.join(
    [...fnos.map(columnOf), sql.id('bad')].map((column) => sql`coalesce(${table}${column}::text, '')`),
    sql` || e'\n' || `,
  )})`;

/**
 * A condition that the index answers, true for every record that has the text in one of the columns (and for some
 * others): it stands beside the exact condition, never in its place. Null where the index does not stand, does not
 * hold one of the columns, or knows nothing of such a text: it holds groups of three letters or digits.
 */
export function mayHold(model: CollectionModel, columns: readonly Column[], text: string): Sql | null {
  const fnos = model.searchFnos;
  if (fnos === null || !columns.every((column) => isIndexed(column) && fnos.includes(column.fno)))
    return null;
  // Quotes and the like are written otherwise within JSON.
  if (!/[\p{L}\p{N}]{3}/u.test(text) || /["\\\p{Cc}]/u.test(text)) return null;
  return sql`${textsOf(fnos, sql`t.`)} like lower(${`%${text.replace(/[%_]/g, '\\$&')}%`})`;
}

/** A big table that people search in wants an index of its texts: answered without it now, made in the background. */
export async function noteSearch(db: Db, model: CollectionModel): Promise<void> {
  if (model.rowCount < worthIndexing) return;
  // A field that came after the index was made: it is made anew.
  const isOutgrown =
    model.searchFnos !== null &&
    model.columns.some((column) => isIndexed(column) && !model.searchFnos?.includes(column.fno));
  await execute(
    db,
    sql`insert into search_index (collection_id) values (${model.collectionId})
        on conflict (collection_id) do update set uses = search_index.uses + 1, used_at = now(),
          state = case when ${isOutgrown} and search_index.state = 'ready' then 'wanted'
            when search_index.state = 'noted' and search_index.uses + 1 >= ${usesUntilWanted} then 'wanted' else search_index.state end
        where search_index.state <> 'ready' or ${isOutgrown} or search_index.used_at < now() - interval '1 hour'`,
  );
}

const indexName = (collectionId: number): string => `c_${collectionId}_search`;

/** Makes the index that is wanted most and drops those that nobody used for two weeks; the caller holds the lock. */
export async function tendSearchIndexes(db: Db, log: Log): Promise<void> {
  const old = await rows<{ id: number }>(
    db,
    sql`select collection_id as id from search_index where used_at < now() - make_interval(days => ${unusedDays})`,
  );
  for (const { id } of old) {
    await forget(db, id);
    await execute(db, sql`delete from search_index where collection_id = ${id}`);
  }
  const [wanted] = await rows<{ id: number; fnos: number[] }>(
    db,
    sql`select s.collection_id as id, array(select f.fno from collection_field f
            where f.collection_id = s.collection_id and f.state = 'active' and f.pg_type in ('text', 'jsonb') order by f.fno)::int4[] as fnos
        from search_index s where s.state = 'wanted' order by s.used_at desc limit 1`,
  );
  if (!wanted) return;
  const { id, fnos } = wanted;
  await forget(db, id);
  try {
    await execute(db, sql`create extension if not exists pg_trgm`);
  } catch (error) {
    // Not installed, or not for this user to create: scans find the same.
    log.warn('There is no pg_trgm: searches of big tables stay scans', { collectionId: id, error });
    await execute(db, sql`delete from search_index where collection_id = ${id}`);
    return;
  }
  await execute(
    db,
    sql`create index concurrently ${sql.id(indexName(id))} on ${tableOf(id)} using gin ((${textsOf(fnos)}) gin_trgm_ops)`,
  );
  // How common a text is decides whether the index is asked at all.
  await execute(db, sql`analyze ${tableOf(id)}`);
  await execute(db, sql`update search_index set state = 'ready' where collection_id = ${id}`);
  await execute(db, sql`update collection set search_fnos = ${fnos} where collection_id = ${id}`);
  log.info('Made a search index', { collectionId: id });
}

async function forget(db: Db, id: number): Promise<void> {
  await execute(db, sql`update collection set search_fnos = null where collection_id = ${id}`);
  await execute(db, sql`drop index concurrently if exists ${sql.id('cache', indexName(id))}`);
}
