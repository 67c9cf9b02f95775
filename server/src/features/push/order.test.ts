import type { Sandbox } from '@sluice/sandbox';
import {
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parentsFirst } from './order.ts';

describe('the order of records that refer to each other', () => {
  const parents = (pairs: readonly (readonly [child: number, parent: number])[]) => {
    const found = new Map<number, number[]>();
    for (const [child, parent] of pairs) found.set(child, [...(found.get(child) ?? []), parent]);
    return found;
  };

  it('puts a parent before its children and leaves the others where they are', () => {
    const parentsOf = parents([
      [1, 4],
      [4, 3],
      [6, 5],
    ]);
    expect(parentsFirst([1, 2, 3, 4, 5, 6], parentsOf)).toEqual([3, 4, 1, 2, 5, 6]);
  });

  it('holds of a record with two parents, of a ring, and of a chain of any length', () => {
    const two = parents([
      [1, 3],
      [1, 2],
      [2, 3],
    ]);
    expect(parentsFirst([1, 2, 3], two)).toEqual([3, 2, 1]);
    const ring = parents([
      [1, 2],
      [2, 1],
    ]);
    expect(parentsFirst([1, 2, 3], ring)).toEqual([2, 1, 3]);
    const rids = Array.from({ length: 50_000 }, (_, index) => index);
    const chain = parents(rids.slice(1).map((rid) => [rid - 1, rid]));
    expect(parentsFirst(rids, chain)).toEqual(rids.toReversed());
  });
});

describe('a push of records of which some belong to others of the same table', () => {
  let sandbox: Sandbox;
  let product: Product;
  let table: ReturnType<typeof tableOf>;

  beforeAll(async () => {
    sandbox = await startSandbox({ journalEntries: 10 });
    product = await startProduct(inject('postgresUrl'));
    const domain = await connectSandbox(product.admin, sandbox, { database: 'test' });
    table = tableOf(product.admin, domain.table('cost-centres'));
    await waitUntilCached(product.admin, table.path);
  });
  afterAll(async () => {
    await product?.stop();
    await sandbox?.close();
  });

  /** Each belongs to the one before it. */
  const chain = (mark: string) =>
    Array.from({ length: 4 }, (_, index) => ({
      code: `${mark}${index}`,
      name: `Order ${mark}${index}`,
      ...(index === 0 ? {} : { parent: `${mark}${index - 1}` }),
    }));
  const idsOf = async (mark: string): Promise<string[]> => {
    const found = await Promise.all(chain(mark).map(async ({ code }) => await table.where('code', code)));
    return found.flat().map(({ internalId }) => internalId);
  };

  it('takes new parents before their children, in whatever order they were entered', async () => {
    await table.insert(chain('ZA').toReversed());
    const result = await table.pushAll();
    expect(result).toMatchObject({ status: 'DONE', succeeded: 4, failed: 0 });
    expect(result.results.map(({ id }) => id)).toEqual(await idsOf('ZA'));
  });

  it('deletes children before what they belong to', async () => {
    await table.insert(chain('ZB'));
    expect(await table.pushAll()).toMatchObject({ status: 'DONE', succeeded: 4 });
    const ids = await idsOf('ZB');
    await table.remove(ids);
    const result = await table.pushAll();
    expect(result).toMatchObject({ status: 'DONE', succeeded: 4, failed: 0 });
    expect(result.results.map(({ id }) => id)).toEqual(ids.toReversed());
  });
});
