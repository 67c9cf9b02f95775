import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangePushAction, changePushActionSchema } from '@sluice/contract';
import {
  type Api,
  type ConnectedDomain,
  createDatabase,
  finished,
  loginApi,
  type RunningProduct,
  startProductMain,
  tableOf,
  testPassword,
} from '@sluice/testing';
import { describeSystem } from '@sluice/testing/system';
import { startTryton, type TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { connectTryton, parties } from './test-support/tryton.ts';

const pushAnswer = z.object({ changePushAction: changePushActionSchema });
const rounds = 10;
/** Of each round; a push of them takes Tryton some seconds. */
const size = { insert: 40, update: 50, delete: 5 };
const creates = /"method":"model\.party\.party\.create"/;
const writes = /"method":"model\.party\.party\.write"/;

describeSystem('kill -9 during pushes to a real Tryton', findTrytonProblem(), () => {
  let tryton: TrytonServer;
  let database: { url: string; drop(): Promise<void> };
  let product: RunningProduct;
  let api: Api;
  let domain: ConnectedDomain;
  let keys: string[];

  const start = async (home?: string): Promise<void> => {
    const env = { DATABASE_URL: database.url, SLUICE_SANDBOX: 'off' };
    product = await startProductMain({ env, ...(home === undefined ? {} : { home }) });
    api = await loginApi(product.base, 'admin', testPassword);
  };

  beforeAll(async () => {
    tryton = await startTryton();
    keys = (await seedParties(tryton.rpc, size.update + rounds * size.delete, 'Crash')).map(String);
    database = await createDatabase(inject('postgresUrl'));
    await start();
    domain = await connectTryton(api, tryton);
  });
  afterAll(async () => {
    await product?.remove();
    await database?.drop();
    await tryton?.stop();
  });

  const namesInTryton = async (): Promise<Map<string, string[]>> => {
    const found = new Map<string, string[]>();
    for (const { id, name } of await tryton.rpc.search(parties, [], ['name']))
      found.set(String(name), [...(found.get(String(name)) ?? []), String(id)]);
    return found;
  };

  /** Edits, inserts (half of them with a code of their own) and deletes of one round, pending. */
  async function edit(round: number): Promise<{ deleted: string[] }> {
    const table = tableOf(api, domain.table('party-party'));
    const records = await table.find('limit=5000&noTotal=true');
    const ridOf = new Map(records.map((record) => [String(record.id), record.internalId]));
    const id = (key: string): string => ridOf.get(key) ?? '';
    const from = size.update + round * size.delete;
    const deleted = keys.slice(from, from + size.delete);
    await table.patch(
      keys.slice(0, size.update).map((key) => ({ id: id(key), changes: { name: `R${round} of ${key}` } })),
    );
    await table.insert(
      Array.from({ length: size.insert }, (_, index) => ({
        name: `R${round} new ${index}`,
        ...(index % 2 === 0 ? { code: `R${round}-${index}` } : {}),
      })),
    );
    await table.remove(deleted.map(id));
    return { deleted };
  }

  async function startPush(): Promise<string> {
    const path = domain.table('party-party');
    const operations = await tableOf(api, path).pending();
    const of = (action: string) => operations.filter((one) => one.action === action).map(({ id }) => id);
    const body = { insert: of('add'), update: of('update'), delete: of('delete'), confirmUnknown: false };
    const started = await api.send('POST', `${path}/push`, body, pushAnswer);
    return started.changePushAction.internalId;
  }

  /** What Tryton holds is what the push says, record by record. */
  async function compare(round: number, result: ChangePushAction, deleted: readonly string[]): Promise<void> {
    const total = size.insert + size.update + size.delete;
    expect(result.results).toHaveLength(total);
    const count = (outcome: string) => result.results.filter((one) => one.outcome === outcome).length;
    expect(count('succeeded') + count('rejected') + count('unknown') + count('skipped')).toBe(total);
    expect([result.succeeded, result.unknown]).toEqual([count('succeeded'), count('unknown')]);
    const pending = new Set((await tableOf(api, domain.table('party-party')).pending()).map(({ id }) => id));
    for (const one of result.results) expect(pending.has(one.id)).toBe(one.outcome !== 'succeeded');
    const inTryton = await namesInTryton();
    // Never twice, whatever became of it.
    const inserted = Array.from(
      { length: size.insert },
      (_, index) => inTryton.get(`R${round} new ${index}`) ?? [],
    );
    expect(Math.max(...inserted.map((ids) => ids.length))).toBeLessThanOrEqual(1);
    const outcomesOf = (action: string) => result.results.filter((one) => one.action === action);
    const made = new Set(inserted.flat());
    for (const { outcome, key } of outcomesOf('add')) {
      if (outcome === 'succeeded') expect(made.delete(key ?? '')).toBe(true);
    }
    // What is there and not accounted for must at least be said to be unknown.
    const unknown = outcomesOf('add').filter(({ outcome }) => outcome === 'unknown').length;
    expect(made.size).toBeLessThanOrEqual(unknown);
    for (const { outcome, key } of outcomesOf('update')) {
      const isThere = inTryton.get(`R${round} of ${key}`)?.includes(key ?? '') ?? false;
      if (outcome !== 'unknown') expect(isThere).toBe(outcome === 'succeeded');
    }
    const left = new Set([...inTryton.values()].flat());
    for (const { outcome, key } of outcomesOf('delete')) {
      expect(deleted).toContain(key);
      if (outcome !== 'unknown') expect(left.has(key ?? '')).toBe(outcome !== 'succeeded');
    }
  }

  /** The next round begins with nothing pending. */
  async function discardAll(): Promise<void> {
    const path = domain.table('party-party');
    const operations = await tableOf(api, path).pending();
    const of = (action: string) => operations.filter((one) => one.action === action).map(({ id }) => id);
    const body = { insert: of('add'), update: of('update'), delete: of('delete') };
    if (operations.length > 0) await api.send('DELETE', `${path}/push`, body, z.unknown());
    expect(await tableOf(api, path).pending()).toHaveLength(0);
  }

  it(`[PEND-13] [PEND-17] ${rounds} times killed at a random moment, every second time with an answer cut after Tryton committed: nothing is lost, nothing is inserted twice`, async () => {
    const summary: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { deleted } = await edit(round);
      const isCut = round % 2 === 1;
      if (isCut) tryton.proxy.cutNextAnswer(round % 4 === 1 ? creates : writes, 'answered');
      const pushId = await startPush();
      const killedAfterMs = Math.round(Math.random() * (isCut ? 3000 : 2000));
      await sleep(killedAfterMs);
      await product.kill();
      const killedAt = Date.now();
      await start(product.home);
      const result = await finished(api, domain.table('party-party'), pushId);
      const isAfterwards = Date.parse(result.finishedAt ?? '') < killedAt;
      summary.push(
        `killed after ${killedAfterMs} ms${isAfterwards ? ', too late' : ''}${isCut ? ', answer cut' : ''}: ${result.succeeded} succeeded, ${result.failed} rejected, ${result.unknown} unknown`,
      );
      await compare(round, result, deleted);
      await discardAll();
    }
    console.log(summary.join('\n'));
  });
});
