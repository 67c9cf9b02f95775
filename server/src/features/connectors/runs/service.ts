import { type BodyOf, type Job, type manualRun as manualRunEndpoint, type Run } from '@sluice/contract';
import { type Actor, hasRight, type UserActor } from '../../../platform/actor.ts';
import { type Db, sqlState } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { mutate, type Once } from '../../../platform/mutate.ts';
import { requireJob } from '../../dashboard/service.ts';
import { sendNotification } from '../../notifications/service.ts';
import { discardOperations } from '../../pending/discard.ts';
import { type CollectionContext, modelOf, openCached, requireRight } from '../../records/context.ts';
import { contentOf, requireAction } from '../actions.ts';
import { fieldPathsOf, requireEnd, wiredOf } from '../ends.ts';
import { requireEndRights } from '../rights.ts';
import { type ConnectorServices, requireConnector, requireConnectorRight, runEndpoint } from '../service.ts';
import { listFailedUpdates, retryUpdates } from '../source-updates.ts';
import type { ActionRow, ConnectorRow } from '../store.ts';
import { pendingOf } from './finish.ts';
import { seesDeleted, triggersOf } from './request.ts';
import * as runStore from './run-store.ts';
import type { RunRow } from './run-store.ts';
import { failureOf, wireOfRuns } from './wire.ts';

export interface RunSubject {
  connector: ConnectorRow;
  action: ActionRow;
}

export async function requireSubject(
  services: ConnectorServices,
  connectorId: string,
  actionId: string,
): Promise<RunSubject> {
  return {
    connector: await requireConnector(services.pool, connectorId),
    action: await requireAction(services.pool, connectorId, actionId),
  };
}

/** The target table of an action, cached; the actor needs what a run of it will do there (decisions Q-ROLE-04). */
export async function openTarget(
  services: ConnectorServices,
  actor: Actor,
  { connector, action }: RunSubject,
): Promise<CollectionContext> {
  const end = await requireEnd(services, actor, connector.target_system);
  const { option } = wiredOf(services, actor, end, contentOf(action).wiring.targets[0]?.optionId ?? '');
  return await openCached(services, actor, option.path, 'connector.targetNotRead');
}

/** Mandatory fields of the target that nothing is mapped to (decisions Q-ST-02). */
function unmappedFields(context: CollectionContext, action: ActionRow): string[] {
  const mapped = new Set(
    action.mappings
      .filter(({ mappingSources }) => mappingSources.length > 0)
      .map(({ targetField }) => targetField),
  );
  return fieldPathsOf(context.model.fields.EN)
    .filter(({ group, path }) => group === 'mandatory' && !mapped.has(path))
    .map(({ name }) => name);
}

/** Starts a run that makes pending changes and stops there, so that people look first. */
export async function startManualRun(
  services: ConnectorServices,
  actor: UserActor,
  { connectorId, actionId }: Omit<RunPath, 'runId'>,
  body: BodyOf<typeof manualRunEndpoint>,
  once: Once | null,
): Promise<{ job: Job; run: Run }> {
  const subject = await requireSubject(services, connectorId, actionId);
  return await startRun(services, actor, subject, { request: body, retryOf: null, once });
}

export async function retryRun(
  services: ConnectorServices,
  actor: UserActor,
  { connectorId, actionId, runId }: RunPath,
): Promise<{ job: Job; run: Run }> {
  const subject = await requireSubject(services, connectorId, actionId);
  await requireRun(services.pool, actionId, runId);
  return await startRun(services, actor, subject, {
    request: { triggerId: null, query: null },
    retryOf: runId,
    once: null,
  });
}

