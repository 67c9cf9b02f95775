import type { RightEndpoint, Role, RoleValues } from '@sluice/contract';
import { hasRight, type UserActor } from '../../platform/actor.ts';
import { type Pool, sqlState } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { type Catalogue, dataEndpoint, titleOf } from '../systems/catalogue.ts';
import { checkGrants, type Grants, productEndpoints, requireGrantable } from './grants.ts';
import * as store from './store.ts';

export interface RoleServices {
  pool: Pool;
  catalogue: Catalogue;
}

const all = { create: true, read: true, update: true, delete: true };

/** Who manages users or roles needs to know what rights there are. */
export async function listEndpoints(services: RoleServices, actor: UserActor): Promise<RightEndpoint[]> {
  const mayLook = (['users', 'roles'] as const).some((endpoint) =>
    hasRight(actor, { endpoint, action: 'read' }),
  );
  if (!mayLook) throw new AppError('FORBIDDEN');
  const { locale } = actor;
  const product = Object.entries(productEndpoints).map(([internalId, exists]): RightEndpoint => ({
    internalId,
    name: text(locale, `endpoint.${internalId}`),
    uri: '',
    group: 'product',
    externalSystemId: null,
    ...exists,
  }));
  const data = (internalId: string, name: string, systemId: string | null, uri: string): RightEndpoint => ({
    internalId,
    name,
    uri,
    group: 'data',
    externalSystemId: systemId,
    ...all,
  });
  const tables = (await services.catalogue.systems()).flatMap((system) => {
    // Domains of one system have the same tables, some of them perhaps more.
    const types = new Map(
      system.domains.flatMap((domain) => domain.resourceTypes.map((type) => [type.uri_id, type])),
    );
    const own = [...types.values()]
      .map((type) =>
        data(
          dataEndpoint(system.system_id, type.uri_id),
          titleOf(type, locale),
          system.system_id,
          `/data/${system.url}/…/${type.uri_id}`,
        ),
      )
      .sort((one, other) => one.name.localeCompare(other.name, locale.toLowerCase()));
    const whole = text(locale, 'endpoint.allTablesOf', { system: system.name });
    return [data(dataEndpoint(system.system_id, '*'), whole, system.system_id, ''), ...own];
  });
  return [...product, data('data:*', text(locale, 'endpoint.allTables'), null, ''), ...tables];
}

function roleOf(row: store.RoleRow): Role {
  return {
    internalId: row.role_id,
    name: row.name,
    description: row.description,
    isBuiltIn: false,
    rights: row.rights,
    externalSystemRights: row.external_system_rights,
    userCount: row.users.length,
    users: row.users,
    revision: row.revision,
  };
}

const grantsOf = (role: Pick<Role, 'rights' | 'externalSystemRights'>): Grants => ({
  rights: role.rights,
  systems: role.externalSystemRights,
});
const nothing: Grants = { rights: [], systems: [] };
const fieldNames = { rights: 'rights', systems: 'externalSystemRights' };

/** Who manages users sees the roles that he can give. */
export async function listRoles(services: RoleServices, actor: UserActor): Promise<Role[]> {
  const mayLook =
    hasRight(actor, { endpoint: 'roles', action: 'read' }) ||
    hasRight(actor, { endpoint: 'users', action: 'read' });
  if (!mayLook) throw new AppError('FORBIDDEN');
  return (await store.listRoles(services.pool)).map(roleOf);
}

export async function getRole(services: RoleServices, actor: UserActor, roleId: string): Promise<Role> {
  const role = (await listRoles(services, actor)).find(({ internalId }) => internalId === roleId);
  if (!role) throw new AppError('NOT_FOUND');
  return role;
}

/** A name that another role has is the form's fault, not ours. */
async function withNameCheck<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (sqlState(error) === '23505')
      throw new AppError('VALIDATION', { fields: [{ field: 'name', code: 4900, params: {} }], cause: error });
    throw error;
  }
}

export async function createRole(
  services: RoleServices,
  actor: UserActor,
  values: RoleValues,
): Promise<Role> {
  const writing = mutate(
    { pool: services.pool, actor },
    'role.create',
    { endpoint: 'roles', action: 'create' },
    async (tx) => {
      checkGrants(grantsOf(values), fieldNames);
      requireGrantable(actor, nothing, grantsOf(values));
      const roleId = await store.insertRole(tx, values);
      tx.audit(`role:${roleId}`, { ...values });
      return await store.findRole(tx, roleId);
    },
  );
  return found(await withNameCheck(writing));
}

export async function updateRole(
  services: RoleServices,
  actor: UserActor,
  roleId: string,
  { revision, changes }: { revision?: number | undefined; changes: PartialOf<RoleValues> },
): Promise<Role> {
  const writing = mutate(
    { pool: services.pool, actor },
    'role.update',
    { endpoint: 'roles', action: 'update' },
    async (tx) => {
      await store.lockRole(tx, roleId);
      const before = found(await store.findRole(tx, roleId));
      if (revision !== undefined && revision !== before.revision)
        throw new AppError('REVISION_CONFLICT', { details: { resource: before } });
      const after = {
        name: changes.name ?? before.name,
        description: changes.description ?? before.description,
        rights: changes.rights ?? before.rights,
        externalSystemRights: changes.externalSystemRights ?? before.externalSystemRights,
      };
      checkGrants(grantsOf(after), fieldNames);
      requireGrantable(actor, grantsOf(before), grantsOf(after));
      await store.updateRole(tx, roleId, after);
      tx.audit(`role:${roleId}`, { ...changes });
      tx.publish({ topic: 'rights', userIds: await store.listUserIdsOfRole(tx, roleId) });
      return await store.findRole(tx, roleId);
    },
  );
  return found(await withNameCheck(writing));
}

export async function deleteRole(
  services: RoleServices,
  actor: UserActor,
  roleId: string,
  isConfirmed: boolean,
): Promise<void> {
  await mutate(
    { pool: services.pool, actor },
    'role.delete',
    { endpoint: 'roles', action: 'delete' },
    async (tx) => {
      await store.lockRole(tx, roleId);
      const role = found(await store.findRole(tx, roleId));
      if (role.userCount > 0 && !isConfirmed) {
        const names = role.users.map(({ fullName }) => fullName);
        throw new AppError('IN_USE', {
          text: { key: 'roles.inUse', params: { names: names.join(', ') } },
          details: { users: names },
        });
      }
      tx.audit(`role:${roleId}`, { name: role.name });
      tx.publish({ topic: 'rights', userIds: await store.listUserIdsOfRole(tx, roleId) });
      await store.deleteRole(tx, roleId);
    },
  );
}

/** Optional parts of a body, as zod types them. */
export type PartialOf<T> = { [K in keyof T]?: T[K] | undefined };

function found(row: store.RoleRow | null): Role {
  if (!row) throw new AppError('NOT_FOUND');
  return roleOf(row);
}
