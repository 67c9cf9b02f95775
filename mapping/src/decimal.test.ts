import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculateDecimal } from './decimal.ts';

describe('exact decimals', () => {
  it.each([
    ['0.1', 'add', '0.2', null, '0.3'],
    ['10.15', 'multiply', '0.03', null, '0.3045'],
    ['10.15', 'multiply', '0.03', '0.05', '0.3'],
    ['10.15', 'percent', '3', null, '10.4545'],
    ['10.15', 'percent', '3', '0.05', '10.45'],
    ['200', 'percent', '-10', null, '180'],
    ['1.005', 'add', '0', '0.01', '1.01'],
    ['-1.005', 'add', '0', '0.01', '-1.01'],
    ['0.025', 'add', '0', '0.05', '0.05'],
    ['-0.025', 'add', '0', '0.05', '-0.05'],
    ['0.024', 'add', '0', '0.05', '0'],
    ['-0.01', 'add', '0', '0.05', '0'],
    ['7', 'add', '0', '3', '6'],
    ['7.5', 'add', '0', '5', '10'],
    ['12', 'add', '0.5', '0', '12.5'],
    ['123456789012345678901234.56', 'add', '0.01', null, '123456789012345678901234.57'],
    ['1e+21', 'add', '1', null, '1000000000000000000001'],
    ['1.5e-7', 'multiply', '2', null, '0.0000003'],
    ['-5', 'multiply', '-0.2', null, '1'],
    ['NaN', 'add', '1', null, null],
    ['Infinity', 'add', '1', null, null],
  ] as const)('%s %s %s rounded to %s is %s', (old, operator, operand, roundTo, expected) => {
    expect(calculateDecimal(old, operator, operand, roundTo)).toBe(expected);
  });

  const amount = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat({ max: 9999 }))
    .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(4, '0')}`);

  it('adding and taking away again gives the same number', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const there = calculateDecimal(a, 'add', b, null) ?? '';
        const opposite = b.startsWith('-') ? b.slice(1) : `-${b}`;
        expect(calculateDecimal(there, 'add', opposite, null)).toBe(calculateDecimal(a, 'add', '0', null));
      }),
    );
  });

  it('rounding is symmetric around zero and never moves a number by more than half a step', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 1000 }), (value, step) => {
        const rounded = Number(calculateDecimal(String(value), 'add', '0', String(step)));
        expect(Math.abs(rounded % step)).toBe(0);
        expect(Math.abs(rounded - value) * 2).toBeLessThanOrEqual(step);
        const mirrored = Number(calculateDecimal(String(-value), 'add', '0', String(step)));
        expect(mirrored + rounded).toBe(0);
      }),
    );
  });
});
