import type {
  BodyOf,
  Connector,
  RunDay,
  copyConnector as copyEndpoint,
  createConnector as createEndpoint,
  Crud,
  ExternalSystem,
  updateConnector as updateEndpoint,
} from '@sluice/contract';
import { type Actor, hasRight, rightsOn, type UserActor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { inWords } from '../notifications/service.ts';
import type { CacheServices } from '../cache/service.ts';
import { externalSystems } from '../systems/catalogue.ts';
import { nameOfEnd, requireEnd, resolveEnd } from './ends.ts';
import { statusOfConnector } from './status.ts';
import * as store from './store.ts';

export interface ConnectorServices extends CacheServices {
  /** IANA name: cron and the macros of the day count by it. */
  timeZone: string;
}

/** Rights on connectors themselves, and on running them (decisions Q-ROLE-03, Q-ROLE-04). */
export const connectorEndpoint = 'connectors';
export const runEndpoint = 'connectorRuns';

export function requireConnectorRight(actor: Actor, action: keyof Crud): void {
  if (!hasRight(actor, { endpoint: connectorEndpoint, action })) throw new AppError('FORBIDDEN');
}

export async function listConnectors(services: ConnectorServices, actor: UserActor): Promise<Connector[]> {
  requireConnectorRight(actor, 'read');
  return await wireOf(services, actor, await store.listConnectors(services.pool));
}

export async function getConnector(
  services: ConnectorServices,
  actor: UserActor,
  id: string,
): Promise<Connector> {
  requireConnectorRight(actor, 'read');
  const [connector] = await wireOf(services, actor, [await requireConnector(services.pool, id)]);
  if (!connector) throw new AppError('NOT_FOUND');
  return connector;
}

export async function requireConnector(db: Db, id: string, lock = false): Promise<store.ConnectorRow> {
  const connector = await store.findConnector(db, id, lock);
  if (!connector) throw new AppError('NOT_FOUND', { text: { key: 'connector.notFound' } });
  return connector;
}

/** How many connectors stop working when the domain is gone (decisions Q-DOM-06). */
export async function countConnectorsOfDomain(db: Db, domainId: string): Promise<number> {
  return await store.countConnectorsOfDomain(db, domainId);
}

/** The systems and levels to choose from, and what the actor may do. */
export async function connectorMetadata(
  services: ConnectorServices,
  actor: UserActor,
): Promise<{ systems: ExternalSystem[]; rights: Crud; runRights: Crud }> {
  return {
    systems: externalSystems(await services.catalogue.systems(), services.connections, actor),
    rights: rightsOn(actor, connectorEndpoint),
    runRights: rightsOn(actor, runEndpoint),
  };
}

export async function createConnector(
  services: ConnectorServices,
  actor: UserActor,
  body: BodyOf<typeof createEndpoint>,
): Promise<string> {
  await requireEnd(services, actor, body.sourceSystem);
  await requireEnd(services, actor, body.targetSystem);
  return await mutate(
    { pool: services.pool, actor },
    'connector.create',
    { endpoint: connectorEndpoint, action: 'create' },
    async (tx) => {
      const id = await store.insertConnector(tx, valuesOf(body));
      tx.audit(`connector:${id}`, { name: body.name });
      return id;
    },
  );
}

export async function updateConnector(
  services: ConnectorServices,
  actor: UserActor,
  id: string,
  { changes, revision, confirmDiscardActions }: BodyOf<typeof updateEndpoint>,
): Promise<Connector> {
  if (changes.sourceSystem) await requireEnd(services, actor, changes.sourceSystem);
  if (changes.targetSystem) await requireEnd(services, actor, changes.targetSystem);
  await mutate(
    { pool: services.pool, actor },
    'connector.update',
    { endpoint: connectorEndpoint, action: 'update' },
    async (tx) => {
      const before = await requireConnector(tx, id, true);
      if (before.revision !== revision) throw new AppError('REVISION_CONFLICT');
      const next = {
        name: changes.name ?? before.name,
        description: changes.description ?? before.description,
        source_system: changes.sourceSystem ?? before.source_system,
        target_system: changes.targetSystem ?? before.target_system,
        alerts: changes.alerts ?? before.alerts,
      };
      const isMoved =
        !isSameEnd(next.source_system, before.source_system) ||
        !isSameEnd(next.target_system, before.target_system);
      if (isMoved) {
        const count = (await store.listActions(tx, id)).length;
        if (count > 0 && !confirmDiscardActions)
          throw new AppError('ACTIONS_WOULD_BE_DISCARDED', {
            text: { key: 'error.ACTIONS_WOULD_BE_DISCARDED', params: { count } },
            details: { count },
          });
        await refuseWhileRunning(tx, { connectorId: id });
        await store.removeActions(tx, id);
      }
      await store.saveConnector(tx, id, next);
      tx.audit(`connector:${id}`, { fields: Object.keys(changes), actionsDiscarded: isMoved });
    },
  );
  return await getConnector(services, actor, id);
}

export async function deleteConnector(
  services: ConnectorServices,
  actor: UserActor,
  id: string,
  { cancelRuns = false }: { cancelRuns?: boolean | undefined },
): Promise<void> {
  await mutate(
    { pool: services.pool, actor },
    'connector.delete',
    { endpoint: connectorEndpoint, action: 'delete' },
    async (tx) => {
      const { name } = await requireConnector(tx, id, true);
      // A run whose action is gone stops at its next batch.
      if (!cancelRuns) await refuseWhileRunning(tx, { connectorId: id });
      await store.removeConnector(tx, id);
      tx.audit(`connector:${id}`, { name });
    },
  );
}

export async function refuseWhileRunning(
  db: Db,
  of: { connectorId: string } | { actionId: string },
): Promise<void> {
  const count = await store.countOpenRuns(db, of);
  if (count > 0)
    throw new AppError('IN_USE', {
      text: { key: 'connector.runsActive', params: { count } },
      details: { count },
    });
}

const isSameEnd = (a: store.ConnectorRow['source_system'], b: store.ConnectorRow['source_system']): boolean =>
  a.id === b.id && a.levelIds.join() === b.levelIds.join();

function valuesOf(body: BodyOf<typeof createEndpoint>): store.ConnectorValues {
  return {
    name: body.name,
    description: body.description,
    source_system: body.sourceSystem,
    target_system: body.targetSystem,
    alerts: body.alerts,
  };
}

/** Values of a copy: what is not said otherwise is as in the original. */
export function copyValues(
  original: store.ConnectorRow,
  body: Partial<BodyOf<typeof copyEndpoint>>,
  actor: Actor,
): store.ConnectorValues {
  return {
    name: body.name ?? text(actor.locale, 'connector.copyName', { name: original.name }),
    description: body.description ?? original.description,
    source_system: body.sourceSystem ?? original.source_system,
    target_system: body.targetSystem ?? original.target_system,
    alerts: original.alerts,
  };
}

async function wireOf(
  services: ConnectorServices,
  actor: UserActor,
  connectors: readonly store.ConnectorRow[],
): Promise<Connector[]> {
  const states = await store.listStates(services.pool);
  return await Promise.all(
    connectors.map(async (connector) => {
      const own = states.filter(({ connector_id }) => connector_id === connector.connector_id);
      const source = await resolveEnd(services, actor, connector.source_system);
      const target = await resolveEnd(services, actor, connector.target_system);
      const problems = [source, target].flatMap((end) => ('problem' in end ? [end.problem] : []));
      const { status, message } = statusOfConnector(own);
      const times = (of: 'last_run_at' | 'next_run_at') => own.flatMap((state) => state[of] ?? []).sort();
      return {
        internalId: connector.connector_id,
        name: connector.name,
        description: connector.description,
        sourceSystem: connector.source_system,
        targetSystem: connector.target_system,
        sourceName: 'problem' in source ? connector.source_system.id : nameOfEnd(source),
        targetName: 'problem' in target ? connector.target_system.id : nameOfEnd(target),
        problem: problems.length > 0 ? problems.join(' ') : null,
        alerts: connector.alerts,
        actionCount: own.length,
        status,
        statusMessage: inWords(actor.locale, message),
        lastRunAt: times('last_run_at').at(-1) ?? null,
        nextRunAt: own.some(({ is_active }) => is_active) ? (times('next_run_at')[0] ?? null) : null,
        isBusy: own.some(({ is_busy }) => is_busy),
        revision: connector.revision,
      };
    }),
  );
}

const plottedDays = 14;

/** What the runs of all of a connector's actions did, day by day. */
export async function listRunDays(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
): Promise<RunDay[]> {
  requireConnectorRight(actor, 'read');
  await requireConnector(services.pool, connectorId);
  return await store.listRunDays(services.pool, connectorId, plottedDays, services.timeZone);
}
