import {
  type Action,
  type ActionSummary,
  type BodyOf,
  type CopyReply,
  type copyActions as copyEndpoint,
  type createAction as createEndpoint,
  type FieldError,
  type Locale,
  sourceUpdateConfigsSchema,
  type SourceUpdateConfigs,
  type updateAction as updateEndpoint,
  type Wiring,
} from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Once } from '../../platform/mutate.ts';
import { inWords } from '../notifications/service.ts';
import { authorsOf } from '../sessions/authors.ts';
import { checkContent } from './check.ts';
import { type CopiedAction, insertCopies } from './copies.ts';
import { requireEnd } from './ends.ts';
import { requireEndRights } from './rights.ts';
import { takesDeleted } from './runs/select.ts';
import { checkSchedule, nextRunOf } from './schedule.ts';
import {
  connectorEndpoint,
  type ConnectorServices,
  copyValues,
  refuseWhileRunning,
  requireConnector,
  requireConnectorRight,
} from './service.ts';
import { statusOfAction } from './status.ts';
import * as store from './store.ts';
import { readTargetsSoon } from './target-reading.ts';

export async function listActions(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
): Promise<ActionSummary[]> {
  requireConnectorRight(actor, 'read');
  await requireConnector(services.pool, connectorId);
  return (await store.listActions(services.pool, connectorId)).map((action) => {
    const { mappings, triggers, sourceUpdateConfigs } = contentOf(action);
    return {
      ...summaryOf(action, actor.locale),
      mappingCount: mappings.length,
      triggerCount: triggers.length,
      sourceUpdateCount: Object.values(sourceUpdateConfigs).flatMap(({ success, failure }) => [
        ...success,
        ...failure,
      ]).length,
    };
  });
}

export async function getAction(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
): Promise<Action> {
  requireConnectorRight(actor, 'read');
  const action = await requireAction(services.pool, connectorId, actionId);
  return { ...summaryOf(action, actor.locale), ...contentOf(action), version: action.version };
}

export async function requireAction(
  db: Db,
  connectorId: string,
  actionId: string,
): Promise<store.ListedAction> {
  const action = await store.findAction(db, connectorId, actionId);
  if (!action) throw new AppError('NOT_FOUND', { text: { key: 'connector.actionNotFound' } });
  return action;
}

const sourceUpdatesOf = (action: store.ActionRow): SourceUpdateConfigs =>
  sourceUpdateConfigsSchema.parse(action.source_updates);

export function contentOf(action: store.ActionRow): store.ActionContent {
  const { wiring, mappings, triggers } = action;
  return { wiring, mappings, triggers, sourceUpdateConfigs: sourceUpdatesOf(action) };
}

function summaryOf(action: store.ListedAction, locale: Locale) {
  const { status, message } = statusOfAction(action);
  return {
    internalId: action.action_id,
    name: action.name,
    isActive: action.is_active,
    isCopyAllowed: action.is_copy_allowed,
    wiring: action.wiring,
    schedule: action.schedule,
    status,
    statusMessage: inWords(locale, message),
    lastRunAt: action.last_run_at,
    nextRunAt: action.is_active ? action.next_run_at : null,
    activeRunId: action.active_run_id,
    linkedCount: action.linked_count,
    revision: action.revision,
  };
}

export async function createAction(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  body: BodyOf<typeof createEndpoint>,
): Promise<string> {
  const connector = await requireConnector(services.pool, connectorId);
  checkWiring(body.wiring);
  checkSchedule(body.schedule, services.timeZone);
  const nothing = { mappings: [], triggers: [], sourceUpdateConfigs: sourceUpdateConfigsSchema.parse({}) };
  if (body.isActive)
    await requireEndRights(services, actor, connector, { ...nothing, ...body, takesDeleted: false });
  const actionId = await mutate(
    { pool: services.pool, actor },
    'action.create',
    { endpoint: connectorEndpoint, action: 'update' },
    async (tx) => {
      const values = { ...body, ...nothing };
      const id = await store.insertAction(tx, connectorId, values, actor.userId);
      const action = { schedule: body.schedule, is_active: body.isActive };
      await store.setNextRun(tx, id, await nextRunOf(services, tx, { action, connector }, { isFirst: true }));
      tx.audit(`action:${id}`, { connector: connectorId, name: body.name });
      return id;
    },
  );
  await readTargetsSoon(services, actor, connectorId);
  return actionId;
}

