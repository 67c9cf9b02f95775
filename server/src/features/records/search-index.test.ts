import { tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { bulkOf, type Shop, startShop } from '../bulk/test-support/shop.ts';

let shop: Shop;
let path: string;

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), { journalEntries: 50, tables: ['customers'] });
  path = shop.table('customers');
});
afterAll(async () => await shop?.stop());

const odd = ['Ångström & Zn', '100%_sure', 'say "hello"', 'back\\slash', 'STRASSE straße', 'ab'];
const needles = [
  ...odd,
  'ångström',
  'ÅNGSTRÖM',
  'strasse',
  'hello"',
  'bv',
  'B.V.',
  'e',
  '%_s',
  '12',
  'retail',
];

/** What a filter and a search say of every needle: record ids, and hits. */
async function answers() {
  const { token } = await bulkOf(shop.ada, path).snapshot();
  return await Promise.all(
    needles.map(async (text) => {
      const filter = JSON.stringify([{ field: 'notes', operator: 'contains', value: text }]);
      const found = await tableOf(shop.ada, path).find(`limit=5000&filter=${encodeURIComponent(filter)}`);
      const all = await bulkOf(shop.ada, path).find(token, { text }, { isCountWanted: true });
      const whole = await bulkOf(shop.ada, path).find(
        token,
        { text, matchCase: true, matchWholeWord: true, fields: ['notes'] },
        { isCountWanted: true },
      );
      return { text, ids: found.map(({ internalId }) => internalId), all, whole };
    }),
  );
}

it('a big table that is searched three times gets an index, which changes no answer, before and after edits', async () => {
  const table = tableOf(shop.ada, path);
  const records = await table.find('limit=20&offset=500');
  const id = (at: number): string => records[at]?.internalId ?? '';
  await table.patch(odd.map((notes, at) => ({ id: id(at), changes: { notes } })));
  const before = await answers();
  expect(before.find(({ text }) => text === 'ÅNGSTRÖM')?.ids).toEqual([id(0)]);
  const state = async () =>
    await shop.product.query<{ state: string; search_fnos: number[] | null }>(
      `select s.state, c.search_fnos from search_index s join collection c using (collection_id)
       where c.resource_type_uri_id = 'customers'`,
    );
  expect(await state()).toEqual([]);

  // As if it were big; three searches are more than enough.
  await shop.product.query(`update collection set row_count = 300000 where resource_type_uri_id = $1`, [
    'customers',
  ]);
  await answers();
  await waitFor('the index', async () => (await state())[0]?.state === 'ready', 60_000);
  expect((await state())[0]?.search_fnos).not.toBeNull();
  expect(await answers()).toEqual(before);
  const used = async () =>
    await shop.product.query<{ n: string }>(
      `select idx_scan as n from pg_stat_user_indexes where indexrelname like '%_search' and idx_scan > 0`,
    );
  await waitFor('the index to be asked', async () => (await used()).length > 0, 30_000);

  await table.patch([{ id: id(10), changes: { notes: 'Yet another Ångström' } }]);
  const after = await answers();
  expect(after.find(({ text }) => text === 'ångström')?.ids).toEqual([id(0), id(10)]);
});
