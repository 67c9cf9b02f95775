import type { EndpointRight, SystemRight, User } from '@sluice/contract';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';
import type { Grants } from '../roles/grants.ts';

export interface UserRow {
  user_id: number;
  internal_id: string;
  username: string | null;
  full_name: string;
  email: string | null;
  identity_provider_username: string | null;
  default_company_id: string;
  is_active: boolean;
  is_pending: boolean;
  is_superuser: boolean;
  has_password: boolean;
  has_second_factor: boolean;
  language: 'EN' | 'NL';
  revision: number;
  last_seen_at: string | null;
  roles: User['roles'];
  rights: EndpointRight[];
  external_system_rights: SystemRight[];
  /** Of all his roles together. */
  role_rights: EndpointRight[];
  role_systems: SystemRight[];
}

const select = sql`select u.user_id, u.internal_id, u.username, u.full_name, u.email, u.identity_provider_username,
    u.default_company_id, u.is_active, u.is_pending, u.is_superuser, u.revision,
    u.password_hash is not null as has_password, u.totp_since is not null as has_second_factor,
    coalesce(p.language, 'NL') as language,
    (select max(seen_at) from session s where s.user_id = u.user_id) as last_seen_at,
    coalesce(o.rights, '[]') as rights, coalesce(o.external_system_rights, '[]') as external_system_rights,
    coalesce(g.roles, '[]') as roles, coalesce(g.rights, '[]') as role_rights, coalesce(g.systems, '[]') as role_systems
  from app_user u left join user_preference p using (user_id) left join user_right o using (user_id)
  left join lateral (
    select jsonb_agg(jsonb_build_object('internalId', r.role_id, 'name', r.name) order by r.name) as roles,
      jsonb_path_query_array(jsonb_agg(r.rights), '$[*][*]') as rights,
      jsonb_path_query_array(jsonb_agg(r.external_system_rights), '$[*][*]') as systems
    from user_role ur join role r using (role_id) where ur.user_id = u.user_id
  ) g on true
  where not u.is_deleted and not u.is_technical`;

export async function listUsers(db: Db): Promise<UserRow[]> {
  return await rows(db, sql`${select} order by lower(u.full_name), u.user_id`);
}

export async function findUser(db: Db, internalId: string): Promise<UserRow | null> {
  return await row(db, sql`${select} and u.internal_id = ${internalId}`);
}

/** The row stays as it is until the transaction ends. */
export async function lockUser(db: Db, internalId: string): Promise<void> {
  await execute(db, sql`select 1 from app_user where internal_id = ${internalId} for update`);
}

/** Somebody who can still sign in as superuser, besides this one; those found stay as they are until the end. */
export async function hasOtherSuperuser(db: Db, userId: number): Promise<boolean> {
  const found = await rows(
    db,
    sql`select 1 from app_user where is_superuser and is_active and not is_pending and not is_deleted
          and user_id <> ${userId} order by user_id for update`,
  );
  return found.length > 0;
}

export interface UserColumns {
  fullName: string;
  username: string | null;
  email: string | null;
  identityProviderUsername: string | null;
  isActive: boolean;
  isSuperuser: boolean;
  defaultCompanyId: string;
}

export async function insertUser(db: Db, user: UserColumns): Promise<number> {
  const inserted = await row<{ user_id: number }>(
    db,
    sql`insert into app_user (full_name, username, email, identity_provider_username, is_active, is_pending, is_superuser, default_company_id)
        values (${user.fullName}, ${user.username}, ${user.email}, ${user.identityProviderUsername}, ${user.isActive}, true,
          ${user.isSuperuser}, ${user.defaultCompanyId}) returning user_id`,
  );
  if (!inserted) throw new Error('The user was not created');
  return inserted.user_id;
}

/** Another name at the provider is another person there: the first sign-in has to match again. */
export async function updateUser(db: Db, userId: number, user: UserColumns): Promise<void> {
  await execute(
    db,
    sql`update app_user set full_name = ${user.fullName}, username = ${user.username}, email = ${user.email},
          identity_subject = case when identity_provider_username is distinct from ${user.identityProviderUsername}
            then null else identity_subject end,
          identity_provider_username = ${user.identityProviderUsername}, is_active = ${user.isActive},
          is_superuser = ${user.isSuperuser}, default_company_id = ${user.defaultCompanyId}, revision = revision + 1
        where user_id = ${userId}`,
  );
}

export async function replaceRoles(db: Db, userId: number, roleIds: readonly string[]): Promise<void> {
  await execute(
    db,
    sql`delete from user_role where user_id = ${userId} and role_id <> all(${roleIds}::uuid[])`,
  );
  await execute(
    db,
    sql`insert into user_role (user_id, role_id) select ${userId}, unnest(${roleIds}::uuid[]) on conflict do nothing`,
  );
}

export async function replaceRights(db: Db, userId: number, { rights, systems }: Grants): Promise<void> {
  await execute(
    db,
    sql`insert into user_right (user_id, rights, external_system_rights)
        values (${userId}, ${JSON.stringify(rights)}, ${JSON.stringify(systems)})
        on conflict (user_id) do update set rights = excluded.rights, external_system_rights = excluded.external_system_rights`,
  );
}

/** Names can be given to somebody else from now on. */
export async function markDeleted(db: Db, userId: number): Promise<void> {
  await execute(
    db,
    sql`update app_user set is_deleted = true, is_active = false, password_hash = null, sealed_totp = null,
          totp_since = null, revision = revision + 1 where user_id = ${userId}`,
  );
  for (const table of ['user_role', 'user_right', 'recovery_code', 'access_link'] as const)
    await execute(db, sql`delete from ${sql.table(table)} where user_id = ${userId}`);
}

export async function dropSecondFactor(db: Db, userId: number): Promise<void> {
  await execute(
    db,
    sql`update app_user set sealed_totp = null, totp_since = null, revision = revision + 1 where user_id = ${userId}`,
  );
  await execute(db, sql`delete from recovery_code where user_id = ${userId}`);
}
