import type { DataType, FieldDescriptor, Value } from '@sluice/contract';
import { clampDate, isCalendarDate, parseTime } from './parse.ts';

export type ValueCheck = { isOk: true; value: Value } | { isOk: false; reason: 'wrongType' | 'outOfRange' };

const wrongType: ValueCheck = { isOk: false, reason: 'wrongType' };
const outOfRange: ValueCheck = { isOk: false, reason: 'outOfRange' };
const ok = (value: Value): ValueCheck => ({ isOk: true, value });

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:\d{2})$/;
const decimalPattern = /^-?\d+(\.\d+)?$/;

/**
 * Brings a value of the wire into the one stored form of its data type, or says why it is none. Wrong types are
 * never stored (decisions Q-PEND-09); the empty text is no value, so it becomes null except for texts' own sake.
 */
export function checkValue(field: FieldDescriptor, value: Value): ValueCheck {
  if (value === null) return ok(null);
  switch (field.kind) {
    case 'field':
    case 'fieldInSimpleArray':
      return checkScalar(field.dataType ?? 'string', value);
    case 'primitiveValuesArray':
      return checkArray(value, (item) => checkScalar(field.dataType ?? 'string', item));
    case 'simpleArray':
    case 'complexArray':
      return checkArray(value, (item) => checkElement(elementFields(field), item));
    case 'nestedElements':
    case 'complexArrayElement':
      return checkElement(field.children ?? [], value);
  }
}

/** Fields of one element of an array: a complexArray wraps them in one child of kind complexArrayElement. */
export function elementFields(field: FieldDescriptor): FieldDescriptor[] {
  const children = field.children ?? [];
  const [only] = children;
  return children.length === 1 && only?.kind === 'complexArrayElement' ? (only.children ?? []) : children;
}

function checkArray(value: Value, check: (item: Value) => ValueCheck): ValueCheck {
  if (!Array.isArray(value)) return wrongType;
  const items: Value[] = [];
  for (const item of value) {
    const result = check(item);
    if (!result.isOk) return result;
    items.push(result.value);
  }
  return ok(items);
}

function checkElement(children: readonly FieldDescriptor[], value: Value): ValueCheck {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrongType;
  const known = new Map(children.map((child) => [child.id, child]));
  const element: Record<string, Value> = {};
  for (const [id, part] of Object.entries(value)) {
    const child = known.get(id);
    if (!child) return wrongType;
    const result = checkValue(child, part);
    if (!result.isOk) return result;
    element[id] = result.value;
  }
  return ok(element);
}

function checkScalar(type: DataType, value: Value): ValueCheck {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean' ? ok(value) : wrongType;
    case 'int':
    case 'nonFormattableInt':
    case 'uint':
      if (typeof value !== 'number' || !Number.isInteger(value)) return wrongType;
      if (!Number.isSafeInteger(value)) return outOfRange;
      return type === 'uint' && value < 0 ? outOfRange : ok(value);
    case 'float64':
      if (typeof value === 'string')
        return decimalPattern.test(value) ? ok(canonicalDecimal(value)) : wrongType;
      if (typeof value !== 'number') return wrongType;
      return Number.isFinite(value) ? ok(value) : outOfRange;
    case 'string':
      if (typeof value !== 'string') return wrongType;
      // PostgreSQL's text holds everything but this.
      if (value.includes('\u0000')) return wrongType;
      return ok(value === '' ? null : value);
    case 'uuid':
      return typeof value === 'string' && uuidPattern.test(value) ? ok(value.toLowerCase()) : wrongType;
    case 'date':
      return typeof value === 'string' && isCalendarDate(value) ? ok(clampDate(value)) : wrongType;
    case 'time': {
      const time = typeof value === 'string' ? parseTime(value) : null;
      return time === null ? wrongType : ok(canonicalTime(time));
    }
    case 'datetime':
      return typeof value === 'string' ? checkDateTime(value) : wrongType;
    case 'unknown':
      return typeof value === 'string' ? ok(value) : wrongType;
  }
}

function checkDateTime(value: string): ValueCheck {
  const match = dateTimePattern.exec(value);
  if (!match?.[1] || !isCalendarDate(match[1]) || parseTime(match[2] ?? '') === null) return wrongType;
  if (match[1] < '1900-01-01') return ok('1900-01-01T00:00:00Z');
  if (match[1] > '2099-12-31') return ok('2099-12-31T23:59:59Z');
  const [date, time = ''] = [match[1], match[2]];
  const fraction = /\.(\d{1,6})$/.exec(time)?.[1]?.replace(/0+$/, '') ?? '';
  const whole = time.replace(/\.\d+$/, '');
  const seconds = whole.length === 5 ? `${whole}:00` : whole;
  if (match[3] === 'Z') return ok(`${date}T${seconds}${fraction ? `.${fraction}` : ''}Z`);
  // Whole minutes of offset: the fraction of the second stays as it is.
  const utc = new Date(Date.parse(`${date}T${seconds}${match[3]}`)).toISOString().slice(0, 19);
  return ok(`${utc}${fraction ? `.${fraction}` : ''}Z`);
}

/** `HH:mm`, with seconds only where there are any: the same value has one text. */
function canonicalTime(time: string): string {
  const [whole = '', fraction = ''] = time.split('.');
  const digits = fraction.replace(/0+$/, '');
  if (digits) return `${whole}.${digits}`;
  return whole.length === 8 && whole.endsWith(':00') ? whole.slice(0, 5) : whole;
}

/** A number where nothing is lost by it, the exact text otherwise. */
export function canonicalDecimal(text: string): number | string {
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const digits = whole.replace(/^0+(?=\d)/, '');
  const decimals = fraction.replace(/0+$/, '');
  const significant = (digits + decimals).replace(/^0+/, '').length;
  const plain = `${isNegative && significant > 0 ? '-' : ''}${digits}${decimals ? `.${decimals}` : ''}`;
  return significant <= 15 ? Number(plain) : plain;
}

/** Equality of two stored values; objects regardless of the order of their keys. */
export function isSameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
    // 10 and '10' of a decimal field are the same amount.
    return (
      typeof a !== typeof b &&
      a !== null &&
      b !== null &&
      isNumeric(a) &&
      isNumeric(b) &&
      canonicalDecimal(String(a)) === canonicalDecimal(String(b))
    );
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isSameValue(item, b[index] ?? null))
    );
  }
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSameValue(a[key] ?? null, b[key] ?? null));
}

function isNumeric(value: Value): boolean {
  return typeof value === 'number' || (typeof value === 'string' && decimalPattern.test(value));
}

/** The leaves that have a column of their own: scalars (through nested objects) and arrays, in order. */
export function leafFields(fields: readonly FieldDescriptor[]): FieldDescriptor[] {
  return fields.flatMap((field) =>
    field.kind === 'nestedElements' ? leafFields(field.children ?? []) : [field],
  );
}
