import type { Key } from '@sluice/adapter-kit';
import type { Model, StructuredType } from './csdl.ts';
import { isEntity, type Entity } from './json.ts';
import { literalOf, propertyAt } from './values.ts';

/**
 * A key as one string: the value itself where the key is one property, else the text between the parentheses of the
 * canonical URL (`attribute='A1',value='x'`).
 */
export function keyOfEntity(model: Model, type: StructuredType, entity: Entity): Key | null {
  const values = type.key.map((path) => {
    let at: unknown = entity;
    for (const part of path.split('/')) at = isEntity(at) ? at[part] : undefined;
    return typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? at : null;
  });
  if (values.includes(null)) return null;
  if (values.length === 1) return String(values[0]);
  return type.key.map((name, i) => `${name}=${literal(model, type, name, values[i] ?? '')}`).join(',');
}

function literal(model: Model, type: StructuredType, name: string, value: string | number | boolean): string {
  const property = propertyAt(model, type, name.replaceAll('/', '.'));
  return (property && literalOf(model, property, value)) ?? String(value);
}

/** The text between the parentheses of the canonical URL, not encoded. */
function predicateOf(model: Model, type: StructuredType, key: Key): string {
  const [name] = type.key;
  return type.key.length === 1 && name !== undefined ? literal(model, type, name, key) : key;
}

/** The path of a record below the service root, encoded. */
export function pathOf(model: Model, type: StructuredType, setName: string, key: Key): string {
  const inner = encodeURIComponent(predicateOf(model, type, key))
    .replaceAll('%2C', ',')
    .replaceAll('%3D', '=');
  return `${encodeURIComponent(setName)}(${inner.replaceAll('%27', "'")})`;
}

/** A filter that only this record passes. */
export function keyFilter(model: Model, type: StructuredType, key: Key): string {
  const [name] = type.key;
  if (type.key.length === 1 && name !== undefined) return `${name} eq ${literal(model, type, name, key)}`;
  const parts = [...key.matchAll(/(?:^|,)([\w/]+)=('(?:[^']|'')*'|[^,]+)/g)];
  return `(${parts.map(([, part, value]) => `${part} eq ${value}`).join(' and ')})`;
}

/** The key in the address of a record, as `Location` or `OData-EntityId` gives it. */
export function keyOfAddress(type: StructuredType, address: string): Key | null {
  const inner = /\(([^()]*)\)\/?$/.exec(decodeURIComponent(address))?.[1];
  if (inner === undefined || type.key.length > 1) return inner ?? null;
  const value = inner.replace(/^\w+=/, '');
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value;
}
