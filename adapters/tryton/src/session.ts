import { ExternalSystemError, lineProblem } from '@sluice/adapter-kit';
import type {
  CallOptions,
  Capabilities,
  CollectionInfo,
  Company,
  ConnectionConfig,
  Session,
  SessionContext,
  TestResult,
} from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { listCollections } from './collections.ts';
import { describeCollection } from './describe.ts';
import { ErrorScopes } from './error-scope.ts';
import { toCallFailure, TrytonLink } from './link.ts';
import { Metadata } from './metadata.ts';
import { probeOp } from './probe.ts';
import { maxPage, readByKeys, readPages } from './read.ts';
import { TrytonRpc } from './rpc.ts';
import { texts } from './texts.ts';
import { writeOps } from './write.ts';

const capabilities: Capabilities = {
  maxPage,
  // About a second of Tryton's time for new records: a cancelled push stops soon, a bisect stays cheap.
  batch: { size: 250, atomicity: 'perCall', outcome: 'firstErrorOnly' },
  concurrency: 'version',
  changes: { incremental: true },
  // Seen: 1500 records appeared six seconds after their client had hung up.
  settleMs: 10_000,
  parallel: 4,
  keepsTurns: false,
};

type Quick = Pick<CallOptions, 'locale' | 'signal'>;

const onDomain = (options: Quick): CallOptions => ({ ...options, levels: [], callClass: 'interactive' });

export function openTryton(config: ConnectionConfig, context: SessionContext): Session {
  const rpc = new TrytonRpc(config, context);
  const link = new TrytonLink(rpc);
  const metadata = new Metadata(link);
  const reader = { link, metadata };
  const writer = { ...reader, scopes: new ErrorScopes(reader) };

  /** The last list per locale; descriptions only take from it what can be referred to. */
  const listed = new Map<Locale, CollectionInfo[]>();
  const collections = async (options: CallOptions): Promise<CollectionInfo[]> => {
    try {
      const list = await listCollections(link, metadata, options);
      listed.set(options.locale, list);
      return list;
    } catch (error) {
      throw toCallFailure(error, 'ir.ui.menu');
    }
  };

  return {
    caps: capabilities,
    test: (options) => testConnection(config, link, options),
    companies: (options) => listCompanies(link, options),
    collections,
    async describe(collection, options) {
      try {
        await link.checkCompany(options, false);
        const parts = {
          link,
          metadata,
          collections: listed.get(options.locale) ?? (await collections(options)),
        };
        return await describeCollection(parts, collection, options);
      } catch (error) {
        throw toCallFailure(error, collection);
      }
    },
    attributes: () => Promise.resolve([]),
    read: (query) => readPages(reader, query),
    readByKeys: (query) => (query.keys.length === 0 ? Promise.resolve([]) : readByKeys(reader, query)),
    write: (call) => writeOps(writer, call),
    probe: (call) => probeOp(reader, call),
    close: () => rpc.close(),
  };
}

/** The companies that the user may work for, as Tryton's own client offers them. */
async function listCompanies(link: TrytonLink, options: Quick): Promise<Company[]> {
  const call = onDomain(options);
  try {
    link.forgetPreferences();
    const { companies } = await link.preferences(call);
    if (companies.length === 0) return [];
    const query = { domain: [['id', 'in', companies]], fields: ['rec_name'] };
    const rows = await link.rows('company.company', query, call);
    const taken = new Set<string>();
    return rows.map((row) => {
      const name = String(row['rec_name']);
      const id = String(row['id']);
      const short = abbreviate(name) || id;
      const acronym = taken.has(short) ? `${short}${id}` : short;
      taken.add(acronym);
      return { id, name, acronym };
    });
  } catch (error) {
    throw toCallFailure(error, 'company.company');
  }
}

/** The first letters of several words, or the beginning of a single one. */
function abbreviate(name: string): string {
  const words = name.match(/[\p{L}\d]+/gu) ?? [];
  const letters =
    words.length > 1 ? words.map((word) => word.slice(0, 1)).join('') : (words[0] ?? '').slice(0, 4);
  return letters.toUpperCase();
}

const wrongAddressOrCredentials = new Set(['AUTH', 'NOT_FOUND', 'UNREACHABLE', 'PROTOCOL']);

async function testConnection(
  config: ConnectionConfig,
  link: TrytonLink,
  options: Quick,
): Promise<TestResult> {
  const text = texts[options.locale];
  const isProduction = /(^|[^a-z])(test|acc|acceptance|demo|dev|staging|sandbox)([^a-z]|$)/i.test(
    config.database,
  )
    ? false
    : null;
  try {
    const call = onDomain(options);
    const version = await link.rpc.callServer('common.server.version', call);
    link.forgetPreferences();
    const preferences = await link.preferences(call);
    const reached = text.reached(String(version), config.database, preferences.companies.length);
    const isPartial = preferences.company_filter === 'one' && preferences.companies.length > 1;
    return { status: 'OK', message: isPartial ? `${reached} ${text.companyFilter}` : reached, isProduction };
  } catch (error) {
    const failure = toCallFailure(error, 'res.user');
    if (!(failure instanceof ExternalSystemError)) throw failure;
    const isConfiguration = wrongAddressOrCredentials.has(failure.code);
    return {
      status: isConfiguration ? 'INVALID_CREDENTIALS_OR_URL' : 'ERROR_OTHER',
      message: lineProblem(error, options.locale) ?? text.failures[failure.code](failure.message),
      isProduction,
    };
  }
}
