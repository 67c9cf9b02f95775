import { cacheStateSchema } from '@sluice/contract';
import { tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../platform/log.ts';
import { type Shop, startShop } from '../bulk/test-support/shop.ts';
import { refreshCollection } from './refresh.ts';

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

async function collection(): Promise<{ id: number; domain: string }> {
  const { rows } = await shop.product.app.pool.query<{ id: number; domain: string }>(
    "select collection_id as id, domain_id as domain from collection where resource_type_uri_id = 'customers'",
  );
  if (!rows[0]) throw new Error('no table of customers');
  return rows[0];
}

it('a full refresh writes those rows with pending changes of which the ERP says something new, and no others', async () => {
  const { pool, systems } = shop.product.app;
  const customers = tableOf(shop.ada, path);
  const [same, other, conflict] = z.array(customerSchema).parse(await customers.find('limit=3&offset=20'));
  if (!same || !other || !conflict) throw new Error('too few customers');
  const all = [same, other, conflict];
  await customers.patch(all.map(({ internalId }) => ({ id: internalId, changes: { name: 'Mine' } })));
  const { id, domain } = await collection();
  const versions = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ version: string }>(
      `select t.xmin::text as version from cache.c_${id} t join unnest($1::int4[]) with ordinality v(rid, n) using (rid) order by n`,
      [all.map(({ internalId }) => Number(internalId))],
    );
    return rows.map(({ version }) => version);
  };
  const at = (number: string): string => `odata/production/Companies('NL01')/Customers('${number}')`;
  const before = await versions();
  await erp(at(other.number), 'PATCH', { paymentTermDays: 43 });
  await erp(at(conflict.number), 'PATCH', { name: 'Theirs' });
  const services = { pool, log: createLog(() => undefined), now: () => new Date() };
  const session = await systems.connections.of(domain);
  const isOver = await waitFor('the refresh', async () =>
    refreshCollection(services, session, id, new AbortController().signal, { isFull: true }),
  );
  expect(isOver.kind).toBe('full');
  const after = await versions();
  expect(after.map((version, index) => version !== before[index])).toEqual([false, true, true]);
  const byNumber = async (number: string): Promise<unknown> => (await customers.where('number', number))[0];
  expect(await byNumber(same.number)).toMatchObject({ name: 'Mine' });
  expect(await byNumber(other.number)).toMatchObject({ name: 'Mine', paymentTermDays: 43 });
  expect(await byNumber(conflict.number)).toMatchObject({ name: 'Mine' });
  const operations = await customers.pending();
  const stateOf = (customer: { internalId: string }) =>
    operations.find((operation) => operation.id === customer.internalId)?.state;
  expect(all.map(stateOf)).toEqual(['pending', 'pending', 'conflict']);
  await shop.ada.send(
    'DELETE',
    `${path}/push`,
    { update: all.map(({ internalId }) => internalId) },
    z.unknown(),
  );
});

it('what a push writes while a refresh is being merged stays, though the refresh read the record before it', async () => {
  const { pool } = shop.product.app;
  const customers = tableOf(shop.ada, path);
  const [found] = await customers.find('limit=1&offset=5');
  const customer = customerSchema.parse(found);
  const staging = `cache.s_${(await collection()).id}`;

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
