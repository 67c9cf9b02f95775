import { request } from 'node:http';
import { errorBodySchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  type ConnectedDomain,
  connectSandbox,
  createApi,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;
let api: Api;
let table: string;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 300 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  domain = await connectSandbox(api, sandbox, { database: 'test' });
  table = domain.table('customers');
  await waitUntilCached(api, table);
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

async function faults(list: object[]): Promise<void> {
  const response = await fetch(`${sandbox.url}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
  expect(response.status).toBeLessThan(300);
}

describe('bad requests', () => {
  it("every error has the form of the contract, in the caller's language", async () => {
    for (const [method, path, body] of [
      ['GET', '/api/v1/nope', undefined],
      ['POST', '/api/v1/auth/login', '{broken'],
      ['POST', '/api/v1/auth/login', { username: 1 }],
      ['PATCH', table, [{ id: '1', changes: { name: 5 } }]],
      ['GET', `${table}?limit=abc`, undefined],
    ] as const) {
      const answer = await api.call(method, path, body);
      expect(answer.status, path).toBeGreaterThanOrEqual(400);
      expect(
        () => errorBodySchema.parse(answer.body),
        `${path}: ${JSON.stringify(answer.body)}`,
      ).not.toThrow();
    }
    const dutch = await createApi(product.base).call('GET', '/api/v1/user/userprefs', undefined, {
      'accept-language': 'NL',
    });
    expect(dutch.body).toMatchObject({ message: 'U bent niet ingelogd. Log in en probeer het opnieuw.' });
  });

  it('wrong JSON, an empty body and another content type are malformed', async () => {
    expect(await api.call('PATCH', table, '[{"id": "1", "changes": {"name": "x"')).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED' },
    });
    expect(await api.call('PATCH', table, '')).toMatchObject({ status: 400, body: { code: 'MALFORMED' } });
    expect(await api.call('PATCH', table, 'name=x', { 'content-type': 'text/plain' })).toMatchObject({
      status: expect.toBeOneOf([400, 422]),
    });
  });

  it('[VAL-09] wrong types and unknown or read-only fields are refused with their place, and nothing of the batch is kept', async () => {
    const answer = await api.call('PATCH', table, [
      { id: '1', changes: { name: 'Fine' } },
      { id: '2', changes: { name: 5 } },
      { id: '3', changes: { nope: 'x' } },
      { id: '4', changes: { modifiedAt: '2026-01-01T00:00:00Z' } },
    ]);
    expect(answer.status).toBe(422);
    const { fieldErrors } = answer.body as { fieldErrors: { field: string; message: string; id: string }[] };
    expect(fieldErrors.map(({ field }) => field)).toEqual([
      '[1].changes.name',
      '[2].changes.nope',
      '[3].changes.modifiedAt',
    ]);
    expect(fieldErrors.map(({ id }) => id)).toEqual(['2', '3', '4']);
    for (const { message } of fieldErrors) expect(message.length).toBeGreaterThan(5);
    expect(await tableOf(api, table).pending()).toHaveLength(0);
  });

  it('a body of 20 MB is refused with 413 before it is read to the end, and the server goes on', async () => {
    const big = JSON.stringify([{ id: '1', changes: { name: 'x'.repeat(20 * 2 ** 20) } }]);
    const status = await new Promise<number>((resolve) => {
      const url = new URL(product.base + table);
      const call = request(
        {
          host: url.hostname,
          port: url.port,
          path: url.pathname,
          method: 'PATCH',
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(big),
            cookie: api.cookie(),
          },
        },
        (response) => {
          resolve(response.statusCode ?? 0);
          response.resume();
        },
      );
      call.on('error', () => undefined);
      call.end(big);
    });
    expect(status).toBe(413);
    expect((await api.call('GET', `${table}?limit=1`)).status).toBe(200);
  });

  it('more than 10,000 records in one call, and odd ids, are refused', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({
      id: String(index + 1),
      changes: { name: 'x' },
    }));
    expect((await api.call('PATCH', table, many)).status).toBe(422);
    for (const id of ['0', '-1', '1.5', '99999999999', "1' or '1'='1", '']) {
      expect((await api.call('PATCH', table, [{ id, changes: { name: 'x' } }])).status, id).toBe(404);
    }
    expect(await api.call('PATCH', table, [{ id: '2000000', changes: { name: 'x' } }])).toMatchObject({
      status: 422,
    });
    expect(await tableOf(api, table).pending()).toHaveLength(0);
  });

  it('[WS-03] [WS-05] a socket without a session or from a foreign page is closed with its code; nonsense does not close a good one', async () => {
    const open = (headers: Record<string, string>) =>
      new WebSocket(`${product.base.replace('http', 'ws')}/api/v1/user/websocket`, { headers });
    const closed = async (socket: WebSocket): Promise<number> =>
      await new Promise((resolve) => socket.once('close', resolve));
    expect(await closed(open({}))).toBe(4401);
    expect(await closed(open({ cookie: api.cookie(), origin: 'https://evil.example' }))).toBe(4403);
    const socket = open({ cookie: api.cookie() });
    const answers: string[] = [];
    socket.on('message', (data: Buffer) => answers.push(data.toString()));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('{nonsense');
    socket.send(JSON.stringify({ handler: 'nope', method: 'POST', data: {} }));
    socket.send(JSON.stringify({ handler: 'collection', method: 'POST', data: { path: 'no/such/table' } }));
    socket.send('ping');
    await waitFor('pong', async () => answers.includes('pong'));
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.close();
  });

  it('[WS-02] a socket that opens while the database fails is refused, not told that its session ended', async () => {
    const url = `${product.base.replace('http', 'ws')}/api/v1/user/websocket`;
    await product.query('alter table session rename to session_away');
    try {
      const socket = new WebSocket(url, { headers: { cookie: api.cookie() } });
      const status = await new Promise<unknown>((resolve) => {
        socket.once('unexpected-response', (_, response) => resolve(response.statusCode));
        socket.once('close', resolve);
      });
      expect(status).toBe(500);
    } finally {
      await product.query('alter table session_away rename to session');
    }
  });
});

describe('a misbehaving external system', () => {
  const refreshed = async (): Promise<string | null> =>
    ((await api.call('GET', `${table}/cache`)).body as { cachedAt: string | null }).cachedAt;
  /** No refresh is under way or asked for: what comes next is this test's doing. */
  const quiet = async (): Promise<void> => {
    const busy = 'select from collection where wanted_at is not null or refresh_id is not null';
    await waitFor('the tables to be at rest', async () => (await product.query(busy)).length === 0, 60_000);
  };
  const message = async (): Promise<string | null> =>
    ((await api.call('GET', `${table}/cache`)).body as { message: string | null }).message;

  it.each([
    ['HTML instead of JSON', { kind: 'html' }],
    ['HTTP 500', { kind: 'fail', status: 500 }],
    ['half a response', { kind: 'truncate' }],
    ['a cut line', { kind: 'cutBefore' }],
  ])(
    '%s while the cache is refreshed: the records of the last good read stay, the reason is said, the next refresh mends it',
    async (_, fault) => {
      await quiet();
      const before = await refreshed();
      await faults([{ ...fault, method: 'GET', path: 'Customers' }]);
      await api.call('POST', `${table}/cache`);
      await waitFor('the reason of the failure', async () => await message());
      expect((await api.call('GET', `${table}?limit=1`)).status).toBe(200);
      expect(await refreshed()).toBe(before);
      await faults([]);
      await api.call('POST', `${table}/cache`);
      await waitFor(
        'a good refresh',
        async () => (await refreshed()) !== before && (await message()) === null,
      );
    },
  );

  it('429 with Retry-After while the cache is refreshed: it waits and goes on', async () => {
    await quiet();
    const before = await refreshed();
    await faults([
      { kind: 'fail', status: 429, retryAfterSeconds: 1, times: 1, method: 'GET', path: 'Customers' },
    ]);
    await api.call('POST', `${table}/cache`);
    await waitFor('the refresh', async () => (await refreshed()) !== before, 90_000);
    await faults([]);
  });

  it('a field that vanishes goes from the table without taking records or pending changes with it, and comes back', async () => {
    const fields = async (): Promise<string[]> =>
      (
        (await api.call('GET', `${table}?limit=0&metadata=fields`)).body as {
          metadata: { fieldsMetadata: { id: string }[] };
        }
      ).metadata.fieldsMetadata.map(({ id }) => id);
    const total = async (): Promise<number> =>
      ((await api.call('GET', `${table}?limit=0`)).body as { total: number }).total;
    await quiet();
    const count = await total();
    await tableOf(api, table).patch([
      { id: '5', changes: { 'address.city': 'Kept', website: 'https://kept.example' } },
    ]);
    await faults([{ kind: 'dropField', collection: 'Customers', field: 'website' }]);
    await api.call('POST', `${table}/cache`);
    await waitFor('the field to go', async () => !(await fields()).includes('website'), 20_000);
    expect(await total()).toBe(count);
    expect((await tableOf(api, table).pending())[0]?.changes.map(({ fieldName }) => fieldName)).toContain(
      'address.city',
    );
    await faults([]);
    await api.call('POST', `${table}/cache`);
    await waitFor('the field to come back', async () => (await fields()).includes('website'), 60_000);
    await waitFor(
      'its values',
      async () =>
        (await tableOf(api, table).find('limit=50')).some(({ website }) => typeof website === 'string'),
      15_000,
    );
    await api.call('DELETE', `${table}/push`, { update: ['5'] });
  });

  it.each([
    ['HTML instead of JSON', { kind: 'html' }],
    ['HTTP 500', { kind: 'fail', status: 500 }],
    ['half a response', { kind: 'truncate' }],
    ['an answer cut after the commit', { kind: 'cutAfterCommit' }],
    ['a line cut before the work', { kind: 'cutBefore' }],
    ['429', { kind: 'fail', status: 429, retryAfterSeconds: 1 }],
  ])('%s to a push: each record ends pushed once, nothing is lost', async (name, fault) => {
    const push = tableOf(api, table);
    const records = await push.find('limit=3&offset=100');
    const city = `City ${name.slice(0, 12)}`;
    await push.patch(
      records.map(({ internalId }) => ({ id: internalId, changes: { 'address.city': city } })),
    );
    await faults([{ ...fault, method: 'POST', times: 1 }]);
    const result = await push.pushAll();
    await faults([]);
    expect(result).toMatchObject({ status: 'DONE', succeeded: 3 });
    expect(await push.pending()).toHaveLength(0);
    for (const { number } of records) {
      const response = await fetch(
        `${sandbox.url}/odata/test/Companies('NL01')/Customers('${String(number)}')`,
        { headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` } },
      );
      expect((await response.json()) as object).toMatchObject({ address: { city } });
    }
  });
});

describe('the product itself', () => {
  it('tells its health, and describes its calls', async () => {
    const anonymous = createApi(product.base);
    expect(await anonymous.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await anonymous.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
    const { body } = await anonymous.call('GET', '/api/v1/openapi.json');
    expect(body).toMatchObject({
      openapi: '3.1.0',
      paths: { '/api/v1/data/{collection}/push': { post: expect.any(Object), delete: expect.any(Object) } },
    });
  });
  it('every write leaves an audit row with who, what and where', async () => {
    const before = (await product.query<{ n: number }>('select count(*)::int as n from audit'))[0]?.n ?? 0;
    await tableOf(api, table).patch([{ id: '7', changes: { name: 'Audited' } }]);
    await api.call('DELETE', `${table}/push`, { update: ['7'] });
    const rows = await product.query<{ verb: string; actor_name: string; target: string }>(
      'select verb, actor_name, target from audit order by audit_id offset $1',
      [before],
    );
    expect(rows.map(({ verb }) => verb)).toEqual(['records.update', 'records.discard']);
    for (const row of rows)
      expect(row).toMatchObject({
        actor_name: 'Ada Minster',
        target: expect.stringMatching(/^collection:\d+$/),
      });
  });
});
