import type { AccessLink, EndpointRight, ManagedUser, SystemRight, UserValues } from '@sluice/contract';
import { hasRight, type UserActor } from '../../platform/actor.ts';
import { sqlState, violatedConstraint } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { checkGrants, coversGrants, type Grants, requireGrantable } from '../roles/grants.ts';
import { listRoles } from '../roles/store.ts';
import { createLink, deliverLink, type LinkServices, type NewLink } from '../sessions/links.ts';
import { endSessions } from '../sessions/sessions.ts';
import * as store from './store.ts';

export type UserServices = LinkServices;

const allGrants = (user: store.UserRow): Grants => ({
  rights: [...user.rights, ...user.role_rights],
  systems: [...user.external_system_rights, ...user.role_systems],
});
const ownGrants = (user: store.UserRow): Grants => ({
  rights: user.rights,
  systems: user.external_system_rights,
});

/** What an actor may do to a user: superusers are for superusers alone (decisions Q-ROLE-05). */
function rightsTo(actor: UserActor, user: store.UserRow): ManagedUser['rights'] {
  const isInReach = actor.isSuperuser || !user.is_superuser;
  const update = isInReach && hasRight(actor, { endpoint: 'users', action: 'update' });
  return {
    update,
    // Who can send a link in somebody's name, or change the address that it goes to, can become him.
    identity: update && coversGrants(actor, allGrants(user)),
    delete:
      isInReach && user.user_id !== actor.userId && hasRight(actor, { endpoint: 'users', action: 'delete' }),
  };
}

function userOf(actor: UserActor, user: store.UserRow): ManagedUser {
  return {
    internalId: user.internal_id,
    fullName: user.full_name,
    username: user.username,
    email: user.email,
    isActive: user.is_active,
    isPending: user.is_pending,
    isSuperuser: user.is_superuser,
    identityProviderUsername: user.identity_provider_username,
    defaultCompanyId: user.default_company_id,
    roles: user.roles,
    customRights: user.rights,
    externalSystemRights: user.external_system_rights,
    hasPassword: user.has_password,
    hasSecondFactor: user.has_second_factor,
    lastSeenAt: user.last_seen_at,
    revision: user.revision,
    rights: rightsTo(actor, user),
  };
}

export async function listUsers(services: UserServices, actor: UserActor): Promise<ManagedUser[]> {
  if (!hasRight(actor, { endpoint: 'users', action: 'read' })) throw new AppError('FORBIDDEN');
  return (await store.listUsers(services.pool)).map((user) => userOf(actor, user));
}

/** Everybody may read himself. */
export async function getUser(
  services: UserServices,
  actor: UserActor,
  internalId: string,
): Promise<ManagedUser> {
  if (internalId !== actor.internalId && !hasRight(actor, { endpoint: 'users', action: 'read' }))
    throw new AppError('FORBIDDEN');
  return userOf(actor, found(await store.findUser(services.pool, internalId)));
}

export async function createUser(
  services: UserServices,
  actor: UserActor,
  values: UserValues,
): Promise<{ resource: ManagedUser; invitation: AccessLink | null }> {
  const writing = mutate(
    { pool: services.pool, actor },
    'user.create',
    { endpoint: 'users', action: 'create' },
    async (tx) => {
      checkValues(values);
      if (values.isSuperuser && !actor.isSuperuser) throw escalation();
      await checkGiven(tx, actor, null, values);
      const userId = await store.insertUser(tx, values);
      await saveGrants(tx, userId, values);
      const user = await findById(tx, userId);
      tx.audit(`user:${user.internal_id}`, { ...values });
      const link = user.username ? await createLink(services, tx, userId, 'invitation') : null;
      return { user, link };
    },
  );
  const { user, link } = await withNameCheck(writing);
  return {
    resource: userOf(actor, user),
    invitation: link && (await deliverLink(services, user, link)),
  };
}

type Changes = { [K in keyof UserValues]?: UserValues[K] | undefined };

