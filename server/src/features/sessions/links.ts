import { createHash, randomBytes } from 'node:crypto';
import type { AccessLink, Locale } from '@sluice/contract';
import { type Db, execute, type Pool, row, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Mailer } from '../../platform/mail.ts';
import { mutate, record, type Tx } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { checkNewPassword, hashPassword } from './passwords.ts';
import { endSessions } from './sessions.ts';

export interface LinkServices {
  pool: Pool;
  mailer: Mailer | null;
  /**
   * Where people reach the product, without a slash at the end. Never what a request says of itself: a link with a
   * secret must not lead to a host that somebody else has put there.
   */
  address(): string;
  log: Log;
  now(): Date;
}

export interface NewLink {
  kind: 'invitation' | 'reset';
  token: string;
  expiresAt: Date;
}

const lifeMs: Record<NewLink['kind'], number> = { invitation: 7 * 24 * 60 * 60_000, reset: 60 * 60_000 };

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The one link of a user that works: those before it stop working. */
export async function createLink(
  { now }: Pick<LinkServices, 'now'>,
  tx: Tx,
  userId: number,
  kind: NewLink['kind'],
): Promise<NewLink> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now().getTime() + lifeMs[kind]);
  await execute(tx, sql`delete from access_link where user_id = ${userId}`);
  await execute(
    tx,
    sql`insert into access_link (token_hash, user_id, kind, expires_at) values (${hashOf(token)}, ${userId}, ${kind}, ${expiresAt})`,
  );
  return { kind, token, expiresAt };
}

/** The secret stands behind the `#`: browsers send that part to nobody. */
const pathOf = (token: string): string => `/set-password#${token}`;

interface Recipient {
  full_name: string;
  username: string | null;
  email: string | null;
  language: Locale;
}

/** Sent by mail where that is possible; otherwise the answer carries it, for a person to pass on. */
export async function deliverLink(
  services: LinkServices,
  user: Recipient,
  link: NewLink,
): Promise<AccessLink> {
  const expiresAt = link.expiresAt.toISOString();
  if (services.mailer && user.email) {
    try {
      await mailLink(services, services.mailer, user.email, user, link);
      return { path: null, mailedTo: user.email, expiresAt };
    } catch (error) {
      services.log.warn('A link could not be sent by mail', { error });
    }
  }
  return { path: pathOf(link.token), mailedTo: null, expiresAt };
}

async function mailLink(
  services: LinkServices,
  mailer: Mailer,
  email: string,
  user: Recipient,
  link: NewLink,
): Promise<void> {
  const params = {
    name: user.full_name,
    username: user.username ?? '',
    url: services.address() + pathOf(link.token),
  };
  await mailer.send({
    to: [email],
    subject: text(user.language, `mail.${link.kind}.subject`),
    text: text(user.language, `mail.${link.kind}.text`, params),
  });
}

/** So many tries of one address for one name in this time. */
const maxTries = 5;
const tryWindowMs = 15 * 60_000;

/**
 * Sends a link to who forgot his password. The answer never tells whether the name exists, nor does the time that it
 * takes: what is found is done after the answer.
 */
export async function forgotPassword(
  services: LinkServices,
  username: string,
  address: string,
): Promise<void> {
  const { mailer } = services;
  const key = `forgot ${username.toLowerCase()}`;
  const since = new Date(services.now().getTime() - tryWindowMs);
  await record(services.pool, async (tx) => {
    const tries = await row<{ n: number }>(
      tx,
      sql`select count(*)::int as n from login_miss where username = ${key} and address = ${address} and at > ${since}`,
    );
    if ((tries?.n ?? 0) >= maxTries) {
      throw new AppError('TOO_MANY_REQUESTS', {
        text: { key: 'error.TOO_MANY_REQUESTS', params: { minutes: tryWindowMs / 60_000 } },
        retryAfterSeconds: tryWindowMs / 1000,
      });
    }
    await execute(
      tx,
      sql`insert into login_miss (username, address, at) values (${key}, ${address}, ${services.now()})`,
    );
  });
  if (!mailer) return;
  sendForgotten(services, mailer, username).catch((error: unknown) =>
    services.log.warn('A link could not be sent by mail', { error }),
  );
}

async function sendForgotten(services: LinkServices, mailer: Mailer, username: string): Promise<void> {
  const user = await row<Recipient & { user_id: number; internal_id: string }>(
    services.pool,
    sql`select user_id, internal_id, full_name, username, email, coalesce(p.language, 'NL') as language
        from app_user left join user_preference p using (user_id)
        where (lower(username) = lower(${username}) or lower(email) = lower(${username})) and username is not null
          and email is not null and is_active and not is_pending and not is_deleted`,
  );
  if (!user?.email) return;
  const link = await mutate(
    { pool: services.pool, actor: { kind: 'system', name: 'forgot password', locale: 'EN' } },
    'session.forgotPassword',
    null,
    async (tx) => {
      tx.audit(`user:${user.internal_id}`);
      return await createLink(services, tx, user.user_id, 'reset');
    },
  );
  await mailLink(services, mailer, user.email, user, link);
}

interface LinkRow {
  user_id: number;
  internal_id: string;
  kind: NewLink['kind'];
  full_name: string;
  username: string;
}

async function findLink(db: Db, token: string, now: Date): Promise<LinkRow> {
  const link = await row<LinkRow>(
    db,
    sql`select l.user_id, u.internal_id, l.kind, u.full_name, u.username from access_link l join app_user u using (user_id)
        where l.token_hash = ${hashOf(token)} and l.expires_at > ${now} and u.is_active and not u.is_deleted
          and u.username is not null`,
  );
  if (!link) throw new AppError('LINK_EXPIRED');
  return link;
}

/** Whom a link is for; LINK_EXPIRED when it is used, replaced or too old. */
export async function checkLink(
  services: LinkServices,
  token: string,
): Promise<{ kind: NewLink['kind']; fullName: string; username: string }> {
  const { kind, full_name, username } = await findLink(services.pool, token, services.now());
  return { kind, fullName: full_name, username };
}

/** Sets the password of whom the link is for. The link is used up, and all sessions of the user end. */
export async function resetPassword(
  services: LinkServices,
  token: string,
  password: string,
): Promise<{ username: string }> {
  const link = await findLink(services.pool, token, services.now());
  checkNewPassword(password, link.username, 'password');
  const hash = await hashPassword(password);
  const actor = { kind: 'system', name: link.full_name, locale: 'EN' } as const;
  await mutate({ pool: services.pool, actor }, `user.password.${link.kind}`, null, async (tx) => {
    // Of two who use the link at the same moment one comes too late.
    const used = await execute(tx, sql`delete from access_link where token_hash = ${hashOf(token)}`);
    if (used === 0) throw new AppError('LINK_EXPIRED');
    tx.audit(`user:${link.internal_id}`);
    await setPassword(tx, link.user_id, hash);
    await endSessions(tx, link.user_id);
  });
  return { username: link.username };
}

/** Stores a password; whoever was invited has arrived. */
export async function setPassword(tx: Tx, userId: number, hash: string): Promise<void> {
  await execute(
    tx,
    sql`update app_user set password_hash = ${hash}, is_pending = false, revision = revision + 1 where user_id = ${userId}`,
  );
  await execute(
    tx,
    sql`delete from login_miss where username = (select lower(username) from app_user where user_id = ${userId})`,
  );
}
