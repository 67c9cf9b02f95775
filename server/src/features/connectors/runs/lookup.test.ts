import { connectorFileSchema, runSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';
import { connectVendors, type Vendors } from '../test-support/vendors.ts';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let shop: Vendors;

const started = z.object({ run: runSchema });
const found = z.object({ resource: runSchema });

/** The city comes from another table of the shop, by the code that the vendor has. */
const lookup = { fnId: 'lookupSource', args: { collection: 'place', keyField: 'code', returnField: 'name' } };

/** More tables than a worker looks at at once. */
const shelves = Array.from({ length: 14 }, (_, index) => `shelf${index}`);

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  shop = await connectVendors(api, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: 20,
    held: ['place', 'label', ...shelves].join(', '),
    more: [
      ...shelves.map((shelf) => `create table ${shelf} (id int primary key)`),
      'create table place (id int primary key, code text not null, name text)',
      'create table label (id int primary key, name text)',
      'create table tag (id int primary key, name text)',
      `insert into place values (1, 'DLF', 'Delft'), (2, 'UTR', 'Utrecht')`,
      `update vendor set town = case town when 'Delft' then 'DLF' else 'UTR' end`,
    ],
  });
  const mappings = (shop.mappings() as { targetField: string }[]).map((mapping) =>
    mapping.targetField === 'address.city'
      ? { ...mapping, mappingSources: fromField(shop.sourceId, 'town', [lookup]) }
      : mapping,
  );
  await shop.change({ mappings });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
  await shop?.drop();
});

const pauseShop = async (isPaused: boolean): Promise<void> => {
  const [domainId] = shop.ends.shop.levelIds;
  await product.query(`update domain set is_paused = ${isPaused} where domain_id = '${domainId}'`);
};
const readAt = async (table: string): Promise<string | undefined> =>
  (
    await product.query<{ at: Date | null }>(
      `select refreshed_at as at from collection where resource_type_uri_id = '${table}'`,
    )
  )[0]?.at?.toISOString();
const cityOf = async (name: string): Promise<unknown> =>
  ((await shop.target.where('name', name))[0]?.['address'] as { city?: unknown } | undefined)?.city;

describe('a system that does not answer', () => {
  it('holds only its own places for reading, however many of its tables wait: tables of others are read meanwhile', async () => {
    const asked = ['place', 'label'].map((table) => shop.source.path.replace(/vendor$/, table));
    for (const path of asked) await api.call('GET', `${path}?limit=1`);
    const reading = async () =>
      await product.query(
        `select from collection where resource_type_uri_id in ('place', 'label') and attempted_at is not null`,
      );
    await waitFor('both to be read', async () => (await reading()).length === 2);
    const before = await readAt('suppliers');
    for (const shelf of shelves)
      expect((await api.call('GET', `${shop.source.path.replace(/vendor$/, shelf)}?limit=1`)).status).toBe(
        503,
      );
    // Asked for before all of those.
    await product.query(
      `update collection set wanted_at = now() - interval '1 hour', attempted_at = null where resource_type_uri_id = 'suppliers'`,
    );
    await waitFor('the other system', async () => (await readAt('suppliers')) !== before);
    expect(await readAt('place')).toBeUndefined();
    expect(await readAt('label')).toBeUndefined();
  });
});

