import type { Locale } from '@sluice/contract';
import { record } from '../../platform/mutate.ts';
import { applyDomainEvent } from './domain-events.ts';
import type { SystemServices } from './service.ts';
import * as store from './store.ts';

type Services = Pick<SystemServices, 'pool' | 'connections' | 'catalogue'>;

/** Asks the adapter which tables the domain offers, in both languages. */
export async function readResourceTypes(services: Services, domainId: string): Promise<void> {
  const session = await services.connections.of(domainId);
  const signal = AbortSignal.timeout(120_000);
  const ask = async (locale: Locale) =>
    await session.collections({ levels: [], locale, callClass: 'interactive', signal });
  const [english, dutch] = [await ask('EN'), await ask('NL')];
  const dutchTitles = new Map(dutch.map((collection) => [collection.code, collection.title]));
  await record(services.pool, async (tx) => {
    await store.replaceResourceTypes(
      tx,
      domainId,
      english.map((collection) => ({
        uri_id: collection.resourceTypeUriId,
        code: collection.code,
        title_en: collection.title,
        title_nl: dutchTitles.get(collection.code) ?? collection.title,
        number_of_levels: collection.numberOfSystemLevels,
        has_attribute: collection.hasAttribute,
      })),
    );
    tx.publish({ topic: 'systems' });
  });
  services.catalogue.drop();
}

/**
 * A domain of a kind without companies can be used as soon as its tables are known: they are asked for after each
 * save and each wish to read anew. What goes wrong is told by the domain's status; the save stands.
 */
export async function learnTables(services: Services, kind: string, domainId: string): Promise<void> {
  const levels = services.connections.adapters.get(kind)?.systemLevels ?? [];
  if (levels.length !== 1) return;
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