/** ACT-03, ACT-04; also one entry per collection. */
function checkWiring({ targets, sources }: Wiring): void {
  const faults: Omit<FieldError, 'message'>[] = [];
  const fault = (field: string, key: string): void => {
    faults.push({ field, code: null, params: { key } });
  };
  if (targets.length !== 1) fault('wiring.targets', 'connector.oneTarget');
  if (sources.length === 0) fault('wiring.sources', 'connector.oneSource');
  if (faults.length > 0) throw new AppError('VALIDATION', { fields: faults });
}

export async function updateAction(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  { changes, revision, confirmDiscardActions }: BodyOf<typeof updateEndpoint>,
): Promise<Action> {
  if (changes.wiring) checkWiring(changes.wiring);
  if (changes.schedule) checkSchedule(changes.schedule, services.timeZone);
  if (changes.mappings || changes.triggers) {
    const now = contentOf(await requireAction(services.pool, connectorId, actionId));
    const connector = await requireConnector(services.pool, connectorId);
    const next = {
      wiring: changes.wiring ?? now.wiring,
      mappings: changes.mappings ?? [],
      triggers: changes.triggers ?? [],
    };
    await checkContent(services, actor, connector, next);
  }
  await mutate(
    { pool: services.pool, actor },
    'action.update',
    { endpoint: connectorEndpoint, action: 'update' },
    async (tx) => {
      const connector = await requireConnector(tx, connectorId);
      const before = await store.lockAction(tx, connectorId, actionId);
      if (!before) throw new AppError('NOT_FOUND', { text: { key: 'connector.actionNotFound' } });
      if (before.revision !== revision) throw new AppError('REVISION_CONFLICT');
      const content = contentOf(before);
      const isMoved = changes.wiring !== undefined && targetOf(changes.wiring) !== targetOf(content.wiring);
      if (isMoved) {
        if (content.mappings.length > 0 && !confirmDiscardActions && changes.mappings === undefined)
          throw new AppError('ACTIONS_WOULD_BE_DISCARDED', {
            text: { key: 'error.ACTIONS_WOULD_BE_DISCARDED', params: { count: 1 } },
            details: { count: 1 },
          });
        await refuseWhileRunning(tx, { actionId });
        await store.removeLinks(tx, actionId);
      }
      const next = {
        ...content,
        ...(isMoved ? { mappings: [], sourceUpdateConfigs: sourceUpdateConfigsSchema.parse({}) } : {}),
        name: before.name,
        isActive: before.is_active,
        isCopyAllowed: before.is_copy_allowed,
        schedule: before.schedule,
        ...changes,
      };
      const isNewVersion = ['wiring', 'mappings', 'triggers', 'sourceUpdateConfigs'].some(
        (part) => part in changes,
      );
      // Whoever changes what an active action does lets it do that, as he who switches it on does.
      if (next.isActive && (!before.is_active || isNewVersion))
        await requireEndRights(services, actor, connector, {
          ...next,
          takesDeleted: next.triggers.some((trigger) => takesDeleted(trigger.sourceRecordSelection)),
        });
      await store.saveAction(tx, before, next, { userId: actor.userId, isNewVersion });
      if (changes.schedule || changes.isActive !== undefined) {
        const action = { schedule: next.schedule, is_active: next.isActive };
        const at = await nextRunOf(services, tx, { action, connector }, { isFirst: !before.is_active });
        await store.setNextRun(tx, actionId, at);
      }
      tx.audit(`action:${actionId}`, { fields: Object.keys(changes) });
    },
  );
  if (changes.wiring) await readTargetsSoon(services, actor, connectorId);
  return await getAction(services, actor, connectorId, actionId);
}

