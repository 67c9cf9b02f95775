import type {
  Action,
  Alerts,
  RunDay,
  Schedule,
  SourceUpdateConfigs,
  SystemEnd,
  Trigger,
  Wiring,
  Mapping,
} from '@sluice/contract';
import { type Db, execute, row, rows, type Sql, sql } from '../../platform/db.ts';
import type { StoredText } from '../notifications/service.ts';

export interface ConnectorRow {
  connector_id: string;
  name: string;
  description: string;
  source_system: SystemEnd;
  target_system: SystemEnd;
  alerts: Alerts;
  technical_user_id: number;
  revision: number;
}

export interface ActionRow {
  action_id: string;
  connector_id: string;
  name: string;
  is_active: boolean;
  is_copy_allowed: boolean;
  schedule: Schedule;
  wiring: Wiring;
  mappings: Mapping[];
  triggers: Trigger[];
  source_updates: Partial<SourceUpdateConfigs>;
  version: number;
  revision: number;
  problem: 'ERROR_SYNC_FAILED' | 'ERROR_AUTH_FAILED' | 'ERROR_OTHER' | null;
  problem_message: StoredText | null;
  last_run_at: string | null;
  last_good_run_at: string | null;
  next_run_at: string | null;
  run_count: number;
}

export type ActionContent = Pick<Action, 'wiring' | 'mappings' | 'triggers' | 'sourceUpdateConfigs'>;

export async function listConnectors(db: Db): Promise<ConnectorRow[]> {
  return await rows(db, sql`select * from connector order by name collate sluice_text, connector_id`);
}

export async function findConnector(db: Db, id: string, lock = false): Promise<ConnectorRow | null> {
  return await row(
    db,
    sql`select * from connector where connector_id = ${id} ${lock ? sql`for update` : sql``}`,
  );
}

