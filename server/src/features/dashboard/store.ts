import type { Job, JobStatus } from '@sluice/contract';
import { type Db, execute, row, rows, type Sql, sql } from '../../platform/db.ts';
import { isOfAuthor, pendingTableOf } from '../cache/model.ts';
import type { StoredText } from '../notifications/service.ts';

/** Long work of any kind, with the names that lists of it show. */
export interface JobRow {
  kind: Job['kind'];
  id: string;
  at: string;
  user_id: number | null;
  user_name: string | null;
  /** The author is a connector, not a person. */
  is_technical: boolean;
  connector_id: string | null;
  connector_name: string | null;
  schedule_kind: string | null;
  domain_id: string;
  company_id: string;
  uri_id: string;
  attribute_id: string;
  status: JobStatus;
  total: number | null;
  current: number;
  failed: number;
  message: StoredText | null;
  started_at: string | null;
  finished_at: string | null;
}

/** Pushes, runs and refreshes in one shape; conditions on `ref` and `at` reach the index of each. */
const works = sql`
  select 'push' as kind, p.push_id as ref, p.created_at as at, p.collection_id, p.user_id, r.action_id, p.status,
    p.inserts + p.updates + p.deletes as total,
    case when p.finished_at is null then coalesce(n.current, 0) else p.inserts + p.updates + p.deletes end as current,
    p.failed, n.message, p.started_at, p.finished_at
  from push p left join notification n using (notification_id) left join run r on r.push_id = p.push_id
  union all
  select case when user_id is null then 'automaticRun' else 'manualRun' end, run_id, created_at, collection_id, user_id,
    action_id, status, total, current, failed + conflicts,
    case when finished_at is null or message is not null then message
      else jsonb_build_object('key', 'run.notification.done', 'params', jsonb_build_object('inserted', inserted,
        'updated', updated, 'deleted', deleted, 'unchanged', unchanged, 'failed', failed, 'conflicts', conflicts)) end,
    started_at, finished_at
  from run
  union all
  select 'cacheRefresh', f.refresh_job_id, f.created_at, f.collection_id, f.user_id, null::uuid, f.status,
    case when f.finished_at is null then c.expected else f.total end,
    case when f.status = 'QUEUED' then 0 when f.finished_at is null then c.loaded else f.total end, 0,
    case when f.message is not null
        then jsonb_build_object('key', 'job.refreshFailed', 'params', jsonb_build_object('reason', f.message))
      when f.status = 'DONE'
        then jsonb_build_object('key', 'job.refreshed', 'params', jsonb_build_object('count', f.total)) end,
    f.started_at, f.finished_at
  from refresh_job f join collection c using (collection_id)`;

const jobs = sql`
  select w.kind, w.ref as id, w.at, w.user_id, case when u.is_deleted then null else u.full_name end as user_name,
    coalesce(u.is_technical, false) as is_technical, k.connector_id, k.name as connector_name,
    a.schedule ->> 'kind' as schedule_kind, c.domain_id, c.company_id, c.resource_type_uri_id as uri_id, c.attribute_id,
    w.status, w.total, w.current, w.failed, w.message, w.started_at, w.finished_at
  from (${works}) w join collection c using (collection_id) left join app_user u on u.user_id = w.user_id
    left join action a using (action_id) left join connector k using (connector_id)`;

/** What the reader may see and asked for. */
export interface Scope {
  userId: number;
  maySeeOthers: boolean;
  maySeeConnectors: boolean;
  maySeeDomains: boolean;
  /** Ids of level options: `domain` or `domain.company`. */
  levels: readonly string[];
}

const levelOf = sql`case when c.company_id = '' then c.domain_id::text else c.domain_id || '.' || c.company_id end`;
const isRun = sql`w.kind in ('manualRun', 'automaticRun')`;
const isOfConnector = sql`k.connector_id is not null`;
const isOfPerson = sql`k.connector_id is null and w.user_id is not null`;
const hasFailed = sql`w.status in ('FAILED', 'PARTIALLY_FAILED')`;

/** Work of connectors to who may read connectors and who began it, of people to themselves or with the right, the rest to who keeps domains. */
function isVisible(scope: Scope): Sql {
  return sql`${levelOf} = any(${scope.levels}::text[]) and case
    when ${isOfConnector} then ${scope.maySeeConnectors} or w.user_id = ${scope.userId}
    when ${isOfPerson} then ${scope.maySeeOthers} or w.user_id = ${scope.userId}
    else ${scope.maySeeDomains} end`;
}

export interface Period {
  dateFrom: string;
  dateTo: string;
  timeZone: string;
}

