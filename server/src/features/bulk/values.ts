import type {
  BodyOf,
  distinct as distinctEndpoint,
  lookup as lookupEndpoint,
  ReplyOf,
  Scalar,
} from '@sluice/contract';
import { checkValue } from '@sluice/mapping';
import type { Actor } from '../../platform/actor.ts';
import { arrays, type Db, row, rows, type Sql, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { type CollectionModel, type Column, columnOf, tableOf, textOfValue } from '../cache/model.ts';
import { openCached } from '../records/context.ts';
import type { RecordServices } from '../records/service.ts';
import { columnAt } from '../records/column-at.ts';
import { viewSqlFor } from '../records/shown.ts';

/** A column whose values can be told apart; lists are not. */
export function scalarColumn(model: CollectionModel, path: string, place: string): Column {
  const column = columnAt(model, path, place);
  if (column.pgType === 'jsonb') {
    throw new AppError('MALFORMED', {
      text: { key: 'bulk.noValues', params: { field: column.field.name } },
      fields: [{ field: place, code: null, params: { key: 'bulk.noValues', field: column.field.name } }],
    });
  }
  return column;
}

export async function listDistinct(
  services: RecordServices,
  actor: Actor,
  path: string,
  body: BodyOf<typeof distinctEndpoint>,
): Promise<ReplyOf<typeof distinctEndpoint>> {
  const { model } = await openCached(services, actor, path);
  const column = scalarColumn(model, body.field, 'field');
  // What the column is filtered by must not hide what else could be chosen.
  const filter = body.view.filter.filter(({ field }) => field !== column.path);
  const { where } = await viewSqlFor(services, actor, model, { ...body.view, filter, order: [] });
  const ref = sql`t.${columnOf(column.fno)}`;
  const contains =
    body.contains === undefined || body.contains === ''
      ? sql`true`
      : sql`${ref}::text ilike ${`%${body.contains.replace(/[\\%_]/g, '\\$&')}%`}`;
  const among = sql`${where} and ${contains}`;
  if (await isNearlyUnique(services.pool, model, column)) {
    const first = await firstValues(services.pool, model, column, among, body.limit);
    if (first) return first;
  }
  const found = await arrays(
    services.pool,
    sql`select value, n from (
          select ${ref} as value, count(*)::int as n from ${tableOf(model.collectionId)} t
          where ${among} group by 1) v
        order by n desc, ${orderOf(column, sql`value`)} limit ${body.limit + 1}`,
  );
  return {
    values: found.slice(0, body.limit).map(asValue),
    isComplete: found.length <= body.limit,
  };
}

const asValue = ([value, count]: unknown[]) => ({ value: value as Scalar, count: count as number });
const orderOf = ({ pgType }: Column, value: Sql): Sql =>
  pgType === 'text' ? sql`${value} collate sluice_text` : value;

const manyRows = 50_000;
/** From this share of different values on, counting all of them takes seconds and says next to nothing. */
const uniqueShare = 0.2;
const commonShare = 0.001;

/** By the planner's sample: most values are different, and none is common. */
async function isNearlyUnique(db: Db, model: CollectionModel, { fno }: Column): Promise<boolean> {
  if (model.rowCount < manyRows) return false;
  const known = await row<{ isUnique: boolean }>(
    db,
    sql`select n_distinct < ${-uniqueShare} and coalesce(most_common_freqs[1], 0) < ${commonShare} as "isUnique" from pg_stats
        where schemaname = 'cache' and tablename = ${`c_${model.collectionId}`} and attname = ${`f${fno}`}`,
  );
  return known?.isUnique ?? false;
}

/** Rows that are read for each value that is wanted; a value's rows stand together. */
const rowsPerValue = 20;

/** The first values in their order, behind the records without one; null when they cannot be told from these rows. */
async function firstValues(
  db: Db,
  model: CollectionModel,
  column: Column,
  among: Sql,
  limit: number,
): Promise<ReplyOf<typeof distinctEndpoint> | null> {
  const table = tableOf(model.collectionId);
  const ref = sql`t.${columnOf(column.fno)}`;
  const read = (limit + 1) * rowsPerValue;
  const found = await arrays(
    db,
    sql`select value, count(*)::int from (
          select ${ref} as value from ${table} t where ${among} and ${ref} is not null
          order by ${orderOf(column, ref)}, t.rid limit ${read}) v
        group by value order by ${orderOf(column, sql`value`)}`,
  );
  // The last one's rows may go on behind what was read.
  if (found.length <= limit + 1) return null;
  const none = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from ${table} t where ${among} and ${ref} is null`,
  );
  const empty = none && none.n > 0 ? [{ value: null, count: none.n }] : [];
  return { values: [...empty, ...found.map(asValue)].slice(0, limit), isComplete: false };
}

/** Records by values of some fields; a key with an empty or impossible value belongs to nobody. */
export async function lookUp(
  services: RecordServices,
  actor: Actor,
  path: string,
  body: BodyOf<typeof lookupEndpoint>,
): Promise<ReplyOf<typeof lookupEndpoint>> {
  const { model } = await openCached(services, actor, path);
  const columns = body.fields.map((field) => scalarColumn(model, field, 'fields'));
  const wrong = body.keys.findIndex((key) => key.length !== columns.length);
  if (wrong >= 0) {
    throw new AppError('VALIDATION', {
      fields: [
        { field: `keys[${wrong}]`, code: null, params: { reason: `${columns.length} values are needed` } },
      ],
    });
  }
  const texts = body.keys.map((key) => key.map((value, index) => textOf(columns[index], value)));
  const asked = texts.flatMap((key, index) => (key.includes(null) ? [] : [index]));
  const inputs = columns.map(
    (_, position) => sql`${asked.map((index) => texts[index]?.[position] ?? null)}::text[]`,
  );
  const isEqual = columns.map(
    ({ fno, pgType }, position) => sql`t.${columnOf(fno)} = v.${sql.id(`v${position}`)}::${sql.raw(pgType)}`,
  );
  const names = columns.map((_, position) => sql.id(`v${position}`));
  const found = await rows<{ i: number; rid: number }>(
    services.pool,
    sql`select v.i, t.rid from unnest(${asked}::int4[], ${sql.join(inputs)}) v(i, ${sql.join(names)})
        join ${tableOf(model.collectionId)} t on ${sql.join(isEqual, sql` and `)} order by v.i, t.rid`,
  );
  const ids: string[][] = body.keys.map(() => []);
  for (const { i, rid } of found) ids[i]?.push(String(rid));
  return { ids };
}

function textOf(column: Column | undefined, value: Scalar): string | null {
  if (!column) return null;
  const checked = checkValue(column.field, value);
  return checked.isOk ? textOfValue(column.pgType, checked.value) : null;
}
