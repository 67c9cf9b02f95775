import { randomUUID } from 'node:crypto';
import { tableOf, waitFor } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { bulkOf, type Shop, startShop } from './test-support/shop.ts';

let shop: Shop;
let customers: string;
let journal: string;
let free: Record<string, unknown>[];

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), {
    journalEntries: 12_000,
    tables: ['customers', 'journal-entries'],
  });
  customers = shop.table('customers');
  journal = shop.table('journal-entries');
  free = await tableOf(shop.ada, customers).find('limit=400&offset=100');
});
afterAll(async () => await shop?.stop());

/** Records that no test has touched. */
function some(count: number): string[] {
  return free.splice(0, count).map(({ internalId }) => String(internalId));
}
const valueOf = async (id: string, field: string): Promise<unknown> => {
  const answer = await shop.ada.call('GET', `${customers}/${id}`);
  return (answer.body as { resource: Record<string, unknown> }).resource[field];
};
const operationOf = async (id: string) =>
  (await tableOf(shop.ada, customers).pending()).find((operation) => operation.id === id);
const ada = () => bulkOf(shop.ada, customers);

describe('a value for many records', () => {
  it('[GRID-08] [GRID-14] [GRID-15] 12,000 records of a snapshot become pending in parts, and one undo takes all of it back', async () => {
    const table = bulkOf(shop.ada, journal);
    const { token, total } = await table.snapshot();
    expect(total).toBe(12_000);
    const editId = randomUUID();
    const rows = { snapshot: token, ranges: [[0, total - 1] as [number, number]] };
    const replies = await table.runAll(rows, { kind: 'set', changes: { document: 'BULK-1' } }, editId);
    expect(replies.map(({ done, next, total: all }) => [done, next, all])).toEqual([
      [10_000, 10_000, 12_000],
      [12_000, null, 12_000],
    ]);
    expect(replies.reduce((sum, reply) => sum + reply.changedRecords, 0)).toBe(12_000);
    const found = await shop.ada.call('GET', `${journal}/pending?limit=0`);
    expect(found.body).toMatchObject({ total: 12_000, counts: { update: 12_000, mine: 12_000 } });
    const edits = await shop.ada.call('GET', `${journal}/edits`);
    expect(edits.body).toMatchObject({ resources: [{ editId, kind: 'batchEdit', count: 12_000 }] });
    expect((await table.undo(editId)).status).toBe(200);
    expect((await shop.ada.call('GET', `${journal}/pending?limit=0`)).body).toMatchObject({ total: 0 });
  });

  it('[GRID-08] records are chosen by id, by ranges, or both, each once', async () => {
    const { token, ids } = await ada().snapshot();
    const rows = {
      ids: [ids[0] ?? '', ids[0] ?? '', ids[9] ?? ''],
      snapshot: token,
      ranges: [
        [2, 4],
        [4, 5],
        [0, 0],
      ] as [number, number][],
    };
    const reply = await ada().run(rows, { kind: 'set', changes: { notes: 'chosen' } });
    expect(reply).toMatchObject({ total: 6, done: 6, next: null, changedRecords: 6, changedCells: 6 });
    const pending = (await tableOf(shop.ada, customers).pending()).map(({ id }) => id);
    expect(new Set(pending)).toEqual(new Set([0, 2, 3, 4, 5, 9].map((at) => ids[at])));
    expect((await ada().undo(reply.editId)).status).toBe(200);
  });

  it('[PEND-12] tells which of the chosen records have something pending, wherever they stand', async () => {
    const { token, total, ids } = await ada().snapshot();
    const [first = '', second = '', third = ''] = [ids[0], ids[7], ids.at(-1)];
    const edit = await ada().run(
      { ids: [first, second, third] },
      { kind: 'set', changes: { notes: 'mine' } },
    );
    const all = { snapshot: token, ranges: [[0, total - 1] as [number, number]] };
    expect(await ada().chosenPending(all)).toEqual([first, second, third]);
    const some: [number, number][] = [[1, 20]];
    expect(await ada().chosenPending({ snapshot: token, ranges: some })).toEqual([second]);
    expect(await ada().chosenPending({ ids: [third, ids[3] ?? ''], snapshot: token, ranges: some })).toEqual([
      third,
      second,
    ]);
    expect((await ada().undo(edit.editId)).status).toBe(200);
    expect(await ada().chosenPending(all)).toEqual([]);
    const gone = await shop.ada.call('POST', `${customers}/pending/chosen`, {
      rows: { snapshot: 'gone.1.x', ranges: [[0, 1]] },
    });
    expect(gone).toMatchObject({ status: 409, body: { code: 'SNAPSHOT_GONE' } });
  });

  it('a snapshot that is gone, or of another table, is refused', async () => {
    const other = await bulkOf(shop.ada, journal).snapshot();
    for (const snapshot of ['gone.1.x', other.token]) {
      const answer = await ada().call({ snapshot, ranges: [[0, 1]] }, { kind: 'delete' });
      expect(answer).toMatchObject({ status: 409, body: { code: 'SNAPSHOT_GONE' } });
    }
  });

  it('what is read-only, gone, about to be deleted or already so is left and counted', async () => {
    const ids = some(5);
    const [first = '', deleted = '', same = ''] = ids;
    await tableOf(shop.ada, customers).remove([deleted]);
    await tableOf(shop.ada, customers).patch([{ id: same, changes: { notes: 'so already' } }]);
    const reply = await ada().run(
      { ids: [...ids, '2000000000'] },
      { kind: 'set', changes: { notes: 'so already', searchName: 'mine' } },
    );
    expect(reply).toMatchObject({
      changedRecords: 3,
      changedCells: 3,
      skipped: { notFound: 1, pendingDelete: 1, readOnlyField: 4, unchanged: 1 },
    });
    expect(await valueOf(first, 'notes')).toBe('so already');
  });

  it('a broken rule is stored and counted; a value of the wrong type is refused as a whole', async () => {
    const ids = some(3);
    const wrong = await ada().call(
      { ids },
      { kind: 'set', changes: { paymentTermDays: 'soon', notes: 'x' } },
    );
    expect(wrong).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'command.changes.paymentTermDays' }] },
    });
    expect(await operationOf(ids[0] ?? '')).toBeUndefined();
    const reply = await ada().run({ ids }, { kind: 'set', changes: { paymentTermDays: 999 } });
    expect(reply).toMatchObject({ changedRecords: 3, invalid: 3 });
    expect(await operationOf(ids[0] ?? '')).toMatchObject({
      state: 'invalid',
      validationErrors: [{ field: 'paymentTermDays', code: 4200 }],
    });
  });

  it("another user's change is never overwritten, and needs the right to write at all", async () => {
    const ids = some(2);
    const [bens = '', own = ''] = ids;
    await tableOf(shop.ben, customers).patch([{ id: bens, changes: { notes: "Ben's" } }]);
    const reply = await ada().run({ ids }, { kind: 'set', changes: { notes: 'all', blockReason: 'none' } });
    expect(reply).toMatchObject({ changedRecords: 2, changedCells: 3, skipped: { changedByOther: 1 } });
    expect(await valueOf(bens, 'notes')).toBe("Ben's");
    expect(await valueOf(own, 'notes')).toBe('all');
    const refused = await bulkOf(shop.cara, customers).call(
      { ids },
      { kind: 'set', changes: { notes: 'x' } },
    );
    expect(refused).toMatchObject({ status: 403 });
    await ada().undo(reply.editId);
    expect((await operationOf(bens))?.changes).toMatchObject([{ newValue: "Ben's" }]);
    expect(await operationOf(own)).toBeUndefined();
  });

  it('a cell in conflict is for somebody who has seen both values: left and counted', async () => {
    const [id = ''] = some(1);
    await tableOf(shop.ada, customers).patch([{ id, changes: { notes: 'mine' } }]);
    const number = String(await valueOf(id, 'number'));
    await fetch(`${shop.sandbox.url}/odata/production/Companies('NL01')/Customers('${number}')`, {
      method: 'PATCH',
      headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ notes: 'theirs' }),
    });
    await shop.ada.call('GET', `${customers}/${id}?live=true`);
    expect(await operationOf(id)).toMatchObject({ state: 'conflict' });
    const reply = await ada().run({ ids: [id] }, { kind: 'set', changes: { notes: 'bulk' } });
    expect(reply).toMatchObject({ changedRecords: 0, skipped: { changedByOther: 1 } });
    // Reverting takes what the ERP holds now.
    await ada().run({ ids: [id] }, { kind: 'revert', fields: ['notes'] });
    expect(await valueOf(id, 'notes')).toBe('theirs');
    expect(await operationOf(id)).toBeUndefined();
  });

  it('records on their way to the ERP are left and counted', async () => {
    const ids = some(2);
    const [sent = ''] = ids;
    await tableOf(shop.ada, customers).patch([{ id: sent, changes: { notes: 'on its way' } }]);
    // The push waits as long as the ERP is too busy.
    await faults([{ kind: 'fail', status: 429, retryAfterSeconds: 1, method: 'PATCH' }]);
    const started = await shop.ada.call('POST', `${customers}/push`, { update: [sent] });
    expect(started.status).toBe(202);
    for (const command of [
      { kind: 'set', changes: { notes: 'too late' } },
      { kind: 'revert', fields: null },
      { kind: 'delete' },
    ] as const) {
      const reply = await ada().run({ ids: [sent] }, command);
      expect(reply).toMatchObject({ changedRecords: 0, skipped: { beingPushed: 1 }, editId: null });
    }
    await faults([]);
    await waitFor('the push to end', async () => (await operationOf(sent)) === undefined);
    expect(await valueOf(sent, 'notes')).toBe('on its way');
  });
});

