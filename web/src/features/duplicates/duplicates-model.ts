import type { FieldDescriptor, Value } from '@sluice/contract';

export interface DuplicateColumn {
  id: string;
  name: string;
  field: FieldDescriptor;
}

export type Resource = { internalId: string } & Record<string, unknown>;

/** Plain fields of a record as columns; arrays and hidden fields cannot be compared at a glance. */
export const plainColumns = (fields: readonly FieldDescriptor[], path = ''): DuplicateColumn[] =>
  fields.flatMap((field) =>
    field.kind === 'nestedElements'
      ? plainColumns(field.children ?? [], `${path}${field.name} › `)
      : field.kind === 'field' && !field.isHidden && field.format !== 'base64'
        ? [{ id: field.id, name: `${path}${field.name}`, field }]
        : [],
  );

/** Value of a path (`address.city`) in a record as an object. */
export const valueAt = (resource: Resource, path: string): Value => {
  if (path in resource) return (resource[path] ?? null) as Value;
  let at: unknown = resource;
  for (const part of path.split('.')) {
    if (typeof at !== 'object' || at === null) return null;
    at = (at as Record<string, unknown>)[part];
  }
  return (at ?? null) as Value;
};

const isSame = (a: Value, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b);

/** True where the records of a group do not agree. */
export const differs = (group: readonly Resource[], field: string): boolean =>
  group.some((resource) => !isSame(valueAt(resource, field), valueAt(group[0] ?? resource, field)));

/**
 * What tells the records of the groups apart: the table's key and label first, then where most groups differ. What
 * only the external system writes (when it was made, by whom) would take the room of what people decide by.
 */
export const tellingColumns = (
  columns: readonly DuplicateColumn[],
  groups: readonly (readonly Resource[])[],
  always: readonly string[],
  compared: readonly string[],
  most: number,
): DuplicateColumn[] => {
  const first = always.flatMap((id) => columns.find((column) => column.id === id) ?? []);
  const others = columns
    .filter(
      (column) => !column.field.isReadOnly && !always.includes(column.id) && !compared.includes(column.id),
    )
    .map((column) => ({ column, count: groups.filter((group) => differs(group, column.id)).length }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, Math.max(0, most - first.length))
    .map(({ column }) => column);
  // Shown in the table's own order, so that people find them.
  return [...first, ...columns.filter((column) => others.includes(column))];
};
