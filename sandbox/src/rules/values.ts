import type { Problem } from '../errors.ts';
import type { Entity, Field, Json, ScalarField, ScalarListField } from '../model/types.ts';

const intRange = {
  'Edm.Int16': 32767,
  'Edm.Int32': 2147483647,
  'Edm.Int64': Number.MAX_SAFE_INTEGER,
} as const;
const guidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const decimalPattern = /^-?(\d+)(?:\.(\d+))?$/;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/;
const datetimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function parseDecimal(field: ScalarField, value: Json): Json | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const parts = decimalPattern.exec(String(value));
  if (!parts) return undefined;
  const whole = (parts[1] ?? '').replace(/^0+(?=\d)/, '');
  const decimals = (parts[2] ?? '').replace(/0+$/, '');
  const scale = field.scale ?? 0;
  if (decimals.length > scale || whole.length > (field.precision ?? 15) - scale) return undefined;
  if ((field.precision ?? 0) > 15)
    return `${String(value).startsWith('-') ? '-' : ''}${whole}${decimals ? `.${decimals}` : ''}`;
  return Number(value);
}

/** The value in the form in which it is stored; undefined when it is not of the field's type. */
function parseScalar(field: ScalarField | ScalarListField, value: Json): Json | undefined {
  switch (field.type) {
    case 'Edm.Boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'Edm.Int16':
    case 'Edm.Int32':
    case 'Edm.Int64': {
      const number = typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : value;
      return typeof number === 'number' &&
        Number.isInteger(number) &&
        Math.abs(number) <= intRange[field.type]
        ? number
        : undefined;
    }
    case 'Edm.Decimal':
      return field.kind === 'scalar' ? parseDecimal(field, value) : undefined;
    case 'Edm.Double':
      // A long one arrives as text.
      return typeof value === 'number' ||
        (typeof value === 'string' && /^-?\d/.test(value) && Number.isFinite(Number(value)))
        ? Number(value)
        : undefined;
    default:
      return typeof value === 'string' ? parseText(field.type, value) : undefined;
  }
}

function parseText(type: ScalarField['type'], value: string): string | undefined {
  switch (type) {
    case 'Edm.Guid':
      return guidPattern.test(value) ? value.toLowerCase() : undefined;
    case 'Edm.Binary':
      return /^[A-Za-z0-9_-]*={0,2}$/.test(value) ? value.replace(/=+$/, '') : undefined;
    case 'Edm.Date':
      return isDate(value) ? value : undefined;
    case 'Edm.TimeOfDay':
      return timePattern.test(value) ? (value.length === 5 ? `${value}:00` : value) : undefined;
    case 'Edm.DateTimeOffset':
      return datetimePattern.test(value) && !Number.isNaN(Date.parse(value))
        ? new Date(value).toISOString()
        : undefined;
    default:
      return value;
  }
}

/**
 * Reads what a client sent into stored form. Computed fields are left out, as OData says; unknown ones and wrong
 * types become problems.
 */
export function parseEntity(
  fields: readonly Field[],
  body: Entity,
  problems: Problem[],
  prefix = '',
): Entity {
  const result: Entity = {};
  for (const [name, value] of Object.entries(body)) {
    if (name.includes('@')) continue;
    const target = `${prefix}${name}`;
    const field = fields.find((f) => f.name === name);
    if (!field) {
      problems.push({ code: 'UNKNOWN-PROPERTY', params: { field: target }, target });
      continue;
    }
    if (field.kind === 'scalar' && field.computed) continue;
    const parsed = parseField(field, value, problems, target);
    if (parsed !== undefined) result[name] = parsed;
  }
  return result;
}

function isEntity(value: Json): value is Entity {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function parseField(field: Field, value: Json, problems: Problem[], target: string): Json | undefined {
  const wrong = (type: string): undefined => {
    const shown = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 60);
    problems.push({ code: 'TYPE', params: { value: shown, type }, target });
    return undefined;
  };
  switch (field.kind) {
    case 'scalar':
      return value === null ? null : (parseScalar(field, value) ?? wrong(field.type.slice(4)));
    case 'object':
      if (value === null) return Object.fromEntries(field.fields.map((f) => [f.name, null]));
      return isEntity(value) ? parseEntity(field.fields, value, problems, `${target}/`) : wrong('object');
    case 'objectList':
      if (!Array.isArray(value ?? [])) return wrong('list');
      return (Array.isArray(value) ? value : []).map((item, i) => {
        if (isEntity(item)) return parseEntity(field.fields, item, problems, `${target}/${i}/`);
        problems.push({
          code: 'TYPE',
          params: { value: String(item), type: 'object' },
          target: `${target}/${i}`,
        });
        return null;
      });
    case 'scalarList':
      if (!Array.isArray(value ?? [])) return wrong('list');
      return (Array.isArray(value) ? value : []).map((item, i) => {
        const parsed = parseScalar(field, item);
        if (parsed === undefined)
          problems.push({
            code: 'TYPE',
            params: { value: String(item), type: field.type.slice(4) },
            target: `${target}/${i}`,
          });
        return parsed ?? null;
      });
  }
}

/** OData PATCH: complex properties are merged, lists and scalars replaced. */
export function merge(base: Entity, patch: Entity): Entity {
  const result: Entity = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    const old = result[name];
    result[name] = isEntity(value) && old !== undefined && isEntity(old) ? merge(old, value) : value;
  }
  return result;
}
