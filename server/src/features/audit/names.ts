import type { Locale } from '@sluice/contract';
import { type Db, rows, sql } from '../../platform/db.ts';

/**
 * What the targets of entries (`connector:<id>`) are called now, in the reader's language. What is gone since, or is
 * not known by a name, is not among them.
 */
export async function namesOf(
  db: Db,
  targets: readonly string[],
  locale: Locale,
): Promise<ReadonlyMap<string, string>> {
  const title = locale === 'NL' ? sql`rt.title_nl` : sql`rt.title_en`;
  const found = await rows<{ target: string; name: string }>(
    db,
    sql`select k.target, case k.kind
          when 'user' then u.full_name
          when 'role' then r.name
          when 'system' then s.name
          when 'domain' then d.name || ' (' || ds.name || ')'
          when 'connector' then c.name
          when 'action' then a.name || ' (' || ac.name || ')'
          when 'run' then ra.name || ' #' || run.number
          when 'view' then v.name
          else upper(left(${title}, 1)) || substr(${title}, 2) || ' (' || cs.name || ')'
        end as name
        from (select target, split_part(target, ':', 1) as kind, split_part(target, ':', 2) as id,
                case when pg_input_is_valid(split_part(target, ':', 2), 'uuid')
                     then split_part(target, ':', 2)::uuid end as uuid
              from unnest(${[...new Set(targets)]}::text[]) target) k
        left join app_user u on k.kind = 'user' and u.internal_id = k.uuid
        left join role r on k.kind = 'role' and r.role_id = k.uuid
        left join external_system s on k.kind = 'system' and s.system_id = k.uuid
        left join domain d on k.kind = 'domain' and d.domain_id = k.uuid
        left join external_system ds on ds.system_id = d.system_id
        left join connector c on k.kind = 'connector' and c.connector_id = k.uuid
        left join action a on k.kind = 'action' and a.action_id = k.uuid
        left join connector ac on ac.connector_id = a.connector_id
        left join run on k.kind = 'run' and run.run_id = k.uuid
        left join action ra on ra.action_id = run.action_id
        left join saved_view v on k.kind = 'view' and v.view_id = k.uuid
        left join push p on k.kind = 'push' and p.push_id = k.uuid
        left join collection co on co.collection_id = case
          when k.kind = 'push' then p.collection_id
          when k.kind = 'collection' and pg_input_is_valid(k.id, 'int4') then k.id::int end
        left join resource_type rt on rt.domain_id = co.domain_id and rt.uri_id = co.resource_type_uri_id
        left join domain cd on cd.domain_id = co.domain_id
        left join external_system cs on cs.system_id = cd.system_id`,
  );
  return new Map(found.flatMap(({ target, name }) => (name === null ? [] : [[target, name]])));
}
