import { z } from 'zod';
import { dataTypeSchema, resourceSchema, scalarSchema, valueSchema, type Scalar } from './fields.ts';

/** Bounds of one action; what is beyond them is refused as malformed. */
export const connectorLimits = {
  mappings: 2000,
  mergeSources: 50,
  transformFns: 50,
  translationRows: 10_000,
  conditions: 50,
  conditionValues: 10_000,
} as const;

/**
 * Where a value comes from (decisions Q-MAP-03). `field` of sourceValue is a path in the source record, of targetValue
 * in the target record; of a macro the field that it is about (`targetValue`), absent otherwise.
 * An empty `field` or `macroId` is an unfinished mapping: it is stored nowhere, `checkMappings` names it.
 */
export const simpleSourceSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sourceValue'), field: z.string().max(500) }),
  z.object({ type: z.literal('targetValue'), field: z.string().max(500) }),
  z.object({ type: z.literal('customValue'), value: valueSchema }),
  z.object({ type: z.literal('macro'), macroId: z.string().max(100), field: z.string().max(500).nullish() }),
  z.object({ type: z.literal('responseErrorMessage') }),
]);
export type SimpleSource = z.infer<typeof simpleSourceSchema>;

/**
 * An argument of a function: a constant, the value of another field of the same record, or a list of arguments. Which
 * of them a parameter takes is said by its descriptor.
 */
export type TransformArg = Scalar | { source: SimpleSource } | TransformArg[];
export const transformArgSchema: z.ZodType<TransformArg> = z.lazy(() =>
  z.union([scalarSchema, z.object({ source: simpleSourceSchema }), z.array(transformArgSchema).max(1000)]),
);

export const notFoundBehaviours = ['error', 'default', 'passthrough'] as const;

/** Decisions Q-TRANS-01: exact and case-sensitive on the value converted to `inputType`; empty counts as not found. */
export const translationTableSchema = z.object({
  inputType: dataTypeSchema,
  returnType: dataTypeSchema,
  rows: z.array(z.object({ key: scalarSchema, value: scalarSchema })).max(connectorLimits.translationRows),
  defaultValue: scalarSchema.default(null),
  notFound: z.enum(notFoundBehaviours),
});
export type TranslationTable = z.infer<typeof translationTableSchema>;

export const transformFnSchema = z.object({
  fnId: z.string().max(100),
  args: z.record(z.string(), transformArgSchema).default({}),
  translationTable: translationTableSchema.optional(),
});
export type TransformFn = z.infer<typeof transformFnSchema>;

/** A part of a merge. It is one of the simple sources: merges never nest, so that they cannot go round in circles. */
export const mergeSourceSchema = z.object({
  source: simpleSourceSchema,
  transformFns: z.array(transformFnSchema).max(connectorLimits.transformFns).default([]),
});
export type MergeSource = z.infer<typeof mergeSourceSchema>;

/** `mergeString`: `{1}` to `{n}` are the merge sources by position, `{{` and `}}` braces (decisions Q-MAP-04). */
export const multipleSourceSchema = z.object({
  type: z.literal('multiple'),
  mergeString: z.string().max(10_000),
  mergeSources: z.array(mergeSourceSchema).max(connectorLimits.mergeSources),
});
export type MultipleSource = z.infer<typeof multipleSourceSchema>;

export const sourceSchema = z.discriminatedUnion('type', [
  ...simpleSourceSchema.options,
  multipleSourceSchema,
]);
export type Source = z.infer<typeof sourceSchema>;

/** One entry per wired source collection (decisions Q-MAP-02). */
export const mappingSourceSchema = z.object({
  sourceOptionId: z.string().max(500),
  source: sourceSchema,
  transformFns: z.array(transformFnSchema).max(connectorLimits.transformFns).default([]),
});
export type MappingSource = z.infer<typeof mappingSourceSchema>;

export const mappingGroups = ['mandatory', 'optional', 'hidden'] as const;

/** How one target field gets its value (decisions Q-MAP-01). `defaultValue` null = none. */
export const mappingSchema = z.object({
  targetField: z.string().max(500),
  group: z.enum(mappingGroups).default('optional'),
  isUnique: z.boolean().default(false),
  ignoreOnLaterRuns: z.boolean().default(false),
  defaultValue: valueSchema.default(null),
  mappingSources: z.array(mappingSourceSchema).max(connectorLimits.mappings),
});
export type Mapping = z.infer<typeof mappingSchema>;
export const mappingsSchema = z.array(mappingSchema).max(connectorLimits.mappings);

