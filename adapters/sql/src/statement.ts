import type { Scalar } from '@sluice/contract';
import { ExternalSystemError, type Key, type ReadRecord, type Rec } from '@sluice/adapter-kit';
import type { Dialect } from './dialect.ts';
import { type Column, columnOf, type Table } from './model.ts';

/** Collects the parameters of one statement; values never stand in its text. */
export class Statement {
  readonly values: (string | null)[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  text(value: string | null): string {
    this.values.push(value);
    return this.#dialect.parameter(this.values.length);
  }
  value(column: Column, text: string): string {
    return column.type.write(this.text(text));
  }
  /** A value that the column is compared with. */
  compared({ type }: Column, text: string): string {
    const parameter = this.text(text);
    return type.compare?.(parameter) ?? type.write(parameter);
  }
  name(column: Pick<Column, 'name'>): string {
    return this.#dialect.quote(column.name);
  }
}

/** Key as one string: the text of the column where it is one, else a JSON array of them. */
export const encodeKey = (parts: readonly (string | null)[]): Key =>
  parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts);

/** Null: it cannot be a key of this table. */
export function decodeKey(table: Table, key: Key): string[] | null {
  const count = table.key.length || 2;
  if (count === 1) return [key];
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) && parts.length === count && parts.every((part) => typeof part === 'string')
      ? parts
      : null;
  } catch {
    return null;
  }
}

/** Text parameter of a value; empty stays empty except where the column knows no other empty than ''. */
export function textOf(column: Column, value: Rec[string] | undefined): string | null {
  if (value !== null && value !== undefined) return column.type.toText(value);
  const isText = column.type.dataType === 'string' && !column.type.options && column.type.format !== 'base64';
  return column.isNotNull && column.hasDefault && isText ? '' : null;
}

export function keyCondition(statement: Statement, table: Table, parts: readonly string[]): string {
  return table.key
    .map((column, i) => `${statement.name(column)} = ${statement.compared(column, parts[i] ?? '')}`)
    .join(' and ');
}

export interface Selection {
  columns: readonly Column[];
  /** Select list: key parts, version, columns. */
  list: string;
  /** What to select from. */
  from: string;
  /** Expressions of the order in which rows are read. */
  order: readonly string[];
  toRecord(row: readonly (string | null)[]): ReadRecord;
  /** How a condition compares the key parts. */
  keyParameter(statement: Statement, index: number, text: string): string;
}

/** How the rows of a table are selected; rows without a key are numbered among their equals. */
export function selectionOf(dialect: Dialect, table: Table, fieldIds: readonly string[] | null): Selection {
  const columns = fieldIds === null ? table.columns : fieldIds.flatMap((id) => columnOf(table, id) ?? []);
  const names = columns.map(({ name, type }) => type.read(dialect.quote(name)));
  const isKeyed = table.key.length > 0;
  const keys = isKeyed
    ? table.key.map(({ name, type }) => type.read(dialect.quote(name)))
    : ['row_key', 'row_no'];
  const version = isKeyed ? (table.version ?? 'null') : 'null';
  const count = keys.length;
  const hash = dialect.rowHash(table);
  const from = isKeyed
    ? table.source
    : `(select t.*, ${hash} as row_key, row_number() over (partition by ${hash} order by ${hash}) as row_no from ${table.source} t) t`;
  return {
    columns,
    list: [...keys, version, ...names].join(', '),
    from,
    // `order by id` alone would mean the text that is selected under that name.
    order: isKeyed ? table.key.map(({ name }) => `t.${dialect.quote(name)}`) : ['t.row_key', 't.row_no'],
    keyParameter: (statement, index, text) => {
      const column = table.key[index];
      if (column) return statement.compared(column, text);
      return index === 0 ? statement.text(text) : `cast(${statement.text(text)} as decimal)`;
    },
    toRecord: (row) => {
      const values: Rec = {};
      for (const [i, { name, type }] of columns.entries()) {
        const text = row[count + 1 + i] ?? null;
        values[name] = text === null ? null : type.toValue(text);
      }
      return { key: encodeKey(row.slice(0, count)), version: row[count] ?? null, values };
    },
  };
}

/** `(a, b) > (x, y)`, written so that every database uses its index for it. */
export function after(statement: Statement, selection: Selection, parts: readonly string[]): string {
  // Parameters are counted in the order of the text.
  const compare = (i: number, operator: '=' | '>' | '>='): string =>
    `${selection.order[i]} ${operator} ${selection.keyParameter(statement, i, parts[i] ?? '')}`;
  if (selection.order.length === 1) return compare(0, '>');
  const start = compare(0, '>=');
  const steps = selection.order.map((_, i) => {
    const equal = selection.order.slice(0, i).map((__, j) => compare(j, '='));
    return `(${[...equal, compare(i, '>')].join(' and ')})`;
  });
  return `${start} and (${steps.join(' or ')})`;
}

/** Equality with a value of the wire, for looking at a part of a table. */
export function equals(statement: Statement, table: Table, field: string, value: Scalar): string {
  const column = columnOf(table, field);
  if (!column?.type.isComparable)
    throw new ExternalSystemError('PROTOCOL', `${table.title} cannot be searched by ${field}`, {
      retryable: false,
    });
  return value === null
    ? `${statement.name(column)} is null`
    : `${statement.name(column)} = ${statement.compared(column, column.type.toText(value))}`;
}
