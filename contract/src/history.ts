import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { valueSchema } from './fields.ts';
import { paths } from './paths.ts';
import { authorSchema } from './pending.ts';
import { editInfoSchema } from './records.ts';

const recordParams = z.object({ collection: z.string(), id: z.string() });

/** One thing that happened to a record, the newest first. */
export const historyEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('edit'),
    at: z.string(),
    author: authorSchema,
    editKind: editInfoSchema.shape.kind,
    isUndone: z.boolean(),
    changes: z.array(z.object({ field: z.string(), old: valueSchema, new: valueSchema })),
    /** The record itself: added, marked for deletion, taken back, discarded; null = only cells. */
    row: z.enum(['add', 'delete', 'undelete', 'discard']).nullable(),
  }),
  z.object({
    kind: z.literal('push'),
    at: z.string(),
    author: authorSchema,
    pushId: z.string(),
    action: z.enum(['add', 'update', 'delete']),
    outcome: z.enum(['succeeded', 'rejected', 'unknown', 'cancelled', 'waiting']),
    changes: z.array(z.object({ field: z.string(), old: valueSchema, new: valueSchema })),
    /** The external system's own words where it refused. */
    errors: z.array(z.object({ field: z.string().nullable(), errCode: z.string(), msg: z.string() })),
  }),
]);
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

export const getHistory = endpoint({
  route: paths.getHistory,
  summary: 'What happened to a record: edits, pushes, and what the external system answered',
  access: 'user',
  params: recordParams,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  reply: z.object({
    resources: z.array(historyEntrySchema),
    offset: z.number().int(),
    maxLimit: z.number().int(),
    total: z.number().int(),
  }),
});

export const undoPush = endpoint({
  route: paths.undoPush,
  summary:
    'Takes a push back as pending changes: old values, deletes of what was added, adds of what was deleted; nothing is sent',
  access: 'user',
  params: z.object({ collection: z.string(), pushId: z.uuid() }),
  body: z
    .object({ /** Only these records; absent = all that succeeded. */ ids: z.array(z.string()).optional() })
    .strict(),
  reply: z.object({
    editId: z.string().nullable(),
    undone: z.object({ insert: z.number().int(), update: z.number().int(), delete: z.number().int() }),
    /** Cells that somebody changed since, here or in the external system: left as they are. */
    skipped: z.array(
      z.object({ id: z.string(), label: z.string().nullable(), field: z.string().nullable() }),
    ),
  }),
  errors: ['NOTHING_CACHED_YET', 'DOMAIN_INACTIVE'],
});

export const listPushes = endpoint({
  route: paths.listPushes,
  summary: 'Pushes of a table, the newest first',
  access: 'user',
  params: z.object({ collection: z.string() }),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  reply: z.object({
    resources: z.array(
      z.object({
        pushId: z.string(),
        at: z.string(),
        author: authorSchema,
        status: z.string(),
        counts: z.object({ insert: z.number().int(), update: z.number().int(), delete: z.number().int() }),
        succeeded: z.number().int(),
        failed: z.number().int(),
      }),
    ),
    offset: z.number().int(),
    maxLimit: z.number().int(),
    total: z.number().int(),
  }),
});
