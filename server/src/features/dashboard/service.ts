import {
  type Dashboard,
  type DashboardError,
  dashboardLimit,
  type getDashboard,
  type Job,
  type Locale,
  type QueryOf,
} from '@sluice/contract';
import { hasRight, maySeeLevel, type UserActor } from '../../platform/actor.ts';
import type { Db, Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { text } from '../../platform/texts.ts';
import { capitalise } from '../menu/service.ts';
import { inWords } from '../notifications/service.ts';
import {
  type Catalogue,
  type CatalogueSystem,
  companyOptionId,
  type CollectionPlace,
  dataEndpoint,
  dataPathOf,
  titleOf,
} from '../systems/catalogue.ts';
import type { Connections } from '../systems/connections.ts';
import { shownStatus } from '../systems/domain-state.ts';
import { readCallCounts } from '../systems/store.ts';
import * as store from './store.ts';
import type { JobRow } from './store.ts';

export interface DashboardServices {
  pool: Pool;
  catalogue: Catalogue;
  connections: Connections;
  /** IANA name of the organisation's time zone. */
  timeZone: string;
  now(): Date;
}

const plotDays = 14;
const mostVisited = 8;
const recentlyDone = 10;

export async function readDashboard(
  services: DashboardServices,
  actor: UserActor,
  query: QueryOf<typeof getDashboard>,
): Promise<Dashboard> {
  const { pool, timeZone } = services;
  const systems = await services.catalogue.systems();
  const scope = scopeOf(systems, actor, query);
  const period = { dateFrom: query.dateFrom, dateTo: query.dateTo, timeZone };
  const today = dayIn(timeZone, services.now());
  const plotted = { dateFrom: daysBefore(today, plotDays - 1), dateTo: today, timeZone };
  const [user, connector, failed, updates, browser, open, ended, days, waiting, visited, calls] =
    await Promise.all([
      store.listJobs(pool, scope, 'userJobs', period, dashboardLimit),
      store.listJobs(pool, scope, 'connectorJobs', period, dashboardLimit),
      store.listJobs(pool, scope, 'errors', period, dashboardLimit),
      store.listFailedUpdates(pool, scope, period, dashboardLimit),
      query.systemId === undefined ? store.listClientErrors(pool, scope, period, dashboardLimit) : [],
      store.listOpenJobs(pool, scope),
      store.listEndedJobs(pool, scope, recentlyDone),
      store.listDays(pool, scope, plotted),
      store.listWaiting(pool, scope),
      store.listVisited(pool, scope, mostVisited),
      readCallCounts(pool, timeZone),
    ]);
  const { locale } = actor;
  /** To a table that the reader may see; empty where he may not. */
  const link = (row: store.VisitedRow) => {
    const place = placeOf(systems, row);
    if (!place || !mayRead(actor, place)) return [];
    const { type, company, domain } = place;
    return [
      {
        menuItemId: type.uri_id,
        title: capitalise(titleOf(type, locale), locale),
        place: (company ?? domain).name,
        route: routeOf(services, place, row.attribute_id),
      },
    ];
  };
  const wire = (row: JobRow): Job => jobOf(services, systems, locale, row);
  const errors = [
    ...failed.found.map((row) => errorOf(services, systems, locale, row)),
    ...updates.found.map((row) => updatesErrorOf(systems, locale, row)),
    ...browser.map((row) => browserErrorOf(locale, row)),
  ]
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))
    .slice(0, dashboardLimit);
  return {
    errors,
    userJobs: user.found.map(wire),
    connectorJobs: connector.found.map(wire),
    totals: {
      errors: failed.total + updates.total + browser.length,
      userJobs: user.total,
      connectorJobs: connector.total,
    },
    inProgress: open.map(wire),
    recentlyDone: ended.map(wire),
    waiting: waiting.flatMap((row) =>
      link(row).map(({ title, place, route }) => ({
        title,
        place,
        route,
        count: row.count,
        oldestAt: row.oldest_at,
      })),
    ),
    mostVisited: visited.flatMap((row) => link(row).map((table) => ({ ...table, count: row.count }))),
    externalConnections: connectionsOf(systems, actor, scope, calls),
    days,
  };
}

