import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsdl } from './csdl.ts';
import { describeSet, timestampOf } from './describe.ts';
import { slugOf } from './fields.ts';
import { parseJson, readError } from './json.ts';
import { keyFilter, keyOfAddress, keyOfEntity, pathOf } from './keys.ts';
import { rootOf } from './service.ts';
import { toEntity, toRec } from './values.ts';

const csdl = (types: string, container = '') =>
  parseCsdl(`<?xml version="1.0"?><edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
    <edmx:DataServices><Schema Namespace="N" xmlns="http://docs.oasis-open.org/odata/ns/edm">${types}
    <EntityContainer Name="C">${container}</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>`);

const properties = (...list: [name: string, type: string][]): string =>
  list.map(([name, type]) => `<Property Name="${name}" Type="${type}"/>`).join('');
const entity = (inner: string, key = 'id'): string => `<EntityType Name="E">
  <Key>${key
    .split(',')
    .map((k) => `<PropertyRef Name="${k}"/>`)
    .join('')}</Key>${inner}</EntityType>`;
function typeOf(model: ReturnType<typeof csdl>) {
  const type = model.types.get('N.E');
  if (!type) throw new Error('no type');
  return type;
}

describe('values of OData', () => {
  const model = csdl(
    entity(
      properties(
        ['id', 'Edm.String'],
        ['d', 'Edm.Decimal'],
        ['f', 'Edm.Double'],
        ['n', 'Edm.Int64'],
        ['t', 'Edm.DateTimeOffset'],
        ['b', 'Edm.Binary'],
        ['o', 'N.O'],
        ['l', 'Collection(N.O)'],
        ['s', 'Collection(Edm.String)'],
      ),
    ) +
      `<ComplexType Name="O">${properties(['x', 'Edm.Decimal'], ['o', 'N.P'])}</ComplexType>
      <ComplexType Name="P">${properties(['y', 'Edm.Guid'])}</ComplexType>`,
  );
  const type = typeOf(model);

  it('[DATA-01] keeps what a double would change, and makes numbers of the rest', () => {
    const text =
      '{"id":"1","d":123456789012345678.25,"f":0.30000000000000004,"n":12,"l":[{"x":0.1234567890123456789}]}';
    const body = parseJson(text) as Record<string, unknown>;
    expect(toRec(model, type, body)).toMatchObject({
      d: '123456789012345678.25',
      f: 0.30000000000000004,
      n: 12,
      l: [{ x: '0.1234567890123456789' }],
    });
    const asText = { id: '1', d: '12.50', n: '9007199254740993', f: 'NaN' };
    expect(toRec(model, type, asText)).toMatchObject({ d: 12.5, n: '9007199254740993', f: 'NaN' });
  });

  it('brings instants to UTC and leaves what is no instant as it came', () => {
    const at = (t: string) => toRec(model, type, { id: '1', t })['t'];
    expect(at('2024-03-01T00:30:00.123456789+01:00')).toBe('2024-02-29T23:30:00.123456789Z');
    expect(at('2024-03-01T00:30Z')).toBe('2024-03-01T00:30:00Z');
    expect(at('2026-02-31T00:00:00Z')).toBe('2026-02-31T00:00:00Z');
    expect(at('yesterday')).toBe('yesterday');
  });

  it('[DATA-03, DATA-05] flattens objects, keeps lists, and gives an empty object empty fields', () => {
    expect(
      toRec(model, type, { id: '1', o: { x: 1, o: { y: 'A' } }, l: [{ x: 2, o: null }], s: null }),
    ).toEqual({
      id: '1',
      'o.x': 1,
      'o.o.y': 'a',
      l: [{ x: 2, o: null }],
      s: [],
    });
    expect(toRec(model, type, { o: null })).toEqual({ 'o.x': null, 'o.o.y': null });
  });

  it('writes back what it read', () => {
    fc.assert(
      fc.property(
        fc.record({
          id: fc.string(),
          d: fc.oneof(fc.integer(), fc.constant('123456789012345678.25'), fc.constant(null)),
          b: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
          'o.x': fc.integer(),
          'o.o.y': fc.uuid(),
          l: fc.array(fc.record({ x: fc.integer(), o: fc.record({ y: fc.uuid() }) })),
          s: fc.array(fc.string()),
        }),
        (rec) => {
          const sent = JSON.stringify(toEntity(model, type, rec));
          const received = parseJson(sent) as Record<string, unknown>;
          expect(toRec(model, type, received)).toEqual(rec);
        },
      ),
    );
  });
});

