import type { CallOptions, ConnectionConfig, SessionContext } from '@sluice/adapter-kit';

/** The account is the one that the sandbox ERP comes with. */
export const configOf = (url: string, database: string): ConnectionConfig => ({
  url,
  database,
  authType: 'basic',
  username: 'sandbox',
  password: 'sandbox',
  clientId: '',
  clientSecret: '',
  tokenUrl: '',
  scope: '',
  settings: {},
});

export const freeContext = (changes: Partial<SessionContext> = {}): SessionContext => ({
  budget: { acquire: () => Promise.resolve(), observe() {} },
  requestTimeoutMs: 20_000,
  now: () => new Date(),
  ...changes,
});

export const callOptions = (callClass: CallOptions['callClass']): CallOptions => ({
  levels: ['NL01'],
  locale: 'EN',
  callClass,
  signal: new AbortController().signal,
});
