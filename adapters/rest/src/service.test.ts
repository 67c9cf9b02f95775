import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExternalSystemError, type ReadQuery } from '@sluice/adapter-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { restAdapter } from './index.ts';
import { linkOf } from './read.ts';
import { configOf, context, options, readAll } from './test-support.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** A small service of 25 items over HTTP that pages in every way, and signs in as the test wants. */
describe('a service over plain HTTP', () => {
  let server: Server;
  let base: string;
  let seen: { method: string; url: URL; headers: IncomingMessage['headers']; body: string }[] = [];
  let answer: (url: URL, body: string) => Answer;
  const items = Array.from({ length: 25 }, (_, n) => ({ id: n + 1, name: `Item ${n + 1}` }));

  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', base);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push({ method: request.method ?? '', url, headers: request.headers, body });
        const { status = 200, headers = {}, body: given } = answer(url, body);
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(given));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  });
  beforeEach(() => {
    seen = [];
    answer = () => ({ body: items });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const collection = (more: Record<string, unknown> = {}) => ({
    code: 'items',
    path: 'items',
    keyFields: ['id'],
    ...more,
  });
  const open = (
    more: Record<string, unknown>,
    settings: Record<string, string> = {},
    account: Parameters<typeof configOf>[3] = {},
    whole: Record<string, unknown> = {},
  ) =>
    restAdapter.open(
      configOf(
        base,
        { limits: { pageSize: 10 }, ...whole, collections: [collection(more)] },
        settings,
        account,
      ),
      context(),
    );
  const idsOf = async (more: Record<string, unknown>, part: Partial<ReadQuery> = {}) => {
    const session = open(more);
    const pages = await readAll(session, 'items', { pageSize: 10, ...part });
    await session.close();
    return pages.flatMap(({ records }) => records.map(({ key }) => Number(key)));
  };
  const all = items.map(({ id }) => id);
  const part = (from: number, size: number) => items.slice(from, from + size);

  it('reads page numbers until a short page, and never trusts the first page to be full', async () => {
    // The service gives 7 at most, whatever it is asked for.
    answer = (url) => ({ body: part((Number(url.searchParams.get('p') ?? 1) - 1) * 7, 7) });
    expect(await idsOf({ paging: { kind: 'page', parameter: 'p', sizeParameter: 'n' } })).toEqual(all);
  });

  it('reads offsets up to the total', async () => {
    answer = (url) => ({
      body: { data: { rows: part(Number(url.searchParams.get('skip')), 10) }, meta: { total: 25 } },
    });
    const paging = { kind: 'offset', parameter: 'skip', sizeParameter: 'take' };
    expect(await idsOf({ records: 'data.rows', total: 'meta.total', paging })).toEqual(all);
    // One page to infer the fields from, three of records.
    expect(seen.slice(1).map(({ url }) => url.search)).toEqual([
      '?take=10&skip=0',
      '?take=10&skip=10',
      '?take=10&skip=20',
    ]);
  });

  it('reads cursors of the body', async () => {
    answer = (url) => {
      const from = Number(url.searchParams.get('c') ?? 0);
      return { body: { items: part(from, 10), next: from + 10 < 25 ? String(from + 10) : null } };
    };
    const paging = { kind: 'cursor', parameter: 'c', at: 'next' };
    expect(await idsOf({ records: 'items', paging })).toEqual(all);
  });

  it('follows next links of the body and of the header Link', async () => {
    const next = (url: URL): string | null => {
      const to = Number(url.searchParams.get('from') ?? 0) + 10;
      return to < 25 ? `${base}items?from=${to}` : null;
    };
    answer = (url) => ({
      body: { items: part(Number(url.searchParams.get('from')), 10), links: { next: next(url) } },
    });
    expect(await idsOf({ records: 'items', paging: { kind: 'link', at: 'links.next' } })).toEqual(all);
    answer = (url) => {
      const link = next(url);
      return {
        body: part(Number(url.searchParams.get('from')), 10),
        ...(link !== null && { headers: { link: `<${base}items>; rel="first", <${link}>; rel="next"` } }),
      };
    };
    expect(await idsOf({ paging: { kind: 'link' } })).toEqual(all);
    expect(linkOf('<https://a.example/2>; title="x"; rel=next')).toBe('https://a.example/2');
    expect(linkOf('<https://a.example/1>; rel="prev"')).toBeNull();
  });

  it('goes to no other server for the next page', async () => {
    answer = () => ({ body: { items: part(0, 10), next: 'http://198.51.100.7/items' } });
    await expect(idsOf({ records: 'items', paging: { kind: 'link', at: 'next' } })).rejects.toThrow(
      'on another server',
    );
  });

  it('cuts an answer without pages into pages that can be resumed', async () => {
    const session = open({});
    const pages = await readAll(session, 'items', { pageSize: 10 });
    expect(pages.map(({ records }) => records.length)).toEqual([10, 10, 5]);
    const rest = await readAll(session, 'items', { pageSize: 10, cursor: pages[0]?.cursor ?? null });
    expect(rest.flatMap(({ records }) => records.map(({ key }) => Number(key)))).toEqual(all.slice(10));
    await session.close();
  });

  it('stops with a message when the service ignores the page number', async () => {
    answer = () => ({ body: part(0, 10) });
    await expect(idsOf({ paging: { kind: 'page', parameter: 'p' } })).rejects.toThrow('same page again');
  });

  it('flattens objects and infers types, arrays as arrays', async () => {
    answer = () => ({
      body: [
        {
          id: 1,
          at: '2026-01-02T03:04:05+01:00',
          born: '2026-01-02',
          address: { city: 'A', geo: { lat: 1.5 } },
          tags: ['x'],
          lines: [{ n: 1 }],
        },
        { id: 2, at: null, address: null, tags: [], lines: [], mixed: { a: 1 } },
        { id: 3, mixed: 'text' },
      ],
    });
    const session = open({});
    const { fields } = await session.describe('items', options());
    expect(fields.map(({ id, kind, dataType }) => [id, kind, dataType])).toEqual([
      ['id', 'field', 'int'],
      ['at', 'field', 'datetime'],
      ['born', 'field', 'date'],
      ['address.city', 'field', 'string'],
      ['address.geo.lat', 'field', 'float64'],
      ['tags', 'primitiveValuesArray', 'string'],
      ['lines', 'simpleArray', undefined],
      ['mixed', 'field', 'unknown'],
    ]);
    const [page] = await readAll(session, 'items');
    expect(page?.records[0]?.values).toMatchObject({ at: '2026-01-02T02:04:05Z', 'address.geo.lat': 1.5 });
    await session.close();
  });

  it('signs in by each of its ways', async () => {
    const sent = async (settings: Record<string, string>, account: Parameters<typeof configOf>[3] = {}) => {
      seen = [];
      const session = open({}, settings, account);
      await readAll(session, 'items');
      await session.close();
      return seen;
    };
    const secret = { password: 's3cret' };
    const [none] = await sent({ signIn: 'none' });
    expect(none?.headers.authorization).toBeUndefined();
    const [basic] = await sent({ signIn: 'basic' }, { username: 'anna', ...secret });
    expect(basic?.headers.authorization).toBe(`Basic ${btoa('anna:s3cret')}`);
    const [bearer] = await sent({ signIn: 'bearer' }, secret);
    expect(bearer?.headers.authorization).toBe('Bearer s3cret');
    const [headers] = await sent({ signIn: 'headers', headers: 'X-App: a\nX-Key: k-{secret}' }, secret);
    expect(headers?.headers).toMatchObject({ 'x-app': 'a', 'x-key': 'k-s3cret' });
    const [query] = await sent({ signIn: 'query', parameter: 'api_key' }, secret);
    expect(query?.url.searchParams.get('api_key')).toBe('s3cret');
    answer = (url) =>
      url.pathname === '/token' ? { body: { access_token: 'token-1', expires_in: 3600 } } : { body: items };
    const client = {
      tokenUrl: new URL('/token', base).href,
      clientId: 'c',
      clientSecret: 'x',
      scope: 'read',
    };
    const calls = await sent({ signIn: 'oauth2' }, client);
    // The token is asked for once.
    expect(calls.filter(({ url }) => url.pathname === '/token')).toHaveLength(1);
    expect(calls[0]?.body).toContain('grant_type=client_credentials');
    expect(calls.at(-1)?.headers.authorization).toBe('Bearer token-1');
  });

  it('tells errors by the paths and rules of the profile', async () => {
    const rules = [{ message: '{field} may not be {*}', class: 'validation', validation: 4001 }];
    const errors = { lines: 'problems', message: ['text'], code: ['nr'], field: ['at'], rules };
    const writable = {
      one: { path: 'items/{key}' },
      create: { path: 'items' },
      update: { path: 'items/{key}' },
      fields: [{ id: 'name', type: 'string' }],
    };
    const session = open(writable, {}, {}, { errors });
    const { fields } = await session.describe('items', options());
    const write = async (status: number, body: unknown, headers: Record<string, string> = {}) => {
      answer = () => ({ status, body, headers });
      const ops = [{ opId: '1', action: 'update' as const, key: '7', values: { name: 'x' } }];
      const [outcome] = await session.write({ ...options(), collection: 'items', fields, ops });
      return outcome;
    };
    expect(
      await write(422, {
        problems: [
          { nr: 7, text: 'name may not be empty' },
          { nr: 8, text: 'odd', at: '/name' },
        ],
      }),
    ).toEqual({
      opId: '1',
      state: 'rejected',
      errors: [
        { errCode: '7', msg: 'name may not be empty', field: 'name', code: 4001, class: 'validation' },
        { errCode: '8', msg: 'odd', field: 'name', class: 'validation' },
      ],
    });
    expect(await write(404, {})).toEqual({ opId: '1', state: 'gone' });
    expect(await write(412, {})).toEqual({ opId: '1', state: 'stale' });
    expect(await write(500, {})).toMatchObject({ state: 'unknown' });
    expect(await write(429, {}, { 'retry-after': '7' })).toMatchObject({
      state: 'notSent',
      retryAfterMs: 7000,
    });
    await expect(write(401, {})).rejects.toMatchObject({ code: 'AUTH' });
    expect(seen.at(-1)).toMatchObject({ method: 'PATCH', body: '{"name":"x"}' });
    await session.close();
  });

  it('matches no answers of a batch by place when their number differs', async () => {
    const batch = { path: 'batch', requests: '', item: { body: '{body}' } };
    const session = open({ create: { path: 'items' }, batch, fields: [{ id: 'name', type: 'string' }] });
    const { fields } = await session.describe('items', options());
    answer = () => ({ body: [{ id: 1 }] });
    const ops = ['a', 'b'].map((opId) => ({ opId, action: 'insert' as const, values: { name: opId } }));
    const outcomes = await session.write({ ...options(), collection: 'items', fields, ops });
    expect(outcomes.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
    await session.close();
  });

  it('says what does not fit when the answer is no list', async () => {
    answer = () => ({ body: { items } });
    const error = await idsOf({}).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ExternalSystemError);
    expect(String(error)).toContain('no list of records');
  });
});
