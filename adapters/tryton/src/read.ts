import type { CallOptions, Page, ReadQuery, ReadRecord } from '@sluice/adapter-kit';
import type { FieldDescriptor } from '@sluice/contract';
import { companyOf, toCallFailure } from './link.ts';
import type { Domain, Row, TrytonLink } from './link.ts';
import type { Metadata, TrytonFields } from './metadata.ts';
import { namesOf, toColumns, toId, toRecord } from './records.ts';
import type { Column } from './records.ts';
import { TrytonError } from './rpc.ts';
import { encodeValue } from './values.ts';

/** Most records that are asked for in one call. */
export const maxPage = 1000;
/** A change becomes visible when its transaction ends, but carries the time of its begin. */
const commitDelayMs = 120_000;

export interface Reader {
  link: TrytonLink;
  metadata: Metadata;
}

/** The columns of a query, by what the model has now. */
export async function columnsFor(
  { metadata }: Reader,
  model: string,
  descriptors: readonly FieldDescriptor[],
  options: CallOptions,
): Promise<Column[]> {
  const fields = await metadata.fields(model, options.locale, options);
  const children = new Map<string, TrytonFields>();
  for (const descriptor of descriptors) {
    const relation = fields.get(descriptor.id)?.relation;
    if (descriptor.kind !== 'simpleArray' || !relation) continue;
    children.set(descriptor.id, await metadata.fields(relation, options.locale, options));
  }
  return toColumns(descriptors, fields, children);
}

/** Tryton gives the records of all companies that the user sees; those of the asked one are picked here. */
async function companyDomain(reader: Reader, model: string, options: CallOptions): Promise<Domain> {
  const fields = await reader.metadata.fields(model, options.locale, options);
  const field = fields.get('company');
  const isRestricted = field?.relation === 'company.company' && field.searchable;
  await reader.link.checkCompany(options, isRestricted);
  const company = companyOf(options.levels);
  if (!isRestricted || company === null) return [];
  const own = ['company', '=', company];
  return field.required ? [own] : [['OR', own, ['company', '=', null]]];
}

export async function* readPages(reader: Reader, query: ReadQuery): AsyncGenerator<Page> {
  const model = query.collection;
  try {
    let columns = await columnsFor(reader, model, query.fields, query);
    const base = [
      ...(await companyDomain(reader, model, query)),
      ...changedDomain(query.changedSince ?? null, columns),
    ];
    const limit = Math.max(1, Math.min(query.pageSize, maxPage));
    let cursor = query.cursor;
    const total = cursor === null ? await reader.link.count(model, base, query) : null;
    for (;;) {
      const domain = [...base, ...(cursor === null ? [] : [['id', '>', toId(cursor) ?? 0]])];
      const fetched = await fetchPage(reader, { model, domain, limit, columns }, query);
      if (fetched.columns !== undefined) columns = fetched.columns;
      const last = fetched.count < limit ? null : fetched.lastId;
      yield {
        records: fetched.records,
        poisoned: fetched.poisoned,
        cursor: last === null ? null : String(last),
        total: query.cursor === null && cursor === null ? total : null,
      };
      if (last === null) return;
      cursor = String(last);
    }
  } catch (error) {
    throw toCallFailure(error, model);
  }
}

/** A change of a line leaves no trace in its record, so the lines are asked as well. */
function changedDomain(since: Date | null, columns: readonly Column[]): Domain {
  if (since === null) return [];
  const from = encodeValue('datetime', new Date(since.getTime() - commitDelayMs).toISOString());
  const prefixes = ['', ...columns.flatMap(({ id, children }) => (children === null ? [] : [`${id}.`]))];
  // The write date stays empty until the first change.
  const dates = prefixes.flatMap((prefix) => [`${prefix}create_date`, `${prefix}write_date`]);
  return [['OR', ...dates.map((date) => [date, '>=', from])]];
}

interface FetchedPage {
  records: ReadRecord[];
  poisoned: Page['poisoned'];
  count: number;
  lastId: number | null;
  /** Set when fields had vanished. */
  columns?: Column[];
}

async function fetchPage(
  reader: Reader,
  page: { model: string; domain: Domain; limit: number; columns: Column[] },
  options: ReadQuery,
): Promise<FetchedPage> {
  const { model, domain, limit, columns } = page;
  try {
    const rows = await reader.link.rows(model, { domain, fields: namesOf(columns), limit }, options);
    return toPage(rows, columns);
  } catch (error) {
    if (!(error instanceof TrytonError)) throw error;
    // One broken reference fails the whole page; so does a field that is gone.
    reader.metadata.forget(model);
    const current = await columnsFor(reader, model, options.fields, options);
    if (current.length < columns.length) {
      return { ...(await fetchPage(reader, { ...page, columns: current }, options)), columns: current };
    }
    const ids = await reader.link.searchIds(model, domain, limit, options);
    const poisoned: Page['poisoned'] = [];
    const records = await readHalving(reader, { model, ids, columns, poisoned }, options);
    if (records.length === 0 && ids.length > 1) throw error;
    return { records, poisoned, count: ids.length, lastId: ids.at(-1) ?? null };
  }
}

function toPage(rows: readonly Row[], columns: readonly Column[]): FetchedPage {
  const lastId = rows.length === 0 ? null : Number(rows.at(-1)?.['id']);
  return { records: rows.map((row) => toRecord(row, columns)), poisoned: [], count: rows.length, lastId };
}

/** Reads the records that can be read, halving down to those that cannot. */
async function readHalving(
  reader: Reader,
  page: { model: string; ids: readonly number[]; columns: Column[]; poisoned: Page['poisoned'] },
  options: CallOptions,
): Promise<ReadRecord[]> {
  const { model, ids, columns, poisoned } = page;
  if (ids.length === 0) return [];
  try {
    const query = { domain: [['id', 'in', ids]], fields: namesOf(columns) };
    const rows = await reader.link.rows(model, query, options);
    return rows.map((row) => toRecord(row, columns));
  } catch (error) {
    if (!(error instanceof TrytonError)) throw error;
    if (ids.length === 1) {
      poisoned.push({ key: String(ids[0]), message: error.message.trim() });
      return [];
    }
  }
  const middle = Math.ceil(ids.length / 2);
  const left = await readHalving(reader, { ...page, ids: ids.slice(0, middle) }, options);
  const right = await readHalving(reader, { ...page, ids: ids.slice(middle) }, options);
  return [...left, ...right];
}

/** Live records by key; keys that are gone are absent. */
export async function readByKeys(
  reader: Reader,
  query: CallOptions & { collection: string; fields: readonly FieldDescriptor[]; keys: readonly string[] },
): Promise<ReadRecord[]> {
  const model = query.collection;
  try {
    const company = await companyDomain(reader, model, query);
    const columns = await columnsFor(reader, model, query.fields, query);
    const ids = query.keys.flatMap((key) => toId(key) ?? []);
    const records: ReadRecord[] = [];
    for (let start = 0; start < ids.length; start += maxPage) {
      const domain = [...company, ['id', 'in', ids.slice(start, start + maxPage)]];
      const rows = await reader.link.rows(model, { domain, fields: namesOf(columns) }, query);
      records.push(...rows.map((row) => toRecord(row, columns)));
    }
    return records;
  } catch (error) {
    throw toCallFailure(error, model);
  }
}
