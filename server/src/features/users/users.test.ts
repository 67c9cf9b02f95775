import { noCompany } from '@sluice/contract';
import { type Api, createApi, loginApi, type Product, startProduct, testPassword } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';

let product: Product;
let admin: Api;
let clock = Date.now();

const users = '/api/v1/manage/users';
const read = { create: false, read: true, update: false, delete: false };
const all = { create: true, read: true, update: true, delete: true };
const userReply = z.object({
  resource: z.looseObject({ internalId: z.string(), revision: z.number(), isPending: z.boolean() }),
});
const linkReply = z.object({ path: z.string() });
const createdReply = userReply.extend({ invitation: linkReply });

const values = (username: string, more: object = {}): object => ({
  fullName: `Mr ${username}`,
  username,
  email: null,
  identityProviderUsername: null,
  isActive: true,
  isSuperuser: false,
  defaultCompanyId: noCompany,
  roleIds: [],
  customRights: [],
  externalSystemRights: [],
  ...more,
});

beforeAll(async () => {
  product = await startProduct(inject('postgresUrl'), { roles: ['web'], now: () => new Date(clock) });
  admin = product.admin;
});
afterAll(async () => await product?.stop());

const create = async (username: string, more: object = {}) =>
  await admin.send('POST', users, values(username, more), createdReply);
const tokenOf = (path: string): string => path.split('#')[1] ?? '';
const accept = async (path: string, password = testPassword) =>
  await createApi(product.base).call('POST', '/api/v1/auth/reset-password', {
    token: tokenOf(path),
    password,
  });
/** Invited, arrived and logged in. */
const arrive = async (username: string, more: object = {}) => {
  const { resource, invitation } = await create(username, more);
  expect((await accept(invitation.path)).status).toBe(200);
  return { id: resource.internalId, api: await loginApi(product.base, username, testPassword) };
};
const idOf = async (username: string): Promise<string> => {
  const [found] = await product.query<{ id: string }>(
    'select internal_id::text as id from app_user where username = $1',
    [username],
  );
  return found?.id ?? '';
};
const closeCodeOf = async (api: Api, act: () => Promise<unknown>): Promise<number> => {
  const socket = new WebSocket(`${product.base.replace('http', 'ws')}/api/v1/user/websocket`, {
    headers: { cookie: api.cookie() },
  });
  await new Promise<void>((resolve) => {
    socket.once('open', () => socket.send('ping'));
    socket.once('message', () => resolve());
  });
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code: number) => resolve(code));
  });
  await act();
  return await closed;
};

