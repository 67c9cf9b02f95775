import {
  type Api,
  connectDomain,
  type Product,
  startProduct,
  startSandbox,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';

let product: Product;
let api: Api;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;

beforeAll(async () => {
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  sandbox = await startSandbox({ journalEntries: 10 });
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const system = async (kind: string): Promise<string> => {
  const body = { name: `${kind} system`, acronym: kind.slice(0, 6), kind };
  const created = z.object({ url: z.string() });
  return (await api.send('POST', '/api/v1/manage/systems', body, created)).url;
};
const list = { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } };
const document = {
  openapi: '3.0.0',
  paths: {
    '/orders': { get: { responses: { 200: { content: { 'application/json': { schema: list } } } } } },
  },
};

describe('the draft of a setting', () => {
  it('is made from an OpenAPI document for a REST service, and refused with a reason', async () => {
    const path = `/api/v1/manage/systems/${await system('rest')}/draft-setting`;
    const made = await api.call('POST', path, { source: JSON.stringify(document) });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      value: expect.stringContaining('"code": "orders"'),
      notes: expect.arrayContaining([expect.stringContaining('orders: no way of paging found')]),
    });
    expect((await api.call('POST', path, { source: '{}' })).body).toMatchObject({
      problem: expect.stringContaining('OpenAPI 3'),
    });
    const user = await product.addUser({ username: 'nobody' });
    expect((await user.call('POST', path, { source: '{}' })).status).toBe(403);
  });

  it('is not there for kinds that have none', async () => {
    const path = `/api/v1/manage/systems/${await system('postgresql')}/draft-setting`;
    expect((await api.call('POST', path, { source: '{}' })).status).toBe(404);
  });
});

describe('a REST service as an external system', () => {
  it('is read into a table by its profile', async () => {
    const profile = {
      collections: [
        {
          code: 'Products',
          path: 'Products',
          keyFields: ['code'],
          records: 'value',
          paging: { kind: 'link', at: '@odata.nextLink' },
        },
      ],
    };
    const domain = await connectDomain(api, {
      kind: 'rest',
      systemName: 'Sandbox by REST',
      url: `${sandbox.url}/odata/production/Companies('NL01')`,
      database: '',
      username: 'sandbox',
      password: 'sandbox',
      settings: { signIn: 'basic', profile: JSON.stringify(profile) },
    });
    const table = domain.table('products');
    await waitUntilCached(api, table);
    const page = await api.get(
      `${table}?limit=3&offset=0`,
      z.object({ total: z.number(), resources: z.array(z.object({ code: z.string() })) }),
    );
    expect(page.total).toBeGreaterThan(100);
    expect(page.resources).toHaveLength(3);
  });
});
