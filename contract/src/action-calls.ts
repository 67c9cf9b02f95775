import { z } from 'zod';
import { actionStatusSchema, connectorSchema, copyReplySchema } from './connector-calls.ts';
import { actionParams, connectorParams, nameSchema } from './connector-parts.ts';
import {
  macroDescriptorSchema,
  mappingGroups,
  mappingsSchema,
  sourceUpdateConfigsSchema,
  testRunQuerySchema,
  testRunResultSchema,
  transformFnDescriptorSchema,
  triggerOperatorDescriptorSchema,
  triggerSchema,
  wiringEndSchema,
  wiringSchema,
  scheduleSchema,
} from './connectors.ts';
import { endpoint } from './endpoint.ts';
import { fieldDescriptorSchema, localeSchema, scalarSchema, valueSchema } from './fields.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';
import { runFactsSchema } from './run-facts.ts';
import { pageQuerySchema, paged } from './systems.ts';

export const getNextTimes = endpoint({
  route: paths.getNextTimes,
  summary: 'The next three times of a cron expression; VALIDATION with the reason where it is none',
  access: 'user',
  query: z.object({ expression: z.string().min(1).max(200) }),
  reply: z.object({ times: z.array(z.string()) }),
});

const actionSummary = {
  internalId: z.uuid(),
  name: z.string(),
  isActive: z.boolean(),
  isCopyAllowed: z.boolean(),
  wiring: wiringSchema,
  schedule: scheduleSchema,
  status: actionStatusSchema,
  statusMessage: z.string().nullable(),
  lastRunAt: z.string().nullable(),
  nextRunAt: z.string().nullable(),
  /** A run of it that is queued or under way. */
  activeRunId: z.uuid().nullable(),
  /** Source records that are linked to target records. */
  linkedCount: z.number().int(),
  revision: z.number().int(),
};

export const actionSummarySchema = z.object({
  ...actionSummary,
  mappingCount: z.number().int(),
  triggerCount: z.number().int(),
  sourceUpdateCount: z.number().int(),
});
export type ActionSummary = z.infer<typeof actionSummarySchema>;

export const actionSchema = z.object({
  ...actionSummary,
  mappings: mappingsSchema,
  triggers: z.array(triggerSchema),
  sourceUpdateConfigs: sourceUpdateConfigsSchema,
  /** Counts up with every change of wiring, mappings, triggers or source updates. */
  version: z.number().int(),
});
export type Action = z.infer<typeof actionSchema>;

/** A collection that can be wired; `id` is the option id of wirings and mapping sources. */
export const wiringOptionSchema = wiringEndSchema
  .omit({ optionId: true })
  .extend({ id: z.string(), name: z.string() });
export type WiringOption = z.infer<typeof wiringOptionSchema>;

export const fieldPathSchema = fieldDescriptorSchema.and(
  z.object({ path: z.string(), group: z.enum(mappingGroups) }),
);
export type FieldPath = z.infer<typeof fieldPathSchema>;

/** The fields of one wired collection; `problem` says why they cannot be read (then there are none). */
const endMetadata = z.object({
  option: wiringOptionSchema,
  fields: z.array(fieldPathSchema),
  keyFields: z.array(z.string()),
  labelField: z.string().nullable(),
  problem: z.string().nullable(),
  /** Source updates can write to it. */
  isWritable: z.boolean(),
});
export type EndMetadata = z.infer<typeof endMetadata>;

export const actionMetadataSchema = z.object({
  target: endMetadata.nullable(),
  sources: z.array(endMetadata),
  macros: z.array(macroDescriptorSchema),
  transformFns: z.array(transformFnDescriptorSchema),
  triggerConditionOperators: z.array(triggerOperatorDescriptorSchema),
});
export type ActionMetadata = z.infer<typeof actionMetadataSchema>;

export const getActions = endpoint({
  route: paths.getActions,
  summary: 'Actions of a connector; `limit=-1` all',
  access: 'user',
  params: connectorParams,
  query: pageQuerySchema,
  reply: paged(actionSummarySchema),
});

export const getAction = endpoint({
  route: paths.getAction,
  summary: 'One action with everything that its editor needs; 404 `action not found`',
  access: 'user',
  params: actionParams,
  reply: z.object({ resource: actionSchema, metadata: actionMetadataSchema }),
});

export const createAction = endpoint({
  route: paths.createAction,
  summary: 'New action; exactly one target and at least one source',
  access: 'user',
  params: connectorParams,
  body: z
    .object({
      name: nameSchema,
      isActive: z.boolean().default(false),
      isCopyAllowed: z.boolean().default(true),
      wiring: wiringSchema,
      schedule: scheduleSchema.default({ kind: 'afterRefresh' }),
    })
    .strict(),
  reply: z.object({ internalId: z.uuid() }),
});

