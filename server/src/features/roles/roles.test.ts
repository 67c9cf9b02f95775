import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectDomain,
  type ConnectedDomain,
  type Product,
  startProduct,
  startSandbox,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;
let admin: Api;

const roles = '/api/v1/manage/roles';
const read = { create: false, read: true, update: false, delete: false };
const all = { create: true, read: true, update: true, delete: true };
const roleSchema = z.looseObject({
  internalId: z.string(),
  name: z.string(),
  revision: z.number(),
  userCount: z.number(),
});
const listReply = z.object({ resources: z.array(roleSchema) });
const roleReply = z.object({ resource: roleSchema });

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 300 });
  product = await startProduct(inject('postgresUrl'));
  admin = product.admin;
  domain = await connectDomain(admin, {
    kind: 'odata',
    systemName: 'Shop',
    url: `${sandbox.url}/odata`,
    database: 'test',
    username: 'sandbox',
    password: 'sandbox',
    companies: ['NL01', 'DE01'],
  });
  await waitUntilCached(admin, domain.table('customers'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const create = async (name: string, more: object = {}) => {
  const body = { name, description: '', rights: [], externalSystemRights: [], ...more };
  return (await admin.send('POST', roles, body, roleReply)).resource;
};
const idOf = async (username: string): Promise<string> => {
  const [found] = await product.query<{ id: string }>(
    'select internal_id::text as id from app_user where username = $1',
    [username],
  );
  return found?.id ?? '';
};
const giveRoles = async (username: string, roleIds: string[]): Promise<void> => {
  const path = `/api/v1/manage/users/${await idOf(username)}`;
  expect((await admin.call('PATCH', path, { changes: { roleIds } })).status).toBe(200);
};
const systemsOf = async (api: Api) => {
  const reply = await api.get(
    '/api/v1/user/external-systems?limit=-1&offset=0',
    z.object({
      resources: z.array(
        z.looseObject({
          id: z.string(),
          systemLevelOptions: z.array(
            z.looseObject({
              internalId: z.string(),
              children: z.array(z.looseObject({ internalId: z.string(), uriAcronym: z.string() })),
            }),
          ),
        }),
      ),
    }),
  );
  return reply.resources;
};

describe('roles', () => {
  it('[ROLE-03] [API-23] the roles to begin with are listed, with who has them, one by one too', async () => {
    const { resources } = await admin.get(`${roles}?limit=-1`, listReply);
    expect(resources.map(({ name }) => name)).toEqual([
      'Data editor',
      'Domain administrator',
      'Integrator',
      'User administrator',
      'Viewer',
    ]);
    const [first] = resources;
    expect(await admin.get(`${roles}/${first?.internalId}`, roleReply)).toEqual({ resource: first });
    expect((await admin.call('GET', `${roles}/${crypto.randomUUID()}`)).status).toBe(404);
  });

  it('[ROLE-01] a role is made, changed and deleted; a taken name and a stale revision are refused, and keep nothing', async () => {
    const role = await create('Stock keeper', { rights: [{ ...read, endpointId: 'data:*' }] });
    expect(await admin.call('POST', roles, { ...role, name: 'Stock keeper' })).toMatchObject({ status: 422 });
    const twin = { name: 'Stock keeper', description: '', rights: [], externalSystemRights: [] };
    expect(await admin.call('POST', roles, twin)).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'name', code: 4900 }] },
    });
    const path = `${roles}/${role.internalId}`;
    const change = { revision: role.revision, changes: { name: 'Storekeeper' } };
    expect(await admin.call('PATCH', path, change)).toMatchObject({
      status: 200,
      body: { resource: { name: 'Storekeeper', rights: [{ endpointId: 'data:*', read: true }] } },
    });
    expect((await admin.call('PATCH', path, change)).body).toMatchObject({ code: 'REVISION_CONFLICT' });
    expect((await admin.call('DELETE', path)).status).toBe(204);
    expect((await admin.call('GET', path)).status).toBe(404);
  });

  it('a role in use is deleted only when that is confirmed; the question names who has it', async () => {
    await product.addUser({ username: 'nora', fullName: 'Nora Noon' });
    const role = await create('Noon');
    await giveRoles('nora', [role.internalId]);
    const path = `${roles}/${role.internalId}`;
    expect(await admin.call('DELETE', path)).toMatchObject({
      status: 409,
      body: {
        code: 'IN_USE',
        message: 'This role is in use by Nora Noon.',
        details: { users: ['Nora Noon'] },
      },
    });
    expect((await admin.call('DELETE', `${path}?confirm=true`)).status).toBe(204);
  });

  it('without the right nobody sees, makes, changes or deletes a role, nor puts more into one than he has', async () => {
    const plain = await product.addUser({ username: 'plain' });
    const role = await create('Target');
    const path = `${roles}/${role.internalId}`;
    const body = { name: 'Mine', description: '', rights: [], externalSystemRights: [] };
    expect((await plain.call('GET', roles)).status).toBe(403);
    expect((await plain.call('POST', roles, body)).status).toBe(403);
    expect((await plain.call('PATCH', path, { changes: { name: 'Mine' } })).status).toBe(403);
    expect((await plain.call('DELETE', path)).status).toBe(403);

    const some = await product.addUser({
      username: 'some',
      rights: [{ ...all, endpointId: 'roles' }],
    });
    const rights = [{ ...read, endpointId: 'connectors' }];
    expect((await some.call('POST', roles, { ...body, rights })).status).toBe(403);
    expect((await some.call('PATCH', path, { changes: { rights } })).status).toBe(403);
    const systems = [{ externalSystemId: '*', levelIds: null }];
    expect((await some.call('PATCH', path, { changes: { externalSystemRights: systems } })).status).toBe(403);
    expect((await some.call('POST', roles, body)).status).toBe(201);
    // What a role holds already may stay when somebody else changes its name.
    await admin.call('PATCH', path, { changes: { rights } });
    expect((await some.call('PATCH', path, { changes: { name: 'Renamed' } })).status).toBe(200);
  });

  it('[API-22] endpoints: the product and each table, with the rights that exist, for who manages users or roles', async () => {
    const { resources } = await admin.get(
      '/api/v1/manage/endpoints?limit=-1',
      z.object({
        resources: z.array(
          z.looseObject({
            internalId: z.string(),
            name: z.string(),
            group: z.string(),
            externalSystemId: z.string().nullable(),
          }),
        ),
      }),
    );
    expect(resources).toContainEqual({
      internalId: 'audit',
      name: 'Audit log',
      uri: '',
      group: 'product',
      externalSystemId: null,
      ...read,
    });
    expect(resources.map(({ internalId }) => internalId)).toContain('data:*');
    const customers = resources.find(({ internalId }) => internalId.endsWith(':customers'));
    expect(customers).toMatchObject({ name: 'Customers', group: 'data', ...all });
    expect(customers?.internalId).toBe(`data:${customers?.externalSystemId}:customers`);
    const plain = await product.addUser({ username: 'plain' });
    expect((await plain.call('GET', '/api/v1/manage/endpoints')).status).toBe(403);
  });
});

