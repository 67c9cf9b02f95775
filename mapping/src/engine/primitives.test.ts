import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, compareAmounts, divide, formatAmount, modulo, multiply, round, subtract } from './amount.ts';
import {
  addMonths,
  dateText,
  dayNumber,
  dayOf,
  endOf,
  fromZone,
  isoWeek,
  momentText,
  parseDay,
  parseMoment,
  startOf,
  toZone,
  weekday,
} from './civil.ts';
import { crc32, hexOf, md5, sha1, sha256, uuidV5 } from './digest.ts';
import { compileRegex } from './regex.ts';

/** A decimal of up to eight places, as its exact integer and as the number of the wire. */
const decimal = fc
  .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.integer({ min: 0, max: 8 }))
  .map(([digits, scale]) => ({ digits: BigInt(digits), scale, value: Number(`${digits}e-${scale}`) }));
const at = (d: { digits: bigint; scale: number }, scale: number): bigint =>
  d.digits * 10n ** BigInt(scale - d.scale);
const exact = (digits: bigint, scale: number): string => {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = `${digits < 0n ? '-' : ''}${text.slice(0, text.length - scale)}`;
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
};

describe('amounts', () => {
  it('are exact: sums, differences and products of decimals equal those of whole numbers', () => {
    expect(add(0.1, 0.2)).toBe(0.3);
    expect(multiply(1.1, 1.1)).toBe(1.21);
    expect(subtract('10000000000000000000.1', 0.1)).toBe('10000000000000000000');
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const scale = Math.max(a.scale, b.scale);
        expect(formatAmount(add(a.value, b.value), null, '.', '')).toBe(
          exact(at(a, scale) + at(b, scale), scale),
        );
        expect(formatAmount(multiply(a.value, b.value), null, '.', '')).toBe(
          exact(a.digits * b.digits, a.scale + b.scale),
        );
        const difference = at(a, scale) - at(b, scale);
        expect(compareAmounts(a.value, b.value)).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
    );
  });

  it('round half away from zero, to even, down, up and towards zero', () => {
    const rows: [number | string, number, Parameters<typeof round>[2], number][] = [
      [1.005, 2, 'halfUp', 1.01],
      [-1.005, 2, 'halfUp', -1.01],
      [2.5, 0, 'halfEven', 2],
      [3.5, 0, 'halfEven', 4],
      [-2.5, 0, 'halfEven', -2],
      [1.23456, 4, 'halfUp', 1.2346],
      [1.2345650001, 6, 'halfEven', 1.234565],
      [-1.1, 0, 'floor', -2],
      [1.1, 0, 'ceil', 2],
      [-1.9, 0, 'trunc', -1],
      [1250, -2, 'halfUp', 1300],
      [-0.4, 0, 'halfUp', 0],
      ['0.123456789012345678', 3, 'halfUp', 0.123],
    ];
    for (const [value, places, mode, expected] of rows)
      expect(round(value, places, mode), `${value} ${places} ${mode}`).toBe(expected);
  });

  it('the quick way of rounding equals the exact one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -10_000_000, max: 10_000_000 }),
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom(
          'halfUp' as const,
          'halfEven' as const,
          'floor' as const,
          'ceil' as const,
          'trunc' as const,
        ),
        (tenThousandths, places, mode) => {
          const value = tenThousandths / 10_000;
          // Twenty digits before the point take the exact way; taken off again, the result must be the same.
          const far = add('30000000000000000000', value);
          const expected =
            value < 0 && (mode === 'trunc' || mode === 'halfUp')
              ? -Number(round(-value, places, mode))
              : Number(subtract(round(far, places, mode), '30000000000000000000'));
          expect(Number(round(value, places, mode))).toBeCloseTo(expected === 0 ? 0 : expected, 10);
        },
      ),
    );
  });

  it('divide to 15 digits, and never by zero', () => {
    expect(divide(1, 3)).toBe(0.333333333333333);
    expect(divide(10, 4)).toBe(2.5);
    expect(divide(-2, 3)).toBe(-0.666666666666667);
    expect(divide(1, 0)).toBeNull();
    expect(divide('123456789012345678901', 1)).toBe('123456789012346000000');
    expect(modulo(-7, 3)).toBe(-1);
    expect(modulo(5.5, 2)).toBe(1.5);
    expect(modulo(1, 0)).toBeNull();
  });
});

