import {
  type CallOptions,
  type CollectionDescription,
  type CollectionInfo,
  type Company,
  ExternalSystemError,
  type Outcome,
  type Page,
  type ProbeAnswer,
  type ReadQuery,
  type ReadRecord,
  type Session,
  type SessionContext,
  type TestResult,
  type WriteCall,
  type WriteOp,
  lineProblem,
} from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import type { Dialect } from './dialect.ts';
import { refusalOf } from './failures.ts';
import { type Line, Lines, within } from './line.ts';
import type { Table } from './model.ts';
import { probe } from './probe.ts';
import { readKeys, readPages } from './read.ts';
import type { SqlSettings } from './settings.ts';
import { buildTables, descriptionOf, infoOf } from './tables.ts';
import { fill, readTexts, testTexts } from './texts.ts';
import { notSent, writeOps } from './write.ts';

const urlCodes = new Set(['AUTH', 'NOT_FOUND', 'UNREACHABLE']);
/** Descriptions are asked for in two languages right after each other. */
const freshMs = 2000;

/** A connection to one database. */
export class SqlSession implements Session {
  readonly caps = {
    maxPage: 5000,
    batch: { size: 500, atomicity: 'none', outcome: 'perRecord' },
    concurrency: 'version',
    changes: { incremental: true, kind: 'column' },
    query: { filter: true, orderBy: true, offset: true },
    settleMs: 1000,
    parallel: 2,
    keepsTurns: false,
  } as const;
  readonly #dialect: Dialect;
  readonly #settings: SqlSettings;
  readonly #context: SessionContext;
  readonly #lines: Lines;
  #tables: { at: number; listedIn: Set<Locale>; found: Promise<Table[]> } | null = null;

  constructor(dialect: Dialect, settings: SqlSettings, context: SessionContext) {
    this.#dialect = dialect;
    this.#settings = settings;
    this.#context = context;
    this.#lines = new Lines(async () => await dialect.connect(settings, context));
  }

  async test({ locale, signal }: Pick<CallOptions, 'locale' | 'signal'>): Promise<TestResult> {
    const calls = { locale, signal, levels: [], callClass: 'interactive' as const };
    try {
      const version = await this.#use(calls, async (line) => await this.#dialect.version(line));
      const tables = await this.#allTables(calls, 0);
      const broken = tables.find(({ problem }) => problem !== null);
      if (broken) {
        const params = { name: broken.name, detail: broken.problem ?? '' };
        return {
          status: 'ERROR_OTHER',
          message: fill(readTexts.refused, locale, params),
          isProduction: null,
        };
      }
      const keyless = tables.filter(({ kind, key }) => kind === 'table' && key.length === 0);
      const counts = {
        version,
        tables: tables.length,
        keyless: keyless
          .map(({ name }) => name)
          .slice(0, 5)
          .join(', '),
      };
      const texts = [fill(testTexts.reached, locale, counts)];
      if (keyless.length > 0) texts.push(fill(testTexts.keyless, locale, counts));
      return { status: 'OK', message: texts.join(' '), isProduction: null };
    } catch (error) {
      const failure = this.#failure(error);
      const { code, message } = failure;
      const status = urlCodes.has(code) ? 'INVALID_CREDENTIALS_OR_URL' : 'ERROR_OTHER';
      // How the line is to be made safe is a setting of this kind, with words of its own.
      const known = failure.errCode === 'TLS' ? null : lineProblem(failure, locale);
      const words = known ?? fill(testTexts[code], locale, { detail: message });
      return { status, message: words, isProduction: null };
    }
  }

  companies(): Promise<Company[]> {
    return Promise.resolve([]);
  }

  /** Whoever asks again in the same language wants to know what has come since, however short ago that was. */
  async collections(options: CallOptions): Promise<CollectionInfo[]> {
    const languages = this.#tables?.listedIn ?? new Set();
    const isOtherLanguage = languages.size > 0 && !languages.has(options.locale);
    const tables = this.#allTables(options, isOtherLanguage ? freshMs : 0);
    this.#tables?.listedIn.add(options.locale);
    return (await tables).map(infoOf);
  }

