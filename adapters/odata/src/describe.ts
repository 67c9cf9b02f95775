import { createHash } from 'node:crypto';
import type { FieldDescriptor } from '@sluice/contract';
import type { CollectionDescription, CollectionInfo } from '@sluice/adapter-kit';
import {
  capabilities,
  common,
  constantOf,
  core,
  erp,
  isTrue,
  itemsOf,
  memberOf,
  pathOf,
} from './annotations.ts';
import type { EntitySet, Model, StructuredType } from './csdl.ts';
import { describeFields, labelFieldOf, labelOf, slugOf } from './fields.ts';

export function typeOf(model: Model, set: EntitySet): StructuredType {
  const type = model.types.get(set.entityType);
  if (!type) throw new Error(`the type ${set.entityType} of ${set.name} is not described`);
  return type;
}

/** The set that holds the companies of a domain, where there is one. */
export function companySetOf(model: Model): EntitySet | undefined {
  return model.sets.find((set) => /^companies$/i.test(set.name));
}

/** The property by which a collection is worked on in parts, and the set of which the parts come. */
export function attributeOf(set: EntitySet): { property: string; set: string } | null {
  const term = set.annotations.get(`${erp}.PerAttribute`);
  const property = pathOf(memberOf(term, 'Property'));
  const name = constantOf(memberOf(term, 'EntitySet'));
  return property !== null && typeof name === 'string' ? { property, set: name } : null;
}

/** Sets that can be read as collections. */
export function collectionsOf(model: Model, numberOfSystemLevels: number): CollectionInfo[] {
  const company = companySetOf(model);
  return model.sets
    .filter((set) => set !== company && allows(set, 'ReadRestrictions', 'Readable'))
    .filter((set) => typeOf(model, set).key.length > 0)
    .map((set) => ({
      code: set.name,
      resourceTypeUriId: slugOf(set.name),
      title: labelOf(set.annotations, set.name),
      numberOfSystemLevels,
      hasAttribute: attributeOf(set) !== null,
    }));
}

function allows(set: EntitySet, term: string, name: string): boolean {
  return constantOf(memberOf(set.annotations.get(`${capabilities}.${term}`), name)) !== false;
}

function pathsIn(set: EntitySet, term: string, name: string): string[] {
  return itemsOf(memberOf(set.annotations.get(`${capabilities}.${term}`), name)).flatMap(
    (item) => pathOf(item) ?? [],
  );
}

function naturalKeysOf(type: StructuredType): string[][] {
  return itemsOf(type.annotations.get(`${core}.AlternateKeys`)).flatMap((key) => {
    const names = itemsOf(memberOf(key, 'Key')).flatMap((ref) => pathOf(memberOf(ref, 'Name')) ?? []);
    return names.length > 0 ? [names.map((name) => name.replaceAll('/', '.'))] : [];
  });
}

/** Marks uniqueness, per-attribute columns and what the set forbids for single properties. */
function refine(
  fields: FieldDescriptor[],
  set: EntitySet,
  type: StructuredType,
  naturalKeys: string[][],
): FieldDescriptor[] {
  const fixed = new Set(pathsIn(set, 'UpdateRestrictions', 'NonUpdatableProperties'));
  const attribute = attributeOf(set)?.property;
  const givenKey = fields.some((f) => f.isKey && !f.isReadOnly) ? [type.key] : [];
  return fields.map((field) => {
    const unique = [...givenKey, ...naturalKeys].filter((ids) => ids.includes(field.id));
    return {
      ...field,
      isReadOnlyOnUpdate: field.isReadOnlyOnUpdate || fixed.has(field.id),
      // Every record of the part has this value; the adapter fills it in.
      ...(field.id === attribute ? { isReadOnly: true, isMandatory: false } : {}),
      validations: [
        ...field.validations,
        ...unique.map((ids) => ({ code: 4900 as const, params: { fields: ids } })),
      ],
    };
  });
}

/** A hash of what matters to a cache and to validation; texts are left out, so that both languages share it. */
function fingerprintOf(description: Omit<CollectionDescription, 'fingerprint'>): string {
  const bare = JSON.stringify(description, (key: string, value: unknown) =>
    key === 'name' || key === 'help' || key === 'description' ? undefined : value,
  );
  return createHash('sha256').update(bare).digest('base64url').slice(0, 22);
}

export function describeSet(model: Model, set: EntitySet): CollectionDescription {
  const type = typeOf(model, set);
  const naturalKeys = naturalKeysOf(type);
  const fields = describeFields({ model, set, type, prefix: '', isInArray: false, scalarKind: 'field' });
  const description = {
    fields: refine(fields, set, type, naturalKeys),
    keyFields: type.key,
    labelField: labelFieldOf(type),
    naturalKeys,
    rights: {
      create: allows(set, 'InsertRestrictions', 'Insertable'),
      update: allows(set, 'UpdateRestrictions', 'Updatable'),
      delete: allows(set, 'DeleteRestrictions', 'Deletable'),
    },
  };
  return { ...description, fingerprint: fingerprintOf(description) };
}

/** The property that tells when a record was made or last changed. */
export function timestampOf(type: StructuredType, which: 'CreatedAt' | 'ChangedAt'): string | null {
  const names = {
    CreatedAt: /^created_?(at|on|date_?time)$/i,
    ChangedAt: /^((last_?)?modified|changed)_?(at|on|date_?time)$/i,
  };
  const instants = type.properties.filter(
    (p) => p.type.name === 'Edm.DateTimeOffset' && !p.type.isCollection,
  );
  const marked = instants.find((p) => isTrue(p.annotations, `${common}.${which}`));
  return (marked ?? instants.find((p) => names[which].test(p.name)))?.name ?? null;
}

/** Whether the service says that it has `$batch`; null = it does not say. */
export function announcesBatch(model: Model): boolean | null {
  const term =
    model.annotations.get(`${capabilities}.BatchSupported`) ??
    model.annotations.get(`${capabilities}.BatchSupport`);
  if (!term) return null;
  const supported = constantOf(memberOf(term, 'Supported') ?? term);
  return typeof supported === 'boolean' ? supported : null;
}

export function productionFlagOf(model: Model): boolean | null {
  const value = constantOf(model.annotations.get(`${erp}.IsProduction`));
  return typeof value === 'boolean' ? value : null;
}
