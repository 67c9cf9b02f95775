import { getHistory, listPushes, undoPush } from '@sluice/contract';
import { type Api, push, tableOf } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { trimJournal } from '../pending/journal.ts';
import { bulkOf, replyOf, type Shop, startShop } from '../bulk/test-support/shop.ts';

let shop: Shop;
let path: string;
let free: ({ internalId: string } & Record<string, unknown>)[];

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), { journalEntries: 50, tables: ['customers'] });
  path = shop.table('customers');
  free = await tableOf(shop.ada, path).find('limit=200&offset=100');
});
afterAll(async () => await shop?.stop());

function someRecord() {
  const record = free.shift();
  if (!record) throw new Error('There are no more records');
  return record;
}
const historyOf = async (api: Api, id: string, query = '') =>
  await api.get(`${path}/${id}/history?${query}`, replyOf(getHistory));
const undo = async (pushId: string, ids?: string[]) =>
  await shop.ada.send('POST', `${path}/push/${pushId}/undo`, ids ? { ids } : {}, replyOf(undoPush));
const resourceOf = async (id: string) =>
  ((await shop.ada.call('GET', `${path}/${id}`)).body as { resource: Record<string, unknown> }).resource;
const operationOf = async (id: string) =>
  (await tableOf(shop.ada, path).pending()).find((operation) => operation.id === id);

/** The sandbox asked, and told, directly. */
async function erp(method: string, number: unknown, body?: object) {
  const response = await fetch(
    `${shop.sandbox.url}/odata/production/Companies('NL01')/Customers('${String(number)}')`,
    {
      method,
      headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    },
  );
  return {
    status: response.status,
    body: (await response.json().catch(() => null)) as Record<string, unknown>,
  };
}

describe('the history of a record', () => {
  it('tells edits of everybody, undone steps, pushes and what the ERP said, the newest first', async () => {
    const { internalId: id, name, notes } = someRecord();
    const table = tableOf(shop.ada, path);
    await table.patch([{ id, changes: { name: 'First name', notes: 'noted' } }]);
    const wrong = await tableOf(shop.ben, path).patch([{ id, changes: { discountPercent: 59 } }]);
    const refused = await push(shop.ben, path, { update: [id] });
    expect(refused.status).toBe('FAILED');
    await shop.ben.call('POST', `${path}/edits/${wrong.editId}/undo`);
    expect(await push(shop.ada, path, { update: [id] })).toMatchObject({ status: 'DONE' });

    const { resources, total } = await historyOf(shop.cara, id);
    expect(total).toBe(4);
    expect(resources.map(({ kind }) => kind)).toEqual(['push', 'push', 'edit', 'edit']);
    const [done, failed, second, first] = resources;
    expect(done).toMatchObject({
      outcome: 'succeeded',
      action: 'update',
      author: { fullName: 'Ada Smit' },
      errors: [],
    });
    expect(done?.changes).toEqual(
      expect.arrayContaining([
        { field: 'name', old: name, new: 'First name' },
        { field: 'notes', old: notes, new: 'noted' },
      ]),
    );
    expect(failed).toMatchObject({
      outcome: 'rejected',
      author: { fullName: 'Ben Bos' },
      errors: [{ field: 'discountPercent', errCode: 'CUST-0214' }],
    });
    expect(second).toMatchObject({
      author: { fullName: 'Ben Bos' },
      isUndone: true,
      row: null,
      changes: [{ field: 'discountPercent', new: 59 }],
    });
    expect(first).toMatchObject({ author: { fullName: 'Ada Smit' }, editKind: 'edit', isUndone: false });
    const page = await historyOf(shop.cara, id, 'limit=2&offset=1');
    expect(page.resources).toEqual(resources.slice(1, 3));
  });

  it('keeps what was undone when other steps follow, and the steps that undo no longer reaches', async () => {
    const { internalId: id } = someRecord();
    const table = tableOf(shop.ada, path);
    const wrong = await table.patch([{ id, changes: { notes: 'wrong' } }]);
    await shop.ada.call('POST', `${path}/edits/${wrong.editId}/undo`);
    for (let n = 1; n <= 101; n += 1) await table.patch([{ id, changes: { notes: `note ${n}` } }]);
    const { resources, total } = await historyOf(shop.cara, id, 'limit=200');
    expect(total).toBe(102);
    expect(resources.at(-1)).toMatchObject({
      author: { fullName: 'Ada Smit' },
      isUndone: true,
      changes: [{ field: 'notes', new: 'wrong' }],
    });
    expect(resources.at(-2)).toMatchObject({ isUndone: false, changes: [{ field: 'notes', new: 'note 1' }] });
    // History is all that is left of it.
    const again = await shop.ada.call('POST', `${path}/edits/${wrong.editId}/redo`);
    expect(again.status).toBe(404);
    const edits = await shop.ada.call('GET', `${path}/edits`);
    const listed = z.object({ resources: z.array(z.object({ editId: z.string() })) }).parse(edits.body);
    expect(listed.resources).toHaveLength(100);
    expect(listed.resources.some(({ editId }) => editId === wrong.editId)).toBe(false);
  });

  it('lasts two years: housekeeping takes older steps only', async () => {
    const { internalId: id } = someRecord();
    const table = tableOf(shop.ada, path);
    const aged = async (editId: string | null, age: string) =>
      await shop.product.query(`update edit set at = now() - $2::interval where edit_id = $1`, [editId, age]);
    await aged((await table.patch([{ id, changes: { notes: 'long ago' } }])).editId, '2 years 1 day');
    await aged((await table.patch([{ id, changes: { notes: 'last year' } }])).editId, '23 months');
    await trimJournal(shop.product.app.pool);
    const { resources } = await historyOf(shop.ada, id);
    expect(resources.map(({ changes }) => changes[0]?.new)).toEqual(['last year']);
  });

  it('tells of records that came and went, also when they are gone', async () => {
    const table = tableOf(shop.ada, path);
    const id = (await table.insert([{ name: 'Passing by' }])).resources[0]?.internalId ?? '';
    await bulkOf(shop.ada, path).run({ ids: [id] }, { kind: 'set', changes: { notes: 'soon gone' } });
    await table.remove([id]);
    const { resources } = await historyOf(shop.ada, id);
    expect(resources.map((one) => one.kind === 'edit' && [one.editKind, one.row])).toEqual([
      ['delete', 'delete'],
      ['batchEdit', null],
      ['add', 'add'],
    ]);
    expect(resources[2]?.changes).toEqual([{ field: 'name', old: null, new: 'Passing by' }]);
    const never = await shop.ada.call('GET', `${path}/2000000000/history`);
    expect(never).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const untouched = await historyOf(shop.ada, someRecord().internalId);
    expect(untouched).toMatchObject({ resources: [], total: 0 });
  });
});