/** Operators of trigger conditions (TRIG-02); `in` with a single value is equality. */
export const triggerOperators = [
  'in',
  'notIn',
  'contains',
  'doesNotContain',
  'beginsWith',
  'endsWith',
] as const;
export type TriggerOperator = (typeof triggerOperators)[number];

/** `operator` is any text: one that no longer exists is named by the check, not lost by the parser. */
export const triggerConditionSchema = z.object({
  field: z.string().max(500),
  operator: z.string().max(100),
  comparison: z.enum(['singleValue', 'multipleValues']),
  value: scalarSchema.default(null),
  values: z.array(scalarSchema).max(connectorLimits.conditionValues).default([]),
});
export type TriggerCondition = z.infer<typeof triggerConditionSchema>;

export const recordSelections = ['new', 'existing', 'newAndExisting', 'deleted', 'all'] as const;
export type RecordSelection = (typeof recordSelections)[number];

/** Decisions Q-TRIG-01: conditions are ANDed, the triggers of an action ORed. */
export const triggerSchema = z.object({
  internalId: z.string().max(100),
  name: z.string().max(200),
  sourceRecordSelection: z.enum(recordSelections),
  conditions: z.array(triggerConditionSchema).max(connectorLimits.conditions),
});
export type Trigger = z.infer<typeof triggerSchema>;

const outcomeMappingsSchema = z.object({
  success: mappingsSchema.default([]),
  failure: mappingsSchema.default([]),
});

/** Decisions Q-SUC-01: what is written back to the source record, whose fields are the target fields here. */
export const sourceUpdateConfigsSchema = z.object({
  onPost: outcomeMappingsSchema.default({ success: [], failure: [] }),
  onPatch: outcomeMappingsSchema.default({ success: [], failure: [] }),
  onDelete: outcomeMappingsSchema.default({ success: [], failure: [] }),
});
export type SourceUpdateConfigs = z.infer<typeof sourceUpdateConfigsSchema>;

export const wiringEndSchema = z.object({
  optionId: z.string().max(500),
  path: z.string().max(1000),
  resourceTypeUriId: z.string().max(200),
});
export type WiringEnd = z.infer<typeof wiringEndSchema>;

/** Decisions Q-ACT-01. One target and at least one source are demanded by `checkWiring`, with the texts of ACT-03/04. */
export const wiringSchema = z.object({
  targets: z.array(wiringEndSchema).max(100),
  sources: z.array(wiringEndSchema).max(100),
});
export type Wiring = z.infer<typeof wiringSchema>;

/** The type of a value between two steps: a data type, a list of it (`string[]`), or one that is not known. */
export const valueTypes = [
  ...dataTypeSchema.options,
  'any',
  ...dataTypeSchema.options.map((type) => `${type}[]` as const),
  'any[]',
] as const;
export type ValueType = (typeof valueTypes)[number];
/**
 * What a function gives back: a type, or one that follows from its use: `input` the type that came in, `item` that of
 * one item of the list that came in, `list` a list of what came in, `table` the return type of its translation table.
 */
export const returnTypes = [...valueTypes, 'input', 'item', 'list', 'table'] as const;
export type ReturnType = (typeof returnTypes)[number];

export const fnGroups = ['text', 'number', 'date', 'logic', 'list', 'encoding', 'lookup'] as const;
export type FnGroup = (typeof fnGroups)[number];

/** One parameter of a function. */
export const fnParamSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  dataType: z.enum(valueTypes),
  isMandatory: z.boolean(),
  defaultValue: z.union([scalarSchema, z.array(scalarSchema)]),
  options: z.array(z.object({ value: scalarSchema, description: z.string() })).nullable(),
  /** The argument may be the value of another field of the record, not only a constant. */
  canBeField: z.boolean(),
  /** The argument is a list of values; with `pairs` a list of `[case, value]`. */
  list: z.enum(['values', 'pairs']).nullable(),
  /** The argument is the id of a collection of that system, or of a field of the collection chosen before it. */
  picks: z.object({ what: z.enum(['collection', 'field']), system: z.enum(['target', 'source']) }).nullable(),
});
export type FnParam = z.infer<typeof fnParamSchema>;

/** A function as the metadata of an action lists it (decisions Q-XFORM-01), in the user's language. */
export const transformFnDescriptorSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  group: z.enum(fnGroups),
  groupName: z.string(),
  inputTypes: z.array(z.enum(valueTypes)),
  returnType: z.enum(returnTypes),
  params: z.array(fnParamSchema),
  /** The step carries a translation table. */
  hasTranslationTable: z.boolean(),
  examples: z.array(
    z.object({ input: valueSchema, args: z.record(z.string(), transformArgSchema), output: valueSchema }),
  ),
});
export type TransformFnDescriptor = z.infer<typeof transformFnDescriptorSchema>;

