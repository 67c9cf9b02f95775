import { dataTypeSchema, localeSchema, type Locale, validationCodeSchema } from '@sluice/contract';
import { z } from 'zod';
import { lineOf } from './json.ts';
import { fill, profileTexts, ruleTexts } from './texts.ts';

const name = z.string().min(1);
const text = z.union([name, z.record(localeSchema, name)]);
const sizeParameter = name.optional();

/** How a collection is given in pages. */
const pagingSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('page'), parameter: name, first: z.int().default(1), sizeParameter }),
  z.strictObject({ kind: z.literal('offset'), parameter: name, sizeParameter }),
  /** `at`: where the body tells the next cursor. */
  z.strictObject({ kind: z.literal('cursor'), parameter: name, at: name, sizeParameter }),
  /** `at`: where the body tells the next address; absent = the header `Link` with rel="next". */
  z.strictObject({ kind: z.literal('link'), at: name.optional(), sizeParameter }),
  /** Records behind the last key: `value` holds `{last}`, and the fixed parameters sort by the key. */
  z.strictObject({
    kind: z.literal('after'),
    parameter: name,
    value: name.regex(/\{last\}/),
    offsetParameter: name.optional(),
    sizeParameter,
  }),
]);

/** `parameters`: ?field=value. `json`: one parameter with an object. `odata`: one parameter, field eq 'value'. */
const filterSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('parameters') }),
  z.strictObject({ kind: z.literal('json'), parameter: name }),
  z.strictObject({ kind: z.literal('odata'), parameter: name }),
]);

const fieldSchema = z.strictObject({
  id: name,
  name: text.optional(),
  type: z.union([dataTypeSchema, z.enum(['array', 'objects'])]).optional(),
  isMandatory: z.boolean().optional(),
  isReadOnly: z.boolean().optional(),
  isReadOnlyOnUpdate: z.boolean().optional(),
  isHidden: z.boolean().optional(),
  hasServerDefault: z.boolean().optional(),
  maxLength: z.int().positive().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  scale: z.int().min(0).max(30).optional(),
  options: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  help: z.string().optional(),
});
export type ProfileField = z.infer<typeof fieldSchema>;

const endpointSchema = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  path: name,
  /** Name under which the record stands in the body; absent = it is the body. */
  wrap: name.optional(),
  /** Where the answer holds the record, or its key; absent = the whole body. */
  answer: z.string().default(''),
});

/** `{path}`, `{method}` and `{id}` in texts; the text `{body}` becomes the record. */
const batchSchema = z.strictObject({
  path: name,
  size: z.int().min(2).max(500).default(50),
  requests: z.string().default('requests'),
  item: z.json(),
  answers: z.string().default(''),
  /** Where an answer tells the `{id}` of its request; absent = the answers stand in the order of the requests. */
  answerId: name.optional(),
  status: name.optional(),
  success: name.optional(),
  error: name.optional(),
});
export type Batch = z.infer<typeof batchSchema>;

const errorClasses = [
  'validation',
  'unique',
  'reference',
  'inUse',
  'forbidden',
  'conflict',
  'notFound',
  'stale',
  'duplicate',
  'rate',
  'auth',
  'other',
] as const;
export type AnswerClass = (typeof errorClasses)[number];

const errorsSchema = z.strictObject({
  /** Where the lines of an error stand, when there can be several. */
  lines: name.optional(),
  message: z.array(z.string()).default(['message', 'error.message', 'error', 'detail', 'title']),
  code: z.array(z.string()).default(['code', 'error.code', 'type']),
  field: z.array(z.string()).default(['field', 'target', 'error.target', 'path']),
  /** A 2xx answer that holds a message or code is an error too. */
  isIn2xx: z.boolean().default(false),
  rules: z
    .array(
      z.strictObject({
        status: z.int().optional(),
        code: z.union([z.string(), z.number()]).transform(String).optional(),
        /** The service's words, `{field}` at the place of the field and `{*}` for anything. */
        message: name.optional(),
        class: z.enum(errorClasses),
        validation: validationCodeSchema.optional(),
      }),
    )
    .default([]),
});
export type Errors = z.infer<typeof errorsSchema>;

