import { z } from 'zod';
import { connectorParams, nameSchema } from './connector-parts.ts';
import {
  mappingsSchema,
  sourceUpdateConfigsSchema,
  triggerSchema,
  wiringSchema,
  scheduleSchema,
} from './connectors.ts';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { crudSchema } from './sessions.ts';
import { externalSystemSchema, pageQuerySchema, paged } from './systems.ts';

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

const connectorValues = {
  name: nameSchema,
  description: z.string().max(2000).default(''),
  sourceSystem: systemEndSchema,
  targetSystem: systemEndSchema,
  alerts: alertsSchema.default({ emails: [], webhookUrl: null }),
};

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

export const copyReplySchema = z.object({
  copied: z.number().int(),
  total: z.number().int(),
  internalIds: z.array(z.uuid()),
  /** Actions that were left out; out of a file they have no id. */
  skipped: z.array(
    z.object({
      actionId: z.uuid().nullable(),
      name: z.string(),
      reason: z.enum(['copyNotAllowed', 'fieldsMissing']),
    }),
  ),
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
  isOnce: true,
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
