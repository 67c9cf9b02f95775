import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDescriptor } from '@sluice/contract';
import type { Rec, Session, WriteOp } from '@sluice/adapter-kit';
import type { Sandbox } from '@sluice/sandbox';
import { startSandbox } from '@sluice/testing';
import { odataAdapter } from './index.ts';
import { callOptions, configOf, freeContext } from './test-support.ts';

const flat = (fields: readonly FieldDescriptor[]): FieldDescriptor[] =>
  fields.flatMap((field) => [field, ...flat(field.children ?? [])]);

describe('the OData adapter over the collections of the sandbox', () => {
  let sandbox: Sandbox;
  let session: Session;
  const options = callOptions('interactive');
  beforeAll(async () => {
    sandbox = await startSandbox({ journalEntries: 500 });
    session = odataAdapter.open(configOf(`${sandbox.url}/odata`, 'production'), freeContext());
  });
  afterAll(async () => {
    await session.close();
    await sandbox.close();
  });

  const describeOne = (collection: string, locale: 'EN' | 'NL' = 'EN') =>
    session.describe(collection, { ...options, locale });
  async function fieldOf(
    collection: string,
    id: string,
    locale: 'EN' | 'NL' = 'EN',
  ): Promise<FieldDescriptor> {
    const { fields } = await describeOne(collection, locale);
    const field = flat(fields).find((f) => f.id === id);
    if (!field) throw new Error(`no field ${id}`);
    return field;
  }
  async function write(collection: string, ops: WriteOp[], attributeId?: string) {
    const { fields } = await describeOne(collection);
    return session.write({ ...options, collection, attributeId, fields, ops });
  }
  const insert = (values: Rec): WriteOp => ({ opId: 'i', action: 'insert', values });
  async function readOne(collection: string, key: string): Promise<Rec> {
    const { fields } = await describeOne(collection);
    const [record] = await session.readByKeys({ ...options, collection, fields, keys: [key] });
    if (!record) throw new Error(`${key} is gone`);
    return record.values;
  }

  it('[DATA-01, DATA-02, DATA-03, DATA-04, DATA-05, DATA-06, DATA-07, DATA-08] meets every data type and kind', async () => {
    const collections = await session.collections(options);
    expect(collections).toHaveLength(13);
    expect(collections.every((c) => c.numberOfSystemLevels === 2)).toBe(true);
    const all = (await Promise.all(collections.map((c) => describeOne(c.code)))).flatMap((d) =>
      flat(d.fields),
    );
    expect(new Set(all.flatMap((f) => f.dataType ?? []))).toEqual(
      new Set([
        'bool',
        'int',
        'nonFormattableInt',
        'uint',
        'float64',
        'string',
        'uuid',
        'unknown',
        'datetime',
        'date',
        'time',
      ]),
    );
    expect(new Set(all.map((f) => f.kind))).toEqual(
      new Set([
        'field',
        'nestedElements',
        'simpleArray',
        'complexArray',
        'complexArrayElement',
        'primitiveValuesArray',
        'fieldInSimpleArray',
      ]),
    );
    expect(new Set(all.flatMap((f) => f.format ?? []))).toEqual(
      new Set(['base64', 'url', 'email', 'multiline']),
    );
    expect(new Set(all.flatMap((f) => f.validations.map((v) => v.code)))).toEqual(
      new Set([4002, 4003, 4101, 4102, 4105, 4200, 4201, 4300, 4301, 4400, 4401, 4900]),
    );
    expect(all.some((f) => f.isMandatory)).toBe(true);
    expect(all.some((f) => f.dataType === 'float64' && f.scale === undefined)).toBe(true);
    expect(all.some((f) => f.isHidden)).toBe(true);
  });

  it('[DATA-09] describes fields with labels and options in the language asked for, under one fingerprint', async () => {
    expect(await fieldOf('Customers', 'customerGroup', 'NL')).toMatchObject({
      name: 'Klantgroep',
      isMandatory: true,
      options: [
        { value: 'retail', description: 'Detailhandel' },
        { value: 'wholesale', description: 'Groothandel' },
        { value: 'catering', description: 'Horeca' },
        { value: 'public', description: 'Overheid' },
      ],
    });
    const [en, nl] = await Promise.all([describeOne('Customers'), describeOne('Customers', 'NL')]);
    expect(en.fingerprint).toBe(nl.fingerprint);
    expect(en).toMatchObject({ keyFields: ['number'], labelField: 'name', naturalKeys: [['vatNumber']] });
  });

  it('passes on what the vocabulary says about conditions, defaults and references', async () => {
    expect((await fieldOf('Customers', 'blockReason')).validations).toContainEqual({
      code: 4002,
      params: { field: 'isBlocked' },
    });
    expect((await fieldOf('Customers', 'invoiceEmail')).validations).toContainEqual({
      code: 4003,
      params: { field: 'invoiceMethod', value: 'email' },
    });
    expect((await fieldOf('Customers', 'deliveryFrom')).validations).toContainEqual({
      code: 4300,
      params: { min: '06:00' },
    });
    expect(await fieldOf('Customers', 'number')).toMatchObject({
      isKey: true,
      isMandatory: false,
      hasServerDefault: true,
      isReadOnlyOnUpdate: true,
    });
    expect(await fieldOf('Customers', 'paymentTermDays')).toMatchObject({
      dataType: 'uint',
      defaultValue: 30,
    });
    expect(await fieldOf('JournalEntries', 'number')).toMatchObject({
      isReadOnly: true,
      dataType: 'nonFormattableInt',
    });
    expect((await fieldOf('JournalEntries', 'account')).reference).toEqual({
      resourceTypeUriId: 'gl-accounts',
      valueField: 'number',
      labelField: 'name',
    });
    expect((await fieldOf('SalesOrders', 'product')).reference?.resourceTypeUriId).toBe('products');
    expect((await describeOne('Attributes')).rights).toEqual({ create: false, update: true, delete: false });
  });

  it('carries lists in lists, decimals of any length and bytes both ways', async () => {
    const lines = [
      {
        lineNumber: 1,
        product: 'A00001',
        quantity: 2.5,
        unitPrice: 10.1234,
        discountPercent: null,
        deliveries: [{ date: '2026-05-01', quantity: 2.5 }],
      },
    ];
    const values = { customer: 'C10001', orderDate: '2026-04-30', 'shipTo.address.city': 'Gouda', lines };
    const [outcome] = await write('SalesOrders', [insert(values)]);
    expect(outcome).toMatchObject({ state: 'done', values: { ...values, total: 25.31 } });

    const exact = '123456789012345678.25';
    expect((await readOne('Customers', 'C10007'))['creditLimit']).toBe(exact);
    const logo = Buffer.from([255, 254, 0, 62, 63]).toString('base64');
    const change = { creditLimit: '999999999999999999.99', logo };
    await write('Customers', [{ opId: 'u', action: 'update', key: 'C10007', values: change }]);
    expect(await readOne('Customers', 'C10007')).toMatchObject(change);
  });

  it('[DATA-12] reads and writes a collection per attribute', async () => {
    const attributes = await session.attributes(options);
    expect(attributes).toContainEqual({ attributeId: 'A2', attributeName: 'Channel' });
    const { fields } = await describeOne('AttributeValues');
    const query = {
      ...options,
      collection: 'AttributeValues',
      attributeId: 'A2',
      fields,
      cursor: null,
      pageSize: 25,
    };
    const found: Rec[] = [];
    for await (const page of session.read(query)) found.push(...page.records.map((r) => r.values));
    expect(found).toHaveLength(40);
    expect(found.every((values) => values['attribute'] === 'A2')).toBe(true);
    const [outcome] = await write('AttributeValues', [insert({ value: "NEW'1", description: 'New' })], 'A2');
    const key = "attribute='A2',value='NEW''1'";
    expect(outcome).toMatchObject({ state: 'done', key });
    expect(await readOne('AttributeValues', key)).toMatchObject({ description: 'New', status: 'N' });
    const removed = await write('AttributeValues', [{ opId: 'd', action: 'delete', key }], 'A2');
    expect(removed[0]?.state).toBe('done');
  });

  it('maps refusals to fields, codes and classes, in the words of the system', async () => {
    const base = { name: 'X B.V.', customerGroup: 'retail', invoiceMethod: 'post' };
    const refuse = async (values: Rec) => {
      const [outcome] = await write('Customers', [insert({ ...base, ...values })]);
      return outcome?.state === 'rejected' ? outcome.errors : [];
    };
    expect(await refuse({ name: '' })).toEqual([
      { errCode: '4001', msg: 'A value is required', field: 'name', code: 4001, class: 'validation' },
    ]);
    expect(await refuse({ 'address.city': 'x'.repeat(99) })).toMatchObject([
      { field: 'address.city', code: 4102 },
    ]);
    expect(await refuse({ contacts: [{ name: 'ok' }, { name: null }] })).toMatchObject([
      { field: 'contacts', code: 4001 },
    ]);
    expect(await refuse({ vatNumber: 'NL100000007B01' })).toMatchObject([
      { field: 'vatNumber', code: 4900, class: 'unique' },
    ]);
    expect(await refuse({ priceList: 'PL01', discountPercent: 59 })).toMatchObject([
      { errCode: 'CUST-0214', field: 'discountPercent', class: 'validation' },
    ]);
    const [used] = await write('Customers', [{ opId: 'd', action: 'delete', key: 'C10001' }]);
    expect(used).toMatchObject({
      state: 'rejected',
      errors: [{ errCode: 'CUST-0230', class: 'inUse', field: null }],
    });
  });

  it('[PEND-11] passes received values raw that break the metadata', async () => {
    expect(await readOne('Customers', 'C10009')).toMatchObject({ customerSince: '2026-02-31' });
    expect(await readOne('Customers', 'C10003')).toMatchObject({ customerGroup: 'craft' });
    expect(await readOne('Customers', 'C10005')).toMatchObject({ name: null });
    expect(await readOne('Employees', '1004')).toMatchObject({ workStart: '25:10' });
    expect(typeof (await readOne('Suppliers', 'S10001'))['leadTime']).toBe('string');
  });

  it('probes an insert whose key the system makes by its values and time', async () => {
    const { fields } = await describeOne('JournalEntries');
    const values = {
      entryDate: '2026-06-01',
      account: 1000,
      description: 'Probe me',
      debit: 12.5,
      credit: 0,
    };
    const sentAt = new Date();
    const asked = { ...options, collection: 'JournalEntries', fields, op: insert(values), sentAt };
    expect(await session.probe(asked)).toEqual({ state: 'notApplied' });
    await write('JournalEntries', [insert(values), { ...insert({ ...values, debit: 13 }), opId: 'j' }]);
    const answer = await session.probe(asked);
    expect(answer.state === 'candidates' ? answer.records.map((r) => r.values['debit']) : answer).toEqual([
      12.5,
    ]);
    const tomorrow = new Date(sentAt.getTime() + 86_400_000);
    expect(await session.probe({ ...asked, sentAt: tomorrow })).toEqual({ state: 'notApplied' });
  });

  it('[PEND-13] keeps the turn of a call: it gets ready meanwhile and reaches the system behind the one before', async () => {
    const { fields } = await describeOne('JournalEntries');
    const entry = (description: string) => ({
      ...insert({ entryDate: '2026-06-02', account: 1000, description, debit: 1, credit: 0 }),
      opId: description,
    });
    const order: string[] = [];
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const call = (names: string[], come: () => Promise<void>, pass: () => void) =>
      session.write({
        ...options,
        collection: 'JournalEntries',
        fields,
        ops: names.map(entry),
        turn: { come, pass },
      });
    // Asked for the other way round: what counts is the turn.
    const later = call(
      ['turn 3', 'turn 4'],
      () => first.promise.then(() => void order.push('second leaves')),
      second.resolve,
    );
    const earlier = call(
      ['turn 1', 'turn 2'],
      () => new Promise((resolve) => setTimeout(resolve, 100)),
      () => {
        order.push('first answered');
        first.resolve();
      },
    );
    const outcomes = [...(await earlier), ...(await later)];
    await second.promise;
    expect(order).toEqual(['first answered', 'second leaves']);
    const keys = outcomes.map((outcome) => (outcome.state === 'done' ? Number(outcome.key) : Number.NaN));
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    expect(keys.every((key) => Number.isInteger(key))).toBe(true);
  });

  it('[PEND-13] reads an answer when the next call has left, so that the system does not wait for our reading', async () => {
    const { fields } = await describeOne('JournalEntries');
    const ops = ['read 1', 'read 2'].map((description) => ({
      ...insert({ entryDate: '2026-06-02', account: 1000, description, debit: 1, credit: 0 }),
      opId: description,
    }));
    const order: string[] = [];
    const answered = Promise.withResolvers<void>();
    const call = (come: () => Promise<void>, pass: () => void) =>
      session.write({ ...options, collection: 'JournalEntries', fields, ops, turn: { come, pass } });
    const now = () => Promise.resolve();
    // Two lines are open already, as in the midst of a push.
    await Promise.all([call(now, () => undefined), call(now, () => undefined)]);
    const leave = () => void order.push('a call leaves');
    subscribe('undici:client:sendHeaders', leave);
    try {
      const first = call(now, answered.resolve).then(() => order.push('the first is read'));
      await Promise.all([
        first,
        call(
          () => answered.promise,
          () => undefined,
        ),
      ]);
    } finally {
      unsubscribe('undici:client:sendHeaders', leave);
    }
    expect(order).toEqual(['a call leaves', 'a call leaves', 'the first is read']);
  });
});
