import type { DataType, FieldDescriptor, Option, Validation } from '@sluice/contract';
import {
  common,
  communication,
  constantOf,
  core,
  erp,
  isTrue,
  itemsOf,
  memberOf,
  numberOf,
  pathOf,
  textOf,
  ui,
  validation,
  type Annotations,
} from './annotations.ts';
import type { EntitySet, Model, Property, StructuredType } from './csdl.ts';

const dataTypes: Record<string, DataType> = {
  'Edm.Boolean': 'bool',
  'Edm.Byte': 'uint',
  'Edm.SByte': 'int',
  'Edm.Int16': 'int',
  'Edm.Int32': 'int',
  'Edm.Int64': 'int',
  'Edm.Decimal': 'float64',
  'Edm.Double': 'float64',
  'Edm.Single': 'float64',
  'Edm.String': 'string',
  'Edm.Binary': 'string',
  'Edm.Guid': 'uuid',
  'Edm.DateTimeOffset': 'datetime',
  'Edm.Date': 'date',
  'Edm.TimeOfDay': 'time',
};

export function primitiveOf(model: Model, type: string): string {
  return model.definitions.get(type) ?? type;
}

function dataTypeOf(model: Model, property: Property): DataType {
  if (model.enums.has(property.type.name)) return 'string';
  const type = dataTypes[primitiveOf(model, property.type.name)] ?? 'unknown';
  if (type !== 'int') return type;
  if (isTrue(property.annotations, `${erp}.NoGrouping`)) return 'nonFormattableInt';
  return (numberOf(property.annotations, `${validation}.Minimum`) ?? -1) >= 0 ? 'uint' : 'int';
}

export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
}

export function labelOf(annotations: Annotations, name: string): string {
  const words = slugOf(name).replaceAll('-', ' ');
  return textOf(annotations, `${common}.Label`) ?? (words.charAt(0).toUpperCase() + words.slice(1) || name);
}

function optionsOf(model: Model, property: Property): Option[] | undefined {
  const members = model.enums.get(property.type.name)?.members;
  if (members)
    return members.map(({ name, annotations }) => ({
      value: name,
      description: textOf(annotations, `${core}.Description`) ?? labelOf(annotations, name),
    }));
  const allowed = itemsOf(property.annotations.get(`${validation}.AllowedValues`)).flatMap(
    (item): Option[] => {
      const value = constantOf(memberOf(item, 'Value'));
      if (value === null || item.kind !== 'record') return [];
      const description = textOf(item.annotations, `${core}.Description`);
      return [description === null ? { value } : { value, description }];
    },
  );
  return allowed.length > 0 ? allowed : undefined;
}

function formatOf(model: Model, { type, annotations }: Property): FieldDescriptor['format'] {
  if (primitiveOf(model, type.name) === 'Edm.Binary') return 'base64';
  if (isTrue(annotations, `${core}.IsURL`)) return 'url';
  if (isTrue(annotations, `${communication}.IsEmailAddress`)) return 'email';
  return isTrue(annotations, `${ui}.MultiLineText`) ? 'multiline' : null;
}

function rulesOf(model: Model, property: Property, prefix: string, dataType: DataType): Validation[] {
  const { annotations } = property;
  const rules: Validation[] = [];
  const add = (code: Validation['code'], params: Validation['params'] = {}): void => {
    rules.push({ code, params });
  };
  const ifTrue = pathOf(annotations.get(`${erp}.RequiredIfTrue`));
  if (ifTrue !== null) add(4002, { field: prefix + ifTrue });
  const ifEquals = annotations.get(`${erp}.RequiredIfEquals`);
  const equalsField = pathOf(memberOf(ifEquals, 'Property'));
  if (equalsField !== null)
    add(4003, { field: prefix + equalsField, value: constantOf(memberOf(ifEquals, 'Value')) });
  const isBinary = primitiveOf(model, property.type.name) === 'Edm.Binary';
  const minLength = numberOf(annotations, `${erp}.MinLength`);
  if (minLength !== null) add(4101, { min: minLength });
  if (property.maxLength !== null && dataType === 'string' && !isBinary)
    add(4102, { max: property.maxLength });
  if (isTrue(annotations, `${core}.IsURL`)) add(4105);
  const maximum = numberOf(annotations, `${validation}.Maximum`);
  if (maximum !== null) add(4200, { max: maximum });
  const minimum = numberOf(annotations, `${validation}.Minimum`);
  if (minimum !== null && (minimum !== 0 || dataType !== 'uint')) add(4201, { min: minimum });
  const earliest = textOf(annotations, `${erp}.Earliest`);
  if (earliest !== null) add(4300, { min: earliest.slice(0, 5) });
  const notBefore = pathOf(annotations.get(`${erp}.NotBefore`));
  if (notBefore !== null) add(4301, { field: prefix + notBefore });
  if (optionsOf(model, property)) add(4400);
  for (const one of itemsOf(annotations.get(`${erp}.AllowedValuesIf`))) {
    const field = pathOf(memberOf(one, 'Property'));
    const options = itemsOf(memberOf(one, 'AllowedValues')).map(constantOf);
    if (field !== null)
      add(4401, { field: prefix + field, value: constantOf(memberOf(one, 'Value')), options });
  }
  return rules;
}

function defaultOf(property: Property, dataType: DataType): FieldDescriptor['defaultValue'] {
  const text = property.defaultValue;
  if (text === null || text === 'null') return undefined;
  if (dataType === 'bool') return text === 'true';
  if (['int', 'uint', 'nonFormattableInt', 'float64'].includes(dataType))
    return Number.isFinite(Number(text)) ? Number(text) : undefined;
  return text;
}

