import type { Crud, Locale } from '@sluice/contract';

/** A signed-in person, with the rights computed from roles and custom rights. */
export interface UserActor {
  kind: 'user';
  userId: number;
  internalId: string;
  fullName: string;
  isSuperuser: boolean;
  locale: Locale;
  sessionId: string;
  /**
   * Endpoint id -> rights. Data endpoints are `data:{systemId}:{resourceTypeUriId}`; `data:{systemId}:*` are all tables
   * of a system, `data:*` those of all systems.
   */
  rights: ReadonlyMap<string, Crud>;
  /**
   * System id (`*` = every system) -> allowed level option ids, or null for all of the system. A system not listed is
   * invisible.
   */
  systems: ReadonlyMap<string, ReadonlySet<string> | null>;
}

/** The product itself: a refresh, a push, the start. It may do everything; the audit names it. */
export interface SystemActor {
  kind: 'system';
  name: string;
  locale: Locale;
}

export type Actor = UserActor | SystemActor;

export interface Right {
  endpoint: string;
  action: keyof Crud;
}

const all: Crud = { create: true, read: true, update: true, delete: true };
const none: Crud = { create: false, read: false, update: false, delete: false };

/** An endpoint and what it is part of. */
function withWider(endpoint: string): readonly string[] {
  const [kind, systemId] = endpoint.split(':');
  return kind === 'data' ? [endpoint, `data:${systemId}:*`, 'data:*'] : [endpoint];
}

export function rightsOn(actor: Actor, endpoint: string): Crud {
  if (actor.kind === 'system' || actor.isSuperuser) return all;
  return withWider(endpoint)
    .map((name) => actor.rights.get(name) ?? none)
    .reduce((one, other) => ({
      create: one.create || other.create,
      read: one.read || other.read,
      update: one.update || other.update,
      delete: one.delete || other.delete,
    }));
}

export function hasRight(actor: Actor, right: Right): boolean {
  return rightsOn(actor, right.endpoint)[right.action];
}

/**
 * May the actor see this option of a level of this system? Of a domain whose companies are listed one by one those
 * alone; company options are `{domain id}.{company id}`.
 */
export function maySeeLevel(actor: Actor, systemId: string, levelId: string | null): boolean {
  if (actor.kind === 'system' || actor.isSuperuser) return true;
  if (actor.systems.has('*')) return true;
  const levels = actor.systems.get(systemId);
  if (levels === undefined) return false;
  if (levels === null || levelId === null || levels.has(levelId)) return true;
  const [domainId, companyId] = levelId.split('.');
  const hasCompanies = [...levels].some((id) => id.startsWith(`${domainId}.`));
  return companyId === undefined ? hasCompanies : levels.has(domainId ?? '') && !hasCompanies;
}

export function actorName(actor: Actor): string {
  return actor.kind === 'user' ? actor.fullName : actor.name;
}