export const copyActions = endpoint({
  route: paths.copyActions,
  summary:
    'Copies of actions of this or another connector; those that do not allow it or do not fit are named',
  access: 'user',
  params: connectorParams,
  body: z.object({ connectorId: z.uuid(), actionIds: z.array(z.uuid()).min(1).max(1000) }).strict(),
  reply: copyReplySchema,
  isOnce: true,
});

export const updateAction = endpoint({
  route: paths.updateAction,
  summary:
    'Change an action: whole sub-objects are replaced. Another target clears the mappings after the same confirmation',
  access: 'user',
  params: actionParams,
  body: z
    .object({
      changes: z
        .object({
          name: nameSchema,
          isActive: z.boolean(),
          isCopyAllowed: z.boolean(),
          wiring: wiringSchema,
          schedule: scheduleSchema,
          mappings: mappingsSchema,
          triggers: z.array(triggerSchema).max(100),
          sourceUpdateConfigs: sourceUpdateConfigsSchema,
        })
        .partial()
        .strict(),
      revision: z.number().int(),
      confirmDiscardActions: z.boolean().default(false),
    })
    .strict(),
  reply: z.object({ resource: actionSchema }),
  errors: ['REVISION_CONFLICT', 'ACTIONS_WOULD_BE_DISCARDED'],
});

export const deleteAction = endpoint({
  route: paths.deleteAction,
  summary: 'Remove an action; 409 while it runs unless `cancelRuns`',
  access: 'user',
  params: actionParams,
  query: z.object({ cancelRuns: z.stringbool().optional() }),
  errors: ['IN_USE'],
});

export const getActionOptions = endpoint({
  route: paths.getActionOptions,
  summary: 'Collections that actions of the connector can be wired to',
  access: 'user',
  params: connectorParams,
  reply: z.object({
    connector: connectorSchema,
    targetOptions: z.array(wiringOptionSchema),
    sourceOptions: z.array(wiringOptionSchema),
    defaultTargetOptionId: z.string().nullable(),
    defaultSourceOptionId: z.string().nullable(),
  }),
});

export const getFieldPaths = endpoint({
  route: paths.getFieldPaths,
  summary: 'Fields of one option; `end` where both ends have an option of that id',
  access: 'user',
  params: connectorParams,
  query: z.object({ id: z.string(), end: z.enum(['source', 'target']).optional() }),
  reply: z.object({ fieldPaths: z.array(fieldPathSchema) }),
});

/** Source records to look at while mapping: what the live preview computes over, in the browser. */
export const getSamples = endpoint({
  route: paths.getSamples,
  summary: 'Source records of a wired source with the target records that they are linked to',
  access: 'user',
  params: actionParams,
  query: z.object({ source: z.string(), limit: z.coerce.number().int().min(1).max(1000).default(100) }),
  reply: z.object({
    keys: z.array(z.string()),
    records: z.array(z.record(z.string(), valueSchema)),
    /** Current values of the linked target record; null = not linked. */
    targets: z.array(z.record(z.string(), valueSchema).nullable()),
    targetKeys: z.array(z.string().nullable()),
    /** Of a test run: what the macros say. */
    facts: runFactsSchema,
  }),
});

/** What a lookup function asks, for the preview. */
export const previewLookup = endpoint({
  route: paths.previewLookup,
  summary: 'Values of a field for keys of another, in a collection of the target or the source system',
  access: 'user',
  params: actionParams,
  body: z
    .object({
      system: z.enum(['target', 'source']),
      collection: z.string().max(500),
      keyField: z.string().max(500),
      returnField: z.string().max(500).nullable(),
      keys: z.array(scalarSchema).max(5000),
    })
    .strict(),
  reply: z.object({
    /** Name of the collection that was asked. */
    title: z.record(localeSchema, z.string()),
    values: z.array(z.array(valueSchema)),
  }),
});

export const testRun = endpoint({
  route: paths.testRun,
  summary: 'What a run would do with some records, with the mappings as sent; writes nothing anywhere',
  access: 'user',
  params: actionParams,
  body: z
    .object({
      mappings: mappingsSchema,
      trigger: triggerSchema.nullable().default(null),
      query: testRunQuerySchema,
    })
    .strict(),
  reply: testRunResultSchema,
  errors: ['EXTERNAL_SYSTEM', 'NOTHING_CACHED_YET'],
});

/** An older state of an action. */
export const actionVersionSchema = z.object({
  version: z.number().int(),
  at: z.string(),
  author: authorSchema,
  wiring: wiringSchema,
  mappings: mappingsSchema,
  triggers: z.array(triggerSchema),
  sourceUpdateConfigs: sourceUpdateConfigsSchema,
});
export type ActionVersion = z.infer<typeof actionVersionSchema>;

export const getVersions = endpoint({
  route: paths.getVersions,
  summary: 'Versions of an action, newest first; restoring one is an update with its content',
  access: 'user',
  params: actionParams,
  query: pageQuerySchema,
  reply: paged(actionVersionSchema),
});
