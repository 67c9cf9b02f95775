import type { FindSpec, Hit } from '@sluice/contract';
import { tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { bulkOf, type Shop, startShop } from './test-support/shop.ts';

let shop: Shop;
let path: string;

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), {
    journalEntries: 3000,
    tables: ['customers', 'journal-entries'],
  });
  path = shop.table('customers');
});
afterAll(async () => await shop?.stop());

const ada = () => bulkOf(shop.ada, path);
const patch = async (id: string, changes: Record<string, unknown>) =>
  await tableOf(shop.ada, path).patch([{ id, changes }]);

/** Every hit in order, by going on until the first comes again. */
async function walk(
  token: string,
  spec: FindSpec,
  rest: { direction?: 'next' | 'previous'; order?: string[] } = {},
) {
  const hits: Hit[] = [];
  for (let from: Hit | null = null; ;) {
    const { hit, cells, records } = await ada().find(token, spec, {
      from: from && { position: from.position, field: from.field },
      ...rest,
    });
    if (!hit || (hits[0] && hit.position === hits[0].position && hit.field === hits[0].field))
      return { hits, cells, records };
    hits.push(hit);
    from = hit;
  }
}

describe('find', () => {
  it('goes through all hits of a snapshot in its order and round again, with number and counts', async () => {
    const { token, ids } = await ada().snapshot('orderBy=name');
    const marked = [7, 3, 250].map((at) => ids[at] ?? '');
    await patch(marked[0] ?? '', { notes: 'a quokka', name: 'Quokka & Co' });
    await patch(marked[1] ?? '', { notes: 'Quokka quokka' });
    await patch(marked[2] ?? '', { 'address.city': 'Quokkadorp' });
    const expected = [
      [3, 'notes'],
      [7, 'name'],
      [7, 'notes'],
      [250, 'address.city'],
    ];
    const { hits, cells, records } = await walk(token, { text: 'quokka' });
    expect(hits.map(({ position, field }) => [position, field])).toEqual(expected);
    expect(hits.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(hits.map(({ id, position }) => [id, ids[position]]).every(([a, b]) => a === b)).toBe(true);
    expect([cells, records]).toEqual([4, 3]);
    const back = await walk(token, { text: 'quokka' }, { direction: 'previous' });
    expect(back.hits.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    // Hits of one record come in the order in which its columns are shown.
    const shown = await walk(token, { text: 'quokka' }, { order: ['notes', 'name'] });
    expect(shown.hits.map(({ position, field }) => [position, field])).toEqual([
      [3, 'notes'],
      [7, 'notes'],
      [7, 'name'],
      [250, 'address.city'],
    ]);
    const some = await walk(token, { text: 'quokka', fields: ['name', 'address.city'] });
    expect(some.hits.map(({ position }) => position)).toEqual([7, 250]);
    expect(await ada().find(token, { text: 'no such thing' })).toEqual({ hit: null, cells: 0, records: 0 });
  });

  it('edits of anybody are seen: what no longer holds the text is no hit, what now does is one', async () => {
    const { token, ids } = await ada().snapshot();
    const [first = '', second = '', third = ''] = [10, 20, 30].map((at) => ids[at]);
    await patch(first, { notes: 'wombat' });
    await patch(second, { notes: 'wombat' });
    const spec = { text: 'wombat' };
    expect(await ada().find(token, spec)).toMatchObject({ hit: { position: 10, number: 1 }, cells: 2 });
    // The hit that would be answered is looked at again: it is right at once.
    await patch(first, { notes: 'changed' });
    expect(await ada().find(token, spec)).toMatchObject({ hit: { position: 20, number: 1 }, cells: 1 });
    const bens = await tableOf(shop.ben, path).patch([{ id: third, changes: { notes: 'wombat' } }]);
    expect(bens.editId).not.toBeNull();
    await waitFor("Ben's edit", async () => (await ada().find(token, spec)).cells === 2);
    await waitFor('the edit of a record that is removed', async () => {
      await shop.ada.call('DELETE', `${path}/push`, { update: [second, third] });
      return (await ada().find(token, spec)).cells === 0;
    });
  });

  it('without waiting for the counts a near hit comes at once, and then with its number', async () => {
    const { token } = await bulkOf(shop.ada, shop.table('journal-entries')).snapshot();
    const table = bulkOf(shop.ada, shop.table('journal-entries'));
    const near = await table.find(token, { text: 'payment' }, { isCountWanted: false });
    expect(near.hit).toMatchObject({ number: null });
    expect([near.cells, near.records]).toEqual([null, null]);
    const counted = await table.find(token, { text: 'payment' });
    expect(counted.hit).toEqual({ ...near.hit, number: 1 });
    const before = await table.find(
      token,
      { text: 'a', fields: ['description'] },
      { isCountWanted: false, direction: 'previous' },
    );
    const last = await table.find(token, { text: 'a', fields: ['description'] }, { direction: 'previous' });
    expect({ ...before.hit, number: null }).toEqual(last.hit && { ...last.hit, number: null });
    // Now they are known: every answer has them.
    const next = await table.find(token, { text: 'payment' }, { isCountWanted: false, from: near.hit });
    expect(next.hit?.number).toBe(2);
  });

  it('[FILT-06] types narrow the search to columns of the type, and values are found as the user sees them', async () => {
    const { token, ids } = await ada().snapshot();
    const id = ids[40] ?? '';
    await patch(id, {
      notes: 'on 07-03-2031 at 05:47 for 98.765,50',
      creditLimit: '98765.5',
      customerSince: '2031-03-07',
      deliveryFrom: '05:47',
      isBlocked: true,
      blockReason: 'x',
    });
    const fieldsOf = async (text: string, dataType: FindSpec['dataType']): Promise<string[]> =>
      (await walk(token, { text, dataType })).hits.filter((hit) => hit.id === id).map(({ field }) => field);
    expect(await fieldsOf('98.765,50', 'number')).toEqual(['creditLimit']);
    expect(await fieldsOf('98765.5', 'number')).toEqual(['creditLimit']);
    expect(await fieldsOf('98.765,50', 'text')).toEqual(['notes']);
    expect((await fieldsOf('98.765,50', 'any')).sort()).toEqual(['creditLimit', 'notes']);
    expect(await fieldsOf('07-03-2031', 'date')).toEqual(['customerSince']);
    expect(await fieldsOf('2031-03-07', 'date')).toEqual(['customerSince']);
    expect(await fieldsOf('07-03-2031', 'text')).toEqual(['notes']);
    expect(await fieldsOf('05:47', 'time')).toEqual(['deliveryFrom']);
    expect(
      (await ada().find(token, { text: 'ja', dataType: 'boolean', fields: ['isBlocked'] })).hit,
    ).toMatchObject({
      field: 'isBlocked',
    });
    expect(await fieldsOf('notes', 'number')).toEqual([]);
  });

  it('[FILT-06] [FILT-07] only rows with hits are the rows that finding the same finds', async () => {
    const { token, ids } = await ada().snapshot();
    const [first = '', second = '', third = ''] = [40, 41, 42].map((at) => ids[at]);
    await patch(first, { notes: 'Written in C++ (all of it)' });
    await patch(second, { notes: 'scattered' });
    await patch(third, { creditLimit: '31313.75' });
    const specs: FindSpec[] = [
      { text: 'C++', matchWholeWord: true },
      { text: 'scatter', matchWholeWord: true },
      { text: '31.313,75' },
      { text: 'BOUW' },
      { text: 'BOUW', matchCase: true },
      { text: 'bouw', fields: ['searchName', 'notes'] },
      { text: '20', dataType: 'number' },
      { text: '100_%' },
    ];
    for (const spec of specs) {
      const { records } = await ada().find(token, spec);
      const query = new URLSearchParams({
        search: spec.text,
        limit: '1',
        snapshot: 'new',
        ...(spec.dataType ? { searchDataType: spec.dataType } : {}),
        ...(spec.matchCase ? { matchCase: 'true' } : {}),
        ...(spec.matchWholeWord ? { matchWholeWord: 'true' } : {}),
        ...(spec.fields ? { searchFields: spec.fields.join(',') } : {}),
      });
      const { total } = await shop.ada.get(`${path}?${query}`, z.object({ total: z.number() }));
      expect([spec, total]).toEqual([spec, records]);
    }
    // The list of texts is of use only where some are found and some are not.
    expect((await ada().find(token, specs[0] ?? { text: '' })).records).toBe(1);
    expect((await ada().find(token, specs[1] ?? { text: '' })).records).toBe(0);
    expect((await ada().find(token, specs[2] ?? { text: '' })).records).toBe(1);
    expect(await shop.ada.call('GET', `${path}?search=a&searchFields=nope`)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('searchFields: there is no field nope') },
    });
  });

  it('[FILT-07] match case and whole word narrow the hits; % and _ are letters like others', async () => {
    const { token, ids } = await ada().snapshot();
    const texts = ['Élan vital', 'élan', 'élans', 'C++ (c++)', '100%', '100 percent', 'a_b', 'aXb'];
    for (const [index, notes] of texts.entries()) await patch(ids[60 + index] ?? '', { notes });
    const found = async (spec: FindSpec): Promise<string[]> =>
      (await walk(token, { fields: ['notes'], ...spec })).hits.flatMap(
        ({ position }) => texts[position - 60] ?? [],
      );
    expect(await found({ text: 'ÉLAN' })).toEqual(['Élan vital', 'élan', 'élans']);
    expect(await found({ text: 'élan', matchCase: true })).toEqual(['élan', 'élans']);
    expect(await found({ text: 'élan', matchWholeWord: true })).toEqual(['Élan vital', 'élan']);
    expect(await found({ text: 'c++', matchWholeWord: true })).toEqual(['C++ (c++)']);
    expect(await found({ text: 'lan', matchWholeWord: true })).toEqual([]);
    expect(await found({ text: '100%' })).toEqual(['100%']);
    expect(await found({ text: 'a_b' })).toEqual(['a_b']);
  });

  it('options are found by their descriptions too, in the language of the user', async () => {
    const { token } = await ada().snapshot();
    const { length } = await tableOf(shop.ada, path).where('customerGroup', 'public');
    const spec = { text: 'public sector', matchWholeWord: true, fields: ['customerGroup'] };
    expect((await ada().find(token, spec)).cells).toBe(length);
    expect((await ada().find(token, { ...spec, matchCase: true })).cells).toBe(0);
    const body = { snapshot: token, find: { ...spec, text: 'Overheid' }, from: null };
    const dutch = await shop.ada.call('POST', `${path}/find`, body, { 'accept-language': 'NL' });
    expect(dutch.body).toMatchObject({ cells: length });
    expect((await ada().find(token, body.find)).cells).toBe(0);
  });

  it('a value that the ERP delivered and that could not be stored is found as it is shown', async () => {
    const { token } = await ada().snapshot();
    expect((await ada().find(token, { text: '2026-02-31' })).hit).toMatchObject({ field: 'customerSince' });
  });

  it('a snapshot that is gone is refused, and so is an unknown field', async () => {
    const { token } = await ada().snapshot();
    const call = async (body: object) => await shop.ada.call('POST', `${path}/find`, { from: null, ...body });
    expect(await call({ snapshot: 'gone', find: { text: 'x' } })).toMatchObject({
      status: 409,
      body: { code: 'SNAPSHOT_GONE' },
    });
    expect((await call({ snapshot: token, find: { text: 'x', fields: ['nope'] } })).status).toBe(400);
  });
});
