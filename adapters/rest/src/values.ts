import type { Rec } from '@sluice/adapter-kit';
import type { DataType, FieldDescriptor, Value } from '@sluice/contract';
import { at, type Entity, isEntity } from './json.ts';

const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const patterns: readonly [DataType, RegExp][] = [
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['datetime', moment],
  ['uuid', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i],
];

/** A moment in UTC; one without a zone is taken as UTC. */
function toUtc(text: string): string {
  if (!moment.test(text)) return text;
  const whole = text.replace(' ', 'T');
  const time = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(whole) ? whole : `${whole}Z`);
  const fraction = /\.\d+/.exec(text)?.[0] ?? '';
  return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 19)}${fraction}Z`;
}

const plain = (value: unknown): Value => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(plain);
  return isEntity(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
    : String(value);
};

function toValue(field: FieldDescriptor, value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (field.kind !== 'field') return plain(value);
  switch (field.dataType) {
    case 'datetime':
      return typeof value === 'string' ? toUtc(value) : plain(value);
    case 'uuid':
      return typeof value === 'string' ? value.toLowerCase() : plain(value);
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
    case 'unknown':
      return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
    case 'int':
    case 'uint':
    case 'nonFormattableInt':
      return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : plain(value);
    case 'float64':
      return typeof value === 'string' &&
        /^-?\d+(\.\d+)?$/.test(value) &&
        value.replaceAll(/\D/g, '').length <= 15
        ? Number(value)
        : plain(value);
    default:
      return plain(value);
  }
}

/** A record of the service with its nested objects flat; every field is there, empty as null. */
export const toRec = (fields: readonly FieldDescriptor[], entity: Entity): Rec =>
  Object.fromEntries(fields.map((field) => [field.id, toValue(field, at(entity, field.id))]));

/** The record as the service takes it. */
export function toEntity(fields: readonly FieldDescriptor[], values: Rec): Entity {
  const entity: Entity = {};
  for (const [id, value] of Object.entries(values)) {
    const field = fields.find((one) => one.id === id);
    if (!field || field.isReadOnly) continue;
    const names = id.split('.');
    let inside = entity;
    for (const name of names.slice(0, -1)) {
      const next = inside[name];
      inside = inside[name] = isEntity(next) ? next : {};
    }
    inside[names.at(-1) ?? id] =
      field.kind === 'field' &&
      field.dataType === 'float64' &&
      typeof value === 'string' &&
      /^-?\d+(\.\d+)?$/.test(value)
        ? // All digits of a decimal cross the line as a number.
          JSON.rawJSON(value)
        : value;
  }
  return entity;
}

/** A field of which nothing is known but its name. */
export const blankField = (id: string): FieldDescriptor => ({
  id,
  name: id,
  kind: 'field',
  isKey: false,
  isMandatory: false,
  isReadOnly: false,
  isReadOnlyOnUpdate: false,
  isHidden: false,
  validations: [],
});

function typeOf(values: readonly unknown[]): DataType {
  if (values.every((value) => typeof value === 'boolean')) return 'bool';
  if (values.every((value) => Number.isSafeInteger(value))) return 'int';
  if (values.every((value) => typeof value === 'number')) return 'float64';
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length < values.length) return 'unknown';
  return patterns.find(([, pattern]) => texts.every((text) => pattern.test(text)))?.[0] ?? 'string';
}

/** Fields with the types that all values of some records have; nested objects are flat. */
export function inferFields(records: readonly Entity[], prefix = ''): FieldDescriptor[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return [...names].flatMap((name): FieldDescriptor[] => {
    const id = prefix + name;
    const values = records
      .map((record) => record[name])
      .filter((value) => value !== null && value !== undefined);
    if (values.length === 0) return [{ ...blankField(id), dataType: 'string' }];
    if (values.every(Array.isArray)) return [arrayOf(id, values.flat() as unknown[])];
    const entities = values.filter(isEntity);
    if (entities.length === values.length && entities.some((entity) => Object.keys(entity).length > 0))
      return inferFields(entities, `${id}.`);
    const dataType = typeOf(values);
    // What is sometimes one thing and sometimes another can be looked at, not changed.
    return [{ ...blankField(id), dataType, isReadOnly: dataType === 'unknown' }];
  });
}

function arrayOf(id: string, items: readonly unknown[]): FieldDescriptor {
  const entities = items.filter(isEntity);
  if (entities.length === 0 || entities.length < items.length)
    return {
      ...blankField(id),
      kind: 'primitiveValuesArray',
      dataType: items.length === 0 ? 'string' : typeOf(items),
    };
  const children = inferFields(entities);
  if (children.length === 0)
    return { ...blankField(id), kind: 'primitiveValuesArray', dataType: 'unknown', isReadOnly: true };
  if (children.every(({ kind }) => kind === 'field'))
    return {
      ...blankField(id),
      kind: 'simpleArray',
      children: children.map((child) => ({ ...child, kind: 'fieldInSimpleArray' })),
    };
  return {
    ...blankField(id),
    kind: 'complexArray',
    children: [{ ...blankField('[]'), kind: 'complexArrayElement', children }],
  };
}

/** Whether two values say the same: services trim, and write numbers and moments another way. */
export function isSame(a: Value | undefined, b: Value | undefined): boolean {
  const norm = (value: Value | undefined): unknown => {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string') {
      const text = value.trim();
      if (text !== '' && Number.isFinite(Number(text))) return Number(text);
      return moment.test(text) ? Date.parse(toUtc(text)) : text;
    }
    if (Array.isArray(value)) return value.map(norm);
    if (typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, inner]) => [name, norm(inner)] as const)
        .filter(([, inner]) => inner !== null)
        .toSorted(([x], [y]) => (x < y ? -1 : 1)),
    );
  };
  return JSON.stringify(norm(a)) === JSON.stringify(norm(b));
}