const collectionSchema = z.strictObject({
  code: name,
  title: text.optional(),
  path: name,
  /** Parameters of every read. */
  parameters: z.record(name, z.string()).default({}),
  keyFields: z.array(name).min(1),
  labelField: name.optional(),
  naturalKeys: z.array(z.array(name).min(1)).default([]),
  fields: z.array(fieldSchema).default([]),
  /** True: `fields` are all there are, nothing is inferred from a page of records. */
  isComplete: z.boolean().default(false),
  records: z.string().default(''),
  total: name.optional(),
  paging: pagingSchema.default({ kind: 'none' }),
  filter: filterSchema.optional(),
  /** `{field}` stands for the field; several are joined by commas. */
  order: z.strictObject({ parameter: name, ascending: name, descending: name }).optional(),
  /** `{time}` in `value` is the moment in ISO 8601. */
  changedSince: z.strictObject({ parameter: name, value: name.default('{time}') }).optional(),
  /** One record: its path, and where the answer holds it. */
  one: z.strictObject({ path: name, record: z.string().default('') }).optional(),
  /** Several records by key in one read: `{keys}` is a JSON list, or the keys with commas. */
  many: z
    .strictObject({ parameter: name, value: name.default('{keys}'), size: z.int().positive().default(50) })
    .optional(),
  /** `etag`: the header of a single record, sent back as If-Match. `field`: only told, nothing is refused by it. */
  version: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('etag') }),
      z.strictObject({ kind: z.literal('field'), field: name }),
    ])
    .optional(),
  create: endpointSchema.optional(),
  update: endpointSchema
    .extend({
      /** `replaced`: a nested object is sent whole, with what the record holds beside the change. */
      nested: z.enum(['replaced', 'merged']).default('replaced'),
      /** `whole`: the service takes only whole records, the live one with the changes in it. */
      body: z.enum(['changes', 'whole']).default('changes'),
    })
    .optional(),
  delete: endpointSchema.optional(),
  batch: batchSchema.optional(),
});
export type ProfileCollection = z.infer<typeof collectionSchema>;

export const profileSchema = z
  .strictObject({
    name: z.string().optional(),
    /** Path of a call that tests the sign-in; absent = one record of the first collection. */
    test: name.optional(),
    headers: z.record(name, z.string()).default({}),
    limits: z
      .strictObject({
        pageSize: z.int().min(1).max(10_000).default(100),
        callsPerMinute: z.int().positive().optional(),
        parallel: z.int().min(1).max(10).default(1),
        settleSeconds: z.number().min(0).max(600).default(2),
      })
      .prefault({}),
    idempotency: z.strictObject({ header: name, isForBatches: z.boolean().default(false) }).optional(),
    errors: errorsSchema.prefault({}),
    collections: z.array(collectionSchema).min(1),
  })
  .superRefine((profile, context) => {
    const codes = new Set<string>();
    for (const [index, one] of profile.collections.entries()) {
      const say = (path: PropertyKey[], text: keyof typeof ruleTexts, id = ''): void =>
        context.addIssue({ code: 'custom', path: ['collections', index, ...path], params: { text, id } });
      if (codes.has(one.code)) say(['code'], 'twice', one.code);
      codes.add(one.code);
      const ids = one.fields.map(({ id }) => id);
      for (const [i, id] of ids.entries()) if (ids.indexOf(id) !== i) say(['fields', i, 'id'], 'twice', id);
      if (one.isComplete)
        for (const [i, id] of one.keyFields.entries())
          if (!ids.includes(id)) say(['keyFields', i], 'noField', id);
      if ((one.update ?? one.delete) && !one.one && !one.many && !one.filter) say(['one'], 'unreadable');
      if (one.paging.kind === 'after' && one.keyFields.length > 1) say(['paging', 'kind'], 'afterKey');
    }
  });
export type Profile = z.infer<typeof profileSchema>;

const ruleSchema = z.object({
  text: z.enum(['twice', 'noField', 'unreadable', 'afterKey']),
  id: z.string(),
});

function wordsOf(issue: z.core.$ZodIssue, locale: Locale): string {
  const rule = issue.code === 'custom' ? ruleSchema.safeParse(issue.params) : null;
  return rule?.success ? fill(ruleTexts[rule.data.text], locale, rule.data) : issue.message;
}

/** A profile from the text of the form; what is wrong with it names line and path. */
export function readProfile(
  source: string,
  locale: Locale,
): { profile: Profile; problem: null } | { profile: null; problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(source);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const place = /position (\d+)/.exec(detail)?.[1];
    const line =
      place === undefined ? source.split('\n').length : source.slice(0, Number(place)).split('\n').length;
    return { profile: null, problem: fill(profileTexts.json, locale, { line, detail }) };
  }
  const words = locale === 'NL' ? z.locales.nl() : z.locales.en();
  const parsed = profileSchema.safeParse(json, { error: words.localeError });
  if (parsed.success) return { profile: parsed.data, problem: null };
  const problems = parsed.error.issues.slice(0, 3).map((issue) =>
    fill(profileTexts.form, locale, {
      line: lineOf(source, issue.path),
      path: issue.path.map(String).join('.') || '·',
      detail: wordsOf(issue, locale),
    }),
  );
  return { profile: null, problem: problems.join(' ') };
}
