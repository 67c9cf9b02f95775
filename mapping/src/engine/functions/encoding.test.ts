import { describe, expect, it } from 'vitest';
import { compilePlan } from '../plan.ts';
import { testFunctions } from '../test-support/cases.ts';
import { applied, batchOf, facts, field, mapping } from '../test-support/one-value.ts';
import { recordErrorText } from '../texts.ts';
import type { LookupRequest } from '../types.ts';
import { codeFunctions } from './codes.ts';
import { encodingFunctions } from './encoding.ts';
import { formatFunctions } from './formats.ts';
import { lookupFunctions } from './lookup.ts';

const withSystem = ['translate', 'lookupTarget', 'lookupSource', 'existsInTarget'];
const plain = lookupFunctions.filter(({ id }) => !withSystem.includes(id));

testFunctions([...encodingFunctions, ...formatFunctions, ...codeFunctions, ...plain], {
  base64Encode: [
    ['e\u0301', {}, 'ZcyB'],
    ['😀', {}, '8J+YgA=='],
    [' ', {}, 'IA=='],
  ],
  base64Decode: [
    ['8J+YgA==', {}, '😀'],
    ['8J-YgA', {}, '😀'],
    ['%%%', {}, '!notDecodable'],
    ['/w==', {}, '!notDecodable'],
  ],
  hexEncode: [
    ['😀', {}, 'f09f9880'],
    [' ', {}, '20'],
    ['ab', {}, '6162'],
  ],
  hexDecode: [
    ['6', {}, '!notDecodable'],
    ['ff', {}, '!notDecodable'],
    ['f09f9880', {}, '😀'],
  ],
  urlEncode: [
    ['a/b?', {}, 'a%2Fb%3F'],
    ['\ud800', {}, '%EF%BF%BD'],
    ['abc', {}, 'abc'],
  ],
  urlDecode: [
    ['%', {}, '!notDecodable'],
    ['%C3%A9', {}, 'é'],
    ['abc', {}, 'abc'],
  ],
  htmlEscape: [
    ["'&'", {}, '&#39;&amp;&#39;'],
    ['é', {}, 'é'],
    ['&amp;', {}, '&amp;amp;'],
  ],
  htmlUnescape: [
    ['&nope;', {}, '&nope;'],
    ['&#x20AC;', {}, '€'],
    ['&amp;lt;', {}, '&lt;'],
  ],
  jsonParse: [
    ['{', {}, '!notJson'],
    ['{"a":1}', { path: 'b.c' }, null],
    ['{"é":{"x":true}}', { path: '$.é.x' }, true],
    ['{}', { path: '__proto__' }, null],
  ],
  jsonStringify: [
    [1.5, {}, '1.5'],
    [true, {}, 'true'],
    ['"é"', {}, '"\\"é\\""'],
    [[], {}, '[]'],
  ],
  hash: [
    ['é', {}, '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
    [12, { algorithm: 'md5' }, 'c20ad4d76fe97759aa27a0c99bff6710'],
    ['12', { algorithm: 'md5' }, 'c20ad4d76fe97759aa27a0c99bff6710'],
    ['a', { algorithm: 'crc32' }, 'e8b7be43'],
  ],
  uuidV5: [
    ['a', {}, 'd720e32d-4765-5177-b65b-42dd7f6e6445'],
    ['a', { namespace: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' }, '4f3f2898-69e3-5a0d-820a-c4e87987dbce'],
    [5, {}, 'b7d55bf4-7057-5113-85c8-141871bf7635'],
    ['é', {}, '4c9d8941-1dcb-56d3-9fe5-b5aef28ef637'],
  ],
  ibanFormat: [
    ['NL00ABNA0417164300', {}, '!notAnIban'],
    ['DE89 3704 0044 0532 0130 00', {}, 'DE89370400440532013000'],
    ['geen', { onError: 'empty' }, null],
  ],
  isValidIban: [
    ['DE89370400440532013000', {}, true],
    ['', {}, null],
    ['NL91', {}, false],
  ],
  vatNormalise: [
    ['123', {}, '!notAVatNumber'],
    ['DE 123456789', {}, 'DE123456789'],
    ['GR123456789', {}, 'EL123456789'],
  ],
  isValidVatFormat: [
    ['de 123456789', {}, true],
    ['XX1', {}, false],
    ['EL123456789', {}, true],
  ],
  phoneE164: [
    ['0031 6 12345678', {}, '+31612345678'],
    ['abc', {}, '!notAPhoneNumber'],
    ['030 123456', { country: 'DE' }, '+4930123456'],
  ],
  postcodeNormalise: [
    ['0123AB', {}, '!notAPostcode'],
    ['NL-1234 ab', {}, '1234 AB'],
    ['B-1000', { country: 'BE' }, '1000'],
  ],
  emailNormalise: [
    ['mailto:A@B.nl', {}, 'a@b.nl'],
    ['a@b.nl;c@d.nl', {}, '!notAnEmail'],
    ['ä@bücher.de', {}, 'ä@bücher.de'],
  ],
  isValidEmail: [
    ['a b@c.nl', {}, false],
    [' a@b.nl ', {}, true],
    ['a@b.nl, c@d.nl', {}, false],
  ],
  countryCode: [
    ['belgië', {}, 'BE'],
    ['Deutschland', { to: 'name' }, 'Germany'],
    ['Wakanda', {}, '!notACountry'],
    [528, { to: 'alpha3' }, 'NLD'],
  ],
  currencyCode: [
    ['usd', {}, 'USD'],
    [978, {}, 'EUR'],
    ['florijn', {}, '!notACurrency'],
    ['£', { to: 'numeric' }, '826'],
  ],
  translateRange: [
    [-1, { ranges: [[0, 'a']] }, '!noTranslation'],
    [-1, { ranges: [[0, 'a']], onNone: 'passthrough' }, -1],
    [
      10,
      {
        ranges: [
          [10, 'b'],
          [0, 'a'],
        ],
      },
      'b',
    ],
    ['x', { ranges: [[0, 'a']], onNone: 'default', defaultValue: 'é' }, 'é'],
  ],
  translateRegex: [
    ['x', { rows: [['\\d', 1]] }, '!noTranslation'],
    [
      'é1',
      {
        rows: [
          ['\\d', 'one'],
          ['é', 'two'],
        ],
      },
      'one',
    ],
    ['x', { rows: [['\\d', 1]], onNone: 'passthrough' }, 'x'],
  ],
});

describe('translate', () => {
  const table = (extra: object) => ({
    inputType: 'string' as const,
    returnType: 'string' as const,
    rows: [
      { key: 'Nederland', value: 'NL' },
      { key: 'België', value: 'BE' },
    ],
    defaultValue: null,
    notFound: 'error' as const,
    ...extra,
  });
  const translated = async (value: Parameters<typeof applied>[1], extra: object = {}) =>
    await applied([{ fnId: 'translate', args: {}, translationTable: table(extra) }], value);

  it('[TRANS-01] finds the value beside the key, by the type of the key', async () => {
    expect(await translated('België')).toBe('BE');
    const numbers = { inputType: 'float64', returnType: 'int', rows: [{ key: 10, value: 1 }] };
    expect(await translated('10.0', numbers)).toBe(1);
    expect(await translated(10, numbers)).toBe(1);
    const days = { inputType: 'date', rows: [{ key: '2026-11-21', value: 'x' }] };
    expect(await translated('2026-11-20T23:30:00Z', days)).toBe('x');
  });

  it('[TRANS-02] error: a key that is not there fails the record with its text; case counts', async () => {
    expect(await translated('België')).toBe('BE');
    expect(await translated('nederland')).toBe('!noTranslation');
    expect(await translated(null)).toBe('!noTranslation');
  });

  it('[TRANS-03] default: a key that is not there, and nothing, become the default', async () => {
    const extra = { notFound: 'default', defaultValue: 'XX' };
    expect(await translated('Wakanda', extra)).toBe('XX');
    expect(await translated('', extra)).toBe('XX');
    expect(await translated('Nederland', extra)).toBe('NL');
  });

  it('[TRANS-04] passthrough: a key that is not there stays as it is, as the return type', async () => {
    expect(await translated('Wakanda', { notFound: 'passthrough' })).toBe('Wakanda');
    expect(await translated('x', { notFound: 'passthrough', returnType: 'int' })).toBe('!notANumber');
    expect(await translated('12', { notFound: 'passthrough', returnType: 'int', rows: [] })).toBe(12);
  });

  it('[TRANS-01] a table of 10,000 rows is looked up at once', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, value: `v${index}` }));
    expect(await translated('k9999', { rows })).toBe('v9999');
  });

  it('a step without its table fails', async () => {
    expect(await applied([{ fnId: 'translate', args: {} }], 'x')).toBe('!missingTable');
  });
});

