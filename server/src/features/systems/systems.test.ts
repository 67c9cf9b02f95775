import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let system: { internalId: string; url: string };
let domains: string;
let domain: { internalId: string };

const credentials = { username: 'sandbox', password: 'sandbox' };

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

describe('systems', () => {
  it('are added with a kind that exists, get a url of their own, and can be renamed', async () => {
    const refused = await api.call('POST', '/api/v1/manage/systems', {
      name: 'X',
      acronym: 'X',
      kind: 'sap',
    });
    expect(refused.status).toBe(422);
    const created = await api.call('POST', '/api/v1/manage/systems', {
      name: 'Van Doorn ERP',
      acronym: 'VD',
      kind: 'odata',
    });
    expect(created.status).toBe(201);
    system = created.body as typeof system;
    expect(system.url).toBe('van-doorn-erp');
    domains = `/api/v1/manage/systems/${system.url}/domains`;
    const renamed = await api.call('PATCH', `/api/v1/manage/systems/${system.internalId}`, {
      name: 'Van Doorn',
    });
    expect(renamed.body).toMatchObject({ name: 'Van Doorn', url: 'van-doorn-erp' });
  });
  it('the kinds say what they need to know, in the language asked for', async () => {
    const english = await api.call('GET', '/api/v1/manage/adapter-kinds');
    const dutch = await api.call('GET', '/api/v1/manage/adapter-kinds', undefined, {
      'accept-language': 'NL',
    });
    expect(english.body).toMatchObject({
      resources: expect.arrayContaining([
        expect.objectContaining({ kind: 'odata' }),
        expect.objectContaining({ kind: 'tryton' }),
      ]),
    });
    expect(dutch.body).not.toEqual(english.body);
  });
  it("[SYS-12] a system without a company is in nobody's selector", async () => {
    expect((await api.call('GET', '/api/v1/user/external-systems?limit=-1&offset=0')).body).toMatchObject({
      resources: [],
      total: 0,
    });
  });
});

