import type { DataType, FieldDescriptor, Value } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatValue, parseTyped, type TypedContext } from './typed.ts';
import { asFilled, validateFields } from './validate.ts';
import { canonicalDecimal, checkValue } from './values.ts';

const field = (dataType: DataType, more: Partial<FieldDescriptor> = {}): FieldDescriptor =>
  fieldOf('f', { name: 'F', dataType, ...more });
const context: TypedContext = {
  formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
  timeZone: 'Europe/Amsterdam',
};

describe('values of the wire', () => {
  it('[DATA-01] every data type takes its own form and refuses others', () => {
    const good: [DataType, unknown, unknown][] = [
      ['bool', true, true],
      ['int', -5, -5],
      ['nonFormattableInt', 2024, 2024],
      ['uint', 0, 0],
      ['float64', 1.5, 1.5],
      ['string', ' a ', ' a '],
      ['uuid', '6F9619FF-8B86-D011-B42D-00CF4FC964FF', '6f9619ff-8b86-d011-b42d-00cf4fc964ff'],
      ['datetime', '2026-11-21T10:00:00+01:00', '2026-11-21T09:00:00Z'],
      ['datetime', '2026-11-21T10:00Z', '2026-11-21T10:00:00Z'],
      ['date', '2026-11-21', '2026-11-21'],
      ['time', '9:05', '09:05'],
      ['time', '09:05:00', '09:05'],
    ];
    for (const [type, value, expected] of good)
      expect(checkValue(field(type), value as never), `${type} ${String(value)}`).toEqual({
        isOk: true,
        value: expected,
      });
    const bad: [DataType, unknown][] = [
      ['bool', 'true'],
      ['int', 1.5],
      ['int', '1'],
      ['float64', 'x'],
      ['float64', true],
      ['string', 5],
      ['string', 'a\u0000b'],
      ['uuid', 'x'],
      ['datetime', '2026-11-21'],
      ['datetime', '2026-02-31T00:00:00Z'],
      ['date', '2026-02-31'],
      ['date', 20261121],
      ['time', '24:00'],
    ];
    for (const [type, value] of bad)
      expect(checkValue(field(type), value as never), `${type} ${String(value)}`).toEqual({
        isOk: false,
        reason: 'wrongType',
      });
  });

  it('[VAL-06] integers beyond what JavaScript holds exactly, and negative unsigned ones, are out of range', () => {
    expect(checkValue(field('int'), 2 ** 53)).toEqual({ isOk: false, reason: 'outOfRange' });
    expect(checkValue(field('uint'), -1)).toEqual({ isOk: false, reason: 'outOfRange' });
  });

  it('[DATA-03] [DATA-04] [DATA-05] [DATA-06] [DATA-07] [DATA-08] nested kinds are checked to their leaves', () => {
    const lines = field('string', {
      kind: 'simpleArray',
      children: [{ ...field('int'), id: 'n', kind: 'fieldInSimpleArray' }],
    });
    expect(checkValue(lines, [{ n: 1 }, { n: null }])).toEqual({
      isOk: true,
      value: [{ n: 1 }, { n: null }],
    });
    expect(checkValue(lines, [{ n: 'x' }])).toEqual({ isOk: false, reason: 'wrongType' });
    expect(checkValue(lines, [{ m: 1 }])).toEqual({ isOk: false, reason: 'wrongType' });
    expect(checkValue(lines, { n: 1 })).toEqual({ isOk: false, reason: 'wrongType' });
    const tags = field('string', { kind: 'primitiveValuesArray' });
    expect(checkValue(tags, ['a', 'b'])).toEqual({ isOk: true, value: ['a', 'b'] });
    expect(checkValue(tags, ['a', 1])).toEqual({ isOk: false, reason: 'wrongType' });
    const address = field('string', {
      kind: 'nestedElements',
      children: [{ ...field('string'), id: 'city' }],
    });
    expect(checkValue(address, { city: 'Delft' })).toEqual({ isOk: true, value: { city: 'Delft' } });
    const complex = field('string', { kind: 'complexArray', children: [{ ...lines, id: 'lines' }] });
    const wrapped = field('string', {
      kind: 'complexArray',
      children: [
        { ...field('string'), id: '[]', kind: 'complexArrayElement', children: [{ ...lines, id: 'lines' }] },
      ],
    });
    expect(checkValue(wrapped, [{ lines: [{ n: 2 }] }])).toEqual({
      isOk: true,
      value: [{ lines: [{ n: 2 }] }],
    });
    expect(checkValue(complex, [{ lines: [{ n: 2 }] }])).toEqual({
      isOk: true,
      value: [{ lines: [{ n: 2 }] }],
    });
  });

  it('decimals keep their digits: a number where nothing is lost, the text otherwise', () => {
    expect(canonicalDecimal('0010.500')).toBe(10.5);
    expect(canonicalDecimal('-0.00')).toBe(0);
    expect(canonicalDecimal('12345678901234567.10')).toBe('12345678901234567.1');
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.integer({ min: 0, max: 99 }),
        (whole, cents) => {
          const text = `${whole}.${String(cents).padStart(2, '0')}`;
          const back = canonicalDecimal(text);
          expect(canonicalDecimal(String(back))).toBe(back);
          expect(
            String(back)
              .replace('.', '')
              .replace(/^0+|0+$/g, ''),
          ).toBe(text.replace('.', '').replace(/^0+|0+$/g, ''));
        },
      ),
    );
  });
});