/** Those that read from a domain or write to it, each once. */
export async function countConnectorsOfDomain(db: Db, domainId: string): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from connector
        where ${domainId} in (source_system->'levelIds'->>0, target_system->'levelIds'->>0)`,
  );
  return counted?.n ?? 0;
}

export type ConnectorValues = Pick<
  ConnectorRow,
  'name' | 'description' | 'source_system' | 'target_system' | 'alerts'
>;

/** With the technical user in whose name it changes records. */
export async function insertConnector(db: Db, values: ConnectorValues): Promise<string> {
  const inserted = await row<{ connector_id: string }>(
    db,
    sql`with person as (
          insert into app_user (full_name, is_active, is_technical) values (${technicalName(values.name)}, false, true)
          returning user_id)
        insert into connector (name, description, source_system, target_system, alerts, technical_user_id)
        select ${values.name}, ${values.description}, ${JSON.stringify(values.source_system)}::jsonb,
          ${JSON.stringify(values.target_system)}::jsonb, ${JSON.stringify(values.alerts)}::jsonb, user_id
        from person returning connector_id`,
  );
  if (!inserted) throw new Error('The connector was not created');
  return inserted.connector_id;
}

const technicalName = (name: string): string => `connector ${name}`;

export async function saveConnector(db: Db, id: string, values: ConnectorValues): Promise<void> {
  await execute(
    db,
    sql`update connector set name = ${values.name}, description = ${values.description},
          source_system = ${JSON.stringify(values.source_system)}::jsonb,
          target_system = ${JSON.stringify(values.target_system)}::jsonb,
          alerts = ${JSON.stringify(values.alerts)}::jsonb, revision = revision + 1 where connector_id = ${id}`,
  );
  await execute(
    db,
    sql`update app_user u set full_name = ${technicalName(values.name)} from connector c
        where c.connector_id = ${id} and u.user_id = c.technical_user_id`,
  );
}

export async function removeConnector(db: Db, id: string): Promise<void> {
  // The technical user stays behind what the connector has changed.
  await execute(db, sql`delete from connector where connector_id = ${id}`);
}

/** An action with what its lists say about it. */
export interface ListedAction extends ActionRow {
  linked_count: number;
  active_run_id: string | null;
  active_status: string | null;
}

const listed = (where: Sql): Sql =>
  sql`select a.*, (select count(*)::int from link l where l.action_id = a.action_id) as linked_count,
        r.run_id as active_run_id, r.status as active_status
      from action a left join run r on r.action_id = a.action_id and r.finished_at is null
      where ${where} order by a.name collate sluice_text, a.action_id`;

export async function listActions(db: Db, connectorId: string): Promise<ListedAction[]> {
  return await rows(db, listed(sql`a.connector_id = ${connectorId}`));
}

/** Of all connectors, without what is large. */
export async function listStates(
  db: Db,
): Promise<
  (Pick<
    ActionRow,
    | 'connector_id'
    | 'is_active'
    | 'problem'
    | 'problem_message'
    | 'last_run_at'
    | 'next_run_at'
    | 'wiring'
    | 'mappings'
  > & { is_busy: boolean })[]
> {
  return await rows(
    db,
    sql`select a.connector_id, a.is_active, a.problem, a.problem_message, a.last_run_at, a.next_run_at, a.wiring, a.mappings,
          exists (select 1 from run r where r.action_id = a.action_id and r.finished_at is null) as is_busy
        from action a`,
  );
}

export async function findAction(db: Db, connectorId: string, id: string): Promise<ListedAction | null> {
  return await row(db, listed(sql`a.connector_id = ${connectorId} and a.action_id = ${id}`));
}

export async function lockAction(db: Db, connectorId: string, id: string): Promise<ActionRow | null> {
  return await row(
    db,
    sql`select * from action where connector_id = ${connectorId} and action_id = ${id} for update`,
  );
}

export async function insertAction(
  db: Db,
  connectorId: string,
  values: ActionContent & Pick<Action, 'name' | 'isActive' | 'isCopyAllowed' | 'schedule'>,
  userId: number,
): Promise<string> {
  const inserted = await row<{ action_id: string }>(
    db,
    sql`insert into action (connector_id, name, is_active, is_copy_allowed, schedule, wiring, mappings, triggers, source_updates)
        values (${connectorId}, ${values.name}, ${values.isActive}, ${values.isCopyAllowed}, ${JSON.stringify(values.schedule)},
          ${JSON.stringify(values.wiring)}, ${JSON.stringify(values.mappings)}, ${JSON.stringify(values.triggers)},
          ${JSON.stringify(values.sourceUpdateConfigs)}) returning action_id`,
  );
  if (!inserted) throw new Error('The action was not created');
  await insertVersion(db, inserted.action_id, 1, values, userId);
  return inserted.action_id;
}

async function insertVersion(
  db: Db,
  actionId: string,
  version: number,
  { wiring, mappings, triggers, sourceUpdateConfigs }: ActionContent,
  userId: number,
): Promise<void> {
  const content = JSON.stringify({ wiring, mappings, triggers, sourceUpdateConfigs });
  await execute(
    db,
    sql`insert into action_version (action_id, version, user_id, content) values (${actionId}, ${version}, ${userId}, ${content})`,
  );
}

/** With `isNewVersion` the content before stays in the history, and the next run reads all: it may take more now. */
export async function saveAction(
  db: Db,
  before: ActionRow,
  values: ActionContent & Pick<Action, 'name' | 'isActive' | 'isCopyAllowed' | 'schedule'>,
  { userId, isNewVersion }: { userId: number; isNewVersion: boolean },
): Promise<void> {
  const version = before.version + (isNewVersion ? 1 : 0);
  await execute(
    db,
    sql`update action set name = ${values.name}, is_active = ${values.isActive}, is_copy_allowed = ${values.isCopyAllowed},
          schedule = ${JSON.stringify(values.schedule)}, wiring = ${JSON.stringify(values.wiring)},
          mappings = ${JSON.stringify(values.mappings)}, triggers = ${JSON.stringify(values.triggers)},
          source_updates = ${JSON.stringify(values.sourceUpdateConfigs)}, version = ${version}, revision = revision + 1,
          last_good_run_at = case when ${isNewVersion} then null else last_good_run_at end
        where action_id = ${before.action_id}`,
  );
  if (isNewVersion) await insertVersion(db, before.action_id, version, values, userId);
}

export async function removeAction(db: Db, id: string): Promise<void> {
  await execute(db, sql`delete from action where action_id = ${id}`);
}

export async function removeActions(db: Db, connectorId: string): Promise<number> {
  return await execute(db, sql`delete from action where connector_id = ${connectorId}`);
}

/** Links of records of another target mean nothing any more. */
export async function removeLinks(db: Db, actionId: string): Promise<void> {
  await execute(db, sql`delete from link where action_id = ${actionId}`);
}

export interface VersionRow {
  version: number;
  at: string;
  user_id: number;
  content: ActionContent;
}

export async function listVersions(
  db: Db,
  actionId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ versions: VersionRow[]; total: number }> {
  const versions = await rows<VersionRow>(
    db,
    sql`select version, at, user_id, content from action_version where action_id = ${actionId}
        order by version desc limit ${limit} offset ${offset}`,
  );
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from action_version where action_id = ${actionId}`,
  );
  return { versions, total: counted?.n ?? 0 };
}

/** Runs under way of an action, or of all of a connector. */
export async function countOpenRuns(
  db: Db,
  of: { connectorId: string } | { actionId: string },
): Promise<number> {
  const where =
    'actionId' in of ? sql`a.action_id = ${of.actionId}` : sql`a.connector_id = ${of.connectorId}`;
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from run r join action a using (action_id) where ${where} and r.finished_at is null`,
  );
  return counted?.n ?? 0;
}

export async function setNextRun(db: Db, actionId: string, at: Date | null): Promise<void> {
  await execute(db, sql`update action set next_run_at = ${at} where action_id = ${actionId}`);
}

export async function listRunDays(
  db: Db,
  connectorId: string,
  days: number,
  timeZone: string,
): Promise<RunDay[]> {
  const today = sql`(now() at time zone ${timeZone}::text)::date`;
  const sum = (name: string) => sql`coalesce(sum(r.${sql.id(name)}), 0)::int as ${sql.id(name)}`;
  return await rows(
    db,
    sql`select d::date::text as date, ${sum('inserted')}, ${sum('updated')}, ${sum('deleted')}, ${sum('failed')}
        from generate_series(${today} - ${days - 1}::int, ${today}, interval '1 day') d
          left join (run r join action a on a.action_id = r.action_id and a.connector_id = ${connectorId})
            on (r.created_at at time zone ${timeZone}::text)::date = d::date
        group by d order by d`,
  );
}
