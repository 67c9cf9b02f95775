import type { CollectionMetadata, Crud, FieldDescriptor, Locale } from '@sluice/contract';
import { type Actor, hasRight, rightsOn } from '../../platform/actor.ts';
import { perDatabase, type Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import {
  type CollectionHead,
  type CollectionModel,
  type CollectionRow,
  findCollection,
  readModel,
} from '../cache/model.ts';
import * as cacheStore from '../cache/store.ts';
import { capitalise } from '../menu/service.ts';
import {
  type Catalogue,
  type CollectionAddress,
  dataEndpoint,
  resolveAddress,
  tableIdOf,
  titleOf,
  titlesOf,
} from '../systems/catalogue.ts';
import type { Connections } from '../systems/connections.ts';
import { shownStatus } from '../systems/domain-state.ts';

/** A collection that the actor may read, with what he may do to it. */
export interface CollectionContext {
  address: CollectionAddress;
  model: CollectionModel;
  tableId: string;
  endpoint: string;
  rights: Crud;
  readOnlyReason: CollectionMetadata['readOnlyReason'];
}

export interface ContextServices {
  pool: Pool;
  catalogue: Catalogue;
  connections: Connections;
}

const modelsOf = perDatabase(() => new Map<number, CollectionModel>());

/** The model of a collection; columns and rules are worked out once per schema version. */
export async function modelOf(pool: Pool, collectionId: number): Promise<CollectionModel> {
  const stored = await findCollection(pool, collectionId);
  if (!stored) throw new AppError('NOT_FOUND');
  return knownModel(pool, stored) ?? (await newModel(pool, stored));
}

/** What this process knew of a collection last; somebody else may have changed it since. */
export const lastModel = (pool: Pool, collectionId: number): CollectionModel | null =>
  modelsOf(pool).get(collectionId) ?? null;

function knownModel(pool: Pool, stored: CollectionHead): CollectionModel | null {
  const known = modelsOf(pool).get(stored.collection_id);
  if (
    known?.schemaVersion === stored.schema_version &&
    JSON.stringify(known.description.rights) ===
      JSON.stringify(stored.description.rights ?? known.description.rights)
  ) {
    // Only what changes without the schema; the object stays, so that what hangs on it (rules) stays too.
    known.state = stored.state;
    known.generation = stored.generation;
    known.rowCount = stored.row_count;
    known.refreshedAt = stored.refreshed_at;
    known.message = stored.message;
    known.loaded = stored.loaded;
    known.expected = stored.expected;
    known.searchFnos = stored.search_fnos;
    return known;
  }
  return null;
}

async function newModel(pool: Pool, stored: CollectionRow): Promise<CollectionModel> {
  const model = await readModel(pool, stored);
  modelsOf(pool).set(stored.collection_id, model);
  return model;
}

/** Finds the collection of a data path; it need not be cached yet. */
export async function openCollection(
  services: ContextServices,
  actor: Actor,
  path: string,
): Promise<CollectionContext> {
  const segments = path.split('/').map((segment) => decodeURIComponent(segment));
  const address = await resolveAddress(services.catalogue, services.connections, segments, actor);
  const endpoint = dataEndpoint(address.system.system_id, address.resourceType.uri_id);
  if (!hasRight(actor, { endpoint, action: 'read' })) throw new AppError('FORBIDDEN');
  const identity = {
    domainId: address.domain.domain_id,
    companyId: address.company?.company_id ?? '',
    uriId: address.resourceType.uri_id,
    attributeId: address.attributeId,
    code: address.resourceType.code,
  };
  if (address.resourceType.has_attribute && !address.attributeId) throw new AppError('NOT_FOUND');
  const stored =
    (await cacheStore.findCollectionBy(services.pool, identity)) ??
    (await cacheStore.ensureCollection(services.pool, identity));
  const model = knownModel(services.pool, stored) ?? (await modelOf(services.pool, stored.collection_id));
  const external = model.description.rights;
  const own = rightsOn(actor, endpoint);
  const isActive = address.domain.is_active;
  const rights: Crud = {
    read: true,
    create: isActive && own.create && external.create,
    update: isActive && own.update && external.update,
    delete: isActive && own.delete && external.delete,
  };
  const isReadOnly = !rights.create && !rights.update && !rights.delete;
  const hasOwn = own.create || own.update || own.delete;
  return {
    address,
    model,
    tableId: tableIdOf(address),
    endpoint,
    rights,
    readOnlyReason: !isReadOnly ? null : !isActive ? 'domainInactive' : hasOwn ? 'externalSystem' : 'noRight',
  };
}

/**
 * Opens a collection whose records can be read; opening one that is not cached yet moves it to the front of the queue.
 * `textKey`: words with the {collection}'s name for where people may not know which one is meant.
 */
export async function openCached(
  services: ContextServices,
  actor: Actor,
  path: string,
  textKey?: string,
): Promise<CollectionContext> {
  const context = await openCollection(services, actor, path);
  // After a failed refresh the records of the last good one are still there.
  if (context.model.refreshedAt === null) {
    await cacheStore.wantCollection(services.pool, context.model.collectionId);
    throw new AppError('NOTHING_CACHED_YET', {
      ...(textKey
        ? { text: { key: textKey, params: { collection: titlesOf(context.address.resourceType) } } }
        : {}),
      details: {
        state: context.model.state,
        loaded: context.model.loaded,
        expected: context.model.expected,
        message: context.model.message,
      },
    });
  }
  return context;
}

export function requireRight(context: CollectionContext, action: 'create' | 'update' | 'delete'): void {
  if (context.rights[action]) return;
  throw new AppError(context.readOnlyReason === 'domainInactive' ? 'DOMAIN_INACTIVE' : 'FORBIDDEN');
}

/** Values of a record that is not pushed yet belong to adding it: who may add it may also go on filling it in. */
export const requireRightToEdit = (context: CollectionContext, isEveryRecordNew: boolean): void =>
  requireRight(context, isEveryRecordNew && context.rights.create ? 'create' : 'update');

export function metadataOf(
  context: CollectionContext,
  locale: Locale,
  withOptions: boolean,
): CollectionMetadata {
  const { address, model, rights } = context;
  return {
    resourceTypeUriId: model.uriId,
    title: capitalise(titleOf(address.resourceType, locale), locale),
    isInsertAllowed: rights.create,
    isUpdateAllowed: rights.update,
    isDeleteAllowed: rights.delete,
    keyFields: model.description.keyFields,
    fieldsMetadata: withOptions ? model.fields[locale] : model.fields[locale].map(withoutOptions),
    labelField: model.description.labelField,
    systemName: address.system.name,
    levelNames: [address.domain.name, ...(address.company ? [address.company.name] : [])],
    isProduction: address.domain.is_production,
    domainStatus: shownStatus(address.domain),
    readOnlyReason: context.readOnlyReason,
    rights,
    cachedAt: model.refreshedAt,
    tableId: context.tableId,
  };
}

function withoutOptions(field: FieldDescriptor): FieldDescriptor {
  const { options: _, ...rest } = field;
  return rest.children ? { ...rest, children: rest.children.map(withoutOptions) } : rest;
}