async function startRun(
  services: ConnectorServices,
  actor: UserActor,
  subject: RunSubject,
  { request, retryOf, once }: { request: runStore.RunRequest; retryOf: string | null; once: Once | null },
): Promise<{ job: Job; run: Run }> {
  const { action, connector } = subject;
  const context = await openTarget(services, actor, subject);
  requireRight(context, 'create');
  requireRight(context, 'update');
  const content = contentOf(action);
  await requireEndRights(services, actor, connector, {
    ...content,
    takesDeleted:
      retryOf === null && seesDeleted(request.query, triggersOf(content, request.triggerId, true)),
  });
  const missing = unmappedFields(context, action);
  if (action.mappings.length === 0 || (missing.length > 0 && context.rights.create))
    throw new AppError('MAPPINGS_NOT_SET_UP', {
      text: { key: 'error.MAPPINGS_NOT_SET_UP', params: { fields: missing.join(', ') } },
      details: { fields: missing },
    });
  try {
    const runId = await mutate(
      { pool: services.pool, actor, once },
      'run.start',
      { endpoint: runEndpoint, action: 'create' },
      async (tx) => {
        const run = await runStore.insertRun(tx, {
          action_id: action.action_id,
          kind: retryOf === null ? 'manual' : 'retry',
          user_id: actor.userId,
          version: action.version,
          request,
          retry_of: retryOf,
          is_pushed: false,
          collection_id: context.model.collectionId,
        });
        tx.audit(`action:${action.action_id}`, { run: run.run_id, number: run.number });
        tx.publish({ topic: 'job', id: run.run_id, isNew: true });
        await sendNotification(tx, actor.userId, {
          id: run.notification_id,
          kind: 'runFailed',
          class: 'info',
          title: { key: 'run.notification.title', params: { action: action.name } },
          message: { key: 'run.notification.running', params: { source: connector.name } },
          url: `/connectors/${connector.connector_id}/actions?run=${run.run_id}`,
          progress: { total: Math.max(1, context.model.rowCount), current: 0 },
        });
        return run.run_id;
      },
    );
    await services.wakeWorkers();
    const started = await requireRun(services.pool, action.action_id, runId);
    const run = await wireOfRun(services, actor, subject, started);
    return { run, job: await requireJob(services, actor, runId) };
  } catch (error) {
    if (sqlState(error) === '23505') throw new AppError('RUN_ACTIVE');
    throw error;
  }
}

/**
 * A run that the schedule wants; nothing when one is open already. Answers whether it began. No right is asked: the
 * connector itself does it, by what whoever switched the action on was allowed to do (decisions Q-CONN-04).
 */
export async function startScheduledRun(
  services: ConnectorServices,
  actor: UserActor,
  subject: RunSubject,
): Promise<boolean> {
  const context = await openTarget(services, actor, subject);
  try {
    await mutate({ pool: services.pool, actor }, 'run.start', null, async (tx) => {
      const run = await runStore.insertRun(tx, {
        action_id: subject.action.action_id,
        kind: 'scheduled',
        user_id: null,
        version: subject.action.version,
        request: { triggerId: null, query: null },
        retry_of: null,
        is_pushed: true,
        collection_id: context.model.collectionId,
      });
      tx.audit(`action:${subject.action.action_id}`, { run: run.run_id, number: run.number });
      tx.publish({ topic: 'job', id: run.run_id, isNew: true });
    });
    return true;
  } catch (error) {
    if (sqlState(error) === '23505') return false;
    throw error;
  }
}

export interface RunPath {
  connectorId: string;
  actionId: string;
  runId: string;
}

async function requireRun(db: Db, actionId: string, runId: string): Promise<RunRow> {
  const run = await runStore.findRun(db, runId);
  if (run?.action_id !== actionId) throw new AppError('NOT_FOUND');
  return run;
}

export async function listRuns(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  page: { limit: number; offset: number },
): Promise<{ resources: Run[]; offset: number; maxLimit: number; total: number }> {
  requireConnectorRight(actor, 'read');
  const subject = await requireSubject(services, connectorId, actionId);
  const { runs, total } = await runStore.listRuns(services.pool, actionId, page);
  const path = await targetPath(services, actor, subject).catch(() => '');
  const resources = await wireOfRuns(services, actor, path, runs);
  return { resources, offset: page.offset, maxLimit: 100, total };
}

