import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { scalarSchema } from './fields.ts';
import { paths } from './paths.ts';
import { changesSchema, editQuerySchema } from './records.ts';
import { findSpecSchema, viewBodySchema } from './view-query.ts';

/**
 * Which records a command is for: some by id, and ranges of positions (both ends included) of a snapshot. All that a
 * filter matches = `[[0, total - 1]]` of its snapshot, so that exactly the records are meant that the user saw.
 */
export const chosenRowsSchema = z
  .object({
    ids: z.array(z.string()).max(1_000_000).default([]),
    snapshot: z.string().max(200).nullable().default(null),
    ranges: z
      .array(z.tuple([z.number().int().min(0), z.number().int().min(0)]))
      .max(100_000)
      .default([]),
  })
  .strict();
export type ChosenRows = z.input<typeof chosenRowsSchema>;

/**
 * A new value out of the old one, in exact decimals. `operand` is a canonical decimal (`3`, `-0.05`): added, multiplied
 * by, or so many per cent of the old value on top of it (`percent` -10 takes a tenth off).
 */
export const calculationSchema = z
  .object({
    operator: z.enum(['add', 'multiply', 'percent']),
    operand: z.string().regex(/^-?\d{1,15}(\.\d{1,15})?$/),
    /** Round the result to a multiple of this (`0.05`), half away from zero; null = do not round. */
    roundTo: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,15})?$/)
      .nullable()
      .default(null),
  })
  .strict();
export type Calculation = z.input<typeof calculationSchema>;

export const bulkCommandSchema = z.discriminatedUnion('kind', [
  /** The same values in every record; null empties. */
  z.object({ kind: z.literal('set'), changes: changesSchema }).strict(),
  /** Values of number fields out of their old ones; an empty value stays empty. */
  z
    .object({
      kind: z.literal('calculate'),
      fields: z.array(z.string()).min(1).max(100),
      calculation: calculationSchema,
    })
    .strict(),
  /** Every hit in a cell's text gives way to the replacement. */
  z
    .object({ kind: z.literal('replace'), find: findSpecSchema, replacement: z.string().max(10_000) })
    .strict(),
  /** Pending deletes; pending inserts go. */
  z.object({ kind: z.literal('delete') }).strict(),
  /**
   * One's own pending changes go back to the external system's values: of some fields, or of whole records (null:
   * one's own new records go, one's own deletes are taken back).
   */
  z.object({ kind: z.literal('revert'), fields: z.array(z.string()).max(2000).nullable() }).strict(),
]);
export type BulkCommand = z.input<typeof bulkCommandSchema>;

/** Most records of one call of a bulk command; the caller goes on with `next` under the same `editId`. */
export const maxBulkRows = 10_000;

/**
 * What a bulk command left as it is. The first three and `changedByOther` of a whole record count records, the others
 * cells. `changedByOther`: pending by another user, or changed in the external system since (a conflict).
 * `incompatible`: the result is no value of the field. `unchanged`: it has that value already.
 */
export const bulkSkipReasons = [
  'notFound',
  'beingPushed',
  'pendingDelete',
  'readOnlyField',
  'changedByOther',
  'incompatible',
  'unchanged',
] as const;

export const bulk = endpoint({
  route: paths.bulk,
  summary:
    'A command over chosen records, as pending changes in one undoable step: a part a call, until `next` is null',
  access: 'user',
  params: z.object({ collection: z.string() }),
  query: editQuerySchema,
  body: z
    .object({ rows: chosenRowsSchema, command: bulkCommandSchema, next: z.number().int().min(0).default(0) })
    .strict(),
  reply: z.object({
    /** The step that undo takes back: the one that was given, or a new one; null where none was made. */
    editId: z.string().nullable(),
    /** Records chosen in all, and handled so far (this call included). */
    total: z.number().int(),
    done: z.number().int(),
    next: z.number().int().nullable(),
    /** Of this call. */
    changedRecords: z.number().int(),
    changedCells: z.number().int(),
    skipped: z.partialRecord(z.enum(bulkSkipReasons), z.number().int()),
    /** Records with a broken rule after this call, among those that it changed. */
    invalid: z.number().int(),
  }),
  errors: ['SNAPSHOT_GONE', 'NOTHING_CACHED_YET', 'DOMAIN_INACTIVE'],
});

