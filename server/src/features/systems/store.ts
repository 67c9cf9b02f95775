import type { DomainStatus } from '@sluice/contract';
import { type Db, execute, row, rows, type Sql, sql } from '../../platform/db.ts';

export interface SystemRow {
  system_id: string;
  name: string;
  acronym: string;
  url: string;
  kind: string;
}
export interface DomainRow {
  domain_id: string;
  system_id: string;
  name: string;
  acronym: string;
  url: string;
  database: string;
  auth_type: 'basic' | 'oAuth';
  username: string;
  sealed_password: Buffer | null;
  client_id: string;
  sealed_client_secret: Buffer | null;
  /** Secret settings, as sealed JSON. */
  sealed_settings: Buffer | null;
  token_url: string;
  scope: string;
  settings: Record<string, string>;
  is_production: boolean;
  cache_refresh_minutes: number;
  max_api_calls: number | null;
  is_active: boolean;
  is_paused: boolean;
  status: 'OK' | 'ACTIVE' | 'SYNC_PAUSED' | 'NEVER_SYNCED' | 'INVALID_CREDENTIALS_OR_URL' | 'ERROR_OTHER';
  status_message: string | null;
  failures: number;
  last_sync_at: string | null;
  resource_types_at: string | null;
}
export interface CompanyRow {
  domain_id: string;
  company_id: string;
  name: string;
  acronym: string;
  is_active: boolean;
}
export interface ResourceTypeRow {
  domain_id: string;
  uri_id: string;
  code: string;
  title_en: string;
  title_nl: string;
  number_of_levels: number;
  has_attribute: boolean;
}

export async function listSystems(db: Db): Promise<SystemRow[]> {
  return await rows(
    db,
    sql`select system_id, name, acronym, url, kind from external_system order by name, system_id`,
  );
}

export async function insertSystem(db: Db, system: Omit<SystemRow, 'system_id'>): Promise<SystemRow> {
  const inserted = await row<SystemRow>(
    db,
    sql`insert into external_system (name, acronym, url, kind)
        values (${system.name}, ${system.acronym}, ${system.url}, ${system.kind})
        returning system_id, name, acronym, url, kind`,
  );
  if (!inserted) throw new Error('The system was not created');
  return inserted;
}

export async function updateSystem(
  db: Db,
  systemId: string,
  change: { name: string; acronym: string },
): Promise<void> {
  await execute(
    db,
    sql`update external_system set name = ${change.name}, acronym = ${change.acronym} where system_id = ${systemId}`,
  );
}

export async function deleteSystem(db: Db, systemId: string): Promise<void> {
  await execute(db, sql`delete from external_system where system_id = ${systemId}`);
}

export async function listDomains(db: Db, systemId?: string): Promise<DomainRow[]> {
  return await rows(
    db,
    sql`select * from domain where ${systemId ? sql`system_id = ${systemId}` : sql`true`} order by name, domain_id`,
  );
}

export async function findDomain(db: Db, domainId: string): Promise<DomainRow | null> {
  if (!/^[0-9a-f-]{36}$/i.test(domainId)) return null;
  return await row(db, sql`select * from domain where domain_id = ${domainId}`);
}

export async function lockDomain(db: Db, domainId: string): Promise<DomainRow | null> {
  return await row(db, sql`select * from domain where domain_id = ${domainId} for update`);
}

export type DomainValues = Pick<
  DomainRow,
  | 'name'
  | 'acronym'
  | 'url'
  | 'database'
  | 'auth_type'
  | 'username'
  | 'client_id'
  | 'token_url'
  | 'scope'
  | 'settings'
  | 'is_production'
  | 'cache_refresh_minutes'
  | 'max_api_calls'
  | 'is_active'
  | 'is_paused'
>;

export async function insertDomain(db: Db, systemId: string, values: DomainValues): Promise<DomainRow> {
  const names = Object.keys(values).map((name) => sql.id(name));
  const inserted = await row<DomainRow>(
    db,
    sql`insert into domain (system_id, ${sql.join(names)})
        values (${systemId}, ${sql.join(Object.values(values))}) returning *`,
  );
  if (!inserted) throw new Error('The domain was not created');
  await execute(db, sql`insert into connection_limit (domain_id) values (${inserted.domain_id})`);
  return inserted;
}

export async function updateDomain(db: Db, domainId: string, change: Partial<DomainRow>): Promise<void> {
  const entries = Object.entries(change);
  if (entries.length === 0) return;
  const assignments = entries.map(([name, value]) => sql`${sql.id(name)} = ${value}`);
  await execute(db, sql`update domain set ${sql.join(assignments)} where domain_id = ${domainId}`);
}

