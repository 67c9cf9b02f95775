import type { FieldDescriptor } from '@sluice/contract';
import { leafFields } from '@sluice/mapping';
import type { PoolClient } from 'pg';
import { type Db, execute, type Pool, row, rows, sql, sqlState, transaction } from '../../platform/db.ts';
import {
  type Column,
  columnOf,
  pendingTableOf,
  type PgType,
  pgTypeOf,
  stagingTableOf,
  tableOf,
} from './model.ts';

/** DDL waits at most this long for readers, then steps back and tries again: it never makes others queue behind it. */
const lockTimeoutMs = 50;
const maxTries = 100;

async function withDdl<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(pool, async (client) => {
        await client.query(`set local lock_timeout = '${lockTimeoutMs}ms'`);
        return await work(client);
      });
    } catch (error) {
      // 55P03: a reader holds the table just now.
      if (sqlState(error) !== '55P03' || attempt === maxTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(20 * attempt, 500)));
    }
  }
}

/**
 * Brings the physical tables to the fields that the external system describes now. New field = new column; vanished
 * = retired (its column stays while pending cells use it); type changed = new column, filled by the next refresh.
 * `save` stores the description itself, told whether the tables changed. It all comes at once and under a new schema
 * version: who reads the collection meanwhile must not keep the old description under the new version.
 */
export async function applySchema(
  pool: Pool,
  collectionId: number,
  fields: readonly FieldDescriptor[],
  save: (db: Db, isChanged: boolean) => Promise<void>,
): Promise<void> {
  const wanted = leafFields(fields).map((field) => ({ path: field.id, pgType: pgTypeOf(field) }));
  await withDdl(pool, async (client) => {
    const isChanged = await changeTables(client, collectionId, wanted);
    await save(client, isChanged);
    await execute(
      client,
      sql`update collection set schema_version = schema_version + 1 where collection_id = ${collectionId}`,
    );
  });
}

/** Answers whether there was anything to change. */
async function changeTables(
  client: PoolClient,
  collectionId: number,
  wanted: readonly { path: string; pgType: PgType }[],
): Promise<boolean> {
  const stored = await rows<{ fno: number; path: string; pg_type: PgType; state: string }>(
    client,
    sql`select fno, path, pg_type, state from collection_field where collection_id = ${collectionId} order by fno`,
  );
  const isNew =
    (await row(client, sql`select 1 where to_regclass(${`cache.c_${collectionId}`}) is not null`)) === null;
  const active = new Map(
    stored.filter((field) => field.state === 'active').map((field) => [field.path, field]),
  );
  let next = Math.max(0, ...stored.map((field) => field.fno)) + 1;
  const added: { fno: number; path: string; pgType: PgType }[] = [];
  const retired: number[] = [];
  for (const { path, pgType } of wanted) {
    const known = active.get(path);
    if (known?.pg_type === pgType) continue;
    if (known) retired.push(known.fno);
    added.push({ fno: next, path, pgType });
    next += 1;
  }
  const wantedPaths = new Set(wanted.map(({ path }) => path));
  retired.push(
    ...[...active.values()].filter((field) => !wantedPaths.has(field.path)).map((field) => field.fno),
  );
  if (!isNew && added.length === 0 && retired.length === 0) return false;

  if (retired.length > 0) {
    await execute(
      client,
      sql`update collection_field set state = 'retired', retired_at = now()
            where collection_id = ${collectionId} and fno = any(${retired}::int[])`,
    );
  }
  await execute(
    client,
    sql`insert into collection_field (collection_id, fno, path, pg_type)
        select ${collectionId}, * from unnest(${added.map(({ fno }) => fno)}::int[],
          ${added.map(({ path }) => path)}::text[], ${added.map(({ pgType }) => pgType)}::text[])`,
  );
  const definitions = added.map(({ fno, pgType }) => sql`${columnOf(fno)} ${sql.raw(pgType)}`);
  if (isNew) await createTables(client, collectionId, definitions);
  else if (definitions.length > 0) {
    const additions = definitions.map((definition) => sql`add column ${definition}`);
    await execute(client, sql`alter table ${tableOf(collectionId)} ${sql.join(additions)}`);
    // A staging table of the old shape belongs to a refresh that must start over.
    await execute(client, sql`drop table if exists ${stagingTableOf(collectionId)}`);
    await execute(
      client,
      sql`update collection set refresh_id = null, refresh_cursor = null where collection_id = ${collectionId}`,
    );
  }
  return true;
}

/**
 * `rid` stable row id, `k` the external system's key (null = pending insert), `ver` its version, `bad` errors in
 * received data ({fno: {r: raw, c: code}}), `p` true while the row has a pending operation: the flag in the row
 * itself lets a refresh see, under the row's lock, that somebody has just edited it. Each pending operation is written
 * once more when a push takes it: half of its page is left for that, so that the index stays as it is.
 */