export async function getRun(
  services: ConnectorServices,
  actor: UserActor,
  { connectorId, actionId, runId }: RunPath,
  page: { limit: number; offset: number },
) {
  requireConnectorRight(actor, 'read');
  const subject = await requireSubject(services, connectorId, actionId);
  const run = await requireRun(services.pool, actionId, runId);
  const { failures, total } = await runStore.listFailures(services.pool, runId, page);
  const model = await modelOf(services.pool, run.collection_id);
  return {
    resource: await wireOfRun(services, actor, subject, run),
    sourceUpdateFailures: await listFailedUpdates(services.pool, runId, actor),
    failures: {
      resources: failures.map((failed) => failureOf(failed, model, actor)),
      offset: page.offset,
      maxLimit: 1000,
      total,
    },
  };
}

export async function cancelRun(
  services: ConnectorServices,
  actor: UserActor,
  { connectorId, actionId, runId }: RunPath,
): Promise<Run> {
  const subject = await requireSubject(services, connectorId, actionId);
  await mutate(
    { pool: services.pool, actor },
    'run.cancel',
    { endpoint: runEndpoint, action: 'create' },
    async (tx) => {
      const run = await requireRun(tx, actionId, runId);
      tx.audit(`run:${runId}`, { number: run.number });
      if (run.finished_at === null) await runStore.updateRun(tx, runId, { is_cancel_requested: true });
    },
  );
  await services.wakeWorkers();
  return await wireOfRun(services, actor, subject, await requireRun(services.pool, actionId, runId));
}

/** What could not be written back to the source is tried again. */
export async function retrySourceUpdates(
  services: ConnectorServices,
  actor: UserActor,
  { connectorId, actionId, runId }: RunPath,
): Promise<{ retried: number }> {
  await requireSubject(services, connectorId, actionId);
  const retried = await mutate(
    { pool: services.pool, actor },
    'run.retryUpdates',
    { endpoint: runEndpoint, action: 'create' },
    async (tx) => {
      const run = await requireRun(tx, actionId, runId);
      const count = await retryUpdates(tx, runId, services.now());
      tx.audit(`run:${runId}`, { number: run.number, count });
      return count;
    },
  );
  await services.wakeWorkers();
  return { retried };
}

/** Takes back what the run made and what is still pending of it; what a person has changed of it goes with it. */
export async function discardRun(
  services: ConnectorServices,
  actor: UserActor,
  { connectorId, actionId, runId }: RunPath,
): Promise<{ discarded: number; refused: number }> {
  const subject = await requireSubject(services, connectorId, actionId);
  if (!hasRight(actor, { endpoint: runEndpoint, action: 'create' })) throw new AppError('FORBIDDEN');
  const run = await requireRun(services.pool, actionId, runId);
  const context = await openTarget(services, actor, subject);
  const pending = await pendingOf(services, run);
  const total = { discarded: 0, refused: 0 };
  const path = await targetPath(services, actor, subject);
  for (let at = 0; at < pending.length; at += 10_000) {
    const part = pending.slice(at, at + 10_000);
    const ids = (action: string): string[] =>
      part.filter((one) => one.action === action).map(({ rid }) => String(rid));
    const reply = await discardOperations(services, actor, path, {
      insert: ids('i'),
      update: ids('u'),
      delete: ids('d'),
    });
    total.discarded += Object.values(reply.discarded).reduce((sum, count) => sum + count, 0);
    total.refused += reply.refused.length;
  }
  // What it had linked to rows that are gone now is new again at the next run; the rest is looked at again.
  await mutate(
    { pool: services.pool, actor },
    'run.discard',
    { endpoint: runEndpoint, action: 'create' },
    async (tx) => {
      tx.audit(`run:${runId}`, total);
      await runStore.forgetRun(tx, runId, context.model.collectionId);
    },
  );
  return total;
}

async function targetPath(
  services: ConnectorServices,
  actor: Actor,
  { connector, action }: RunSubject,
): Promise<string> {
  const end = await requireEnd(services, actor, connector.target_system);
  return wiredOf(services, actor, end, action.wiring.targets[0]?.optionId ?? '').option.path;
}

async function wireOfRun(
  services: ConnectorServices,
  actor: UserActor,
  subject: RunSubject,
  run: RunRow,
): Promise<Run> {
  const path = await targetPath(services, actor, subject).catch(() => '');
  const [wire] = await wireOfRuns(services, actor, path, [run]);
  if (!wire) throw new Error('One run came to none');
  return wire;
}
