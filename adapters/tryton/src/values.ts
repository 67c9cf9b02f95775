import type { Value } from '@sluice/contract';
import { z } from 'zod';

/** A value that cannot become what Tryton's field type needs. */
export class ValueError extends Error {}

const day = { year: z.int(), month: z.int(), day: z.int() };
const clock = { hour: z.int(), minute: z.int(), second: z.int(), microsecond: z.int() };
const tagged = {
  decimal: z.object({ __class__: z.literal('Decimal'), decimal: z.string() }),
  date: z.object({ __class__: z.literal('date'), ...day }),
  time: z.object({ __class__: z.literal('time'), ...clock }),
  datetime: z.object({ __class__: z.literal('datetime'), ...day, ...clock }),
  timedelta: z.object({ __class__: z.literal('timedelta'), seconds: z.number() }),
  bytes: z.object({ __class__: z.literal('bytes'), base64: z.string() }),
};

const pad = (value: number, width = 2) => String(value).padStart(width, '0');

/** A value of Tryton in the contract's form; one of another shape than its type says is passed as it is. */
export function decodeValue(type: string, raw: unknown): Value {
  if (raw === null || raw === undefined) return type === 'multiselection' || isList(type) ? [] : null;
  switch (type) {
    case 'char':
    case 'text':
    case 'fullText':
    case 'selection':
    case 'reference':
      return raw === '' ? null : asJson(raw);
    case 'numeric':
      return decodeDecimal(raw);
    case 'date': {
      const { data } = tagged.date.safeParse(raw);
      return data ? `${pad(data.year, 4)}-${pad(data.month)}-${pad(data.day)}` : asJson(raw);
    }
    case 'datetime':
    case 'timestamp': {
      const { data } = tagged.datetime.safeParse(raw);
      if (!data) return asJson(raw);
      return `${pad(data.year, 4)}-${pad(data.month)}-${pad(data.day)}T${formatTime(data)}Z`;
    }
    case 'time': {
      const { data } = tagged.time.safeParse(raw);
      return data ? formatTime(data) : asJson(raw);
    }
    case 'timedelta': {
      const { data } = tagged.timedelta.safeParse(raw);
      return data ? data.seconds : asJson(raw);
    }
    case 'binary': {
      const { data } = tagged.bytes.safeParse(raw);
      return data ? data.base64.replaceAll(/\s/g, '') : asJson(raw);
    }
    case 'dict':
      return JSON.stringify(raw);
    default:
      return asJson(raw);
  }
}

function isList(type: string): boolean {
  return type === 'one2many' || type === 'many2many';
}

function asJson(raw: unknown): Value {
  if (typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean') return raw;
  if (Array.isArray(raw) && raw.every((item) => typeof item === 'string' || typeof item === 'number'))
    return raw;
  return JSON.stringify(raw);
}

/** A number while it loses nothing, else its decimal text. */
function decodeDecimal(raw: unknown): Value {
  const { data } = tagged.decimal.safeParse(raw);
  if (!data) return asJson(raw);
  const digits = data.decimal.replace(/^-/, '').replace('.', '').replace(/^0+/, '');
  const number = Number(data.decimal);
  return digits.length <= 15 && Number.isFinite(number) ? number : data.decimal;
}

function formatTime(parts: { hour: number; minute: number; second: number; microsecond: number }): string {
  const fraction = parts.microsecond === 0 ? '' : `.${pad(parts.microsecond, 6)}`;
  return `${pad(parts.hour)}:${pad(parts.minute)}:${pad(parts.second)}${fraction}`;
}

/** A scalar in the form in which Tryton takes it. Throws `ValueError` for one that cannot be meant. */
export function encodeValue(type: string, value: Value): unknown {
  if (value === null) return type === 'multiselection' ? [] : null;
  switch (type) {
    case 'char':
    case 'text':
    case 'fullText':
    case 'selection':
    case 'reference':
      return expect(typeof value === 'string', value, value, 'a text');
    case 'boolean':
      return expect(typeof value === 'boolean', value, value, 'true or false');
    case 'integer':
    case 'bigint':
    case 'many2one':
    case 'one2one':
      return expect(Number.isSafeInteger(value), value, value, 'a whole number');
    case 'float':
      return expect(isFiniteNumber(value), value, Number(value), 'a number');
    case 'numeric':
      return encodeDecimal(value);
    case 'date':
      return encodeDate(value);
    case 'datetime':
    case 'timestamp':
      return encodeDatetime(value);
    case 'time':
      return { __class__: 'time', ...parseTime(typeof value === 'string' ? value : '', value) };
    case 'timedelta':
      return expect(
        isFiniteNumber(value),
        value,
        { __class__: 'timedelta', seconds: Number(value) },
        'a number of seconds',
      );
    case 'binary':
      return expect(
        typeof value === 'string' && /^[A-Za-z0-9+/\s]*={0,2}$/.test(value),
        value,
        { __class__: 'bytes', base64: value },
        'base64',
      );
    case 'multiselection':
      return expect(Array.isArray(value), value, value, 'a list');
    case 'many2many':
      return encodeIds(value);
    default:
      throw new ValueError(`Fields of type ${type} cannot be written.`);
  }
}

function expect(isRight: boolean, value: Value, encoded: unknown, wanted: string): unknown {
  if (!isRight) throw new ValueError(`${JSON.stringify(value)} is not ${wanted}.`);
  return encoded;
}

function isFiniteNumber(value: Value): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
}