async function createTables(
  client: PoolClient,
  collectionId: number,
  definitions: ReturnType<typeof sql>[],
): Promise<void> {
  const fields = definitions.length > 0 ? sql`, ${sql.join(definitions)}` : sql``;
  await execute(
    client,
    sql`create table ${tableOf(collectionId)} (
          rid int4 generated by default as identity,
          k text collate "C",
          ver text,
          p boolean not null default false,
          bad jsonb
          ${fields}
        ) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  );
  await execute(
    client,
    sql`create table ${pendingTableOf(collectionId)} (
          rid int4 primary key,
          action "char" not null,
          cells jsonb not null default '{}',
          revision int8 not null,
          author int4 not null,
          created_at timestamptz not null default now(),
          updated_at timestamptz not null default now(),
          origin jsonb,
          invalid jsonb,
          errors jsonb,
          has_conflict boolean not null default false,
          is_gone boolean not null default false,
          is_unknown boolean not null default false,
          push_id uuid
        ) with (fillfactor = 45)`,
  );
  await execute(
    client,
    sql`create index on ${pendingTableOf(collectionId)} ((origin ->> 'runId')) where origin is not null`,
  );
}

/** Indexes come after the first load: COPY into a bare table is twice as fast. */
export async function indexTable(
  pool: Pool,
  collectionId: number,
  uniqueSets: readonly (readonly number[])[],
): Promise<void> {
  await withDdl(pool, async (client) => {
    const table = tableOf(collectionId);
    await execute(client, sql`alter table ${table} add primary key (rid)`);
    await createKeyIndex(client, table);
    await execute(client, sql`create index on ${table} (rid) where k is null`);
    // Rule 4900 asks for equal values at every edit.
    for (const fnos of uniqueSets) {
      await execute(client, sql`create index on ${table} (${sql.join(fnos.map(columnOf))})`);
    }
  });
  await execute(pool, sql`analyze ${tableOf(collectionId)}`);
}

async function createKeyIndex(client: PoolClient, table: ReturnType<typeof tableOf>): Promise<void> {
  const create = sql`create unique index on ${table} (k)`;
  try {
    await execute(client, sql`savepoint keys`);
    await execute(client, create);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    // A record that moved between pages while they were read came twice: the later one counts.
    await execute(client, sql`rollback to savepoint keys`);
    await execute(
      client,
      sql`delete from ${table} a using (
            select k, max(rid) as rid from ${table} where k is not null group by k having count(*) > 1
          ) twice where a.k = twice.k and a.rid <> twice.rid`,
    );
    await execute(client, create);
  }
}

/** The first load starts over on an empty table. */
export async function emptyTable(pool: Pool, collectionId: number): Promise<void> {
  await withDdl(pool, async (client) => {
    await execute(client, sql`truncate ${tableOf(collectionId)} restart identity`);
  });
}

export async function createStaging(
  pool: Pool,
  collectionId: number,
  columns: readonly Column[],
): Promise<void> {
  const fields = columns.map(({ fno, pgType }) => sql`${columnOf(fno)} ${sql.raw(pgType)}`);
  await execute(pool, sql`drop table if exists ${stagingTableOf(collectionId)}`);
  await execute(
    pool,
    sql`create unlogged table ${stagingTableOf(collectionId)} (k text collate "C", ver text, bad jsonb${fields.length > 0 ? sql`, ${sql.join(fields)}` : sql``})
        with (autovacuum_enabled = false)`,
  );
}

/** Rows with pending changes look up their staged records: without this each part of them would read the whole table. */
export async function indexStaging(pool: Pool, collectionId: number): Promise<void> {
  await execute(pool, sql`create index on ${stagingTableOf(collectionId)} (k)`);
}

export async function dropStaging(pool: Pool, collectionId: number): Promise<void> {
  await execute(pool, sql`drop table if exists ${stagingTableOf(collectionId)}`);
}

/** Rows in the staging table, or null where there is none (a crash of the database empties unlogged tables). */
export async function countStaged(db: Db, collectionId: number): Promise<number | null> {
  const isThere = await row(db, sql`select 1 where to_regclass(${`cache.s_${collectionId}`}) is not null`);
  if (!isThere) return null;
  return (
    (await row<{ n: number }>(db, sql`select count(*)::int as n from ${stagingTableOf(collectionId)}`))?.n ??
    0
  );
}

export async function hasPrimaryKey(db: Db, collectionId: number): Promise<boolean> {
  return (
    (await row(
      db,
      sql`select 1 from pg_constraint where conrelid = to_regclass(${`cache.c_${collectionId}`}) and contype = 'p'`,
    )) !== null
  );
}