const within = (at: Sql, { dateFrom, dateTo, timeZone }: Period): Sql =>
  sql`${at} >= (${dateFrom}::date)::timestamp at time zone ${timeZone}
      and ${at} < (${dateTo}::date + 1)::timestamp at time zone ${timeZone}`;

export type JobList = 'userJobs' | 'connectorJobs' | 'errors';

const listed: Record<JobList, Sql> = {
  userJobs: isOfPerson,
  connectorJobs: isRun,
  errors: hasFailed,
};

/** The newest of a list in a period, and how many there are. */
export async function listJobs(
  db: Db,
  scope: Scope,
  list: JobList,
  period: Period,
  limit: number,
): Promise<{ found: JobRow[]; total: number }> {
  const condition = sql`${listed[list]} and ${isVisible(scope)} and ${within(sql`w.at`, period)}`;
  const found = await rows<JobRow>(
    db,
    sql`${jobs} where ${condition} order by w.at desc, w.ref desc limit ${limit}`,
  );
  if (found.length < limit) return { found, total: found.length };
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from (${jobs} where ${condition}) counted`,
  );
  return { found, total: counted?.n ?? 0 };
}

/** Source updates of a run that could not be written. */
export interface FailedUpdatesRow {
  run_id: string;
  /** Of the last one. */
  at: string;
  failed: number;
  message: StoredText | null;
  action_name: string;
  connector_id: string;
  connector_name: string;
  domain_id: string;
  company_id: string;
  uri_id: string;
  attribute_id: string;
}

/** What could not be written back to a source is an error of its run, which has ended well long ago (decisions Q-SUC-02). */
export async function listFailedUpdates(
  db: Db,
  scope: Scope,
  period: Period,
  limit: number,
): Promise<{ found: FailedUpdatesRow[]; total: number }> {
  const found = await rows<FailedUpdatesRow & { runs: number }>(
    db,
    sql`select f.*, a.name as action_name, k.connector_id, k.name as connector_name, c.domain_id, c.company_id,
          c.resource_type_uri_id as uri_id, c.attribute_id, count(*) over ()::int as runs
        from (select run_id, max(next_at) as at, count(*)::int as failed,
                (array_agg(message order by source_update_id desc))[1] as message
              from source_update where state = 'failed' group by run_id) f
          join run w using (run_id) join action a on a.action_id = w.action_id join connector k using (connector_id)
          join collection c using (collection_id)
        where ${within(sql`f.at`, period)} and ${isVisible(scope)}
        order by f.at desc limit ${limit}`,
  );
  return { found, total: found[0]?.runs ?? 0 };
}

export async function listOpenJobs(db: Db, scope: Scope): Promise<JobRow[]> {
  return await rows(
    db,
    sql`${jobs} where w.finished_at is null and (${isRun} or ${isOfPerson}) and ${isVisible(scope)} order by w.at desc limit 50`,
  );
}

export async function listEndedJobs(db: Db, scope: Scope, limit: number): Promise<JobRow[]> {
  return await rows(
    db,
    sql`${jobs} where w.finished_at > now() - interval '24 hours' and w.at > now() - interval '3 days'
          and (${isRun} or ${isOfPerson}) and ${isVisible(scope)}
        order by w.finished_at desc limit ${limit}`,
  );
}

/** Null where the reader may not see it. */
export async function findJob(db: Db, scope: Scope, id: string): Promise<JobRow | null> {
  return await row(db, sql`${jobs} where w.ref = ${id} and ${isVisible(scope)}`);
}

/** Ids of the works whose progress a notification shows. */
export async function findJobOfNotification(db: Db, notificationId: string): Promise<string | null> {
  const found = await row<{ id: string }>(
    db,
    sql`select push_id as id from push where notification_id = ${notificationId}
        union all select run_id from run where notification_id = ${notificationId} limit 1`,
  );
  return found?.id ?? null;
}

export interface DayRow {
  date: string;
  jobs: number;
  errors: number;
  pushed: number;
  rejected: number;
}

/** The last days up to `dateTo`, the oldest first. */
export async function listDays(db: Db, scope: Scope, period: Period): Promise<DayRow[]> {
  return await rows(
    db,
    sql`with job as (
          select (w.at at time zone ${period.timeZone})::date as day, ${hasFailed} as has_failed
          from (${works}) w join collection c using (collection_id) left join action a using (action_id)
            left join connector k using (connector_id)
          where ${within(sql`w.at`, period)} and ${isVisible(scope)}
        ), pushed as (
          select (p.finished_at at time zone ${period.timeZone})::date as day, sum(p.succeeded)::int as succeeded, sum(p.failed)::int as failed
          from push p join collection c using (collection_id)
          where ${within(sql`p.finished_at`, period)} and ${levelOf} = any(${scope.levels}::text[])
          group by 1
        )
        select d::date::text as date, count(job.day)::int as jobs, count(job.day) filter (where job.has_failed)::int as errors,
          coalesce(min(pushed.succeeded), 0) as pushed, coalesce(min(pushed.failed), 0) as rejected
        from generate_series(${period.dateFrom}::date, ${period.dateTo}::date, interval '1 day') d
          left join job on job.day = d left join pushed on pushed.day = d
        group by d order by d`,
  );
}

export interface ClientErrorRow {
  id: string;
  at: string;
  user_name: string | null;
  error: string;
  route: string | null;
}

/** What went wrong in browsers: one's own, or everybody's for who may see others' jobs. */
export async function listClientErrors(
  db: Db,
  scope: Scope,
  which: Period | { id: string },
  limit: number,
): Promise<ClientErrorRow[]> {
  return await rows(
    db,
    sql`select e.client_error_id::text as id, e.at, u.full_name as user_name, e.error, e.route
        from client_error e left join app_user u using (user_id)
        where ${'id' in which ? sql`e.client_error_id = ${which.id}` : within(sql`e.at`, which)}
          and (${scope.maySeeOthers} or e.user_id = ${scope.userId})
        order by e.at desc limit ${limit}`,
  );
}

export interface VisitedRow {
  domain_id: string;
  company_id: string;
  uri_id: string;
  attribute_id: string;
  count: number;
}

/** The tables that somebody opened most in 90 days (decisions Q-DASH-01). */
export async function listVisited(db: Db, scope: Scope, limit: number): Promise<VisitedRow[]> {
  return await rows(
    db,
    sql`select c.domain_id, c.company_id, c.resource_type_uri_id as uri_id, c.attribute_id, sum(v.count)::int as count
        from visit v join collection c using (collection_id)
        where v.user_id = ${scope.userId} and v.day > current_date - 90 and ${levelOf} = any(${scope.levels}::text[])
        group by c.collection_id order by count desc, max(v.at) desc limit ${limit}`,
  );
}

export interface WaitingRow extends VisitedRow {
  oldest_at: string;
}

/** Tables in which changes of this user have waited for a week, the longest first (decisions Q-PEND-16). */
export async function listWaiting(db: Db, scope: Scope): Promise<WaitingRow[]> {
  const used = await rows<{ id: number }>(
    db,
    sql`select c.collection_id as id from collection c
        where ${levelOf} = any(${scope.levels}::text[])
          and pg_relation_size(to_regclass(format('cache.c_%s_p', c.collection_id))) > 0`,
  );
  if (used.length === 0) return [];
  const counts = used.map(
    ({ id }) => sql`select ${id}::int as collection_id, count(*)::int as count, min(created_at) as oldest_at
        from ${pendingTableOf(id)} where created_at < now() - interval '7 days' and ${isOfAuthor(scope.userId)}`,
  );
  return await rows(
    db,
    sql`select c.domain_id, c.company_id, c.resource_type_uri_id as uri_id, c.attribute_id, w.count, w.oldest_at
        from (${sql.join(counts, sql` union all `)}) w join collection c using (collection_id)
        where w.count > 0 order by w.oldest_at, c.collection_id`,
  );
}

/** A table was opened; within a minute of the last time it is a reload or another tab. */
export async function countVisit(db: Db, userId: number, collectionId: number): Promise<void> {
  await execute(
    db,
    sql`insert into visit (user_id, collection_id) values (${userId}, ${collectionId})
        on conflict (user_id, collection_id, day) do update set at = now(),
          count = visit.count + case when visit.at < now() - interval '1 minute' then 1 else 0 end`,
  );
}

/** Jobs and errors are kept for 90 days, pushes with what they sent for a year, errors of browsers for 30 days (decisions Q-CONST-04). */
export async function trimJobs(db: Db): Promise<void> {
  await execute(db, sql`delete from refresh_job where finished_at < now() - interval '90 days'`);
  await execute(db, sql`delete from run where finished_at < now() - interval '90 days'`);
  await execute(db, sql`delete from push where finished_at < now() - interval '1 year'`);
  await execute(db, sql`delete from client_error where at < now() - interval '30 days'`);
  await execute(db, sql`delete from visit where day < current_date - 90`);
  await execute(db, sql`delete from notification where finished_at < now() - interval '90 days'`);
}
