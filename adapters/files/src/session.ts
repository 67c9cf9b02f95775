import { createHash } from 'node:crypto';
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
  type Rec,
  type Session,
  type SessionContext,
  type TestResult,
  type WriteCall,
  lineProblem,
} from '@sluice/adapter-kit';
import { z } from 'zod';
import { type LayoutColumn, layoutOf } from './layout.ts';
import { cellOf, type FileRow, fileRows, kindOf, type Look } from './rows.ts';
import type { FileSettings } from './settings.ts';
import type { FileEntry, FileSource } from './source.ts';
import { fill, testTexts } from './texts.ts';

/** Rows and files that are looked at to find the columns and their types. */
const sampleRows = 2000;
const sampleFiles = 3;

interface FileCollection {
  code: string;
  slug: string;
  title: string;
  files: FileEntry[];
  keys: readonly string[];
  /** More files may join it: its pattern has a star. */
  isSeries: boolean;
}

/** A record and where it stands. */
interface Placed {
  record: ReadRecord;
  file: FileEntry;
  row: number;
}

interface Layout {
  columns: LayoutColumn[];
  look: Look;
}

/** A read goes on behind `row` of `file`, if that is still the file that it was. */
const cursorSchema = z.object({
  file: z.string(),
  size: z.number(),
  modified: z.number(),
  row: z.number().int(),
});

/** Files of one folder; they are read, never written. */
export class FileSession implements Session {
  readonly caps = {
    maxPage: 5000,
    batch: { size: 100, atomicity: 'none', outcome: 'perRecord' },
    concurrency: 'none',
    changes: { incremental: false, kind: 'none' },
    query: { filter: true, orderBy: false, offset: true },
    settleMs: 0,
    parallel: 1,
    keepsTurns: false,
  } as const;
  readonly #source: FileSource;
  readonly #settings: FileSettings;
  readonly #context: SessionContext;
  readonly #layouts = new Map<string, Promise<Layout>>();

  constructor(source: FileSource, settings: FileSettings, context: SessionContext) {
    this.#source = source;
    this.#settings = settings;
    this.#context = context;
  }

  async test({ locale, signal }: Pick<CallOptions, 'locale' | 'signal'>): Promise<TestResult> {
    const options: CallOptions = { locale, signal, levels: [], callClass: 'interactive' };
    try {
      const collections = await this.#collections(options);
      const parts: string[] = [];
      for (const collection of collections.slice(0, 5)) {
        const { columns, look } = await this.#look(collection, options);
        const form = [
          look.encoding?.toUpperCase(),
          look.delimiter === '\t' ? 'tab' : look.delimiter && `“${look.delimiter}”`,
        ];
        parts.push(
          fill(testTexts.collection, locale, {
            name: collection.title,
            files: collection.files.length,
            columns: columns.length,
            form: form
              .filter((one) => one)
              .map((one) => `, ${one}`)
              .join(''),
          }),
        );
        const unsure = columns.filter(({ isAmbiguous }) => isAmbiguous).map(({ field }) => field.name);
        if (unsure.length > 0)
          parts.push(fill(testTexts.unsure, locale, { name: collection.title, columns: unsure.join(', ') }));
      }
      const remark = this.#source.remark();
      const texts = [fill(testTexts.reached, locale, { tables: collections.length }), ...parts];
      if (remark) texts.push(fill(testTexts[remark.key], locale, { detail: remark.detail }));
      return {
        status: 'OK',
        message: texts.join('\n'),
        isProduction: null,
        suggestions: remark ? [{ field: remark.field, value: remark.detail }] : [],
      };
    } catch (error) {
      const failure = failureOf(error);
      const status = ['AUTH', 'NOT_FOUND', 'UNREACHABLE', 'FORBIDDEN'].includes(failure.code)
        ? 'INVALID_CREDENTIALS_OR_URL'
        : 'ERROR_OTHER';
      return {
        status,
        message:
          lineProblem(failure, locale) ??
          fill(testTexts[textOf(failure)], locale, { detail: failure.message }),
        isProduction: null,
      };
    }
  }

  companies(): Promise<Company[]> {
    return Promise.resolve([]);
  }

