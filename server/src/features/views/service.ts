import {
  type BodyOf,
  type createView as createViewEndpoint,
  type SavedView,
  savedViewBodySchema,
  type updateView as updateViewEndpoint,
} from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { type CollectionContext, type ContextServices, openCollection } from '../records/context.ts';
import type { RecordServices } from '../records/service.ts';
import { viewSqlFor } from '../records/shown.ts';
import { authorsOf } from '../sessions/authors.ts';
import * as store from './store.ts';

export async function listViews(
  services: ContextServices,
  actor: UserActor,
  path: string,
): Promise<SavedView[]> {
  const { tableId } = await openCollection(services, actor, path);
  return await wireOf(services.pool, actor, await store.listViewsOf(services.pool, tableId, actor.userId));
}

/** Whoever may read a table may keep views of it. */
export async function createView(
  services: RecordServices,
  actor: UserActor,
  path: string,
  body: BodyOf<typeof createViewEndpoint>,
): Promise<SavedView> {
  const context = await openCollection(services, actor, path);
  await checkView(services, actor, context, body.view);
  const right = { endpoint: context.endpoint, action: 'read' } as const;
  return await mutate({ pool: services.pool, actor }, 'view.create', right, async (tx) => {
    const stored = await store.insertView(tx, context.tableId, actor.userId, body);
    tx.audit(`view:${stored.view_id}`, { tableId: context.tableId, name: body.name });
    return await oneOf(tx, actor, stored);
  });
}

export async function updateView(
  services: RecordServices,
  actor: UserActor,
  path: string,
  viewId: string,
  { revision, ...changes }: BodyOf<typeof updateViewEndpoint>,
): Promise<SavedView> {
  const context = await openCollection(services, actor, path);
  if (changes.view) await checkView(services, actor, context, changes.view);
  const right = { endpoint: context.endpoint, action: 'read' } as const;
  return await mutate({ pool: services.pool, actor }, 'view.update', right, async (tx) => {
    const stored = await ownView(tx, actor, context, viewId);
    const current = await oneOf(tx, actor, stored);
    if (stored.revision !== revision)
      throw new AppError('REVISION_CONFLICT', { details: { resource: current } });
    const saved = await store.saveView(tx, viewId, {
      name: changes.name ?? current.name,
      isShared: changes.isShared ?? current.isShared,
      view: changes.view ?? current.view,
      columns: changes.columns ?? current.columns,
    });
    if (!saved) throw new AppError('NOT_FOUND');
    tx.audit(`view:${viewId}`, { tableId: context.tableId, fields: Object.keys(changes) });
    return await oneOf(tx, actor, saved);
  });
}

export async function deleteView(
  services: ContextServices,
  actor: UserActor,
  path: string,
  viewId: string,
): Promise<void> {
  const context = await openCollection(services, actor, path);
  const right = { endpoint: context.endpoint, action: 'read' } as const;
  await mutate({ pool: services.pool, actor }, 'view.delete', right, async (tx) => {
    const { name } = await ownView(tx, actor, context, viewId);
    await store.removeView(tx, viewId);
    tx.audit(`view:${viewId}`, { tableId: context.tableId, name });
  });
}

/** A view that the actor may change: his own, and for superusers every shared one; what he cannot see is not there. */
async function ownView(
  tx: Tx,
  actor: UserActor,
  { tableId }: CollectionContext,
  viewId: string,
): Promise<store.ViewRow> {
  const stored = await store.lockView(tx, tableId, viewId);
  const isOwn = stored?.owner_id === actor.userId;
  if (!stored || (!isOwn && !stored.is_shared)) throw new AppError('NOT_FOUND');
  if (!isOwn && !actor.isSuperuser) throw new AppError('FORBIDDEN');
  return stored;
}

/** Unknown fields and impossible values are refused when a view is kept, not when somebody opens it. */
async function checkView(
  services: RecordServices,
  actor: UserActor,
  { model }: CollectionContext,
  view: SavedView['view'],
): Promise<void> {
  if (model.columns.length > 0) await viewSqlFor(services, actor, model, view);
}

async function oneOf(db: Db, actor: UserActor, stored: store.ViewRow): Promise<SavedView> {
  const [view] = await wireOf(db, actor, [stored]);
  if (!view) throw new AppError('NOT_FOUND');
  return view;
}

async function wireOf(db: Db, actor: UserActor, views: readonly store.ViewRow[]): Promise<SavedView[]> {
  const authors = await authorsOf(
    db,
    views.map(({ owner_id }) => owner_id),
  );
  return views.map((stored) => ({
    viewId: stored.view_id,
    name: stored.name,
    isShared: stored.is_shared,
    view: savedViewBodySchema.shape.view.parse(stored.view),
    columns: stored.columns,
    owner: authors.get(stored.owner_id) ?? { internalId: '', fullName: 'former user' },
    isOwn: stored.owner_id === actor.userId,
    revision: stored.revision,
  }));
}
