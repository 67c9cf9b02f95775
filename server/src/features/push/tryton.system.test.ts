import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangePushAction, changePushActionSchema } from '@sluice/contract';
import {
  type Api,
  type ConnectedDomain,
  connectDomain,
  createDatabase,
  finished,
  loginApi,
  type Product,
  type RunningProduct,
  startProduct,
  startProductMain,
  tableOf,
  testPassword,
  waitUntilCached,
} from '@sluice/testing';
import { describeSystem } from '@sluice/testing/system';
import { startTryton, type TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';

const parties = 'party.party';
const pushAnswer = z.object({ changePushAction: changePushActionSchema });

describeSystem('pushes of the product to a real Tryton', findTrytonProblem(), () => {
  let tryton: TrytonServer;
  let product: Product;
  let domain: ConnectedDomain;
  let keys: string[];

  beforeAll(async () => {
    tryton = await startTryton();
    keys = (await seedParties(tryton.rpc, 540, 'Party')).map(String);
    product = await startProduct(inject('postgresUrl'));
    domain = await connectTryton(product.admin, tryton);
  });
  afterAll(async () => {
    await product?.stop();
    await tryton?.stop();
  });

  const openTable = () => tableOf(product.admin, domain.table('party-party'));
  /** Row ids of Sluice by Tryton's ids. */
  async function rowIds(): Promise<Map<string, string>> {
    const records = await openTable().find('limit=5000&noTotal=true');
    return new Map(records.map((record) => [String(record.id), record.internalId]));
  }
  const partiesInTryton = async () =>
    await tryton.rpc.search(parties, [], ['name', 'code', 'active', 'addresses', '_timestamp']);
  const nameOf = async (key: string) =>
    (await tryton.rpc.search(parties, [['id', '=', Number(key)]], ['name']))[0]?.['name'];

  it('[PEND-13] [PEND-17] [SYS-14] 500 updates, 50 inserts of which 5 break a rule of Tryton, 3 deletes: 548 succeed, 5 stay pending with Tryton’s words at their field, nothing else is touched', async () => {
    const table = openTable();
    const ridOf = await rowIds();
    const id = (key: string): string => ridOf.get(key) ?? '';
    // Made behind Sluice's back: its cache knows neither of them, so only Tryton can refuse their codes.
    await tryton.rpc.create(parties, [
      { name: 'Hidden 1', code: 'TAKEN-1' },
      { name: 'Hidden 2', code: 'TAKEN-2' },
    ]);
    const before = await partiesInTryton();
    const addressesBefore = await tryton.rpc.search('party.address', [], ['street', 'city', '_timestamp']);

    const updated = keys.slice(0, 500);
    const deleted = keys.slice(500, 503);
    await table.patch(updated.map((key, index) => ({ id: id(key), changes: { name: `Renamed ${index}` } })));
    const broken = new Map<number, { changes: Record<string, unknown>; field: string; words: RegExp }>([
      [3, { changes: { code: 'TAKEN-1' }, field: 'code', words: /code on party must be unique/ }],
      [17, { changes: { code: 'TAKEN-2' }, field: 'code', words: /code on party must be unique/ }],
      [18, { changes: { categories: [987_654] }, field: 'categories', words: /./ }],
      [31, { changes: { addresses: [{ city: 'Delft', country: 987_654 }] }, field: 'addresses', words: /./ }],
      [
        49,
        {
          changes: { name: 'New\n49' },
          field: 'name',
          words: /for field "Name" in "Party" contains some invalid chars/,
        },
      ],
    ]);
    const inserted = await table.insert(
      Array.from({ length: 50 }, (_, index) => ({
        name: `New ${index}`,
        code: `N-${index}`,
        ...broken.get(index)?.changes,
      })),
    );
    const insertedIds = inserted.resources.map(({ internalId }) => internalId);
    await table.remove(deleted.map(id));
    expect(await table.pending()).toHaveLength(553);

    const result = await table.pushAll();
    expect(result).toMatchObject({
      status: 'PARTIALLY_FAILED',
      counts: { insert: 50, update: 500, delete: 3 },
      succeeded: 548,
      failed: 5,
      unknown: 0,
      skipped: [],
    });
    // Tryton answers an update with what was written and nothing else: the rest of the rows must stay.
    const shown = await table.find('limit=5000&noTotal=true');
    const bare = shown.filter((row) => row.name === null || row.code === null || row.active === null);
    expect(bare.filter(({ internalId }) => !insertedIds.includes(internalId))).toEqual([]);
    const left = await table.pending();
    expect(new Set(left.map(({ id: rid }) => rid))).toEqual(
      new Set([...broken.keys()].map((index) => insertedIds[index])),
    );
    for (const [index, { field, words }] of broken) {
      const operation = left.find(({ id: rid }) => rid === insertedIds[index]);
      expect(operation).toMatchObject({ action: 'add', state: 'rejected', pushErrors: [{ field }] });
      expect(operation?.pushErrors[0]?.msg).toMatch(words);
    }

    const after = await partiesInTryton();
    const byId = new Map(after.map((row) => [String(row['id']), row]));
    for (const [index, key] of updated.entries()) expect(byId.get(key)?.['name']).toBe(`Renamed ${index}`);
    for (const key of deleted) expect(byId.has(key)).toBe(false);
    const known = new Set(before.map((row) => String(row['id'])));
    const created = after.filter((row) => !known.has(String(row['id'])));
    const wanted = Array.from({ length: 50 }, (_, index) => index).filter((index) => !broken.has(index));
    expect(created).toHaveLength(45);
    expect(new Set(created.map((row) => `${row['name']} ${row['code']}`))).toEqual(
      new Set(wanted.map((index) => `New ${index} N-${index}`)),
    );
    const touched = new Set([...updated, ...deleted]);
    const untouched = before.filter((row) => !touched.has(String(row['id'])));
    expect(untouched).toHaveLength(before.length - 503);
    for (const row of untouched) expect(byId.get(String(row['id']))).toEqual(row);
    // Of an updated record only what was edited: its code, state and addresses are as they were.
    for (const row of before.filter(({ id: key }) => updated.includes(String(key)))) {
      const { name: _, _timestamp: __, ...rest } = row;
      expect(byId.get(String(row['id']))).toMatchObject(rest);
    }
    const addressesAfter = await tryton.rpc.search('party.address', [], ['street', 'city', '_timestamp']);
    const ofDeleted = new Set(
      before.filter((row) => deleted.includes(String(row['id']))).flatMap((row) => row['addresses']),
    );
    expect(addressesAfter).toEqual(addressesBefore.filter((row) => !ofDeleted.has(row['id'])));
    await product.admin.call('DELETE', `${table.path}/push`, { insert: left.map(({ id: rid }) => rid) });
  });

  it('[PEND-09] what somebody changed in Tryton since is not overwritten: old, theirs and mine are kept', async () => {
    const table = openTable();
    const ridOf = await rowIds();
    const [edited = '', elsewhere = ''] = keys.slice(510);
    const old = await nameOf(edited);
    await table.patch([
      { id: ridOf.get(edited) ?? '', changes: { name: 'Mine' } },
      { id: ridOf.get(elsewhere) ?? '', changes: { name: 'Mine too' } },
    ]);
    await tryton.rpc.write(parties, [Number(edited)], { name: 'Theirs' });
    await tryton.rpc.write(parties, [Number(elsewhere)], { code: 'THEIRS' });
    const result = await table.pushAll();
    expect(result).toMatchObject({ status: 'PARTIALLY_FAILED', succeeded: 1, failed: 1 });
    const refused = result.results.find(({ outcome }) => outcome === 'rejected');
    expect(refused).toMatchObject({ key: edited, errCode: 'CHANGED_IN_EXTERNAL_SYSTEM' });
    const [operation, ...more] = await table.pending();
    expect(more).toHaveLength(0);
    expect(operation?.changes).toMatchObject([
      { fieldName: 'name', oldValue: old, newValue: 'Mine', theirs: 'Theirs' },
    ]);
    expect(await nameOf(edited)).toBe('Theirs');
    // A change of another field is none of this edit's business.
    const [other] = await tryton.rpc.search(parties, [['id', '=', Number(elsewhere)]], ['name', 'code']);
    expect(other).toMatchObject({ name: 'Mine too', code: 'THEIRS' });
  });
});

const rounds = 10;
/** Of each round; a push of them takes Tryton some seconds. */
const size = { insert: 60, update: 90, delete: 5 };
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
      const killedAfterMs = Math.round(Math.random() * (isCut ? 4000 : 2500));
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

/** Adds the Tryton with both companies and waits until its parties can be worked with. */
async function connectTryton(api: Api, tryton: TrytonServer): Promise<ConnectedDomain> {
  const domain = await connectDomain(api, {
    kind: 'tryton',
    systemName: 'Tryton',
    url: tryton.url,
    database: tryton.database,
    username: tryton.username,
    password: tryton.password,
    companies: tryton.companies.map(String),
  });
  await waitUntilCached(api, domain.table('party-party'));
  return domain;
}
