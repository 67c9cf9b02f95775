import { randomUUID } from 'node:crypto';
import type { BodyOf, ChangePushAction, Locale, PushResult, push as pushEndpoint } from '@sluice/contract';
import type { Actor, UserActor } from '../../platform/actor.ts';
import { rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { mutate, type Once, record, type Tx } from '../../platform/mutate.ts';
import { type Params, text } from '../../platform/texts.ts';
import type { CacheServices } from '../cache/service.ts';
import * as cacheStore from '../cache/store.ts';
import type { CollectionModel } from '../cache/model.ts';
import { sendNotification, type StoredText } from '../notifications/service.ts';
import { publishRows } from '../pending/service.ts';
import { wordsOf } from '../pending/words.ts';
import { type CollectionContext, modelOf, openCached, requireRight } from '../records/context.ts';
import { authorsOf } from '../sessions/authors.ts';
import { titlesOf } from '../systems/catalogue.ts';
import { applyDomainEvent } from '../systems/domain-events.ts';
import { cancelRest, runPush } from './engine.ts';
import { lists, planPush } from './plan.ts';
import { PushStopped } from './run.ts';
import * as store from './store.ts';

export type PushServices = CacheServices;

const rightOf = { insert: 'create', update: 'update', delete: 'delete' } as const;

/**
 * Takes the selected operations out of people's hands and plans their sending; the work itself is the workers'. `note`
 * is done in the same transaction: whoever started a push without a person also knows it after a crash.
 */
export async function startPush(
  services: PushServices,
  actor: UserActor,
  path: string,
  body: BodyOf<typeof pushEndpoint>,
  { once = null, note }: { once?: Once | null; note?: (tx: Tx, pushId: string) => Promise<void> },
): Promise<ChangePushAction> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  if (!context.address.domain.is_active) throw new AppError('DOMAIN_INACTIVE');
  if (lists.every((list) => body[list].length === 0)) {
    throw new AppError('VALIDATION', { fields: [{ field: 'insert', code: 4001, params: {} }] });
  }
  for (const list of lists) if (body[list].length > 0) requireRight(context, rightOf[list]);

  const pushId = await mutate(
    { pool: services.pool, actor, once },
    'push.start',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const notificationId = randomUUID();
      const push = { user_id: actor.userId, notification_id: notificationId };
      // What each of them sends is read when its turn comes: until then nobody can change it.
      const { pushId: newId, rids, skipped } = await planPush(tx, model, push, body);
      const details = { collectionId: model.collectionId, records: rids.length, skipped: skipped.length };
      tx.audit(`push:${newId}`, details);
      if (rids.length > 0) {
        await sendNotification(tx, actor.userId, {
          id: notificationId,
          kind: 'pushFinished',
          class: 'info',
          title: titleText(context),
          message: {
            key: 'push.notification.running',
            params: { count: rids.length, system: context.address.system.name },
          },
          url: `/data/${path}?push=${newId}`,
          progress: { total: rids.length, current: 0 },
        });
        publishRows(tx, model, rids);
        tx.publish({ topic: 'push', pushId: newId });
        tx.publish({ topic: 'job', id: newId, isNew: true });
      }
      await note?.(tx, newId);
      return newId;
    },
  );
  return await pushAction(services, actor, model, pushId, { offset: 0, limit: 0 });
}

const titleText = ({ address }: CollectionContext): StoredText => ({
  key: 'push.notification.title',
  params: { table: titlesOf(address.resourceType) },
});

// The workers -----------------------------------------------------------------------------------------------------

const lockSpace = 716_253_004;

/** Runs the open pushes: one at a time per table, several tables at once; any worker may go on with any push. */
export function startPushLoop(services: PushServices): Loop {
  return startLoop({
    name: 'Push',
    everyMs: 1000,
    concurrency: 4,
    log: services.log,
    find: async (limit) => await store.listOpenPushes(services.pool, limit),
    keyOf: (open) => String(open.collection_id),
    run: async (open, signal) => await continuePush(services, open, signal),
  });
}

