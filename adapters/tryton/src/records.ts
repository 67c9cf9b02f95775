import type { ReadRecord, Rec } from '@sluice/adapter-kit';
import type { FieldDescriptor, Value } from '@sluice/contract';
import type { Row } from './link.ts';
import type { TrytonFields } from './metadata.ts';
import { decodeValue } from './values.ts';

/** A field to read: its Tryton type, and for an owned list the types of its columns. */
export interface Column {
  id: string;
  type: string;
  children: { id: string; type: string }[] | null;
}

/** The columns that still exist; a field that vanished from Tryton is left out of the records. */
export function toColumns(
  descriptors: readonly FieldDescriptor[],
  fields: TrytonFields,
  childFields: ReadonlyMap<string, TrytonFields>,
): Column[] {
  return descriptors.flatMap((descriptor): Column[] => {
    const field = fields.get(descriptor.id);
    if (field === undefined) return [];
    if (descriptor.kind !== 'simpleArray') return [{ id: field.name, type: field.type, children: null }];
    const target = childFields.get(field.name);
    const children = (descriptor.children ?? []).flatMap(({ id }) => {
      const column = target?.get(id);
      return column === undefined ? [] : [{ id, type: column.type }];
    });
    return [{ id: field.name, type: field.type, children }];
  });
}

/** What Tryton is asked for; lines come along with their record by dotted names. */
export function namesOf(columns: readonly Column[]): string[] {
  const names = columns.flatMap((column) =>
    column.children === null ? [column.id] : column.children.map((child) => `${column.id}.${child.id}`),
  );
  return [...new Set(['id', ...names, '_timestamp'])];
}

export function toRecord(row: Row, columns: readonly Column[]): ReadRecord {
  const values: Rec = {};
  for (const column of columns) {
    values[column.id] =
      column.children === null
        ? decodeValue(column.type, row[column.id])
        : decodeLines(row[`${column.id}.`], column.children);
  }
  const version = row['_timestamp'];
  return { key: String(row['id']), version: typeof version === 'string' ? version : null, values };
}

function decodeLines(raw: unknown, children: readonly { id: string; type: string }[]): Value {
  if (!Array.isArray(raw)) return [];
  return raw.map((line: unknown) => {
    const values: Record<string, Value> = {};
    const row =
      typeof line === 'object' && line !== null ? new Map(Object.entries(line)) : new Map<string, unknown>();
    for (const child of children) values[child.id] = decodeValue(child.type, row.get(child.id));
    return values;
  });
}

/** A key as Tryton's id; null for one that cannot be any. */
export function toId(key: string | undefined): number | null {
  const id = Number(key);
  return key !== undefined && /^\d+$/.test(key) && Number.isSafeInteger(id) && id > 0 ? id : null;
}