export async function updateUser(
  services: UserServices,
  actor: UserActor,
  internalId: string,
  { revision, changes }: { revision?: number | undefined; changes: Changes },
): Promise<ManagedUser> {
  const writing = mutate(
    { pool: services.pool, actor },
    'user.update',
    { endpoint: 'users', action: 'update' },
    async (tx) => {
      await store.lockUser(tx, internalId);
      const before = found(await store.findUser(tx, internalId));
      if (revision !== undefined && revision !== before.revision)
        throw new AppError('REVISION_CONFLICT', { details: { resource: userOf(actor, before) } });
      const after = mergeChanges(before, changes);
      checkValues(after);
      requireReach(actor, before, after);
      await checkGiven(tx, actor, before, after);
      await keepSuperuser(tx, before, after);
      if (!after.isActive && before.user_id === actor.userId)
        throw new AppError('IN_USE', { text: { key: 'users.self' } });
      await store.updateUser(tx, before.user_id, after);
      await saveGrants(tx, before.user_id, after);
      tx.audit(`user:${internalId}`, { ...changes });
      if (before.is_active && !after.isActive) await endSessions(tx, before.user_id);
      else tx.publish({ topic: 'rights', userIds: [before.user_id] });
      return await findById(tx, before.user_id);
    },
  );
  return userOf(actor, await withNameCheck(writing));
}

export async function deleteUser(
  services: UserServices,
  actor: UserActor,
  internalId: string,
): Promise<void> {
  await mutate(
    { pool: services.pool, actor },
    'user.delete',
    { endpoint: 'users', action: 'delete' },
    async (tx) => {
      await store.lockUser(tx, internalId);
      const user = found(await store.findUser(tx, internalId));
      if (user.user_id === actor.userId) throw new AppError('IN_USE', { text: { key: 'users.self' } });
      if (!rightsTo(actor, user).delete) throw escalation();
      await keepSuperuser(tx, user, { isActive: false, isSuperuser: false });
      tx.audit(`user:${internalId}`, { fullName: user.full_name, username: user.username });
      await endSessions(tx, user.user_id);
      await store.markDeleted(tx, user.user_id);
    },
  );
}

/** A new invitation, or a link by which another password is set; a link before it stops working. */
export async function sendLink(
  services: UserServices,
  actor: UserActor,
  internalId: string,
  kind: NewLink['kind'],
): Promise<AccessLink> {
  const { user, link } = await mutate(
    { pool: services.pool, actor },
    kind === 'invitation' ? 'user.invite' : 'user.resetPassword',
    { endpoint: 'users', action: 'update' },
    async (tx) => {
      await store.lockUser(tx, internalId);
      const user = found(await store.findUser(tx, internalId));
      if (!rightsTo(actor, user).identity) throw escalation();
      if (user.is_pending !== (kind === 'invitation') || !user.username || !user.is_active)
        throw new AppError('IN_USE', { text: { key: `users.no.${kind}` } });
      tx.audit(`user:${internalId}`, { username: user.username });
      return { user, link: await createLink(services, tx, user.user_id, kind) };
    },
  );
  return await deliverLink(services, user, link);
}

export async function removeSecondFactor(
  services: UserServices,
  actor: UserActor,
  internalId: string,
): Promise<void> {
  await mutate(
    { pool: services.pool, actor },
    'user.removeSecondFactor',
    { endpoint: 'users', action: 'update' },
    async (tx) => {
      await store.lockUser(tx, internalId);
      const user = found(await store.findUser(tx, internalId));
      if (!rightsTo(actor, user).identity) throw escalation();
      tx.audit(`user:${internalId}`, { username: user.username });
      await store.dropSecondFactor(tx, user.user_id);
      await endSessions(tx, user.user_id);
    },
  );
}

const escalation = (): AppError => new AppError('FORBIDDEN', { text: { key: 'users.escalation' } });

function found(user: store.UserRow | null): store.UserRow {
  if (!user) throw new AppError('NOT_FOUND');
  return user;
}

async function findById(tx: Tx, userId: number): Promise<store.UserRow> {
  return found((await store.listUsers(tx)).find((user) => user.user_id === userId) ?? null);
}

