import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as FeMockserver from '@sap-ux/fe-mockserver-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions, Session, WriteOp } from '@sluice/adapter-kit';
import { odataAdapter } from './index.ts';
import { configOf, freeContext } from './test-support.ts';

// CommonJS whose default export the test runner and Node unwrap differently: require() is the same in both.
const require = createRequire(import.meta.url);
const { default: MockServer } = require('@sap-ux/fe-mockserver-core') as typeof FeMockserver.default;

const customers = Array.from({ length: 2500 }, (_, i) => ({
  id: `C${String(i).padStart(5, '0')}`,
  displayName: `Customer ${i}`,
  rating: i % 3 === 0 ? 'Poor' : 'Good',
  creditLimit: 100.5,
  visits: i,
  isBlocked: false,
  since: '2024-01-01',
  lastModifiedDateTime: '2024-05-01T10:00:00.1234567+02:00',
}));
const orders = [
  { customerId: 'C00001', number: 1, remark: 'first' },
  { customerId: 'C00001', number: 2, remark: "it's second" },
];

// An OData server that none of us wrote. It pages nothing, knows no JSON $batch and no `If-Match: *`, answers 500
// where others answer 404, and its errors have no envelope: all of that must be survived.
describe('the OData adapter against an independent server', () => {
  let folder: string;
  let http: Server;
  let mock: InstanceType<typeof MockServer>;
  let session: Session;
  const options: CallOptions = {
    levels: [],
    locale: 'EN',
    callClass: 'interactive',
    signal: new AbortController().signal,
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'odata-'));
    await writeFile(join(folder, 'customers.json'), JSON.stringify(customers));
    await writeFile(join(folder, 'orders.json'), JSON.stringify(orders));
    const metadataPath = fileURLToPath(new URL('../testdata/metadata.xml', import.meta.url));
    const quiet = { info() {}, error() {}, warn() {}, verbose() {}, silly() {}, perf() {}, debug() {} };
    mock = new MockServer({
      services: [{ urlPath: '/trade', metadataPath, mockdataPath: folder, validateETag: true, watch: false }],
      logger: Object.assign(quiet, { isLevelEnabled: () => false }),
    });
    await mock.isReady;
    http = createServer((request, response) =>
      mock.getRouter()(request, response, () => response.writeHead(404).end()),
    );
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    session = odataAdapter.open(
      configOf(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, 'trade'),
      freeContext(),
    );
  });
  afterAll(async () => {
    await session.close();
    await mock.dispose();
    await new Promise((resolve) => http.close(resolve));
    await rm(folder, { recursive: true });
  });

  const call = async (ops: WriteOp[], collection = 'customers') => {
    const { fields } = await session.describe(collection, options);
    return session.write({ ...options, collection, fields, ops });
  };
  const read = async (keys: string[], collection = 'customers') => {
    const { fields } = await session.describe(collection, options);
    return session.readByKeys({ ...options, collection, fields, keys });
  };

  it('connects, finds no companies, and gives collections of the domain', async () => {
    expect(await session.test(options)).toMatchObject({ status: 'OK', isProduction: null });
    expect(await session.companies(options)).toEqual([]);
    expect(await session.collections(options)).toEqual([
      {
        code: 'customers',
        resourceTypeUriId: 'customers',
        title: 'Customers',
        numberOfSystemLevels: 1,
        hasAttribute: false,
      },
      {
        code: 'orders',
        resourceTypeUriId: 'orders',
        title: 'Orders',
        numberOfSystemLevels: 1,
        hasAttribute: false,
      },
    ]);
  });

  it('[DATA-01, DATA-09] reads types, base types, enumerations and annotations that stand apart', async () => {
    const { fields, keyFields, labelField, rights } = await session.describe('customers', options);
    expect(keyFields).toEqual(['id']);
    expect(labelField).toBe('displayName');
    expect(rights).toEqual({ create: true, update: true, delete: true });
    const types = Object.fromEntries(fields.map((f) => [f.id, f.dataType]));
    expect(types).toEqual({
      lastModifiedDateTime: 'datetime',
      id: 'string',
      displayName: 'string',
      rating: 'string',
      creditLimit: 'float64',
      visits: 'int',
      isBlocked: 'bool',
      since: 'date',
      etag: 'string',
    });
    expect(fields.find((f) => f.id === 'displayName')).toMatchObject({
      name: 'Customer name',
      isMandatory: true,
    });
    expect(fields.find((f) => f.id === 'rating')?.options).toEqual([
      { value: 'Good', description: 'Good' },
      { value: 'Poor', description: 'Poor' },
    ]);
    const order = await session.describe('orders', options);
    expect(order.rights.delete).toBe(false);
    expect(order.fields.find((f) => f.id === 'customerId')?.reference).toEqual({
      resourceTypeUriId: 'customers',
      valueField: 'id',
      labelField: 'displayName',
    });
  });

  it('pages a server that does not page, and resumes by the stored cursor', async () => {
    const { fields } = await session.describe('customers', options);
    const query = { ...options, collection: 'customers', fields, pageSize: 400 };
    const sizes: number[] = [];
    let stored: string | null = null;
    for await (const page of session.read({ ...query, cursor: null })) {
      sizes.push(page.records.length);
      if (sizes.length === 2) stored = page.cursor;
    }
    expect(sizes).toEqual([400, 400, 400, 400, 400, 400, 100]);
    const rest: string[] = [];
    for await (const page of session.read({ ...query, cursor: stored })) {
      expect(page.records.length).toBeLessThanOrEqual(400);
      rest.push(...page.records.map((r) => r.key));
    }
    expect(rest).toEqual(customers.slice(800).map((c) => c.id));
  });

  it('[DATA-01] brings times to UTC with every digit of the fraction', async () => {
    const [record] = await read(['C00003']);
    expect(record?.values['lastModifiedDateTime']).toBe('2024-05-01T08:00:00.1234567Z');
  });

  it('addresses records by keys of two parts', async () => {
    const keys = [
      "customerId='C00001',number=1",
      "customerId='C00001',number=2",
      "customerId='C00001',number=3",
    ];
    const records = await read(keys, 'orders');
    expect(records.map((r) => [r.key, r.values['remark']])).toEqual([
      [keys[0], 'first'],
      [keys[1], "it's second"],
    ]);
    const [outcome] = await call(
      [{ opId: 'a', action: 'update', key: keys[0] ?? '', values: { remark: 'new' } }],
      'orders',
    );
    expect(outcome).toMatchObject({ state: 'done', key: keys[0] });
  });

  it('writes one by one where JSON $batch does not work, with an outcome for each', async () => {
    const outcomes = await call([
      {
        opId: '1',
        action: 'insert',
        values: { id: 'N1', displayName: 'New', creditLimit: 12.25, rating: 'Good' },
      },
      { opId: '2', action: 'insert', values: { id: 'N2', displayName: 'Newer' } },
    ]);
    expect(outcomes.map((o) => [o.opId, o.state])).toEqual([
      ['1', 'done'],
      ['2', 'done'],
    ]);
    expect((await read(['N1']))[0]?.values).toMatchObject({
      displayName: 'New',
      creditLimit: 12.25,
      rating: 'Good',
    });
    const removed = await call([
      { opId: '3', action: 'delete', key: 'N1' },
      { opId: '4', action: 'delete', key: 'N1' },
    ]);
    expect(removed.map((o) => o.state)).toEqual(['done', 'done']);
    expect(await read(['N1'])).toEqual([]);
  });

  it('sends versions back as they came, and tells a stale one', async () => {
    const [before] = await read(['C00010']);
    const update = (displayName: string, version: string | null): WriteOp[] => [
      { opId: 'u', action: 'update', key: 'C00010', values: { displayName }, version },
    ];
    const [first] = await call(update('Changed', before?.version ?? null));
    expect(first?.state).toBe('done');
    const [second] = await call(update('Late', before?.version ?? null));
    expect(second?.state).toBe('stale');
    expect((await read(['C00010']))[0]?.values['displayName']).toBe('Changed');
  });

  it('writes without a version although the server does not know If-Match: *', async () => {
    const [outcome] = await call([
      { opId: 'u', action: 'update', key: 'C00011', values: { displayName: 'Changed' }, version: null },
    ]);
    expect(outcome?.state).toBe('done');
    const [gone] = await call([
      { opId: 'g', action: 'update', key: 'nobody', values: { displayName: 'x' }, version: null },
    ]);
    expect(gone?.state).toBe('gone');
  });

  it('probes inserts by the key that the user gave', async () => {
    const { fields } = await session.describe('customers', options);
    const values = { id: 'P1', displayName: 'Probed', rating: 'Poor' };
    const op: WriteOp = { opId: 'p', action: 'insert', values };
    const asked = { ...options, collection: 'customers', fields, op, sentAt: new Date() };
    expect(await session.probe(asked)).toEqual({ state: 'notApplied' });
    await call([op]);
    expect(await session.probe(asked)).toMatchObject({ state: 'candidates', records: [{ key: 'P1' }] });
  });

  it('probes inserts by their values where there is no key to search for', async () => {
    const { fields } = await session.describe('customers', options);
    const op: WriteOp = {
      opId: 'p',
      action: 'insert',
      values: { displayName: 'Customer 77', rating: 'Good', visits: 77 },
    };
    const asked = { ...options, collection: 'customers', fields, op, sentAt: new Date() };
    expect(await session.probe(asked)).toMatchObject({ state: 'candidates', records: [{ key: 'C00077' }] });
  });
});
