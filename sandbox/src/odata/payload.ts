import { leaves } from '../model/model.ts';
import type { Entity, EntitySet, Field, Json } from '../model/types.ts';
import { isExactDecimal, type StoredRecord } from '../store.ts';
import { keyOfEntity, keyPath } from './keys.ts';

declare global {
  interface JSON {
    /** ECMAScript JSON.parse source text access; not yet in TypeScript's library. */
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

export interface Shape {
  epoch: number;
  /** Absolute address of the service, ending with a slash. */
  service: string;
  /** Properties to give; null = all. */
  select: ReadonlySet<string> | null;
  /** Property that a fault switch has taken away. */
  dropped: string | null;
  /** Int64 and Decimal as strings, when the client asked for it. */
  numbersAsText: boolean;
}

export function etag(epoch: number, seq: number): string {
  return `W/"${epoch}-${seq}"`;
}

const exactFields = new Map<string, ReadonlySet<string>>();
function exact(set: EntitySet): ReadonlySet<string> {
  const known = exactFields.get(set.name);
  if (known) return known;
  const made = new Set(
    leaves(set.fields)
      .filter(isExactDecimal)
      .map((leaf) => leaf.path),
  );
  exactFields.set(set.name, made);
  return made;
}

function asText(fields: readonly Field[], entity: Entity): Entity {
  const result: Entity = {};
  for (const field of fields) {
    const value = entity[field.name];
    if (value === undefined) continue;
    result[field.name] = value;
    if (value === null) continue;
    if (field.kind === 'object' && typeof value === 'object' && !Array.isArray(value))
      result[field.name] = asText(field.fields, value);
    else if (field.kind === 'objectList' && Array.isArray(value))
      result[field.name] = value.map((item): Json =>
        item !== null && typeof item === 'object' && !Array.isArray(item) ? asText(field.fields, item) : item,
      );
    else if (field.kind === 'scalar' && (field.type === 'Edm.Decimal' || field.type === 'Edm.Int64'))
      result[field.name] = String(value);
  }
  return result;
}

/** A stored record as OData JSON. */
export function present(set: EntitySet, record: StoredRecord, shape: Shape): Record<string, unknown> {
  const { entity } = record;
  const body: Record<string, unknown> = {
    '@odata.etag': etag(shape.epoch, record.seq),
    '@odata.id': shape.service + keyPath(set, keyOfEntity(set, entity)),
  };
  const source = shape.numbersAsText ? asText(set.fields, entity) : entity;
  for (const [name, value] of Object.entries(source)) {
    if (name === shape.dropped || (shape.select && !shape.select.has(name))) continue;
    const isExact = !shape.numbersAsText && value !== null && exact(set).has(name);
    body[name] = isExact ? JSON.rawJSON(String(value)) : value;
  }
  return body;
}
