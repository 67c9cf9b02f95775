import { randomUUID } from 'node:crypto';
import { pendingReplySchema } from '@sluice/contract';
import { type FaultProxy, startFaultProxy } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Shop, startShop } from '../bulk/test-support/shop.ts';
import { trimNames } from './insert-names.ts';

let shop: Shop;
let path: string;
let line: FaultProxy;

beforeAll(async () => {
  shop = await startShop(inject('postgresUrl'), { journalEntries: 10, tables: ['projects'] });
  path = shop.table('projects');
  line = await startFaultProxy(Number(new URL(shop.product.base).port));
});
afterAll(async () => {
  await line.stop();
  await shop.stop();
});

const add = async (body: unknown, as = shop.ada) => {
  const reply = await as.call('POST', path, body);
  expect(reply.status).toBe(201);
  return pendingReplySchema.parse(reply.body);
};
const total = async (text: string): Promise<number> => {
  const filter = encodeURIComponent(JSON.stringify([{ field: 'name', operator: 'contains', value: text }]));
  const reply = await shop.ada.call('GET', `${path}?limit=5&filter=${filter}`);
  return (reply.body as { total: number }).total;
};

it('a record whose answer was lost on a cut line is added once, however often it is sent', async () => {
  const body = [{ internalId: randomUUID(), name: 'Cut off' }];
  line.cutNextAnswer(/Cut off/, 'answered');
  const cookie = shop.ada.cookie();
  const csrf = /csrf-token=([^;]*)/.exec(cookie)?.[1] ?? '';
  await expect(
    fetch(`http://127.0.0.1:${line.port}${path}`, {
      method: 'POST',
      headers: { cookie, 'x-csrf-token': csrf, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  ).rejects.toThrow();
  expect(await total('Cut off')).toBe(1);
  const again = await add(body);
  expect(await total('Cut off')).toBe(1);
  expect(again.resources).toMatchObject([{ name: 'Cut off' }]);
  // It belongs to the step that added it: that one takes it back.
  const undone = await shop.ada.call('POST', `${path}/edits/${again.editId}/undo`);
  expect(undone.status).toBe(200);
  expect(await total('Cut off')).toBe(0);
  await add(body);
  expect(await total('Cut off')).toBe(1);
});

it('the same call twice at once adds its records once, and each caller is told the same records', async () => {
  const body = ['A', 'B', 'C'].map((letter) => ({ internalId: randomUUID(), name: `Twice ${letter}` }));
  const [one, two] = await Promise.all([add(body), add(body.toReversed())]);
  expect(await total('Twice ')).toBe(3);
  const idsOf = (reply: typeof one) => reply.resources.map(({ internalId }) => internalId);
  expect(idsOf(two).toReversed()).toEqual(idsOf(one));
});

it('values that were typed since the lost answer are written into the record that is there, beside new ones', async () => {
  const internalId = randomUUID();
  const first = await add([{ internalId, name: 'Typed before' }]);
  const next = await add([
    { internalId, name: 'Typed since' },
    { internalId: randomUUID(), name: 'Typed new' },
  ]);
  expect(next.resources).toMatchObject([
    { internalId: first.resources[0]?.internalId, name: 'Typed since' },
    { name: 'Typed new' },
  ]);
  expect(await total('Typed ')).toBe(2);
});

it('a name is its user’s own, names one record of a call, and is forgotten in time', async () => {
  const body = [{ internalId: randomUUID(), name: 'Own name' }];
  await add(body);
  await add(body, shop.ben);
  expect(await total('Own name')).toBe(2);
  const twice = await shop.ada.call('POST', path, [...body, ...body]);
  expect(twice.status).toBe(400);
  const { pool } = shop.product.app;
  await pool.query("update insert_name set at = now() - interval '31 days'");
  await trimNames(pool);
  expect((await pool.query('select from insert_name')).rowCount).toBe(0);
});