/** Takes an open push to its end, or as far as it can; does nothing where another worker has it. */
export async function continuePush(
  services: PushServices,
  open: { push_id: string; collection_id: number; domain_id: string },
  signal: AbortSignal,
): Promise<void> {
  const { pool } = services;
  const lock = await pool.connect();
  try {
    const taken = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      lockSpace,
      open.collection_id,
    ]);
    if (!taken.rows[0]?.taken) return;
    const push = await store.findPush(pool, open.push_id);
    if (!push || push.finished_at !== null) return;
    const model = await modelOf(pool, open.collection_id);
    if (push.status === 'QUEUED') {
      await record(pool, async (tx) => {
        await store.updatePush(tx, push.push_id, { status: 'RUNNING', started_at: services.now() });
        tx.publish({ topic: 'job', id: push.push_id, isNew: false });
      });
    }
    const stopped = await attempt(services, open.domain_id, model, push, signal);
    await finish(services, model, push, stopped);
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
  }
}

/** Answers why the push stopped early, or null; throws what should be tried again later. */
async function attempt(
  services: PushServices,
  domainId: string,
  model: CollectionModel,
  push: store.PushRow,
  signal: AbortSignal,
): Promise<PushStopped | null> {
  try {
    const session = await services.connections.of(domainId);
    await runPush(services, session, model, push, signal);
    return null;
  } catch (error) {
    if (signal.aborted) throw error;
    const stopped =
      error instanceof PushStopped
        ? error
        : new PushStopped(error instanceof Error ? error.message : String(error));
    services.log.warn('A push stopped early', { pushId: push.push_id, error });
    if (stopped.external?.code === 'AUTH')
      await applyDomainEvent(services, domainId, { type: 'accessRefused', message: stopped.message });
    await cancelRest(services, model, push.push_id);
    return stopped;
  }
}

async function finish(
  services: PushServices,
  model: CollectionModel,
  push: store.PushRow,
  stopped: PushStopped | null,
): Promise<void> {
  await record(services.pool, async (tx) => {
    const counts = await store.countStates(tx, push.push_id);
    // Still in doubt (the external system cannot be reached): the push stays open and goes on later.
    if (counts.sent > 0) {
      await store.updatePush(tx, push.push_id, { message: stopped?.message ?? null });
      return;
    }
    const failed = counts.rejected + counts.conflict + counts.unknown;
    const isCancelled = stopped?.message === 'cancelled';
    const status = statusOf(counts, isCancelled, stopped !== null);
    await store.updatePush(tx, push.push_id, {
      status,
      finished_at: services.now(),
      succeeded: counts.succeeded,
      failed,
      message: isCancelled ? null : (stopped?.message ?? null),
    });
    const total = counts.insert + counts.update + counts.delete;
    const stored = (
      await rows<{ title: StoredText; message: StoredText; url: string | null }>(
        tx,
        sql`select title, message, url from notification where notification_id = ${push.notification_id}`,
      )
    )[0];
    await sendNotification(tx, push.user_id, {
      id: push.notification_id,
      kind: 'pushFinished',
      class: status === 'DONE' ? 'success' : status === 'FAILED' ? 'error' : 'warning',
      title: stored?.title ?? { key: 'push.notification.title' },
      message: messageOf({
        counts,
        failed,
        total,
        stopped,
        isCancelled,
        system: stored?.message.params?.system ?? '',
      }),
      url: stored?.url ?? null,
      progress: { total, current: total },
    });
    tx.publish({ topic: 'push', pushId: push.push_id });
    tx.publish({ topic: 'job', id: push.push_id, isNew: false });
    // Systems that do not answer with the record: a refresh brings versions and computed fields.
    await cacheStore.wantCollection(tx, model.collectionId);
  });
  await services.wakeWorkers();
}

function statusOf(
  counts: Awaited<ReturnType<typeof store.countStates>>,
  isCancelled: boolean,
  isStopped: boolean,
): ChangePushAction['status'] {
  if (isCancelled) return 'CANCELLED';
  const failed = counts.rejected + counts.conflict + counts.unknown;
  if (counts.succeeded === 0 && (failed > 0 || isStopped)) return 'FAILED';
  return failed > 0 || isStopped ? 'PARTIALLY_FAILED' : 'DONE';
}

function messageOf(end: {
  counts: Awaited<ReturnType<typeof store.countStates>>;
  failed: number;
  total: number;
  stopped: PushStopped | null;
  isCancelled: boolean;
  system: Params[string];
}): StoredText {
  const { counts, failed, total, stopped } = end;
  if (end.isCancelled) return { key: 'push.notification.cancelled', params: { succeeded: counts.succeeded } };
  if (stopped) return { key: 'push.notification.stopped', params: { reason: { key: stopped.message } } };
  if (counts.unknown > 0) return { key: 'push.notification.unknown', params: { unknown: counts.unknown } };
  if (failed === 0) return { key: 'push.notification.done', params: { count: total, system: end.system } };
  if (counts.succeeded === 0)
    return { key: 'push.notification.failed', params: { count: total, system: end.system } };
  return { key: 'push.notification.partial', params: { succeeded: counts.succeeded, failed } };
}