describe('typed text', () => {
  it('[VAL-02] [VAL-03] [VAL-04] [VAL-05] [VAL-06] [VAL-08] each kind of number input has its own refusal', () => {
    expect(parseTyped(field('uint'), '-1', context)).toEqual({ isOk: false, problem: 'positiveInteger' });
    expect(parseTyped(field('uint'), '0', context)).toEqual({ isOk: true, value: 0 });
    expect(parseTyped(field('int'), '1,5', context)).toEqual({ isOk: false, problem: 'integer' });
    expect(parseTyped(field('int'), '1.234', context)).toEqual({ isOk: true, value: 1234 });
    expect(parseTyped(field('int'), '99999999999999999', context)).toEqual({
      isOk: false,
      problem: 'outOfRange',
    });
    expect(parseTyped(field('float64'), 'x', context)).toEqual({ isOk: false, problem: 'float' });
    expect(parseTyped(field('bool'), 'x', context)).toEqual({ isOk: false, problem: 'invalid' });
    expect(parseTyped(field('date'), '31-02-2026', context)).toEqual({ isOk: false, problem: 'invalid' });
    expect(parseTyped(field('uuid'), 'x', context)).toEqual({ isOk: false, problem: 'invalid' });
  });

  it('options are found by value, by description and by what the table shows, never by an ambiguous description', () => {
    const term = field('string', {
      options: [
        { value: '10', description: '14 days' },
        { value: '20', description: '30 days' },
        { value: '21', description: '30 days' },
      ],
    });
    expect(parseTyped(term, '10', context)).toEqual({ isOk: true, value: '10' });
    expect(parseTyped(term, '14 DAYS', context)).toEqual({ isOk: true, value: '10' });
    expect(parseTyped(term, '20 30 days', context)).toEqual({ isOk: true, value: '20' });
    expect(parseTyped(term, '30 days', context)).toEqual({ isOk: true, value: '30 days' });
  });

  it("a date with a time is the organisation's local time", () => {
    expect(parseTyped(field('datetime'), '21-11-2026 10:30', context)).toEqual({
      isOk: true,
      value: '2026-11-21T09:30:00Z',
    });
    expect(parseTyped(field('datetime'), '21-11-2026', context)).toEqual({
      isOk: true,
      value: '2026-11-20T23:00:00Z',
    });
  });

  it('what the table shows reads back as the same value', () => {
    const cases: [DataType, unknown][] = [
      ['bool', true],
      ['int', -1_234_567],
      ['nonFormattableInt', 2024],
      ['float64', 1234.5],
      ['date', '2026-11-21'],
      ['time', '09:05'],
      ['datetime', '2026-07-01T10:30:00Z'],
      ['string', 'a, b; "c"'],
    ];
    for (const [type, value] of cases) {
      expect(parseTyped(field(type), formatValue(field(type), value as never, context), context)).toEqual({
        isOk: true,
        value,
      });
    }
  });
});