describe('keys of OData', () => {
  it('survive every text, in addresses and filters', () => {
    const model = csdl(entity(properties(['id', 'Edm.String'])));
    const type = typeOf(model);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (id) => {
        const key = keyOfEntity(model, type, { id }) ?? '';
        expect(key).toBe(id);
        const url = new URL(`http://host/root/${pathOf(model, type, 'Es', key)}`);
        expect(decodeURIComponent(url.pathname)).toBe(`/root/Es('${id.replaceAll("'", "''")}')`);
        if (!/[()]/.test(id)) expect(keyOfAddress(type, url.href)).toBe(id);
        expect(keyFilter(model, type, key)).toBe(`id eq '${id.replaceAll("'", "''")}'`);
      }),
    );
  });

  it('of several parts name each part', () => {
    const model = csdl(entity(properties(['a', 'Edm.String'], ['b', 'Edm.Int32']), 'a,b'));
    const type = typeOf(model);
    const key = keyOfEntity(model, type, { a: "it's, b=2", b: 3 }) ?? '';
    expect(key).toBe("a='it''s, b=2',b=3");
    expect(keyFilter(model, type, key)).toBe("(a eq 'it''s, b=2' and b eq 3)");
    expect(keyOfEntity(model, type, { a: 'x' })).toBeNull();
  });
});

describe('metadata of OData', () => {
  it('reads base types, aliases and annotations that stand apart', () => {
    const model = parseCsdl(readFileSync(new URL('../testdata/metadata.xml', import.meta.url), 'utf8'));
    const set = model.sets.find((s) => s.name === 'customers');
    if (!set) throw new Error('no set');
    expect(describeSet(model, set).fields[0]?.id).toBe('lastModifiedDateTime');
    const type = model.types.get('Trade.Service.Customer');
    expect(type && timestampOf(type, 'ChangedAt')).toBe('lastModifiedDateTime');
    expect(type && timestampOf(type, 'CreatedAt')).toBeNull();
  });

  it('refuses what is no metadata of OData 4', () => {
    expect(() => parseCsdl('<html><body>Sign in</body></html>')).toThrow('no CSDL');
    expect(() => parseCsdl('<a><b></a>')).toThrow();
    expect(() => parseCsdl('<Edmx Version="1.0"><DataServices/></Edmx>')).toThrow('OData 4');
  });

  it('makes slugs for addresses', () => {
    expect(['GLAccounts', 'salesOrders', 'Z_Customer_2', 'JournalEntries'].map(slugOf)).toEqual([
      'gl-accounts',
      'sales-orders',
      'z-customer-2',
      'journal-entries',
    ]);
  });

  it('joins address and database', () => {
    expect(rootOf({ url: 'http://h/odata', database: 'production' })).toBe('http://h/odata/production/');
    expect(rootOf({ url: 'http://h/odata/', database: '' })).toBe('http://h/odata/');
    expect(rootOf({ url: 'http://h/{database}/api/v2.0', database: 'a b' })).toBe('http://h/a%20b/api/v2.0/');
  });

  it('reads errors with and without envelope', () => {
    const line = { code: 'X', message: 'no', target: null };
    expect(readError({ error: { code: 'X', message: 'no' } })).toEqual([line]);
    expect(readError({ error: { code: 'X', message: { lang: 'en', value: 'no' } } })).toEqual([line]);
    expect(readError({ code: 412, message: 'stale' })).toEqual([
      { code: '412', message: 'stale', target: null },
    ]);
    expect(
      readError({
        error: { code: 'M', message: 'many', details: [{ code: 'X', message: 'no', target: 'a' }] },
      }),
    ).toEqual([{ ...line, target: 'a' }]);
    expect(readError('<html>')).toBeNull();
  });
});
