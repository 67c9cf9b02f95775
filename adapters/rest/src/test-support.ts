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
  profile: unknown,
  settings: Record<string, string> = {},
  account: Partial<ConnectionConfig> = {},
): ConnectionConfig => ({
  url,
  database: '',
  authType: 'basic',
  username: '',
  password: '',
  clientId: '',
  clientSecret: '',
  tokenUrl: '',
  scope: '',
  ...account,
  settings: { signIn: 'none', profile: JSON.stringify(profile), ...settings },
});

/** A context whose budget keeps what it was told. */
export const context = (): SessionContext & { answers: { status: number; retryAfterMs?: number }[] } => {
  const answers: { status: number; retryAfterMs?: number }[] = [];
  return {
    answers,
    budget: {
      acquire: (_, signal) => {
        signal.throwIfAborted();
        return Promise.resolve();
      },
      observe: (answer) => answers.push(answer),
    },
    requestTimeoutMs: 30_000,
    now: () => new Date(),
  };
};

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
  const query = { ...options(), collection, fields, cursor: null, pageSize: 100, ...part };
  for await (const page of session.read(query)) pages.push(page);
  return pages;
}