describe('look-ups', () => {
  const parties: Record<string, string[]> = { K1: ['7'], K2: ['8', '9'] };
  const looked = async (fnId: string, args: Record<string, string>, values: (string | number | null)[]) => {
    const requests: { request: LookupRequest; keys: readonly unknown[] }[] = [];
    const plan = compilePlan({
      mappings: [
        mapping('t', { type: 'sourceValue', field: 'v' }, [
          { fnId, args: { collection: 'party', keyField: 'code', ...args } },
        ]),
      ],
      sourceOptionId: 's',
      sourceFields: [field('v', 'unknown')],
      targetFields: [field('t', 'unknown')],
      zone: facts.zone,
    });
    const { steps, result } = await plan.runTraced(batchOf({ v: values }), {
      ...facts,
      lookup: (request, keys) => {
        requests.push({ request, keys });
        return Promise.resolve({
          title: { EN: 'Parties', NL: 'Relaties' },
          values: keys.map((key) => parties[String(key)] ?? []),
        });
      },
    });
    const column = steps.find((step) => step.fnId === fnId)?.values.slice() ?? [];
    for (const error of result.errors) column[error.row] = `!${error.code}`;
    const said = result.errors.map((error) => recordErrorText(error, 'NL', String));
    return { column, requests, said };
  };

  it('lookupTarget asks once per batch, with the different keys, and says what was not found', async () => {
    const { column, requests, said } = await looked('lookupTarget', { returnField: 'id' }, [
      'K1',
      'K1',
      null,
      '',
      'K2',
      'K3',
    ]);
    expect(column).toEqual(['7', '7', null, null, '!lookupMany', '!lookupNone']);
    expect(said).toEqual(["Meerdere records met 'K2' in Relaties", "Geen record met 'K3' in Relaties"]);
    expect(requests).toEqual([
      {
        request: { system: 'target', collection: 'party', keyField: 'code', returnField: 'id' },
        keys: ['K1', 'K2', 'K3'],
      },
    ]);
  });

  it('follows its choices for none and for several', async () => {
    const of = async (args: Record<string, string>) =>
      (await looked('lookupSource', { returnField: 'id', ...args }, ['K2', 'K3'])).column;
    expect(await of({ onNone: 'empty', onMany: 'first' })).toEqual(['8', null]);
    expect(await of({ onNone: 'passthrough', onMany: 'empty' })).toEqual([null, 'K3']);
    expect(await of({ onNone: 'default', defaultValue: '0', onMany: 'first' })).toEqual(['8', '0']);
  });

  it('existsInTarget answers yes or no, and nothing for nothing', async () => {
    expect((await looked('existsInTarget', {}, ['K1', 'K2', 'K3', null])).column).toEqual([
      true,
      true,
      false,
      null,
    ]);
  });

  it('no question is asked where there is nothing to look up', async () => {
    expect((await looked('lookupTarget', { returnField: 'id' }, [null, ''])).requests).toEqual([]);
  });

  it('without a system to ask the records fail', async () => {
    const args = { collection: 'c', keyField: 'k', returnField: 'r' };
    for (const fnId of ['lookupTarget', 'lookupSource', 'existsInTarget'])
      expect(await applied([{ fnId, args }], 'x')).toBe('!lookupUnavailable');
  });
});
