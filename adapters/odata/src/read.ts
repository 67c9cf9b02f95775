import { z } from 'zod';
import { type CallOptions, type Key, type Page, type ReadQuery, type ReadRecord } from '@sluice/adapter-kit';
import { attributeOf, timestampOf } from './describe.ts';
import { protocolError, type HttpClient } from './http.ts';
import { control, isEntity, setSchema, type Entity } from './json.ts';
import { keyFilter, keyOfEntity } from './keys.ts';
import { sameOrigin, type Collection } from './service.ts';
import { literalOf, propertyAt, toRec } from './values.ts';

/** Where a read goes on: at a link of the server, or after so many records where the server does not page. */
const cursorSchema = z.union([z.object({ next: z.string() }), z.object({ skip: z.number().int() })]);
type Cursor = z.infer<typeof cursorSchema>;

const filterLength = 1500;

export function toRecord(collection: Collection, entity: Entity): ReadRecord | null {
  const { model, type } = collection;
  const key = keyOfEntity(model, type, entity);
  return key === null ? null : { key, version: control(entity, 'etag'), values: toRec(model, type, entity) };
}

/** `$select` of the properties behind the fields, the key and what the adapter itself looks at included. */
export function selectOf(collection: Collection, fields: ReadQuery['fields']): string {
  const names = new Set([
    ...collection.type.key.map((path) => path.split('/')[0] ?? path),
    ...fields.map((field) => field.id.split('.')[0] ?? field.id),
  ]);
  return collection.type.properties.flatMap(({ name }) => (names.has(name) ? [name] : [])).join(',');
}

/** The condition that a record is of the given attribute, in a collection that is worked on per attribute. */
export function attributeFilter(collection: Collection, attributeId: string | undefined): string | null {
  const attribute = attributeOf(collection.set);
  if (!attribute || attributeId === undefined) return null;
  const property = propertyAt(collection.model, collection.type, attribute.property);
  const literal = property && literalOf(collection.model, property, attributeId);
  return literal ? `${attribute.property} eq ${literal}` : null;
}

function query(parameters: Record<string, string | null>): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === null || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
    )
    .join('&');
}

export const both = (...parts: (string | null)[]): string | null =>
  parts.filter((part) => part !== null).join(' and ') || null;

function pageOf(collection: Collection, entities: readonly Entity[]): Pick<Page, 'records' | 'poisoned'> {
  const page: Pick<Page, 'records' | 'poisoned'> = { records: [], poisoned: [] };
  for (const entity of entities) {
    const record = toRecord(collection, entity);
    if (record) page.records.push(record);
    else page.poisoned.push({ key: JSON.stringify(entity).slice(0, 100), message: 'the record has no key' });
  }
  return page;
}

/**
 * Reads a set in key order. Servers that page are followed by their links; for others the adapter pages itself by
 * `$skip`, which it finds out from the first answer.
 */
export async function* readPages(
  http: HttpClient,
  collection: Collection,
  asked: ReadQuery,
): AsyncGenerator<Page> {
  const size = Math.max(asked.pageSize, 1);
  let cursor: Cursor | null = asked.cursor === null ? null : cursorSchema.parse(JSON.parse(asked.cursor));
  do {
    const { page, next } = await readPage(http, collection, asked, cursor, size);
    for (let at = 0; at === 0 || at < page.records.length; at += size) {
      const isLast = at + size >= page.records.length;
      const skip = (cursor && 'skip' in cursor ? cursor.skip : 0) + at + size;
      const goesOn: Cursor | null = isLast ? next : { skip };
      yield {
        ...page,
        records: page.records.slice(at, at + size),
        poisoned: at === 0 ? page.poisoned : [],
        cursor: goesOn === null ? null : JSON.stringify(goesOn),
      };
    }
    cursor = next;
  } while (cursor !== null);
}

