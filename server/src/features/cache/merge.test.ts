import { cacheStateSchema } from '@sluice/contract';
import { tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type Shop, startShop } from '../bulk/test-support/shop.ts';

let shop: Shop;
let path: string;

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), { journalEntries: 10, tables: ['customers'] });
  path = shop.table('customers');
});
afterAll(async () => await shop.stop());

const erp = async (where: string, method: string, body: unknown): Promise<void> => {
  const response = await fetch(`${shop.sandbox.url}/${where}`, {
    method,
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
};
const customerSchema = z.looseObject({ internalId: z.string(), number: z.string(), name: z.string() });

it('what a push writes while a refresh is being merged stays, though the refresh read the record before it', async () => {
  const { pool } = shop.product.app;
  const customers = tableOf(shop.ada, path);
  const [found] = await customers.find('limit=1&offset=5');
  const customer = customerSchema.parse(found);
  const { rows } = await pool.query<{ id: number }>(
    "select collection_id as id from collection where resource_type_uri_id = 'customers'",
  );
  const staging = `cache.s_${rows[0]?.id}`;

  // The refresh reads the record because the ERP has changed it, and waits for the ERP long enough to be stopped.
  await erp(`odata/production/Companies('NL01')/Customers('${customer.number}')`, 'PATCH', {
    paymentTermDays: 41,
  });
  await customers.patch([{ id: customer.internalId, changes: { name: 'Written by the push' } }]);
  const latency = { kind: 'latency', ms: 1500, method: 'GET', path: 'Customers', times: 1 };
  await erp('admin/faults', 'POST', { faults: [latency] });
  await shop.ada.send('POST', `${path}/cache`, undefined, cacheStateSchema);
  const stop = await pool.connect();
  try {
    await waitFor('the refresh to begin', async () => {
      const { rows: known } = await pool.query<{ is: boolean }>(
        `select to_regclass('${staging}') is not null as is`,
      );
      return known[0]?.is;
    });
    // Lets the records in and the first question be asked, and stops the merge at its ANALYZE.
    await stop.query(`begin; lock table ${staging} in share update exclusive mode`);
    await waitFor('the merge to wait', async () => {
      const { rowCount } = await pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'analyze%'",
      );
      return rowCount === 1;
    });
    const { rows: staged } = await pool.query(`select from ${staging}`);
    expect(staged.length).toBeGreaterThan(0);
    await customers.pushAll();
    const nameNow = async (): Promise<unknown> =>
      (await customers.where('number', customer.number))[0]?.['name'];
    expect(await nameNow()).toBe('Written by the push');
    await stop.query('commit');
    await waitFor('the merge to end', async () => {
      const { rows: known } = await pool.query<{ is: boolean }>(
        `select to_regclass('${staging}') is null as is`,
      );
      return known[0]?.is;
    });
    expect(await nameNow()).toBe('Written by the push');
  } finally {
    stop.release(true);
  }
});