describe('domains', () => {
  const form = () => ({
    name: 'Production',
    acronym: 'P & R/D',
    url: `${sandbox.url}/odata`,
    database: 'production',
    ...credentials,
  });

  it('[DOM-07] [API-36] a connection test tells good from bad credentials, a wrong address and a server that is not there', async () => {
    const test = async (values: object) =>
      (
        await api.call('POST', `${domains}/test-connection`, {
          ...form(),
          name: undefined,
          acronym: undefined,
          ...values,
        })
      ).body as { status: string; message: string };
    expect(await test({})).toMatchObject({ status: 'OK' });
    expect(await test({ password: 'wrong' })).toMatchObject({ status: 'INVALID_CREDENTIALS_OR_URL' });
    expect(await test({ url: 'http://127.0.0.1:1/odata' })).toMatchObject({
      status: 'INVALID_CREDENTIALS_OR_URL',
      message: expect.stringContaining('The connection is refused'),
    });
    const metadataService = await test({ url: 'http://169.254.169.254/latest' });
    expect(metadataService.status).not.toBe('OK');
    expect(metadataService.message).toContain('never allowed');
    for (const values of [{}, { password: 'wrong' }]) expect((await test(values)).message).not.toBe('');
  });

  it('[DOM-01] [DOM-02] [DOM-03] a domain is added, and its secret never comes back nor stands readable in the database', async () => {
    const created = await api.call('POST', domains, form());
    expect(created.status).toBe(201);
    domain = created.body as typeof domain;
    expect(created.body).toMatchObject({
      status: 'NEVER_SYNCED',
      isProduction: true,
      maxApiCalls: null,
      cacheRefreshMinutes: 60,
      hasPassword: true,
      companyCount: 0,
    });
    expect(JSON.stringify(created.body)).not.toContain('"password"');
    const [row] = await product.query<{ sealed_password: Buffer; username: string }>(
      'select sealed_password, username from domain',
    );
    expect(row?.sealed_password.toString('latin1')).not.toContain('sandbox');
    expect(JSON.stringify(await product.query('select details from audit'))).not.toContain('password');
  });

  it("[API-36] a blank secret with the domain's id tests the stored one, but never sends it to another server", async () => {
    const test = async (values: object) =>
      (
        await api.call('POST', `${domains}/test-connection`, {
          url: `${sandbox.url}/odata`,
          internalId: domain.internalId,
          ...values,
        })
      ).body as { status: string };
    expect(await test({})).toMatchObject({ status: 'OK' });
    expect(await test({ url: sandbox.url.replace('127.0.0.1', 'localhost').concat('/odata') })).toMatchObject(
      { status: 'INVALID_CREDENTIALS_OR_URL' },
    );
  });

  it('another address wants the secrets again: none that is stored goes to another server', async () => {
    const path = `${domains}/${domain.internalId}`;
    const moved = { url: sandbox.url.replace('127.0.0.1', 'localhost').concat('/odata') };
    const refused = await api.call('PATCH', path, moved);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ fieldErrors: [{ field: 'password', code: 4001 }] });
    expect((await api.call('GET', path)).body).toMatchObject({ resource: { url: `${sandbox.url}/odata` } });
    expect((await api.call('PATCH', path, { url: `${sandbox.url}/odata/` })).status).toBe(200);
  });

  it('[API-37] [DOM-04] [DOM-05] companies are read live and switched on; their tables and options then appear', async () => {
    const path = `${domains}/${domain.internalId}/companies`;
    const before = await api.call(
      'GET',
      `${path}?fields=internalId,internalName,internalAcronym,internalActive`,
    );
    expect(before.body).toMatchObject({
      total: 3,
      resources: expect.arrayContaining([
        {
          internalId: 'NL01',
          internalName: expect.any(String),
          internalAcronym: 'UTR',
          internalActive: false,
        },
      ]),
    });
    const patched = await api.call('PATCH', path, [{ internalId: 'NL01', internalActive: true }]);
    expect(patched.status).toBe(200);
    const { body } = await api.call('GET', '/api/v1/user/external-systems?limit=-1&offset=0');
    expect(body).toMatchObject({
      resources: [
        {
          id: system.internalId,
          url: 'van-doorn-erp',
          systemLevels: [{ uriId: 'domains' }, { uriId: 'companies' }],
          systemLevelOptions: [
            { uriAcronym: 'P-R-D', isProduction: true, children: [{ uriAcronym: 'UTR', children: [] }] },
          ],
        },
      ],
    });
  });

  it('[SYS-02] [SYS-03] [SYS-04] [API-07] systems, levels and options have all their keys', async () => {
    const { body } = await api.call('GET', '/api/v1/user/external-systems?limit=-1&offset=0');
    const [first] = (body as { resources: { systemLevels: object[]; systemLevelOptions: object[] }[] })
      .resources;
    expect(Object.keys(first ?? {}).sort()).toEqual([
      'acronym',
      'id',
      'name',
      'systemLevelOptions',
      'systemLevels',
      'url',
    ]);
    expect(Object.keys(first?.systemLevels[0] ?? {}).sort()).toEqual(['namePlural', 'nameSingular', 'uriId']);
    expect(Object.keys(first?.systemLevelOptions[0] ?? {})).toEqual(
      expect.arrayContaining(['internalId', 'name', 'acronym', 'uriAcronym', 'children']),
    );
  });

  it('[MENU-01] [MENU-02] [MENU-03] [MENU-04] [MENU-06] [API-06] the menu has the tables of the chosen levels, sorted, with all their keys', async () => {
    const { body: systems } = await api.call('GET', '/api/v1/user/external-systems?limit=-1&offset=0');
    const [option] =
      (
        systems as {
          resources: { systemLevelOptions: { internalId: string; children: { internalId: string }[] }[] }[];
        }
      ).resources[0]?.systemLevelOptions ?? [];
    const levels = `${option?.internalId}*${option?.children[0]?.internalId}`;
    const menu = async (language: string) => {
      const answer = await api.call(
        'GET',
        `/api/v1/user/menu?systemId=${system.internalId}&systemLevelIds=${encodeURIComponent(levels)}`,
        undefined,
        { 'accept-language': language },
      );
      return (
        answer.body as {
          mainMenu: { id: string; children: { title: string; uri: string; baseUri: string }[] }[];
        }
      ).mainMenu;
    };
    const english = (await menu('EN')).find(({ id }) => id === 'data')?.children ?? [];
    const dutch = (await menu('NL')).find(({ id }) => id === 'data')?.children ?? [];
    expect(english).toHaveLength(13);
    expect(Object.keys(english[0] ?? {}).sort()).toEqual([
      'baseUri',
      'id',
      'numberOfSystemLevels',
      'resourceTypeUriId',
      'title',
      'uri',
    ]);
    expect(english.map(({ title }) => title)).toEqual(
      english.map(({ title }) => title).sort(new Intl.Collator('en').compare),
    );
    expect(dutch.map(({ title }) => title)).toEqual(
      dutch.map(({ title }) => title).sort(new Intl.Collator('nl').compare),
    );
    expect(english.map(({ title }) => title)).toContain('Cost Centres');
    expect(dutch.map(({ title }) => title)).not.toContain('Cost Centres');
    expect(english.every((leaf) => !('children' in leaf))).toBe(true);
    const anonymousOfSystems = await api.call('GET', '/api/v1/user/menu');
    expect(JSON.stringify(anonymousOfSystems.body)).not.toContain('customers');
  });

  it('[DOM-03] a first complete load makes it active; switched off it is INACTIVE and its data can be read, not changed', async () => {
    const status = async () =>
      ((await api.call('GET', `${domains}/${domain.internalId}`)).body as { resource: { status: string } })
        .resource.status;
    await waitFor('the domain to be active', async () => (await status()) === 'ACTIVE');
    const table = '/api/v1/data/van-doorn-erp/domains/P-R-D/companies/UTR/customers';
    await waitFor(
      'customers to be cached',
      async () => (await api.call('GET', `${table}?limit=1`)).status === 200,
    );
    await api.call('PATCH', `${domains}/${domain.internalId}`, { isActive: false });
    expect(await status()).toBe('INACTIVE');
    expect((await api.call('GET', `${table}?limit=1`)).status).toBe(200);
    const refused = await api.call('PATCH', `${table}/1`, { name: 'x' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'DOMAIN_INACTIVE' } });
    await api.call('PATCH', `${domains}/${domain.internalId}`, { isActive: true, isPaused: true });
    expect(await status()).toBe('SYNC_PAUSED');
    await api.call('PATCH', `${domains}/${domain.internalId}`, { isPaused: false });
    expect(await status()).toBe('ACTIVE');
  });

  it('[DOM-03] credentials that stop working show at the domain, and new ones bring it back', async () => {
    const path = `${domains}/${domain.internalId}`;
    const status = async () =>
      ((await api.call('GET', path)).body as { resource: { status: string } }).resource.status;
    await api.call('PATCH', path, { password: 'changed in the ERP' });
    await api.call('POST', `${path}/refresh`);
    await waitFor('the refusal to show', async () => (await status()) === 'INVALID_CREDENTIALS_OR_URL');
    await api.call('PATCH', path, { password: 'sandbox' });
    await api.call('POST', `${path}/refresh`);
    await waitFor('the domain to be active again', async () => (await status()) === 'ACTIVE');
  });

  it('a domain that was refused is left alone for a while, until somebody asks or a test of it is good', async () => {
    const path = `${domains}/${domain.internalId}`;
    const status = async () =>
      ((await api.call('GET', path)).body as { resource: { status: string } }).resource.status;
    const tried = async (): Promise<number> =>
      (
        await product.query(
          `select 1 from collection where domain_id = $1 and attempted_at > now() - interval '50 seconds'`,
          [domain.internalId],
        )
      ).length;
    const makeDue = async (state: string): Promise<void> => {
      await waitFor('nothing to be read any more', async () => {
        const open = await product.query(
          'select 1 from collection where domain_id = $1 and (refresh_id is not null or wanted_at is not null)',
          [domain.internalId],
        );
        return open.length === 0;
      });
      await product.query('update domain set status = $2 where domain_id = $1', [domain.internalId, state]);
      await product.query(
        `update collection set attempted_at = now() - interval '1 minute', refreshed_at = now() - interval '1 day',
           wanted_at = null where domain_id = $1`,
        [domain.internalId],
      );
    };
    await makeDue('INVALID_CREDENTIALS_OR_URL');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await tried()).toBe(0);
    const { resource } = (await api.call('GET', path)).body as { resource: Record<string, unknown> };
    const tested = await api.call('POST', `${domains}/test-connection`, {
      internalId: domain.internalId,
      url: resource['url'],
    });
    expect(tested.body).toMatchObject({ status: 'OK' });
    await waitFor('it to be read again', async () => (await tried()) > 0);
    await waitFor('the domain to be active again', async () => (await status()) === 'ACTIVE');
    await makeDue('INVALID_CREDENTIALS_OR_URL');
    await api.call('POST', `${path}/refresh`);
    await waitFor('what somebody asked for', async () => (await tried()) > 0);
    await waitFor('the domain to be active again', async () => (await status()) === 'ACTIVE');
  });

  it('a limit of API calls stops cache refreshes at nine tenths and pauses the domain', async () => {
    const path = `${domains}/${domain.internalId}`;
    const used = ((await api.call('GET', path)).body as { resource: { apiCallsUsed: number } }).resource
      .apiCallsUsed;
    expect(used).toBeGreaterThan(12);
    await api.call('PATCH', path, { maxApiCalls: used });
    await api.call('POST', `${path}/refresh`);
    await waitFor('the pause', async () => {
      const { resource } = (await api.call('GET', path)).body as {
        resource: { status: string; statusMessage: string | null };
      };
      return resource.status === 'SYNC_PAUSED' && resource.statusMessage?.includes('API calls');
    });
    await api.call('PATCH', path, { maxApiCalls: null });
    await api.call('POST', `${path}/refresh`);
    await waitFor(
      'the domain to be active again',
      async () =>
        ((await api.call('GET', path)).body as { resource: { status: string } }).resource.status === 'ACTIVE',
    );
  });

  it('connectors that use a domain keep it from being removed; without the right, or where it fails, nothing goes', async () => {
    const path = `${domains}/${domain.internalId}`;
    const end = { id: system.internalId, levelIds: [domain.internalId] };
    const created = await api.call('POST', '/api/v1/connectors', {
      name: 'Within the domain',
      sourceSystem: end,
      targetSystem: end,
    });
    expect(created.status).toBe(201);
    expect(await api.call('DELETE', path)).toMatchObject({
      status: 409,
      body: {
        code: 'IN_USE',
        message: 'This is still in use: one connector reads from it or writes to it.',
        details: { connectors: 1 },
      },
    });
    const user = await product.addUser({
      username: 'no-deleting',
      rights: [{ endpointId: 'domains', create: false, read: true, update: true, delete: false }],
      systems: [{ externalSystemId: system.internalId, levelIds: null }],
    });
    expect((await user.call('DELETE', `${path}?confirm=true`)).status).toBe(403);
    const cached = async () =>
      await product.query(
        String.raw`select tablename from pg_tables where schemaname = 'cache' and tablename ~ '^c_\d+$' order by 1`,
      );
    const before = await cached();
    await product.query(`create function not_today() returns trigger language plpgsql as
      'begin raise exception ''no changes today''; end'`);
    await product.query(
      `create trigger not_today before delete on domain for each row execute function not_today()`,
    );
    expect((await api.call('DELETE', `${path}?confirm=true`)).status).toBe(500);
    await product.query('drop trigger not_today on domain');
    expect(before.length).toBeGreaterThan(0);
    // Reading goes on meanwhile, and may add some.
    expect(await cached()).toEqual(expect.arrayContaining(before));
    expect(await product.query(`select 1 from audit where verb = 'domain.delete'`)).toHaveLength(0);
    expect((await api.call('GET', path)).status).toBe(200);
    const { internalId } = created.body as { internalId: string };
    expect((await api.call('DELETE', `/api/v1/connectors/${internalId}`)).status).toBe(204);
  });

  it('[GRID-13] pending changes keep a domain from being removed unless that is confirmed', async () => {
    const table = '/api/v1/data/van-doorn-erp/domains/P-R-D/companies/UTR/customers';
    const pushed = tableOf(api, table);
    await pushed.patch([{ id: '1', changes: { name: 'Pushed' } }]);
    expect(await pushed.pushAll()).toMatchObject({ succeeded: 1, failed: 0 });
    expect((await api.call('PATCH', `${table}/1`, { name: 'Pending' })).status).toBe(200);
    const refused = await api.call('DELETE', `${domains}/${domain.internalId}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'IN_USE', details: { pending: 1 } } });
    expect((await api.call('DELETE', `/api/v1/manage/systems/${system.url}`)).status).toBe(409);
    expect((await api.call('DELETE', `${domains}/${domain.internalId}?confirm=true`)).status).toBe(204);
    expect((await api.call('DELETE', `/api/v1/manage/systems/${system.url}`)).status).toBe(204);
    // A refresh that was under way takes its own table with it when it finds the domain gone.
    await waitFor(
      'no table to be left',
      async () => (await product.query(`select 1 from pg_tables where schemaname = 'cache'`)).length === 0,
    );
    // Nor what was pushed and edited: neither is held together by foreign keys.
    for (const journal of ['push', 'push_item', 'edit', 'edit_cell'])
      expect(await product.query(`select 1 from ${journal}`)).toHaveLength(0);
  });
});

describe('rights', () => {
  it('without the right, domains can neither be seen, made nor tested', async () => {
    const user = await product.addUser({ username: 'plain' });
    const created = (
      await api.call('POST', '/api/v1/manage/systems', { name: 'Other', acronym: 'O', kind: 'odata' })
    ).body as { url: string };
    const path = `/api/v1/manage/systems/${created.url}/domains`;
    expect((await user.call('GET', '/api/v1/manage/systems')).status).toBe(403);
    expect((await user.call('GET', path)).status).toBe(403);
    expect((await user.call('POST', path, { name: 'a', acronym: 'a', url: 'http://a.nl' })).status).toBe(403);
    expect((await user.call('POST', `${path}/test-connection`, { url: 'http://a.nl' })).status).toBe(403);
    expect(
      (await user.call('POST', '/api/v1/manage/systems', { name: 'b', acronym: 'b', kind: 'odata' })).status,
    ).toBe(403);
    expect(await product.query(`select 1 from domain`)).toHaveLength(0);
  });
});
