import { randomUUID } from 'node:crypto';
import { changePushActionSchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  type ConnectedDomain,
  connectSandbox,
  finished,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  testPassword,
  loginApi,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { record, trimDoneOnce } from './mutate.ts';

let sandbox: Sandbox;
let product: Product;
let api: Api;
let domain: ConnectedDomain;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 10 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  domain = await connectSandbox(api, sandbox);
  await waitUntilCached(api, domain.table('price-lists'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const pushAnswer = z.object({ changePushAction: changePushActionSchema });
const errorAnswer = z.looseObject({ code: z.string(), message: z.string() });

/** Some records changed and not pushed yet. */
async function pendingIds(count: number): Promise<string[]> {
  const table = tableOf(api, domain.table('price-lists'));
  const records = (await table.find('limit=60')).slice(-count);
  const name = `Done once ${randomUUID().slice(0, 8)}`;
  await table.patch(
    records.map(({ internalId }, index) => ({ id: internalId, changes: { name: `${name} ${index}` } })),
  );
  return records.map(({ internalId }) => internalId);
}
const pushWith = async (key: string, update: readonly string[], by: Api = api) =>
  await by.call('POST', `${domain.table('price-lists')}/push`, { update }, { 'idempotency-key': key });
const idOf = (answer: { body: unknown }): string => pushAnswer.parse(answer.body).changePushAction.internalId;
const countPushes = async (): Promise<number> =>
  (await product.query<{ n: number }>('select count(*)::int as n from push'))[0]?.n ?? -1;

describe('a call with an Idempotency-Key', () => {
  it('[API-20] [PEND-17] again, during it and after it, is the push of the first time, and nothing is sent twice', async () => {
    const update = await pendingIds(3);
    const before = await countPushes();
    const key = randomUUID();
    // The answer of the first got lost while it was still at work: all of them arrive at once.
    const answers = await Promise.all([1, 2, 3, 4].map(async () => await pushWith(key, update)));
    // 200 where the push had ended before its answer was made.
    for (const { status } of answers) expect([200, 202]).toContain(status);
    const [pushId = ''] = answers.map(idOf);
    expect(new Set(answers.map(idOf)).size).toBe(1);
    const end = await finished(api, domain.table('price-lists'), pushId);
    expect(end).toMatchObject({ status: 'DONE', succeeded: 3 });
    const later = await pushWith(key, update);
    expect(later.status).toBe(200);
    expect(pushAnswer.parse(later.body).changePushAction).toMatchObject({
      internalId: pushId,
      succeeded: 3,
      skipped: [],
    });
    expect(await countPushes()).toBe(before + 1);
    const [told] = await product.query<{ n: number }>(
      `select count(*)::int as n from audit where verb = 'push.start' and target = 'push:${pushId}'`,
    );
    expect(told?.n).toBe(1);
  });

  it('with another call under the same key is refused, and does nothing', async () => {
    const update = await pendingIds(2);
    const key = randomUUID();
    await pushWith(key, update.slice(0, 1));
    const before = await countPushes();
    const other = await pushWith(key, update.slice(1));
    expect(other.status).toBe(400);
    expect(errorAnswer.parse(other.body)).toMatchObject({
      code: 'MALFORMED',
      message: expect.stringContaining('Idempotency-Key') as string,
    });
    expect(await countPushes()).toBe(before);
    const tooLong = await pushWith('k'.repeat(256), update.slice(1));
    expect(tooLong.status).toBe(400);
  });

  it('that was refused can be made good: only what was done is kept', async () => {
    const key = randomUUID();
    expect((await pushWith(key, [])).status).toBe(422);
    const update = await pendingIds(1);
    expect((await pushWith(key, update)).status).toBe(202);
  });

  it('is one of its user: somebody else with the same key gets a push of his own', async () => {
    await product.addUser({ username: 'bea', isSuperuser: true });
    const bea = await loginApi(product.base, 'bea', testPassword);
    const key = randomUUID();
    const [mine, hers] = [await pendingIds(1), await pendingIds(2)];
    const first = idOf(await pushWith(key, mine));
    expect(idOf(await pushWith(key, hers.slice(0, 1), bea))).not.toBe(first);
  });

  it('is forgotten after a day', async () => {
    const update = await pendingIds(1);
    const key = randomUUID();
    const first = idOf(await pushWith(key, update));
    await finished(api, domain.table('price-lists'), first);
    await product.query(`update done_once set made_at = now() - interval '25 hours'`);
    await record(product.app.systems.pool, trimDoneOnce);
    const again = await pushWith(key, await pendingIds(1));
    expect(idOf(again)).not.toBe(first);
  });
});