// Looking at pushes -----------------------------------------------------------------------------------------------

const outcomes: Record<store.PushItem['state'], PushResult['outcome']> = {
  planned: 'waiting',
  sent: 'waiting',
  succeeded: 'succeeded',
  rejected: 'rejected',
  conflict: 'rejected',
  unknown: 'unknown',
  cancelled: 'skipped',
};
const statesOf = (outcome: PushResult['outcome']): string[] =>
  Object.entries(outcomes).flatMap(([state, shown]) => (shown === outcome ? [state] : []));
const resultActions = { i: 'add', u: 'update', d: 'delete' } as const;

export async function getPush(
  services: PushServices,
  actor: UserActor,
  path: string,
  pushId: string,
  query: {
    outcome?: PushResult['outcome'] | undefined;
    limit?: number | undefined;
    offset?: number | undefined;
  },
): Promise<ChangePushAction> {
  const { model } = await openCached(services, actor, path);
  return await pushAction(services, actor, model, pushId, {
    outcome: query.outcome,
    offset: query.offset ?? 0,
    limit: query.limit ?? 1000,
  });
}

export async function cancelPush(
  services: PushServices,
  actor: UserActor,
  path: string,
  pushId: string,
): Promise<ChangePushAction> {
  const context = await openCached(services, actor, path);
  const push = await store.findPush(services.pool, pushId);
  if (push?.collection_id !== context.model.collectionId) throw new AppError('NOT_FOUND');
  if (push.user_id !== actor.userId && !actor.isSuperuser) throw new AppError('FORBIDDEN');
  await mutate(
    { pool: services.pool, actor },
    'push.cancel',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      tx.audit(`push:${pushId}`);
      if (push.finished_at === null) await store.updatePush(tx, pushId, { is_cancel_requested: true });
      tx.publish({ topic: 'push', pushId });
    },
  );
  return await pushAction(services, actor, context.model, pushId, { offset: 0, limit: 1000 });
}

async function pushAction(
  services: PushServices,
  actor: Actor,
  model: CollectionModel,
  pushId: string,
  page: { outcome?: PushResult['outcome'] | undefined; offset: number; limit: number },
): Promise<ChangePushAction> {
  const push = await store.findPush(services.pool, pushId);
  if (push?.collection_id !== model.collectionId) throw new AppError('NOT_FOUND');
  const counts = await store.countStates(services.pool, pushId);
  const items =
    page.limit > 0
      ? await store.listItemsForReply(services.pool, model, pushId, {
          ...page,
          states: page.outcome ? statesOf(page.outcome) : null,
        })
      : [];
  const authors = await authorsOf(services.pool, [push.user_id]);
  return {
    internalId: push.push_id,
    status: push.status,
    clientAction: push.finished_at === null ? 'wait' : 'reload',
    counts: { insert: counts.insert, update: counts.update, delete: counts.delete },
    succeeded: counts.succeeded,
    failed: counts.rejected + counts.conflict,
    unknown: counts.unknown,
    skipped: push.skipped,
    authoredBy: authors.get(push.user_id) ?? { internalId: '', fullName: '' },
    createdAt: push.created_at,
    finishedAt: push.finished_at,
    message: push.message && text(actor.locale, push.message),
    results: items.map((item) => resultOf(item, model, actor.locale)),
  };
}

function resultOf(item: store.ItemOfReply, model: CollectionModel, locale: Locale): PushResult {
  const errors = (item.errors ?? []).map((error) => ({ ...error, msg: wordsOf(error, model, locale) }));
  const [first] = errors;
  return {
    id: String(item.rid),
    newId: item.action === 'i' && item.new_key !== null ? String(item.rid) : null,
    key: item.new_key ?? item.key,
    label: item.label,
    action: resultActions[item.action],
    outcome: outcomes[item.state],
    errCode: first?.errCode ?? null,
    msg: first?.msg ?? null,
    fieldErrors: errors.map(({ field, errCode, msg }) => ({ field, errCode, msg })),
  };
}
