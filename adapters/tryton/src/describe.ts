import { createHash } from 'node:crypto';
import type { CallOptions, CollectionDescription, CollectionInfo } from '@sluice/adapter-kit';
import type { FieldDescriptor, Locale, Option } from '@sluice/contract';
import { naturalKeysOf } from './collections.ts';
import { describeFields, isOwnedList } from './fields.ts';
import type { ModelFacts } from './fields.ts';
import { companyOf } from './link.ts';
import type { TrytonLink } from './link.ts';
import { languages } from './metadata.ts';
import type { Metadata, TrytonFields } from './metadata.ts';

/** Models with more records than this are offered as references or ids, never as a list of choices. */
const maxChoices = 200;

/** Describes one model; asks Tryton anew each time, so that changes of the model are seen. */
export async function describeCollection(
  parts: { link: TrytonLink; metadata: Metadata; collections: readonly CollectionInfo[] },
  model: string,
  options: CallOptions,
): Promise<CollectionDescription> {
  const { link, metadata, collections } = parts;
  metadata.forget(model);
  const fields = await metadata.fields(model, options.locale, options);
  const [form, tree, defaults, access] = await Promise.all([
    metadata.viewFields(model, 'form', options),
    metadata.viewFields(model, 'tree', options),
    metadata.defaults(model, fields, options),
    metadata.access([model], options),
  ]);
  const references = new Map(collections.map((info) => [info.code, info.resourceTypeUriId]));
  const viewFields = [...new Set([...tree, ...form])];
  const children: ModelFacts['children'] = await findChildren(parts, { model, fields, viewFields }, options);
  const facts: ModelFacts = {
    fields,
    viewFields,
    defaults,
    options: await findOptions(parts, model, fields, options),
    references,
    children,
    context: { language: languages[options.locale], company: companyOf(options.levels) },
    locale: options.locale,
  };
  const described = describeFields(facts);
  const rights = access[model];
  const isWritable = (right: 'create' | 'write' | 'delete') => rights?.[right] ?? false;
  const { timestamps } = await checkWritable(link, model, options);
  const body = {
    fields: described,
    keyFields: ['id'],
    labelField: fields.has('rec_name') ? 'rec_name' : null,
    naturalKeys: naturalKeysOf(model).filter((key) => key.every((name) => fields.has(name))),
    rights: {
      create: timestamps && isWritable('create'),
      update: timestamps && isWritable('write'),
      delete: timestamps && isWritable('delete'),
    },
  };
  return { ...body, fingerprint: fingerprintOf(body) };
}

/** Models that are queries over other tables know no timestamps; Tryton lets nobody write them. */
async function checkWritable(link: TrytonLink, model: string, options: CallOptions) {
  const rows = await link.rows(model, { domain: [], fields: ['_timestamp'], limit: 1 }, options);
  const [row] = rows;
  return { timestamps: row === undefined || '_timestamp' in row };
}

async function findChildren(
  { metadata }: { link: TrytonLink; metadata: Metadata },
  spec: { model: string; fields: TrytonFields; viewFields: readonly string[] },
  options: CallOptions,
) {
  const children = new Map<string, { fields: TrytonFields; options: ReadonlyMap<string, Option[]> }>();
  for (const name of spec.viewFields) {
    const field = spec.fields.get(name);
    if (field?.type !== 'one2many' || !field.relation) continue;
    const target = await metadata.fields(field.relation, options.locale, options);
    if (!isOwnedList(field, spec.model, target)) continue;
    const choices = await selections(metadata, field.relation, target, options.locale, options);
    children.set(name, { fields: target, options: choices });
  }
  return children;
}

async function selections(
  metadata: Metadata,
  model: string,
  fields: TrytonFields,
  locale: Locale,
  options: CallOptions,
): Promise<Map<string, Option[]>> {
  const result = new Map<string, Option[]>();
  for (const field of fields.values()) {
    if (field.type !== 'selection' && field.type !== 'multiselection') continue;
    const choices = await metadata.selection(model, field, locale, options);
    if (choices !== undefined) result.set(field.name, choices);
  }
  return result;
}

/** Choices of selections, and of links to small models that are no collection themselves (languages, states). */
async function findOptions(
  {
    link,
    metadata,
    collections,
  }: { link: TrytonLink; metadata: Metadata; collections: readonly CollectionInfo[] },
  model: string,
  fields: TrytonFields,
  options: CallOptions,
): Promise<Map<string, Option[]>> {
  const result = await selections(metadata, model, fields, options.locale, options);
  const known = new Set(collections.map((info) => info.code));
  const targets = new Map<string, string[]>();
  for (const field of fields.values()) {
    const isLink = field.type === 'many2one' || field.type === 'many2many';
    if (!isLink || !field.relation || known.has(field.relation) || field.relation.startsWith('res.'))
      continue;
    targets.set(field.relation, [...(targets.get(field.relation) ?? []), field.name]);
  }
  const access = targets.size === 0 ? {} : await metadata.access([...targets.keys()], options);
  for (const [target, names] of targets) {
    if (access[target]?.read !== true) continue;
    const query = {
      domain: [],
      fields: ['rec_name'],
      limit: maxChoices + 1,
      language: languages[options.locale],
    };
    const rows = await link.rows(target, query, options);
    if (rows.length === 0 || rows.length > maxChoices) continue;
    const choices = rows.map((row) => ({ value: Number(row['id']), description: String(row['rec_name']) }));
    for (const name of names) result.set(name, choices);
  }
  return result;
}

/** Values of a new record vary from day to day and are no part of what a collection is. */
function fingerprintOf(description: { fields: FieldDescriptor[] }): string {
  const fields = description.fields.map((field) => ({ ...field, defaultValue: undefined }));
  return createHash('sha256')
    .update(JSON.stringify({ ...description, fields }))
    .digest('hex')
    .slice(0, 16);
}
