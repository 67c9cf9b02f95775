import type {
  AdapterDefinition,
  CallOptions,
  ConnectionConfig,
  Page,
  ReadQuery,
  Session,
} from '@sluice/adapter-kit';
import { fileAdapters } from './index.ts';

export const configOf = (part: Partial<ConnectionConfig> = {}): ConnectionConfig => ({
  url: '',
  database: '',
  authType: 'basic',
  username: '',
  password: '',
  clientId: '',
  clientSecret: '',
  tokenUrl: '',
  scope: '',
  settings: {},
  ...part,
});

export function adapter(
  kind: 'folder' | 'upload' | 'sftp',
  roots: readonly string[],
  uploads = '',
): AdapterDefinition {
  const found = fileAdapters({ roots, uploads }).find((one) => one.kind === kind);
  if (!found) throw new Error(`there is no kind ${kind}`);
  return found;
}

export const open = (
  definition: AdapterDefinition,
  config: ConnectionConfig,
  domainId: string | null = null,
): Session =>
  definition.open(config, {
    budget: { acquire: () => Promise.resolve(), observe: () => undefined },
    requestTimeoutMs: 30_000,
    now: () => new Date(),
    domainId,
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
