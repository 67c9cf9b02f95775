import mysql from 'mysql2';
import type { ColumnType } from '../model.ts';
import { naive, types } from '../types.ts';
import type { MysqlColumnInfo } from './line.ts';

const plain = {
  read: (column: string) => `cast(${column} as char)`,
  write: (parameter: string) => parameter,
};
/** A text that is compared with a number would be compared as a double. */
const comparedAs = (type: string) => ({ compare: (parameter: string) => `cast(${parameter} as ${type})` });
const signed = { ...plain, ...types.int, ...comparedAs('signed') };
const unsigned = { ...plain, ...types.uint, ...comparedAs('unsigned') };
const bytes = {
  ...types.bytes,
  read: (column: string) => `to_base64(${column})`,
  write: (parameter: string) => `from_base64(${parameter})`,
};
const moment = (zone: string) => ({ ...plain, ...naive(zone), ...comparedAs('datetime(6)') });
/** Sessions are in UTC, and so is what they show of a `timestamp`. */
const timestamp = moment('UTC');
const decimal = (scale: number) => ({ ...plain, ...types.decimal, ...comparedAs('decimal(65,30)'), scale });

export interface MysqlColumn {
  /** `information_schema`: `varchar`, and `varchar(20)`, `tinyint(1)`, `enum('a','b')` in full. */
  type: string;
  full: string;
  length: string | null;
  scale: string | null;
}

/** How a column of a table crosses the line. */
export function columnType(column: MysqlColumn, zone: string): ColumnType {
  const { full, length } = column;
  const max = length === null ? {} : { max: Number(length) };
  switch (column.type) {
    case 'tinyint':
      if (full.startsWith('tinyint(1)')) return { ...plain, ...types.bool, ...comparedAs('signed') };
      return full.includes('unsigned') ? unsigned : signed;
    case 'smallint':
    case 'mediumint':
    case 'int':
    case 'bigint':
      return full.includes('unsigned') ? unsigned : signed;
    case 'year':
      return unsigned;
    case 'bit':
      return full === 'bit(1)'
        ? { ...types.bool, ...bitText, ...comparedAs('unsigned') }
        : { ...types.uint, ...bitText, ...comparedAs('unsigned') };
    case 'decimal':
      return decimal(Number(column.scale ?? 0));
    case 'float':
    case 'double':
      return { ...plain, ...types.double };
    case 'date':
      return { ...plain, ...types.date, ...comparedAs('date') };
    case 'time':
      return { ...plain, ...types.time, ...comparedAs('time(6)') };
    case 'datetime':
      return moment(zone);
    case 'timestamp':
      return timestamp;
    case 'char':
    case 'varchar':
      return { ...plain, ...types.text, ...max };
    case 'tinytext':
    case 'text':
    case 'mediumtext':
    case 'longtext':
    case 'set':
    case 'inet4':
    case 'inet6':
      return { ...plain, ...types.text };
    case 'enum':
      return { ...plain, ...types.text, options: optionsOf(full) };
    case 'uuid':
      return { ...plain, ...types.uuid };
    case 'json':
      return { ...plain, ...types.json };
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob':
      return { ...bytes, isComparable: !column.type.endsWith('blob') };
    default:
      return { ...plain, ...types.bytes, read: bytes.read, isReadOnly: true };
  }
}

const bitText = {
  read: (column: string) => `cast(${column} + 0 as char)`,
  write: (parameter: string) => `cast(${parameter} as unsigned)`,
};

/** `enum('new','it''s')` to its values. */
const optionsOf = (full: string): string[] =>
  [...full.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = '']) => text.replaceAll("''", "'"));

const { Types } = mysql;

/** How a column of a query crosses the line; what the server tells of it is less than of a table's. */
export function typeOfResult(column: MysqlColumnInfo, zone: string): ColumnType {
  switch (column.type) {
    case Types.TINY:
      if (column.length === 1) return { ...plain, ...types.bool, ...comparedAs('signed') };
      return column.isUnsigned ? unsigned : signed;
    case Types.SHORT:
    case Types.LONG:
    case Types.LONGLONG:
    case Types.INT24:
    case Types.YEAR:
      return column.isUnsigned ? unsigned : signed;
    case Types.DECIMAL:
    case Types.NEWDECIMAL:
      return decimal(column.decimals);
    case Types.FLOAT:
    case Types.DOUBLE:
      return { ...plain, ...types.double };
    case Types.DATE:
    case Types.NEWDATE:
      return { ...plain, ...types.date, ...comparedAs('date') };
    case Types.TIME:
      return { ...plain, ...types.time, ...comparedAs('time(6)') };
    case Types.DATETIME:
      return moment(zone);
    case Types.TIMESTAMP:
      return timestamp;
    case Types.JSON:
      return { ...plain, ...types.json };
    case Types.BIT:
      return { ...types.uint, ...bitText };
    default:
      return column.isBinary ? bytes : { ...plain, ...types.text };
  }
}
