import { createHash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import { canonicalDecimal } from '@sluice/mapping';
import pg from 'pg';
import { SteadyPool } from './steady-pool.ts';

export { sql };
export type Sql = RawBuilder<unknown>;

/** What store functions take first: the pool, or the transaction of a `mutate`. */
export interface Db {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  query<R extends unknown[]>(config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<R>>;
}
export type Pool = pg.Pool;

// Kysely composes and quotes; pg executes, because pages want rows as arrays and refreshes want COPY.
const composer = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Rows as objects. The caller states the shape that its own select list has. */
export async function rows<T>(db: Db, statement: Sql): Promise<T[]> {
  const result = await db.query(compile(statement));
  return result.rows as T[];
}

export async function row<T>(db: Db, statement: Sql): Promise<T | null> {
  const [first] = await rows<T>(db, statement);
  return first ?? null;
}

/** Rows as arrays: half the time of objects for wide pages. */
export async function arrays(db: Db, statement: Sql): Promise<unknown[][]> {
  const result = await db.query<unknown[]>({ ...compile(statement), rowMode: 'array' });
  return result.rows;
}

export interface Prepared {
  /** Of the same text always the same. */
  name: string;
  text: string;
}

/**
 * A statement that is asked again and again, of which only the parameters change: PostgreSQL parses and plans it once
 * a connection, which for a page of a wide table is a third of its time. The types of what it answers must not change:
 * PostgreSQL would refuse it.
 */
export function prepare(statement: Sql): Prepared {
  const { text } = compile(statement);
  return { name: createHash('md5').update(text).digest('hex'), text };
}

/** Rows of a prepared statement, as arrays. */
export async function arraysOf(
  db: Db,
  { name, text }: Prepared,
  values: readonly unknown[],
): Promise<unknown[][]> {
  const result = await db.query<unknown[]>({
    name,
    text,
    values: values.map((value) => parameterOf(value)),
    rowMode: 'array',
  });
  return result.rows;
}

/** Number of rows that a statement without rows of its own touched. */
export async function execute(db: Db, statement: Sql): Promise<number> {
  const result = await db.query(compile(statement));
  return result.rowCount ?? 0;
}

/** Composed text with its parameters, as drivers take it. */
export function compile(statement: Sql): { text: string; values: unknown[] } {
  const { sql: text, parameters } = statement.compile(composer);
  return { text, values: parameters.map((value) => parameterOf(value)) };
}

const parameterOf = (value: unknown): unknown => (Array.isArray(value) ? arrayLiteral(value) : value);

const isQuoted = /["\\]/;

/**
 * A flat list as PostgreSQL's array literal: what pg makes of it as well, in a third of the time, which thousands of
 * rows handed to `unnest` notice. Lists of anything but text, numbers and truth values are left to pg.
 */
function arrayLiteral(list: readonly unknown[]): unknown {
  let literal = '';
  for (const item of list) {
    if (literal !== '') literal += ',';
    if (item === null || item === undefined) literal += 'NULL';
    else if (typeof item === 'string')
      literal += `"${isQuoted.test(item) ? item.replaceAll('\\', '\\\\').replaceAll('"', '\\"') : item}"`;
    else if (typeof item === 'number' || typeof item === 'boolean') literal += String(item);
    else return list;
  }
  return `{${literal}}`;
}

// Values stay text where a JavaScript type would lose something; a date never becomes a Date.
const types = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  [20, (text) => safeInteger(text)],
  [1184, (text) => isoTimestamp(text)],
  [1082, (text) => text],
  [1083, (text) => shortTime(text)],
  [1114, (text) => text],
  [1700, (text) => canonicalDecimal(text)],
]);

/** Seconds only where there are any: the form of the contract. */
export function shortTime(text: string): string {
  return text.length === 8 && text.endsWith(':00') ? text.slice(0, 5) : text;
}

export function safeInteger(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/** `2026-11-21 09:03:00.12+00` (the session's zone is UTC) to ISO 8601 with Z. */
export function isoTimestamp(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`;
}

export interface PoolOptions {
  url: string;
  max: number;
  applicationName: string;
  onError: (error: Error) => void;
}

export function createPool(options: PoolOptions): Pool {
  const pool = new SteadyPool({
    connectionString: options.url,
    max: options.max,
    application_name: options.applicationName,
    options: '-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=iso_8601',
    // A backend keeps the catalogue of every table that it touched: renew connections.
    maxLifetimeSeconds: 1800,
    idleTimeoutMillis: 30_000,
    types: {
      getTypeParser: (oid: number, format?: string) =>
        (format !== 'binary' && types.get(oid)) || pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  });
  pool.on('error', options.onError);
  pool.on('connect', (client) => void pools.set(client, pool));
  return pool;
}

const pools = new WeakMap<object, Pool>();

/**
 * What this process remembers of a database: it goes with the database's pool, since the same number is something else
 * in another database. Also within a transaction.
 */
export function perDatabase<T>(make: () => T): (db: Db) => T {
  const known = new WeakMap<object, T>();
  return (db) => {
    const connection = 'client' in db && typeof db.client === 'object' && db.client ? db.client : db;
    const pool = pools.get(connection) ?? connection;
    const found = known.get(pool) ?? make();
    known.set(pool, found);
    return found;
  };
}

/** A deadlock is nobody's fault: the one that PostgreSQL ended is run again. */
const maxDeadlocks = 3;

/**
 * Runs `work` in one transaction; again from the start when it lost a deadlock, so it must keep nothing outside the
 * transaction before it ends. Services use `mutate`; this is for `mutate` itself and for workers' bookkeeping.
 */
export async function transaction<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptOnce(pool, work);
    } catch (error) {
      if (sqlState(error) !== '40P01' || attempt === maxDeadlocks) throw error;
    }
  }
}

async function attemptOnce<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      failed = rollbackError;
    });
    throw error;
  } finally {
    client.release(failed);
  }
}

/** PostgreSQL's own code of an error (`23505` unique violation), or null. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** The name of the constraint or unique index that refused a statement, or null. */
export function violatedConstraint(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.constraint ?? null) : null;
}
