import type { Condition, FieldDescriptor, Locale, Option, Validation, Value } from '@sluice/contract';
import { decide } from './condition.ts';
import type { TrytonField, TrytonFields } from './metadata.ts';
import { parsePyson, toCondition } from './pyson.ts';
import type { PysonScope } from './pyson.ts';
import { texts } from './texts.ts';
import { decodeValue } from './values.ts';

/** All that is known of a model before its fields are described. */
export interface ModelFacts {
  fields: TrytonFields;
  /** Names on the list and the form of the model, in this order. */
  viewFields: readonly string[];
  defaults: Readonly<Record<string, unknown>>;
  /** Choices per field. */
  options: ReadonlyMap<string, Option[]>;
  /** Collection slug per model that can be referred to. */
  references: ReadonlyMap<string, string>;
  /** Fields of the models of owned lists, per field name. */
  children: ReadonlyMap<string, { fields: TrytonFields; options: ReadonlyMap<string, Option[]> }>;
  context: Readonly<Record<string, unknown>>;
  locale: Locale;
}

const internalFields = new Set(['create_uid', 'create_date', 'write_uid', 'write_date']);
const listTypes = new Set(['one2many', 'many2many']);
/** Their defaults are of the moment; the server fills them. */
const momentTypes = new Set(['date', 'datetime', 'timestamp', 'time']);

/**
 * Whether Tryton computes the field record by record: it can then not sort by it. Reading such fields makes a
 * page up to 30 times slower.
 */
function isComputed(field: TrytonField): boolean {
  return !field.sortable && !listTypes.has(field.type);
}

/** Lines that belong to their record (addresses, order lines): the link back is required, and no tree of itself. */
export function isOwnedList(field: TrytonField, model: string, target: TrytonFields): boolean {
  const parent = field.relation_field ? target.get(field.relation_field) : undefined;
  if (field.type !== 'one2many' || field.readonly || field.relation === model || !parent) return false;
  return parent.type === 'many2one' && parent.required;
}

/** The fields of a collection, those that a person knows from Tryton's own screens first. */
export function describeFields(facts: ModelFacts): FieldDescriptor[] {
  const { fields, viewFields } = facts;
  const first = ['id', ...viewFields.filter((name) => fields.has(name))];
  const names = [...new Set([...first, 'rec_name', ...fields.keys()])];
  const shown = new Set(names.filter((name) => isShown(name, facts)));
  return names.flatMap((name) => {
    const field = fields.get(name);
    return field === undefined ? [] : [describeField(field, facts, shown)];
  });
}

function isShown(name: string, facts: ModelFacts): boolean {
  const field = facts.fields.get(name);
  if (name === 'id' || name === 'rec_name') return true;
  if (field === undefined || internalFields.has(name)) return false;
  if (field.type === 'one2many') return facts.children.has(name);
  // A price per company is computed too, but nobody can do without it.
  if (isComputed(field)) return field.required && !field.readonly;
  return field.required || facts.viewFields.includes(name);
}

function describeField(field: TrytonField, facts: ModelFacts, shown: ReadonlySet<string>): FieldDescriptor {
  const states = readStates(field, facts, shown);
  const isNewReadOnly = decide(states.readOnly, newRecord(facts)) !== false;
  const hasDefault = (facts.defaults[field.name] ?? null) !== null;
  const children = describeChildren(field, facts);
  return {
    id: field.name,
    name: field.string || field.name,
    ...describeType(field, facts),
    isKey: field.name === 'id',
    isMandatory: states.required === true,
    isReadOnly: states.readOnly === true || (field.type === 'one2many' && children === undefined),
    isReadOnlyOnUpdate: isOnlyForSaved(states.readOnly),
    isHidden: !shown.has(field.name),
    validations: describeValidations(field, facts),
    ...(children === undefined ? {} : { children }),
    ...describeHelp(field, facts.locale),
    ...(field.name === 'id' || hasDefault || (states.required !== false && isNewReadOnly)
      ? { hasServerDefault: true }
      : {}),
    ...describeDefault(field, facts),
    ...(typeof states.required === 'boolean' ? {} : { mandatoryIf: states.required }),
    ...(typeof states.readOnly === 'boolean' || isOnlyForSaved(states.readOnly)
      ? {}
      : { readOnlyIf: states.readOnly }),
  };
}

/** Readonly exactly when the record exists. */
function isOnlyForSaved(condition: Condition): boolean {
  if (typeof condition === 'string' || typeof condition === 'boolean' || condition.op !== 'not') return false;
  const { of } = condition;
  return typeof of === 'object' && of.op === 'isEmpty' && of.field === 'id';
}

function readStates(field: TrytonField, facts: ModelFacts, shown: ReadonlySet<string>) {
  const states = parsePyson(field.states);
  const scope: PysonScope = {
    // The value of a field that is not read is not known here.
    fields: new Map([...facts.fields].flatMap(([name, { type }]) => (shown.has(name) ? [[name, type]] : []))),
    context: facts.context,
  };
  const state = (name: string) =>
    typeof states === 'object' && states !== null && name in states
      ? toCondition(Reflect.get(states, name), scope)
      : false;
  return {
    readOnly: field.readonly ? true : state('readonly'),
    required: field.required ? true : state('required'),
  } satisfies Record<string, Condition>;
}