export async function deleteDomain(db: Db, domainId: string): Promise<void> {
  await execute(db, sql`delete from domain where domain_id = ${domainId}`);
}

export async function listCompanies(db: Db, domainId?: string): Promise<CompanyRow[]> {
  return await rows(
    db,
    sql`select domain_id, company_id, name, acronym, is_active from domain_company
        where ${domainId ? sql`domain_id = ${domainId}` : sql`true`} order by name, company_id`,
  );
}

export async function saveCompanies(
  db: Db,
  domainId: string,
  companies: readonly { id: string; name: string; acronym: string }[],
): Promise<void> {
  if (companies.length === 0) return;
  await execute(
    db,
    sql`insert into domain_company (domain_id, company_id, name, acronym)
        select ${domainId}, * from unnest(${companies.map((c) => c.id)}::text[], ${companies.map((c) => c.name)}::text[],
          ${companies.map((c) => c.acronym)}::text[])
        on conflict (domain_id, company_id) do update set name = excluded.name, acronym = excluded.acronym`,
  );
}

export async function setCompanyActive(
  db: Db,
  domainId: string,
  companyId: string,
  isActive: boolean,
): Promise<boolean> {
  const changed = await execute(
    db,
    sql`update domain_company set is_active = ${isActive}, disabled_at = ${isActive ? null : new Date()}
        where domain_id = ${domainId} and company_id = ${companyId}`,
  );
  return changed > 0;
}

export async function listResourceTypes(db: Db, domainId?: string): Promise<ResourceTypeRow[]> {
  return await rows(
    db,
    sql`select * from resource_type where ${domainId ? sql`domain_id = ${domainId}` : sql`true`} order by title_en`,
  );
}

export type NewResourceType = Omit<ResourceTypeRow, 'domain_id'>;

/** The tables of a domain as its external system lists them now. */
export async function replaceResourceTypes(
  db: Db,
  domainId: string,
  types: readonly NewResourceType[],
): Promise<void> {
  await execute(db, sql`delete from resource_type where domain_id = ${domainId}`);
  await addResourceTypes(db, domainId, types);
  await stampResourceTypes(db, domainId);
}

/** Answers how many were not known yet; those that were stay as they are. */
export async function addResourceTypes(
  db: Db,
  domainId: string,
  types: readonly NewResourceType[],
): Promise<number> {
  let added = 0;
  for (const type of types) {
    added += await execute(
      db,
      sql`insert into resource_type (domain_id, uri_id, code, title_en, title_nl, number_of_levels, has_attribute)
          values (${domainId}, ${type.uri_id}, ${type.code}, ${type.title_en}, ${type.title_nl}, ${type.number_of_levels}, ${type.has_attribute})
          on conflict (domain_id, uri_id) do nothing`,
    );
  }
  return added;
}

/** The tables of the domain were asked for just now. */
export async function stampResourceTypes(db: Db, domainId: string): Promise<void> {
  await execute(db, sql`update domain set resource_types_at = now() where domain_id = ${domainId}`);
}

/** Active domains of these kinds whose tables were asked for longer ago than the domain's interval of reading. */
export async function listDomainsDue(
  db: Db,
  kinds: readonly string[],
  limit: number,
): Promise<{ domain_id: string }[]> {
  return await rows(
    db,
    sql`select d.domain_id from domain d join external_system s using (system_id)
        where d.is_active and not d.is_paused and s.kind = any(${[...kinds]}::text[])
          and d.resource_types_at < now() - make_interval(mins => d.cache_refresh_minutes)
        order by d.resource_types_at limit ${limit}`,
  );
}

/** The limit counts by the organisation's days (decisions Q-DOM-02). */
const todayIn = (timeZone: string): Sql => sql`(now() at time zone ${timeZone}::text)::date`;

/** Calls of today, per domain. */
export async function readCallCounts(db: Db, timeZone: string): Promise<Map<string, number>> {
  const counted = await rows<{ domain_id: string; calls: number }>(
    db,
    sql`select domain_id, calls from connection_limit where day = ${todayIn(timeZone)}`,
  );
  return new Map(counted.map(({ domain_id, calls }) => [domain_id, calls]));
}

/**
 * Counts one call if this share of today's limit (where the domain has one) allows it. Else answers the limit where
 * it is reached, or for how many milliseconds the connection is paused: 0 where the pause has ended by now. Null where
 * the domain is gone.
 */
