import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { openCached } from '../records/context.ts';
import { requireEnd, wiredOf } from './ends.ts';
import { type ConnectorServices, requireConnector } from './service.ts';
import * as store from './store.ts';

/**
 * Whoever wires tables that were never read, or copies actions of which that is true, will want to try and run them:
 * reading begins now.
 */
export async function readTargetsSoon(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
): Promise<void> {
  const connector = await requireConnector(services.pool, connectorId);
  const actions = await store.listActions(services.pool, connectorId);
  const targets = actions.flatMap(({ wiring }) => wiring.targets.map(({ optionId }) => optionId));
  for (const target of new Set(targets))
    try {
      const end = await requireEnd(services, actor, connector.target_system);
      await openCached(services, actor, wiredOf(services, actor, end, target).option.path);
    } catch (error) {
      // Not read yet is what it is for; what else is wrong with the target is said where it is used.
      if (!(error instanceof AppError)) throw error;
    }
}
