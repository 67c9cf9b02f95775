/**
 * Exact decimal arithmetic on canonical texts (`-12.5`, also with an exponent as doubles are written). A decimal is
 * `digits / 10^scale`; nothing passes through a floating-point number, so that 3 % of 10.15 is 0.3045 and no less.
 */
export interface Decimal {
  digits: bigint;
  scale: number;
}

export type DecimalOperator = 'add' | 'multiply' | 'percent';

/** Exponents beyond this are no amounts of anything, and would make numbers of thousands of digits. */
const maxExponent = 400;

/** Null where the text is no decimal number. */
export function parseDecimal(text: string): Decimal | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/i.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (Math.abs(Number(exponent)) > maxExponent) return null;
  const digits = BigInt(sign + whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** The shortest text: no zeros after the last decimal. */
export function decimalText({ digits, scale }: Decimal): string {
  const isNegative = digits < 0n;
  const all = String(isNegative ? -digits : digits).padStart(scale + 1, '0');
  const whole = all.slice(0, all.length - scale);
  const fraction = all.slice(all.length - scale).replace(/0+$/, '');
  return `${isNegative ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`;
}

/** The digits of the same number with another scale, which is no smaller than its own. */
export const digitsAt = ({ digits, scale }: Decimal, target: number): bigint =>
  digits * 10n ** BigInt(target - scale);

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(a, scale) + digitsAt(b, scale), scale };
}

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

/** The nearest multiple of the step; exactly between two, the one farther from zero. */
function roundToStep(value: Decimal, step: Decimal): Decimal {
  if (step.digits === 0n) return value;
  const scale = Math.max(value.scale, step.scale);
  const [amount, unit] = [digitsAt(value, scale), digitsAt(step, scale)];
  const size = amount < 0n ? -amount : amount;
  const times = (2n * size + unit) / (2n * unit);
  return { digits: (amount < 0n ? -times : times) * unit, scale };
}

/**
 * A new value out of an old one: the operand added, the old value times the operand, or raised by so many per cent of
 * itself (-10 takes a tenth off). `roundTo` rounds to a multiple of it, half away from zero. Null where a text is no
 * number.
 */
export function calculateDecimal(
  old: string,
  operator: DecimalOperator,
  operand: string,
  roundTo: string | null,
): string | null {
  const [value, other] = [parseDecimal(old), parseDecimal(operand)];
  const step = roundTo === null ? null : parseDecimal(roundTo);
  if (!value || !other || (roundTo !== null && !step)) return null;
  const result =
    operator === 'add'
      ? addDecimals(value, other)
      : operator === 'multiply'
        ? multiplyDecimals(value, other)
        : addDecimals(value, multiplyDecimals(value, { digits: other.digits, scale: other.scale + 2 }));
  return decimalText(step ? roundToStep(result, step) : result);
}
