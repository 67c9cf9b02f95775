import { z } from 'zod';
import { fail } from '../errors.ts';
import type { Entity, EntitySet } from '../model/types.ts';
import { column, valueAt, type SqlValue, type Store, type StoredRecord } from '../store.ts';
import { columnOf, compileFilter, type Sql } from './filter.ts';

export const maxPageSize = 1000;

export interface Query {
  filter: Sql | null;
  order: { path: string; sql: string; descending: boolean }[];
  top: number | null;
  skip: number;
  count: boolean;
  select: ReadonlySet<string> | null;
  /** Values of the order columns of the last record given, and how many were given before. */
  after: { values: SqlValue[]; given: number } | null;
}

const known = new Set([
  '$filter',
  '$orderby',
  '$top',
  '$skip',
  '$count',
  '$select',
  '$skiptoken',
  '$format',
  '$deltatoken',
]);
const tokenSchema = z.object({
  values: z.array(z.union([z.string(), z.number(), z.null()])),
  given: z.number().int(),
});

function whole(name: string, value: string | null): number | null {
  if (value === null) return null;
  if (!/^\d{1,9}$/.test(value)) throw fail(400, 'BAD-FILTER', { what: `${name}=${value}` });
  return Number(value);
}

export function parseQuery(set: EntitySet, params: URLSearchParams): Query {
  for (const name of params.keys())
    if (name.startsWith('$') && !known.has(name)) throw fail(501, 'BAD-FILTER', { what: name });
  const order = (params.get('$orderby') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [path = '', direction = 'asc', ...rest] = part.split(/\s+/);
      if (rest.length > 0 || !['asc', 'desc'].includes(direction))
        throw fail(400, 'BAD-FILTER', { what: part });
      return { path, sql: columnOf(set, path).sql, descending: direction === 'desc' };
    });
  for (const path of set.key)
    if (!order.some((o) => o.path === path)) order.push({ path, sql: column(path), descending: false });
  const select = params.get('$select');
  const names =
    select === null || select.includes('*') ? null : new Set(select.split(',').map((s) => s.trim()));
  for (const name of names ?? [])
    if (!set.fields.some((f) => f.name === name.split('/')[0])) throw fail(400, 'BAD-FILTER', { what: name });
  const filter = params.get('$filter');
  const token = params.get('$skiptoken');
  return {
    filter: filter === null ? null : compileFilter(set, filter),
    order,
    top: whole('$top', params.get('$top')),
    skip: whole('$skip', params.get('$skip')) ?? 0,
    count: params.get('$count') === 'true',
    select: names && new Set([...names].map((name) => name.split('/')[0] ?? name)),
    after: token === null ? null : readToken(token),
  };
}

function readToken(token: string): Query['after'] {
  try {
    return tokenSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch {
    throw fail(400, 'BAD-FILTER', { what: '$skiptoken' });
  }
}

/** Records after the given position: equal on the first columns, further on the next one. SQLite sorts null first. */
function keyset(query: Query): Sql | null {
  if (!query.after) return null;
  const parts: string[] = [];
  const params: SqlValue[] = [];
  for (const [i, { sql, descending }] of query.order.entries()) {
    const value = query.after.values[i] ?? null;
    if (descending && value === null) continue;
    const equal = query.order.slice(0, i).map((o) => `${o.sql} IS ?`);
    const further =
      value === null ? `${sql} IS NOT NULL` : descending ? `(${sql} < ? OR ${sql} IS NULL)` : `${sql} > ?`;
    parts.push([...equal, further].join(' AND '));
    params.push(...query.after.values.slice(0, i), ...(value === null ? [] : [value]));
  }
  return { sql: parts.map((part) => `(${part})`).join(' OR '), params };
}

export interface Result {
  records: StoredRecord[];
  count: number | null;
  /** Token of the next page; null on the last one. */
  next: string | null;
}

export function runQuery(
  store: Store,
  set: EntitySet,
  scope: number,
  query: Query,
  pageSize: number,
): Result {
  const given = query.after?.given ?? 0;
  const size = Math.min(
    pageSize,
    maxPageSize,
    query.top === null ? Infinity : Math.max(query.top - given, 0),
  );
  const position = keyset(query);
  const where = [query.filter?.sql, position?.sql].filter((s) => s !== undefined).map((s) => `(${s})`);
  const records = store.select(set, scope, {
    where: where.join(' AND ') || 'true',
    params: [...(query.filter?.params ?? []), ...(position?.params ?? [])],
    orderBy: query.order.map((o) => `${o.sql}${o.descending ? ' DESC' : ''}`).join(', '),
    limit: size + 1,
    offset: query.after ? 0 : query.skip,
  });
  const page = records.slice(0, size);
  const last = page.at(-1);
  const isTopReached = query.top !== null && given + page.length >= query.top;
  return {
    records: page,
    count: query.count ? store.count(set, scope, query.filter?.sql, query.filter?.params) : null,
    next:
      records.length > size && last && !isTopReached ? token(query, last.entity, given + page.length) : null,
  };
}

function token(query: Query, last: Entity, given: number): string {
  const values = query.order.map(({ path }) => {
    const value = valueAt(last, path);
    if (typeof value === 'boolean') return value ? 1 : 0;
    return typeof value === 'number' || typeof value === 'string' ? value : null;
  });
  return Buffer.from(JSON.stringify({ values, given })).toString('base64url');
}
