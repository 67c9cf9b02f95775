import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { findSystem } from './catalogue.ts';
import { requireRight, type SystemServices } from './service.ts';

/** A value to start from for a setting of the kind, made of another document; nothing is stored or called. */
export async function draftSetting(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  source: string,
): Promise<{ value: string; notes: string[] } | { problem: string }> {
  requireRight(actor, 'domains', 'read');
  const system = await findSystem(services.catalogue, systemId);
  const draft = services.connections.adapters.get(system.kind)?.draft;
  if (!draft) throw new AppError('NOT_FOUND');
  return draft.make(source, actor.locale);
}
