import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';

/** Record ids per list; each list needs its own right. */
export const pushBodySchema = z
  .object({
    insert: z.array(z.string()).max(1_000_000).default([]),
    update: z.array(z.string()).max(1_000_000).default([]),
    delete: z.array(z.string()).max(1_000_000).default([]),
    /** Push records whose last outcome is unknown all the same. */
    confirmUnknown: z.boolean().optional(),
  })
  .strict();

export const pushStatuses = ['QUEUED', 'RUNNING', 'DONE', 'PARTIALLY_FAILED', 'FAILED', 'CANCELLED'] as const;

export const skipReasons = [
  'validationErrors',
  'conflict',
  'beingPushed',
  'notFound',
  'noRight',
  'outcomeUnknown',
] as const;

export const pushResultSchema = z.object({
  id: z.string(),
  newId: z.string().nullable(),
  /** Key in the external system, where known. */
  key: z.string().nullable(),
  label: z.string().nullable(),
  action: z.enum(['add', 'update', 'delete']),
  outcome: z.enum(['succeeded', 'rejected', 'unknown', 'skipped', 'waiting']),
  errCode: z.string().nullable(),
  msg: z.string().nullable(),
  fieldErrors: z.array(z.object({ field: z.string().nullable(), errCode: z.string(), msg: z.string() })),
});
export type PushResult = z.infer<typeof pushResultSchema>;

export const changePushActionSchema = z.object({
  internalId: z.string(),
  status: z.enum(pushStatuses),
  clientAction: z.enum(['wait', 'reload']),
  counts: z.object({ insert: z.number().int(), update: z.number().int(), delete: z.number().int() }),
  succeeded: z.number().int(),
  failed: z.number().int(),
  unknown: z.number().int(),
  skipped: z.array(z.object({ id: z.string(), reason: z.enum(skipReasons) })),
  authoredBy: authorSchema,
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
  message: z.string().nullable(),
  results: z.array(pushResultSchema),
});
export type ChangePushAction = z.infer<typeof changePushActionSchema>;

const collectionParams = z.object({ collection: z.string() });
const pushParams = collectionParams.extend({ pushId: z.uuid() });

export const push = endpoint({
  route: paths.push,
  summary: 'Send pending operations to the external system; answers 202 at once, the work is a durable job',
  access: 'user',
  params: collectionParams,
  body: pushBodySchema,
  reply: z.object({ changePushAction: changePushActionSchema }),
  isOnce: true,
  errors: ['DOMAIN_INACTIVE', 'NOTHING_CACHED_YET'],
});

export const getPush = endpoint({
  route: paths.getPush,
  summary: 'State of a push with the outcome of each record',
  access: 'user',
  params: pushParams,
  query: z.object({
    outcome: z.enum(['succeeded', 'rejected', 'unknown', 'skipped', 'waiting']).optional(),
    limit: z.coerce.number().int().min(0).max(10_000).optional(),
    offset: z.coerce.number().int().min(0).optional(),
  }),
  reply: z.object({ changePushAction: changePushActionSchema }),
});

export const cancelPush = endpoint({
  route: paths.cancelPush,
  summary: 'Cancel what has not been sent yet',
  access: 'user',
  params: pushParams,
  reply: z.object({ changePushAction: changePushActionSchema }),
});

export const discard = endpoint({
  route: paths.discard,
  summary: 'Drop pending operations; undo is offered through the edit journal',
  access: 'user',
  params: collectionParams,
  body: pushBodySchema.omit({ confirmUnknown: true }),
  reply: z.object({
    discarded: z.object({ insert: z.number().int(), update: z.number().int(), delete: z.number().int() }),
    refused: z.array(z.object({ id: z.string(), reason: z.enum(['beingPushed', 'noRight', 'notFound']) })),
    editId: z.string().nullable(),
    removedIds: z.array(z.string()),
  }),
});
