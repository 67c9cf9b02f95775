import { z } from 'zod';
import type { Api } from './api.ts';
import { waitFor } from './product.ts';

const created = z.object({ internalId: z.string() });

export interface ConnectedDomain {
  systemId: string;
  systemUrl: string;
  domainId: string;
  /** API path of a table of the first company: `/api/v1/data/…/{resource}`. */
  table(resource: string): string;
}

export interface DomainToConnect {
  kind: 'odata' | 'tryton';
  systemName: string;
  url: string;
  database: string;
  username: string;
  password: string;
  isProduction?: boolean;
  /** Companies to switch on by the external system's ids; all where absent. */
  companies?: readonly string[];
}

const companySchema = z.object({
  internalId: z.string(),
  internalName: z.string(),
  internalAcronym: z.string(),
  internalActive: z.boolean(),
});

/** Adds a system with a domain and switches companies on, by the API as an administrator's browser does. */
export async function connectDomain(api: Api, options: DomainToConnect): Promise<ConnectedDomain> {
  const system = await api.send(
    'POST',
    '/api/v1/manage/systems',
    { name: options.systemName, acronym: options.systemName.slice(0, 10), kind: options.kind },
    created.extend({ url: z.string() }),
  );
  const domains = `/api/v1/manage/systems/${system.url}/domains`;
  const { url, database, username, password } = options;
  const form = {
    name: database,
    acronym: database,
    url,
    database,
    username,
    password,
    isProduction: options.isProduction ?? false,
  };
  const domain = await api.send('POST', domains, form, created);
  const companies = await api.get(
    `${domains}/${domain.internalId}/companies`,
    z.object({ resources: z.array(companySchema) }),
  );
  const wanted = options.companies ?? companies.resources.map(({ internalId }) => internalId);
  await api.send(
    'PATCH',
    `${domains}/${domain.internalId}/companies`,
    wanted.map((internalId) => ({ internalId, internalActive: true })),
    z.unknown(),
  );
  const systems = await api.get(
    '/api/v1/user/external-systems?limit=-1&offset=0',
    z.object({
      resources: z.array(
        z.object({
          url: z.string(),
          systemLevelOptions: z.array(
            z.object({
              uriAcronym: z.string(),
              children: z.array(z.object({ internalId: z.string(), uriAcronym: z.string() })),
            }),
          ),
        }),
      ),
    }),
  );
  const option = systems.resources.find((candidate) => candidate.url === system.url)?.systemLevelOptions[0];
  const company =
    option?.children.find(({ internalId }) => internalId.endsWith(`.${wanted[0]}`)) ?? option?.children[0];
  const base = `/api/v1/data/${system.url}/domains/${option?.uriAcronym}/companies/${company?.uriAcronym}`;
  return {
    systemId: system.internalId,
    systemUrl: system.url,
    domainId: domain.internalId,
    table: (resource) => `${base}/${resource}`,
  };
}

/** Waits until a table has been read from its external system. */
export async function waitUntilCached(api: Api, table: string, timeoutMs = 60_000): Promise<void> {
  await waitFor(
    `${table} to be cached`,
    async () => {
      const answer = await api.call('GET', `${table}?limit=1&noTotal=true`);
      if (answer.status === 503) return false;
      if (answer.status !== 200)
        throw new Error(`${table} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return true;
    },
    timeoutMs,
  );
}