describe('[XFORM-06] lookups of a run', () => {
  it('a run waits until the table has been read for the first time, says so, and can be cancelled', async () => {
    const run = await shop.start();
    await waitFor('the run to wait', async () => (await shop.find(run.internalId)).message !== null);
    expect((await shop.find(run.internalId)).message).toBe(
      'Waiting until Place has been read, in which a lookup searches',
    );
    await api.call('DELETE', `${shop.action}/runs/${run.internalId}`);
    expect(await shop.ended(run)).toMatchObject({ status: 'CANCELLED', message: null });
    const tried = await api.call('POST', `${shop.action}/lookup`, {
      system: 'source',
      ...lookup.args,
      keys: ['DLF'],
    });
    expect(tried).toMatchObject({ status: 503, body: { code: 'NOTHING_CACHED_YET' } });
    expect(JSON.stringify(tried.body)).toContain('Place, in which a lookup searches, is being read');
  });

  it('runs that wait for a table hold up no others', async () => {
    const plain = [
      { targetField: 'name', mappingSources: fromField('vendor', 'title') },
      { targetField: 'iban', isUnique: true, mappingSources: fromField('vendor', 'account') },
      { targetField: 'currency', defaultValue: 'EUR', mappingSources: fromField('vendor', 'note') },
    ];
    const city = { targetField: 'address.city', mappingSources: fromField('vendor', 'town', [lookup]) };
    const connector = await makeConnector(api, 'Waiting', shop.ends.shop, shop.ends.erp);
    const ends = { source: 'vendor', target: 'suppliers' };
    const waiting: string[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      const action = await makeAction(api, connector, { name, ...ends, mappings: [...plain, city] });
      const { run } = await api.send('POST', `${action}/manual-run`, {}, started);
      waiting.push(`${action}/runs/${run.internalId}`);
    }
    for (const path of waiting)
      await waitFor('the run to wait', async () => (await api.get(path, found)).resource.message !== null);
    const free = await makeAction(api, connector, { name: 'Free', ...ends, mappings: plain });
    const ended = await runAction(api, free);
    expect(ended).toMatchObject({ status: 'DONE', counts: { inserted: 20 } });
    await api.call('POST', `${free}/runs/${ended.internalId}/discard`, {});
    expect(await shop.target.pending()).toEqual([]);
    for (const path of waiting) {
      expect((await api.get(path, found)).resource.finishedAt).toBeNull();
      await api.call('DELETE', path);
      await waitFor('its end', async () => (await api.get(path, found)).resource.status === 'CANCELLED');
    }
  });

  it('a table that was never read is named as the reason while its system is paused; later the run waits for it', async () => {
    await pauseShop(true);
    const failed = await shop.runNow();
    expect(failed).toMatchObject({ status: 'FAILED', counts: { inserted: 0, failed: 0 } });
    expect(failed.message).toBe(
      'Place, in which a lookup searches, has never been read, and its domain or company is paused or switched off',
    );
    await pauseShop(false);
    const run = await shop.start();
    await waitFor('the run to wait', async () => (await shop.find(run.internalId)).message !== null);
    await shop.release();
    expect(await shop.ended(run)).toMatchObject({
      status: 'DONE',
      message: null,
      counts: { inserted: 20, failed: 0 },
    });
    expect(await cityOf('Vendor 1')).toBe('Delft');
  });

  it('a record of the source that is younger than its cached table is found, because that is read anew', async () => {
    await shop.query(`insert into place values (3, 'GRO', 'Groningen')`);
    await shop.query(`insert into vendor values (21, 'Vendor 21', 'GRO', 'NL91ABNA9999999999', 'A')`);
    const run = await shop.runNow();
    expect(run).toMatchObject({ status: 'DONE', counts: { inserted: 1, failed: 0 } });
    expect(await cityOf('Vendor 21')).toBe('Groningen');
  });

  it('a value that is nowhere fails its record by name, after one more reading', async () => {
    await shop.query(`insert into vendor values (22, 'Vendor 22', 'XXX', 'NL91ABNA8888888888', 'A')`);
    const before = await readAt('place');
    const run = await shop.runNow();
    expect(run).toMatchObject({ status: 'PARTIALLY_FAILED', counts: { inserted: 0, failed: 1 } });
    const { failures } = await api.get(
      `${shop.action}/runs/${run.internalId}`,
      z.object({
        failures: z.object({
          resources: z.array(z.object({ errors: z.array(z.object({ message: z.string() })) })),
        }),
      }),
    );
    expect(failures.resources[0]?.errors[0]?.message).toBe("No record with 'XXX' in Place");
    expect(await readAt('place')).not.toBe(before);
  });
});

describe('the target of an action', () => {
  it('is read as soon as it is wired, by name refused until then', async () => {
    const connector = await makeConnector(api, 'Back', shop.ends.erp, shop.ends.shop);
    const action = await makeAction(api, connector, {
      name: 'Labels',
      source: 'suppliers',
      target: 'label',
      mappings: [],
    });
    await waitFor('the table to be read', async () => (await readAt('label')) !== undefined);
    await product.query(`update collection set refreshed_at = null where resource_type_uri_id = 'label'`);
    const refused = await api.call('POST', `${action}/manual-run`, {});
    expect(refused).toMatchObject({ status: 503, body: { code: 'NOTHING_CACHED_YET' } });
    expect(JSON.stringify(refused.body)).toContain('Label is being read for the first time');
  });

  it('is read as soon as an imported action has it', async () => {
    const connector = await makeConnector(api, 'Labels', shop.ends.erp, shop.ends.shop);
    await makeAction(api, connector, { name: 'Labels', source: 'suppliers', target: 'label', mappings: [] });
    const file = await api.get(`${connector}/export`, connectorFileSchema);
    for (const { wiring } of file.actions) for (const end of wiring.targets) end.optionId = 'tag';
    await api.send(
      'POST',
      '/api/v1/connectors/import',
      { file, name: 'Tags', sourceSystem: shop.ends.erp, targetSystem: shop.ends.shop },
      z.object({ copied: z.literal(1) }),
    );
    await waitFor('the table to be read', async () => (await readAt('tag')) !== undefined);
  });
});
