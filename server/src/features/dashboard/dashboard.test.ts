import {
  type Dashboard,
  dashboardMessageSchema,
  dashboardSchema,
  jobSchema,
  serverMessageSchema,
} from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { connectVendors, type Vendors } from '../connectors/test-support/vendors.ts';

const timeZone = 'Europe/Amsterdam';
const today = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date());

let sandbox: Sandbox;
let product: Product;
let admin: Api;
let shop: Vendors;
/** May edit suppliers and read connectors; not others' jobs. */
let ben: Api;
/** May only look at suppliers. */
let cara: Api;
let systemId: string;
let domainId: string;

const read = async (api: Api, query = ''): Promise<Dashboard> =>
  await api.get(`/api/v1/user/dashboard?dateFrom=${today}&dateTo=${today}${query}`, dashboardSchema);

/** Somebody changes the supplier in the ERP itself: what is pending for it becomes a conflict. */
async function changeInErp(number: string): Promise<void> {
  const url = `${sandbox.url}/odata/test/companies('NL01')/Suppliers('${number}')`;
  const headers = { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' };
  const live = z
    .looseObject({ '@odata.etag': z.string() })
    .parse(await (await fetch(url, { headers })).json());
  const changed = await fetch(url, {
    method: 'PATCH',
    headers: { ...headers, 'if-match': live['@odata.etag'] },
    body: JSON.stringify({ address: { city: 'Theirs' } }),
  });
  expect(changed.status).toBeLessThan(300);
}

async function faults(list: object[]): Promise<void> {
  const response = await fetch(`${sandbox.url}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
  expect(response.status).toBeLessThan(300);
}

type Message = z.infer<typeof dashboardMessageSchema>;

/** What the socket of a user gets for the dashboard from now on. */
async function listen(api: Api): Promise<{ messages: Message[]; close(): void }> {
  const socket = new WebSocket(`${api.base.replace('http', 'ws')}/api/v1/user/websocket`, {
    headers: { cookie: api.cookie() },
  });
  const messages: Message[] = [];
  socket.on('message', (data) => {
    const parsed = serverMessageSchema.parse(JSON.parse(String(data)));
    if (parsed.handler === 'dashboard') messages.push(dashboardMessageSchema.parse(parsed));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { messages, close: () => socket.close() };
}

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  admin = product.admin;
  shop = await connectVendors(admin, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: 12,
  });
  const connection = (await read(admin)).externalConnections.find(({ name }) => name === 'ERP');
  systemId = connection!.systemId;
  domainId = connection!.domains[0]!.internalId;
  const all = { create: true, read: true, update: true, delete: true };
  const look = { create: false, read: true, update: false, delete: false };
  const endpointId = `data:${systemId}:suppliers`;
  const systems = [{ externalSystemId: systemId, levelIds: null }];
  ben = await product.addUser({
    username: 'ben',
    fullName: 'Ben Bos',
    rights: [
      { endpointId, ...all },
      { endpointId: 'connectors', ...look },
    ],
    systems,
  });
  cara = await product.addUser({
    username: 'cara',
    fullName: 'Cara Dam',
    rights: [{ endpointId, ...look }],
    systems,
  });
});
afterAll(async () => {
  await shop?.drop();
  await product?.stop();
  await sandbox?.close();
});

describe('dashboard', () => {
  it('[API-11] [DASH-13] [DASH-04] answers errors, userJobs and connectorJobs, and how each connection is', async () => {
    const answer = await read(admin);
    expect(answer).toMatchObject({ errors: [], connectorJobs: [], inProgress: [] });
    expect(answer.days).toHaveLength(14);
    expect(answer.days.at(-1)).toEqual({ date: today, jobs: 0, errors: 0, pushed: 0, rejected: 0 });
    const names = answer.externalConnections.map(({ name }) => name).toSorted();
    expect(names).toEqual(['ERP', 'Web shop']);
    expect(answer.externalConnections.find(({ name }) => name === 'ERP')?.domains[0]).toMatchObject({
      status: 'ACTIVE',
      isProduction: false,
      maxApiCalls: null,
    });
    const bad = await admin.call('GET', '/api/v1/user/dashboard?dateFrom=2026-02-30&dateTo=today');
    expect(bad.status).toBe(400);
    expect(JSON.stringify(bad.body)).toMatch(/dateFrom.+dateTo/);
  });

  it('[DASH-05] [DASH-09] [DASH-10] [DASH-11] [WS-06] a push begins, goes on and ends on the dashboard of who pushed; what was refused is an error', async () => {
    const own = await listen(ben);
    const other = await listen(cara);
    const table = tableOf(ben, shop.target.path);
    const [first, second] = await table.find('limit=2');
    await table.patch([
      { id: first!.internalId, changes: { 'address.city': 'Delft' } },
      { id: second!.internalId, changes: { 'address.city': 'Mine' } },
    ]);
    await changeInErp(String(second!.number));
    const result = await table.pushAll();
    expect(result.status).toBe('PARTIALLY_FAILED');
    const id = result.internalId;
    await waitFor('the end on the socket', async () => own.messages.some(({ type }) => type === 'error'));
    const jobs = own.messages.filter(({ type }) => type === 'userJob');
    expect(jobs[0]).toMatchObject({ method: 'POST', data: { id, total: 2 } });
    // By the time it is read it may be under way.
    expect(['QUEUED', 'RUNNING']).toContain('status' in jobs[0]!.data && jobs[0]!.data.status);
    expect(jobs.at(-1)).toMatchObject({
      method: 'PATCH',
      data: { id, status: 'PARTIALLY_FAILED', failed: 1, current: 2, origin: 'Ben Bos' },
    });
    expect(other.messages).toEqual([]);
    own.close();
    other.close();

    const answer = await read(ben);
    expect(answer.userJobs.map((job) => job.id)).toEqual([id]);
    expect(answer.recentlyDone.map((job) => job.id)).toEqual([id]);
    expect(answer.errors).toMatchObject([{ id, origin: 'Ben Bos', connector: null }]);
    expect(answer.errors[0]?.url).toMatch(/^\/data\/.+\/suppliers\?push=/);
    expect(answer.days.at(-1)).toMatchObject({ jobs: 1, errors: 1, pushed: 1, rejected: 1 });
    await ben.call('DELETE', `${table.path}/push`, { update: [second!.internalId] });
  });

  it('the jobs of somebody else need the right to see jobs of others, and the errors with them', async () => {
    expect((await read(cara)).userJobs).toEqual([]);
    expect((await read(cara)).errors).toEqual([]);
    expect((await read(admin)).userJobs).toHaveLength(1);
    const eva = await product.addUser({
      username: 'eva',
      rights: [{ endpointId: 'jobsOfOthers', create: false, read: true, update: false, delete: false }],
      systems: [{ externalSystemId: systemId, levelIds: null }],
    });
    expect((await read(eva)).userJobs).toMatchObject([{ origin: 'Ben Bos', kind: 'push' }]);
  });

  it('[RUN-07] [DASH-13] a run is a connector job, to who may read connectors; its failed records are an error', async () => {
    await shop.change({ mappings: shop.mappings() });
    await shop.query(`update vendor set kind = 'X' where id = 3`);
    const watching = await listen(ben);
    const run = await shop.runNow();
    expect(run.counts.failed).toBeGreaterThan(0);
    await waitFor('the run on the socket', async () =>
      watching.messages.some(({ type, data }) => type === 'error' && data.id === run.internalId),
    );
    watching.close();
    const answer = await read(ben);
    expect(answer.connectorJobs).toMatchObject([
      {
        id: run.internalId,
        kind: 'manualRun',
        connector: { name: 'Web shop to ERP' },
        endpoint: expect.stringContaining('Suppliers'),
        origin: 'Ada Minster',
        status: 'PARTIALLY_FAILED',
      },
    ]);
    expect(answer.connectorJobs[0]?.url).toContain(`run=${run.internalId}`);
    expect(answer.errors).toMatchObject([{ id: run.internalId, origin: 'connector run' }, {}]);
    expect(new Set(answer.errors.map(({ id }) => id)).size).toBe(answer.errors.length);
    expect((await read(cara)).connectorJobs).toEqual([]);
  });

  it('[DASH-02] [DASH-14] only the days asked for, and only the system and levels asked for', async () => {
    await product.query(`update push set created_at = now() - interval '2 days'`);
    expect((await read(ben)).userJobs).toEqual([]);
    const from = new Date(Date.parse(`${today}T00:00:00Z`) - 2 * 86_400_000).toISOString().slice(0, 10);
    const wide = await ben.get(
      `/api/v1/user/dashboard?dateFrom=${from}&dateTo=${today}`,
      z.object({ userJobs: z.array(jobSchema) }),
    );
    expect(wide.userJobs).toHaveLength(1);
    const count = async (query: string): Promise<number> => (await read(ben, query)).connectorJobs.length;
    expect(await count(`&systemId=${systemId}`)).toBe(1);
    expect(await count(`&systemId=${systemId}&systemLevelIds=${domainId}*${domainId}.NL01`)).toBe(1);
    expect(await count(`&systemId=${systemId}&systemLevelIds=${domainId}*${domainId}.NL02`)).toBe(0);
    expect(await count('&systemId=somewhere-else')).toBe(0);
  });

  it('[DASH-05] a refresh that somebody asks for is his job; one that fails by itself is an error to who keeps domains', async () => {
    const asked = await admin.call('POST', `${shop.target.path}/cache`);
    expect(asked.status).toBe(200);
    await waitFor('the refresh to end', async () =>
      (await read(admin)).recentlyDone.some(({ kind }) => kind === 'cacheRefresh'),
    );
    const done = (await read(admin)).userJobs.find(({ kind }) => kind === 'cacheRefresh');
    expect(done).toMatchObject({ status: 'DONE', origin: 'Ada Minster' });
    expect(done?.total).toBeGreaterThan(0);
    expect((await read(ben)).userJobs.filter(({ kind }) => kind === 'cacheRefresh')).toEqual([]);

    await faults([{ kind: 'html' }]);
    await product.query(
      `update collection set refreshed_at = refreshed_at - interval '1 day', attempted_at = null where resource_type_uri_id = 'suppliers'`,
    );
    await waitFor('the failure to be listed', async () =>
      (await read(admin)).errors.some(({ origin }) => origin === 'cache refresh'),
    );
    await faults([]);
    expect((await read(ben)).errors.filter(({ origin }) => origin === 'cache refresh')).toEqual([]);
    expect((await read(admin)).userJobs.filter(({ status }) => status === 'FAILED')).toEqual([]);
  });

  it('[DASH-09] an error of somebody’s browser is listed to himself at once', async () => {
    const own = await listen(cara);
    await cara.call('POST', '/api/v1/user/report-client-error', {
      error: 'TypeError: x is undefined\n at y',
      route: '/data/erp',
    });
    await waitFor('the error on the socket', async () => own.messages.length > 0);
    expect(own.messages).toMatchObject([
      { type: 'error', method: 'POST', data: { origin: 'browser', url: '/data/erp' } },
    ]);
    own.close();
    expect((await read(cara)).errors).toMatchObject([
      { origin: 'browser', message: 'The page met an error: TypeError: x is undefined' },
    ]);
    expect((await read(ben)).errors.filter(({ origin }) => origin === 'browser')).toEqual([]);
  });

  it('[DASH-03] tables that somebody opens are counted for himself, the most opened first', async () => {
    const visit = async (api: Api, path: string): Promise<void> => {
      const socket = new WebSocket(`${api.base.replace('http', 'ws')}/api/v1/user/websocket`, {
        headers: { cookie: api.cookie() },
      });
      await new Promise((resolve) => socket.once('open', resolve));
      socket.send(JSON.stringify({ handler: 'collection', method: 'POST', data: { path } }));
      await waitFor('the visit', async () => (await read(api)).mostVisited.length > 0);
      socket.close();
    };
    const path = shop.target.path.replace('/api/v1/data/', '');
    await visit(ben, path);
    expect((await read(ben)).mostVisited).toMatchObject([
      {
        menuItemId: 'suppliers',
        title: 'Suppliers',
        place: 'TEST Van Doorn Groothandel Utrecht',
        route: `/data/${path}`,
        count: 1,
      },
    ]);
    expect((await read(cara)).mostVisited).toEqual([]);
  });

  it('own changes that have waited for a week are called to mind with their table, to nobody else', async () => {
    const table = tableOf(ben, shop.target.path);
    const found = await table.find('limit=2&offset=4');
    await table.patch(found.map(({ internalId: id }) => ({ id, changes: { 'address.city': 'Forgotten' } })));
    expect((await read(ben)).waiting).toEqual([]);
    const [collection] = await product.query<{ id: number }>(
      `select collection_id as id from collection where resource_type_uri_id = 'suppliers' and company_id = 'NL01'`,
    );
    await product.query(
      `update cache.c_${collection?.id}_p set created_at = now() - interval '8 days' where rid = ${found[0]!.internalId}`,
    );
    expect((await read(ben)).waiting).toEqual([
      {
        title: 'Suppliers',
        place: 'TEST Van Doorn Groothandel Utrecht',
        route: table.path.replace('/api/v1', ''),
        count: 1,
        oldestAt: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    // Only what is one's own, and only of the system that is looked at.
    expect((await read(admin)).waiting).toEqual([]);
    expect((await read(ben, '&systemId=somewhere-else')).waiting).toEqual([]);
    const answer = await ben.call('DELETE', `${table.path}/push`, {
      update: found.map(({ internalId }) => internalId),
    });
    expect(answer.status).toBe(200);
    expect((await read(ben)).waiting).toEqual([]);
  });

  it('what could not be written back to the source is an error of its run, to who may read connectors, until it is written', async () => {
    const note = {
      targetField: 'note',
      mappingSources: [
        { sourceOptionId: shop.sourceId, source: { type: 'customValue', value: 'told' }, transformFns: [] },
      ],
    };
    await shop.change({ sourceUpdateConfigs: { onPost: { success: [note], failure: [] } } });
    await shop.query(`alter table vendor add constraint quiet check (note is distinct from 'told')`);
    await shop.query(`insert into vendor (id, title, town, account, kind)
      values (201, 'One', 'Delft', 'NL91ABNA0000009601', 'A'), (202, 'Two', 'Delft', 'NL91ABNA0000009602', 'A')`);
    const run = await shop.runNow({ query: { source: shop.sourceId, orderBy: 'id', offset: 12 } });
    expect(run.counts).toMatchObject({ inserted: 2 });
    await shop.target.pushAll();
    const id = `updates-${run.internalId}`;
    const found = async (api: Api) => (await read(api)).errors.filter((error) => error.id === id);
    await waitFor('the error', async () => (await found(ben)).length > 0, 30_000);
    const { totals } = await read(ben);
    expect(await found(ben)).toMatchObject([
      {
        connector: { name: 'Web shop to ERP' },
        endpoint: expect.stringContaining('Suppliers'),
        origin: 'connector run',
        message: expect.stringMatching(/^2 source updates of Vendors failed: .*quiet/),
        url: expect.stringContaining(`run=${run.internalId}`),
      },
    ]);
    expect(await found(cara)).toEqual([]);

    await shop.query('alter table vendor drop constraint quiet');
    await admin.call('POST', `${shop.action}/runs/${run.internalId}/source-updates/retry`);
    await waitFor('it to be written', async () => (await found(ben)).length === 0, 30_000);
    expect((await read(ben)).totals.errors).toBe(totals.errors - 1);
  });
});
