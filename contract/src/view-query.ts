import { z } from 'zod';

export const filterOperators = [
  'contains',
  'doesNotContain',
  'equals',
  'doesNotEqual',
  'beginsWith',
  'endsWith',
  'greaterThan',
  'lessThan',
  'greaterThanOrEqual',
  'lessThanOrEqual',
  'before',
  'after',
  'isTrue',
  'isFalse',
  'isEmpty',
  'isNotEmpty',
  'in',
  'notIn',
] as const;
export type FilterOperator = (typeof filterOperators)[number];

/** One condition; all conditions of a filter must hold. `in` and `notIn` take `values`, the others `value`. */
export const filterConditionSchema = z
  .object({
    field: z.string(),
    operator: z.enum(filterOperators),
    value: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
    values: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .max(10_000)
      .optional(),
  })
  .strict();
export type FilterCondition = z.infer<typeof filterConditionSchema>;

export const searchDataTypes = ['any', 'text', 'number', 'boolean', 'date', 'time'] as const;

/** What is looked for in cells; `fields` null = all fields. Values are compared as people see them. */
export const findSpecSchema = z
  .object({
    text: z.string().min(1).max(1000),
    dataType: z.enum(searchDataTypes).default('any'),
    matchCase: z.boolean().default(false),
    matchWholeWord: z.boolean().default(false),
    fields: z.array(z.string()).max(2000).nullable().default(null),
  })
  .strict();
export type FindSpec = z.input<typeof findSpecSchema>;

/** A truth value in a query. */
export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();

/** What selects and orders records; the same words wherever records are chosen. */
export const viewQuerySchema = z.object({
  /** JSON list of filter conditions. */
  filter: z
    .string()
    .max(1_000_000)
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'filter is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(z.array(filterConditionSchema).max(100))
    .optional(),
  search: z.string().max(1000).optional(),
  searchDataType: z.enum(searchDataTypes).optional(),
  /** Additional: fields to look in, joined with commas; absent = all. */
  searchFields: z.string().max(10_000).optional(),
  matchCase: flag,
  matchWholeWord: flag,
  /** Field ids, joined with commas for several levels of order. */
  orderBy: z.string().max(1000).optional(),
  /** One per field of `orderBy`, joined with commas; missing = ascending. */
  sortOrder: z
    .string()
    .regex(/^(ascending|descending)(,(ascending|descending))*$/)
    .optional(),
});

/** The same in a body, where lists need no joining. */
export const viewBodySchema = z
  .object({
    filter: z.array(filterConditionSchema).max(100).default([]),
    search: findSpecSchema.nullable().default(null),
    order: z
      .array(z.object({ path: z.string().max(300), isDescending: z.boolean() }).strict())
      .max(20)
      .default([]),
  })
  .strict();
export type ViewBody = z.input<typeof viewBodySchema>;
