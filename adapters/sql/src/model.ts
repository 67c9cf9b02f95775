import type { FieldDescriptor, Value } from '@sluice/contract';

/** How a column's values cross the line: as text both ways, so that nothing is rounded or shifted underway. */
export interface ColumnType {
  dataType: NonNullable<FieldDescriptor['dataType']>;
  format?: FieldDescriptor['format'];
  scale?: number | undefined;
  /** Most characters. */
  max?: number | undefined;
  min?: string | undefined;
  options?: readonly string[] | undefined;
  /** Expression that gives the value of the quoted column as text. */
  read(column: string): string;
  /** Expression that gives the value of a text parameter in the column's type. */
  write(parameter: string): string;
  /** The same where the column is compared with it; absent = `write`. */
  compare?(parameter: string): string;
  toValue(text: string): Value;
  toText(value: Exclude<Value, null>): string;
  /** False: no equality in the database, or not worth comparing (JSON, large bytes). */
  isComparable: boolean;
  isReadOnly?: boolean;
  /** A moment: may tell when a record was changed. */
  isMoment?: boolean;
}

export interface RawColumn {
  name: string;
  type: ColumnType;
  isNotNull: boolean;
  hasDefault: boolean;
  /** The database fills it: identity, auto-increment. */
  isGiven: boolean;
  /** It cannot be written at all. */
  isComputed: boolean;
  /** What the account may write of it: rights are given by column as well as by table. */
  rights: { create: boolean; update: boolean };
  comment: string | null;
}

export interface Constraint {
  name: string;
  columns: string[];
}

/** What the catalog of a database says of a table, a view or a query. */
export interface RawTable {
  schema: string;
  name: string;
  kind: 'table' | 'view' | 'query';
  /** What to select from, quoted. */
  source: string;
  comment: string | null;
  columns: RawColumn[];
  primaryKey: string[];
  uniques: Constraint[];
  checks: Constraint[];
  references: (Constraint & { schema: string; table: string; target: string[] })[];
  rights: { create: boolean; update: boolean; delete: boolean };
  /** Expression that changes with every change of a row; null = there is none. */
  version: string | null;
  /** False: a statement that was done stays done though its transaction ends badly (MyISAM). */
  isTransactional: boolean;
  /** Why it cannot be read (a query that the database refuses). */
  problem: string | null;
}

export interface Column extends RawColumn {
  field: FieldDescriptor;
}

export interface Table extends Omit<RawTable, 'columns'> {
  code: string;
  slug: string;
  title: string;
  columns: Column[];
  /** Columns of the key; empty: the row itself is its key, and it can only be read. */
  key: Column[];
  changed: Column | null;
  labelField: string | null;
}

export const columnOf = (table: Table, id: string): Column | undefined =>
  table.columns.find(({ name }) => name === id);
