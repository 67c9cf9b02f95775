import { z } from 'zod';
import {
  macroDescriptorSchema,
  mappingGroups,
  mappingsSchema,
  sourceUpdateConfigsSchema,
  runQuerySchema,
  testRunQuerySchema,
  testRunResultSchema,
  transformFnDescriptorSchema,
  triggerOperatorDescriptorSchema,
  triggerSchema,
  valueErrorSchema,
  wiringEndSchema,
  wiringSchema,
} from './connectors.ts';
import { endpoint } from './endpoint.ts';
import { fieldDescriptorSchema, resourceSchema, scalarSchema, valueSchema } from './fields.ts';
import { jobSchema, jobStatusSchema } from './jobs.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';
import { crudSchema } from './sessions.ts';
import { externalSystemSchema, paged, pageQuerySchema } from './systems.ts';

// Connectors ------------------------------------------------------------------------------------------------------

/** Statuses of actions and connectors (CONN-09; conditions: decisions Q-ST-02, Q-ST-03). */
export const actionStatuses = [
  'ACTIVE',
  'INACTIVE',
  'NEVER_SYNCED',
  'MAPPINGS_NOT_SET_UP',
  'ERROR_SYNC_FAILED',
  'ERROR_AUTH_FAILED',
  'ERROR_OTHER',
] as const;
export const actionStatusSchema = z.enum(actionStatuses);
export type ActionStatus = z.infer<typeof actionStatusSchema>;

/** A system and the options chosen on its levels, outermost first: domain id, then `{domainId}.{companyId}`. */
export const systemEndSchema = z
  .object({ id: z.string(), levelIds: z.array(z.string()).min(1).max(10) })
  .strict();
export type SystemEnd = z.infer<typeof systemEndSchema>;

/** Whom to tell when a run fails, is stuck, or did not happen. Nobody is told by an empty list. */
export const alertsSchema = z
  .object({
    emails: z.array(z.email()).max(20).default([]),
    webhookUrl: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null),
  })
  .strict();
export type Alerts = z.infer<typeof alertsSchema>;

export const connectorSchema = z.object({
  internalId: z.uuid(),
  name: z.string(),
  description: z.string(),
  sourceSystem: systemEndSchema,
  targetSystem: systemEndSchema,
  /** Names for people, system and levels: `Web shop / Live`. An end that is gone has its id here. */
  sourceName: z.string(),
  targetName: z.string(),
  /** What is missing of its ends, naming the id (CONN-15); null = nothing. */
  problem: z.string().nullable(),
  alerts: alertsSchema,
  actionCount: z.number().int(),
  status: actionStatusSchema,
  statusMessage: z.string().nullable(),
  lastRunAt: z.string().nullable(),
  nextRunAt: z.string().nullable(),
  /** Something of it is running or queued: ask again soon. */
  isBusy: z.boolean(),
  revision: z.number().int(),
});
export type Connector = z.infer<typeof connectorSchema>;

const nameSchema = z.string().trim().min(1).max(200);
const connectorValues = {
  name: nameSchema,
  description: z.string().max(2000).default(''),
  sourceSystem: systemEndSchema,
  targetSystem: systemEndSchema,
  alerts: alertsSchema.default({ emails: [], webhookUrl: null }),
};

const connectorParams = z.object({ connectorId: z.uuid() });
const actionParams = connectorParams.extend({ actionId: z.uuid() });
const runParams = actionParams.extend({ runId: z.uuid() });

/** Systems and levels that a connector can be between. */
const connectorMetadata = z.object({
  systems: z.array(externalSystemSchema),
  rights: crudSchema,
  runRights: crudSchema,
});

export const getConnectors = endpoint({
  route: paths.getConnectors,
  summary: 'Connectors; `limit=0` answers the metadata alone',
  access: 'user',
  query: pageQuerySchema.extend({ metadata: z.literal('field-options').optional() }),
  reply: paged(connectorSchema).extend({ metadata: connectorMetadata.optional() }),
});

export const getConnector = endpoint({
  route: paths.getConnector,
  summary: 'One connector',
  access: 'user',
  params: connectorParams,
  query: z.object({ metadata: z.literal('field-options').optional() }),
  reply: z.object({ resource: connectorSchema, metadata: connectorMetadata.optional() }),
});