function encodeDecimal(value: Value): unknown {
  const text = typeof value === 'number' ? String(value) : value;
  const isDecimal = typeof text === 'string' && /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
  return expect(isDecimal, value, { __class__: 'Decimal', decimal: text }, 'a decimal number');
}

/** The whole list of a many2many field: what was linked before goes. */
function encodeIds(value: Value): unknown {
  if (!Array.isArray(value)) throw new ValueError(`${JSON.stringify(value)} is not a list of ids.`);
  const ids = value.map((id) => expect(Number.isSafeInteger(id), id, id, 'an id'));
  return ids;
}

function encodeDate(value: Value): unknown {
  const match = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)$/.exec(value) : null;
  if (!match) throw new ValueError(`${JSON.stringify(value)} is not a date (YYYY-MM-DD).`);
  const [year, month, day] = match.slice(1).map(Number);
  checkCalendar(value, Number(year), Number(month), Number(day));
  return { __class__: 'date', year, month, day };
}

function encodeDatetime(value: Value): unknown {
  const match = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)T(.+)Z$/.exec(value) : null;
  if (!match) throw new ValueError(`${JSON.stringify(value)} is not a moment in UTC (YYYY-MM-DDTHH:mm:ssZ).`);
  const [year, month, day] = match.slice(1, 4).map(Number);
  checkCalendar(value, Number(year), Number(month), Number(day));
  return { __class__: 'datetime', year, month, day, ...parseTime(match[4] ?? '', value) };
}

function checkCalendar(value: Value, year: number, month: number, day: number): void {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new ValueError(`${JSON.stringify(value)} is no day of the calendar.`);
  }
}

function parseTime(text: string, value: Value): Record<'hour' | 'minute' | 'second' | 'microsecond', number> {
  const match = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/.exec(text);
  const hour = Number(match?.[1]);
  const minute = Number(match?.[2]);
  const second = Number(match?.[3] ?? 0);
  if (!match || hour > 23 || minute > 59 || second > 59) {
    throw new ValueError(`${JSON.stringify(value)} is not a time (HH:mm:ss).`);
  }
  return { hour, minute, second, microsecond: Number((match[4] ?? '').padEnd(6, '0')) };
}

/** Whether two values mean the same to Tryton: order of a list of ids, and forms of a number, do not count. */
export function isSameValue(type: string, left: Value, right: Value): boolean {
  return comparable(type, left) === comparable(type, right);
}

function comparable(type: string, value: Value): string {
  if (value === null || value === '') return type === 'multiselection' || isList(type) ? '[]' : 'null';
  if (type === 'numeric' || type === 'float' || type === 'timedelta') return normalizeNumber(String(value));
  if (type === 'datetime' || type === 'timestamp' || type === 'time') {
    return typeof value === 'string' ? normalizeTime(value) : JSON.stringify(value);
  }
  if ((type === 'many2many' || type === 'multiselection') && Array.isArray(value)) {
    return JSON.stringify(value.map(String).toSorted());
  }
  if (type === 'binary' && typeof value === 'string') return value.replaceAll(/[\s=]/g, '');
  return JSON.stringify(value);
}

/** Writes out an exponent: `1.5e-7` is `0.00000015`. */
function toPlainNumber(text: string): string {
  const match = /^(-?)(\d*)\.?(\d*)e([+-]?\d+)$/i.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const point = whole.length + Number(exponent);
  const digits = `${whole}${fraction}`.padStart(whole.length + fraction.length + Math.max(0, 1 - point), '0');
  const at = Math.max(1, point);
  return `${sign}${digits.slice(0, at).padEnd(at, '0')}.${digits.slice(at)}`;
}

function normalizeNumber(text: string): string {
  const plain = toPlainNumber(text);
  const [whole = '0', fraction = ''] = plain.replace(/^-/, '').split('.');
  const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}.${fraction.replace(/0+$/, '')}`;
  return digits === '0.' ? digits : `${plain.startsWith('-') ? '-' : ''}${digits}`;
}

function normalizeTime(text: string): string {
  const isUtc = text.endsWith('Z');
  const [head = '', fraction = ''] = text.replace(/Z$/, '').split('.');
  const seconds = /T?\d\d:\d\d:\d\d$/.test(head) ? head : `${head}:00`;
  return `${seconds}.${fraction.replace(/0+$/, '')}${isUtc ? 'Z' : ''}`;
}