export const hitSchema = z.object({
  /** Position in the snapshot. */
  position: z.number().int(),
  id: z.string(),
  field: z.string(),
  /** 1 for the first hit of all; null while they are being counted. */
  number: z.number().int().nullable(),
});
export type Hit = z.infer<typeof hitSchema>;

export const find = endpoint({
  route: paths.find,
  summary: 'The next or previous cell of a snapshot that holds a text, and how many there are',
  access: 'user',
  params: z.object({ collection: z.string() }),
  body: z
    .object({
      snapshot: z.string().max(200),
      find: findSpecSchema,
      /** Where to go on from, exclusive; null = from the beginning (or the end). The search goes round. */
      from: z.object({ position: z.number().int().min(0), field: z.string() }).nullable(),
      direction: z.enum(['next', 'previous']).default('next'),
      /** Columns in the order in which they are shown: hits of one record follow it. Absent = the metadata's. */
      order: z.array(z.string()).max(2000).optional(),
      /**
       * False: a hit that is found before all are counted is answered at once, with null for what is not known yet;
       * the same call with true then answers the same hit with its number and the counts.
       */
      isCountWanted: z.boolean().default(true),
    })
    .strict(),
  reply: z.object({
    hit: hitSchema.nullable(),
    /** Hits in all, and the records that they are in; null only where `isCountWanted` is false. */
    cells: z.number().int().nullable(),
    records: z.number().int().nullable(),
  }),
  errors: ['SNAPSHOT_GONE', 'NOTHING_CACHED_YET'],
});

export const distinct = endpoint({
  route: paths.distinct,
  summary:
    'The different values of a field among the records of a view, with counts: the most frequent first, or by value where nearly all are different',
  access: 'user',
  params: z.object({ collection: z.string() }),
  body: z
    .object({
      field: z.string(),
      /** What else is filtered; a condition on the field itself is left out. */
      view: viewBodySchema,
      /** Only values that contain this text. */
      contains: z.string().max(1000).optional(),
      limit: z.number().int().min(1).max(10_000).default(1000),
    })
    .strict(),
  reply: z.object({
    values: z.array(z.object({ value: scalarSchema, count: z.number().int() })),
    /** False: there are more values than the limit. */
    isComplete: z.boolean(),
  }),
  errors: ['NOTHING_CACHED_YET'],
});

export const lookup = endpoint({
  route: paths.lookup,
  summary: 'Records by the values of some fields, for an import that decides between update and insert',
  access: 'user',
  params: z.object({ collection: z.string() }),
  body: z
    .object({
      fields: z.array(z.string()).min(1).max(10),
      /** One list of values a record, in the order of `fields`. */
      keys: z.array(z.array(scalarSchema)).min(1).max(maxBulkRows),
    })
    .strict(),
  reply: z.object({
    /** Per key: ids of the records that have it (none, one, or several). */
    ids: z.array(z.array(z.string())),
  }),
  errors: ['NOTHING_CACHED_YET'],
});

export const getChosenPending = endpoint({
  route: paths.getChosenPending,
  summary: 'Which of the chosen records have a pending operation, for a review of those',
  access: 'user',
  params: z.object({ collection: z.string() }),
  body: z.object({ rows: chosenRowsSchema }).strict(),
  reply: z.object({ ids: z.array(z.string()) }),
  errors: ['NOTHING_CACHED_YET', 'SNAPSHOT_GONE'],
});

export const getDuplicates = endpoint({
  route: paths.getDuplicates,
  summary: 'Groups of records that share the values of a key (decisions Q-GRID-07)',
  access: 'user',
  params: z.object({ collection: z.string() }),
  query: z.object({
    /** Field ids joined with commas; absent = the first natural key or unique field set. */
    fields: z.string().max(10_000).optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  reply: z.object({
    /** The key that was used, and the keys that the table knows of. */
    fields: z.array(z.string()),
    keys: z.array(z.array(z.string())),
    groups: z.array(
      z.object({
        values: z.array(scalarSchema),
        /** The newest first, at most 1,000 of them. */
        ids: z.array(z.string()),
        count: z.number().int(),
      }),
    ),
    offset: z.number().int(),
    maxLimit: z.number().int(),
    total: z.number().int(),
    /** Records in all groups. */
    records: z.number().int(),
  }),
  errors: ['NOTHING_CACHED_YET'],
});
