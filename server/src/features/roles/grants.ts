import type { Crud, EndpointRight, SystemRight } from '@sluice/contract';
import { rightsOn, type UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';

/** Parts of the product that rights are given on, with the rights that exist there (decisions Q-ROLE-03). */
export const productEndpoints = {
  connectors: { create: true, read: true, update: true, delete: true },
  connectorRuns: { create: true, read: true, update: true, delete: true },
  domains: { create: true, read: true, update: true, delete: true },
  companies: { create: false, read: true, update: true, delete: false },
  users: { create: true, read: true, update: true, delete: true },
  roles: { create: true, read: true, update: true, delete: true },
  documentation: { create: false, read: true, update: true, delete: false },
  jobsOfOthers: { create: false, read: true, update: false, delete: false },
  audit: { create: false, read: true, update: false, delete: false },
} as const satisfies Record<string, Crud>;

const actions = ['create', 'read', 'update', 'delete'] as const;
const dataEndpoint = /^data:(\*|[^:]+:[^:]+)$/;

/** Rights and systems that one role, or somebody by himself, has. */
export interface Grants {
  rights: readonly EndpointRight[];
  systems: readonly SystemRight[];
}

export interface Effective {
  rights: Map<string, Crud>;
  systems: Map<string, ReadonlySet<string> | null>;
}

/** The union of all of them; nothing takes a right away (decisions Q-ROLE-02). */
export function combine({ rights, systems }: Grants): Effective {
  const effective: Effective = { rights: new Map(), systems: new Map() };
  for (const right of rights) {
    const known = effective.rights.get(right.endpointId);
    const writes = right.create || right.update || right.delete;
    effective.rights.set(right.endpointId, {
      create: right.create || (known?.create ?? false),
      // Who may write may read.
      read: right.read || writes || (known?.read ?? false),
      update: right.update || (known?.update ?? false),
      delete: right.delete || (known?.delete ?? false),
    });
  }
  for (const { externalSystemId, levelIds } of systems) {
    const known = effective.systems.get(externalSystemId);
    if (known === null) continue;
    const all = levelIds === null ? null : new Set([...(known ?? []), ...levelIds]);
    effective.systems.set(externalSystemId, all);
  }
  return effective;
}

function hasSystem(actor: UserActor, { externalSystemId, levelIds }: SystemRight): boolean {
  if (actor.isSuperuser || actor.systems.has('*')) return true;
  const own = actor.systems.get(externalSystemId);
  if (own === undefined) return false;
  if (own === null) return true;
  if (levelIds === null) return false;
  const companiesIn = (ids: Iterable<string>, domainId: string): boolean =>
    [...ids].some((id) => id.startsWith(`${domainId}.`));
  return levelIds.every((level) => {
    const [domainId = '', companyId] = level.split('.');
    const hasWhole = own.has(domainId) && !companiesIn(own, domainId);
    // A domain beside which companies are listed stands for no more than these.
    return hasWhole || (companyId === undefined ? companiesIn(levelIds, domainId) : own.has(level));
  });
}

/** Does the actor have all of this himself? */
export function coversGrants(actor: UserActor, { rights, systems }: Grants): boolean {
  if (actor.isSuperuser) return true;
  const hasRights = rights.every((right) => {
    const own = rightsOn(actor, right.endpointId);
    return actions.every((action) => !right[action] || own[action]);
  });
  return hasRights && systems.every((system) => hasSystem(actor, system));
}

/** What `after` gives that `before` did not: only that has to be somebody's own to give. */
function added(before: Grants, after: Grants): Grants {
  const old = new Map(before.rights.map((right) => [right.endpointId, right]));
  return {
    rights: after.rights.map((right) => {
      const had = old.get(right.endpointId);
      if (!had) return right;
      const more = { ...right };
      for (const action of actions) more[action] = right[action] && !had[action];
      return more;
    }),
    systems: after.systems.filter(
      (system) => !before.systems.some((had) => JSON.stringify(had) === JSON.stringify(system)),
    ),
  };
}

/** No escalation (decisions Q-ROLE-05): throws FORBIDDEN when `after` gives more than the actor has himself. */
export function requireGrantable(actor: UserActor, before: Grants, after: Grants): void {
  if (coversGrants(actor, added(before, after))) return;
  throw new AppError('FORBIDDEN', { text: { key: 'roles.escalation' } });
}

/** Throws VALIDATION for endpoints that cannot exist, and rights that one does not have. */
export function checkGrants({ rights, systems }: Grants, names: { rights: string; systems: string }): void {
  const fields = [
    ...rights.flatMap((right, index) => {
      const { endpointId } = right;
      const exists = Object.entries(productEndpoints).find(([name]) => name === endpointId)?.[1];
      if (!exists && !dataEndpoint.test(endpointId))
        return [{ field: `${names.rights}[${index}].endpointId`, code: null, params: { x: endpointId } }];
      const surplus = exists ? actions.find((action) => right[action] && !exists[action]) : undefined;
      return surplus
        ? [{ field: `${names.rights}[${index}].${surplus}`, code: null, params: { x: surplus } }]
        : [];
    }),
    ...systems.flatMap(({ externalSystemId, levelIds }, index) =>
      externalSystemId === '*' && levelIds !== null
        ? [{ field: `${names.systems}[${index}].levelIds`, code: null, params: { x: '*' } }]
        : [],
    ),
  ];
  if (fields.length > 0) throw new AppError('VALIDATION', { fields });
}
