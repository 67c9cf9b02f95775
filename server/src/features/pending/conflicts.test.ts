import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  type ConnectedDomain,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let domain: ConnectedDomain;
let table: ReturnType<typeof tableOf>;
let made = 0;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 10 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  domain = await connectSandbox(api, sandbox);
  table = tableOf(api, domain.table('customers'));
  await waitUntilCached(api, table.path);
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});
/** What a test that failed has left does not spoil the next. */
afterEach(async () => {
  const ids = (await table.pending()).map(({ id }) => id);
  if (ids.length > 0)
    await api.call('DELETE', `${table.path}/push`, { insert: ids, update: ids, delete: ids });
});

async function erp(method: string, path: string, body?: unknown): Promise<Record<string, unknown> | null> {
  const response = await fetch(`${sandbox.url}/odata/production/Companies('NL01')/${path}`, {
    method,
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 404) return null;
  expect(response.status).toBeLessThan(300);
  return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
}

const refresh = async (): Promise<void> =>
  void (await api.send('POST', `${table.path}/cache`, {}, z.unknown()));

/** A record that nothing in the ERP refers to, so that it may be deleted there. */
async function newRecord(): Promise<{ id: string; number: string }> {
  const name = `Lone ${++made} B.V.`;
  const created = await erp('POST', 'Customers', { name, customerGroup: 'retail', invoiceMethod: 'post' });
  await refresh();
  let id = '';
  await waitFor('the new record to be read', async () => {
    id = (await table.where('name', name))[0]?.internalId ?? '';
    return id !== '';
  });
  return { id, number: String(created?.['number']) };
}
const decide = async (decision: { id: string; field?: string; choice: string }): Promise<unknown> =>
  await api.send('POST', `${table.path}/pending/resolve`, [decision], z.unknown());
const operationOf = async (id: string) => (await table.pending()).find((operation) => operation.id === id);
const inConflict = async (id: string) => {
  await refresh();
  await waitFor('the conflict', async () => (await operationOf(id))?.state === 'conflict');
  return await operationOf(id);
};
const untilDropped = async (id: string): Promise<void> => {
  await refresh();
  await waitFor('the change to be dropped', async () => (await operationOf(id)) === undefined);
};

describe('a value that changed in the external system', () => {
  const moved = async () => {
    const record = await newRecord();
    await table.patch([{ id: record.id, changes: { paymentTermDays: 14, 'address.city': 'Leiden' } }]);
    await erp('PATCH', `Customers('${record.number}')`, { paymentTermDays: 60 });
    return { ...record, operation: await inConflict(record.id) };
  };
  const termOf = async (number: string) => (await erp('GET', `Customers('${number}')`))?.['paymentTermDays'];

  it('[PEND-09] is found by a refresh: the cell keeps the old value, theirs and mine; the other fields of the record are none', async () => {
    const { id, operation, number } = await moved();
    const [term, city] = ['paymentTermDays', 'address.city'].map((name) =>
      operation?.changes.find(({ fieldName }) => fieldName === name),
    );
    expect(term).toMatchObject({ newValue: 14, theirs: 60 });
    expect(term?.oldValue).not.toBe(60);
    expect(city).toMatchObject({ newValue: 'Leiden' });
    expect(city).not.toHaveProperty('theirs');
    expect((await table.pushAll()).succeeded).toBe(0);
    expect(await termOf(number)).toBe(60);
    await decide({ id, choice: 'takeTheirs' });
    expect((await operationOf(id))?.changes.map(({ fieldName }) => fieldName)).toEqual(['address.city']);
    expect((await table.pushAll()).succeeded).toBe(1);
  });

  it('is pushed over theirs when mine is kept', async () => {
    const { id, number } = await moved();
    await decide({ id, field: 'paymentTermDays', choice: 'keepMine' });
    expect(await operationOf(id)).toMatchObject({ state: 'pending' });
    expect((await table.pushAll()).succeeded).toBe(1);
    expect(await termOf(number)).toBe(14);
  });

  it('is decided by another value as well', async () => {
    const { id, number, operation: before } = await moved();
    await table.patch([{ id, revision: before?.revision ?? 0, changes: { paymentTermDays: 21 } }]);
    const operation = await operationOf(id);
    expect(operation).toMatchObject({ state: 'pending' });
    expect(operation?.changes).toContainEqual(expect.objectContaining({ oldValue: 60, newValue: 21 }));
    expect((await table.pushAll()).succeeded).toBe(1);
    expect(await termOf(number)).toBe(21);
  });

  it('becomes no conflict where it is what I made of it', async () => {
    const { id, number } = await newRecord();
    await table.patch([{ id, changes: { paymentTermDays: 14 } }]);
    await erp('PATCH', `Customers('${number}')`, { paymentTermDays: 14 });
    await untilDropped(id);
  });
});

describe('a record that was deleted in the external system', () => {
  const deleted = async () => {
    const record = await newRecord();
    await table.patch([{ id: record.id, changes: { paymentTermDays: 14 } }]);
    await erp('DELETE', `Customers('${record.number}')`);
    // A sweep of the whole table finds it out, or, sooner, the push.
    expect((await table.pushAll()).succeeded).toBe(0);
    return { ...record, operation: await operationOf(record.id) };
  };

  it('keeps its pending change as a conflict, and goes with it when it is discarded', async () => {
    const { id, operation } = await deleted();
    expect(operation).toMatchObject({ action: 'update', isGone: true });
    await decide({ id, choice: 'discard' });
    expect((await api.call('GET', `${table.path}/${id}`)).status).toBe(404);
  });

  it('becomes a new record with all its values when that is wanted', async () => {
    const { id } = await deleted();
    await decide({ id, choice: 'insertAgain' });
    expect(await operationOf(id)).toMatchObject({ id, action: 'add', isGone: false });
    expect((await table.pushAll()).succeeded).toBe(1);
    const [record] = await table.where('name', `Lone ${made} B.V.`);
    expect(await erp('GET', `Customers('${String(record?.['number'])}')`)).toMatchObject({
      paymentTermDays: 14,
    });
  });

  it('is what a pending delete of it wanted: pushing that is no failure', async () => {
    const { id, number } = await newRecord();
    await table.remove([id]);
    await erp('DELETE', `Customers('${number}')`);
    expect(await table.pushAll()).toMatchObject({ status: 'DONE', succeeded: 1, failed: 0 });
    expect((await api.call('GET', `${table.path}/${id}`)).status).toBe(404);
  });
});
