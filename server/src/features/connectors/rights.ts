import type { SourceUpdateConfigs } from '@sluice/contract';
import { rightsOn, type UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { dataEndpoint } from '../systems/catalogue.ts';
import { requireEnd } from './ends.ts';
import type { ConnectorServices } from './service.ts';
import type { ActionContent, ConnectorRow } from './store.ts';

const writesBack = (configs: SourceUpdateConfigs): boolean =>
  Object.values(configs).some(({ success, failure }) => success.length > 0 || failure.length > 0);

/**
 * Nobody lets a connector do what he may not do himself: its runs work with all rights (decisions Q-ROLE-04,
 * Q-ROLE-05).
 */
export async function requireEndRights(
  services: ConnectorServices,
  actor: UserActor,
  connector: ConnectorRow,
  {
    wiring,
    sourceUpdateConfigs,
    takesDeleted,
  }: Pick<ActionContent, 'wiring' | 'sourceUpdateConfigs'> & { takesDeleted: boolean },
): Promise<void> {
  const target = await requireEnd(services, actor, connector.target_system);
  for (const { optionId } of wiring.targets) {
    const rights = rightsOn(actor, dataEndpoint(target.system.system_id, optionId));
    if (!rights.create || !rights.update) refuse('connector.noTargetRight', optionId);
    if (takesDeleted && !rights.delete) refuse('connector.noDeleteRight', optionId);
  }
  if (!writesBack(sourceUpdateConfigs)) return;
  const source = await requireEnd(services, actor, connector.source_system);
  for (const { optionId } of wiring.sources)
    if (!rightsOn(actor, dataEndpoint(source.system.system_id, optionId)).update)
      refuse('connector.noSourceRight', optionId);
}

function refuse(key: string, table: string): never {
  throw new AppError('FORBIDDEN', { text: { key, params: { table } } });
}
