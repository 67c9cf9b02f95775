import type { EndpointRight, SystemRight } from '@sluice/contract';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';

export interface RoleRow {
  role_id: string;
  name: string;
  description: string;
  rights: EndpointRight[];
  external_system_rights: SystemRight[];
  revision: number;
  users: { internalId: string; fullName: string }[];
}

const select = sql`select r.role_id, r.name, r.description, r.rights, r.external_system_rights, r.revision,
  coalesce((select jsonb_agg(jsonb_build_object('internalId', u.internal_id, 'fullName', u.full_name) order by u.full_name)
    from user_role ur join app_user u using (user_id) where ur.role_id = r.role_id and not u.is_deleted), '[]') as users
  from role r`;

export async function listRoles(db: Db): Promise<RoleRow[]> {
  return await rows(db, sql`${select} order by lower(r.name), r.role_id`);
}

export async function findRole(db: Db, roleId: string): Promise<RoleRow | null> {
  return await row(db, sql`${select} where r.role_id = ${roleId}`);
}

/** The row stays as it is until the transaction ends. */
export async function lockRole(db: Db, roleId: string): Promise<void> {
  await execute(db, sql`select 1 from role where role_id = ${roleId} for update`);
}

export interface RoleColumns {
  name: string;
  description: string;
  rights: readonly EndpointRight[];
  externalSystemRights: readonly SystemRight[];
}

export async function insertRole(db: Db, role: RoleColumns): Promise<string> {
  const inserted = await row<{ role_id: string }>(
    db,
    sql`insert into role (name, description, rights, external_system_rights)
        values (${role.name}, ${role.description}, ${JSON.stringify(role.rights)}, ${JSON.stringify(role.externalSystemRights)})
        returning role_id`,
  );
  if (!inserted) throw new Error('The role was not created');
  return inserted.role_id;
}

export async function updateRole(db: Db, roleId: string, role: RoleColumns): Promise<void> {
  await execute(
    db,
    sql`update role set name = ${role.name}, description = ${role.description}, rights = ${JSON.stringify(role.rights)},
          external_system_rights = ${JSON.stringify(role.externalSystemRights)}, revision = revision + 1
        where role_id = ${roleId}`,
  );
}

export async function deleteRole(db: Db, roleId: string): Promise<void> {
  await execute(db, sql`delete from role where role_id = ${roleId}`);
}

export async function listUserIdsOfRole(db: Db, roleId: string): Promise<number[]> {
  const found = await rows<{ user_id: number }>(
    db,
    sql`select user_id from user_role where role_id = ${roleId}`,
  );
  return found.map(({ user_id }) => user_id);
}