describe('days', () => {
  it('count like the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: -60_000, max: 60_000 }), (number) => {
        const text = dateText(dayOf(number));
        expect(text).toBe(new Date(number * 86_400_000).toISOString().slice(0, 10));
        expect(dayNumber(parseDay(text)!)).toBe(number);
        expect(weekday(number)).toBe(new Date(number * 86_400_000).getUTCDay() || 7);
      }),
    );
    expect(dateText(addMonths(parseDay('2024-01-31')!, 1))).toBe('2024-02-29');
    expect(dateText(addMonths(parseDay('2024-01-31')!, -11))).toBe('2023-02-28');
    expect(isoWeek(dayNumber(parseDay('2027-01-01')!))).toEqual({ year: 2026, week: 53 });
    expect(dateText(startOf(parseDay('2026-11-21')!, 'week'))).toBe('2026-11-16');
    expect(dateText(endOf(parseDay('2026-11-21')!, 'quarter'))).toBe('2026-12-31');
  });

  it('go through zones and back, over both changes of the clock', () => {
    const there = (utc: string): string => momentText(toZone(parseMoment(utc)!, 'Europe/Amsterdam'));
    expect(there('2026-03-29T00:59:59.5Z')).toBe('2026-03-29T01:59:59.5Z');
    expect(there('2026-03-29T01:00:00Z')).toBe('2026-03-29T03:00:00Z');
    const back = (wall: string): string => momentText(fromZone(parseMoment(`${wall}Z`)!, 'Europe/Amsterdam'));
    expect(back('2026-03-29T02:30:00')).toBe('2026-03-29T01:30:00Z');
    expect(back('2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00Z');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_000_000_000 }),
        fc.constantFrom('Europe/Amsterdam', 'America/New_York', 'Asia/Kathmandu', 'UTC'),
        (seconds, zone) => {
          const utc = parseMoment(new Date(seconds * 1000).toISOString())!;
          const again = fromZone(toZone(utc, zone), zone);
          const late = (utc.day - again.day) * 86_400 + (utc.micros - again.micros) / 1_000_000;
          // The hour that is there twice comes back as its first.
          expect([0, 3600]).toContain(late);
        },
      ),
    );
  });
});

describe('digests', () => {
  it('equal those of the platform', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const [name, digest] of [
          ['sha256', sha256],
          ['sha1', sha1],
          ['md5', md5],
        ] as const)
          expect(hexOf(digest(bytes))).toBe(createHash(name).update(bytes).digest('hex'));
      }),
    );
    expect(hexOf(crc32(new TextEncoder().encode('123456789')))).toBe('cbf43926');
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });
});

describe('regular expressions', () => {
  const compiled = (pattern: string) => {
    const made = compileRegex(pattern);
    if (!made.isOk) throw new Error(made.message);
    return made.regex;
  };

  it('one that is meant to hang ends at once', () => {
    const text = `${'a'.repeat(100_000)}!`;
    expect(compiled('(a+)+$').test(text)).toBe(false);
    expect(compiled('(a|aa)+$').find(text)).toBeNull();
    expect(compiled('(.*)*x').replace(text, '', true)).toBe(text);
  });

  it('find and replace what those of the language do', () => {
    const part = fc.constantFrom('a', 'b', '\\d', '[a-c]', '(a|b)', '(\\d+)', '.', 'é', '(?:ab)', '^', '$');
    const many = fc.constantFrom('', '?', '*', '+', '{1,2}', '*?');
    const pattern = fc
      .array(fc.tuple(part, many), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.map(([a, b]) => (a === '^' || a === '$' ? a : a + b)).join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '2', 'é', ' '), maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        const own = new RegExp(source, 'u').exec(input);
        const found = compiled(source).find(input);
        expect(found?.[0]).toBe(own?.[0]);
        expect(compiled(source).test(input)).toBe(own !== null);
        expect(compiled(source).replace(input, '<$&>', false)).toBe(
          input.replace(new RegExp(source, 'u'), '<$&>'),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('what is no expression is refused with the reason', () => {
    for (const bad of ['(a', '[', 'a{2000}', '(?=a)', '(a)\\1', '((a{100}){100})', 'x'.repeat(3000)]) {
      const made = compileRegex(bad);
      expect(made.isOk, bad.slice(0, 20)).toBe(false);
      if (!made.isOk) expect(made.message).not.toBe('');
    }
  });
});
