import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { fieldDescriptorSchema, resourceSchema, valueSchema } from './fields.ts';
import { paths } from './paths.ts';
import { pendingOperationSchema, pendingOperationsSchema } from './pending.ts';
import { crudSchema } from './sessions.ts';
import { domainStatusSchema, paged } from './systems.ts';
import { flag, viewQuerySchema } from './view-query.ts';

/** Media type of the columnar answer, asked for by the web table. */
export const columnsMediaType = 'application/vnd.sluice.columns+json';

/** Most records of one answer; more is cut. */
export const maxLimit = 5000;

export const recordsQuerySchema = viewQuerySchema.extend({
  limit: z.coerce.number().int().min(-1).optional(),
  offset: z.coerce.number().int().min(0).optional(),
  noTotal: flag,
  metadata: z.enum(['fields', 'field-options']).optional(),
  templateResource: flag,
  pendingOperations: flag,
  pendingResources: flag,
  /** Token of an earlier answer: pages of one snapshot neither repeat nor skip records. `new` asks for one. */
  snapshot: z.string().max(200).optional(),
});

export const collectionMetadataSchema = z.object({
  resourceTypeUriId: z.string(),
  title: z.string(),
  isInsertAllowed: z.boolean(),
  isUpdateAllowed: z.boolean(),
  isDeleteAllowed: z.boolean(),
  keyFields: z.array(z.string()),
  fieldsMetadata: z.array(fieldDescriptorSchema),
  /** Additional: field that names a record to a person. */
  labelField: z.string().nullable(),
  /** Additional: name of the external system, its domain and company, for messages. */
  systemName: z.string(),
  levelNames: z.array(z.string()),
  isProduction: z.boolean(),
  domainStatus: domainStatusSchema,
  /** Additional: why nothing may be changed, or null. */
  readOnlyReason: z.enum(['noRight', 'domainInactive', 'externalSystem']).nullable(),
  rights: crudSchema,
  /** Additional: when the cache was last read from the external system. */
  cachedAt: z.string().nullable(),
  tableId: z.string(),
});
export type CollectionMetadata = z.infer<typeof collectionMetadataSchema>;

/** An error in a value that the external system delivered; `raw` is what it sent. */
export const receivedErrorSchema = z.object({
  field: z.string(),
  code: z.number().int().nullable(),
  raw: valueSchema,
  message: z.string(),
});
export type ReceivedError = z.infer<typeof receivedErrorSchema>;

const commonAnswer = {
  offset: z.number().int(),
  maxLimit: z.number().int(),
  total: z.number().int().nullable(),
  snapshot: z.string().nullable(),
  snapshotChanged: z.boolean(),
  metadata: collectionMetadataSchema.optional(),
  templateResource: z.record(z.string(), valueSchema).optional(),
  pendingOperations: pendingOperationsSchema.optional(),
  pendingResources: z.array(resourceSchema).optional(),
};

export const recordsReplySchema = z.object({ resources: z.array(resourceSchema), ...commonAnswer });
export type RecordsReply = z.infer<typeof recordsReplySchema>;

/**
 * The columnar form: `ids[i]` belongs to `columns[field][i]`. A record of the snapshot that has been removed since
 * keeps its place with id null. `operations` are the pending operations, `receivedErrors` the errors in received
 * data, of the records of this page.
 */
export const columnsReplySchema = z.object({
  ids: z.array(z.string().nullable()),
  columns: z.record(z.string(), z.array(valueSchema)),
  operations: z.array(pendingOperationSchema),
  receivedErrors: z.record(z.string(), z.array(receivedErrorSchema)),
  ...commonAnswer,
});
export type ColumnsReply = z.infer<typeof columnsReplySchema>;

const collectionParams = z.object({ collection: z.string() });
const recordParams = collectionParams.extend({ id: z.string() });