function mergeChanges(before: store.UserRow, changes: Changes): UserValues {
  const kept = <T>(change: T | undefined, value: T): T => (change === undefined ? value : change);
  return {
    fullName: kept(changes.fullName, before.full_name),
    username: kept(changes.username, before.username),
    email: kept(changes.email, before.email),
    identityProviderUsername: kept(changes.identityProviderUsername, before.identity_provider_username),
    isActive: kept(changes.isActive, before.is_active),
    isSuperuser: kept(changes.isSuperuser, before.is_superuser),
    defaultCompanyId: kept(changes.defaultCompanyId, before.default_company_id),
    roleIds: kept(
      changes.roleIds,
      before.roles.map(({ internalId }) => internalId),
    ),
    customRights: kept(changes.customRights, before.rights),
    externalSystemRights: kept(changes.externalSystemRights, before.external_system_rights),
  };
}

/** Somebody must have a name to sign in with. */
function checkValues(values: UserValues): void {
  if (!values.username && !values.identityProviderUsername)
    throw new AppError('VALIDATION', { fields: [{ field: 'username', code: 4001, params: {} }] });
  checkGrants(
    { rights: values.customRights, systems: values.externalSystemRights },
    { rights: 'customRights', systems: 'externalSystemRights' },
  );
}

function requireReach(actor: UserActor, before: store.UserRow, after: UserValues): void {
  const may = rightsTo(actor, before);
  const isOther =
    before.username !== after.username ||
    before.email !== after.email ||
    before.identity_provider_username !== after.identityProviderUsername;
  if (!may.update || (isOther && !may.identity)) throw escalation();
  if (before.is_superuser !== after.isSuperuser && !actor.isSuperuser) throw escalation();
}

/** Roles exist, and nothing is given that the actor lacks. */
async function checkGiven(
  tx: Tx,
  actor: UserActor,
  before: store.UserRow | null,
  values: UserValues,
): Promise<void> {
  const roles = await listRoles(tx);
  const had = new Set(before?.roles.map(({ internalId }) => internalId));
  const rights: EndpointRight[] = [...values.customRights];
  const systems: SystemRight[] = [...values.externalSystemRights];
  values.roleIds.forEach((roleId, index) => {
    const role = roles.find((candidate) => candidate.role_id === roleId);
    if (!role)
      throw new AppError('VALIDATION', {
        fields: [{ field: `roleIds[${index}]`, code: null, params: { x: roleId } }],
      });
    if (had.has(roleId)) return;
    requireGrantable(actor, none, { rights: role.rights, systems: role.external_system_rights });
  });
  requireGrantable(actor, before ? ownGrants(before) : none, { rights, systems });
}

const none: Grants = { rights: [], systems: [] };

async function saveGrants(tx: Tx, userId: number, values: UserValues): Promise<void> {
  await store.replaceRoles(tx, userId, values.roleIds);
  await store.replaceRights(tx, userId, {
    rights: values.customRights,
    systems: values.externalSystemRights,
  });
}

/** Somebody has to be left who may do everything. */
async function keepSuperuser(
  tx: Tx,
  before: store.UserRow,
  after: Pick<UserValues, 'isActive' | 'isSuperuser'>,
): Promise<void> {
  const counts = before.is_superuser && before.is_active && !before.is_pending;
  if (!counts || (after.isActive && after.isSuperuser)) return;
  if (!(await store.hasOtherSuperuser(tx, before.user_id)))
    throw new AppError('IN_USE', { text: { key: 'users.lastSuperuser' } });
}

const fieldOf: Record<string, string> = {
  app_user_username: 'username',
  app_user_email: 'email',
  app_user_provider_name: 'identityProviderUsername',
};

/** A name that somebody else has is the form's fault, not ours. */
async function withNameCheck<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const field = fieldOf[violatedConstraint(error) ?? ''];
    if (sqlState(error) === '23505' && field)
      throw new AppError('VALIDATION', { fields: [{ field, code: 4900, params: {} }], cause: error });
    throw error;
  }
}