/** Every level option that the actor may see, or of the ones chosen in the query (DASH-14). */
function scopeOf(
  systems: readonly CatalogueSystem[],
  actor: UserActor,
  query: { systemId?: string | undefined; systemLevelIds?: string | undefined },
): store.Scope {
  const [domainId, companyId] = query.systemLevelIds?.split('*') ?? [];
  const levels = systems
    .filter(({ system_id, url }) => [undefined, system_id, url].includes(query.systemId))
    .flatMap((system) =>
      system.domains
        .filter(({ domain_id }) => domainId === undefined || domain_id === domainId)
        .filter(({ domain_id }) => maySeeLevel(actor, system.system_id, domain_id))
        .flatMap((domain) => [
          domain.domain_id,
          ...domain.companies
            .map(companyOptionId)
            .filter((id) => companyId === undefined || id === companyId)
            .filter((id) => maySeeLevel(actor, system.system_id, id)),
        ]),
    );
  const may = (endpoint: string): boolean => hasRight(actor, { endpoint, action: 'read' });
  return {
    userId: actor.userId,
    maySeeOthers: may('jobsOfOthers'),
    maySeeConnectors: may('connectors'),
    maySeeDomains: may('domains'),
    levels,
  };
}

/** The job of work that the actor has begun. */
export async function requireJob(services: DashboardServices, actor: UserActor, id: string): Promise<Job> {
  const found = await liveJob(services, actor, id);
  if (!found) throw new AppError('NOT_FOUND');
  return found.job;
}

/** A job as a live message shows it to this reader; null where it is none of his. */
export async function liveJob(
  services: DashboardServices,
  actor: UserActor,
  id: string,
): Promise<{ type: 'userJob' | 'connectorJob' | null; job: Job; error: DashboardError | null } | null> {
  const systems = await services.catalogue.systems();
  const row = await store.findJob(services.pool, scopeOf(systems, actor, {}), id);
  if (!row) return null;
  const isRun = row.kind === 'manualRun' || row.kind === 'automaticRun';
  const isOfPerson = row.connector_id === null && row.user_id !== null;
  return {
    type: isRun ? 'connectorJob' : isOfPerson ? 'userJob' : null,
    job: jobOf(services, systems, actor.locale, row),
    error: isFailed(row) ? errorOf(services, systems, actor.locale, row) : null,
  };
}

export async function liveClientError(
  services: DashboardServices,
  actor: UserActor,
  id: string,
): Promise<DashboardError | null> {
  const scope = scopeOf(await services.catalogue.systems(), actor, {});
  const [row] = await store.listClientErrors(services.pool, scope, { id }, 1);
  return row ? browserErrorOf(actor.locale, row) : null;
}

export const jobIdOfNotification = async (db: Db, notificationId: string): Promise<string | null> =>
  await store.findJobOfNotification(db, notificationId);

const isFailed = ({ status }: JobRow): boolean => status === 'FAILED' || status === 'PARTIALLY_FAILED';

type Where = Pick<JobRow, 'domain_id' | 'company_id' | 'uri_id'>;

function placeOf(systems: readonly CatalogueSystem[], where: Where): CollectionPlace | null {
  for (const system of systems) {
    const domain = system.domains.find(({ domain_id }) => domain_id === where.domain_id);
    if (!domain) continue;
    const type = domain.resourceTypes.find(({ uri_id }) => uri_id === where.uri_id);
    if (!type) return null;
    const company = domain.companies.find(({ company_id }) => company_id === where.company_id) ?? null;
    return { system, domain, company, type };
  }
  return null;
}

const mayRead = (actor: UserActor, { system, type }: CollectionPlace): boolean =>
  hasRight(actor, { endpoint: dataEndpoint(system.system_id, type.uri_id), action: 'read' });

const routeOf = (services: DashboardServices, place: CollectionPlace, attributeId: string): string =>
  `/data/${dataPathOf(services.connections, place)}${attributeId === '' ? '' : `/${attributeId}`}`;

/** The table's name, and the company's acronym where a table is one company's own. */
function endpointOf(place: CollectionPlace | null, where: Where, locale: Locale): string {
  if (!place) return where.uri_id;
  const title = capitalise(titleOf(place.type, locale), locale);
  return place.company ? `${title}, ${place.company.acronym}` : title;
}

const runUrl = (connectorId: string, runId: string): string =>
  `/connectors/${connectorId}/actions?run=${runId}`;