export async function takeCall(
  db: Db,
  domainId: string,
  share: number,
  timeZone: string,
): Promise<{ isTaken: true } | { isTaken: false; pausedMs: number; limit: number | null } | null> {
  const today = todayIn(timeZone);
  const taken = await row<{ calls: number }>(
    db,
    // No call waits for the disk: a database that dies forgets its last half second of counting, nothing else.
    sql`with quick as materialized (select set_config('synchronous_commit', 'off', true)),
        taken as (
          update connection_limit l set calls = case when l.day = ${today} then l.calls + 1 else 1 end, day = ${today}
          from domain d, quick
          where l.domain_id = ${domainId} and d.domain_id = l.domain_id and (l.paused_until is null or l.paused_until <= now())
            and (d.max_api_calls is null or l.day <> ${today} or l.calls < floor(d.max_api_calls * ${share}::float8))
          returning l.domain_id)
        insert into domain_calls (domain_id, hour, calls) select domain_id, date_trunc('hour', now()), 1 from taken
        on conflict (domain_id, hour) do update set calls = domain_calls.calls + 1
        returning calls`,
  );
  if (taken) return { isTaken: true };
  const refused = await row<{ paused_ms: number | null; limit: number | null }>(
    db,
    sql`select greatest(0, ceil(extract(epoch from l.paused_until - now()) * 1000))::int as paused_ms,
          case when l.day = ${today} and l.calls >= floor(d.max_api_calls * ${share}::float8) then d.max_api_calls end as limit
        from connection_limit l join domain d using (domain_id) where l.domain_id = ${domainId}`,
  );
  return refused && { isTaken: false, pausedMs: refused.paused_ms ?? 0, limit: refused.limit };
}

export async function pauseConnection(db: Db, domainId: string, ms: number): Promise<void> {
  await execute(
    db,
    sql`update connection_limit
        set paused_until = greatest(paused_until, now() + make_interval(secs => ${ms / 1000}))
        where domain_id = ${domainId}`,
  );
}

/** Milliseconds until the connection of a domain may be used again; 0 where it may. */
export async function readPause(db: Db, domainId: string): Promise<number> {
  const found = await row<{ ms: number }>(
    db,
    sql`select greatest(0, ceil(extract(epoch from paused_until - now()) * 1000))::int as ms from connection_limit
        where domain_id = ${domainId} and paused_until is not null`,
  );
  return found?.ms ?? 0;
}

/** Calls of each hour of today and of each of the last `days` days, the oldest first. */
export async function readCalls(
  db: Db,
  domainId: string,
  days: number,
  timeZone: string,
): Promise<{ hours: number[]; days: { date: string; calls: number }[] }> {
  const local = sql`(c.hour at time zone ${timeZone}::text)`;
  const hours = await rows<{ calls: number }>(
    db,
    sql`select coalesce(sum(c.calls), 0)::int as calls from generate_series(0, 23) h
          left join domain_calls c on c.domain_id = ${domainId} and ${local}::date = ${todayIn(timeZone)}
            and extract(hour from ${local}) = h
        group by h order by h`,
  );
  const counted = await rows<{ date: string; calls: number }>(
    db,
    sql`select d::date::text as date, coalesce(sum(c.calls), 0)::int as calls
        from generate_series(${todayIn(timeZone)} - ${days - 1}::int, ${todayIn(timeZone)}, interval '1 day') d
          left join domain_calls c on c.domain_id = ${domainId} and ${local}::date = d::date
        group by d order by d`,
  );
  return { hours: hours.map(({ calls }) => calls), days: counted };
}

export interface StatusRow {
  at: string;
  status: DomainStatus;
  message: string | null;
  user_id: number | null;
  user_name: string | null;
}

export async function listStatuses(db: Db, domainId: string, limit: number): Promise<StatusRow[]> {
  return await rows(
    db,
    sql`select s.at, s.status, s.message, s.user_id, u.full_name as user_name
        from domain_status s left join app_user u using (user_id)
        where s.domain_id = ${domainId} order by s.domain_status_id desc limit ${limit}`,
  );
}

/** What people see from now on; the same status as before is no change. */
export async function noteStatus(
  db: Db,
  domainId: string,
  { status, message, userId }: { status: DomainStatus; message: string | null; userId: number | null },
): Promise<void> {
  await execute(
    db,
    sql`insert into domain_status (domain_id, status, message, user_id)
        select ${domainId}, ${status}, ${message}, ${userId}::int
        where ${status} is distinct from (
          select status from domain_status where domain_id = ${domainId} order by domain_status_id desc limit 1)`,
  );
}

/** Calls are kept for 60 days, changes of a status for two years. */
export async function trimActivity(db: Db): Promise<void> {
  await execute(db, sql`delete from domain_calls where hour < now() - interval '60 days'`);
  await execute(db, sql`delete from domain_status where at < now() - interval '2 years'`);
}