describe('users', () => {
  it('[USER-01] [USER-02] [USER-10] somebody invited is pending, has all fields, and no default company is all zeros', async () => {
    const { resource } = await create('fred', { email: 'fred@example.org' });
    expect(resource).toMatchObject({
      fullName: 'Mr fred',
      username: 'fred',
      email: 'fred@example.org',
      isActive: true,
      isPending: true,
      isSuperuser: false,
      identityProviderUsername: null,
      defaultCompanyId: '00000000-0000-0000-0000-000000000000',
      roles: [],
      customRights: [],
    });
    const list = await admin.get(`${users}?limit=-1`, z.object({ resources: z.array(z.looseObject({})) }));
    expect(list.resources).toContainEqual(resource);
    const login = await createApi(product.base).call('POST', '/api/v1/auth/login', {
      username: 'fred',
      password: testPassword,
    });
    expect(login.status).toBe(401);
  });

  it('the invitation is a link that works once, for a week, and lets in with the chosen password', async () => {
    const { resource, invitation } = await create('gina');
    const anyone = createApi(product.base);
    const token = tokenOf(invitation.path);
    expect((await anyone.call('POST', '/api/v1/auth/check-link', { token })).body).toEqual({
      kind: 'invitation',
      fullName: 'Mr gina',
      username: 'gina',
    });
    expect(await accept(invitation.path, 'short')).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'password', code: 4101 }] },
    });
    expect((await accept(invitation.path)).status).toBe(200);
    expect(await accept(invitation.path)).toMatchObject({ status: 410, body: { code: 'LINK_EXPIRED' } });
    const gina = await loginApi(product.base, 'gina', testPassword);
    expect((await gina.call('GET', '/api/v1/auth/session')).status).toBe(200);
    const self = await gina.get(`${users}/${resource.internalId}`, userReply);
    expect(self.resource.isPending).toBe(false);

    const late = await create('hugo');
    clock += 8 * 24 * 60 * 60_000;
    expect((await accept(late.invitation.path)).status).toBe(410);
    admin = await loginApi(product.base, 'admin', testPassword);
    const again = await admin.send(
      'POST',
      `${users}/${late.resource.internalId}/invite`,
      undefined,
      linkReply,
    );
    expect((await accept(late.invitation.path)).status).toBe(410);
    expect((await accept(again.path)).status).toBe(200);
    const arrived = await admin.call('POST', `${users}/${late.resource.internalId}/invite`);
    expect(arrived.status).toBe(409);
  });

  it('a link is not kept in a form that opens anything', async () => {
    const { invitation } = await create('ivy');
    const token = tokenOf(invitation.path);
    expect(token).toHaveLength(43);
    expect(await product.query('select 1 from access_link where token_hash = $1', [token])).toHaveLength(0);
    const audit = await product.query<{ details: string }>('select details::text from audit');
    expect(audit.map(({ details }) => details).join('')).not.toContain(token);
  });

  it('[AUTH-17] [USER-09] deactivation and deletion end sessions and sockets at once, and let nobody in again', async () => {
    const jim = await arrive('jim');
    const code = await closeCodeOf(jim.api, async () => {
      await admin.send('PATCH', `${users}/${jim.id}`, { changes: { isActive: false } }, userReply);
    });
    expect(code).toBe(4401);
    expect((await jim.api.call('GET', '/api/v1/auth/session')).status).toBe(401);
    const refused = await createApi(product.base).call('POST', '/api/v1/auth/login', {
      username: 'jim',
      password: testPassword,
    });
    expect(refused.status).toBe(403);

    const kim = await arrive('kim');
    const gone = await closeCodeOf(kim.api, async () => {
      expect((await admin.call('DELETE', `${users}/${kim.id}`)).status).toBe(204);
    });
    expect(gone).toBe(4401);
    expect((await admin.call('GET', `${users}/${kim.id}`)).status).toBe(404);
    const login = { username: 'kim', password: testPassword };
    expect((await createApi(product.base).call('POST', '/api/v1/auth/login', login)).status).toBe(401);
    // The name is free for somebody else.
    await create('kim');
  });

  it('a stale revision is refused with what stands now, and nothing is changed', async () => {
    const { resource } = await create('lena');
    const path = `${users}/${resource.internalId}`;
    const body = (fullName: string) => ({ revision: resource.revision, changes: { fullName } });
    expect((await admin.call('PATCH', path, body('Lena One'))).status).toBe(200);
    expect(await admin.call('PATCH', path, body('Lena Two'))).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CONFLICT', details: { resource: { fullName: 'Lena One' } } },
    });
    expect((await admin.get(path, userReply)).resource).toMatchObject({ fullName: 'Lena One' });
  });

  it('names, addresses and names at the provider belong to one user; a wrong form rolls back whole', async () => {
    await create('mona', { email: 'mona@example.org', identityProviderUsername: 'mona@idp' });
    for (const [field, more] of [
      ['username', { username: 'MONA' }],
      ['email', { email: 'Mona@example.org' }],
      ['identityProviderUsername', { identityProviderUsername: 'MONA@idp' }],
    ] as const) {
      const answer = await admin.call('POST', users, values('nils', more));
      expect(answer).toMatchObject({ status: 422, body: { fieldErrors: [{ field, code: 4900 }] } });
    }
    const unknown = await admin.call(
      'POST',
      users,
      values('nils', { customRights: [{ ...read, endpointId: 'moon' }] }),
    );
    expect(unknown).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'customRights[0].endpointId' }] },
    });
    expect(await idOf('nils')).toBe('');
  });

  it('the last superuser stays, and nobody deletes or deactivates himself', async () => {
    const adminId = await idOf('admin');
    for (const changes of [{ isSuperuser: false }, { isActive: false }])
      expect(await admin.call('PATCH', `${users}/${adminId}`, { changes })).toMatchObject({ status: 409 });
    expect((await admin.call('DELETE', `${users}/${adminId}`)).status).toBe(409);
    const other = await arrive('olga', { isSuperuser: true });
    // A superuser who was only invited does not count as one who is left.
    await create('otto', { isSuperuser: true });
    expect(
      (await other.api.call('PATCH', `${users}/${adminId}`, { changes: { isSuperuser: false } })).status,
    ).toBe(200);
    const last = await other.api.call('PATCH', `${users}/${other.id}`, { changes: { isSuperuser: false } });
    expect(last.body).toMatchObject({ code: 'IN_USE' });
    await other.api.call('PATCH', `${users}/${adminId}`, { changes: { isSuperuser: true } });
  });
});

