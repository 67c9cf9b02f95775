import { type Api, type Product, startProduct, tableOf, waitFor } from '@sluice/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let product: Product;
let api: Api;
let base: string;
let domain: { internalId: string };
let client: pg.Client;
let address: URL;

/** The product's own PostgreSQL holds the database of a web shop too. */
beforeAll(async () => {
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  address = new URL(product.databaseUrl);
  client = new pg.Client({ connectionString: product.databaseUrl });
  await client.connect();
  await client.query(`create schema shop;
    create table shop.product (id int primary key, name text not null, price numeric(10,2));
    insert into shop.product select i, 'Product ' || i, i * 1.5 from generate_series(1, 20) i;
    create table shop.visit (id int primary key);`);
});
afterAll(async () => {
  await client?.end();
  await product?.stop();
});

const form = (settings: Record<string, string> = {}) => ({
  url: `postgresql://127.0.0.1:${address.port}`,
  database: address.pathname.slice(1),
  username: decodeURIComponent(address.username),
  password: decodeURIComponent(address.password),
  settings: { tls: 'off', access: 'write', schemas: 'shop', ...settings },
});

describe('a kind of system without companies', () => {
  it('says so, and asks for settings of its own in the language of the person', async () => {
    const { body } = await api.call('GET', '/api/v1/manage/adapter-kinds', undefined, {
      'accept-language': 'NL',
    });
    const { resources } = body as { resources: { kind: string; configFields: { name: string }[] }[] };
    const kind = resources.find((one) => one.kind === 'postgresql');
    expect(kind).toMatchObject({ hasCompanies: false });
    expect(kind?.configFields).toContainEqual(
      expect.objectContaining({
        name: 'settings.access',
        type: 'select',
        label: 'Toegang',
        defaultValue: 'read',
        options: expect.arrayContaining([{ value: 'read', label: 'Alleen lezen' }]),
      }),
    );
    expect(kind?.configFields).toContainEqual(expect.objectContaining({ name: 'password', type: 'secret' }));
  });

  it('[DOM-07] settings that are wrong are refused at their field, in the test as in the save', async () => {
    const system = await api.call('POST', '/api/v1/manage/systems', {
      name: 'Web shop',
      acronym: 'WS',
      kind: 'postgresql',
    });
    base = `/api/v1/manage/systems/${(system.body as { url: string }).url}/domains`;
    const bad = { ...form({ keys: 'nonsense' }), name: 'Shop', acronym: 'shop' };
    const refused = await api.call('POST', base, bad);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      fieldErrors: [{ field: 'settings.keys', message: expect.stringContaining('Line 1') }],
    });
    expect(
      (await api.call('POST', `${base}/test-connection`, form({ keys: 'nonsense' }))).body,
    ).toMatchObject({
      status: 'ERROR_OTHER',
      message: expect.stringContaining('Line 1'),
    });
    const scheme = await api.call('POST', `${base}/test-connection`, {
      ...form(),
      url: 'http://127.0.0.1:1',
    });
    expect(scheme.body).toMatchObject({ message: expect.stringContaining('postgresql://') });
    expect((await api.call('POST', `${base}/test-connection`, form())).body).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('queries: 2'),
    });
  });

  it('a domain of it can be used as soon as it is saved, and its tables are read only when somebody opens them', async () => {
    const created = await api.call('POST', base, {
      ...form(),
      name: 'Shop',
      acronym: 'shop',
      isProduction: false,
    });
    expect(created.status).toBe(201);
    domain = created.body as typeof domain;
    expect(created.body).toMatchObject({ status: 'OK', settings: { schemas: 'shop' }, secretSettings: [] });
    const systems = await api.call('GET', '/api/v1/user/external-systems?limit=-1&offset=0');
    expect(systems.body).toMatchObject({
      resources: [
        { systemLevels: [{ uriId: 'databases' }], systemLevelOptions: [{ acronym: 'shop', children: [] }] },
      ],
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await product.query('select 1 from collection')).toEqual([]);

    const table = '/api/v1/data/web-shop/databases/shop/product';
    const page = await waitFor('the opened table', async () => {
      const answer = await api.call('GET', `${table}?limit=5&offset=0`);
      return answer.status === 200 ? (answer.body as { total: number; resources: { name: string }[] }) : null;
    });
    expect(page.total).toBe(20);
    expect(await product.query('select code from collection')).toEqual([{ code: 'shop.product' }]);
  });

  it('a changed cell is pushed into the database, and a value that it refuses stays pending with the reason', async () => {
    const table = tableOf(api, '/api/v1/data/web-shop/databases/shop/product');
    const [first, second] = await table.find('limit=2');
    await table.patch([
      { id: first?.internalId ?? '', changes: { price: 99.95 } },
      { id: second?.internalId ?? '', changes: { price: 123456789012 } },
    ]);
    await table.pushAll();
    const [left] = await table.pending();
    expect(left).toMatchObject({
      id: second?.internalId,
      state: 'rejected',
      pushErrors: [{ errCode: '22003' }],
    });
    const { rows } = await client.query('select id, price::text from shop.product where id < 3 order by id');
    expect(rows).toEqual([
      { id: 1, price: '99.95' },
      { id: 2, price: '3.00' },
    ]);
  });

  it('a table that has come since is listed by itself after the interval of reading; one that is missing stays listed', async () => {
    const listed = async (): Promise<string[]> =>
      (await product.query<{ code: string }>('select code from resource_type order by code')).map(
        ({ code }) => code,
      );
    expect(await listed()).toEqual(['shop.product', 'shop.visit']);
    await client.query('create table shop.gift (id int primary key); drop table shop.visit;');
    await product.query(`update domain set resource_types_at = now() - interval '2 hours'`);
    await waitFor('the new table', async () => (await listed()).includes('shop.gift'));
    expect(await listed()).toEqual(['shop.gift', 'shop.product', 'shop.visit']);
    await waitFor('the opened table', async () => {
      const { status } = await api.call('GET', '/api/v1/data/web-shop/databases/shop/gift?limit=1&offset=0');
      return status === 200;
    });
    await client.query('create table shop.visit (id int primary key)');
  });

  it('a save whose connection fails stands, and its status says why', async () => {
    const saved = await api.call('PATCH', `${base}/${domain.internalId}`, { password: 'wrong' });
    expect(saved.body).toMatchObject({ status: 'INVALID_CREDENTIALS_OR_URL' });
    const back = await api.call('PATCH', `${base}/${domain.internalId}`, { password: form().password });
    expect(back.body).toMatchObject({ status: 'OK', statusMessage: null });
  });

  it('[DOM-01] a secret setting is sealed, never comes back, and stays when it is left blank', async () => {
    const system = await api.call('POST', '/api/v1/manage/systems', {
      name: 'Drop',
      acronym: 'DR',
      kind: 'sftp',
    });
    const domains = `/api/v1/manage/systems/${(system.body as { url: string }).url}/domains`;
    const settings = { privateKey: 'very secret key', keys: 'orders: number', unknown: 'left out' };
    const sftp = { name: 'Drop', acronym: 'drop', url: 'sftp://127.0.0.1:1/out', username: 'shop' };
    const created = await api.call('POST', domains, { ...sftp, settings });
    expect(created.body).toMatchObject({
      settings: { keys: 'orders: number' },
      secretSettings: ['privateKey'],
      status: 'INVALID_CREDENTIALS_OR_URL',
    });
    const path = `${domains}/${(created.body as { internalId: string }).internalId}`;
    const changed = await api.call('PATCH', path, { settings: { keys: 'orders: id', privateKey: '' } });
    expect(changed.body).toMatchObject({ settings: { keys: 'orders: id' }, secretSettings: ['privateKey'] });
    const stored = await product.query<{ settings: object; sealed_settings: Buffer }>(
      `select settings, sealed_settings from domain where acronym = 'drop'`,
    );
    expect(stored[0]?.settings).toEqual({ keys: 'orders: id' });
    expect(stored[0]?.sealed_settings.toString('latin1')).not.toContain('secret');
    const everything = [created.body, changed.body, await product.query('select details from audit')];
    expect(JSON.stringify(everything)).not.toContain('very secret key');
  });
});