/** A macro (decisions Q-MACRO-01). */
export const macroDescriptorSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  returnType: z.enum(valueTypes),
  /** The macro is about a field of the target, which the source names. */
  needsField: z.boolean(),
  /** Offered only in source updates, after the outcome of a push. */
  isForSourceUpdates: z.boolean(),
});
export type MacroDescriptor = z.infer<typeof macroDescriptorSchema>;

export const triggerOperatorDescriptorSchema = z.object({
  id: z.enum(triggerOperators),
  name: z.string(),
  /** A negative operator holds for an empty field, and for several values only where none of them matches. */
  isNegative: z.boolean(),
});
export type TriggerOperatorDescriptor = z.infer<typeof triggerOperatorDescriptorSchema>;

/** Something wrong with a mapping at design time; an error prevents saving, a warning does not. */
export const mappingProblemSchema = z.object({
  /** `mappings[3].mappingSources[0].transformFns[1]` */
  path: z.string(),
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  params: z.record(z.string(), valueSchema),
  message: z.string(),
});
export type MappingProblemBody = z.infer<typeof mappingProblemSchema>;

/** Why a value failed in one record: the step, what came in, and the text in the user's language. */
export const valueErrorSchema = z.object({
  code: z.string(),
  params: z.record(z.string(), valueSchema),
  message: z.string(),
  /** Path of the step or of the mapping source at fault, as in `MappingProblemBody`. */
  path: z.string(),
  /** Index in the chain; null where it is no function that failed. */
  fnIndex: z.number().int().nullable(),
  input: valueSchema,
});
export type ValueErrorBody = z.infer<typeof valueErrorSchema>;

/**
 * The value after one step. `fnId` is the function, or `source` (where the chain begins), `merge`, `default` and
 * `convert` (to the data type of the target field). `path` says of which chain it is.
 */
export const traceStepSchema = z.object({ fnId: z.string(), path: z.string(), value: valueSchema });
export type TraceStep = z.infer<typeof traceStepSchema>;

export const fieldResultSchema = z.object({
  targetField: z.string(),
  value: valueSchema,
  /** Of the target as it is now; null where there is none. */
  oldValue: valueSchema,
  /** The field is left as it is: skipIf, or ignored on later runs. */
  isLeft: z.boolean(),
  steps: z.array(traceStepSchema),
  error: valueErrorSchema.nullable(),
});
export type FieldResult = z.infer<typeof fieldResultSchema>;

export const testRunRecordSchema = z.object({
  sourceRecord: resourceSchema,
  isTriggered: z.boolean(),
  conditionResults: z.array(z.boolean()),
  action: z.enum(['add', 'update', 'delete', 'none']),
  matchedTargetId: z.string().nullable(),
  targetRecord: resourceSchema.nullable(),
  fieldResults: z.array(fieldResultSchema),
  warnings: z.array(z.string()),
});

/** Answer of a test run (decisions Q-API-34). */
export const testRunResultSchema = z.object({
  total: z.number().int(),
  results: z.array(testRunRecordSchema),
});
export type TestRunResult = z.infer<typeof testRunResultSchema>;

/** Decisions Q-RUN-01: an equality filter on one field, and a page. */
export const testRunQuerySchema = z.object({
  source: z.string().max(500),
  field: z.string().max(500).nullish(),
  value: scalarSchema.nullish(),
  limit: z.number().int().min(1).max(100).default(10),
  offset: z.number().int().min(0).default(0),
  orderBy: z.string().max(500).nullish(),
  sortOrder: z.enum(['ascending', 'descending']).default('ascending'),
});
export type TestRunQuery = z.infer<typeof testRunQuerySchema>;

/** The part of the sources that a run takes; what is absent does not narrow it (no defaults: they would). */
export const runQuerySchema = z
  .object({
    source: z.string().max(500),
    field: z.string().max(500).nullable(),
    value: scalarSchema,
    limit: z.number().int().min(1),
    offset: z.number().int().min(0),
    orderBy: z.string().max(500).nullable(),
    sortOrder: z.enum(['ascending', 'descending']),
  })
  .partial();

/** When an active action runs by itself (decisions Q-CONN-03); cron in the organisation's time zone. */
export const scheduleSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('afterRefresh') }).strict(),
  z.object({ kind: z.literal('interval'), minutes: z.number().int().min(1).max(44_640) }).strict(),
  z.object({ kind: z.literal('cron'), expression: z.string().min(1).max(200) }).strict(),
  z.object({ kind: z.literal('never') }).strict(),
]);
export type Schedule = z.infer<typeof scheduleSchema>;
