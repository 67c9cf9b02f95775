import type { BodyOf, ConnectorFile, CopyReply, importConnector as importEndpoint } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { mutate } from '../../platform/mutate.ts';
import { contentOf } from './actions.ts';
import { optionsOf, requireEnd } from './ends.ts';
import {
  connectorEndpoint,
  type ConnectorServices,
  requireConnector,
  requireConnectorRight,
} from './service.ts';
import * as store from './store.ts';

/** What moves from test to production: everything but systems, links and history. */
export async function exportConnector(
  services: ConnectorServices,
  actor: UserActor,
  id: string,
): Promise<ConnectorFile> {
  requireConnectorRight(actor, 'read');
  const connector = await requireConnector(services.pool, id);
  const actions = await store.listActions(services.pool, id);
  return {
    format: 'sluice-connector',
    version: 1,
    name: connector.name,
    description: connector.description,
    actions: actions.map((action) => ({
      name: action.name,
      isCopyAllowed: action.is_copy_allowed,
      schedule: action.schedule,
      ...contentOf(action),
    })),
  };
}

/** Actions whose collections do not exist at the given ends are left out and counted. */
export async function importConnector(
  services: ConnectorServices,
  actor: UserActor,
  { file, name, sourceSystem, targetSystem }: BodyOf<typeof importEndpoint>,
): Promise<CopyReply & { internalId: string }> {
  const source = await requireEnd(services, actor, sourceSystem);
  const target = await requireEnd(services, actor, targetSystem);
  const sources = new Map(optionsOf(services, actor, source).map((option) => [option.id, option.path]));
  const targets = new Map(optionsOf(services, actor, target).map((option) => [option.id, option.path]));
  return await mutate(
    { pool: services.pool, actor },
    'connector.import',
    { endpoint: connectorEndpoint, action: 'create' },
    async (tx) => {
      const internalId = await store.insertConnector(tx, {
        name: name ?? file.name,
        description: file.description,
        source_system: sourceSystem,
        target_system: targetSystem,
        alerts: { emails: [], webhookUrl: null },
      });
      const internalIds: string[] = [];
      for (const action of file.actions) {
        const { wiring } = action;
        const isThere =
          wiring.targets.every(({ optionId }) => targets.has(optionId)) &&
          wiring.sources.every(({ optionId }) => sources.has(optionId));
        if (!isThere) continue;
        const moved = {
          targets: wiring.targets.map((end) => ({ ...end, path: targets.get(end.optionId) ?? '' })),
          sources: wiring.sources.map((end) => ({ ...end, path: sources.get(end.optionId) ?? '' })),
        };
        const values = { ...action, wiring: moved, isActive: false };
        internalIds.push(await store.insertAction(tx, internalId, values, actor.userId));
      }
      tx.audit(`connector:${internalId}`, { name: name ?? file.name, actions: internalIds.length });
      return { internalId, copied: internalIds.length, total: file.actions.length, internalIds, skipped: [] };
    },
  );
}
