import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue, isSameValue, ValueError } from './values.ts';

const decimal = (text: string) => ({ __class__: 'Decimal', decimal: text });

describe('values of Tryton', () => {
  it.each([
    ['numeric', decimal('1.50'), 1.5],
    ['numeric', decimal('-0.0001'), -0.0001],
    ['numeric', decimal('12345678901234567.89'), '12345678901234567.89'],
    ['date', { __class__: 'date', year: 987, month: 2, day: 3 }, '0987-02-03'],
    ['datetime', datetime(0), '2026-11-21T09:05:07Z'],
    ['timestamp', datetime(478_639), '2026-11-21T09:05:07.478639Z'],
    ['time', { __class__: 'time', hour: 7, minute: 5, second: 0, microsecond: 20 }, '07:05:00.000020'],
    ['timedelta', { __class__: 'timedelta', seconds: 86_400.5 }, 86_400.5],
    ['binary', { __class__: 'bytes', base64: 'aGFs\nbG8=\n' }, 'aGFsbG8='],
    ['char', '', null],
    ['char', 'x', 'x'],
    ['boolean', null, null],
    ['many2one', 7, 7],
    ['many2many', [3, 1], [3, 1]],
    ['many2many', null, []],
    ['multiselection', ['a', 'b'], ['a', 'b']],
    ['multiselection', null, []],
    ['dict', { a: 1 }, '{"a":1}'],
    ['reference', 'party.party,5', 'party.party,5'],
  ])('decodes %s %j', (type, raw, expected) => {
    expect(decodeValue(type, raw)).toEqual(expected);
  });

  it('passes a value of another shape than its type as it is', () => {
    expect(decodeValue('date', '2026-01-01')).toBe('2026-01-01');
    expect(decodeValue('numeric', { strange: true })).toBe('{"strange":true}');
    expect(decodeValue('datetime', { __class__: 'date', year: 1, month: 1, day: 1 })).toContain('date');
  });

  it.each([
    ['numeric', 1.5, decimal('1.5')],
    ['numeric', '12345678901234567.89', decimal('12345678901234567.89')],
    ['date', '2024-02-29', { __class__: 'date', year: 2024, month: 2, day: 29 }],
    ['time', '23:59', { __class__: 'time', hour: 23, minute: 59, second: 0, microsecond: 0 }],
    ['char', null, null],
    ['multiselection', null, []],
    ['float', '2.5', 2.5],
    ['binary', 'aGFsbG8=', { __class__: 'bytes', base64: 'aGFsbG8=' }],
  ])('encodes %s %j', (type, value, expected) => {
    expect(encodeValue(type, value)).toEqual(expected);
  });

  it.each([
    ['date', '2023-02-29'],
    ['date', '29-02-2024'],
    ['date', 5],
    ['datetime', '2026-11-21T09:05:07'],
    ['datetime', '2026-13-21T09:05:07Z'],
    ['time', '24:00'],
    ['numeric', 'twelve'],
    ['numeric', ''],
    ['integer', 1.5],
    ['integer', '7'],
    ['boolean', 'true'],
    ['char', 5],
    ['binary', 'not base64!'],
    ['many2many', ['x']],
    ['dict', '{}'],
  ])('refuses %s %j', (type, value) => {
    expect(() => encodeValue(type, value)).toThrow(ValueError);
  });

  it('what is decoded is encoded to the same', () => {
    const moment = fc.record({
      year: fc.integer({ min: 1, max: 9999 }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 28 }),
    });
    const clock = fc.record({
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 }),
      second: fc.integer({ min: 0, max: 59 }),
      microsecond: fc.integer({ min: 0, max: 999_999 }),
    });
    const cases = fc.oneof(
      moment.map((parts) => ['date', { __class__: 'date', ...parts }] as const),
      clock.map((parts) => ['time', { __class__: 'time', ...parts }] as const),
      fc
        .tuple(moment, clock)
        .map(([day, time]) => ['datetime', { __class__: 'datetime', ...day, ...time }] as const),
      fc.integer().map((value) => ['integer', value] as const),
      fc.string({ minLength: 1 }).map((value) => ['char', value] as const),
      fc.uint8Array().map((bytes) => {
        return ['binary', { __class__: 'bytes', base64: Buffer.from(bytes).toString('base64') }] as const;
      }),
    );
    fc.assert(
      fc.property(cases, ([type, raw]) => {
        expect(encodeValue(type, decodeValue(type, raw))).toEqual(raw);
      }),
    );
  });

  it('a decimal keeps every digit on its way in and out', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 8 }), (value, scale) => {
        const sign = value < 0n ? '-' : '';
        const text = String(value < 0n ? -value : value).padStart(scale + 1, '0');
        const whole = `${sign}${text.slice(0, text.length - scale)}`;
        const number = scale === 0 ? whole : `${whole}.${text.slice(-scale)}`;
        const decoded = decodeValue('numeric', decimal(number));
        expect(isSameValue('numeric', decoded, number)).toBe(true);
        const encoded = encodeValue('numeric', decoded);
        expect(isSameValue('numeric', decodeValue('numeric', encoded), number)).toBe(true);
      }),
    );
  });

  it.each([
    ['numeric', 1.5, '1.50', true],
    ['numeric', 0, '-0.00', true],
    ['numeric', 1.5e-7, '0.00000015', true],
    ['numeric', '-12e3', -12_000, true],
    ['numeric', '0.125e2', 12.5, true],
    ['numeric', '12345678901234567.89', '12345678901234567.90', false],
    ['char', '', null, true],
    ['many2many', [1, 2], [2, 1], true],
    ['many2many', [1, 2], [1], false],
    ['datetime', '2026-11-21T09:05:07Z', '2026-11-21T09:05:07.000000Z', true],
    ['time', '09:05', '09:05:00', true],
    ['boolean', false, null, false],
    ['many2one', 5, 6, false],
  ])('compares %s %j with %j', (type, left, right, expected) => {
    expect(isSameValue(type, left, right)).toBe(expected);
  });
});

function datetime(microsecond: number) {
  return {
    __class__: 'datetime',
    year: 2026,
    month: 11,
    day: 21,
    hour: 9,
    minute: 5,
    second: 7,
    microsecond,
  };
}