export const getRecords = endpoint({
  route: paths.getRecords,
  summary: 'Records of a collection, from the cache, with pending values applied',
  access: 'user',
  params: collectionParams,
  query: recordsQuerySchema,
  reply: z.union([columnsReplySchema, recordsReplySchema]),
  errors: ['NOTHING_CACHED_YET'],
});

/** A file as it is made, piece by piece. */
const fileSchema = z.custom<AsyncIterable<Uint8Array>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);

export const exportRecords = endpoint({
  route: paths.exportRecords,
  summary: 'All records that a filter matches, with pending values applied, as a file (CSV or XLSX)',
  access: 'user',
  params: collectionParams,
  query: viewQuerySchema.extend({
    /** Field ids, joined with commas; absent = all. */
    columns: z.string().max(100_000).optional(),
    format: z.enum(['csv', 'xlsx']).optional(),
    /** First row: field ids, or names in the caller's language (the id where two have the same name). */
    headings: z.enum(['ids', 'names']).optional(),
    delimiter: z.enum(['comma', 'semicolon', 'tab']).optional(),
    /** Excel takes a file for UTF-8 only with one. */
    byteOrderMark: flag,
  }),
  mediaType: 'text/csv',
  reply: fileSchema,
  errors: ['NOTHING_CACHED_YET', 'TOO_LARGE'],
});

export const checkExport = endpoint({
  route: paths.checkExport,
  summary:
    'Whether an export with the same query can be made whole: what a spreadsheet cannot hold is refused here',
  access: 'user',
  params: collectionParams,
  query: exportRecords.query,
  errors: ['NOTHING_CACHED_YET', 'TOO_LARGE'],
});

export const getRecord = endpoint({
  route: paths.getRecord,
  summary: 'One record, with its pending operation',
  access: 'user',
  params: recordParams,
  query: z.object({
    metadata: z.enum(['fields', 'field-options']).optional(),
    /** true: read the record anew from the external system first. */
    live: flag,
  }),
  reply: z.object({
    resource: resourceSchema,
    metadata: collectionMetadataSchema.optional(),
    pendingOperations: pendingOperationsSchema,
    receivedErrors: z.array(receivedErrorSchema),
  }),
  errors: ['NOTHING_CACHED_YET', 'EXTERNAL_SYSTEM'],
});

/** Field id -> new value. */
export const changesSchema = z.record(z.string().max(300), valueSchema);

export const recordChangeSchema = z
  .object({ id: z.string(), revision: z.number().int().optional(), changes: changesSchema })
  .strict();
export type RecordChange = z.infer<typeof recordChangeSchema>;

/** Most records of one batch; the client splits. */
export const maxBatch = 10_000;

/** One undoable step of the user. A batch split over several calls is one step when they carry the same `editId`. */
export const editInfoSchema = z.object({
  editId: z.string(),
  kind: z.enum([
    'edit',
    'paste',
    'fill',
    'replace',
    'batchEdit',
    'add',
    'delete',
    'discard',
    'resolve',
    'import',
    'calculate',
    'revert',
    'undoPush',
  ]),
});

export const editQuerySchema = z.object({
  editId: z.uuid().optional(),
  kind: editInfoSchema.shape.kind.optional(),
});
/** `brief`: records that are stored just as they were sent are named in `stored` and not repeated. */
const patchQuerySchema = editQuerySchema.extend({ answer: z.enum(['brief']).optional() });

/** What a write of pending changes answers: the operations of the records it touched, and those it could not do. */
export const pendingReplySchema = z.object({
  resources: z.array(resourceSchema),
  pendingOperations: pendingOperationsSchema,
  /** Records without a pending operation after the call (a change back to the old value removes it). */
  clearedIds: z.array(z.string()),
  editId: z.string().nullable(),
  /** With `answer=brief`: records that have only the caller's own new changes, at this revision. */
  stored: z.object({ ids: z.array(z.string()), revision: z.number().int() }).optional(),
});
export type PendingReply = z.infer<typeof pendingReplySchema>;