function common(
  services: DashboardServices,
  systems: readonly CatalogueSystem[],
  locale: Locale,
  row: JobRow,
) {
  const place = placeOf(systems, row);
  const isRun = row.kind === 'manualRun' || row.kind === 'automaticRun';
  const table = place ? routeOf(services, place, row.attribute_id) : null;
  return {
    connector:
      row.connector_id === null ? null : { internalId: row.connector_id, name: row.connector_name ?? '' },
    endpoint: endpointOf(place, row, locale),
    url:
      isRun && row.connector_id !== null
        ? runUrl(row.connector_id, row.id)
        : row.kind === 'push' && table !== null
          ? `${table}?push=${row.id}`
          : table,
  };
}

function jobOf(
  services: DashboardServices,
  systems: readonly CatalogueSystem[],
  locale: Locale,
  row: JobRow,
): Job {
  const { started_at: startedAt, finished_at: finishedAt } = row;
  return {
    id: row.id,
    kind: row.kind,
    timestamp: row.at,
    ...common(services, systems, locale, row),
    origin:
      row.user_id !== null
        ? (row.user_name ?? text(locale, 'job.formerUser'))
        : row.schedule_kind === 'afterRefresh'
          ? 'source change'
          : 'schedule',
    message: inWords(locale, row.message),
    status: row.status,
    total: row.total,
    current: row.current,
    failed: row.failed,
    startedAt,
    finishedAt,
    durationMinutes:
      startedAt !== null && finishedAt !== null
        ? Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 600) / 100
        : null,
  };
}

function errorOf(
  services: DashboardServices,
  systems: readonly CatalogueSystem[],
  locale: Locale,
  row: JobRow,
): DashboardError {
  return {
    id: row.id,
    timestamp: row.finished_at ?? row.at,
    ...common(services, systems, locale, row),
    origin:
      row.kind === 'cacheRefresh'
        ? 'cache refresh'
        : row.connector_id !== null
          ? 'connector run'
          : (row.user_name ?? text(locale, 'job.formerUser')),
    message: inWords(locale, row.message) ?? text(locale, 'job.failed', { count: row.failed }),
    errCode: row.status,
  };
}

function updatesErrorOf(
  systems: readonly CatalogueSystem[],
  locale: Locale,
  row: store.FailedUpdatesRow,
): DashboardError {
  const reason = row.message ?? { key: 'run.message.noReason' };
  return {
    id: `updates-${row.run_id}`,
    timestamp: row.at,
    connector: { internalId: row.connector_id, name: row.connector_name },
    endpoint: endpointOf(placeOf(systems, row), row, locale),
    origin: 'connector run',
    message: text(locale, 'alert.writeBack', { action: row.action_name, count: row.failed, reason }),
    errCode: null,
    url: runUrl(row.connector_id, row.run_id),
  };
}

function browserErrorOf(locale: Locale, row: store.ClientErrorRow): DashboardError {
  return {
    id: `browser-${row.id}`,
    timestamp: row.at,
    connector: null,
    endpoint: row.user_name ?? '',
    origin: 'browser',
    message: text(locale, 'job.browserError', { error: row.error.split('\n')[0]?.slice(0, 300) ?? '' }),
    errCode: null,
    url: row.route,
  };
}

function connectionsOf(
  systems: readonly CatalogueSystem[],
  actor: UserActor,
  scope: store.Scope,
  calls: ReadonlyMap<string, number>,
): Dashboard['externalConnections'] {
  const mayEdit = hasRight(actor, { endpoint: 'domains', action: 'read' });
  return systems
    .map((system) => ({
      systemId: system.system_id,
      name: system.name,
      domains: system.domains
        .filter(({ domain_id }) => scope.levels.includes(domain_id))
        .map((domain) => ({
          internalId: domain.domain_id,
          name: domain.name,
          status: shownStatus(domain),
          statusMessage: domain.status_message,
          lastSyncAt: domain.last_sync_at,
          isProduction: domain.is_production,
          callsToday: calls.get(domain.domain_id) ?? 0,
          maxApiCalls: domain.max_api_calls,
          url: mayEdit ? `/manage/systems/${system.url}/domains/${domain.domain_id}/edit` : null,
        })),
    }))
    .filter(({ domains }) => domains.length > 0);
}

const dayIn = (timeZone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    at,
  );

function daysBefore(day: string, count: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - count);
  return at.toISOString().slice(0, 10);
}
