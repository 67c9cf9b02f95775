import { z } from 'zod';
import { errorBody, fail, ODataError } from '../errors.ts';
import type { User } from '../auth.ts';
import type { Faults } from '../faults.ts';
import { domains, entitySet, entitySets } from '../model/model.ts';
import type { CompanyInfo, DomainInfo, Entity, EntitySet, Language } from '../model/types.ts';
import { changeRecord, createRecord, removeRecord } from '../records.ts';
import type { Store, StoredRecord } from '../store.ts';
import { readChanges } from './delta.ts';
import { parseKey } from './keys.ts';
import { companyMetadata, domainMetadata } from './metadata.ts';
import { etag, present, type Shape } from './payload.ts';
import { maxPageSize, parseQuery, runQuery } from './query.ts';

export interface ODataRequest {
  method: string;
  /** Path below `/odata/`, still encoded. */
  path: string;
  params: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: unknown;
  user: User;
  now: Date;
  /** Absolute address of `/odata/`. */
  root: string;
}

export interface ODataAnswer {
  status: number;
  headers: Record<string, string>;
  /** Object = JSON, string = as it is, null = none. */
  body: object | string | null;
}

export interface ServiceContext {
  store: Store;
  faults: Faults;
  requireIfMatch: boolean;
}

const entitySchema: z.ZodType<Entity> = z.record(z.string(), z.json());

export function languageOf(headers: ODataRequest['headers']): Language {
  return /^\s*nl\b/i.test(headers['accept-language'] ?? '') ? 'nl' : 'en';
}

export function answer(
  status: number,
  body: object | string | null,
  headers: Record<string, string> = {},
): ODataAnswer {
  return { status, body, headers };
}

export function failure(error: unknown, language: Language): ODataAnswer {
  if (error instanceof ODataError)
    return answer(error.status, errorBody(error.problems, language), error.headers);
  console.error(error);
  return answer(500, errorBody([{ code: 'INTERNAL', params: {} }], language));
}

interface Place {
  domain: DomainInfo;
  company: CompanyInfo;
  scope: number;
  service: string;
}

export function scopeOf(domain: DomainInfo, company: CompanyInfo): number {
  return domains.indexOf(domain) * 10 + domain.companies.indexOf(company);
}

/** One request of the protocol, from a socket or out of a `$batch`. */
export function serve(context: ServiceContext, request: ODataRequest): ODataAnswer {
  const language = languageOf(request.headers);
  try {
    const [domainId = '', ...rest] = request.path.split('/');
    if (domainId === '')
      return answer(200, { value: domains.map(({ id }) => ({ name: id, url: `${id}/` })) });
    const domain = domains.find((d) => d.id === decodeURIComponent(domainId));
    if (!domain) throw fail(404, 'NOT-FOUND', { what: domainId });
    const service = `${request.root}${domain.id}/`;
    const companyPart = /^companies\('?(\w+)'?\)$/i.exec(decodeURIComponent(rest[0] ?? ''));
    if (!companyPart || rest.length === 1)
      return serveDomain(request, domain, service, rest.join('/'), language);
    const company = domain.companies.find((c) => c.id.toLowerCase() === companyPart[1]?.toLowerCase());
    if (!company) throw fail(404, 'NOT-FOUND', { what: companyPart[0] });
    const place = { domain, company, scope: scopeOf(domain, company), service: `${service}${rest[0]}/` };
    return serveCompany(context, request, place, rest.slice(1).join('/'), language);
  } catch (error) {
    return failure(error, language);
  }
}

function onlyGet(request: ODataRequest): void {
  if (request.method !== 'GET') throw fail(405, 'METHOD', { method: request.method });
}

const xml = { 'content-type': 'application/xml' };

function serveDomain(
  request: ODataRequest,
  domain: DomainInfo,
  service: string,
  path: string,
  language: Language,
): ODataAnswer {
  onlyGet(request);
  if (path === '')
    return answer(200, {
      '@odata.context': `${service}$metadata`,
      value: [{ name: 'Companies', kind: 'EntitySet', url: 'Companies' }],
    });
  if (path === '$metadata') return answer(200, domainMetadata(domain.id, language), xml);
  const key = /^companies(?:\('?(\w+)'?\))?$/i.exec(decodeURIComponent(path));
  if (!key) throw fail(404, 'NOT-FOUND', { what: path });
  if (key[1] === undefined)
    return answer(200, { '@odata.context': `${service}$metadata#Companies`, value: domain.companies });
  const company = domain.companies.find((c) => c.id === key[1]);
  if (!company) throw fail(404, 'NOT-FOUND', { what: path });
  return answer(200, { '@odata.context': `${service}$metadata#Companies/$entity`, ...company });
}

