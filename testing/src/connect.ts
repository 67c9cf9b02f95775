import { z } from 'zod';
import type { Api } from './api.ts';
import { waitFor } from './product.ts';

const created = z.object({ internalId: z.string() });

export interface ConnectedDomain {
  systemId: string;
  systemUrl: string;
  domainId: string;
  /** API path of a table of the domain, or of its first company where the kind has companies: `/api/v1/data/…/{resource}`. */
  table(resource: string): string;
}

export interface DomainToConnect {
  kind: string;
  systemName: string;
  url: string;
  database: string;
  username: string;
  password: string;
  isProduction?: boolean;
  /** Settings of the kind's own. */
  settings?: Record<string, string>;
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
    name: database || options.systemName,
    acronym: (database || options.systemName).slice(0, 20),
    url,
    database,
    username,
    password,
    isProduction: options.isProduction ?? false,
    ...(options.settings ? { settings: options.settings } : {}),
  };
  const domain = await api.send('POST', domains, form, created);
  const companies = await api.get(
    `${domains}/${domain.internalId}/companies`,
    z.object({ resources: z.array(companySchema) }),
  );
  const wanted = options.companies ?? companies.resources.map(({ internalId }) => internalId);
  if (wanted.length > 0)
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
          systemLevels: z.array(z.object({ uriId: z.string() })),
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
  const found = systems.resources.find((candidate) => candidate.url === system.url);
  const option = found?.systemLevelOptions[0];
  const company =
    option?.children.find(({ internalId }) => internalId.endsWith(`.${wanted[0]}`)) ?? option?.children[0];
  const [domainLevel, companyLevel] = found?.systemLevels ?? [];
  const own = `/api/v1/data/${system.url}/${domainLevel?.uriId}/${option?.uriAcronym}`;
  const base = company ? `${own}/${companyLevel?.uriId}/${company.uriAcronym}` : own;
  return {
    systemId: system.internalId,
    systemUrl: system.url,
    domainId: domain.internalId,
    table: (resource) => `${base}/${resource}`,
  };
}

/** Connects a sandbox with its first company, as the system Shop unless told otherwise. */
export async function connectSandbox(
  api: Api,
  sandbox: { url: string },
  more: Partial<Omit<DomainToConnect, 'kind' | 'url'>> = {},
): Promise<ConnectedDomain> {
  return await connectDomain(api, {
    kind: 'odata',
    systemName: 'Shop',
    url: `${sandbox.url}/odata`,
    database: 'production',
    username: 'sandbox',
    password: 'sandbox',
    companies: ['NL01'],
    ...more,
  });
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