export const patchRecords = endpoint({
  route: paths.patchRecords,
  summary: 'Change records: pending changes, all or nothing on structural errors',
  access: 'user',
  params: collectionParams,
  query: patchQuerySchema,
  body: z.array(recordChangeSchema).min(1).max(maxBatch),
  reply: pendingReplySchema,
  errors: ['REVISION_CONFLICT', 'BEING_PUSHED', 'NOTHING_CACHED_YET'],
});

/**
 * A record may carry a UUID that its caller made up as `internalId`: sent again under that name by the same user (the
 * line was cut before the answer) it is not added twice; values that differ are written into the record that is there.
 */
export const insertRecords = endpoint({
  route: paths.insertRecords,
  summary:
    'Add one record (object) or several (array) as pending inserts; a UUID as internalId makes it repeatable',
  access: 'user',
  params: collectionParams,
  query: editQuerySchema,
  body: z.union([z.array(changesSchema).min(1).max(maxBatch), changesSchema]),
  reply: pendingReplySchema,
  errors: ['REVISION_CONFLICT', 'BEING_PUSHED', 'NOTHING_CACHED_YET'],
});

export const patchRecord = endpoint({
  route: paths.patchRecord,
  summary: 'Change one record: {revision, changes} or the plain changed fields',
  access: 'user',
  params: recordParams,
  query: editQuerySchema,
  body: z.union([
    z.object({ revision: z.number().int().optional(), changes: changesSchema }).strict(),
    changesSchema,
  ]),
  reply: z.object({ resource: resourceSchema, pendingOperations: pendingOperationsSchema }),
  errors: ['REVISION_CONFLICT', 'BEING_PUSHED', 'NOTHING_CACHED_YET'],
});

export const deleteRecord = endpoint({
  route: paths.deleteRecord,
  summary: 'Make one record a pending delete, or drop a pending insert',
  access: 'user',
  params: recordParams,
  errors: ['BEING_PUSHED', 'NOTHING_CACHED_YET'],
});

export const deleteRecords = endpoint({
  route: paths.deleteRecords,
  summary: 'Make records pending deletes, or drop pending inserts',
  access: 'user',
  params: collectionParams,
  query: editQuerySchema,
  body: z
    .union([z.object({ ids: z.array(z.string()).max(100_000) }).strict(), z.array(z.string()).max(100_000)])
    .transform((body) => (Array.isArray(body) ? { ids: body } : body)),
  reply: z.object({
    deleted: z.number().int(),
    refused: z.array(z.object({ id: z.string(), reason: z.enum(['notFound', 'beingPushed']) })),
    pendingOperations: pendingOperationsSchema,
    /** Pending inserts that were dropped. */
    removedIds: z.array(z.string()),
    editId: z.string().nullable(),
  }),
  errors: ['NOTHING_CACHED_YET'],
});

export const getAttributes = endpoint({
  route: paths.getAttributes,
  summary: 'Attributes of the company whose values the attribute collections hold',
  access: 'user',
  params: collectionParams,
  query: z.object({
    fields: z.string().optional(),
    limit: z.coerce.number().int().min(-1).optional(),
    offset: z.coerce.number().int().min(0).optional(),
  }),
  reply: paged(z.object({ attributeId: z.string(), attributeName: z.string() })),
});

export const cacheStateSchema = z.object({
  state: z.enum(['empty', 'loading', 'ready', 'failed']),
  /** Records read so far in the running load, and the total where the system tells it. */
  loaded: z.number().int(),
  expected: z.number().int().nullable(),
  cachedAt: z.string().nullable(),
  message: z.string().nullable(),
});
export type CacheState = z.infer<typeof cacheStateSchema>;

export const getCacheState = endpoint({
  route: paths.getCacheState,
  summary: 'How far the cache of a collection is',
  access: 'user',
  params: collectionParams,
  reply: cacheStateSchema,
});
export const refreshCache = endpoint({
  route: paths.refreshCache,
  summary: 'Read the collection anew from the external system, now',
  access: 'user',
  params: collectionParams,
  reply: cacheStateSchema,
});