export const createConnector = endpoint({
  route: paths.createConnector,
  summary: 'New connector',
  access: 'user',
  body: z.object(connectorValues).strict(),
  reply: z.object({ internalId: z.uuid() }),
});

export const updateConnector = endpoint({
  route: paths.updateConnector,
  summary:
    'Change a connector. Another system or level discards its actions: without `confirmDiscardActions` 409 with their number',
  access: 'user',
  params: connectorParams,
  body: z
    .object({
      changes: z
        .object({
          name: nameSchema,
          description: z.string().max(2000),
          sourceSystem: systemEndSchema,
          targetSystem: systemEndSchema,
          alerts: alertsSchema,
        })
        .partial()
        .strict(),
      revision: z.number().int(),
      confirmDiscardActions: z.boolean().default(false),
    })
    .strict(),
  reply: z.object({ resource: connectorSchema }),
  errors: ['REVISION_CONFLICT', 'ACTIONS_WOULD_BE_DISCARDED'],
});

export const deleteConnector = endpoint({
  route: paths.deleteConnector,
  summary: 'Remove a connector with its actions; 409 while one runs unless `cancelRuns`',
  access: 'user',
  params: connectorParams,
  query: z.object({ cancelRuns: z.stringbool().optional() }),
  errors: ['IN_USE'],
});

const copyReplySchema = z.object({
  copied: z.number().int(),
  total: z.number().int(),
  internalIds: z.array(z.uuid()),
  skipped: z.array(z.object({ actionId: z.uuid(), reason: z.enum(['copyNotAllowed', 'fieldsMissing']) })),
});
export type CopyReply = z.infer<typeof copyReplySchema>;

export const copyConnector = endpoint({
  route: paths.copyConnector,
  summary: 'A second connector with copies of the actions that allow it; everything inactive, without links',
  access: 'user',
  params: connectorParams,
  body: z
    .object({
      /** Absent: the name of the original with `(copy)`. */
      name: nameSchema.optional(),
      description: z.string().max(2000).optional(),
      sourceSystem: systemEndSchema.optional(),
      targetSystem: systemEndSchema.optional(),
    })
    .strict(),
  reply: copyReplySchema.extend({ internalId: z.uuid() }),
});

/** A connector as a file: what moves from test to production. Ends are named by system and collection, never by id. */
export const connectorFileSchema = z
  .object({
    format: z.literal('sluice-connector'),
    version: z.literal(1),
    name: nameSchema,
    description: z.string().max(2000),
    actions: z
      .array(
        z
          .object({
            name: nameSchema,
            isCopyAllowed: z.boolean(),
            wiring: wiringSchema,
            mappings: mappingsSchema,
            triggers: z.array(triggerSchema).max(100),
            sourceUpdateConfigs: sourceUpdateConfigsSchema,
            schedule: z.lazy(() => scheduleSchema),
          })
          .strict(),
      )
      .max(1000),
  })
  .strict();
export type ConnectorFile = z.infer<typeof connectorFileSchema>;

export const exportConnector = endpoint({
  route: paths.exportConnector,
  summary: 'The connector as a file',
  access: 'user',
  params: connectorParams,
  reply: connectorFileSchema,
});

export const importConnector = endpoint({
  route: paths.importConnector,
  summary: 'A new connector made of a file, between the systems given; its actions are inactive',
  access: 'user',
  body: z
    .object({
      file: connectorFileSchema,
      name: nameSchema.optional(),
      sourceSystem: systemEndSchema,
      targetSystem: systemEndSchema,
    })
    .strict(),
  reply: copyReplySchema.extend({ internalId: z.uuid() }),
});

// Actions ---------------------------------------------------------------------------------------------------------

/** When an active action runs by itself (decisions Q-CONN-03); cron in the organisation's time zone. */
export const scheduleSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('afterRefresh') }).strict(),
  z.object({ kind: z.literal('interval'), minutes: z.number().int().min(1).max(44_640) }).strict(),
  z.object({ kind: z.literal('cron'), expression: z.string().min(1).max(200) }).strict(),
  z.object({ kind: z.literal('never') }).strict(),
]);
export type Schedule = z.infer<typeof scheduleSchema>;

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
  reply: z.object({ values: z.array(z.array(valueSchema)) }),
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

// Runs ------------------------------------------------------------------------------------------------------------

export const runCountsSchema = z.object({
  inserted: z.number().int(),
  updated: z.number().int(),
  deleted: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
  /** Left alone because a person's pending change is in the way. */
  conflicts: z.number().int(),
});
export type RunCounts = z.infer<typeof runCountsSchema>;

