import { type ConnectedDomain, type Product, startProduct, tableOf } from '@sluice/testing';
import { describeSystem } from '@sluice/testing/system';
import { startTryton, type TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectTryton, parties } from './test-support/tryton.ts';

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
