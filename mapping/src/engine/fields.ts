import type { FieldDescriptor, Value, ValueType } from '@sluice/contract';
import { elementFields, leafFields } from '../values.ts';
import { typeOfField } from './convert.ts';

/**
 * Where the values of a field path are: a column, and a way into its values. `lines[0].amount` is one value of an
 * element, `lines.amount` the list of that value of all elements.
 */
export interface FieldPath {
  column: string;
  type: ValueType;
  field: FieldDescriptor;
  /** Null: the column's values as they are. */
  into: ((value: Value) => Value) | null;
}

export function resolveField(fields: readonly FieldDescriptor[], path: string): FieldPath | null {
  const leaves = leafFields(fields);
  const exact = leaves.find((field) => field.id === path);
  if (exact) return { column: exact.id, type: typeOfField(exact), field: exact, into: null };
  for (const leaf of leaves) {
    if (!path.startsWith(leaf.id) || leaf.kind === 'field') continue;
    const match = /^(?:\[(\d+)\])?(?:\.(.+))?$/.exec(path.slice(leaf.id.length));
    if (!match || (match[1] === undefined && match[2] === undefined)) continue;
    const found = intoElements(leaf, match[1] === undefined ? null : Number(match[1]), match[2]);
    if (found) return found;
  }
  return null;
}

function intoElements(
  leaf: FieldDescriptor,
  index: number | null,
  part: string | undefined,
): FieldPath | null {
  if (part === undefined) {
    if (index === null || leaf.kind !== 'primitiveValuesArray') return null;
    const item = { ...leaf, kind: 'field' as const };
    return { column: leaf.id, type: typeOfField(item), field: item, into: (value) => itemOf(value, index) };
  }
  const child = leafFields(elementFields(leaf)).find((field) => field.id === part);
  if (!child) return null;
  const type = typeOfField(child);
  if (index !== null) {
    const into = (value: Value): Value => partOf(itemOf(value, index), part);
    return { column: leaf.id, type, field: child, into };
  }
  const into = (value: Value): Value =>
    Array.isArray(value) ? value.map((item) => partOf(item, part)) : null;
  return {
    column: leaf.id,
    type: type.endsWith('[]') ? 'any[]' : (`${type}[]` as ValueType),
    field: child,
    into,
  };
}

const itemOf = (value: Value, index: number): Value => (Array.isArray(value) ? (value[index] ?? null) : null);

function partOf(value: Value, path: string): Value {
  let current: Value = value;
  for (const name of path.split('.')) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return null;
    current = Object.hasOwn(current, name) ? (current[name] ?? null) : null;
  }
  return current;
}