/** What the fields of one type need to know of their surroundings. */
export interface Surroundings {
  model: Model;
  set: EntitySet;
  type: StructuredType;
  /** Path of the object that holds the fields: `address.`; empty at the top and inside an array. */
  prefix: string;
  /** `fieldInSimpleArray` for the columns of a list of flat objects. */
  scalarKind: 'field' | 'fieldInSimpleArray';
  isInArray: boolean;
}

function referenceOf({ model, set, type }: Surroundings, name: string): FieldDescriptor['reference'] {
  const navigation = type.navigation.find(
    (n) => n.constraints.length === 1 && n.constraints[0]?.property === name,
  );
  const constraint = navigation?.constraints[0];
  if (!navigation || !constraint) return undefined;
  const target =
    set.bindings.get(navigation.name) ??
    set.bindings.get(`${type.name}/${navigation.name}`) ??
    model.sets.find((s) => s.entityType === navigation.type.name)?.name;
  const targetType = model.types.get(navigation.type.name);
  if (target === undefined || !targetType) return undefined;
  const label = labelFieldOf(targetType);
  return {
    resourceTypeUriId: slugOf(target),
    valueField: constraint.referenced,
    ...(label === null ? {} : { labelField: label }),
  };
}

/** The property that names a record to a person: `Common.Text` of its key, else one that is called so. */
export function labelFieldOf(type: StructuredType): string | null {
  for (const key of type.key) {
    const property = type.properties.find((p) => p.name === key);
    const path = property && pathOf(property.annotations.get(`${common}.Text`));
    if (path && type.properties.some((p) => p.name === path)) return path;
  }
  const named = /^(display_?name|name|title|description)$/i;
  return type.properties.find((p) => named.test(p.name) && !p.type.isCollection)?.name ?? null;
}

/** Descriptors of the properties of a type, objects within objects included. */
export function describeFields(at: Surroundings): FieldDescriptor[] {
  return at.type.properties.map((property) => describeField(at, property));
}

function describeField(at: Surroundings, property: Property): FieldDescriptor {
  const { model, prefix, type } = at;
  const { annotations } = property;
  const isComputed = isTrue(annotations, `${core}.Computed`) || permissionOf(annotations) === 'Read';
  const isKey = !at.isInArray && prefix === '' && type.key.includes(property.name);
  const hasServerDefault = isTrue(annotations, `${core}.ComputedDefaultValue`) || (isKey && isComputed);
  const isRequired =
    isTrue(annotations, `${validation}.Required`) ||
    (property.type.isCollection
      ? (numberOf(annotations, `${validation}.MinItems`) ?? 0) > 0
      : !property.isNullable && !model.types.has(property.type.name));
  const help = textOf(annotations, `${core}.LongDescription`) ?? textOf(annotations, `${core}.Description`);
  const base: FieldDescriptor = {
    id: prefix + property.name,
    name: labelOf(annotations, property.name),
    kind: 'field',
    isKey,
    isMandatory: isRequired && !isComputed && !hasServerDefault,
    isReadOnly: isComputed,
    isReadOnlyOnUpdate: isKey || isTrue(annotations, `${core}.Immutable`),
    isHidden: isTrue(annotations, `${ui}.Hidden`),
    validations: [],
    ...(help === null ? {} : { help }),
    ...(hasServerDefault ? { hasServerDefault } : {}),
  };
  const complex = model.types.get(property.type.name);
  if (complex) return describeComplex(at, property, complex, base);
  const dataType = dataTypeOf(model, property);
  const options = optionsOf(model, property);
  const defaultValue = defaultOf(property, dataType);
  const reference = referenceOf(at, property.name);
  return {
    ...base,
    kind: property.type.isCollection ? 'primitiveValuesArray' : at.scalarKind,
    dataType,
    format: formatOf(model, property),
    isReadOnly: base.isReadOnly || dataType === 'unknown',
    isMandatory: base.isMandatory && dataType !== 'unknown',
    validations: rulesOf(model, property, prefix, dataType),
    ...(options ? { options } : {}),
    ...(property.scale === null || dataType !== 'float64' ? {} : { scale: property.scale }),
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(reference ? { reference } : {}),
  };
}

function describeComplex(
  at: Surroundings,
  property: Property,
  type: StructuredType,
  base: FieldDescriptor,
): FieldDescriptor {
  const { model } = at;
  if (!property.type.isCollection) {
    const prefix = `${base.id}.`;
    return { ...base, kind: 'nestedElements', children: describeFields({ ...at, type, prefix }) };
  }
  const isFlat = type.properties.every((p) => !p.type.isCollection && !model.types.has(p.type.name));
  const scalarKind = isFlat ? 'fieldInSimpleArray' : 'field';
  const children = describeFields({ ...at, type, prefix: '', isInArray: true, scalarKind });
  if (isFlat) return { ...base, kind: 'simpleArray', children };
  const element: FieldDescriptor = {
    id: '[]',
    name: base.name,
    kind: 'complexArrayElement',
    isKey: false,
    isMandatory: false,
    isReadOnly: base.isReadOnly,
    isReadOnlyOnUpdate: false,
    isHidden: false,
    validations: [],
    children,
  };
  return { ...base, kind: 'complexArray', children: [element] };
}

function permissionOf(annotations: Annotations): string | null {
  const text = textOf(annotations, `${core}.Permissions`);
  return text === null ? null : (text.split('/').at(-1) ?? null);
}
