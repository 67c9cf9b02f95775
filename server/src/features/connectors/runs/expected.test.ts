import { runCountsSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import { type Product, startProduct, startSandbox } from '@sluice/testing';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectVendors, type Vendors } from '../test-support/vendors.ts';

const rows = 60;
const expectedSchema = z.object({
  counts: runCountsSchema.extend({ deleted: z.number().nullable() }),
  isPartial: z.boolean(),
});

let sandbox: Sandbox;
let product: Product;
let shop: Vendors;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  shop = await connectVendors(product.admin, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: rows,
  });
  await shop.change({ mappings: shop.mappings() });
  await shop.runNow();
  await shop.target.pushAll();
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
  await shop?.drop();
});

const expected = async (body: object = {}) =>
  await product.admin.send('POST', `${shop.action}/manual-run/expected`, body, expectedSchema);
const trigger = (sourceRecordSelection: string, conditions: object[] = []) => ({
  internalId: sourceRecordSelection,
  name: sourceRecordSelection,
  sourceRecordSelection,
  conditions,
});

describe('the dry count before a manual run', () => {
  it('what a run would delete is counted only where it would look for it', async () => {
    await shop.change({ triggers: [trigger('newAndExisting'), trigger('deleted')] });
    await shop.query('delete from vendor where id > 20');
    const deleted = async (body: object) => (await expected(body)).counts.deleted;
    expect(await deleted({})).toBe(rows - 20);
    expect(await deleted({ triggerId: 'deleted' })).toBe(rows - 20);
    expect(await deleted({ triggerId: 'newAndExisting' })).toBe(0);
    expect(await deleted({ query: { source: shop.sourceId, limit: 5 } })).toBe(0);
    expect(await shop.target.pending()).toEqual([]);
  });

  it('it comes to what the run then does, also where a person has changed what is gone', async () => {
    const [edited] = await shop.target.where('name', 'Vendor 30');
    await shop.target.patch([{ id: edited!.internalId, changes: { 'address.city': 'Zwolle' } }]);
    await shop.query(`insert into vendor (id, title, town, account, kind)
      values (101, 'One more', 'Delft', 'NL91ABNA0000009501', 'A'), (102, 'Cannot be', 'Delft', 'NL91ABNA0000009502', 'Z')`);
    await shop.query(`update vendor set town = 'Sneek' where id = 5`);
    const { counts, isPartial } = await expected();
    expect(counts).toEqual({
      inserted: 1,
      updated: 1,
      deleted: rows - 21,
      unchanged: 19,
      failed: 1,
      conflicts: 1,
    });
    expect(isPartial).toBe(false);
    expect((await shop.runNow()).counts).toEqual(counts);
    expect((await expected()).counts.deleted).toBe(0);
  });

  it('after the first records of a big source how many it would delete is unknown, and said to be', async () => {
    await shop.query(`insert into vendor (id, title, town, account, kind)
      select n, 'Vendor ' || n, 'Delft', 'NL91ABNA' || lpad(n::text, 10, '0'), 'A' from generate_series(1000, 11500) n`);
    const { counts, isPartial } = await expected();
    expect([isPartial, counts.deleted]).toEqual([true, null]);
    expect((await expected({ triggerId: 'newAndExisting' })).counts.deleted).toBe(0);
  });
});
