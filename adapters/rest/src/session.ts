import {
  type CallOptions,
  type Capabilities,
  type CollectionDescription,
  type CollectionInfo,
  type Company,
  ExternalSystemError,
  type Outcome,
  type Page,
  type ProbeAnswer,
  type ProbeCall,
  type ReadQuery,
  type ReadRecord,
  type Session,
  type SessionContext,
  type TestResult,
  type WriteCall,
  lineProblem,
} from '@sluice/adapter-kit';
import { describeCollection, infosOf } from './collection.ts';
import { HttpClient } from './http.ts';
import type { Entity } from './json.ts';
import { probe } from './probe.ts';
import type { Profile, ProfileCollection } from './profile.ts';
import { Reader } from './read.ts';
import type { RestSettings } from './settings.ts';
import { fill, testTexts } from './texts.ts';
import { Writer } from './write.ts';

const urlCodes = new Set(['AUTH', 'NOT_FOUND', 'UNREACHABLE']);
/** Descriptions are asked for in two languages right after each other. */
const freshMs = 2000;

function capabilitiesOf({ collections, limits }: Profile): Capabilities {
  const written = collections.filter((one) => one.create ?? one.update ?? one.delete);
  const batches = written.map(({ batch }) => batch?.size ?? 1);
  const isEtag = written.length > 0 && written.every(({ version }) => version?.kind === 'etag');
  const every = (test: (collection: ProfileCollection) => boolean): boolean => collections.every(test);
  const hasOffset = ({ paging }: ProfileCollection): boolean =>
    paging.kind === 'offset' || (paging.kind === 'after' && paging.offsetParameter !== undefined);
  return {
    maxPage: limits.pageSize,
    // The engine may hand over more than one record a call: then they are sent one after another.
    batch: { size: Math.max(1, ...batches), atomicity: 'none', outcome: 'perRecord' },
    concurrency: isEtag ? 'version' : 'none',
    changes: {
      incremental: collections.some(({ changedSince }) => changedSince !== undefined),
      kind: 'column',
    },
    query: {
      filter: every(({ filter }) => filter !== undefined),
      // Records behind a last key come in key order only.
      orderBy: every((one) => one.order !== undefined && (one.paging.kind !== 'after' || hasOffset(one))),
      offset: every(hasOffset),
    },
    settleMs: limits.settleSeconds * 1000,
    parallel: limits.parallel,
    keepsTurns: false,
  };
}

/** A connection to one REST service, as its profile describes it. */
export class RestSession implements Session {
  readonly caps: Capabilities;
  readonly #profile: Profile;
  readonly #context: SessionContext;
  readonly #http: HttpClient;
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #samples = new Map<string, { at: number; found: Promise<Entity[]> }>();

  constructor(settings: RestSettings, context: SessionContext) {
    this.#profile = settings.profile;
    this.#context = context;
    this.caps = capabilitiesOf(this.#profile);
    this.#http = new HttpClient(settings, context);
    const { errors, limits } = this.#profile;
    this.#reader = new Reader(this.#http, errors, settings.base, limits.pageSize);
    this.#writer = new Writer(this.#http, this.#reader, this.#profile);
  }

  async test({ locale, signal }: Pick<CallOptions, 'locale' | 'signal'>): Promise<TestResult> {
    const calls = { locale, signal, callClass: 'interactive' as const };
    try {
      const { test, collections } = this.#profile;
      if (test !== undefined) await this.#reader.get(test, calls);
      for (const collection of test === undefined ? collections.slice(0, 1) : [])
        await this.#reader.sample(collection, calls);
      const names = infosOf(this.#profile, locale).map(({ title }) => title);
      const list = names.slice(0, 8).join(', ') + (names.length > 8 ? ' …' : '');
      return {
        status: 'OK',
        message: fill(testTexts.reached, locale, { collections: list }),
        isProduction: null,
      };
    } catch (error) {
      if (!(error instanceof ExternalSystemError)) throw error;
      const { code, message } = error;
      const status = urlCodes.has(code) ? 'INVALID_CREDENTIALS_OR_URL' : 'ERROR_OTHER';
      const words = lineProblem(error, locale) ?? fill(testTexts[code], locale, { detail: message });
      return { status, message: words, isProduction: null };
    }
  }

  companies(): Promise<Company[]> {
    return Promise.resolve([]);
  }

  collections({ locale }: CallOptions): Promise<CollectionInfo[]> {
    return Promise.resolve(infosOf(this.#profile, locale));
  }

  async describe(code: string, options: CallOptions): Promise<CollectionDescription> {
    const collection = this.#find(code);
    const sample = collection.isComplete ? [] : await this.#sample(collection, options);
    return describeCollection(collection, sample, options.locale);
  }

  attributes(): Promise<{ attributeId: string; attributeName: string }[]> {
    return Promise.resolve([]);
  }

  async *read(query: ReadQuery): AsyncGenerator<Page> {
    yield* this.#reader.read(this.#find(query.collection), query);
  }

  async readByKeys(query: Parameters<Session['readByKeys']>[0]): Promise<ReadRecord[]> {
    if (query.keys.length === 0) return [];
    return await this.#reader.byKeys(this.#find(query.collection), query.fields, query.keys, query);
  }

  async write(call: WriteCall): Promise<Outcome[]> {
    return call.ops.length === 0 ? [] : await this.#writer.write(this.#find(call.collection), call);
  }

  async probe(call: ProbeCall): Promise<ProbeAnswer> {
    return await probe(this.#reader, this.#find(call.collection), call, this.#profile.limits.pageSize);
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  async #sample(collection: ProfileCollection, options: CallOptions): Promise<Entity[]> {
    const known = this.#samples.get(collection.code);
    const now = this.#context.now().getTime();
    if (known && now - known.at <= freshMs) return await known.found;
    const found = this.#reader.sample(collection, options);
    this.#samples.set(collection.code, { at: now, found });
    found.catch(() => this.#samples.delete(collection.code));
    return await found;
  }

  #find(code: string): ProfileCollection {
    const collection = this.#profile.collections.find((one) => one.code === code);
    if (collection) return collection;
    throw new ExternalSystemError('NOT_FOUND', `the profile has no collection ${code}`, { retryable: false });
  }
}
