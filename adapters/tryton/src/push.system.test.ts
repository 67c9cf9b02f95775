import type { Rec, Session, WriteOp } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';
import { describeSystem } from '@sluice/testing/system';
import { startTryton } from '@sluice/testing/tryton';
import type { TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties, trytonReader } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOptions, configOf, errorsOf, openSession, openTarget, pushBisecting } from './test-support.ts';
import type { Target } from './test-support.ts';

describeSystem('pushes to a real Tryton', findTrytonProblem(), () => {
  let server: TrytonServer;
  let session: Session;
  let euro: number;
  let dollar: number;

  beforeAll(async () => {
    server = await startTryton();
    [euro, dollar] = server.companies;
    ({ session } = openSession(configOf(server)));
  });
  afterAll(async () => {
    await session?.close();
    await server?.stop();
  });

  const targetOf = (collection: string, company: number | null, locale: Locale = 'EN') =>
    openTarget(session, collection, callOptions(company, locale));

  async function writeOne(target: Target, op: Omit<WriteOp, 'opId'>) {
    const { collection, fields, options } = target;
    const [outcome] = await target.session.write({
      ...options,
      collection,
      fields,
      ops: [{ opId: 'one', ...op }],
    });
    return outcome;
  }

  it('500 updates, 50 inserts of which 5 break a rule, and 3 deletes: 548 done, 5 refused at their field, nothing else touched', async () => {
    const { rpc } = server;
    const ids = await seedParties(rpc, 510, 'Push');
    const target = await targetOf('party.party', euro);
    const before = await rpc.search('party.party', [], ['name', 'code', 'write_date', '_timestamp']);
    const versions = new Map(before.map((row) => [row['id'], String(row['_timestamp'])]));

    const updates: WriteOp[] = ids.slice(0, 500).map((id, index) => ({
      opId: `update-${id}`,
      action: 'update',
      key: String(id),
      values: { name: `Renamed ${index}` },
      version: versions.get(id) ?? null,
    }));
    const broken = new Map<number, { values: Rec; field: string; text: RegExp }>([
      [3, { values: { code: '1' }, field: 'code', text: /code on party must be unique/ }],
      [17, { values: { code: '2' }, field: 'code', text: /code on party must be unique/ }],
      [
        18,
        { values: { lang: 987_654 }, field: 'lang', text: /"987654" for field "Language".*does not exist/ },
      ],
      [
        31,
        {
          values: { contact_mechanisms: [{ type: 'bogus', value: '1' }] },
          field: 'contact_mechanisms',
          text: /"bogus".*not one of the allowed options/,
        },
      ],
      [49, { values: { categories: [987_654] }, field: 'categories', text: /./ }],
    ]);
    const inserts = Array.from({ length: 50 }, (_, index): WriteOp => {
      const values = { name: `New ${index}`, code: `N${index}`, ...broken.get(index)?.values };
      return { opId: `insert-${index}`, action: 'insert', values };
    });
    const deletes: WriteOp[] = ids.slice(507).map((id) => ({
      opId: `delete-${id}`,
      action: 'delete',
      key: String(id),
      version: versions.get(id) ?? null,
    }));

    const outcomes = new Map([
      ...(await pushBisecting(target, inserts)),
      ...(await pushBisecting(target, updates)),
      ...(await pushBisecting(target, deletes)),
    ]);
    const states = [...outcomes.values()].map((outcome) => outcome.state);
    expect(states.filter((state) => state === 'done')).toHaveLength(548);
    expect(states.filter((state) => state === 'rejected')).toHaveLength(5);
    for (const [index, { field, text }] of broken) {
      const [error] = errorsOf(outcomes.get(`insert-${index}`));
      expect(error?.msg).toMatch(text);
      expect(error?.field).toBe(field);
    }

    const after = await rpc.search('party.party', [], ['name', 'code', '_timestamp']);
    expect(after).toHaveLength(before.length + 45 - 3);
    const names = new Map(after.map((row) => [row['id'], row['name']]));
    for (const [index, id] of ids.slice(0, 500).entries()) expect(names.get(id)).toBe(`Renamed ${index}`);
    for (const id of ids.slice(507)) expect(names.has(id)).toBe(false);
    const untouched = before.filter(
      (row) => !ids.includes(Number(row['id'])) || ids.slice(500, 507).includes(Number(row['id'])),
    );
    for (const row of untouched) {
      const now = after.find((candidate) => candidate['id'] === row['id']);
      expect(now?.['_timestamp']).toBe(row['_timestamp']);
    }
    const created = after.filter((row) => String(row['name']).startsWith('New '));
    expect(created).toHaveLength(45);
    expect(new Set(created.map((row) => row['code'])).size).toBe(45);
  });

  it('writes a price in one company and leaves that of the other alone', async () => {
    const [product] = await server.rpc.search('product.template', [['name', '=', 'Bolt M8']], ['id']);
    const key = String(product?.['id']);
    const target = await targetOf('product.template', dollar);
    const outcome = await writeOne(target, { action: 'update', key, values: { list_price: 21.5 } });
    expect(outcome).toMatchObject({ state: 'done', values: { list_price: 21.5 } });
    for (const [company, price] of [
      [euro, '10'],
      [dollar, '21.5'],
    ] as const) {
      const [row] = await server.rpc.search('product.template', [['id', '=', Number(key)]], ['list_price'], {
        company,
      });
      expect(row?.['list_price']).toEqual({ __class__: 'Decimal', decimal: price });
      const options = callOptions(company);
      const query = { ...options, collection: 'product.template', fields: target.fields, keys: [key] };
      const [record] = await session.readByKeys(query);
      expect(record?.values['list_price']).toBe(Number(price));
    }
  });

  it('undoes a batch with one stale record, and finds that record by halving', async () => {
    const ids = await seedParties(server.rpc, 4, 'Stale');
    const target = await targetOf('party.party', euro);
    const { fields, options } = target;
    const query = { ...options, collection: 'party.party', fields, keys: ids.map(String) };
    const records = await session.readByKeys(query);
    await server.rpc.write('party.party', [Number(ids[2])], { name: 'Theirs' });
    const ops = records.map(({ key, version }): WriteOp => ({
      opId: key,
      action: 'update',
      key,
      version,
      values: { name: 'Mine' },
    }));
    const first = await session.write({ ...options, collection: 'party.party', fields, ops });
    for (const outcome of first) {
      expect(outcome.state).toBe('batchFailed');
      expect(errorsOf(outcome)[0]?.class).toBe('conflict');
    }
    const outcomes = await pushBisecting(target, ops);
    expect(ids.map((id) => outcomes.get(String(id))?.state)).toEqual(['done', 'done', 'stale', 'done']);
    const rows = await server.rpc.search('party.party', [['id', 'in', ids]], ['name']);
    expect(rows.map((row) => row['name'])).toEqual(['Mine', 'Mine', 'Theirs', 'Mine']);
  });

  it('[SYS-14] tells the field of a refusal in Dutch, with a code and the words of Tryton', async () => {
    const employees = await targetOf('company.employee', euro, 'NL');
    const missing = await writeOne(employees, { action: 'insert', values: {} });
    expect(errorsOf(missing)[0]).toMatchObject({ field: 'party', code: 4001, class: 'validation' });
    expect(errorsOf(missing)[0]?.msg).toBe('Een waarde is vereist voor veld "Relatie" in "Werknemer".');
    const parties = await targetOf('party.party', euro, 'NL');
    const double = await writeOne(parties, { action: 'insert', values: { name: 'x', code: '1' } });
    expect(errorsOf(double)[0]).toMatchObject({ field: 'code', code: 4900, class: 'unique' });
    expect(errorsOf(double)[0]?.msg).toBe('De code voor relatie moet uniek zijn.');
    const link = await writeOne(parties, { action: 'insert', values: { name: 'x', lang: 987_654 } });
    expect(errorsOf(link)[0]).toMatchObject({ field: 'lang', class: 'reference' });
    const long = await writeOne(await targetOf('country.country', null, 'NL'), {
      action: 'insert',
      values: { name: 'Lang', code: 'TOOLONG' },
    });
    expect(errorsOf(long)[0]).toMatchObject({ field: 'code', code: 4102 });
  });

  it('refuses a value that is none before anything is sent', async () => {
    const target = await targetOf('currency.currency', null);
    const count = await server.rpc.count('currency.currency', []);
    const outcome = await writeOne(target, {
      action: 'insert',
      values: { name: 'Bad', code: 'BAD', rounding: 'much', digits: 2 },
    });
    expect(errorsOf(outcome)).toMatchObject([{ field: 'rounding', class: 'validation' }]);
    expect(await server.rpc.count('currency.currency', [])).toBe(count);
  });

  it('says that a currency in use cannot be deleted, and why', async () => {
    const target = await targetOf('currency.currency', null);
    const outcome = await writeOne(target, { action: 'delete', key: '1' });
    expect(errorsOf(outcome)).toMatchObject([{ class: 'inUse', field: null }]);
    expect(errorsOf(outcome)[0]?.msg).toContain('Company');
  });

  it('writes lines with their record: new ones, changed ones and removed ones', async () => {
    const target = await targetOf('party.party', euro);
    const made = await writeOne(target, {
      action: 'insert',
      values: {
        name: 'With addresses',
        addresses: [
          { street: 'First 1', city: 'Delft' },
          { street: 'Second 2', city: 'Leiden' },
        ],
      },
    });
    if (made?.state !== 'done') throw new Error(JSON.stringify(made));
    const addressesOf = async () => {
      const rows = await server.rpc.search(
        'party.address',
        [['party', '=', Number(made.key)]],
        ['street', 'city', 'postal_code'],
      );
      return rows.map(({ id, street, city, postal_code }) => ({ id: Number(id), street, city, postal_code }));
    };
    const before = await addressesOf();
    expect(before.map(({ street, city }) => [street, city])).toEqual([
      ['First 1', 'Delft'],
      ['Second 2', 'Leiden'],
    ]);
    const values: Rec = {
      addresses: [
        { id: before[1]?.id ?? null, street: 'Second 2', city: 'Rotterdam' },
        { street: 'Third 3', city: 'Gouda' },
      ],
    };
    const op: WriteOp = { opId: 'p', action: 'update', key: made.key, values, version: made.version };
    expect(await writeOne(target, op)).toMatchObject({ state: 'done' });
    const after = await addressesOf();
    expect(after.map(({ street, city }) => [street, city])).toEqual([
      ['Second 2', 'Rotterdam'],
      ['Third 3', 'Gouda'],
    ]);
    expect(after[0]?.id).toBe(before[1]?.id);
    const { collection, fields, options } = target;
    const probe = { ...options, collection, fields, op, sentAt: new Date() };
    expect(await session.probe(probe)).toMatchObject({ state: 'applied' });
  });

  it('says what a user without the right may not do', async () => {
    const config = { ...configOf(server), ...trytonReader };
    const { session: reader } = openSession(config);
    const options = callOptions(null, 'NL');
    const description = await reader.describe('currency.currency', options);
    expect(description.rights).toEqual({ create: false, update: false, delete: false });
    const ops: WriteOp[] = [{ opId: 'x', action: 'insert', values: { name: 'X', code: 'XXX' } }];
    const [outcome] = await reader.write({
      ...options,
      collection: 'currency.currency',
      fields: description.fields,
      ops,
    });
    expect(errorsOf(outcome)).toMatchObject([{ class: 'forbidden' }]);
    await reader.close();
  });
});