describe('what roles do', () => {
  it('[ROLE-02] [USER-06] a role opens system and tables at once; without it neither is there', async () => {
    const vera = await product.addUser({ username: 'vera' });
    expect(await systemsOf(vera)).toEqual([]);
    expect((await vera.call('GET', domain.table('customers'))).status).toBe(404);
    const { resources } = await admin.get(roles, listReply);
    const viewer = resources.find(({ name }) => name === 'Viewer');
    await giveRoles('vera', [viewer?.internalId ?? '']);
    expect(await systemsOf(vera)).toHaveLength(1);
    expect((await vera.call('GET', domain.table('customers'))).status).toBe(200);
    const patch = [{ id: '1', changes: { name: 'No' } }];
    expect((await vera.call('PATCH', domain.table('customers'), patch)).status).toBe(403);
    await giveRoles('vera', []);
    expect(await systemsOf(vera)).toEqual([]);
    expect((await vera.call('GET', domain.table('customers'))).status).toBe(404);
  });

  it('rights on all tables of a system hold for each of them, and for no other system', async () => {
    const [system] = await systemsOf(admin);
    const systems = [{ externalSystemId: system?.id ?? '', levelIds: null }];
    const one = await product.addUser({
      username: 'one',
      rights: [{ ...read, endpointId: `data:${system?.id}:*` }],
      systems,
    });
    const other = await product.addUser({
      username: 'other',
      rights: [{ ...read, endpointId: 'data:elsewhere:*' }],
      systems,
    });
    expect((await one.call('GET', domain.table('customers'))).status).toBe(200);
    expect((await other.call('GET', domain.table('customers'))).status).toBe(403);
  });

  it('[USER-06] who may use one company sees that one alone; who may use a domain sees all of its companies', async () => {
    const [system] = await systemsOf(admin);
    const option = system?.systemLevelOptions[0];
    const second = option?.children[1];
    expect(option?.children).toHaveLength(2);
    const tableOfCompany = (index: number): string =>
      domain
        .table('customers')
        .replace(/companies\/[^/]+/, `companies/${option?.children[index]?.uriAcronym.toLowerCase()}`);
    await waitUntilCached(admin, tableOfCompany(1));
    const rights = [{ ...read, endpointId: 'data:*' }];
    const of = (levelIds: string[]) => [{ externalSystemId: system?.id ?? '', levelIds }];
    const narrow = await product.addUser({
      username: 'narrow',
      rights,
      systems: of([second?.internalId ?? '']),
    });
    const [seen] = await systemsOf(narrow);
    expect(seen?.systemLevelOptions[0]?.children).toEqual([second]);
    const [status, other] = await Promise.all(
      [1, 0].map(async (index) => (await narrow.call('GET', tableOfCompany(index))).status),
    );
    expect([status, other]).toEqual([200, 404]);
    const wide = await product.addUser({ username: 'wide', rights, systems: of([option?.internalId ?? '']) });
    const [whole] = await systemsOf(wide);
    expect(whole?.systemLevelOptions[0]?.children).toHaveLength(2);
    expect((await wide.call('GET', domain.table('customers'))).status).toBe(200);
  });
});
