import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, waitUntilCached } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let sandbox: Sandbox;
let product: Product;
let api: Api;
const levels = '/api/v1/data/sandbox-erp/domains/production/companies/UTR';

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'), { sandboxUrl: sandbox.url });
  api = product.admin;
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const attributesOf = async (query: string, who = api) =>
  await who.call('GET', `${levels}/attributes?fields=attributeId,attributeName&${query}`);

describe('addresses below the levels', () => {
  it('[API-21] the attributes of a company are read by their fields, page by page', async () => {
    const { status, body } = await attributesOf('limit=-1&offset=0');
    expect(status).toBe(200);
    const all = (body as { resources: object[] }).resources;
    expect(all).toHaveLength(8);
    expect(all).toContainEqual({ attributeId: 'A1', attributeName: 'Region' });
    expect(body).toMatchObject({ offset: 0, total: 8 });
    expect((await attributesOf('limit=2&offset=3')).body).toMatchObject({
      resources: all.slice(3, 5),
      offset: 3,
      total: 8,
    });
  });

  it('a table of the name attributes opens as any other, where the fields are not those of attributes', async () => {
    await waitUntilCached(api, `${levels}/attributes`);
    const { body } = await api.call('GET', `${levels}/attributes?limit=1&offset=0`);
    expect(body).toMatchObject({
      resources: [{ id: expect.stringMatching(/^A/), name: expect.any(String) }],
    });
  });

  it('who may not see the company gets no attributes of it', async () => {
    const stranger = await product.addUser({ username: 'stranger' });
    expect((await attributesOf('limit=-1&offset=0', stranger)).status).toBe(404);
  });

  it('[API-41] an id with a slash and a space, encoded, is one id', async () => {
    const table = `${levels}/attribute-values/${encodeURIComponent('A/ 8')}`;
    await waitUntilCached(api, table);
    const { body } = await api.call('GET', `${table}?limit=3&offset=0`);
    const [first] = (body as { resources: { internalId: string }[] }).resources;
    expect(first).toMatchObject({ attribute: 'A/ 8' });
    const single = await api.call('GET', `${table}/${first?.internalId}`);
    expect(single.body).toMatchObject({ resource: { attribute: 'A/ 8' } });
  });
});