export const runSchema = z.object({
  internalId: z.uuid(),
  actionId: z.uuid(),
  number: z.number().int(),
  kind: z.enum(['manual', 'scheduled', 'retry']),
  status: jobStatusSchema,
  /** A person, or null for the schedule. */
  startedBy: authorSchema.nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** Version of the action's mapping that it used. */
  version: z.number().int(),
  /** Source records read so far; `total` null = not known. */
  current: z.number().int(),
  total: z.number().int().nullable(),
  counts: runCountsSchema,
  /** What made it go to pieces, or what waits for a person (the safety stop of deletions). */
  message: z.string().nullable(),
  /** Its changes are pushed by itself. */
  isPushed: z.boolean(),
  pushId: z.uuid().nullable(),
  /** Data path of the target table, to look at what it made. */
  targetPath: z.string(),
  /** Of its changes, how many are still pending. */
  pendingCount: z.number().int(),
});
export type Run = z.infer<typeof runSchema>;

/** A record that could not be made, with what it takes to understand why. */
export const runFailureSchema = z.object({
  seq: z.number().int(),
  source: z.string(),
  sourceKey: z.string(),
  kind: z.enum(['failed', 'conflict']),
  errors: z.array(valueErrorSchema.extend({ targetField: z.string().nullable() })),
  sourceRecord: resourceSchema,
});
export type RunFailure = z.infer<typeof runFailureSchema>;

const manualRunBody = z
  .object({
    triggerId: z.string().max(100).nullable().default(null),
    query: runQuerySchema.nullable().default(null),
  })
  .strict();

export const manualRun = endpoint({
  route: paths.manualRun,
  summary: 'Run now, to pending; 409 while another run of the action is open',
  access: 'user',
  params: actionParams,
  body: manualRunBody,
  reply: z.object({ job: jobSchema, run: runSchema }),
  errors: ['RUN_ACTIVE', 'NOTHING_CACHED_YET', 'MAPPINGS_NOT_SET_UP'],
});

export const expectRun = endpoint({
  route: paths.expectRun,
  summary:
    'Counts that a manual run would come to; reads the source, writes nothing. `isPartial` after the first 10,000',
  access: 'user',
  params: actionParams,
  body: manualRunBody,
  reply: z.object({ counts: runCountsSchema, read: z.number().int(), isPartial: z.boolean() }),
  errors: ['EXTERNAL_SYSTEM', 'NOTHING_CACHED_YET', 'MAPPINGS_NOT_SET_UP'],
});

export const getRuns = endpoint({
  route: paths.getRuns,
  summary: 'Runs of an action, newest first',
  access: 'user',
  params: actionParams,
  query: pageQuerySchema,
  reply: paged(runSchema),
});

export const getRun = endpoint({
  route: paths.getRun,
  summary: 'One run with a page of the records that failed',
  access: 'user',
  params: runParams,
  query: pageQuerySchema,
  reply: z.object({ resource: runSchema, failures: paged(runFailureSchema) }),
});

export const cancelRun = endpoint({
  route: paths.cancelRun,
  summary: 'Stop a run between two batches; what it made stays pending',
  access: 'user',
  params: runParams,
  reply: z.object({ resource: runSchema }),
});

export const retryRun = endpoint({
  route: paths.retryRun,
  summary: 'A new run of only the records that failed',
  access: 'user',
  params: runParams,
  reply: z.object({ job: jobSchema, run: runSchema }),
  errors: ['RUN_ACTIVE'],
});

export const discardRun = endpoint({
  route: paths.discardRun,
  summary: 'Take back what the run made and what is still pending of it',
  access: 'user',
  params: runParams,
  reply: z.object({ discarded: z.number().int(), refused: z.number().int() }),
});

export const getLinks = endpoint({
  route: paths.getLinks,
  summary: 'Which source record stands for which target record',
  access: 'user',
  params: actionParams,
  query: pageQuerySchema.extend({ search: z.string().max(200).optional() }),
  reply: paged(
    z.object({
      source: z.string(),
      sourceKey: z.string(),
      /** Record id in the target table; null = it is gone. */
      targetId: z.string().nullable(),
      targetKey: z.string().nullable(),
      targetLabel: z.string().nullable(),
      lastRunAt: z.string(),
    }),
  ),
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
