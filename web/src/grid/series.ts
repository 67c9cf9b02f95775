import type { FieldDescriptor, Value } from '@sluice/contract';
import { calculateDecimal } from '@sluice/mapping';

const DAY_MS = 86_400_000;

/** Value number `i` of a row of values that goes on in both directions; 0 is the first of the given ones. */
type Series = (i: number) => Value;

const modulo = (i: number, size: number): number => ((i % size) + size) % size;
const repeat =
  (values: readonly Value[]): Series =>
  (i) =>
    values[modulo(i, values.length)] ?? null;

const NUMBERS = new Set(['int', 'uint', 'float64', 'nonFormattableInt']);

const plain = (value: Value): string | null => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? value : null;
};

const minus = (a: string, b: string): string | null =>
  calculateDecimal(a, 'add', b.startsWith('-') ? b.slice(1) : `-${b}`, null);

/** Numbers at equal distances, in exact decimals; the kind of the first value (number or decimal text) is kept. */
const numberSeries = (values: readonly Value[], field: FieldDescriptor): Series | null => {
  const texts = values.map(plain);
  const [first] = texts;
  if (first === undefined || first === null || texts.includes(null)) return null;
  const step = texts.length === 1 ? '1' : minus(texts[1] ?? '', first);
  if (step === null) return null;
  for (let i = 1; i < texts.length; i++) {
    if (minus(texts[i] ?? '', texts[i - 1] ?? '') !== step) return null;
  }
  const isText = typeof values[0] === 'string';
  return (i) => {
    const distance = calculateDecimal(step, 'multiply', String(i), null) ?? '0';
    const sum = calculateDecimal(first, 'add', distance, null) ?? first;
    if (field.dataType === 'uint' && sum.startsWith('-')) return null;
    return isText ? sum : Number(sum);
  };
};

const DATE = /^(\d{4})-(\d{2})-(\d{2})(T.*)?$/;

interface Day {
  days: number;
  months: number;
  day: number;
  rest: string;
}

const dayOf = (value: Value): Day | null => {
  const match = typeof value === 'string' ? DATE.exec(value) : null;
  if (!match) return null;
  const [, year, month, day, rest = ''] = match;
  return {
    days: Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS,
    months: Number(year) * 12 + Number(month) - 1,
    day: Number(day),
    rest,
  };
};

const isoOf = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);
const lastDayOf = (months: number): number =>
  new Date(Date.UTC(Math.floor(months / 12), modulo(months, 12) + 1, 0)).getUTCDate();
const inYears = (iso: string): string | null => (/^\d{4}-/.test(iso) ? iso : null);

const isEven = (values: readonly number[]): boolean =>
  values.every((value, i) => i < 2 || value - (values[i - 1] ?? 0) === (values[1] ?? 0) - (values[0] ?? 0));

/** Days at equal distances, or the same day of months at equal distances; the time of day stays. */
const dateSeries = (values: readonly Value[]): Series | null => {
  const days = values.map(dayOf);
  const [first, second] = days;
  if (!first || days.some((day) => !day || day.rest !== first.rest)) return null;
  const all = days.flatMap((day) => day ?? []);
  const monthStep = second ? second.months - first.months : 0;
  const isMonthly =
    monthStep !== 0 && isEven(all.map((one) => one.months)) && all.every((one) => one.day === first.day);
  if (isMonthly) {
    return (i) => {
      const months = first.months + monthStep * i;
      const day = Math.min(first.day, lastDayOf(months));
      return inYears(isoOf(Date.UTC(Math.floor(months / 12), modulo(months, 12), day) / DAY_MS)) === null
        ? null
        : `${isoOf(Date.UTC(Math.floor(months / 12), modulo(months, 12), day) / DAY_MS)}${first.rest}`;
    };
  }
  if (!isEven(all.map((one) => one.days))) return null;
  const step = second ? second.days - first.days : 1;
  return (i) => {
    const iso = inYears(isoOf(first.days + step * i));
    return iso === null ? null : `${iso}${first.rest}`;
  };
};

/** Texts with a number at the end (`BIN-009`, `BIN-010`): the number goes on, its zeros stay. */
const textSeries = (values: readonly Value[]): Series | null => {
  const parts = values.map((value) => (typeof value === 'string' ? /^(.*?)(\d{1,15})$/s.exec(value) : null));
  const [first] = parts;
  if (!first || parts.some((part) => part?.[1] !== first[1])) return null;
  const numbers = parts.map((part) => Number(part?.[2]));
  const [start = 0, next] = numbers;
  if (!isEven(numbers)) return null;
  const step = next === undefined ? 1 : next - start;
  const width = first[2]?.length ?? 0;
  return (i) => `${first[1] ?? ''}${String(Math.abs(start + step * i)).padStart(width, '0')}`;
};

const seriesOf = (values: readonly Value[], field: FieldDescriptor): Series | null => {
  if (field.options?.length || values.length === 0) return null;
  if (NUMBERS.has(field.dataType ?? '')) return numberSeries(values, field);
  if (field.dataType === 'date' || field.dataType === 'datetime') return dateSeries(values);
  return field.dataType === 'string' ? textSeries(values) : null;
};

/**
 * Whether dragging the handle goes on counting when no key is held: a lone number is copied, as everybody is used
 * to; everything else that can go on does.
 */
export const isSeriesUsual = (values: readonly Value[], field: FieldDescriptor): boolean =>
  !(values.length === 1 && NUMBERS.has(field.dataType ?? '')) && seriesOf(values, field) !== null;

/**
 * What follows a row of values: number `i` counts on from the first (negative = before it). Values that have no order
 * are repeated.
 */
export const fillSeries = (values: readonly Value[], field: FieldDescriptor, isSeries: boolean): Series => {
  const series = (isSeries ? seriesOf(values, field) : null) ?? repeat(values);
  // The given values stay as they are written: a decimal text `00` is not made `0`.
  return (i) => (i >= 0 && i < values.length ? (values[i] ?? null) : series(i));
};