describe('rights over users', () => {
  it('[USER-08] a superuser edits anyone; a plain user may read himself and nobody else', async () => {
    const paul = await arrive('paul');
    expect((await paul.api.call('GET', users)).status).toBe(403);
    expect((await paul.api.call('POST', users, values('quin'))).status).toBe(403);
    expect((await paul.api.call('GET', `${users}/${paul.id}`)).status).toBe(200);
    expect((await paul.api.call('GET', `${users}/${await idOf('admin')}`)).status).toBe(403);
    const changes = { fullName: 'Changed' };
    expect((await paul.api.call('PATCH', `${users}/${paul.id}`, { changes })).status).toBe(403);
    expect((await paul.api.call('DELETE', `${users}/${await idOf('admin')}`)).status).toBe(403);
    expect((await admin.call('PATCH', `${users}/${paul.id}`, { changes })).status).toBe(200);
  });

  it('[USER-07] a superuser has all rights without any being given', async () => {
    const { api } = await arrive('rosa', { isSuperuser: true });
    const { rights } = await api.get(
      '/api/v1/auth/session',
      z.looseObject({ rights: z.record(z.string(), z.unknown()) }),
    );
    expect(Object.keys(rights)).toContain('audit');
    for (const right of Object.values(rights)) expect(right).toEqual(all);
  });

  it('nobody gives a right, a system or a role that he lacks, nor to himself', async () => {
    const sven = await arrive('sven', {
      customRights: [
        { ...all, endpointId: 'users' },
        { ...read, endpointId: 'data:s1:customers' },
      ],
      externalSystemRights: [{ externalSystemId: 's1', levelIds: ['d1.c1', 'd1'] }],
    });
    const give = async (more: object) => (await sven.api.call('POST', users, values('tina', more))).status;
    const right = (endpointId: string, crud: object) => ({ customRights: [{ ...crud, endpointId }] });
    const system = (externalSystemId: string, levelIds: string[] | null) => ({
      externalSystemRights: [{ externalSystemId, levelIds }],
    });
    const [role] = await product.query<{ id: string }>(
      `select role_id::text as id from role where name = 'Data editor'`,
    );
    for (const more of [
      { isSuperuser: true },
      { roleIds: [role?.id] },
      right('connectors', read),
      right('data:s1:customers', { ...read, update: true }),
      right('data:s1:*', read),
      right('data:*', read),
      system('s2', null),
      system('s1', null),
      system('*', null),
      system('s1', ['d2']),
      system('s1', ['d1.c2']),
      // Alone a domain means all of its companies.
      system('s1', ['d1']),
    ])
      expect(await give(more), JSON.stringify(more)).toBe(403);
    expect(await give({ ...right('data:s1:customers', read), ...system('s1', ['d1', 'd1.c1']) })).toBe(201);
    const own = await sven.api.call('PATCH', `${users}/${sven.id}`, {
      changes: { customRights: [{ ...all, endpointId: 'roles' }] },
    });
    expect(own.status).toBe(403);
  });

  it('who may do less cannot become somebody who may do more: no link, no other address, no superuser touched', async () => {
    const ursa = await arrive('ursa', { customRights: [{ ...all, endpointId: 'users' }] });
    const victor = await arrive('victor', { customRights: [{ ...all, endpointId: 'connectors' }] });
    const path = `${users}/${victor.id}`;
    expect((await ursa.api.call('POST', `${path}/reset-password`)).status).toBe(403);
    expect((await ursa.api.call('POST', `${path}/remove-second-factor`)).status).toBe(403);
    for (const changes of [
      { email: 'me@example.org' },
      { username: 'mine' },
      { identityProviderUsername: 'me' },
    ])
      expect((await ursa.api.call('PATCH', path, { changes })).status, JSON.stringify(changes)).toBe(403);
    const adminId = await idOf('admin');
    expect((await ursa.api.call('PATCH', `${users}/${adminId}`, { changes: { fullName: 'X' } })).status).toBe(
      403,
    );
    expect((await ursa.api.call('DELETE', `${users}/${adminId}`)).status).toBe(403);
    // What takes nothing over is allowed: a name, and taking rights away.
    expect(
      (await ursa.api.call('PATCH', path, { changes: { fullName: 'Victor', customRights: [] } })).status,
    ).toBe(200);
    expect((await ursa.api.call('POST', `${path}/reset-password`)).status).toBe(200);
  });

  it('[USER-05] custom rights work on the next call and reconnect the socket, which sees with the new ones', async () => {
    const wim = await arrive('wim');
    expect((await wim.api.call('GET', '/api/v1/connectors')).status).toBe(403);
    const code = await closeCodeOf(wim.api, async () => {
      const customRights = [{ ...read, endpointId: 'connectors' }];
      await admin.send('PATCH', `${users}/${wim.id}`, { changes: { customRights } }, userReply);
    });
    expect(code).toBe(4402);
    expect((await wim.api.call('GET', '/api/v1/connectors')).status).toBe(200);
    expect((await wim.api.call('POST', '/api/v1/connectors', {})).status).not.toBe(200);
  });
});
