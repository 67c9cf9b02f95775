import type { ColumnType } from '../model.ts';
import { naive, types } from '../types.ts';

export interface PgColumnType {
  /** Name of the type below domains: `int4`, `varchar`, `_text`. */
  base: string;
  /** Its name for casts, without a modifier: an explicit cast to `varchar(10)` would cut the text silently. */
  full: string;
  /** `e` enumeration, `b` base, `r` range … */
  sort: string;
  isArray: boolean;
  /** Type modifier below domains; -1 = none. */
  modifier: number;
  labels: string[] | null;
}

/** How a column of PostgreSQL crosses the line. */
export function columnType(type: PgColumnType, zone: string): ColumnType {
  const { full, modifier } = type;
  const plain = {
    read: (column: string) => `${column}::text`,
    write: (parameter: string) => `cast(${parameter}::text as ${full})`,
  };
  if (type.isArray) return { ...plain, ...types.json, read: (c) => `to_json(${c})::text`, isReadOnly: true };
  if (type.sort === 'e') return { ...plain, ...types.text, options: type.labels ?? [] };
  switch (type.base) {
    case 'bool':
      return { ...plain, ...types.bool };
    case 'int2':
    case 'int4':
    case 'int8':
      return { ...plain, ...types.int };
    case 'oid':
      return { ...plain, ...types.uint };
    case 'numeric':
      // Without a modifier it keeps any number of decimals; none are added for show.
      return { ...plain, ...types.decimal, scale: modifier === -1 ? 0 : Math.max(0, (modifier - 4) & 0x7ff) };
    case 'float4':
    case 'float8':
      return { ...plain, ...types.double };
    case 'uuid':
      return { ...plain, ...types.uuid };
    case 'date':
      return { ...plain, ...types.date };
    case 'time':
      return { ...plain, ...types.time };
    case 'timestamptz':
      return { ...plain, ...types.moment };
    case 'timestamp':
      return { ...plain, ...naive(zone) };
    case 'bytea':
      return {
        ...types.bytes,
        read: (column) => `encode(${column}, 'base64')`,
        write: (parameter) => `decode(${parameter}::text, 'base64')`,
      };
    case 'json':
    case 'jsonb':
      return { ...plain, ...types.json };
    case 'varchar':
    case 'bpchar':
      return { ...plain, ...types.text, ...(modifier === -1 ? {} : { max: modifier - 4 }) };
    case 'text':
    case 'citext':
    case 'name':
      return { ...plain, ...types.text };
    case 'interval':
    case 'timetz':
    case 'inet':
    case 'cidr':
    case 'macaddr':
    case 'money':
      return { ...plain, ...types.text };
    default:
      // Whatever else there is can be looked at as PostgreSQL writes it.
      return { ...plain, ...types.text, isComparable: false, isReadOnly: true };
  }
}
