import { type Api, type ConnectedDomain, connectDomain, waitUntilCached } from '@sluice/testing';
import type { TrytonServer } from '@sluice/testing/tryton';

/** Tryton's model of customers and suppliers. */
export const parties = 'party.party';

/** Adds the Tryton with both companies and waits until its parties can be worked with. */
export async function connectTryton(api: Api, tryton: TrytonServer): Promise<ConnectedDomain> {
  const domain = await connectDomain(api, {
    kind: 'tryton',
    systemName: 'Tryton',
    url: tryton.url,
    database: tryton.database,
    username: tryton.username,
    password: tryton.password,
    companies: tryton.companies.map(String),
  });
  await waitUntilCached(api, domain.table('party-party'));
  return domain;
}
