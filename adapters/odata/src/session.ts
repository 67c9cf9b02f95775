import {
  ExternalSystemError,
  type CallOptions,
  type CollectionDescription,
  type CollectionInfo,
  type Company,
  type ConnectionConfig,
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
import {
  attributeOf,
  collectionsOf,
  companySetOf,
  describeSet,
  productionFlagOf,
  typeOf,
} from './describe.ts';
import { labelFieldOf } from './fields.ts';
import { HttpClient } from './http.ts';
import { probe } from './probe.ts';
import { readKeys, readPages } from './read.ts';
import { Services, type Collection, type Service } from './service.ts';
import { fill, testTexts } from './texts.ts';
import { Writer } from './write.ts';

const urlCodes = new Set(['AUTH', 'NOT_FOUND', 'PROTOCOL', 'UNREACHABLE']);

/** A connection to one domain of an OData v4 service. */
export class ODataSession implements Session {
  readonly #http: HttpClient;
  readonly #services: Services;
  readonly #writer: Writer;

  constructor(config: ConnectionConfig, context: SessionContext) {
    this.#http = new HttpClient(config, context);
    this.#services = new Services(this.#http, config);
    this.#writer = new Writer(this.#http, context.now);
  }

  get caps() {
    return {
      maxPage: 1000,
      batch: { size: this.#writer.most, atomicity: 'none', outcome: 'perRecord' },
      concurrency: 'version',
      changes: { incremental: true },
      settleMs: 2000,
      parallel: 4,
      keepsTurns: true,
    } as const;
  }

  async test({ locale, signal }: Pick<CallOptions, 'locale' | 'signal'>): Promise<TestResult> {
    const calls = { locale, signal, callClass: 'interactive' as const };
    try {
      const { model, root } = await this.#services.domain(calls, true);
      const hasCompanies = companySetOf(model) !== undefined;
      const companies = await this.#services.companies(calls);
      // Metadata is often open to everybody: one more call proves the credentials.
      if (!hasCompanies) {
        const answer = await this.#http.send({ ...calls, method: 'GET', url: root });
        if (answer.status !== 200) throw this.#http.failure(answer);
      }
      const text = hasCompanies ? testTexts.reachedCompanies : testTexts.reached;
      const counts = { companies: companies.length, collections: collectionsOf(model, 1).length };
      return { status: 'OK', message: fill(text, locale, counts), isProduction: productionFlagOf(model) };
    } catch (error) {
      if (!(error instanceof ExternalSystemError)) throw error;
      const message =
        lineProblem(error, locale) ?? fill(testTexts[error.code], locale, { detail: error.message });
      const status = urlCodes.has(error.code) ? 'INVALID_CREDENTIALS_OR_URL' : 'ERROR_OTHER';
      return { status, message, isProduction: null };
    }
  }

  companies({ locale, signal }: Pick<CallOptions, 'locale' | 'signal'>): Promise<Company[]> {
    return this.#services.companies({ locale, signal, callClass: 'interactive' });
  }

  /** Of the domain and of the given company; without a company its first one stands for all. */
  async collections(options: CallOptions): Promise<CollectionInfo[]> {
    const levels =
      options.levels.length > 0
        ? options.levels
        : (await this.companies(options)).slice(0, 1).map((c) => c.id);
    const services = await this.#services.of({ ...options, levels }, true);
    const found = new Map<string, CollectionInfo>();
    for (const service of ownSets(services))
      for (const info of collectionsOf(service.model, service.numberOfSystemLevels))
        if (!found.has(info.resourceTypeUriId)) found.set(info.resourceTypeUriId, info);
    return [...found.values()];
  }

  async describe(collection: string, options: CallOptions): Promise<CollectionDescription> {
    const { model, set } = await this.#services.collection(collection, options, true);
    return describeSet(model, set);
  }

  async attributes(options: CallOptions): Promise<{ attributeId: string; attributeName: string }[]> {
    for (const { model } of await this.#services.of(options)) {
      const attribute = model.sets.map(attributeOf).find((found) => found !== null);
      if (!attribute) continue;
      const collection = await this.#services.collection(attribute.set, options);
      const label = labelFieldOf(typeOf(model, collection.set));
      const asked = {
        ...options,
        collection: attribute.set,
        fields: [],
        cursor: null,
        pageSize: this.caps.maxPage,
      };
      const { fields } = describeSet(model, collection.set);
      const found: { attributeId: string; attributeName: string }[] = [];
      for await (const { records } of readPages(this.#http, collection, { ...asked, fields }))
        for (const { key, values } of records)
          found.push({
            attributeId: key,
            attributeName: String((label === null ? null : values[label]) ?? key),
          });
      return found;
    }
    return [];
  }

  async *read(query: ReadQuery): AsyncGenerator<Page> {
    const collection = await this.#services.collection(query.collection, query);
    yield* readPages(this.#http, collection, query);
  }

  async readByKeys(query: Parameters<Session['readByKeys']>[0]): Promise<ReadRecord[]> {
    if (query.keys.length === 0) return [];
    return readKeys(this.#http, await this.#services.collection(query.collection, query), query);
  }

  async write(call: WriteCall): Promise<Outcome[]> {
    if (call.ops.length === 0) return [];
    let collection: Collection;
    let size: number;
    try {
      collection = await this.#services.collection(call.collection, call);
      size = await this.#writer.sizeFor(collection, call);
    } catch (error) {
      return notSent(call, error);
    }
    return this.#writer.write(collection, call, size);
  }

  async probe(call: ProbeCall): Promise<ProbeAnswer> {
    return probe(this.#http, await this.#services.collection(call.collection, call), call);
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/** A passing failure before anything was written: nothing is in doubt. Others concern the connection as a whole. */
function notSent({ ops }: WriteCall, error: unknown): Outcome[] {
  const isPassing =
    error instanceof ExternalSystemError && ['TIMEOUT', 'SERVER', 'PROTOCOL', 'RATE'].includes(error.code);
  if (!isPassing) throw error;
  const { message: reason, retryAfterMs } = error;
  return ops.map(({ opId }) => ({
    opId,
    state: 'notSent',
    reason,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  }));
}

/** Where a company uses the metadata of its domain, the domain's sets are those of the company. */
function ownSets(services: readonly Service[]): Service[] {
  return services.filter(
    (service, i) => !services.slice(0, i).some((deeper) => deeper.model === service.model),
  );
}
