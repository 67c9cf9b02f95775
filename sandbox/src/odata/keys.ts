import { fail } from '../errors.ts';
import type { Entity, EntitySet, ScalarField } from '../model/types.ts';
import type { SqlValue } from '../store.ts';

function keyField(set: EntitySet, name: string): ScalarField {
  const field = set.fields.find((f) => f.name === name);
  if (field?.kind !== 'scalar') throw new Error(`${set.name} has no key field ${name}`);
  return field;
}

/** `'C1'` or `attribute='A1',value='x'`, as between the parentheses of a canonical URL. */
export function parseKey(set: EntitySet, source: string): SqlValue[] {
  const parts = [...source.matchAll(/(?:^|,)\s*(?:(\w+)=)?('(?:[^']|'')*'|[^,']+)/g)];
  if (parts.length !== set.key.length) throw fail(404, 'NOT-FOUND', { what: `${set.name}(${source})` });
  return set.key.map((name, i): SqlValue => {
    const part = parts.find((p) => p[1] === name) ?? (set.key.length === 1 ? parts[i] : undefined);
    const literal = part?.[2];
    if (literal === undefined) throw fail(404, 'NOT-FOUND', { what: `${set.name}(${source})` });
    const text = literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : literal;
    return keyField(set, name).type === 'Edm.String' ? text : Number(text);
  });
}

function literal(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}

/** The canonical path of a record: `Customers('C1')`. */
export function keyPath(set: EntitySet, key: readonly SqlValue[]): string {
  const inner =
    key.length === 1 ? literal(key[0]) : set.key.map((name, i) => `${name}=${literal(key[i])}`).join(',');
  return `${set.name}(${encodeURIComponent(inner).replaceAll('%3D', '=').replaceAll('%2C', ',').replaceAll('%27', "'")})`;
}

export function keyOfEntity(set: EntitySet, entity: Entity): SqlValue[] {
  return set.key.map((name) => {
    const value = entity[name];
    return typeof value === 'number' || typeof value === 'string' ? value : null;
  });
}
