import { ExternalSystemError, type Session } from '@sluice/adapter-kit';
import type { CacheState } from '@sluice/contract';
import type { Actor } from '../../platform/actor.ts';
import { type Pool, rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { record } from '../../platform/mutate.ts';
import { type ContextServices, openCollection } from '../records/context.ts';
import { tendColumnIndexes } from '../records/column-indexes.ts';
import { resolveLevels } from '../systems/catalogue.ts';
import { applyDomainEvent } from '../systems/domain-events.ts';
import { externalError } from '../systems/service.ts';
import * as systemStore from '../systems/store.ts';
import { findCollection, tableOf } from './model.ts';
import { isAccessRefused } from './access.ts';
import { applyLive } from './apply-live.ts';
import { refreshCollection } from './refresh.ts';
import { beginRefreshJobs, endRefreshJobs, wantRefreshJob } from './refresh-jobs.ts';
import * as store from './store.ts';

export interface CacheServices extends ContextServices {
  pool: Pool;
  log: Log;
  now(): Date;
  /** Tells all workers that something may be due. */
  wakeWorkers(): Promise<void>;
}

const interactiveMs = 30_000;

/** Makes sure that every table of the domain's active companies has a collection, to be loaded by the workers. */
async function ensureCollections(pool: Pool, domainId: string): Promise<void> {
  await record(pool, async (tx) => {
    const types = await systemStore.listResourceTypes(tx, domainId);
    const companies = (await systemStore.listCompanies(tx, domainId)).filter((company) => company.is_active);
    // A kind without companies: its tables are read once somebody opens them.
    if (companies.length === 0) return;
    for (const type of types.filter((candidate) => !candidate.has_attribute)) {
      const owners = type.number_of_levels === 1 ? [''] : companies.map((company) => company.company_id);
      for (const companyId of owners) {
        await store.ensureCollection(tx, {
          domainId,
          companyId,
          uriId: type.uri_id,
          attributeId: '',
          code: type.code,
        });
      }
    }
  });
}

export async function refreshDomain(services: CacheServices, domainId: string): Promise<void> {
  await ensureCollections(services.pool, domainId);
  await record(services.pool, async (tx) => await store.wantDomain(tx, domainId));
  await services.wakeWorkers();
}

export async function cacheState(services: CacheServices, actor: Actor, path: string): Promise<CacheState> {
  const { model } = await openCollection(services, actor, path);
  return {
    state: model.refreshedAt === null && model.state === 'ready' ? 'loading' : model.state,
    loaded: model.loaded,
    expected: model.expected,
    cachedAt: model.refreshedAt,
    message: model.message,
  };
}

export async function wantRefresh(services: CacheServices, actor: Actor, path: string): Promise<CacheState> {
  const { model, address } = await openCollection(services, actor, path);
  const { is_active: isActive, is_paused: isPaused } = address.domain;
  await record(services.pool, async (tx) => {
    await store.wantCollection(tx, model.collectionId);
    if (actor.kind === 'user' && isActive && !isPaused)
      await wantRefreshJob(tx, model.collectionId, actor.userId);
  });
  await services.wakeWorkers();
  return await cacheState(services, actor, path);
}

/** Attributes of the levels at the end of `path` (decisions Q-API-21), read live. */
export async function listAttributes(
  services: CacheServices,
  actor: Actor,
  path: string,
  { limit = -1, offset = 0 }: { limit?: number | undefined; offset?: number | undefined },
) {
  const segments = path.split('/').map((segment) => decodeURIComponent(segment));
  const address = await resolveLevels(services.catalogue, services.connections, segments, actor);
  const session = await services.connections.of(address.domain.domain_id);
  const found = await session
    .attributes({
      levels: address.company ? [address.company.company_id] : [],
      locale: actor.locale,
      callClass: 'interactive',
      signal: AbortSignal.timeout(interactiveMs),
    })
    .catch((error: unknown) => {
      throw externalError(error);
    });
  const resources = found.slice(offset, limit === -1 ? undefined : offset + limit);
  return { resources, offset, maxLimit: found.length, total: found.length };
}

/** Reads one record anew from its external system into the cache. */
export async function rereadRecord(
  services: CacheServices,
  actor: Actor,
  path: string,
  rid: number,
): Promise<void> {
  const { model, address } = await openCollection(services, actor, path);
  const [found] = await rows<{ k: string | null }>(
    services.pool,
    sql`select k from ${tableOf(model.collectionId)} where rid = ${rid}`,
  );
  if (!found)
    throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id: String(rid) } } });
  const key = found.k;
  if (key === null || !address.domain.is_active) return;
  const startedAt = services.now().toISOString();
  const session = await services.connections.of(address.domain.domain_id);
  const live = await session
    .readByKeys({
      collection: model.code,
      attributeId: model.attributeId || undefined,
      fields: model.fields.EN,
      keys: [key],
      levels: model.companyId === '' ? [] : [model.companyId],
      locale: actor.locale,
      callClass: 'interactive',
      signal: AbortSignal.timeout(interactiveMs),
    })
    .catch((error: unknown) => {
      throw externalError(error);
    });
  await record(services.pool, async (tx) => {
    await applyLive(tx, model, [key], live, startedAt);
    tx.publish({
      topic: 'collection',
      collectionId: model.collectionId,
      rids: [rid],
      removed: [],
      isReloadNeeded: false,
      refreshedAt: null,
    });
  });
}

