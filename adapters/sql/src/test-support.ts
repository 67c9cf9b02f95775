import type {
  CallOptions,
  ConnectionConfig,
  Page,
  ReadQuery,
  Session,
  SessionContext,
} from '@sluice/adapter-kit';

export const configOf = (
  url: string,
  database: string,
  account: { username: string; password: string },
  settings: Record<string, string> = {},
): ConnectionConfig => ({
  url,
  database,
  authType: 'basic',
  ...account,
  clientId: '',
  clientSecret: '',
  tokenUrl: '',
  scope: '',
  settings: { tls: 'off', ...settings },
});

export const context = (requestTimeoutMs = 30_000): SessionContext => ({
  budget: {
    acquire: (_, signal) => {
      signal.throwIfAborted();
      return Promise.resolve();
    },
    observe: () => undefined,
  },
  requestTimeoutMs,
  now: () => new Date(),
});

export const options = (signal = new AbortController().signal): CallOptions => ({
  levels: [],
  locale: 'EN',
  callClass: 'interactive',
  signal,
});

/** All pages of a collection. */
export async function readAll(
  session: Session,
  collection: string,
  part: Partial<ReadQuery> = {},
): Promise<Page[]> {
  const { fields } = await session.describe(collection, options());
  const pages: Page[] = [];
  const query = { ...options(), collection, fields, cursor: null, pageSize: 1000, ...part };
  for await (const page of session.read(query)) pages.push(page);
  return pages;
}