describe('the pushes of a table', () => {
  it('are listed with who, what and how it ended, the newest first', async () => {
    const { internalId: good } = someRecord();
    const { internalId: bad } = someRecord();
    await tableOf(shop.ada, path).patch([
      { id: good, changes: { notes: 'fine' } },
      { id: bad, changes: { discountPercent: 59 } },
    ]);
    const { internalId } = await push(shop.ada, path, { update: [good, bad] });
    const { resources, total } = await shop.cara.get(`${path}/pushes?limit=1`, replyOf(listPushes));
    expect(resources).toMatchObject([
      {
        pushId: internalId,
        author: { fullName: 'Ada Smit' },
        status: 'PARTIALLY_FAILED',
        counts: { insert: 0, update: 2, delete: 0 },
        succeeded: 1,
        failed: 1,
      },
    ]);
    expect(total).toBeGreaterThan(1);
    await bulkOf(shop.ada, path).run({ ids: [bad] }, { kind: 'revert', fields: null });
  });
});

describe('a push taken back', () => {
  it('[GRID-14] old values become pending changes as one step, and nothing is sent', async () => {
    const { internalId: id, number, name, address } = someRecord();
    const city = (address as { city: string | null }).city;
    await tableOf(shop.ada, path).patch([
      { id, changes: { name: 'Pushed name', 'address.city': 'Pushdorp' } },
    ]);
    const { internalId: pushId } = await push(shop.ada, path, { update: [id] });
    const reply = await undo(pushId);
    expect(reply).toMatchObject({ undone: { insert: 0, update: 1, delete: 0 }, skipped: [] });
    expect(await resourceOf(id)).toMatchObject({ name, address: { city } });
    expect((await erp('GET', number)).body).toMatchObject({ name: 'Pushed name' });
    const operation = await operationOf(id);
    expect(operation?.changes.map(({ fieldName, oldValue }) => [fieldName, oldValue]).sort()).toEqual([
      ['address.city', 'Pushdorp'],
      ['name', 'Pushed name'],
    ]);
    const edits = await shop.ada.call('GET', `${path}/edits`);
    const [latest] = z.object({ resources: z.array(z.unknown()) }).parse(edits.body).resources;
    expect(latest).toMatchObject({ editId: reply.editId, kind: 'undoPush', count: 2 });
    // Taken back already: nothing more to do, and what is pending is somebody's.
    expect(await undo(pushId)).toMatchObject({ editId: null, undone: { update: 0 } });
    await shop.ada.call('POST', `${path}/edits/${reply.editId}/undo`);
    expect(await resourceOf(id)).toMatchObject({ name: 'Pushed name' });
    expect(await operationOf(id)).toBeUndefined();
  });

  it('what anybody has changed since, here or in the ERP, stays and is told; only chosen records when asked', async () => {
    const [a, b, c] = [someRecord(), someRecord(), someRecord()];
    const ids = [a, b, c].map(({ internalId }) => internalId);
    const table = tableOf(shop.ada, path);
    await table.patch(ids.map((id) => ({ id, changes: { notes: 'pushed', blockReason: 'pushed' } })));
    const { internalId: pushId } = await push(shop.ada, path, { update: ids });
    await tableOf(shop.ben, path).patch([{ id: a.internalId, changes: { notes: "Ben's" } }]);
    expect((await erp('PATCH', b['number'], { notes: 'in the ERP' })).status).toBeLessThan(300);
    await shop.ada.call('GET', `${path}/${b.internalId}?live=true`);
    const reply = await undo(pushId, [a.internalId, b.internalId]);
    expect(reply.undone).toEqual({ insert: 0, update: 2, delete: 0 });
    expect(reply.skipped.map(({ id, field }) => [id, field])).toEqual([
      [a.internalId, 'notes'],
      [b.internalId, 'notes'],
    ]);
    expect(await resourceOf(a.internalId)).toMatchObject({ notes: "Ben's", blockReason: a['blockReason'] });
    expect(await resourceOf(b.internalId)).toMatchObject({ notes: 'in the ERP' });
    expect(await operationOf(c.internalId)).toBeUndefined();
    await shop.ada.call('POST', `${path}/edits/${reply.editId}/undo`);
  });

  it('what was added becomes a pending delete, unless somebody has worked on it since', async () => {
    const table = tableOf(shop.ada, path);
    const base = { customerGroup: 'retail', invoiceMethod: 'post' };
    const added = await table.insert([
      { ...base, name: 'Added and left' },
      { ...base, name: 'Added and changed' },
    ]);
    const [left = '', changed = ''] = added.resources.map(({ internalId }) => internalId);
    const done = await push(shop.ada, path, { insert: [left, changed] });
    expect(done).toMatchObject({ status: 'DONE', succeeded: 2 });
    await tableOf(shop.ben, path).patch([{ id: changed, changes: { notes: 'worked on' } }]);
    const reply = await undo(done.internalId);
    expect(reply.undone).toEqual({ insert: 0, update: 0, delete: 1 });
    expect(reply.skipped).toMatchObject([{ id: changed, field: null }]);
    expect(await operationOf(left)).toMatchObject({ action: 'delete' });
    await shop.ada.call('POST', `${path}/edits/${reply.editId}/undo`);
    expect(await operationOf(left)).toBeUndefined();
  });

  it('what was deleted becomes a new record with the values that the push kept of it', async () => {
    const table = tableOf(shop.ada, path);
    const base = { customerGroup: 'retail', invoiceMethod: 'post' };
    const ids = (await table.insert([{ ...base, name: 'Deleted and wanted' }])).resources.map(
      (one) => one.internalId,
    );
    await push(shop.ada, path, { insert: ids });
    await table.remove(ids);
    const { internalId: pushId } = await push(shop.ada, path, { delete: ids });
    expect((await shop.ada.call('GET', `${path}/${ids[0]}`)).status).toBe(404);
    const reply = await undo(pushId);
    expect(reply).toMatchObject({ undone: { insert: 1, update: 0, delete: 0 }, skipped: [] });
    const added = (await tableOf(shop.ada, path).pending()).find(({ action }) => action === 'add');
    const values = Object.fromEntries(
      added?.changes.map(({ fieldName, newValue }) => [fieldName, newValue]) ?? [],
    );
    expect(values).toMatchObject({ ...base, name: 'Deleted and wanted' });
    // Its own number comes back, because this table lets one choose it; what the ERP works out does not.
    expect(values['number']).toMatch(/^C\d+$/);
    expect(values).not.toHaveProperty('searchName');
    await shop.ada.call('POST', `${path}/edits/${reply.editId}/undo`);
    expect((await tableOf(shop.ada, path).pending()).some(({ action }) => action === 'add')).toBe(false);
    // A push that kept nothing cannot be taken back: said, not guessed.
    await shop.product.query(`update push_item set payload = null where push_id = $1`, [pushId]);
    expect(await undo(pushId)).toMatchObject({ editId: null, skipped: [{ id: ids[0], field: null }] });
  });

  it('needs the right for the opposite, and a push of this table', async () => {
    const { internalId: id } = someRecord();
    await tableOf(shop.ada, path).patch([{ id, changes: { notes: 'mine' } }]);
    const { internalId: pushId } = await push(shop.ada, path, { update: [id] });
    expect((await shop.cara.call('POST', `${path}/push/${pushId}/undo`, {})).status).toBe(403);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await shop.ada.call('POST', `${path}/push/${unknown}/undo`, {})).status).toBe(404);
  });
});