const targetOf = ({ targets }: Wiring): string => targets.map(({ optionId }) => optionId).join();

export async function deleteAction(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  { cancelRuns = false }: { cancelRuns?: boolean | undefined },
): Promise<void> {
  await mutate(
    { pool: services.pool, actor },
    'action.delete',
    { endpoint: connectorEndpoint, action: 'update' },
    async (tx) => {
      const action = await store.lockAction(tx, connectorId, actionId);
      if (!action) throw new AppError('NOT_FOUND', { text: { key: 'connector.actionNotFound' } });
      if (!cancelRuns) await refuseWhileRunning(tx, { actionId });
      await store.removeAction(tx, actionId);
      tx.audit(`action:${actionId}`, { name: action.name });
    },
  );
}

/** Copies those actions that allow it and whose collections exist at the ends of the receiving connector. */
export async function copyActions(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  body: BodyOf<typeof copyEndpoint>,
  once: Once | null,
): Promise<CopyReply> {
  requireConnectorRight(actor, 'read');
  const into = await requireConnector(services.pool, connectorId);
  const from = await requireConnector(services.pool, body.connectorId);
  const wanted = (await store.listActions(services.pool, from.connector_id)).filter(({ action_id }) =>
    body.actionIds.includes(action_id),
  );
  const reply = await mutate(
    { pool: services.pool, actor, once },
    'action.copy',
    { endpoint: connectorEndpoint, action: 'update' },
    async (tx) => {
      tx.audit(`connector:${connectorId}`, { from: from.connector_id, actions: wanted.length });
      return await insertCopies(services, tx, actor, into, wanted.map(copyOf));
    },
  );
  await readTargetsSoon(services, actor, connectorId);
  return reply;
}

export async function copyConnector(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  body: Parameters<typeof copyValues>[1],
  once: Once | null,
): Promise<CopyReply & { internalId: string }> {
  const original = await requireConnector(services.pool, connectorId);
  const values = copyValues(original, body, actor);
  await requireEnd(services, actor, values.source_system);
  await requireEnd(services, actor, values.target_system);
  const actions = await store.listActions(services.pool, connectorId);
  const reply = await mutate(
    { pool: services.pool, actor, once },
    'connector.copy',
    { endpoint: connectorEndpoint, action: 'create' },
    async (tx) => {
      const internalId = await store.insertConnector(tx, values);
      const into = await requireConnector(tx, internalId);
      tx.audit(`connector:${internalId}`, { from: connectorId, name: values.name });
      return { internalId, ...(await insertCopies(services, tx, actor, into, actions.map(copyOf))) };
    },
  );
  await readTargetsSoon(services, actor, reply.internalId);
  return reply;
}

/** As an action goes along in a copy of its connector. */
const copyOf = (action: store.ListedAction): CopiedAction => ({
  actionId: action.action_id,
  name: action.name,
  isAllowed: action.is_copy_allowed,
  isCopyAllowed: action.is_copy_allowed,
  schedule: action.schedule,
  ...contentOf(action),
});

export async function listVersions(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  page: { limit: number; offset: number },
) {
  requireConnectorRight(actor, 'read');
  await requireAction(services.pool, connectorId, actionId);
  const { versions, total } = await store.listVersions(services.pool, actionId, page);
  const authors = await authorsOf(
    services.pool,
    versions.map(({ user_id }) => user_id),
  );
  const resources = versions.map(({ version, at, user_id, content }) => ({
    version,
    at,
    author: authors.get(user_id) ?? { internalId: '', fullName: 'former user' },
    ...content,
  }));
  return { resources, offset: page.offset, maxLimit: 100, total };
}