  async collections(options: CallOptions): Promise<CollectionInfo[]> {
    return (await this.#collections(options)).map(({ code, slug, title }) => ({
      code,
      resourceTypeUriId: slug,
      title,
      numberOfSystemLevels: 1,
      hasAttribute: false,
    }));
  }

  async describe(code: string, options: CallOptions): Promise<CollectionDescription> {
    const collection = await this.#collection(code, options);
    const looking = this.#look(collection, options);
    this.#layouts.set(code, looking);
    const { columns } = await looking;
    const fields = columns.map(({ field }) => field);
    const described = {
      fields,
      keyFields: collection.keys.filter((key) => fields.some(({ id }) => id === key)),
      labelField:
        fields.find(({ dataType, isKey }) => dataType === 'string' && !isKey)?.id ?? fields[0]?.id ?? null,
      naturalKeys: [],
      rights: { create: false, update: false, delete: false },
      // Of a series of files with a key, those that were not touched since need not be read again. A single file is
      // taken for all there is: what is missing from it is deleted.
      changes: collection.keys.length > 0 && collection.isSeries ? ('column' as const) : ('none' as const),
    };
    const fingerprint = createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 32);
    return { ...described, fingerprint };
  }

  attributes(): Promise<{ attributeId: string; attributeName: string }[]> {
    return Promise.resolve([]);
  }

  async *read(query: ReadQuery): AsyncGenerator<Page> {
    const collection = await this.#collection(query.collection, query);
    const size = Math.max(query.pageSize, 1);
    const isPart = (query.filter ?? query.offset ?? query.limit) !== undefined;
    let left = query.limit ?? Infinity;
    let skip = query.offset ?? 0;
    // One record ahead: only so the last page is known to be the last.
    let kept: Placed[] = [];
    const pageOf = (given: typeof kept, isLast: boolean): Page => ({
      records: given.map(({ record }) => record),
      poisoned: [],
      cursor: isLast || isPart ? null : cursorOf(given.at(-1)),
      total: null,
    });
    for await (const found of this.#records(collection, query)) {
      for (const one of found) {
        if (!(query.filter ?? []).every(({ field, value }) => one.record.values[field] === value)) continue;
        if (skip > 0) skip -= 1;
        else if (left > 0) {
          left -= 1;
          kept.push(one);
        }
      }
      while (kept.length > size) {
        const given = kept.slice(0, size);
        kept = kept.slice(size);
        yield pageOf(given, false);
        if (query.signal.aborted) throw aborted();
      }
      if (left === 0) break;
    }
    yield pageOf(kept, true);
  }

  async readByKeys(query: Parameters<Session['readByKeys']>[0]): Promise<ReadRecord[]> {
    if (query.keys.length === 0) return [];
    const collection = await this.#collection(query.collection, query);
    const wanted = new Set(query.keys);
    const found = new Map<string, ReadRecord>();
    const whole = { ...query, cursor: null, pageSize: 1 };
    for await (const records of this.#records(collection, whole))
      for (const { record } of records) if (wanted.has(record.key)) found.set(record.key, record);
    return [...found.values()];
  }

  write(call: WriteCall): Promise<Outcome[]> {
    const msg = testTexts.readOnly[call.locale];
    return Promise.resolve(
      call.ops.map(({ opId }) => ({
        opId,
        state: 'rejected',
        errors: [{ errCode: 'READ_ONLY', msg, field: null, class: 'forbidden' }],
      })),
    );
  }

  probe(): Promise<ProbeAnswer> {
    // Nothing was ever sent.
    return Promise.resolve({ state: 'notApplied' });
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  async #list({ callClass, signal }: CallOptions): Promise<FileEntry[]> {
    if (signal.aborted) throw aborted();
    await this.#context.budget.acquire(callClass, signal);
    try {
      return (await this.#source.list(signal)).filter(({ name }) => kindOf(name) !== null);
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #collections(options: CallOptions): Promise<FileCollection[]> {
    const files = await this.#list(options);
    const { patterns, keys } = this.#settings;
    const named =
      patterns.length > 0
        ? patterns.map(({ name, matches }) => ({ name, files: files.filter((file) => matches(file.name)) }))
        : files.map((file) => ({ name: file.name.replace(/\.[^.]+$/, ''), files: [file] }));
    const merged = new Map<string, FileEntry[]>();
    for (const { name, files: own } of named) merged.set(name, [...(merged.get(name) ?? []), ...own]);
    const taken = new Set<string>();
    return [...merged].map(([name, own]) => ({
      code: name,
      slug: slugOf(name, taken),
      title: name.charAt(0).toUpperCase() + name.slice(1),
      files: own,
      keys: keys.get(name) ?? [],
      isSeries: patterns.some((one) => one.name === name && /[*?]/.test(one.pattern)),
    }));
  }

  async #collection(code: string, options: CallOptions): Promise<FileCollection> {
    const found = (await this.#collections(options)).find((collection) => collection.code === code);
    if (!found)
      throw new ExternalSystemError('NOT_FOUND', `there are no files of ${code}`, { retryable: false });
    return found;
  }

  /** Columns and their types, by the beginnings of the first, the middle and the last file. */
  async #look(collection: FileCollection, options: CallOptions): Promise<Layout> {
    const { files } = collection;
    const chosen = [...new Set([files[0], files[Math.floor(files.length / 2)], files.at(-1)])].slice(
      0,
      sampleFiles,
    );
    const rows: FileRow[] = [];
    let look: Look = { encoding: null, delimiter: null };
    for (const file of chosen) {
      if (!file) continue;
      await this.#context.budget.acquire(options.callClass, options.signal);
      let count = 0;
      for await (const found of fileRows(
        this.#source,
        file,
        this.#settings,
        options.signal,
        (one) => (look = one),
      )) {
        rows.push(...found.slice(0, sampleRows - count));
        count += found.length;
        if (count >= sampleRows) break;
      }
    }
    return { columns: layoutOf(rows, collection.keys, this.#settings), look };
  }

  async #layout(collection: FileCollection, options: CallOptions): Promise<Layout> {
    const known = this.#layouts.get(collection.code) ?? this.#look(collection, options);
    this.#layouts.set(collection.code, known);
    known.catch(() => this.#layouts.delete(collection.code));
    return await known;
  }

  /** Records of all files in the order of their names, each with its place. */
  async *#records(
    collection: FileCollection,
    query: Pick<ReadQuery, 'cursor' | 'changedSince' | 'fields'> & CallOptions,
  ): AsyncGenerator<Placed[]> {
    const { columns } = await this.#layout(collection, query);
    const wanted = new Set(query.fields.map(({ id }) => id));
    const shown = columns.filter(({ field }) => wanted.has(field.id));
    const start = startOf(collection, query.cursor);
    // Some servers tell whole seconds only.
    const since = query.changedSince ? Math.floor(query.changedSince.getTime() / 1000) * 1000 : -Infinity;
    for (const file of collection.files.slice(start.file)) {
      if (file.modifiedAt.getTime() < since) continue;
      await this.#context.budget.acquire(query.callClass, query.signal);
      let row = 0;
      const skip = file === collection.files[start.file] ? start.row : 0;
      for await (const rows of fileRows(this.#source, file, this.#settings, query.signal)) {
        const found: Placed[] = [];
        for (const one of rows) {
          row += 1;
          if (row <= skip) continue;
          const values: Rec = {};
          for (const { field, toValue } of shown) values[field.id] = toValue(cellOf(one, field.id));
          found.push({ record: { key: keyOf(collection, file, one), version: null, values }, file, row });
        }
        if (found.length > 0) yield found;
        if (query.signal.aborted) throw aborted();
      }
    }
  }
}

function cursorOf(last: Placed | undefined): string | null {
  if (!last) return null;
  const { file, row } = last;
  return JSON.stringify({ file: file.name, size: file.size, modified: file.modifiedAt.getTime(), row });
}

/** The key columns, else the place in the file. */
function keyOf({ keys }: FileCollection, file: FileEntry, row: FileRow): string {
  if (keys.length === 0) return `${file.name}:${row.line}`;
  const parts = keys.map((key) => String(cellOf(row, key) ?? ''));
  return parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts);
}

/** Where a read begins. A file that is not the same any more is read from the first one on: doubles count once. */
function startOf({ files }: FileCollection, cursor: string | null): { file: number; row: number } {
  if (cursor === null) return { file: 0, row: 0 };
  const kept = cursorSchema.parse(JSON.parse(cursor));
  const at = files.findIndex(
    ({ name, size, modifiedAt }) =>
      name === kept.file && size === kept.size && modifiedAt.getTime() === kept.modified,
  );
  return at === -1 ? { file: 0, row: 0 } : { file: at, row: kept.row };
}

function slugOf(name: string, taken: Set<string>): string {
  const base =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'file';
  let slug = base;
  for (let n = 2; taken.has(slug); n += 1) slug = `${base}-${n}`;
  taken.add(slug);
  return slug;
}

/** What is wrong with a key is said in words of its own. */
const textOf = ({ code, errCode }: ExternalSystemError): keyof typeof testTexts =>
  errCode === 'HOST_KEY' || errCode === 'PRIVATE_KEY' ? errCode : code;

const aborted = (): ExternalSystemError =>
  new ExternalSystemError('ABORTED', 'the call was aborted', { retryable: false });

function failureOf(error: unknown): ExternalSystemError {
  if (error instanceof ExternalSystemError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ExternalSystemError('SERVER', message, { retryable: true, cause: error });
}