async function readPage(
  http: HttpClient,
  collection: Collection,
  asked: ReadQuery,
  cursor: Cursor | null,
  size: number,
) {
  const { root, set, type } = collection;
  const { locale, callClass, signal } = asked;
  const changedAt = timestampOf(type, 'ChangedAt');
  const since =
    asked.changedSince && changedAt !== null ? `${changedAt} ge ${asked.changedSince.toISOString()}` : null;
  const skip = cursor && 'skip' in cursor ? cursor.skip : null;
  const parameters = {
    $select: selectOf(collection, asked.fields),
    $orderby: type.key.join(','),
    $filter: both(attributeFilter(collection, asked.attributeId), since),
    $count: cursor === null ? 'true' : null,
    $skip: skip === null ? null : String(skip),
    $top: skip === null ? null : String(size),
  };
  const url =
    cursor && 'next' in cursor
      ? sameOrigin(cursor.next, root)
      : `${root}${encodeURIComponent(set.name)}?${query(parameters)}`;
  const headers = { prefer: `odata.maxpagesize=${size}`, accept: 'application/json;IEEE754Compatible=true' };
  const { body } = await http.json({ method: 'GET', url, headers, locale, callClass, signal }, setSchema);
  const link = control(body, 'nextLink');
  const next: Cursor | null =
    link !== null
      ? { next: relative(sameOrigin(link, root), root) }
      : skip !== null && body.value.length >= size
        ? { skip: skip + body.value.length }
        : null;
  const total = cursor === null ? (body['@odata.count'] ?? null) : null;
  return { page: { ...pageOf(collection, body.value), total }, next };
}

/** A stored link must still work when the same system is reached by another address. */
function relative(url: string, root: string): string {
  return url.startsWith(root) ? url.slice(root.length) : url;
}

/** The records that pass a filter; throws PROTOCOL-like refusals as they are. */
export async function readFiltered(
  http: HttpClient,
  collection: Collection,
  options: CallOptions,
  filter: string,
  select: string,
  most: number,
): Promise<{ records: ReadRecord[]; isComplete: boolean }> {
  const { locale, callClass, signal } = options;
  const parameters = query({ $filter: filter, $select: select });
  const records: ReadRecord[] = [];
  let url: string | null = `${collection.root}${encodeURIComponent(collection.set.name)}?${parameters}`;
  while (url !== null && records.length <= most) {
    const headers = { accept: 'application/json;IEEE754Compatible=true' };
    const { body } = await http.json({ method: 'GET', url, headers, locale, callClass, signal }, setSchema);
    records.push(...pageOf(collection, body.value).records);
    const link = control(body, 'nextLink');
    url = link === null ? null : sameOrigin(link, collection.root);
  }
  return { records: records.slice(0, most), isComplete: url === null && records.length <= most };
}

/** Live records by key, as many to a call as fit into an address. */
export async function readKeys(
  http: HttpClient,
  collection: Collection,
  asked: CallOptions & { fields: ReadQuery['fields']; keys: readonly Key[] },
): Promise<ReadRecord[]> {
  const { model, type } = collection;
  const select = selectOf(collection, asked.fields);
  const found: ReadRecord[] = [];
  let filter = '';
  const flush = async (): Promise<void> => {
    if (filter === '') return;
    const { records } = await readFiltered(http, collection, asked, filter, select, 10_000);
    found.push(...records);
    filter = '';
  };
  for (const key of new Set(asked.keys)) {
    const part = keyFilter(model, type, key);
    if (filter !== '' && encodeURIComponent(`${filter} or ${part}`).length > filterLength) await flush();
    filter = filter === '' ? part : `${filter} or ${part}`;
  }
  await flush();
  return found;
}

/** One record by its address; null when it does not exist. */
export async function readOne(
  http: HttpClient,
  collection: Collection,
  options: CallOptions,
  path: string,
): Promise<ReadRecord | null> {
  const { locale, callClass, signal } = options;
  const headers = { accept: 'application/json;IEEE754Compatible=true' };
  const answer = await http.send({
    method: 'GET',
    url: collection.root + path,
    headers,
    locale,
    callClass,
    signal,
  });
  if (answer.status === 404 || answer.status === 410) return null;
  const body = http.parse(answer);
  const record = isEntity(body) ? toRecord(collection, body) : null;
  if (!record) throw protocolError(answer, 'a record was expected');
  return record;
}
