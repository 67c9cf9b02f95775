import { z } from 'zod';

/** The two interface languages of the specification. */
export const localeSchema = z.enum(['EN', 'NL']);
export type Locale = z.infer<typeof localeSchema>;

/** Field data types as the specification lists them. */
export const dataTypeSchema = z.enum([
  'bool',
  'int',
  'nonFormattableInt',
  'uint',
  'float64',
  'string',
  'uuid',
  'unknown',
  'datetime',
  'date',
  'time',
]);
export type DataType = z.infer<typeof dataTypeSchema>;

export const fieldKindSchema = z.enum([
  'field',
  'nestedElements',
  'simpleArray',
  'complexArray',
  'complexArrayElement',
  'primitiveValuesArray',
  'fieldInSimpleArray',
]);
export type FieldKind = z.infer<typeof fieldKindSchema>;

/**
 * A scalar as it crosses the wire. Per data type:
 * bool: boolean; int, uint, nonFormattableInt, float64: number (a float64 of a field with `scale` may be a
 * decimal string when more than 15 significant digits would be lost); date `YYYY-MM-DD`;
 * datetime ISO 8601 UTC with `Z`; time `HH:mm[:ss[.ffffff]]`; uuid lower case; null = empty.
 */
export type Scalar = string | number | boolean | null;
export const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A cell's value: a scalar, or JSON for the array kinds. */
export type Value = Scalar | Value[] | { [key: string]: Value };

export const valueSchema: z.ZodType<Value> = z.json() as z.ZodType<Value>;

/** A record as an object: `internalId` and its values, nested objects as objects. */
export const resourceSchema = z.looseObject({ internalId: z.string() });

export const optionSchema = z.object({
  value: z.union([z.string(), z.number(), z.boolean()]),
  description: z.string().optional(),
});
export type Option = z.infer<typeof optionSchema>;

/**
 * A condition over the fields of one record. `unknown` is what a rule of the external system becomes that
 * cannot be decided here: it never blocks a user, the external system has the last word.
 */
export type Condition =
  | boolean
  | 'unknown'
  | { op: 'and' | 'or'; of: Condition[] }
  | { op: 'not'; of: Condition }
  | { op: 'equals' | 'notEquals' | 'greaterThan' | 'lessThan'; field: string; value: Scalar }
  | { op: 'in'; field: string; values: Scalar[] }
  | { op: 'isTrue' | 'isEmpty'; field: string };

export const conditionSchema: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.boolean(),
    z.literal('unknown'),
    z.object({ op: z.enum(['and', 'or']), of: z.array(conditionSchema) }),
    z.object({ op: z.literal('not'), of: conditionSchema }),
    z.object({
      op: z.enum(['equals', 'notEquals', 'greaterThan', 'lessThan']),
      field: z.string(),
      value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    }),
    z.object({
      op: z.literal('in'),
      field: z.string(),
      values: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])),
    }),
    z.object({ op: z.enum(['isTrue', 'isEmpty']), field: z.string() }),
  ]),
);

/** Validation codes of the specification, section 5. */
export const validationCodes = [
  4001, 4002, 4003, 4101, 4102, 4105, 4200, 4201, 4300, 4301, 4400, 4401, 4900,
] as const;
export const validationCodeSchema = z.union(validationCodes.map((code) => z.literal(code)));
export type ValidationCode = (typeof validationCodes)[number];

/**
 * One rule of a field. `params` per code: 4002 {field}; 4003 {field, value}; 4101 {min}; 4102 {max};
 * 4200 {max}; 4201 {min}; 4300 {min: 'HH:mm'}; 4301 {field}; 4401 {field, value, options: Scalar[]};
 * 4900 {fields: string[]}; none for 4001, 4105 and 4400 (whose options are the field's own).
 */
export const validationSchema = z.object({
  code: validationCodeSchema,
  params: z.record(z.string(), valueSchema).default({}),
});
export type Validation = z.infer<typeof validationSchema>;

/** Describes one field of a collection (decisions Q-GEN-03; what is additional is said at each key). */
export interface FieldDescriptor {
  /** Path with dots; unique in its collection (`address.city`). In arrays relative to the element. */
  id: string;
  name: string;
  kind: FieldKind;
  dataType?: DataType | undefined;
  format?: 'base64' | 'url' | 'email' | 'multiline' | null | undefined;
  isKey: boolean;
  isMandatory: boolean;
  isReadOnly: boolean;
  isReadOnlyOnUpdate: boolean;
  isHidden: boolean;
  options?: Option[] | undefined;
  validations: Validation[];
  showIf?: { field: string; equals: Scalar } | undefined;
  children?: FieldDescriptor[] | undefined;
  /** Additional: decimals after the point of a float64 that is a decimal number (money). */
  scale?: number | undefined;
  /** Additional: help text of the external system. */
  help?: string | undefined;
  /** Additional: the value is the key of a record of another collection of the same system. */
  reference?: { resourceTypeUriId: string; valueField: string; labelField?: string | undefined } | undefined;
  /** Additional: the external system fills it when it is left empty; never block a new record for it. */
  hasServerDefault?: boolean | undefined;
  /** Additional: value of a new record. */
  defaultValue?: Value | undefined;
  /** Additional: rules that depend on other fields of the record. */
  mandatoryIf?: Condition | undefined;
  readOnlyIf?: Condition | undefined;
}

export const fieldDescriptorSchema: z.ZodType<FieldDescriptor> = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    kind: fieldKindSchema,
    dataType: dataTypeSchema.optional(),
    format: z.enum(['base64', 'url', 'email', 'multiline']).nullish(),
    isKey: z.boolean(),
    isMandatory: z.boolean(),
    isReadOnly: z.boolean(),
    isReadOnlyOnUpdate: z.boolean(),
    isHidden: z.boolean(),
    options: z.array(optionSchema).optional(),
    validations: z.array(validationSchema),
    showIf: z
      .object({ field: z.string(), equals: z.union([z.string(), z.number(), z.boolean(), z.null()]) })
      .optional(),
    children: z.array(fieldDescriptorSchema).optional(),
    scale: z.number().int().optional(),
    help: z.string().optional(),
    reference: z
      .object({ resourceTypeUriId: z.string(), valueField: z.string(), labelField: z.string().optional() })
      .optional(),
    hasServerDefault: z.boolean().optional(),
    defaultValue: valueSchema.optional(),
    mandatoryIf: conditionSchema.optional(),
    readOnlyIf: conditionSchema.optional(),
  }),
);
