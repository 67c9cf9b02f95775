import { z } from 'zod';
import { actionParams, connectorParams, runParams } from './connector-parts.ts';
import { runQuerySchema, valueErrorSchema } from './connectors.ts';
import { endpoint } from './endpoint.ts';
import { resourceSchema } from './fields.ts';
import { jobSchema, jobStatusSchema } from './jobs.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';
import { pageQuerySchema, paged } from './systems.ts';

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
  /** What was to be written back to the source after a push: how much was, is still to come, and could not be. */
  sourceUpdates: z.object({
    written: z.number().int(),
    waiting: z.number().int(),
    failed: z.number().int(),
  }),
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

/** A source record that could not be told what became of it. */
export const sourceUpdateFailureSchema = z.object({
  source: z.string(),
  sourceKey: z.string(),
  attempts: z.number().int(),
  message: z.string(),
});
export type SourceUpdateFailure = z.infer<typeof sourceUpdateFailureSchema>;

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
  isOnce: true,
  errors: ['RUN_ACTIVE', 'NOTHING_CACHED_YET', 'MAPPINGS_NOT_SET_UP'],
});

export const expectRun = endpoint({
  route: paths.expectRun,
  summary:
    'Counts that a manual run would come to; reads the source, writes nothing. `isPartial` after the first 10,000; what would be deleted is then unknown: null',
  access: 'user',
  params: actionParams,
  body: manualRunBody,
  reply: z.object({
    counts: runCountsSchema.extend({ deleted: z.number().int().nullable() }),
    read: z.number().int(),
    isPartial: z.boolean(),
  }),
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

/** What the runs of one day did, in the organisation's time zone. */
export const runDaySchema = z.object({
  date: z.iso.date(),
  inserted: z.number().int(),
  updated: z.number().int(),
  deleted: z.number().int(),
  failed: z.number().int(),
});
export type RunDay = z.infer<typeof runDaySchema>;

export const getRunDays = endpoint({
  route: paths.getRunDays,
  summary: 'What the runs of a connector did on each of the last 14 days, the oldest first',
  access: 'user',
  params: connectorParams,
  reply: z.object({ resources: z.array(runDaySchema) }),
});

export const getRun = endpoint({
  route: paths.getRun,
  summary: 'One run with a page of the records that failed',
  access: 'user',
  params: runParams,
  query: pageQuerySchema,
  reply: z.object({
    resource: runSchema,
    failures: paged(runFailureSchema),
    /** The first 100; how many there are, the run says. */
    sourceUpdateFailures: z.array(sourceUpdateFailureSchema),
  }),
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

export const retrySourceUpdates = endpoint({
  route: paths.retrySourceUpdates,
  summary: 'Try again to write back to the source what could not be',
  access: 'user',
  params: runParams,
  reply: z.object({ retried: z.number().int() }),
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
