import { tableOf } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bulkOf, type Shop, startShop } from './test-support/shop.ts';

let shop: Shop;
let path: string;
let all: ({ internalId: string } & Record<string, unknown>)[];
const ada = () => bulkOf(shop.ada, path);

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), { journalEntries: 100, tables: ['customers'] });
  path = shop.table('customers');
  all = await tableOf(shop.ada, path).find('limit=5000');
});
afterAll(async () => await shop?.stop());

describe('distinct values', () => {
  it('come with their counts, the most frequent first, and add up to all records', async () => {
    const { values, isComplete } = await ada().distinct({ field: 'invoiceMethod', view: {} });
    const expected = new Map<unknown, number>();
    for (const { invoiceMethod } of all) expected.set(invoiceMethod, (expected.get(invoiceMethod) ?? 0) + 1);
    expect(new Map(values.map(({ value, count }) => [value, count]))).toEqual(expected);
    const counts = values.map(({ count }) => count);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(isComplete).toBe(true);
  });

  it('other conditions narrow them, those of the field itself do not', async () => {
    const view = {
      filter: [
        { field: 'language', operator: 'equals', value: 'nl' },
        { field: 'invoiceMethod', operator: 'equals', value: 'post' },
      ],
    };
    const { values } = await ada().distinct({ field: 'invoiceMethod', view });
    expect(values.length).toBeGreaterThan(1);
    expect(values.reduce((sum, { count }) => sum + count, 0)).toBe(
      all.filter(({ language }) => language === 'nl').length,
    );
  });

  it('a text and a limit narrow them; lists have none', async () => {
    const some = await ada().distinct({ field: 'address.city', view: {}, contains: 'A', limit: 2 });
    expect(some.values).toHaveLength(2);
    expect(some.values.every(({ value }) => String(value).toLowerCase().includes('a'))).toBe(true);
    expect(some.isComplete).toBe(false);
    const lists = await shop.ada.call('POST', `${path}/distinct`, { field: 'tags', view: {} });
    expect(lists).toMatchObject({ status: 400, body: { message: expect.stringContaining('lists') } });
  });

  it('of a big column in which nearly all are different the first ones come, with true counts and the records without', async () => {
    const [{ id: table } = { id: 0 }] = await shop.product.query<{ id: number }>(
      `update collection set row_count = 60000 where resource_type_uri_id = 'customers' returning collection_id as id`,
    );
    const empty = all.slice(0, 3).map(({ internalId }) => internalId);
    await bulkOf(shop.ada, path).run({ ids: empty }, { kind: 'set', changes: { website: null } });
    const twice = all.slice(3, 5).map(({ internalId }) => internalId);
    await bulkOf(shop.ada, path).run({ ids: twice }, { kind: 'set', changes: { website: 'a first one' } });
    const records = await tableOf(shop.ada, path).find('limit=5000');
    await shop.product.query(`analyze cache.c_${table}`);
    for (const field of ['number', 'website']) {
      const counts = new Map<unknown, number>();
      for (const record of records) {
        const value = record[field] ?? null;
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      const { values, isComplete } = await ada().distinct({ field, view: {}, limit: 10 });
      expect(values).toHaveLength(10);
      expect(isComplete).toBe(false);
      for (const { value, count } of values) expect(count, `${field} ${value}`).toBe(counts.get(value));
    }
    const { values } = await ada().distinct({ field: 'number', view: {}, limit: 10 });
    const numbers = records.map((record) => String(record['number'])).sort();
    expect(values.map(({ value }) => value)).toEqual(numbers.slice(0, 10));
  });
});

describe('lookup', () => {
  it('answers per key who has it: nobody, one, or several; pending values count, impossible ones match nobody', async () => {
    const [a, b, c] = all.slice(200);
    await tableOf(shop.ada, path).patch([
      { id: b?.internalId ?? '', changes: { foundedYear: 1777, 'address.city': 'Zz' } },
      { id: c?.internalId ?? '', changes: { foundedYear: 1777, 'address.city': 'Zz' } },
    ]);
    const { ids } = await ada().lookup({
      fields: ['foundedYear', 'address.city'],
      keys: [
        [1777, 'Zz'],
        [1777, 'nowhere'],
        ['soon', 'Zz'],
        [null, 'Zz'],
      ],
    });
    expect(ids).toEqual([[b?.internalId, c?.internalId], [], [], []]);
    const numbers = all.map(({ number }) => [number as string]);
    const found = await ada().lookup({ fields: ['number'], keys: numbers });
    expect(found.ids).toEqual(all.map(({ internalId }) => [internalId]));
    expect(a).toBeDefined();
    const wrong = await shop.ada.call('POST', `${path}/lookup`, { fields: ['number'], keys: [['x', 'y']] });
    expect(wrong).toMatchObject({ status: 422, body: { fieldErrors: [{ field: 'keys[0]' }] } });
  });
});

describe('duplicates', () => {
  it('[GRID-16] are groups that share a natural key, cached or pending, the newest first', async () => {
    const first = await ada().duplicates();
    expect(first.keys).toEqual(expect.arrayContaining([['vatNumber'], ['number']]));
    expect(first.fields).toEqual(['vatNumber']);
    const with1 = all.filter(({ vatNumber }) => vatNumber !== null).slice(20, 23);
    const table = tableOf(shop.ada, path);
    const [x, y, z] = with1;
    const added = await table.insert([{ name: 'Twice', vatNumber: x?.['vatNumber'] }]);
    const newId = added.resources[0]?.internalId ?? '';
    await table.patch([{ id: y?.internalId ?? '', changes: { vatNumber: z?.['vatNumber'] } }]);
    const found = await ada().duplicates();
    expect(found.total).toBe(first.total + 2);
    expect(found.records).toBe(first.records + 4);
    expect(found.groups[0]).toEqual({ values: [x?.['vatNumber']], ids: [newId, x?.internalId], count: 2 });
    const second = found.groups.find(({ values }) => values[0] === z?.['vatNumber']);
    expect(new Set(second?.ids)).toEqual(new Set([y?.internalId, z?.internalId]));
    // What is about to go is no duplicate.
    await table.remove([z?.internalId ?? '']);
    expect((await ada().duplicates()).total).toBe(first.total + 1);
  });

  it('[GRID-16] of other fields that the user chooses, a page at a time', async () => {
    const chosen = await ada().duplicates('fields=language,customerGroup&limit=2&offset=1');
    const groups = new Map<string, number>();
    for (const { language, customerGroup } of await tableOf(shop.ada, path).find('limit=5000')) {
      if (language === null || customerGroup === null) continue;
      const key = `${String(language)} ${String(customerGroup)}`;
      groups.set(key, (groups.get(key) ?? 0) + 1);
    }
    const twice = [...groups.values()].filter((count) => count > 1);
    expect(chosen.groups).toHaveLength(2);
    expect(
      chosen.groups.every(
        ({ values, ids, count }) => values.length === 2 && ids.length === Math.min(count, 1000),
      ),
    ).toBe(true);
    // The deleted record of the test before may be one of them.
    expect(chosen.total).toBe(twice.length);
    const beyond = await ada().duplicates('fields=language,customerGroup&offset=900');
    expect(beyond).toMatchObject({ groups: [], total: chosen.total, records: chosen.records });
    const wrong = await shop.ada.call('GET', `${path}/duplicates?fields=nope`);
    expect(wrong.status).toBe(400);
  });
});
