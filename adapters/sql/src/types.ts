import type { Value } from '@sluice/contract';
import { canonicalDecimal } from '@sluice/mapping';
import type { ColumnType } from './model.ts';
import { momentOfNaive, momentOfUtc, naiveOfMoment } from './times.ts';

type Part = Pick<ColumnType, 'dataType' | 'toValue' | 'toText' | 'isComparable'> & Partial<ColumnType>;

const plainText = (value: Exclude<Value, null>): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

const integer = (text: string): Value => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
};

/** The kinds of values that both databases know; each adds how it reads and writes them. */
export const types = {
  bool: {
    dataType: 'bool',
    toValue: (text) => text === 'true' || text === '1' || text === 't',
    toText: (value) => (value === true || value === 'true' || value === 1 ? '1' : '0'),
    isComparable: true,
  },
  int: { dataType: 'int', toValue: integer, toText: plainText, isComparable: true },
  uint: { dataType: 'uint', toValue: integer, toText: plainText, isComparable: true },
  /** Decimal numbers keep their digits: as text where a double would lose some. */
  decimal: {
    dataType: 'float64',
    toValue: (text) => (/^-?\d/.test(text) ? canonicalDecimal(text) : text),
    toText: plainText,
    isComparable: true,
  },
  double: {
    dataType: 'float64',
    toValue: (text) => (Number.isFinite(Number(text)) ? Number(text) : text),
    toText: plainText,
    isComparable: false,
  },
  text: { dataType: 'string', toValue: (text) => text, toText: plainText, isComparable: true },
  uuid: { dataType: 'uuid', toValue: (text) => text.toLowerCase(), toText: plainText, isComparable: true },
  date: { dataType: 'date', toValue: (text) => text, toText: plainText, isComparable: true },
  time: {
    dataType: 'time',
    toValue: (text) => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''),
    toText: plainText,
    isComparable: true,
  },
  moment: {
    dataType: 'datetime',
    toValue: (text) => momentOfUtc(text),
    toText: (value) => plainText(value).replace('T', ' ').replace(/Z$/, '+00'),
    isComparable: true,
    isMoment: true,
  },
  bytes: {
    dataType: 'string',
    format: 'base64',
    toValue: (text) => text.replaceAll('\n', ''),
    toText: plainText,
    isComparable: false,
  },
  json: { dataType: 'unknown', toValue: (text) => text, toText: plainText, isComparable: false },
} satisfies Record<string, Part>;

/** A time that is stored without its zone. */
export const naive = (zone: string): Part => ({
  dataType: 'datetime',
  toValue: (text) => momentOfNaive(text, zone),
  toText: (value) => naiveOfMoment(plainText(value), zone),
  isComparable: true,
  isMoment: true,
});
