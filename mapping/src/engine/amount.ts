import {
  addDecimals,
  decimalText,
  digitsAt,
  multiplyDecimals,
  parseDecimal,
  type Decimal,
} from '../decimal.ts';
import { canonicalDecimal } from '../values.ts';

/**
 * A number as it crosses the wire: a double, or the exact text of a decimal with more digits than a double keeps.
 * All arithmetic here is exact, so that 0.1 + 0.2 is 0.3. Most numbers are whole or have up to four decimals: those are
 * calculated as whole numbers of ten-thousandths, which doubles hold exactly up to 2^50.
 */
export type Amount = number | string;

const unit = 10_000;
const safe = 2 ** 50;

/** Ten-thousandths, or NaN where the number has more decimals or is too large. */
function scaled(value: Amount): number {
  if (typeof value !== 'number') return Number.NaN;
  const times = Math.round(value * unit);
  return times / unit === value && times > -safe && times < safe ? times : Number.NaN;
}

const decimalOf = (value: Amount): Decimal => parseDecimal(String(value)) ?? { digits: 0n, scale: 0 };
const amountOf = (value: Decimal): Amount => canonicalDecimal(decimalText(value));
/** There is no negative zero among amounts. */
const plain = (value: number): number => (value === 0 ? 0 : value);

/** Is it a number of the wire? */
export function isAmount(value: unknown): value is Amount {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
}

export function add(a: Amount, b: Amount): Amount {
  const sum = scaled(a) + scaled(b);
  return sum > -safe && sum < safe ? plain(sum / unit) : amountOf(addDecimals(decimalOf(a), decimalOf(b)));
}

export function negate(value: Amount): Amount {
  return typeof value === 'number' ? plain(-value) : value.startsWith('-') ? value.slice(1) : `-${value}`;
}

export const subtract = (a: Amount, b: Amount): Amount => add(a, negate(b));

export function multiply(a: Amount, b: Amount): Amount {
  const product = scaled(a) * scaled(b);
  // Both in ten-thousandths: a whole number of hundred-millionths.
  return product > -safe && product < safe
    ? plain(product / (unit * unit))
    : amountOf(multiplyDecimals(decimalOf(a), decimalOf(b)));
}

/** -1, 0 or 1 as `a` is less than, equal to or greater than `b`. */
export function compareAmounts(a: Amount, b: Amount): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  const [left, right] = [decimalOf(a), decimalOf(b)];
  const scale = Math.max(left.scale, right.scale);
  const [x, y] = [digitsAt(left, scale), digitsAt(right, scale)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The quotient to 15 significant digits, half away from zero; null where `b` is 0. */
export function divide(a: Amount, b: Amount): Amount | null {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  if (right.digits === 0n) return null;
  if (left.digits === 0n) return 0;
  const isNegative = left.digits < 0n !== right.digits < 0n;
  const common = Math.max(left.scale, right.scale);
  const [over, under] = [size(digitsAt(left, common)), size(digitsAt(right, common))];
  const places = Math.max(0, 16 - (String(over).length - String(under).length));
  const quotient: Decimal = { digits: (over * 10n ** BigInt(places + 2)) / under, scale: places + 2 };
  const significant = String(quotient.digits).length;
  const rounded = roundDecimal(quotient, quotient.scale - (significant - 15), 'halfUp');
  return amountOf(isNegative ? { ...rounded, digits: -rounded.digits } : rounded);
}

/** The remainder with the sign of `a`; null where `b` is 0. */
export function modulo(a: Amount, b: Amount): Amount | null {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  if (right.digits === 0n) return null;
  const scale = Math.max(left.scale, right.scale);
  return amountOf({ digits: digitsAt(left, scale) % digitsAt(right, scale), scale });
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);

export type RoundingMode = 'halfUp' | 'halfEven' | 'floor' | 'ceil' | 'trunc';

/** To `places` decimals (negative: tens, hundreds); halfUp is half away from zero. */
export function round(value: Amount, places: number, mode: RoundingMode): Amount {
  const times = scaled(value);
  if (places >= 0 && places <= 4 && !Number.isNaN(times)) {
    const step = 10 ** (4 - places);
    const rest = times % step;
    if (rest === 0) return plain(value as number);
    return plain(((times - rest) / step + carry((times - rest) / step, rest, step, mode)) / 10 ** places);
  }
  return amountOf(roundDecimal(decimalOf(value), places, mode));
}

/** What to add to the truncated quotient. */
function carry(quotient: number, rest: number, step: number, mode: RoundingMode): number {
  const away = rest < 0 ? -1 : 1;
  if (mode === 'trunc') return 0;
  if (mode === 'floor') return rest < 0 ? -1 : 0;
  if (mode === 'ceil') return rest > 0 ? 1 : 0;
  const twice = Math.abs(rest) * 2;
  if (twice === step) return mode === 'halfUp' || quotient % 2 !== 0 ? away : 0;
  return twice > step ? away : 0;
}

function roundDecimal(value: Decimal, places: number, mode: RoundingMode): Decimal {
  if (places >= value.scale) return value;
  const step = 10n ** BigInt(value.scale - places);
  const rest = value.digits % step;
  let quotient = value.digits / step;
  if (rest !== 0n) {
    const away = rest < 0n ? -1n : 1n;
    const twice = size(rest) * 2n;
    const isUp =
      mode === 'floor'
        ? rest < 0n
        : mode === 'ceil'
          ? rest > 0n
          : mode !== 'trunc' &&
            (twice > step || (twice === step && (mode === 'halfUp' || quotient % 2n !== 0n)));
    if (isUp) quotient += away;
  }
  return places >= 0
    ? { digits: quotient, scale: places }
    : { digits: quotient * 10n ** BigInt(-places), scale: 0 };
}

/** Exact text: grouping and decimal sign as given, `places` decimals (null: as many as there are). */
export function formatAmount(value: Amount, places: number | null, decimal: string, group: string): string {
  const text = decimalText(decimalOf(places === null ? value : round(value, places, 'halfUp')));
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  const grouped = group === '' ? whole : whole.replace(/\B(?=(\d{3})+(?!\d))/g, group);
  const decimals = places === null ? fraction : fraction.padEnd(Math.max(0, places), '0');
  return `${isNegative ? '-' : ''}${grouped}${decimals === '' ? '' : decimal + decimals}`;
}

/** Exact text of the number, without exponent. */
export const amountText = (value: Amount): string =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? String(plain(value))
    : decimalText(decimalOf(value));
