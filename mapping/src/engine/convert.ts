import type { DataType, FieldDescriptor, Value, ValueType } from '@sluice/contract';
import { parseTableBoolean } from '../parse.ts';
import { canonicalDecimal, checkValue } from '../values.ts';
import { amountText, isAmount, round } from './amount.ts';
import {
  clockText,
  dateText,
  dayNumber,
  dayOf,
  fromZone,
  momentText,
  parseClock,
  parseDay,
  parseMoment,
  toZone,
} from './civil.ts';

/** A value, or the code of why it is none of that type. */
export type Converted = { isOk: true; value: Value } | { isOk: false; code: string };

const ok = (value: Value): Converted => ({ isOk: true, value });
const bad = (code: string): Converted => ({ isOk: false, code });

/** The value as text: exact numbers, `true` and `false`, items of a list with commas; null for empty and objects. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'number') return Number.isFinite(value) ? amountText(value) : null;
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => textOf(item) ?? []);
    return items.length === 0 ? null : items.join(', ');
  }
  return null;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A scalar as a value of a data type (decisions Q-MAP-05). Only conversions that lose nothing and guess nothing: a text
 * is a number only in its canonical form (`-1234.5`), a number a whole one only when it is. A date becomes a date-time
 * at midnight in `zone`, a date-time the day or the time that the clocks of `zone` show. Empty stays empty.
 */
export function convertScalar(value: Value, type: DataType, zone: string): Converted {
  if (value === null || value === '') return ok(null);
  if (typeof value === 'object') return bad('notAScalar');
  switch (type) {
    case 'string':
    case 'unknown':
      return ok(textOf(value));
    case 'bool':
      return toBoolean(value);
    case 'int':
    case 'nonFormattableInt':
    case 'uint':
      return toInteger(value, type === 'uint');
    case 'float64':
      return typeof value === 'boolean' || !isAmount(clean(value))
        ? bad('notANumber')
        : ok(typeof value === 'number' ? value : canonicalDecimal(value.trim()));
    case 'uuid':
      return typeof value === 'string' && uuidPattern.test(value.trim())
        ? ok(value.trim().toLowerCase())
        : bad('notAUuid');
    case 'date':
      return toDate(value, zone);
    case 'time':
      return toTime(value, zone);
    case 'datetime':
      return toDateTime(value, zone);
  }
}

const clean = (value: string | number): string | number => (typeof value === 'string' ? value.trim() : value);

function toBoolean(value: string | number | boolean): Converted {
  if (typeof value === 'boolean') return ok(value);
  // Databases without booleans keep them as 0 and 1.
  if (value === 0 || value === 1) return ok(value === 1);
  const word = typeof value === 'string' ? parseTableBoolean(value) : null;
  return word === null ? bad('notABool') : ok(word);
}

function toInteger(value: string | number | boolean, isUnsigned: boolean): Converted {
  if (typeof value === 'boolean') return bad('notANumber');
  const amount = clean(value);
  if (!isAmount(amount)) return bad('notANumber');
  const number = Number(amount);
  if (
    !Number.isInteger(number) ||
    (typeof amount === 'string' && round(amount, 0, 'trunc') !== canonicalDecimal(amount))
  )
    return bad('notWhole');
  if (!Number.isSafeInteger(number)) return bad('outOfRange');
  return isUnsigned && number < 0 ? bad('negative') : ok(number === 0 ? 0 : number);
}

/** Dates beyond these years are refused here: clamping is for received values only. */
const isInRange = (date: string): boolean => date >= '1900-01-01' && date <= '2099-12-31';

function toDate(value: string | number | boolean, zone: string): Converted {
  if (typeof value !== 'string') return bad('notADate');
  const text = value.trim();
  const moment = text.length > 10 ? parseMoment(text) : null;
  const date = moment ? dateText(dayOf(toZone(moment, zone).day)) : parseDay(text) ? text : null;
  if (date === null) return bad('notADate');
  return isInRange(date) ? ok(date) : bad('dateOutOfRange');
}

function toTime(value: string | number | boolean, zone: string): Converted {
  if (typeof value !== 'string') return bad('notATime');
  const moment = value.length > 15 ? parseMoment(value.trim()) : null;
  const clock = moment ? toZone(moment, zone).micros : parseClock(value.trim());
  return clock === null ? bad('notATime') : ok(clockText(clock));
}

function toDateTime(value: string | number | boolean, zone: string): Converted {
  if (typeof value !== 'string') return bad('notADateTime');
  const text = value.trim();
  const day = parseDay(text);
  const moment = day ? fromZone({ day: dayNumber(day), micros: 0 }, zone) : parseMoment(text);
  if (!moment) return bad('notADateTime');
  const result = momentText(moment);
  return isInRange(result.slice(0, 10)) ? ok(result) : bad('dateOutOfRange');
}

/** A value as one of a field: scalars as above, each item of a list of scalars; other kinds must fit as they are. */
export function convertToField(field: FieldDescriptor, value: Value, zone: string): Converted {
  if (value === null || value === '') return ok(null);
  const type = field.dataType ?? 'string';
  if (field.kind === 'field' || field.kind === 'fieldInSimpleArray') {
    const converted = convertScalar(value, type, zone);
    return converted.isOk && type === 'string' && String(converted.value).includes('\u0000')
      ? bad('notText')
      : converted;
  }
  if (field.kind === 'primitiveValuesArray') {
    if (!Array.isArray(value)) return bad('notAList');
    const items: Value[] = [];
    for (const item of value) {
      const converted = convertScalar(item, type, zone);
      if (!converted.isOk) return converted;
      items.push(converted.value);
    }
    return ok(items);
  }
  const checked = checkValue(field, value);
  return checked.isOk ? ok(checked.value) : bad('wrongShape');
}

/** The type of the values of a field, as the chain sees it. */
export function typeOfField(field: FieldDescriptor): ValueType {
  if (field.kind === 'field' || field.kind === 'fieldInSimpleArray') return scalarTypeOf(field);
  return field.kind === 'primitiveValuesArray' ? `${field.dataType ?? 'string'}[]` : 'any[]';
}

/** `unknown` is shown as text, but what it is nobody knows. */
const scalarTypeOf = (field: FieldDescriptor): ValueType =>
  field.dataType === 'unknown' ? 'any' : (field.dataType ?? 'string');