async function faults(list: object[]): Promise<void> {
  await fetch(`${shop.sandbox.url}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
}

describe('calculating', () => {
  it('[GRID-15] [GRID-14] is exact, rounds half away from zero, leaves empty cells empty and is one step', async () => {
    const ids = some(3);
    const [a = '', b = '', empty = ''] = ids;
    const table = tableOf(shop.ada, customers);
    await table.patch([
      { id: a, changes: { creditLimit: '10.15', creditRating: 0.1 } },
      { id: b, changes: { creditLimit: '12345678901234567.25', creditRating: 0.7 } },
      { id: empty, changes: { creditLimit: null, creditRating: null } },
    ]);
    const raise = await ada().run(
      { ids },
      {
        kind: 'calculate',
        fields: ['creditLimit'],
        calculation: { operator: 'percent', operand: '3', roundTo: '0.05' },
      },
    );
    expect(raise).toMatchObject({ changedRecords: 2, changedCells: 2, skipped: {} });
    expect(await valueOf(a, 'creditLimit')).toBe(10.45);
    // 12345678901234567.25 * 1.03 = 12716049268271604.2675
    expect(await valueOf(b, 'creditLimit')).toBe('12716049268271604.25');
    expect(await valueOf(empty, 'creditLimit')).toBeNull();
    await ada().run(
      { ids },
      { kind: 'calculate', fields: ['creditRating'], calculation: { operator: 'add', operand: '0.2' } },
    );
    expect(await valueOf(a, 'creditRating')).toBe(0.3);
    await ada().undo(raise.editId);
    expect(await valueOf(a, 'creditLimit')).toBe(10.15);
  });

  it('a result that is no value of the field is left and counted; only numbers are calculated with', async () => {
    const ids = some(3);
    const [odd = '', even = '', none = ''] = ids;
    await tableOf(shop.ada, customers).patch([
      { id: odd, changes: { paymentTermDays: 15 } },
      { id: even, changes: { paymentTermDays: 20 } },
      { id: none, changes: { paymentTermDays: null } },
    ]);
    const half = { operator: 'multiply' as const, operand: '0.5' };
    const reply = await ada().run(
      { ids },
      { kind: 'calculate', fields: ['paymentTermDays'], calculation: half },
    );
    expect(reply).toMatchObject({ changedCells: 1, skipped: { incompatible: 1 } });
    expect(await valueOf(odd, 'paymentTermDays')).toBe(15);
    expect(await valueOf(even, 'paymentTermDays')).toBe(10);
    const text = await ada().call({ ids }, { kind: 'calculate', fields: ['name'], calculation: half });
    expect(text).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'name', message: 'Only number fields can be calculated with' }] },
    });
  });
});

describe('replacing', () => {
  const write = async (texts: Record<string, unknown>[]): Promise<string[]> => {
    const ids = some(texts.length);
    await tableOf(shop.ada, customers).patch(
      texts.map((changes, index) => ({ id: ids[index] ?? '', changes })),
    );
    return ids;
  };
  const notes = async (ids: readonly string[]): Promise<unknown[]> =>
    await Promise.all(ids.map(async (id) => await valueOf(id, 'notes')));

  it('[FILT-09] [GRID-14] replaces every hit in the text and leaves the rest; undo brings all back', async () => {
    const ids = await write([{ notes: 'Oak, oak and OAK' }, { notes: 'Oakland' }, { notes: 'pine' }]);
    const reply = await ada().run(
      { ids },
      { kind: 'replace', find: { text: 'oak', fields: ['notes'] }, replacement: 'elm$&' },
    );
    expect(reply).toMatchObject({ changedRecords: 2, changedCells: 2, skipped: {} });
    expect(await notes(ids)).toEqual(['elm$&, elm$& and elm$&', 'elm$&land', 'pine']);
    await ada().undo(reply.editId);
    expect(await notes(ids)).toEqual(['Oak, oak and OAK', 'Oakland', 'pine']);
    expect((await ada().redo(reply.editId)).status).toBe(200);
    expect((await notes(ids))[1]).toBe('elm$&land');
  });

  it('[FILT-07] [FILT-09] match case and whole word, also where words begin or end with an accent or a sign', async () => {
    const texts = ['Café', 'café noir', 'cafés', 'C++ and C', 'Éclair éclair', 'pre-été post', 'année'];
    const ids = await write(texts.map((text) => ({ notes: text })));
    const replaced = async (find: object, replacement = '#'): Promise<unknown[]> => {
      const reply = await ada().run(
        { ids },
        { kind: 'replace', find: { text: '', fields: ['notes'], ...find }, replacement },
      );
      const after = await notes(ids);
      await ada().undo(reply.editId);
      return after.flatMap((text, index) => (text === texts[index] ? [] : [text]));
    };
    expect(await replaced({ text: 'CAFÉ' })).toEqual(['#', '# noir', '#s']);
    expect(await replaced({ text: 'café', matchCase: true })).toEqual(['# noir', '#s']);
    expect(await replaced({ text: 'café', matchWholeWord: true })).toEqual(['#', '# noir']);
    expect(await replaced({ text: 'c++', matchWholeWord: true })).toEqual(['# and C']);
    expect(await replaced({ text: 'éclair', matchWholeWord: true })).toEqual(['# #']);
    expect(await replaced({ text: 'été', matchWholeWord: true })).toEqual(['pre-# post']);
    expect(await replaced({ text: 'ann', matchWholeWord: true })).toEqual([]);
  });

  it('[FILT-06] [FILT-09] numbers, dates, times and booleans are replaced as the user sees them', async () => {
    const ids = await write([
      {
        creditLimit: '1234.5',
        customerSince: '2025-03-07',
        deliveryFrom: '07:30',
        paymentTermDays: 14,
        isBlocked: false,
      },
    ]);
    const replace = async (
      dataType: 'number' | 'date' | 'time' | 'boolean',
      field: string,
      text: string,
      replacement: string,
    ) => {
      const find = { text, dataType, fields: [field, 'notes'] };
      const reply = await ada().run({ ids }, { kind: 'replace', find, replacement });
      expect(reply.changedCells).toBe(1);
    };
    // The formats of a new user: 1.234,50 and 07-03-2025.
    await replace('number', 'creditLimit', '1.234,50', '2.345,75');
    await replace('date', 'customerSince', '07-03', '08-04');
    await replace('time', 'deliveryFrom', '07:30', '8:15');
    await replace('number', 'paymentTermDays', '14', '21');
    await replace('boolean', 'isBlocked', 'false', 'ja');
    const [id = ''] = ids;
    const { body } = await shop.ada.call('GET', `${customers}/${id}`);
    expect(body).toMatchObject({
      resource: {
        creditLimit: 2345.75,
        customerSince: '2025-04-08',
        deliveryFrom: '08:15',
        paymentTermDays: 21,
        isBlocked: true,
      },
    });
  });

  it('[FILT-10] a replacement that a column cannot hold is refused as a whole, with its text, and nothing is changed', async () => {
    const ids = await write([
      { notes: 'ends with 14', paymentTermDays: 14 },
      { notes: '14 too', paymentTermDays: 30 },
    ]);
    const before = await tableOf(shop.ada, customers).pending();
    const answer = await ada().call({ ids }, { kind: 'replace', find: { text: '14' }, replacement: 'abc' });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        message: 'Replacement could not be applied because the data type is not compatible.',
        fieldErrors: [{ field: 'paymentTermDays' }],
      },
    });
    expect(await tableOf(shop.ada, customers).pending()).toEqual(before);
    // In text columns alone it is fine.
    const reply = await ada().run(
      { ids },
      { kind: 'replace', find: { text: '14', dataType: 'text', fields: ['notes'] }, replacement: 'abc' },
    );
    expect(reply.changedCells).toBe(2);
  });

  it('[FILT-10] [GRID-15] also when the only impossible hit is among the last of 12,000 records', async () => {
    const table = bulkOf(shop.ada, journal);
    const { token, total } = await table.snapshot();
    const answer = await shop.ada.get(
      `${journal}?snapshot=${token}&limit=1&offset=${total - 1}`,
      z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) }),
    );
    const [first] = await tableOf(shop.ada, journal).find('limit=1');
    const [firstId, lastId] = [first?.internalId ?? '', answer.resources[0]?.internalId ?? ''];
    await tableOf(shop.ada, journal).patch([
      { id: firstId, changes: { description: 'number 987654' } },
      { id: lastId, changes: { debit: 987654 } },
    ]);
    const rows = { snapshot: token, ranges: [[0, total - 1] as [number, number]] };
    const refused = await table.call(rows, {
      kind: 'replace',
      find: { text: '987654' },
      replacement: 'abc',
    });
    expect(refused).toMatchObject({ status: 422, body: { fieldErrors: [{ field: 'debit' }] } });
    const { body } = await shop.ada.call('GET', `${journal}/${firstId}`);
    expect(body).toMatchObject({ resource: { description: 'number 987654' } });
  });

  it("[FILT-09] hits in read-only cells and in other users' changes stay and are counted", async () => {
    const ids = await write([{ notes: 'mine xyzzy' }]);
    const [bens = ''] = some(1);
    await tableOf(shop.ben, customers).patch([{ id: bens, changes: { notes: "Ben's xyzzy" } }]);
    const reply = await ada().run(
      { ids: [...ids, bens] },
      { kind: 'replace', find: { text: 'xyzzy', matchCase: true }, replacement: 'plugh' },
    );
    expect(reply).toMatchObject({ changedCells: 1, skipped: { changedByOther: 1 } });
    expect(await valueOf(bens, 'notes')).toBe("Ben's xyzzy");
    const number = String(await valueOf(bens, 'number'));
    const closed = await ada().run(
      { ids: [bens] },
      { kind: 'replace', find: { text: number }, replacement: 'C0' },
    );
    expect(closed).toMatchObject({ changedCells: 0, skipped: { readOnlyField: 1 } });
  });
});

describe('deleting and reverting', () => {
  it('[GRID-14] [PEND-12] many records become pending deletes in one step; new ones go; undo brings both back', async () => {
    const ids = some(3);
    const table = tableOf(shop.ada, customers);
    const added = (await table.insert([{ name: 'Not for long' }])).resources[0]?.internalId ?? '';
    const reply = await ada().run({ ids: [...ids, added] }, { kind: 'delete' });
    expect(reply).toMatchObject({ changedRecords: 4, skipped: {} });
    expect(await operationOf(ids[0] ?? '')).toMatchObject({ action: 'delete' });
    expect((await shop.ada.call('GET', `${customers}/${added}`)).status).toBe(404);
    expect(await ada().run({ ids }, { kind: 'delete' })).toMatchObject({
      changedRecords: 0,
      skipped: { pendingDelete: 3 },
    });
    await ada().undo(reply.editId);
    expect(await operationOf(ids[0] ?? '')).toBeUndefined();
    expect(await operationOf(added)).toMatchObject({ action: 'add' });
    expect((await bulkOf(shop.cara, customers).call({ ids }, { kind: 'delete' })).status).toBe(403);
  });

  it("[GRID-14] reverting brings the ERP's values back for one's own changes, of fields or whole records", async () => {
    const ids = some(3);
    const [a = '', b = '', c = ''] = ids;
    const before = await valueOf(a, 'name');
    const table = tableOf(shop.ada, customers);
    await table.patch([
      { id: a, changes: { name: 'New name', notes: 'new note' } },
      { id: b, changes: { name: 'Other name' } },
    ]);
    await tableOf(shop.ben, customers).patch([{ id: b, changes: { notes: "Ben's" } }]);
    await table.remove([c]);
    const added = (await table.insert([{ name: 'Brand new' }])).resources[0]?.internalId ?? '';

    const fields = await ada().run({ ids }, { kind: 'revert', fields: ['name'] });
    expect(fields).toMatchObject({ changedRecords: 2, changedCells: 2, skipped: { pendingDelete: 1 } });
    expect(await valueOf(a, 'name')).toBe(before);
    expect((await operationOf(a))?.changes).toMatchObject([{ fieldName: 'notes' }]);
    await ada().undo(fields.editId);

    const whole = await ada().run({ ids: [...ids, added] }, { kind: 'revert', fields: null });
    expect(whole).toMatchObject({ changedRecords: 4, skipped: { changedByOther: 1 } });
    expect(await operationOf(a)).toBeUndefined();
    expect((await operationOf(b))?.changes).toMatchObject([{ fieldName: 'notes', newValue: "Ben's" }]);
    expect(await operationOf(c)).toBeUndefined();
    expect((await shop.ada.call('GET', `${customers}/${added}`)).status).toBe(404);

    await ada().undo(whole.editId);
    expect((await operationOf(a))?.changes).toHaveLength(2);
    expect((await operationOf(b))?.changes).toHaveLength(2);
    expect(await operationOf(c)).toMatchObject({ action: 'delete' });
    expect(await operationOf(added)).toMatchObject({ action: 'add' });
  });
});
