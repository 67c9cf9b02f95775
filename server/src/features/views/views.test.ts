import { getAudit, getDocumentation, listViews, type SavedView, savedViewSchema } from '@sluice/contract';
import {
  type Api,
  type ConnectedDomain,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  waitUntilCached,
} from '@sluice/testing';
import type { Sandbox } from '@sluice/sandbox';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;
let ada: Api;
let ben: Api;
let path: string;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 20 });
  product = await startProduct(inject('postgresUrl'));
  domain = await connectSandbox(product.admin, sandbox);
  path = domain.table('customers');
  const may = { create: true, read: true, update: true, delete: true };
  const read = {
    endpointId: `data:${domain.systemId}:customers`,
    ...may,
    create: false,
    update: false,
    delete: false,
  };
  const systems = [{ externalSystemId: domain.systemId, levelIds: null }];
  const note = { endpointId: 'documentation', ...may };
  ada = await product.addUser({ username: 'ada', fullName: 'Ada Smit', rights: [read, note], systems });
  ben = await product.addUser({ username: 'ben', fullName: 'Ben Bos', rights: [read], systems });
  await waitUntilCached(product.admin, path);
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const one = z.object({ resource: savedViewSchema });
const body = (name: string, isShared = false) => ({
  name,
  isShared,
  view: {
    filter: [{ field: 'language', operator: 'equals', value: 'nl' }],
    order: [{ path: 'name', isDescending: true }],
  },
  columns: [{ field: 'name', isHidden: false, width: 200, isPinned: true }],
});
const create = async (api: Api, name: string, isShared = false): Promise<SavedView> =>
  (await api.send('POST', `${path}/views`, body(name, isShared), one)).resource;
const names = async (api: Api): Promise<string[]> =>
  (await api.get(`${path}/views`, listViews.reply!)).resources.map(({ name }) => name);

describe('saved views', () => {
  it("one's own and the shared ones are listed by name, as they were kept", async () => {
    await create(ada, 'View 10');
    const kept = await create(ada, 'View 9');
    await create(ben, 'Shared by Ben', true);
    await create(ben, "Ben's own");
    expect(kept).toMatchObject({
      isOwn: true,
      owner: { fullName: 'Ada Smit' },
      revision: 1,
      ...body('View 9'),
    });
    expect(await names(ada)).toEqual(['Shared by Ben', 'View 9', 'View 10']);
    expect(await names(ben)).toEqual(["Ben's own", 'Shared by Ben']);
    const stranger = await product.addUser({ username: 'stranger' });
    expect((await stranger.call('GET', `${path}/views`)).status).toBe(404);
  });

  it('only their owner and superusers change them; what is private is not even there for others', async () => {
    const shared = await create(ada, 'Everybody', true);
    const own = await create(ada, 'Mine alone');
    const change = async (api: Api, view: SavedView, changes: object) =>
      await api.call('PATCH', `${path}/views/${view.viewId}`, { revision: view.revision, ...changes });
    expect((await change(ben, shared, { name: 'Hijacked' })).status).toBe(403);
    expect((await change(ben, own, { name: 'Hijacked' })).status).toBe(404);
    expect((await ben.call('DELETE', `${path}/views/${shared.viewId}`)).status).toBe(403);
    const renamed = await change(product.admin, shared, { name: 'Everybody!' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { resource: { name: 'Everybody!', revision: 2, isOwn: false } },
    });
    // The rest stays as it was.
    expect(renamed.body).toMatchObject({ resource: { view: body('').view, columns: body('').columns } });
    expect((await ada.call('DELETE', `${path}/views/${own.viewId}`)).status).toBe(204);
    expect(await names(ada)).not.toContain('Mine alone');
  });

  it('an old revision is refused with what is there now, and an unknown field as well', async () => {
    const view = await create(ada, 'Twice');
    const url = `${path}/views/${view.viewId}`;
    expect((await ada.call('PATCH', url, { revision: 1, name: 'Once' })).status).toBe(200);
    expect(await ada.call('PATCH', url, { revision: 1, name: 'Again' })).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CONFLICT', details: { resource: { name: 'Once', revision: 2 } } },
    });
    const wrong = { ...body('Wrong'), view: { filter: [{ field: 'nope', operator: 'isEmpty' }] } };
    expect((await ada.call('POST', `${path}/views`, wrong)).status).toBe(400);
    expect(await names(ada)).not.toContain('Wrong');
  });
});

describe('the note about a table', () => {
  const read = async (api: Api) => (await api.get(`${path}/documentation`, getDocumentation.reply!)).resource;
  const write = async (api: Api, text: string, revision: number) =>
    await api.call('PATCH', `${path}/documentation`, { text, revision });

  it('is empty at first, is read by readers and written with the right of documentation', async () => {
    expect(await read(ben)).toEqual({ text: '', revision: 0, updatedAt: null, author: null, canEdit: false });
    const text = 'First line\nSecond line';
    expect((await write(ben, text, 0)).status).toBe(403);
    expect(await write(ada, text, 0)).toMatchObject({
      status: 200,
      body: { resource: { text, revision: 1, canEdit: true, author: { fullName: 'Ada Smit' } } },
    });
    expect(await read(ben)).toMatchObject({ text, revision: 1, canEdit: false });
    expect((await write(ada, 'x'.repeat(20_001), 1)).status).toBe(422);
    // The audit log names the table.
    const { resources } = await product.admin.get(
      '/api/v1/manage/audit?limit=1&search=documentation',
      getAudit.reply!,
    );
    expect(resources[0]).toMatchObject({
      verb: 'documentation.update',
      targetName: expect.stringMatching(/^Customers \(/),
    });
  });

  it('two who write at once keep both texts: the second is refused with the first', async () => {
    const { revision } = await read(ada);
    expect((await write(product.admin, 'The first', revision)).status).toBe(200);
    expect(await write(ada, 'The second', revision)).toMatchObject({
      status: 409,
      body: {
        code: 'REVISION_CONFLICT',
        details: { mine: 'The second', resource: { text: 'The first', revision: revision + 1 } },
      },
    });
    expect((await write(ada, 'Both', revision + 1)).status).toBe(200);
    // A first note twice is the same race.
    const other = domain.table('price-lists');
    const first = async (api: Api) =>
      await api.call('PATCH', `${other}/documentation`, { text: 'x', revision: 0 });
    expect((await first(product.admin)).status).toBe(200);
    expect((await first(product.admin)).status).toBe(409);
  });
});