/** The record as a form would begin it. */
function newRecord(facts: ModelFacts): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const [name, field] of facts.fields) {
    if (name === 'id') continue;
    const raw = facts.defaults[name];
    values[name] = field.type === 'one2many' ? null : decodeValue(field.type, raw ?? null);
  }
  return values;
}

type TypePart = Pick<FieldDescriptor, 'kind' | 'dataType' | 'format' | 'scale' | 'options' | 'reference'>;

function describeType(field: TrytonField, facts: ModelFacts): TypePart {
  const options = facts.options.get(field.name);
  const choices = options === undefined ? {} : { options };
  const slug = field.relation ? facts.references.get(field.relation) : undefined;
  const reference =
    slug === undefined
      ? {}
      : { reference: { resourceTypeUriId: slug, valueField: 'id', labelField: 'rec_name' } };
  switch (field.type) {
    case 'integer':
    case 'bigint':
      return { kind: 'field', dataType: field.name === 'id' ? 'nonFormattableInt' : 'int' };
    case 'float':
    case 'timedelta':
      return { kind: 'field', dataType: 'float64' };
    case 'numeric':
      return { kind: 'field', dataType: 'float64', ...describeScale(field, facts) };
    case 'boolean':
      return { kind: 'field', dataType: 'bool' };
    case 'date':
      return { kind: 'field', dataType: 'date' };
    case 'datetime':
    case 'timestamp':
      return { kind: 'field', dataType: 'datetime' };
    case 'time':
      return { kind: 'field', dataType: 'time' };
    case 'many2one':
    case 'one2one':
      return { kind: 'field', dataType: 'nonFormattableInt', ...choices, ...reference };
    case 'many2many':
      return {
        kind: 'primitiveValuesArray',
        dataType: 'nonFormattableInt',
        ...choices,
        ...reference,
      };
    case 'multiselection':
      return { kind: 'primitiveValuesArray', dataType: 'string', ...choices };
    case 'one2many':
      return facts.children.has(field.name)
        ? { kind: 'simpleArray' }
        : { kind: 'primitiveValuesArray', dataType: 'nonFormattableInt', ...reference };
    case 'text':
    case 'fullText':
      return { kind: 'field', dataType: 'string', format: 'multiline' };
    case 'binary':
      return { kind: 'field', dataType: 'string', format: 'base64' };
    case 'char':
    case 'reference':
      return { kind: 'field', dataType: 'string' };
    case 'selection':
      return { kind: 'field', dataType: 'string', ...choices };
    default:
      return { kind: 'field', dataType: 'unknown' };
  }
}

function readJson(value: unknown): unknown {
  return typeof value === 'string' ? parsePyson(value) : value;
}

/** Decimals; where they depend on the record (a currency), the number that Tryton falls back to. */
function describeScale(field: TrytonField, facts: ModelFacts): { scale?: number } {
  const digits = readJson(field.digits);
  const scale: unknown = Array.isArray(digits) ? digits[1] : undefined;
  if (typeof scale === 'number') return { scale };
  if (typeof scale !== 'object' || scale === null || !('v' in scale) || !('d' in scale)) return {};
  const current = typeof scale.v === 'string' ? facts.defaults[scale.v] : undefined;
  const known = typeof current === 'number' ? current : scale.d;
  return typeof known === 'number' ? { scale: known } : {};
}

function describeValidations(field: TrytonField, facts: ModelFacts): Validation[] {
  const size = readJson(field.size);
  const validations: Validation[] = [];
  if (typeof size === 'number') validations.push({ code: 4102, params: { max: size } });
  const isSelection = field.type === 'selection' || field.type === 'multiselection';
  if (isSelection && facts.options.has(field.name)) validations.push({ code: 4400, params: {} });
  return validations;
}

function describeHelp(field: TrytonField, locale: Locale): { help?: string } {
  const parts = [field.help ?? '', field.type === 'timedelta' ? texts[locale].seconds : ''];
  const help = parts.filter((part) => part !== '').join(' ');
  return help === '' ? {} : { help };
}

function describeDefault(field: TrytonField, facts: ModelFacts): { defaultValue?: Value } {
  const raw = facts.defaults[field.name];
  if (raw === undefined || raw === null || internalFields.has(field.name)) return {};
  if (listTypes.has(field.type) || momentTypes.has(field.type)) return {};
  return { defaultValue: decodeValue(field.type, raw) };
}

/** Columns of an owned list: what is stored in the line itself. */
function describeChildren(field: TrytonField, facts: ModelFacts): FieldDescriptor[] | undefined {
  const child = facts.children.get(field.name);
  if (child === undefined) return undefined;
  return [...child.fields.values()].flatMap((column) => {
    const isUsable = !isComputed(column) && !listTypes.has(column.type) && !internalFields.has(column.name);
    if (!isUsable || column.name === field.relation_field) return [];
    const lineFacts = { ...facts, ...child, children: new Map(), defaults: {}, viewFields: [] };
    const shown = new Set(child.fields.keys());
    const described = describeField(column, lineFacts, shown);
    const isId = column.name === 'id';
    return [{ ...described, kind: 'fieldInSimpleArray' as const, isHidden: isId, isKey: isId }];
  });
}
