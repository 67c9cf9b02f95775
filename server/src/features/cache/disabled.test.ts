import type { Sandbox } from '@sluice/sandbox';
import {
  connectDomain,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createPool } from '../../platform/db.ts';
import { dropDisabled } from './store.ts';

let sandbox: Sandbox;
let product: Product;
let domain: Awaited<ReturnType<typeof connectDomain>>;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  domain = await connectDomain(product.admin, {
    kind: 'odata',
    systemName: 'Shop',
    url: `${sandbox.url}/odata`,
    database: 'test',
    username: 'sandbox',
    password: 'sandbox',
    companies: ['NL01'],
  });
  await waitUntilCached(product.admin, domain.table('suppliers'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

it('a week after a company was switched off its cache goes, its pending changes stay, and switched on again it is read anew', async () => {
  const table = tableOf(product.admin, domain.table('suppliers'));
  const [changed] = await table.find('limit=1');
  await table.patch([{ id: changed!.internalId, changes: { name: 'Still to be pushed' } }]);
  const [kept] = await product.query<{ id: number; all: number }>(
    `select collection_id as id, row_count as all from collection where resource_type_uri_id like '%suppliers'`,
  );
  const { id, all } = kept!;
  const count = async (): Promise<number> =>
    Number((await product.query<{ n: string }>(`select count(*) as n from cache.c_${id}`))[0]?.n);
  const clean = async (): Promise<void> => {
    const pool = createPool({
      url: product.databaseUrl,
      max: 1,
      applicationName: 'test',
      onError: console.error,
    });
    await dropDisabled(pool);
    await pool.end();
  };
  const since = async (days: number): Promise<void> => {
    await product.query(
      `update domain_company set is_active = false, disabled_at = now() - make_interval(days => $1)`,
      [days],
    );
  };
  await since(6);
  await clean();
  expect(await count()).toBe(all);
  await since(8);
  await clean();
  expect(await count()).toBe(1);
  await product.query('update domain_company set is_active = true, disabled_at = null');
  expect(await table.pending()).toMatchObject([{ action: 'update', id: changed!.internalId }]);
  await product.admin.send('POST', `${table.path}/cache`, undefined, z.unknown());
  await waitFor('all of it to be there again', async () => (await count()) === all);
  expect((await table.find('limit=1'))[0]).toMatchObject({ name: 'Still to be pushed' });
});
