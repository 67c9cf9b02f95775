import type {
  BodyOf,
  distinct as distinctEndpoint,
  lookup as lookupEndpoint,
  ReplyOf,
  Scalar,
} from '@sluice/contract';
import { checkValue } from '@sluice/mapping';
import type { Actor } from '../../platform/actor.ts';
import { arrays, rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { type CollectionModel, type Column, columnOf, tableOf, textOfValue } from '../cache/model.ts';
import { openCached } from '../records/context.ts';
import type { RecordServices } from '../records/service.ts';
import { columnAt, viewSql } from '../records/view-sql.ts';

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
  const { where } = viewSql(model, { ...body.view, filter, order: [] });
  const ref = sql`t.${columnOf(column.fno)}`;
  const contains =
    body.contains === undefined || body.contains === ''
      ? sql`true`
      : sql`${ref}::text ilike ${`%${body.contains.replace(/[\\%_]/g, '\\$&')}%`}`;
  const collated = column.pgType === 'text' ? sql`value collate sluice_text` : sql`value`;
  const found = await arrays(
    services.pool,
    sql`select value, n from (
          select ${ref} as value, count(*)::int as n from ${tableOf(model.collectionId)} t
          where ${where} and ${contains} group by 1) v
        order by n desc, ${collated} limit ${body.limit + 1}`,
  );
  return {
    values: found.slice(0, body.limit).map(([value, count]) => ({
      value: value as Scalar,
      count: count as number,
    })),
    isComplete: found.length <= body.limit,
  };
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
