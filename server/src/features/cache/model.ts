import type { ChangesKind } from '@sluice/adapter-kit';
import { type FieldDescriptor, type Locale, type Value } from '@sluice/contract';
import { canonicalDecimal, isSameValue, leafFields } from '@sluice/mapping';
import { type Db, isoTimestamp, row, rows, safeInteger, shortTime, sql } from '../../platform/db.ts';

export type PgType =
  | 'boolean'
  | 'bigint'
  | 'double precision'
  | 'numeric'
  | 'text'
  | 'uuid'
  | 'date'
  | 'time'
  | 'timestamptz'
  | 'jsonb';

/** One column of a cached collection: `f<fno>`; names never come from the external system. */
export interface Column {
  fno: number;
  /** Field id. */
  path: string;
  pgType: PgType;
  field: FieldDescriptor;
}

interface Description {
  keyFields: string[];
  labelField: string | null;
  naturalKeys: string[][];
  rights: { create: boolean; update: boolean; delete: boolean };
  changes?: ChangesKind;
}

/** A cached collection as the code needs it; the same for all processes at the same `schemaVersion`. */
export interface CollectionModel {
  collectionId: number;
  domainId: string;
  companyId: string;
  uriId: string;
  attributeId: string;
  code: string;
  state: 'empty' | 'loading' | 'ready' | 'failed';
  schemaVersion: number;
  generation: number;
  rowCount: number;
  refreshedAt: string | null;
  message: string | null;
  loaded: number;
  expected: number | null;
  /** Columns that the index of texts holds (records/search-index.ts); null = there is none. */
  searchFnos: readonly number[] | null;
  description: Description;
  fields: Record<Locale, FieldDescriptor[]>;
  /** Active columns in the order of the fields. */
  columns: readonly Column[];
  byPath: ReadonlyMap<string, Column>;
  byFno: ReadonlyMap<number, Column>;
  /** Column number -> position in `columns`. */
  positions: ReadonlyMap<number, number>;
}

export interface CollectionRow {
  collection_id: number;
  domain_id: string;
  company_id: string;
  resource_type_uri_id: string;
  attribute_id: string;
  code: string;
  state: CollectionModel['state'];
  fields_en: FieldDescriptor[];
  fields_nl: FieldDescriptor[];
  description: Partial<Description>;
  fingerprint: string;
  schema_version: number;
  row_count: number;
  loaded: number;
  expected: number | null;
  refresh_id: string | null;
  refresh_kind: 'first' | 'full' | 'incremental' | null;
  refresh_cursor: string | null;
  refresh_started_at: string | null;
  refreshed_at: string | null;
  full_at: string | null;
  message: string | null;
  wanted_at: string | null;
  generation: number;
  search_fnos: number[] | null;
}

/** What changes without the schema. The fields are large, and known to whoever has seen the schema version. */
export type CollectionHead = Pick<
  CollectionRow,
  | 'collection_id'
  | 'state'
  | 'description'
  | 'schema_version'
  | 'row_count'
  | 'loaded'
  | 'expected'
  | 'refreshed_at'
  | 'message'
  | 'generation'
  | 'search_fnos'
>;

export function pgTypeOf(field: FieldDescriptor): PgType {
  if (field.kind !== 'field') return 'jsonb';
  switch (field.dataType) {
    case 'bool':
      return 'boolean';
    case 'int':
    case 'uint':
    case 'nonFormattableInt':
      return 'bigint';
    case 'float64':
      // A decimal number (money) keeps its digits; a measured one is a double.
      return field.scale === undefined ? 'double precision' : 'numeric';
    case 'uuid':
      return 'uuid';
    case 'date':
      return 'date';
    case 'time':
      return 'time';
    case 'datetime':
      return 'timestamptz';
    default:
      return 'text';
  }
}

/** The stored text of a column as a value of the wire. */
export function valueOfText(pgType: PgType, text: string | null): Value {
  if (text === null) return null;
  switch (pgType) {
    case 'boolean':
      return text === 't' || text === 'true';
    case 'bigint':
      return safeInteger(text);
    case 'double precision':
      return Number(text);
    case 'numeric':
      return canonicalDecimal(text);
    case 'time':
      return shortTime(text);
    case 'timestamptz':
      return isoTimestamp(text);
    case 'jsonb':
      return JSON.parse(text) as Value;
    default:
      return text;
  }
}

/** Two stored texts of a column that mean the same value (`10` and `10.00`). */
export function isSameText(pgType: PgType, a: string | null, b: string | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && isSameValue(valueOfText(pgType, a), valueOfText(pgType, b));
}

/** A checked value of the wire as text for PostgreSQL, to be cast to the column's type. */
export function textOfValue(pgType: PgType, value: Value): string | null {
  if (value === null) return null;
  return pgType === 'jsonb' ? JSON.stringify(value) : String(value);
}

export const tableOf = (collectionId: number) => sql.id('cache', `c_${collectionId}`);
export const pendingTableOf = (collectionId: number) => sql.id('cache', `c_${collectionId}_p`);
/** Rows of a pending table in which this user changed something. */
export const isOfAuthor = (userId: number) =>
  sql`(author = ${userId} or cells @? ${`$.*.a ? (@ == ${userId})`}::jsonpath)`;
export const stagingTableOf = (collectionId: number) => sql.id('cache', `s_${collectionId}`);
export const columnOf = (fno: number) => sql.id(`f${fno}`);

export async function findCollection(db: Db, collectionId: number): Promise<CollectionRow | null> {
  return await row(db, sql`select * from collection where collection_id = ${collectionId}`);
}

export async function readModel(db: Db, collection: CollectionRow): Promise<CollectionModel> {
  const stored = await rows<{ fno: number; path: string; pg_type: PgType }>(
    db,
    sql`select fno, path, pg_type from collection_field
        where collection_id = ${collection.collection_id} and state = 'active'`,
  );
  const byStoredPath = new Map(stored.map((field) => [field.path, field]));
  const columns = leafFields(collection.fields_en).flatMap((field): Column[] => {
    const known = byStoredPath.get(field.id);
    return known ? [{ fno: known.fno, path: field.id, pgType: known.pg_type, field }] : [];
  });
  return {
    collectionId: collection.collection_id,
    domainId: collection.domain_id,
    companyId: collection.company_id,
    uriId: collection.resource_type_uri_id,
    attributeId: collection.attribute_id,
    code: collection.code,
    state: collection.state,
    schemaVersion: collection.schema_version,
    generation: collection.generation,
    rowCount: collection.row_count,
    refreshedAt: collection.refreshed_at,
    message: collection.message,
    loaded: collection.loaded,
    expected: collection.expected,
    searchFnos: collection.search_fnos,
    description: {
      keyFields: collection.description.keyFields ?? [],
      labelField: collection.description.labelField ?? null,
      naturalKeys: collection.description.naturalKeys ?? [],
      rights: collection.description.rights ?? { create: false, update: false, delete: false },
    },
    fields: { EN: collection.fields_en, NL: collection.fields_nl },
    columns,
    byPath: new Map(columns.map((column) => [column.path, column])),
    byFno: new Map(columns.map((column) => [column.fno, column])),
    positions: new Map(columns.map((column, index) => [column.fno, index])),
  };
}
