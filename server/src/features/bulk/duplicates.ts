import type { getDuplicates as duplicatesEndpoint, QueryOf, ReplyOf, Scalar } from '@sluice/contract';
import type { Actor } from '../../platform/actor.ts';
import { arrays, sql } from '../../platform/db.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import { uniqueSets } from '../pending/revalidate.ts';
import { openCached } from '../records/context.ts';
import type { RecordServices } from '../records/service.ts';
import { scalarColumn } from './values.ts';

type DuplicatesReply = ReplyOf<typeof duplicatesEndpoint>;

const maxIds = 1000;
const maxGroups = 1000;

/** Keys by which two records would be the same thing: natural keys, then what must be unique. */
function keysOf(model: CollectionModel): string[][] {
  const sets = [...model.description.naturalKeys, ...uniqueSets(model)].filter(
    (set) => set.length > 0 && set.every((field) => model.byPath.has(field)),
  );
  return [...new Map(sets.map((set) => [[...set].sort().join('\n'), set])).values()];
}

/** Records that share all values of a key, cached or pending; what is about to be deleted is no duplicate. */
export async function listDuplicates(
  services: RecordServices,
  actor: Actor,
  path: string,
  query: QueryOf<typeof duplicatesEndpoint>,
): Promise<DuplicatesReply> {
  const { model } = await openCached(services, actor, path);
  const keys = keysOf(model);
  const fields = [...new Set(query.fields?.split(',').filter(Boolean) ?? keys[0] ?? [])];
  const common = { fields, keys, offset: query.offset, maxLimit: maxGroups };
  if (fields.length === 0) return { ...common, groups: [], total: 0, records: 0 };
  const columns = fields.map((field) => columnOf(scalarColumn(model, field, 'fields').fno));
  const refs = columns.map((column) => sql`t.${column}`);
  const groups = sql`
    select ${sql.join(refs)}, count(*)::int as n, max(t.rid) as newest,
      (array_agg(t.rid order by t.rid desc))[1:${sql.raw(String(maxIds))}] as rids
    from ${tableOf(model.collectionId)} t
    where ${sql.join(
      refs.map((ref) => sql`${ref} is not null`),
      sql` and `,
    )}
      and not (t.p and exists (select 1 from ${pendingTableOf(model.collectionId)} p where p.rid = t.rid and p.action = 'd'))
    group by ${sql.join(refs)} having count(*) > 1`;
  const found = await arrays(
    services.pool,
    sql`with g as materialized (${groups}), all_of as (select count(*)::int as groups, coalesce(sum(n), 0)::int as records from g)
        select all_of.groups, all_of.records, page.* from all_of left join lateral (
          select rids, n, ${sql.join(columns)} from g order by newest desc limit ${query.limit} offset ${query.offset}
        ) page on true`,
  );
  const [total, records] = (found[0] ?? []) as number[];
  return {
    ...common,
    groups: found
      .filter(([, , rids]) => rids !== null)
      .map(([, , rids, count, ...values]) => ({
        values: values as Scalar[],
        ids: (rids as number[]).map(String),
        count: count as number,
      })),
    total: total ?? 0,
    records: records ?? 0,
  };
}