  async describe(collection: string, options: CallOptions): Promise<CollectionDescription> {
    return descriptionOf(await this.#table(collection, options, freshMs));
  }

  attributes(): Promise<{ attributeId: string; attributeName: string }[]> {
    return Promise.resolve([]);
  }

  async *read(query: ReadQuery): AsyncGenerator<Page> {
    const table = await this.#table(query.collection, query, Infinity);
    const line = await this.#take(query);
    try {
      yield* readPages(this.#dialect, line, table, query, this.#limits(query));
    } catch (error) {
      throw this.#failure(this.#readFailure(error, table, query));
    } finally {
      this.#lines.give(line);
    }
  }

  async readByKeys(query: Parameters<Session['readByKeys']>[0]): Promise<ReadRecord[]> {
    if (query.keys.length === 0) return [];
    const table = await this.#table(query.collection, query, Infinity);
    const ids = query.fields.map(({ id }) => id);
    return await this.#use(
      query,
      async (line) => await readKeys(this.#dialect, line, table, query.keys, ids, this.#limits(query)),
      false,
    ).catch((error: unknown) => {
      throw this.#readFailure(error, table, query);
    });
  }

  async write(call: WriteCall): Promise<Outcome[]> {
    if (call.ops.length === 0) return [];
    let table: Table;
    let line: Line;
    try {
      table = await this.#table(call.collection, call, Infinity);
      line = await this.#take(call);
      await this.#pay(call);
    } catch (error) {
      return notSent(call, this.#failure(error));
    }
    try {
      return await writeOps(this.#dialect, line, table, call, this.#limits(call));
    } finally {
      this.#lines.give(line);
    }
  }

  async probe(call: Omit<WriteCall, 'ops'> & { op: WriteOp; sentAt: Date }): Promise<ProbeAnswer> {
    const table = await this.#table(call.collection, call, Infinity);
    return await this.#use(
      call,
      async (line) => await probe(this.#dialect, line, table, call.op, this.#limits(call)),
      false,
    );
  }

  async close(): Promise<void> {
    await this.#lines.close();
  }

  async #pay({ callClass, signal }: Pick<CallOptions, 'callClass' | 'signal'>): Promise<void> {
    await this.#context.budget.acquire(callClass, signal);
  }

  #limits(options: Pick<CallOptions, 'callClass' | 'signal'>) {
    const { signal } = options;
    return { signal, timeoutMs: this.#context.requestTimeoutMs, pay: async () => await this.#pay(options) };
  }

  /** A query or a view that would write is named, with the database's own words and code. */
  #readFailure(error: unknown, { name }: Table, { locale }: Pick<CallOptions, 'locale'>): unknown {
    const from = error instanceof ExternalSystemError ? error.cause : error;
    if (!(from instanceof Error) || !this.#dialect.isWriteWhileReading(from)) return error;
    const { errCode } = this.#dialect.failure(from);
    const params = { name, detail: refusalOf(from) };
    return new ExternalSystemError('PROTOCOL', fill(readTexts.writes, locale, params), {
      retryable: false,
      cause: from,
      ...(errCode === null ? {} : { errCode }),
    });
  }

  #failure(error: unknown): ExternalSystemError {
    if (error instanceof Error && error.name === 'AbortError')
      return new ExternalSystemError('ABORTED', 'the call was aborted', { retryable: false, cause: error });
    return this.#dialect.failure(error);
  }

  async #take(options: CallOptions): Promise<Line> {
    const taking = this.#lines.take();
    // A line that comes too late is kept for the next call.
    return await within(null, this.#limits(options), async () => await taking).catch((error: unknown) => {
      taking.then((line) => this.#lines.give(line)).catch(() => undefined);
      throw error;
    });
  }

  async #use<T>(options: CallOptions, work: (line: Line) => Promise<T>, isPaid = true): Promise<T> {
    try {
      if (isPaid) await this.#pay(options);
      const line = await this.#take(options);
      try {
        return isPaid
          ? await within(line, this.#limits(options), async () => await work(line))
          : await work(line);
      } finally {
        this.#lines.give(line);
      }
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async #allTables(options: CallOptions, maxAgeMs: number): Promise<Table[]> {
    const known = this.#tables;
    const now = this.#context.now().getTime();
    if (known && now - known.at < maxAgeMs) return await known.found;
    const found = this.#use(options, async (line) => {
      const raw = await this.#dialect.catalog(line, this.#settings);
      return buildTables(raw, this.#settings, this.#dialect.homeSchema(this.#settings));
    });
    const asked = { at: now, listedIn: new Set<Locale>(), found };
    this.#tables = asked;
    found.catch(() => {
      if (this.#tables === asked) this.#tables = known;
    });
    return await found;
  }

  async #table(code: string, options: CallOptions, maxAgeMs: number): Promise<Table> {
    const table = (await this.#allTables(options, maxAgeMs)).find((candidate) => candidate.code === code);
    if (!table)
      throw new ExternalSystemError('NOT_FOUND', `there is no table ${code}, or it may not be read`, {
        retryable: false,
      });
    if (table.problem !== null)
      throw new ExternalSystemError(
        'PROTOCOL',
        fill(readTexts.refused, options.locale, { name: table.name, detail: table.problem }),
        { retryable: false },
      );
    return table;
  }
}
