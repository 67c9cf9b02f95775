import { createHash } from 'node:crypto';
import type { CollectionDescription, CollectionInfo, Key, ReadRecord } from '@sluice/adapter-kit';
import type { FieldDescriptor, Locale } from '@sluice/contract';
import { at, type Entity, textAt } from './json.ts';
import type { Profile, ProfileCollection, ProfileField } from './profile.ts';
import { blankField, inferFields, toRec } from './values.ts';

const textOf = (text: ProfileField['name'], locale: Locale): string | undefined =>
  typeof text === 'object' ? (text[locale] ?? text.EN ?? text.NL) : text;

const slugOf = (code: string): string =>
  code
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'collection';

/** The collections of a profile with slugs that are unique. */
export function infosOf(profile: Profile, locale: Locale): CollectionInfo[] {
  const taken = new Set<string>();
  return profile.collections.map(({ code, title }) => {
    let slug = slugOf(code);
    for (let n = 2; taken.has(slug); n++) slug = `${slugOf(code)}-${n}`;
    taken.add(slug);
    return {
      code,
      resourceTypeUriId: slug,
      title: textOf(title, locale) ?? code,
      numberOfSystemLevels: 1,
      hasAttribute: false,
    };
  });
}

function refine(field: FieldDescriptor, declared: ProfileField, locale: Locale): FieldDescriptor {
  const { type, options, maxLength, min, max, scale } = declared;
  const kind =
    type === 'array'
      ? ('primitiveValuesArray' as const)
      : type === 'objects'
        ? field.kind.endsWith('Array') && field.children
          ? field.kind
          : ('primitiveValuesArray' as const)
        : type === undefined
          ? field.kind
          : ('field' as const);
  const dataType =
    type === 'array' || type === 'objects' ? (field.dataType ?? 'string') : (type ?? field.dataType);
  return {
    ...field,
    kind,
    ...(kind === 'simpleArray' || kind === 'complexArray' ? {} : { dataType: dataType ?? 'string' }),
    name: textOf(declared.name, locale) ?? field.name,
    isMandatory: declared.isMandatory ?? field.isMandatory,
    isReadOnly: declared.isReadOnly ?? (type !== undefined && type !== 'unknown' ? false : field.isReadOnly),
    isReadOnlyOnUpdate: declared.isReadOnlyOnUpdate ?? field.isReadOnlyOnUpdate,
    isHidden: declared.isHidden ?? field.isHidden,
    validations: [
      ...(max === undefined ? [] : [{ code: 4102 as const, params: { max } }]),
      ...(min === undefined ? [] : [{ code: 4101 as const, params: { min } }]),
      ...(maxLength === undefined ? [] : [{ code: 4200 as const, params: { max: maxLength } }]),
      ...(options === undefined ? [] : [{ code: 4400 as const, params: {} }]),
    ],
    ...(options === undefined ? {} : { options: options.map((value) => ({ value })) }),
    ...(scale === undefined ? {} : { scale }),
    ...(declared.help === undefined ? {} : { help: declared.help }),
    ...(declared.hasServerDefault ? { hasServerDefault: true } : {}),
  };
}

/** Fields and rights of a collection, from the profile and, unless it says all, a page of records. */
export function describeCollection(
  collection: ProfileCollection,
  sample: readonly Entity[],
  locale: Locale,
): CollectionDescription {
  const { keyFields, version, create, update, delete: remove, naturalKeys } = collection;
  const inferred = collection.isComplete ? [] : inferFields(sample);
  const declared = new Map(collection.fields.map((field) => [field.id, field]));
  const ids = [...new Set([...keyFields, ...declared.keys(), ...inferred.map(({ id }) => id)])].filter(
    // A declared object is not also its parts, nor the other way round.
    (id) => declared.has(id) || ![...declared.keys()].some((other) => id.startsWith(`${other}.`)),
  );
  const versionField = version?.kind === 'field' ? version.field : null;
  const fields = ids.map((id): FieldDescriptor => {
    const found = inferred.find((field) => field.id === id);
    const blank: FieldDescriptor = found ?? { ...blankField(id), dataType: 'string' };
    const field = refine(blank, declared.get(id) ?? { id }, locale);
    const isKey = keyFields.includes(id);
    // Without a word in the profile the service makes its keys.
    const isMade =
      isKey && declared.get(id)?.isReadOnly === undefined && declared.get(id)?.isMandatory !== true;
    return {
      ...field,
      isKey,
      isReadOnly: field.isReadOnly || isMade || id === versionField || (!create && !update),
      isReadOnlyOnUpdate: field.isReadOnlyOnUpdate || isKey || !update,
    };
  });
  const known = new Set(fields.map(({ id }) => id));
  const description = {
    fields: fields.map((field) => ({
      ...field,
      validations: [
        ...field.validations,
        ...naturalKeys
          .filter((key) => key.includes(field.id))
          .map((key) => ({ code: 4900 as const, params: { fields: key } })),
      ],
    })),
    keyFields,
    labelField:
      collection.labelField ??
      ['name', 'title', 'description', 'displayName'].find((id) => known.has(id)) ??
      keyFields[0] ??
      null,
    naturalKeys: naturalKeys.filter((key) => key.every((id) => known.has(id))),
    rights: { create: create !== undefined, update: update !== undefined, delete: remove !== undefined },
    changes: collection.changedSince ? ('column' as const) : ('none' as const),
  };
  const bare = JSON.stringify(description, (name: string, value: unknown) =>
    name === 'name' || name === 'help' ? undefined : value,
  );
  const fingerprint = createHash('sha256').update(bare).digest('base64url').slice(0, 22);
  return { ...description, fingerprint };
}

/** Keys are the text of their field; of several fields, each encoded and joined by commas. */
export function keyOf(collection: ProfileCollection, entity: unknown): Key | null {
  const parts = collection.keyFields.map((id) => textAt(entity, id));
  const whole = parts.filter((part) => part !== null);
  if (whole.length < parts.length) return null;
  return whole.length === 1 ? (whole[0] ?? null) : whole.map(encodeURIComponent).join(',');
}

const partsOf = (collection: ProfileCollection, key: Key): string[] =>
  collection.keyFields.length === 1 ? [key] : key.split(',').map(decodeURIComponent);

/** `{key}` and `{fieldId}` of a path, for a record. */
export function pathOf(collection: ProfileCollection, template: string, key: Key): string {
  const parts = partsOf(collection, key);
  return template.replaceAll(/\{([^}]+)\}/g, (whole, name: string) => {
    if (name === 'key') return parts.map(encodeURIComponent).join(',');
    const part = parts[collection.keyFields.indexOf(name)];
    return part === undefined ? whole : encodeURIComponent(part);
  });
}

/** A record of the service; null when it has no key. */
export function toRecord(
  collection: ProfileCollection,
  fields: readonly FieldDescriptor[],
  entity: Entity,
  etag: string | null = null,
): ReadRecord | null {
  const key = keyOf(collection, entity);
  if (key === null) return null;
  const { version } = collection;
  const told = version?.kind === 'field' ? at(entity, version.field) : undefined;
  return {
    key,
    version:
      version?.kind === 'etag'
        ? etag
        : typeof told === 'string' || typeof told === 'number'
          ? String(told)
          : null,
    values: toRec(fields, entity),
  };
}