function serveCompany(
  context: ServiceContext,
  request: ODataRequest,
  place: Place,
  path: string,
  language: Language,
): ODataAnswer {
  const { service } = place;
  const line = { method: request.method, path: request.path };
  if (path === '' || path === '$metadata') onlyGet(request);
  if (path === '')
    return answer(200, {
      '@odata.context': `${service}$metadata`,
      value: entitySets.map(({ name, title }) => ({
        name,
        kind: 'EntitySet',
        url: name,
        title: title[language],
      })),
    });
  const dropped = context.faults.take('dropField', line);
  if (path === '$metadata') return answer(200, companyMetadata(place.domain.id, language, dropped), xml);
  const parts = /^(\w+)(?:\((.*)\))?(\/\$count)?$/.exec(decodeURIComponent(path));
  const set = entitySet(parts?.[1] ?? '');
  if (!parts || !set) throw fail(404, 'NOT-FOUND', { what: path });
  if (request.user.isReader && (request.method !== 'GET' || set.name === 'Employees'))
    throw fail(403, 'FORBIDDEN');
  const shape: Shape = {
    epoch: Number(context.store.meta('epoch') ?? 1),
    service,
    select: null,
    dropped: dropped?.collection === set.name ? dropped.field : null,
    numbersAsText: /IEEE754Compatible=true/i.test(request.headers['accept'] ?? ''),
  };
  if (parts[2] !== undefined) return serveRecord(context, request, place, set, parts[2], shape);
  if (parts[3] !== undefined) {
    onlyGet(request);
    const { filter } = parseQuery(set, request.params);
    const count = context.store.count(set, place.scope, filter?.sql, filter?.params);
    return answer(200, String(count), { 'content-type': 'text/plain' });
  }
  if (request.method === 'GET') return readSet(context, request, place, set, shape);
  if (request.method !== 'POST') throw fail(405, 'METHOD', { method: request.method });
  const write = { store: context.store, scope: place.scope, user: request.user.name, now: request.now };
  const body = bodyOf(request);
  const made = context.store.transaction(() => createRecord(write, set, body));
  return entityAnswer(201, set, made, shape);
}

function bodyOf(request: ODataRequest): Entity {
  const parsed = entitySchema.safeParse(request.body);
  if (!parsed.success) throw fail(400, 'BAD-REQUEST', { what: 'a JSON object is expected' });
  return parsed.data;
}

function entityAnswer(status: number, set: EntitySet, record: StoredRecord, shape: Shape): ODataAnswer {
  const body = present(set, record, shape);
  const headers = { etag: etag(shape.epoch, record.seq), location: String(body['@odata.id']) };
  return answer(
    status,
    { '@odata.context': `${shape.service}$metadata#${set.name}/$entity`, ...body },
    headers,
  );
}

function readSet(
  { store }: ServiceContext,
  request: ODataRequest,
  place: Place,
  set: EntitySet,
  shape: Shape,
): ODataAnswer {
  const prefer = request.headers['prefer'] ?? '';
  const wanted = Number(
    /odata\.maxpagesize\s*=\s*(\d+)|(?<!\.)maxpagesize\s*=\s*(\d+)/.exec(prefer)?.slice(1).find(Boolean) ?? 0,
  );
  const pageSize = wanted > 0 ? Math.min(wanted, maxPageSize) : maxPageSize;
  const token = request.params.get('$deltatoken');
  const tracking = /(odata\.)?track-changes/.test(prefer);
  const context = `${place.service}$metadata#${set.name}`;
  if (token !== null) {
    const { values, link } = readChanges(store, set, place.scope, token, pageSize, shape);
    return answer(200, { '@odata.context': `${context}/$delta`, value: values, ...link });
  }
  const query = parseQuery(set, request.params);
  const { records, count, next } = runQuery(store, set, place.scope, query, pageSize);
  const selected = { ...shape, select: query.select };
  const again = new URLSearchParams(request.params);
  // The delta starts where the first page was read, so that changes during the read are not missed.
  const since = request.params.get('deltafrom') ?? `${shape.epoch}-${store.seq}`;
  if (tracking) again.set('deltafrom', since);
  if (next !== null) again.set('$skiptoken', next);
  const isTracked = tracking || request.params.has('deltafrom');
  return answer(
    200,
    {
      '@odata.context': context,
      ...(count === null ? {} : { '@odata.count': count }),
      value: records.map((record) => present(set, record, selected)),
      ...(next === null ? {} : { '@odata.nextLink': `${place.service}${set.name}?${again}` }),
      ...(next === null && isTracked
        ? { '@odata.deltaLink': `${place.service}${set.name}?$deltatoken=${since}` }
        : {}),
    },
    tracking ? { 'preference-applied': 'odata.track-changes' } : {},
  );
}

function serveRecord(
  context: ServiceContext,
  request: ODataRequest,
  place: Place,
  set: EntitySet,
  keySource: string,
  shape: Shape,
): ODataAnswer {
  const { store } = context;
  const key = parseKey(set, keySource);
  const find = (): StoredRecord => {
    const found = store.get(set, place.scope, key);
    if (!found) throw fail(404, 'NOT-FOUND', { what: `${set.name}(${keySource})` });
    return found;
  };
  if (request.method === 'GET') {
    const select = parseQuery(set, request.params).select;
    return entityAnswer(200, set, find(), { ...shape, select });
  }
  if (request.method !== 'PATCH' && request.method !== 'DELETE')
    throw fail(405, 'METHOD', { method: request.method });
  const write = { store, scope: place.scope, user: request.user.name, now: request.now };
  return store.transaction(() => {
    const found = find();
    const ifMatch = request.headers['if-match'];
    if (ifMatch === undefined && context.requireIfMatch) throw fail(428, 'NEEDS-ETAG');
    const current = etag(shape.epoch, found.seq);
    if (ifMatch !== undefined && ifMatch !== '*' && !ifMatch.split(',').some((tag) => tag.trim() === current))
      throw fail(412, 'STALE', { by: String(found.entity['modifiedBy'] ?? '?') }, { etag: current });
    if (request.method === 'DELETE') {
      removeRecord(write, set, found);
      return answer(204, null);
    }
    return entityAnswer(200, set, changeRecord(write, set, found, bodyOf(request)), shape);
  });
}
