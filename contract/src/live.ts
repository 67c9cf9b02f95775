import { z } from 'zod';
import { dashboardErrorSchema } from './dashboard.ts';
import { resourceSchema } from './fields.ts';
import { jobSchema } from './jobs.ts';
import { pendingCountsSchema, pendingOperationsSchema } from './pending.ts';
import { notificationKinds } from './preference-values.ts';

export const notificationClasses = ['info', 'error', 'warning', 'success'] as const;

/** A message of the notification centre (decisions Q-NOTIF-*). */
export const notificationSchema = z.object({
  id: z.string(),
  /** Additional: what people set apart from the rest in their settings (decisions Q-NOTIF-03). */
  kind: z.enum(notificationKinds),
  title: z.string(),
  message: z.string(),
  description: z.string().nullable(),
  timestamp: z.string(),
  class: z.enum(notificationClasses),
  isHidden: z.boolean(),
  /** Route in the product where more is to be seen. */
  url: z.string().nullable(),
  type: z.union([
    z.object({ kind: z.literal('standard') }),
    z.object({ kind: z.literal('withProgressBar'), total: z.number().int(), current: z.number().int() }),
  ]),
});
export type Notification = z.infer<typeof notificationSchema>;

export const notificationMessageSchema = z.object({
  handler: z.literal('notificationCentre'),
  type: z.enum(['notification', 'progress']),
  method: z.enum(['POST', 'PATCH', 'DELETE']),
  data: z.union([
    notificationSchema,
    z.object({ parentMessageId: z.string(), current: z.number().int() }),
    z.object({ id: z.string() }),
  ]),
});

/** A job of one of the two lists, begun or as it is now; or an error (WS-06). */
export const dashboardMessageSchema = z.union([
  z.object({
    handler: z.literal('dashboard'),
    type: z.literal('error'),
    method: z.literal('POST'),
    data: dashboardErrorSchema,
  }),
  z.object({
    handler: z.literal('dashboard'),
    type: z.enum(['userJob', 'connectorJob']),
    method: z.enum(['POST', 'PATCH']),
    data: jobSchema,
  }),
]);

/**
 * What happened to a table. `pendingOperations` replace what was known of these records, `clearedIds` have none any
 * more, `removedIds` left the table. `isReloadNeeded`: more changed than is worth listing, or the cache was refreshed.
 */
export const collectionMessageSchema = z.object({
  handler: z.literal('collection'),
  type: z.literal('changed'),
  method: z.literal('PATCH'),
  data: z.object({
    tableId: z.string(),
    resources: z.array(resourceSchema),
    pendingOperations: pendingOperationsSchema,
    clearedIds: z.array(z.string()),
    removedIds: z.array(z.string()),
    counts: pendingCountsSchema,
    isReloadNeeded: z.boolean(),
    cacheRefreshedAt: z.string().nullable(),
    /** Records that the refresh found for the first time: who keeps a snapshot does not have them. */
    newRecords: z.number().int(),
  }),
});
export type CollectionMessage = z.infer<typeof collectionMessageSchema>;

/**
 * The table that a client opened is followed: whatever changes from now on is told. What was read before this message
 * may be older than what it tells.
 */
export const collectionOpenedMessageSchema = z.object({
  handler: z.literal('collection'),
  type: z.literal('opened'),
  method: z.literal('POST'),
  data: z.object({ tableId: z.string() }),
});
export type CollectionOpenedMessage = z.infer<typeof collectionOpenedMessageSchema>;

export const serverMessageSchema = z.union([
  notificationMessageSchema,
  dashboardMessageSchema,
  collectionMessageSchema,
  collectionOpenedMessageSchema,
]);
export type ServerMessage = z.infer<typeof serverMessageSchema>;

/**
 * What a client may send besides the text `ping`: it opens (POST) or leaves (DELETE) a table. `path` is the
 * `{collection}` of `/api/v1/data/{collection}`, without that prefix and as it stands in the address.
 */
export const clientMessageSchema = z
  .object({
    handler: z.literal('collection'),
    method: z.enum(['POST', 'DELETE']),
    data: z.object({ path: z.string().max(2000) }).strict(),
  })
  .strict();
export type ClientMessage = z.infer<typeof clientMessageSchema>;

/** Close codes of the socket. */
export const closeCodes = {
  sessionEnded: 4401,
  /** The user may do more or less than before: connect anew, and ask for menu and session again. */
  rightsChanged: 4402,
  wrongOrigin: 4403,
} as const;
