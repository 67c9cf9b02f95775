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
  /** Endpoint id -> rights. Data endpoints are `data:{systemId}:{resourceTypeUriId}`. */
  rights: ReadonlyMap<string, Crud>;
  /** System id -> allowed level option ids, or null for all of the system. A system not listed is invisible. */
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

export function rightsOn(actor: Actor, endpoint: string): Crud {
  if (actor.kind === 'system' || actor.isSuperuser) return all;
  return actor.rights.get(endpoint) ?? none;
}

export function hasRight(actor: Actor, right: Right): boolean {
  return rightsOn(actor, right.endpoint)[right.action];
}

/** May the actor see this option of a level of this system? */
export function maySeeLevel(actor: Actor, systemId: string, levelId: string | null): boolean {
  if (actor.kind === 'system' || actor.isSuperuser) return true;
  const levels = actor.systems.get(systemId);
  if (levels === undefined) return false;
  return levels === null || levelId === null || levels.has(levelId);
}

export function actorName(actor: Actor): string {
  return actor.kind === 'user' ? actor.fullName : actor.name;
}
