import type { CallClass } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { record } from '../../platform/mutate.ts';
import { applyDomainEvent } from './domain-events.ts';
import type { SystemServices } from './service.ts';
import * as store from './store.ts';

type Services = Pick<SystemServices, 'pool' | 'connections' | 'catalogue'>;

/** Asks the adapter which tables the domain offers, in both languages. */
async function askResourceTypes(
  { connections }: Pick<Services, 'connections'>,
  domainId: string,
  callClass: CallClass,
  stop?: AbortSignal,
): Promise<store.NewResourceType[]> {
  const session = await connections.of(domainId);
  const timeout = AbortSignal.timeout(120_000);
  const signal = stop ? AbortSignal.any([stop, timeout]) : timeout;
  const ask = async (locale: Locale) => await session.collections({ levels: [], locale, callClass, signal });
  const [english, dutch] = [await ask('EN'), await ask('NL')];
  const dutchTitles = new Map(dutch.map((collection) => [collection.code, collection.title]));
  return english.map((collection) => ({
    uri_id: collection.resourceTypeUriId,
    code: collection.code,
    title_en: collection.title,
    title_nl: dutchTitles.get(collection.code) ?? collection.title,
    number_of_levels: collection.numberOfSystemLevels,
    has_attribute: collection.hasAttribute,
  }));
}

/** Lists the tables of the domain anew: what its external system has no more is gone here, too. */
export async function readResourceTypes(services: Services, domainId: string): Promise<void> {
  const types = await askResourceTypes(services, domainId, 'interactive');
  await record(services.pool, async (tx) => {
    await store.replaceResourceTypes(tx, domainId, types);
    tx.publish({ topic: 'systems' });
  });
  services.catalogue.drop();
}

const isLearned = ({ systemLevels }: { systemLevels: readonly unknown[] }): boolean =>
  systemLevels.length === 1;

/**
 * Looks for tables that have come since (a file in a watched folder, a table of a database), as often as the domain's
 * records are read anew; only for kinds without companies, whose tables nobody enables. A table that is missing stays
 * listed until a person has the domain read anew: a file that is just being replaced must not take its table along.
 */
export function startTablesLoop(services: Services & { log: Log }): Loop {
  const { pool, connections, log } = services;
  const kinds = [...connections.adapters.values()].filter(isLearned).map(({ kind }) => kind);
  return startLoop({
    name: 'Tables',
    everyMs: 5000,
    concurrency: 1,
    log,
    find: async (limit) => await store.listDomainsDue(pool, kinds, limit),
    keyOf: ({ domain_id: domainId }) => domainId,
    run: async ({ domain_id: domainId }, signal) => await lookForTables(services, domainId, signal),
  });
}

async function lookForTables(
  services: Services & { log: Log },
  domainId: string,
  stop: AbortSignal,
): Promise<void> {
  // Whatever comes of it, it is not asked again before the next interval.
  await store.stampResourceTypes(services.pool, domainId);
  let types: store.NewResourceType[];
  try {
    types = await askResourceTypes(services, domainId, 'cache', stop);
  } catch (error) {
    if (stop.aborted) return;
    // Reading its records tells the same, at the domain.
    services.log.warn('The tables of a domain could not be listed', { domainId, error });
    return;
  }
  const added = await record(services.pool, async (tx) => {
    const count = await store.addResourceTypes(tx, domainId, types);
    if (count > 0) tx.publish({ topic: 'systems' });
    return count;
  });
  if (added === 0) return;
  services.log.info('Tables have come', { domainId, added });
  services.catalogue.drop();
}

/**
 * A domain of a kind without companies can be used as soon as its tables are known: they are asked for after each
 * save and each wish to read anew. What goes wrong is told by the domain's status; the save stands.
 */
export async function learnTables(services: Services, kind: string, domainId: string): Promise<void> {
  const adapter = services.connections.adapters.get(kind);
  if (!adapter || !isLearned(adapter)) return;
  try {
    const session = await services.connections.of(domainId);
    const result = await session.test({ locale: 'EN', signal: AbortSignal.timeout(30_000) });
    if (result.status === 'OK') {
      await readResourceTypes(services, domainId);
      await applyDomainEvent(services, domainId, { type: 'connectionGood', hasCompanies: false });
      return;
    }
    const isAccess = result.status === 'INVALID_CREDENTIALS_OR_URL';
    const type = isAccess ? ('accessRefused' as const) : ('refreshFailed' as const);
    await applyDomainEvent(services, domainId, { type, message: result.message });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await applyDomainEvent(services, domainId, { type: 'refreshFailed', message });
  }
}
