import type { EndpointRight, SystemRight, User } from '@sluice/contract';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';

export interface UserRow {
  user_id: number;
  internal_id: string;
  username: string | null;
  full_name: string;
  email: string | null;
  identity_provider_username: string | null;
  password_hash: string | null;
  default_company_id: string;
  is_active: boolean;
  is_pending: boolean;
  is_superuser: boolean;
  language: 'EN' | 'NL';
  sealed_totp: Buffer | null;
  /** Since when the second factor is asked for. */
  totp_since: string | null;
  totp_step: number | string;
}

const columns = sql`u.user_id, u.internal_id, u.username, u.full_name, u.email, u.identity_provider_username,
  u.password_hash, u.default_company_id, u.is_active, u.is_pending, u.is_superuser, u.sealed_totp, u.totp_since,
  u.totp_step,
  coalesce(p.language, 'NL') as language`;
const from = sql`from app_user u left join user_preference p using (user_id)`;

export async function findUserByUsername(db: Db, username: string): Promise<UserRow | null> {
  return await row(
    db,
    sql`select ${columns} ${from} where lower(u.username) = lower(${username}) and not u.is_deleted`,
  );
}

export async function findUserById(db: Db, userId: number): Promise<UserRow | null> {
  return await row(db, sql`select ${columns} ${from} where u.user_id = ${userId} and not u.is_deleted`);
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await row(db, sql`select 1 from app_user where not is_deleted limit 1`)) !== null;
}

export async function insertUser(
  db: Db,
  user: { username: string; fullName: string; passwordHash: string; isSuperuser: boolean },
): Promise<number> {
  const inserted = await row<{ user_id: number }>(
    db,
    sql`insert into app_user (username, full_name, password_hash, is_superuser)
        values (${user.username}, ${user.fullName}, ${user.passwordHash}, ${user.isSuperuser}) returning user_id`,
  );
  if (!inserted) throw new Error('The user was not created');
  return inserted.user_id;
}

export async function setDefaultCompany(db: Db, username: string, companyId: string): Promise<void> {
  await execute(
    db,
    sql`update app_user set default_company_id = ${companyId}, revision = revision + 1 where username = ${username}`,
  );
}

export interface Rights {
  roles: User['roles'];
  /** Custom rights of the user, without those of his roles. */
  customRights: EndpointRight[];
  externalSystemRights: SystemRight[];
  /** Rights and systems of all his roles. */
  roleRights: EndpointRight[];
  roleSystems: SystemRight[];
}

export async function readRights(db: Db, userId: number): Promise<Rights> {
  const roles = await rows<{
    internalId: string;
    name: string;
    rights: EndpointRight[];
    external_system_rights: SystemRight[];
  }>(
    db,
    sql`select r.role_id as "internalId", r.name, r.rights, r.external_system_rights
        from user_role ur join role r using (role_id) where ur.user_id = ${userId} order by r.name`,
  );
  const own = await row<{ rights: EndpointRight[]; external_system_rights: SystemRight[] }>(
    db,
    sql`select rights, external_system_rights from user_right where user_id = ${userId}`,
  );
  return {
    roles: roles.map(({ internalId, name }) => ({ internalId, name })),
    customRights: own?.rights ?? [],
    externalSystemRights: own?.external_system_rights ?? [],
    roleRights: roles.flatMap((role) => role.rights),
    roleSystems: roles.flatMap((role) => role.external_system_rights),
  };
}

export interface SessionRow {
  session_id: string;
  user_id: number;
  csrf_token: string;
  created_at: string;
  seen_at: string;
  expires_at: string;
}

export async function insertSession(
  db: Db,
  session: { sessionId: string; userId: number; csrfToken: string; now: Date; expiresAt: Date },
): Promise<void> {
  await execute(
    db,
    sql`insert into session (session_id, user_id, csrf_token, created_at, seen_at, expires_at)
        values (${session.sessionId}, ${session.userId}, ${session.csrfToken}, ${session.now}, ${session.now}, ${session.expiresAt})`,
  );
}

export async function findSession(db: Db, sessionId: string, now: Date): Promise<SessionRow | null> {
  return await row(db, sql`select * from session where session_id = ${sessionId} and expires_at > ${now}`);
}

export async function prolongSession(db: Db, sessionId: string, now: Date, expiresAt: Date): Promise<void> {
  await execute(
    db,
    sql`update session set seen_at = ${now}, expires_at = ${expiresAt} where session_id = ${sessionId}`,
  );
}

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await execute(db, sql`delete from session where session_id = ${sessionId}`);
}

export async function deleteExpiredSessions(db: Db, now: Date): Promise<void> {
  await execute(db, sql`delete from session where expires_at < ${now}`);
  await execute(db, sql`delete from login_miss where at < ${now}::timestamptz - interval '1 day'`);
  await execute(db, sql`delete from access_link where expires_at < ${now}`);
}

export async function countMisses(db: Db, username: string, address: string, since: Date): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from login_miss where username = lower(${username}) and address = ${address} and at > ${since}`,
  );
  return counted?.n ?? 0;
}

export async function insertMiss(db: Db, username: string, address: string, now: Date): Promise<void> {
  await execute(
    db,
    sql`insert into login_miss (username, address, at) values (lower(${username}), ${address}, ${now})`,
  );
}

export async function deleteMisses(db: Db, username: string, address: string): Promise<void> {
  await execute(db, sql`delete from login_miss where username = lower(${username}) and address = ${address}`);
}

export async function insertClientError(
  db: Db,
  report: {
    userId: number | null;
    requestId: string;
    error: string;
    route: string | null;
    userAgent: string | null;
  },
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    sql`insert into client_error (user_id, request_id, error, route, user_agent)
        values (${report.userId}, ${report.requestId}, ${report.error}, ${report.route}, ${report.userAgent})
        returning client_error_id::text as id`,
  );
  return inserted?.id ?? '';
}
