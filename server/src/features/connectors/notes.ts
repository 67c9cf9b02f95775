import type { BodyOf, Documentation, updateActionDocumentation } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { listNotedActions, readNote, writeNote } from '../views/documentation.ts';
import { requireAction } from './actions.ts';
import { type ConnectorServices, requireConnector, requireConnectorRight } from './service.ts';

/** What a note is about (decisions Q-DOC-01): a connector, or one of its actions. */
interface About {
  connectorId: string;
  actionId?: string;
}

/** The audit log calls it by the same name. */
async function subjectOf(services: ConnectorServices, actor: UserActor, about: About): Promise<string> {
  requireConnectorRight(actor, 'read');
  const { connectorId, actionId } = about;
  if (actionId === undefined) {
    await requireConnector(services.pool, connectorId);
    return `connector:${connectorId}`;
  }
  await requireAction(services.pool, connectorId, actionId);
  return `action:${actionId}`;
}

export async function readConnectorNote(
  services: ConnectorServices,
  actor: UserActor,
  about: About,
): Promise<Documentation> {
  return await readNote(services, actor, await subjectOf(services, actor, about));
}

export async function writeConnectorNote(
  services: ConnectorServices,
  actor: UserActor,
  about: About,
  body: BodyOf<typeof updateActionDocumentation>,
): Promise<Documentation> {
  const subject = await subjectOf(services, actor, about);
  return await writeNote(services, actor, { subject, target: subject }, body);
}

export async function listNotedActionIds(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
): Promise<string[]> {
  requireConnectorRight(actor, 'read');
  return await listNotedActions(services.pool, connectorId);
}
