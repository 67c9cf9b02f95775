import type { CallOptions, Key, Page, ReadQuery, ReadRecord } from '@sluice/adapter-kit';
import { ExternalSystemError } from '@sluice/adapter-kit';
import type { FieldDescriptor, Scalar } from '@sluice/contract';
import { z } from 'zod';
import { keyOf, pathOf, toRecord } from './collection.ts';
import { isHiddenFailure, wordsOf } from './failures.ts';
import type { HttpAnswer } from '@sluice/adapter-kit/http';
import { type HttpClient, protocolError } from './http.ts';
import { at, type Entity, isEntity, textAt } from './json.ts';
import type { Errors, ProfileCollection } from './profile.ts';
import { addressOf } from './settings.ts';
import { isSame } from './values.ts';

type Calls = Pick<CallOptions, 'callClass' | 'signal' | 'locale'>;
type Filter = readonly { field: string; value: Scalar }[];

/** A value in the place of `{name}`; in a parameter that holds JSON it is escaped as one of its texts. */
const place = (template: string, name: string, value: string): string =>
  template.replaceAll(`{${name}}`, () =>
    /^[[{]/.test(template) ? JSON.stringify(value).slice(1, -1) : value,
  );

/** Parameters from several sides: two JSON objects become one, any other double is an error in the profile. */
function join(parts: readonly Record<string, string>[]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const part of parts)
    for (const [name, value] of Object.entries(part)) {
      const before = joined[name];
      if (before === undefined || before === value) joined[name] = value;
      else {
        const [one, other] = [before, value].map((text) => {
          try {
            return JSON.parse(text) as unknown;
          } catch {
            return null;
          }
        });
        if (!isEntity(one) || !isEntity(other))
          throw protocolError(`the parameter ${name} is needed for two things at once`);
        const isDouble = Object.keys(one).some((key) => key in other);
        joined[name] = JSON.stringify(isDouble ? { $and: [one, other] } : { ...one, ...other });
      }
    }
  return joined;
}

const literal = (value: Scalar): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

function filterOf(collection: ProfileCollection, filter: Filter): Record<string, string> {
  const how = collection.filter;
  if (!how || filter.length === 0) return {};
  if (how.kind === 'parameters')
    return Object.fromEntries(filter.map(({ field, value }) => [field, value === null ? '' : String(value)]));
  if (how.kind === 'json')
    return {
      [how.parameter]: JSON.stringify(Object.fromEntries(filter.map(({ field, value }) => [field, value]))),
    };
  const terms = filter.map(({ field, value }) => `${field.replaceAll('.', '/')} eq ${literal(value)}`);
  return { [how.parameter]: terms.join(' and ') };
}

const orderOf = ({ order }: ProfileCollection, by: ReadQuery['orderBy']): Record<string, string> =>
  order && by && by.length > 0
    ? {
        [order.parameter]: by
          .map(({ field, isDescending }) =>
            (isDescending ? order.descending : order.ascending).replaceAll('{field}', () => field),
          )
          .join(','),
      }
    : {};

/** Where a read stands. `first`: records of its first page, to know a short one. */
const stateSchema = z.object({
  /** Page number, offset, cursor, last key or next address, by the kind of paging; null = the first page. */
  next: z.union([z.string(), z.number(), z.null()]),
  seen: z.number(),
  /** Records of this page that were given already: a page of the service may be larger than is wanted. */
  skip: z.number(),
  first: z.number(),
  /** Size of a page: page numbers only go on in the size that they began with. */
  size: z.number(),
});
type State = z.infer<typeof stateSchema>;

export class Reader {
  readonly #http: HttpClient;
  readonly #errors: Errors;
  readonly #base: URL;
  readonly #maxPage: number;

  constructor(http: HttpClient, errors: Errors, base: URL, maxPage: number) {
    this.#http = http;
    this.#errors = errors;
    this.#base = base;
    this.#maxPage = maxPage;
  }

  /** One page of the raw records, to infer fields from. */
  async sample(collection: ProfileCollection, calls: Calls): Promise<Entity[]> {
    const { entities } = await this.#page(
      collection,
      calls,
      collection.path,
      join([collection.parameters, this.#sizeOf(collection, this.#maxPage)]),
    );
    return entities;
  }

  /** Any answer of the service that is not a failure. */
  async get(path: string, calls: Calls, parameters: Record<string, string> = {}): Promise<HttpAnswer> {
    const { answer } = await this.#json(path, calls, parameters);
    return answer;
  }

  async *read(collection: ProfileCollection, query: ReadQuery): AsyncGenerator<Page> {
    const isLook = query.filter !== undefined || query.orderBy !== undefined || query.offset !== undefined;
    const paging =
      isLook && collection.paging.kind === 'after' && collection.paging.offsetParameter !== undefined
        ? {
            kind: 'offset' as const,
            parameter: collection.paging.offsetParameter,
            sizeParameter: collection.paging.sizeParameter,
          }
        : collection.paging;
    const most = query.limit ?? Infinity;
    const size = Math.min(query.pageSize, this.#maxPage, most);
    const begin: State = { next: null, seen: 0, skip: 0, first: 0, size };
    let state = query.cursor === null ? begin : readState(query.cursor);
    let given = 0;
    let before: Key | null = null;
    for (;;) {
      const isNext = paging.kind === 'link' && state.next !== null;
      const parameters = isNext ? {} : this.#parametersOf({ ...collection, paging }, query, state);
      const path = isNext ? String(state.next) : collection.path;
      const { entities, body, answer } = await this.#page(collection, query, path, parameters);
      const good = recordsOf(collection, query.fields, entities);
      if (before !== null && good[0]?.key === before)
        throw protocolError(`${collection.path} gave the same page again; check the paging of the profile`);
      before = good[0]?.key ?? null;
      const seen = state.seen + good.length;
      const total = totalOf(collection, body);
      const start = query.offset ?? 0;
      const next = this.#nextOf(collection, paging, { state, start, entities, seen, total, body, answer });
      if (next !== null && next === state.next)
        throw protocolError(`${collection.path} names the same next page again`);
      const following: State | null =
        next === null ? null : { ...state, next, seen, skip: 0, first: state.first || good.length };
      const matching = good
        .slice(state.skip)
        .filter((record) =>
          (query.filter ?? []).every(({ field, value }) => isSame(record.values[field], value)),
        );
      let from = 0;
      do {
        const records = matching.slice(from, Math.min(from + query.pageSize, from + most - given));
        from += query.pageSize;
        given += records.length;
        const isLast = from >= matching.length;
        const isEnd = (isLast && following === null) || given >= most;
        yield {
          records,
          poisoned: [],
          cursor: isEnd ? null : JSON.stringify(isLast ? following : { ...state, skip: state.skip + from }),
          // Behind a last key or with a condition it may count anything.
          total: isLook || query.changedSince || paging.kind === 'after' ? null : total,
        };
        if (isEnd) return;
      } while (from < matching.length);
      if (following === null) return;
      state = following;
    }
  }

  #parametersOf(collection: ProfileCollection, query: ReadQuery, state: State): Record<string, string> {
    const { paging, changedSince } = collection;
    const next = state.next;
    const own: Record<string, string> = {};
    if (paging.kind === 'page') own[paging.parameter] = String(next ?? paging.first);
    if (paging.kind === 'offset') own[paging.parameter] = String(next ?? query.offset ?? 0);
    if (paging.kind === 'cursor' && next !== null) own[paging.parameter] = String(next);
    if (paging.kind === 'after' && next !== null)
      own[paging.parameter] = place(paging.value, 'last', String(next));
    const since: Record<string, string> =
      query.changedSince && changedSince
        ? { [changedSince.parameter]: place(changedSince.value, 'time', query.changedSince.toISOString()) }
        : {};
    return join([
      { ...collection.parameters, ...orderOf(collection, query.orderBy) },
      this.#sizeOf(collection, state.size),
      since,
      filterOf(collection, query.filter ?? []),
      own,
    ]);
  }

  #nextOf(
    collection: ProfileCollection,
    paging: ProfileCollection['paging'],
    page: {
      state: State;
      start: number;
      entities: readonly Entity[];
      seen: number;
      total: number | null;
      body: unknown;
      answer: HttpAnswer;
    },
  ): string | number | null {
    const { state, start, entities, seen, total, body, answer } = page;
    if (paging.kind === 'none') return null;
    if (paging.kind === 'cursor') {
      const cursor = textAt(body, paging.at);
      return cursor === null || at(body, paging.at) === false ? null : cursor;
    }
    if (paging.kind === 'link') {
      const next = paging.at === undefined ? linkOf(answer.headers['link']) : textAt(body, paging.at);
      if (next === null) return null;
      const whole = next.startsWith('/') ? new URL(next, this.#base).href : next;
      if (addressOf(this.#base, whole) === null)
        throw protocolError(`the next page is on another server (${next})`);
      return whole;
    }
    if (entities.length === 0) return null;
    if (paging.kind === 'after') return keyOf(collection, entities.at(-1));
    // Where the service counts them that is the end; else only a page that is shorter than the first one.
    const isEnd = total === null ? entities.length < state.first : start + seen >= total;
    if (isEnd) return null;
    return paging.kind === 'page' ? Number(state.next ?? paging.first) + 1 : start + seen;
  }

  /** Live records by key; who is gone is absent. */
  async byKeys(
    collection: ProfileCollection,
    fields: readonly FieldDescriptor[],
    keys: readonly Key[],
    calls: Calls,
  ): Promise<ReadRecord[]> {
    if (collection.version?.kind !== 'etag' && collection.many && keys.length > 1) {
      const { parameter, value, size } = collection.many;
      const found: ReadRecord[] = [];
      for (let from = 0; from < keys.length; from += size) {
        const part = keys.slice(from, from + size);
        const list = /^[[{]/.test(value) ? JSON.stringify(part) : part.join(',');
        const { entities } = await this.#page(
          collection,
          calls,
          collection.path,
          join([
            collection.parameters,
            this.#sizeOf(collection, Math.min(size, this.#maxPage)),
            { [parameter]: value.replaceAll('{keys}', () => list) },
          ]),
        );
        const wanted = new Set(part);
        for (const entity of entities) {
          const record = toRecord(collection, fields, entity);
          if (record && wanted.has(record.key)) found.push(record);
        }
      }
      return found;
    }
    const found: ReadRecord[] = [];
    for (const key of keys) {
      const live = await this.one(collection, key, calls);
      const record = live && toRecord(collection, fields, live.entity, live.etag);
      if (record) found.push(record);
    }
    return found;
  }

  /** The live record as the service gives it; null when it is gone. */
  async one(
    collection: ProfileCollection,
    key: Key,
    calls: Calls,
  ): Promise<{ entity: Entity; etag: string | null } | null> {
    const { one } = collection;
    if (!one) {
      const [field = ''] = collection.keyFields;
      const many = collection.many;
      const parameters = many
        ? {
            [many.parameter]: many.value.replaceAll('{keys}', () =>
              /^[[{]/.test(many.value) ? JSON.stringify([key]) : key,
            ),
          }
        : filterOf(collection, [{ field, value: key }]);
      const { entities } = await this.#page(
        collection,
        calls,
        collection.path,
        join([collection.parameters, parameters]),
      );
      const entity = entities.find((candidate) => keyOf(collection, candidate) === key);
      return entity ? { entity, etag: null } : null;
    }
    try {
      const { body, answer } = await this.#json(pathOf(collection, one.path, key), calls, {});
      const entity = at(body, one.record);
      if (entity === null || entity === undefined) return null;
      if (!isEntity(entity)) throw protocolError(`one record of ${collection.code} is no object`);
      return { entity, etag: answer.headers['etag'] ?? null };
    } catch (error) {
      if (error instanceof ExternalSystemError && (error.code === 'NOT_FOUND' || error.status === 410))
        return null;
      throw error;
    }
  }

  #sizeOf({ paging }: Pick<ProfileCollection, 'paging'>, size: number): Record<string, string> {
    return paging.kind === 'none' || paging.sizeParameter === undefined
      ? {}
      : { [paging.sizeParameter]: String(size) };
  }

  async #page(
    collection: ProfileCollection,
    calls: Calls,
    path: string,
    parameters: Record<string, string>,
  ): Promise<{ entities: Entity[]; body: unknown; answer: HttpAnswer }> {
    const { body, answer } = await this.#json(path, calls, parameters);
    const list = at(body, collection.records);
    if (!Array.isArray(list) || !list.every(isEntity))
      throw protocolError(
        `${collection.path} gave no list of records at “${collection.records || '(the whole answer)'}”`,
      );
    return { entities: list, body, answer };
  }

  async #json(
    path: string,
    { callClass, signal, locale }: Calls,
    parameters: Record<string, string>,
  ): Promise<{ body: unknown; answer: HttpAnswer }> {
    const call = { method: 'GET' as const, path, parameters, callClass, signal, locale };
    const { body, answer } = await this.#http.json(call, (failed) => wordsOf(this.#errors, failed));
    if (isHiddenFailure(this.#errors, body))
      throw this.#http.failure({ ...answer, status: 400 }, wordsOf(this.#errors, answer));
    return { body, answer };
  }
}

function recordsOf(
  collection: ProfileCollection,
  fields: readonly FieldDescriptor[],
  entities: readonly Entity[],
): ReadRecord[] {
  return entities.map((entity, index) => {
    const record = toRecord(collection, fields, entity);
    if (record !== null) return record;
    throw protocolError(
      `record ${index + 1} of ${collection.code} has no ${collection.keyFields.join(', ')}`,
    );
  });
}

function totalOf(collection: ProfileCollection, body: unknown): number | null {
  const told = collection.total === undefined ? null : textAt(body, collection.total);
  return told !== null && /^\d{1,15}$/.test(told) ? Number(told) : null;
}

function readState(cursor: string): State {
  try {
    return stateSchema.parse(JSON.parse(cursor));
  } catch (error) {
    throw protocolError('the read cannot be resumed from here', error);
  }
}

/** The address of `rel="next"` in a Link header. */
export function linkOf(header: string | undefined): string | null {
  for (const [, address, rest] of (header ?? '').matchAll(/<([^>]*)>([^<]*)/g))
    if (/;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(rest ?? '')) return address ?? null;
  return null;
}
