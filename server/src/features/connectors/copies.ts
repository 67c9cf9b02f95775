import type { CopyReply, Schedule, Wiring } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db.ts';
import { optionsOf, requireEnd } from './ends.ts';
import type { ConnectorServices } from './service.ts';
import * as store from './store.ts';

/** An action that is to be put into a connector, with the wiring that it has where it comes from. */
export interface CopiedAction extends store.ActionContent {
  /** Null: it comes out of a file. */
  actionId: string | null;
  name: string;
  isAllowed: boolean;
  isCopyAllowed: boolean;
  schedule: Schedule;
}

/** Puts copies of actions into a connector, inactive; those whose tables its ends do not have are left out and told. */
export async function insertCopies(
  services: ConnectorServices,
  tx: Db,
  actor: UserActor,
  into: Pick<store.ConnectorRow, 'connector_id' | 'source_system' | 'target_system'>,
  actions: readonly CopiedAction[],
): Promise<CopyReply> {
  const source = await requireEnd(services, actor, into.source_system);
  const target = await requireEnd(services, actor, into.target_system);
  const sources = new Map(optionsOf(services, actor, source).map((option) => [option.id, option]));
  const targets = new Map(optionsOf(services, actor, target).map((option) => [option.id, option]));
  const reply: CopyReply = { copied: 0, total: actions.length, internalIds: [], skipped: [] };
  for (const { actionId, isAllowed, ...action } of actions) {
    const wiring = {
      targets: action.wiring.targets.flatMap((end) => movedEnd(end, targets)),
      sources: action.wiring.sources.flatMap((end) => movedEnd(end, sources)),
    };
    const isWhole =
      wiring.targets.length === action.wiring.targets.length &&
      wiring.sources.length === action.wiring.sources.length;
    if (!isAllowed || !isWhole) {
      const reason = isAllowed ? 'fieldsMissing' : 'copyNotAllowed';
      reply.skipped.push({ actionId, name: action.name, reason });
      continue;
    }
    const values = { ...action, wiring, isActive: false };
    reply.internalIds.push(await store.insertAction(tx, into.connector_id, values, actor.userId));
    reply.copied += 1;
  }
  return reply;
}

function movedEnd(
  end: Wiring['targets'][number],
  options: ReadonlyMap<string, { path: string }>,
): Wiring['targets'] {
  const option = options.get(end.optionId);
  return option ? [{ ...end, path: option.path }] : [];
}
