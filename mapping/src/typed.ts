import type { FieldDescriptor, Formats, Option, Value } from '@sluice/contract';
import { canonicalDecimal, checkValue } from './values.ts';
import {
  formatDate,
  formatDateTime,
  formatNumber,
  parseFormattedDate,
  parseFormattedNumber,
  toUtc,
} from './formats.ts';
import { clampDate, isCalendarDate, parseTableBoolean, parseTime } from './parse.ts';

/** The user's formats and the organisation's time zone. */
export interface TypedContext {
  formats: Formats;
  timeZone: string;
}

/** Why typed or pasted text is no value of the field: the client messages VAL-02 to VAL-07. */
export type TypedProblem = 'positiveInteger' | 'integer' | 'float' | 'invalid' | 'outOfRange';

export type Typed = { isOk: true; value: Value } | { isOk: false; problem: TypedProblem };

const refuse = (problem: TypedProblem): Typed => ({ isOk: false, problem });

/** What a person typed or pasted into a cell, in his formats, as a value of the field. Empty text is no value. */
export function parseTyped(field: FieldDescriptor, input: string, context: TypedContext): Typed {
  const text = input.trim();
  if (text === '') return { isOk: true, value: null };
  const option = field.options && field.options.length > 0 ? matchOption(field.options, text) : undefined;
  if (option) return { isOk: true, value: option.value };
  const typed = parseScalar(field, field.dataType === 'string' ? input : text, context);
  if (!typed.isOk) return typed;
  const checked = checkValue(field, typed.value);
  if (checked.isOk) return checked;
  return refuse(
    checked.reason === 'outOfRange'
      ? field.dataType === 'uint'
        ? 'positiveInteger'
        : 'outOfRange'
      : 'invalid',
  );
}

function parseScalar(field: FieldDescriptor, text: string, { formats, timeZone }: TypedContext): Typed {
  switch (field.dataType) {
    case 'bool': {
      const value = parseTableBoolean(text);
      return value === null ? refuse('invalid') : { isOk: true, value };
    }
    case 'int':
    case 'nonFormattableInt':
    case 'uint': {
      const problem = field.dataType === 'uint' ? 'positiveInteger' : 'integer';
      const decimal = parseFormattedNumber(text, formats.numberFormat);
      if (decimal === null || !/^-?\d+(\.0*)?$/.test(decimal)) return refuse(problem);
      const value = Number(decimal);
      if (!Number.isSafeInteger(value)) return refuse('outOfRange');
      return field.dataType === 'uint' && value < 0 ? refuse(problem) : { isOk: true, value };
    }
    case 'float64': {
      const decimal = parseFormattedNumber(text, formats.numberFormat);
      return decimal === null ? refuse('float') : { isOk: true, value: canonicalDecimal(decimal) };
    }
    case 'date': {
      const date = parseFormattedDate(text, formats.shortDate);
      return date !== null && isCalendarDate(date)
        ? { isOk: true, value: clampDate(date) }
        : refuse('invalid');
    }
    case 'time': {
      const time = parseTime(text);
      return time === null ? refuse('invalid') : { isOk: true, value: time };
    }
    case 'datetime':
      return parseDateTime(text, formats, timeZone);
    default:
      return { isOk: true, value: text };
  }
}

function parseDateTime(text: string, formats: Formats, timeZone: string): Typed {
  if (/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text)) return { isOk: true, value: text };
  const [datePart = '', timePart] = text.split(/[ T]+(?=\d{1,2}:)/);
  const date = parseFormattedDate(datePart, formats.shortDate);
  const time = timePart === undefined ? '00:00' : parseTime(timePart);
  if (date === null || !isCalendarDate(date) || time === null) return refuse('invalid');
  return { isOk: true, value: toUtc(clampDate(date), time, timeZone) };
}

/** By value, or by a description that only one option has; case does not matter. */
function matchOption(options: readonly Option[], text: string): Option | undefined {
  const wanted = text.toLowerCase();
  const byValue = options.find((option) => String(option.value).toLowerCase() === wanted);
  if (byValue) return byValue;
  const byDescription = options.filter(
    (option) =>
      option.description?.toLowerCase() === wanted ||
      `${String(option.value)} ${option.description ?? ''}`.toLowerCase() === wanted,
  );
  return byDescription.length === 1 ? byDescription[0] : undefined;
}

/** A value as the table shows it and copies it; `parseTyped` takes it back to the same value. */
export function formatValue(
  field: FieldDescriptor,
  value: Value,
  { formats, timeZone }: TypedContext,
): string {
  if (value === null) return '';
  if (Array.isArray(value))
    return value.every((item) => typeof item !== 'object') ? value.join(', ') : JSON.stringify(value);
  if (typeof value === 'object') return JSON.stringify(value);
  switch (field.dataType) {
    case 'int':
    case 'uint':
      return typeof value === 'boolean' ? String(value) : formatNumber(value, formats.numberFormat);
    case 'float64':
      return typeof value === 'boolean'
        ? String(value)
        : formatNumber(value, formats.numberFormat, { scale: field.scale });
    case 'date':
      return isCalendarDate(String(value)) ? formatDate(String(value), formats.shortDate) : String(value);
    case 'datetime':
      return formatDateTime(String(value), formats.shortDate, timeZone);
    default:
      return String(value);
  }
}