describe('rules', () => {
  const check = (
    rule: FieldDescriptor['validations'][number],
    value: unknown,
    others: Record<string, unknown> = {},
    extra: Partial<FieldDescriptor> = {},
    isNew = true,
  ): number[] => {
    const values: Record<string, unknown> = { f: value, ...others };
    return validateFields([field('string', { validations: [rule], ...extra })], (id) => values[id] as Value, {
      isNew,
    }).map(({ code }) => code);
  };
  it('[VAL-01] [VAL-10] 4001 a mandatory field is empty', () => {
    expect(check({ code: 4001, params: {} }, null)).toEqual([4001]);
    expect(check({ code: 4001, params: {} }, 'x')).toEqual([]);
  });
  it('[VAL-11] 4002 mandatory if another field is true', () => {
    const rule = { code: 4002 as const, params: { field: 'other' } };
    expect(check(rule, null, { other: true })).toEqual([4002]);
    expect(check(rule, null, { other: false })).toEqual([]);
  });
  it('[VAL-12] 4003 mandatory if another field equals a value', () => {
    const rule = { code: 4003 as const, params: { field: 'other', value: 'X' } };
    expect(check(rule, null, { other: 'X' })).toEqual([4003]);
    expect(check(rule, null, { other: 'Y' })).toEqual([]);
  });
  it('[VAL-13] [VAL-14] 4101 and 4102 count characters as people do', () => {
    expect(check({ code: 4101, params: { min: 3 } }, 'ab')).toEqual([4101]);
    expect(check({ code: 4102, params: { max: 3 } }, 'abcd')).toEqual([4102]);
    expect(check({ code: 4102, params: { max: 2 } }, '😀😀')).toEqual([]);
  });
  it('[VAL-07] [VAL-15] 4105 wants a URL', () => {
    const rule = { code: 4105 as const, params: {} };
    expect(['https://a.nl/x', 'mailto:a@b.nl'].map((value) => check(rule, value))).toEqual([[], []]);
    expect(['htp:/x', 'a.nl', 'https://', 'javascript:alert(1)'].map((value) => check(rule, value))).toEqual([
      [4105],
      [4105],
      [4105],
      [4105],
    ]);
  });
  it('[VAL-16] [VAL-17] 4200 and 4201 are bounds', () => {
    expect(check({ code: 4200, params: { max: 10 } }, 11)).toEqual([4200]);
    expect(check({ code: 4201, params: { min: 0 } }, -1)).toEqual([4201]);
    expect(check({ code: 4200, params: { max: 10 } }, 10)).toEqual([]);
  });
  it('[VAL-18] [VAL-19] 4300 and 4301 compare times', () => {
    expect(check({ code: 4300, params: { min: '08:00' } }, '07:59')).toEqual([4300]);
    expect(check({ code: 4301, params: { field: 'from' } }, '09:00', { from: '10:00' })).toEqual([4301]);
    expect(check({ code: 4301, params: { field: 'from' } }, '10:00', { from: '10:00' })).toEqual([]);
    expect(check({ code: 4301, params: { field: 'from' } }, '10:00', { from: null })).toEqual([]);
  });
  it('[VAL-20] [VAL-21] 4400 and 4401 want one of the options', () => {
    expect(check({ code: 4400, params: {} }, 'C', {}, { options: [{ value: 'A' }, { value: 'B' }] })).toEqual(
      [4400],
    );
    const rule = { code: 4401 as const, params: { field: 'country', value: 'NL', options: ['high', 'low'] } };
    expect(check(rule, 'none', { country: 'NL' })).toEqual([4401]);
    expect(check(rule, 'none', { country: 'US' })).toEqual([]);
  });
  it('never blocks what the external system fills by itself, or what cannot be decided here', () => {
    expect(check({ code: 4001, params: {} }, null, {}, { hasServerDefault: true })).toEqual([]);
    expect(check({ code: 4001, params: {} }, null, {}, { hasServerDefault: true }, false)).toEqual([4001]);
    expect(check({ code: 4900, params: { fields: ['f'] } }, 'x', {}, { mandatoryIf: 'unknown' })).toEqual([]);
  });
  it('a new record is judged by what the external system fills in, not by the empty field', () => {
    const state = field('string', { hasServerDefault: true, defaultValue: 'draft' });
    const number = { ...field('string', { hasServerDefault: true }), id: 'number' };
    const needs = (id: string, of: string): FieldDescriptor => ({
      ...field('string', { mandatoryIf: { op: 'notEquals', field: of, value: 'draft' } }),
      id,
    });
    const all = [{ ...state, id: 'state' }, number, needs('address', 'state'), needs('note', 'number')];
    const missing = (record: Record<string, string | null>): string[] =>
      validateFields(
        all,
        asFilled(all)((id) => record[id] ?? null),
        { isNew: true },
      ).map(({ field: id }) => id);
    expect(missing({})).toEqual([]);
    expect(missing({ state: 'done' })).toEqual(['address']);
    expect(missing({ state: 'draft', number: '7' })).toEqual(['note']);
  });
  it('names the element of an array that breaks a rule', () => {
    const lines = field('string', {
      kind: 'simpleArray',
      children: [{ ...field('int', { isMandatory: true }), id: 'n', kind: 'fieldInSimpleArray' }],
    });
    const found = validateFields([lines], () => [{ n: 1 }, { n: null }], { isNew: true });
    expect(found).toEqual([{ field: 'f[1].n', code: 4001, params: {} }]);
  });
});