/** Readings of one domain at once, of those that were asked for and of the others each. */
const perDomain = 2;
/** Readings at once that nobody asked for: they leave room on the machine for what people wait for. */
const mostUnasked = 3;

/**
 * The worker that keeps the cache: loads what was never loaded, refreshes what is old or asked for. A slow external
 * system holds places of its own domain only, and what somebody waits for begins beside what nobody asked for.
 */
export function startRefreshLoop(services: CacheServices): Loop {
  return startLoop({
    name: 'Refresh',
    everyMs: 1000,
    concurrency: 6,
    log: services.log,
    // As many of a domain again as may be under way: those may be found as well.
    find: async (limit) => await store.listDue(services.pool, limit, 2 * perDomain),
    keyOf: (due) => String(due.collection_id),
    mayBegin: (due, running) => {
      const alike = running.filter(({ is_wanted }) => is_wanted === due.is_wanted);
      return (
        alike.filter(({ domain_id }) => domain_id === due.domain_id).length < perDomain &&
        (due.is_wanted || alike.length < mostUnasked)
      );
    },
    run: async (due, signal) => await runRefresh(services, due, signal),
  });
}

async function runRefresh(
  services: CacheServices,
  due: { collection_id: number; domain_id: string },
  signal: AbortSignal,
): Promise<void> {
  const { pool, log } = services;
  let session: Session | null = null;
  try {
    session = await services.connections.of(due.domain_id);
    await beginRefreshJobs(pool, due.collection_id);
    const result = await refreshCollection(services, session, due.collection_id, signal);
    if (!result) return;
    log.info('Refreshed', { collectionId: due.collection_id, ...result });
    await endRefreshJobs(pool, due.collection_id, { total: result.read, problem: null });
    if (await isCurrent(services, due.domain_id, session))
      await applyDomainEvent(services, due.domain_id, { type: 'loaded' });
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    log.warn('A refresh failed', { collectionId: due.collection_id, error });
    await store.endAttempt(pool, due.collection_id, message);
    const collection = await findCollection(pool, due.collection_id);
    if (collection && collection.refreshed_at === null)
      await store.updateCollection(pool, due.collection_id, { state: 'failed' });
    if (collection) await endRefreshJobs(pool, due.collection_id, { total: 0, problem: message });
    if (await isCurrent(services, due.domain_id, session))
      await tellDomain(services, due.domain_id, error, message);
  }
}

/** What a session with settings that were replaced meanwhile met says nothing about the domain of now. */
async function isCurrent(
  services: CacheServices,
  domainId: string,
  session: Session | null,
): Promise<boolean> {
  return session === null || session === (await services.connections.of(domainId).catch(() => null));
}

async function tellDomain(
  services: CacheServices,
  domainId: string,
  error: unknown,
  message: string,
): Promise<void> {
  if (error instanceof ExternalSystemError && error.code === 'CALL_LIMIT') {
    await applyDomainEvent(services, domainId, { type: 'callsSpent', message });
  } else if (isAccessRefused(error)) {
    await applyDomainEvent(services, domainId, { type: 'accessRefused', message });
  } else if (
    !(error instanceof ExternalSystemError && (error.code === 'FORBIDDEN' || error.code === 'NOT_FOUND'))
  ) {
    await applyDomainEvent(services, domainId, { type: 'refreshFailed', message });
  }
}

/** Makes and drops indexes for sorting and searching in the background. */
export function startIndexLoop(services: CacheServices): Loop {
  return startLoop({
    name: 'Indexes',
    everyMs: 5000,
    concurrency: 1,
    log: services.log,
    find: async () =>
      await rows<{ n: number }>(
        services.pool,
        sql`select 1 as n from column_index where state = 'wanted'
            union all select 1 from search_index where state = 'wanted' limit 1`,
      ),
    keyOf: () => 'indexes',
    run: async () => await tendColumnIndexes(services.pool, services.log),
  });
}
