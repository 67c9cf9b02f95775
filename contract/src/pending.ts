import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { resourceSchema, valueSchema } from './fields.ts';
import { paths } from './paths.ts';

export const authorSchema = z.object({ internalId: z.string(), fullName: z.string() });
export type Author = z.infer<typeof authorSchema>;

/** One changed field (decisions Q-PEND-02). */
export const pendingChangeSchema = z.object({
  action: z.enum(['update', 'add', 'delete']),
  id: z.string(),
  fieldName: z.string(),
  oldValue: valueSchema,
  newValue: valueSchema,
  authoredBy: authorSchema,
  authoredAt: z.string(),
  /** Additional: present when the external system changed the value since: what it holds now. */
  theirs: valueSchema.optional(),
});
export type PendingChange = z.infer<typeof pendingChangeSchema>;

export const operationStates = ['pending', 'invalid', 'beingPushed', 'rejected', 'conflict'] as const;

export const validationErrorSchema = z.object({
  field: z.string(),
  code: z.number().int().nullable(),
  params: z.record(z.string(), valueSchema),
  message: z.string(),
});
export type ValidationError = z.infer<typeof validationErrorSchema>;

export const pushErrorSchema = z.object({
  errCode: z.string(),
  msg: z.string(),
  field: z.string().nullable(),
  at: z.string(),
});
export type PushError = z.infer<typeof pushErrorSchema>;

/** The pending operation of one record. `id` is the record's id and stays the same when an insert is pushed. */
export const pendingOperationSchema = z.object({
  id: z.string(),
  action: z.enum(['update', 'add', 'delete']),
  revision: z.number().int(),
  state: z.enum(operationStates),
  authoredBy: authorSchema,
  createdAt: z.string(),
  updatedAt: z.string(),
  origin: z.object({
    type: z.enum(['user', 'connector', 'import']),
    actionId: z.string().nullable(),
    runId: z.string().nullable(),
    /** Of a connector's run, what people call it, as it was when it wrote. */
    run: z.object({ connector: z.string(), action: z.string(), number: z.number().int() }).nullish(),
  }),
  changes: z.array(pendingChangeSchema),
  validationErrors: z.array(validationErrorSchema),
  pushErrors: z.array(pushErrorSchema),
  /** The record vanished from the external system while an update was pending. */
  isGone: z.boolean(),
  /** The outcome of the last push of it is not known; pushing again asks for confirmation. */
  isOutcomeUnknown: z.boolean(),
  pushId: z.string().nullable(),
});
export type PendingOperation = z.infer<typeof pendingOperationSchema>;

export const pendingOperationsSchema = z.object({
  insert: z.array(pendingOperationSchema),
  update: z.array(pendingOperationSchema),
  delete: z.array(pendingOperationSchema),
});
export type PendingOperations = z.infer<typeof pendingOperationsSchema>;

const collectionParams = z.object({ collection: z.string() });

/** Counts for the footer and the push button. */
export const pendingCountsSchema = z.object({
  insert: z.number().int(),
  update: z.number().int(),
  delete: z.number().int(),
  /** Of those: held back until somebody acts. */
  invalid: z.number().int(),
  conflict: z.number().int(),
  rejected: z.number().int(),
  beingPushed: z.number().int(),
  /** Operations with a change of the asking user. */
  mine: z.number().int(),
  /** When the oldest of them was begun; null = there is none. */
  oldestAt: z.string().nullable(),
});
export type PendingCounts = z.infer<typeof pendingCountsSchema>;

export const getPending = endpoint({
  route: paths.getPending,
  summary: 'Pending operations of a collection with their records, for the review before a push',
  access: 'user',
  params: collectionParams,
  query: z.object({
    limit: z.coerce.number().int().min(0).max(10_000).optional(),
    offset: z.coerce.number().int().min(0).optional(),
    state: z.enum(operationStates).optional(),
    /** Only operations that contain a change of the asking user. */
    mine: z.enum(['true', 'false']).optional(),
  }),
  reply: z.object({
    resources: z.array(
      z.object({
        operation: pendingOperationSchema,
        /** Key and label of the record, as a person knows it. */
        key: z.string().nullable(),
        label: z.string().nullable(),
      }),
    ),
    offset: z.number().int(),
    maxLimit: z.number().int(),
    total: z.number().int(),
    counts: pendingCountsSchema,
  }),
});

export const resolveConflicts = endpoint({
  route: paths.resolveConflicts,
  summary:
    'Decide conflicts: keepMine (the old value becomes what the external system holds), takeTheirs, or for vanished records insertAgain or discard',
  access: 'user',
  params: collectionParams,
  body: z
    .array(
      z
        .object({
          id: z.string(),
          /** Absent = all conflicting fields of the record. */
          field: z.string().optional(),
          choice: z.enum(['keepMine', 'takeTheirs', 'insertAgain', 'discard']),
        })
        .strict(),
    )
    .min(1)
    .max(10_000),
  reply: z.object({
    /** The records as they are now; vanished ones that were given up are absent. */
    resources: z.array(resourceSchema),
    pendingOperations: pendingOperationsSchema,
    clearedIds: z.array(z.string()),
  }),
});

export const editSchema = z.object({
  editId: z.string(),
  kind: z.string(),
  at: z.string(),
  count: z.number().int(),
  isUndone: z.boolean(),
});

export const getEdits = endpoint({
  route: paths.getEdits,
  summary: 'The last 100 steps of the user on this collection, newest first: what undo and redo work on',
  access: 'user',
  params: collectionParams,
  reply: z.object({ resources: z.array(editSchema) }),
});

const undoReply = z.object({
  /** The records that the step touched, as they are now; none where they are more than 1,000 (`isReloadNeeded`). */
  resources: z.array(resourceSchema),
  pendingOperations: pendingOperationsSchema,
  clearedIds: z.array(z.string()),
  /** Too many records to list them: the table is read again. */
  isReloadNeeded: z.boolean(),
  removedIds: z.array(z.string()),
  /** New records that came back by it. */
  returnedIds: z.array(z.string()),
  /** Cells that another user (or a push, or a refresh) changed since: left as they are. */
  kept: z.array(z.object({ id: z.string(), field: z.string().nullable(), reason: z.string() })),
});
export const undoEdit = endpoint({
  route: paths.undoEdit,
  summary: 'Take a step back',
  access: 'user',
  params: collectionParams.extend({ editId: z.uuid() }),
  reply: undoReply,
});
export const redoEdit = endpoint({
  route: paths.redoEdit,
  summary: 'Do an undone step again',
  access: 'user',
  params: collectionParams.extend({ editId: z.uuid() }),
  reply: undoReply,
});
