import type { Value } from '@sluice/contract';
import type { Rec } from '@sluice/adapter-kit';
import type { Model, Property, StructuredType } from './csdl.ts';
import { primitiveOf } from './fields.ts';
import { isEntity, type Entity } from './json.ts';

const plain = (value: unknown): Value => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(plain);
  return isEntity(value)
    ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]))
    : String(value);
};

/** `2026-01-01T10:00:00.1+02:00` -> `2026-01-01T08:00:00.1Z`: the fraction is kept as it is. */
function toUtc(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return text;
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (!parts) return text;
  const [, minutes, seconds = ':00', fraction = '', zone = 'Z'] = parts;
  const time = Date.parse(`${minutes}${seconds}${zone.toUpperCase()}`);
  return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 19)}${fraction}Z`;
}

function readText(type: string, text: string): Value {
  switch (type) {
    case 'Edm.DateTimeOffset':
      return toUtc(text);
    case 'Edm.TimeOfDay':
      return text.replace(/(\.\d{6})\d+$/, '$1');
    case 'Edm.Guid':
      return text.toLowerCase();
    case 'Edm.Binary':
      return /^[\w-]*=*$/.test(text) ? Buffer.from(text, 'base64url').toString('base64') : text;
    case 'Edm.Byte':
    case 'Edm.SByte':
    case 'Edm.Int16':
    case 'Edm.Int32':
    case 'Edm.Int64':
      return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case 'Edm.Double':
    case 'Edm.Single':
      return /^-?\d/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'Edm.Decimal':
      // A text of more than 15 digits stays one: the contract's form of a decimal that a double would change.
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) &&
        text.replaceAll(/\D/g, '').replace(/^0+/, '').length <= 15
        ? Number(text)
        : text;
    default:
      return text;
  }
}

function readScalar(model: Model, property: Property, value: unknown): Value {
  if (value === null || value === undefined) return null;
  const type = primitiveOf(model, property.type.name);
  if (typeof value === 'string') return readText(type, value);
  if (typeof value === 'number' || typeof value === 'boolean')
    return type === 'Edm.String' ? String(value) : value;
  return JSON.stringify(value);
}

function readNested(model: Model, type: StructuredType, value: unknown): Value {
  if (!isEntity(value)) return plain(value);
  const result: { [key: string]: Value } = {};
  for (const property of type.properties)
    if (property.name in value) result[property.name] = readProperty(model, property, value[property.name]);
  return result;
}

function readProperty(model: Model, property: Property, value: unknown): Value {
  const complex = model.types.get(property.type.name);
  const one = (item: unknown): Value =>
    complex ? readNested(model, complex, item) : readScalar(model, property, item);
  if (!property.type.isCollection) return one(value);
  return Array.isArray(value) ? value.map(one) : [];
}

/** An entity as a record: objects become flat paths, lists stay JSON. */
export function toRec(model: Model, type: StructuredType, entity: Entity, rec: Rec = {}, prefix = ''): Rec {
  for (const property of type.properties) {
    const isGiven = property.name in entity;
    if (!isGiven && prefix === '') continue;
    const value = entity[property.name];
    const complex = model.types.get(property.type.name);
    const id = prefix + property.name;
    if (complex && !property.type.isCollection)
      toRec(model, complex, isEntity(value) ? value : {}, rec, `${id}.`);
    else rec[id] = readProperty(model, property, value);
  }
  return rec;
}

function writeScalar(model: Model, property: Property, value: Value): unknown {
  if (typeof value !== 'string') return value;
  switch (primitiveOf(model, property.type.name)) {
    case 'Edm.Decimal':
    case 'Edm.Int64':
      // A decimal as text: written as a number, digit for digit.
      return /^-?\d+(\.\d+)?$/.test(value) ? JSON.rawJSON(value) : value;
    case 'Edm.Binary':
      return Buffer.from(value, 'base64').toString('base64url');
    case 'Edm.TimeOfDay':
      return value.length === 5 ? `${value}:00` : value;
    default:
      return value;
  }
}

function writeProperty(model: Model, property: Property, value: Value): unknown {
  const complex = model.types.get(property.type.name);
  const one = (item: Value): unknown => {
    if (!complex || !isEntity(item)) return complex ? item : writeScalar(model, property, item);
    return Object.fromEntries(
      Object.entries(item).map(([name, inner]) => {
        const found = complex.properties.find((p) => p.name === name);
        return [name, found ? writeProperty(model, found, inner as Value) : inner];
      }),
    );
  };
  if (!property.type.isCollection) return one(value);
  return Array.isArray(value) ? value.map(one) : [];
}

/** The property at a path with dots. */
export function propertyAt(model: Model, type: StructuredType, id: string): Property | null {
  const [head, ...rest] = id.split('.');
  const property = type.properties.find((p) => p.name === head);
  if (!property || rest.length === 0) return property ?? null;
  const inner = model.types.get(property.type.name);
  return inner && !property.type.isCollection ? propertyAt(model, inner, rest.join('.')) : null;
}

/** A record, or the changed fields of one, as the body of a request. */
export function toEntity(model: Model, type: StructuredType, values: Rec): Entity {
  const body: Entity = {};
  for (const [id, value] of Object.entries(values)) {
    const property = propertyAt(model, type, id);
    const parts = id.split('.');
    let target = body;
    for (const part of parts.slice(0, -1)) {
      const next = target[part];
      if (isEntity(next)) target = next;
      else {
        const made: Entity = {};
        target[part] = made;
        target = made;
      }
    }
    target[parts.at(-1) ?? id] = property ? writeProperty(model, property, value) : value;
  }
  return body;
}

/** A value as it stands in a filter or a key; null when the type has no literal form here. */
export function literalOf(model: Model, property: Property, value: Value): string | null {
  if (value === null) return 'null';
  if (property.type.isCollection || typeof value === 'object') return null;
  const quoted = `'${String(value).replaceAll("'", "''")}'`;
  if (model.enums.has(property.type.name)) return `${property.type.name}${quoted}`;
  switch (primitiveOf(model, property.type.name)) {
    case 'Edm.String':
      return quoted;
    case 'Edm.TimeOfDay':
      return String(value).length === 5 ? `${String(value)}:00` : String(value);
    case 'Edm.Boolean':
    case 'Edm.Byte':
    case 'Edm.SByte':
    case 'Edm.Int16':
    case 'Edm.Int32':
    case 'Edm.Int64':
    case 'Edm.Decimal':
    case 'Edm.Double':
    case 'Edm.Single':
    case 'Edm.Guid':
    case 'Edm.Date':
    case 'Edm.DateTimeOffset':
      return String(value);
    default:
      return null;
  }
}
