import type { BodyOf, ConnectorFile, CopyReply, importConnector as importEndpoint } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { mutate } from '../../platform/mutate.ts';
import { contentOf } from './actions.ts';
import { insertCopies } from './copies.ts';
import { requireEnd } from './ends.ts';
import {
  connectorEndpoint,
  type ConnectorServices,
  requireConnector,
  requireConnectorRight,
} from './service.ts';
import * as store from './store.ts';
import { readTargetsSoon } from './target-reading.ts';

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

/** Actions whose collections do not exist at the given ends are left out and told. */
export async function importConnector(
  services: ConnectorServices,
  actor: UserActor,
  { file, name, sourceSystem, targetSystem }: BodyOf<typeof importEndpoint>,
): Promise<CopyReply & { internalId: string }> {
  await requireEnd(services, actor, sourceSystem);
  await requireEnd(services, actor, targetSystem);
  const reply = await mutate(
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
      const into = await requireConnector(tx, internalId);
      const moved = file.actions.map((action) => ({ ...action, actionId: null, isAllowed: true }));
      const copied = await insertCopies(services, tx, actor, into, moved);
      tx.audit(`connector:${internalId}`, { name: name ?? file.name, actions: copied.copied });
      return { internalId, ...copied };
    },
  );
  await readTargetsSoon(services, actor, reply.internalId);
  return reply;
}
