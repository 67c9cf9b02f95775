import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Locale, SessionReply, User } from '@sluice/contract';
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rightsOn, type UserActor } from '../../platform/actor.ts';
import type { Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, record } from '../../platform/mutate.ts';
import { localeOf } from '../../platform/texts.ts';
import { hasPreferences, readPreferences } from '../preferences/service.ts';
import { combine, productEndpoints } from '../roles/grants.ts';
import { generatePassword, hashPassword, isPassword } from './passwords.ts';
import { takeCode } from './security.ts';
import * as store from './store.ts';
import { requireReportsLeft, requireTriesLeft } from './tries.ts';

const slidingMs = 60 * 60_000;
const absoluteMs = 12 * 60 * 60_000;
/** A session is written at most this often, not on every call. */
const touchMs = 60_000;

export const sessionCookie = 'sluice-session';
export const csrfCookie = 'csrf-token';
export const csrfHeader = 'x-csrf-token';
export const expiryHeader = 'x-session-expires-at';
const backgroundHeader = 'x-background';

export interface SessionServices {
  pool: Pool;
  /** Cookies get Secure when people come by https. */
  isHttps: boolean;
  helpUrl: string | null;
  timeZone: string;
  inactivityMinutes: number;
  /** Seals the secrets of second factors. */
  secretKey: Buffer;
  now(): Date;
}

const idOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export async function login(
  services: SessionServices,
  credentials: { username: string; password: string; code?: string | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionReply> {
  const { pool, now } = services;
  const address = request.ip;
  const { username, code } = credentials;
  await requireTriesLeft(services, username, address);
  const user = await store.findUserByUsername(pool, username);
  // The same work for an unknown name, so that time does not tell whether it exists.
  const isRight = await isPassword(credentials.password, user?.password_hash ?? (await decoy()));
  if (!user || !isRight) {
    await store.insertMiss(pool, username, address, now());
    throw new AppError('INVALID_CREDENTIALS');
  }
  if (!user.is_active || user.is_pending) throw new AppError('NOT_AUTHORIZED_FOR_APPLICATION');
  if (user.totp_since !== null) {
    if (!code) throw new AppError('SECOND_FACTOR_NEEDED');
    if (!(await takeCode(services, pool, user, code))) {
      await store.insertMiss(pool, username, address, now());
      throw new AppError('INVALID_CREDENTIALS', { text: { key: 'secondFactor.wrongCode' } });
    }
  }
  return await startSession(services, user, { way: 'local', username, address }, reply);
}

/** Begins a session for somebody who has shown who he is. */
export async function startSession(
  services: SessionServices,
  user: store.UserRow,
  how: { way: string; username: string; address: string },
  reply: FastifyReply,
): Promise<SessionReply> {
  const token = randomBytes(32).toString('base64url');
  const csrfToken = randomBytes(32).toString('base64url');
  const at = services.now();
  const actor = await actorOf(services, user, idOf(token));
  await mutate({ pool: services.pool, actor }, 'session.login', null, async (tx) => {
    tx.audit(`user:${user.internal_id}`, { address: how.address, way: how.way });
    await store.deleteMisses(tx, how.username, how.address);
    await store.insertSession(tx, {
      sessionId: idOf(token),
      userId: user.user_id,
      csrfToken,
      now: at,
      expiresAt: new Date(at.getTime() + slidingMs),
    });
  });
  setCookies(services, reply, token, csrfToken);
  reply.header(expiryHeader, new Date(at.getTime() + slidingMs).toISOString());
  return await sessionReply(services, user, actor);
}

let decoyHash: Promise<string> | undefined;
function decoy(): Promise<string> {
  decoyHash ??= hashPassword(randomBytes(16).toString('hex'));
  return decoyHash;
}

function setCookies(services: SessionServices, reply: FastifyReply, token: string, csrfToken: string): void {
  const common = { path: '/', sameSite: 'lax', secure: services.isHttps } as const;
  reply.setCookie(sessionCookie, token, { ...common, httpOnly: true });
  reply.setCookie(csrfCookie, csrfToken, { ...common, httpOnly: false });
  reply.header(csrfHeader, csrfToken);
}

/** Ends the session of the request, if any, and its sockets. */
export async function logout(
  services: SessionServices,
  actor: UserActor | null,
  reply: FastifyReply,
): Promise<void> {
  reply.clearCookie(sessionCookie, { path: '/' }).clearCookie(csrfCookie, { path: '/' });
  if (!actor) return;
  await mutate({ pool: services.pool, actor }, 'session.logout', null, async (tx) => {
    tx.audit(`user:${actor.internalId}`);
    await store.deleteSession(tx, actor.sessionId);
    tx.publish({ topic: 'session', sessionIds: [actor.sessionId] });
  });
}

/** The actor of a cookie's token, prolonging the session; null when there is none or it has ended. */
export async function authenticate(
  services: SessionServices,
  request: FastifyRequest,
  reply: FastifyReply | null,
): Promise<UserActor | null> {
  const token = request.cookies[sessionCookie];
  if (!token) return null;
  const now = services.now();
  const session = await store.findSession(services.pool, idOf(token), now);
  if (!session) return null;
  const user = await store.findUserById(services.pool, session.user_id);
  if (!user?.is_active) return null;
  // What the page asks by itself is no sign of somebody there (decisions Q-GEN-09); nor is a socket.
  const isPersonal = reply !== null && request.headers[backgroundHeader] === undefined;
  const isDue = now.getTime() - Date.parse(session.seen_at) > touchMs;
  let end = new Date(session.expires_at);
  if (isPersonal && isDue) {
    end = new Date(Math.min(now.getTime() + slidingMs, Date.parse(session.created_at) + absoluteMs));
    await record(services.pool, async (tx) => await store.prolongSession(tx, session.session_id, now, end));
  }
  reply?.header(expiryHeader, end.toISOString());
  const actor = await actorOf(services, user, session.session_id);
  csrfTokens.set(actor, session.csrf_token);
  const asked = request.headers['accept-language'];
  return asked ? withLocale(actor, localeOf(asked)) : actor;
}

const csrfTokens = new WeakMap<UserActor, string>();

function withLocale(actor: UserActor, locale: Locale): UserActor {
  const changed = { ...actor, locale };
  csrfTokens.set(changed, csrfTokens.get(actor) ?? '');
  return changed;
}

/** Double submit: the header must equal the token of the session (which the cookie carries to our own pages only). */
export function checkCsrf(request: FastifyRequest, actor: UserActor): void {
  const expected = Buffer.from(csrfTokens.get(actor) ?? '');
  const header = request.headers[csrfHeader];
  const given = Buffer.from(typeof header === 'string' ? header : '');
  if (expected.length === 0 || expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new AppError('CSRF');
  }
}

async function actorOf(
  services: SessionServices,
  user: store.UserRow,
  sessionId: string,
): Promise<UserActor> {
  const rights = user.is_superuser ? null : await store.readRights(services.pool, user.user_id);
  const effective = combine({
    rights: [...(rights?.roleRights ?? []), ...(rights?.customRights ?? [])],
    systems: [...(rights?.roleSystems ?? []), ...(rights?.externalSystemRights ?? [])],
  });
  return {
    kind: 'user',
    userId: user.user_id,
    internalId: user.internal_id,
    fullName: user.full_name,
    isSuperuser: user.is_superuser,
    locale: user.language,
    sessionId,
    ...effective,
  };
}

export async function currentSession(services: SessionServices, actor: UserActor): Promise<SessionReply> {
  const user = await store.findUserById(services.pool, actor.userId);
  if (!user) throw new AppError('UNAUTHENTICATED');
  return await sessionReply(services, user, actor);
}

async function sessionReply(
  services: SessionServices,
  user: store.UserRow,
  actor: UserActor,
): Promise<SessionReply> {
  const rights = await store.readRights(services.pool, user.user_id);
  const wire: User = {
    internalId: user.internal_id,
    fullName: user.full_name,
    username: user.username,
    email: user.email,
    isActive: user.is_active,
    isPending: user.is_pending,
    isSuperuser: user.is_superuser,
    identityProviderUsername: user.identity_provider_username,
    defaultCompanyId: user.default_company_id,
    roles: rights.roles,
    customRights: rights.customRights,
    externalSystemRights: rights.externalSystemRights,
  };
  return {
    user: wire,
    userPreferences: await readPreferences(services.pool, user.user_id),
    isFirstVisit: !(await hasPreferences(services.pool, user.user_id)),
    helpUrl: services.helpUrl,
    timeZone: services.timeZone,
    inactivityMinutes: services.inactivityMinutes,
    rights: Object.fromEntries(
      Object.keys(productEndpoints).map((endpoint) => [endpoint, rightsOn(actor, endpoint)]),
    ),
  };
}

/** The very first start: makes the administrator. Answers his password when it was generated, null when he exists. */
export async function ensureAdministrator(
  pool: Pool,
  settings: { username: string; password: string | null },
): Promise<{ username: string; password: string; isGenerated: boolean } | null> {
  if (await store.hasUsers(pool)) return null;
  const password = settings.password ?? generatePassword();
  const passwordHash = await hashPassword(password);
  return await mutate(
    { pool, actor: { kind: 'system', name: 'start', locale: 'EN' } },
    'user.createAdministrator',
    null,
    async (tx) => {
      // Two processes on an empty database: one of them makes the administrator.
      await tx.client.query('lock table app_user in share row exclusive mode');
      if (await store.hasUsers(tx)) return null;
      tx.audit(`user:${settings.username}`);
      await store.insertUser(tx, {
        username: settings.username,
        fullName: 'Administrator',
        passwordHash,
        isSuperuser: true,
      });
      return { username: settings.username, password, isGenerated: settings.password === null };
    },
  );
}

/** Where a user begins who has chosen nothing yet. */
export const setDefaultCompany = async (pool: Pool, username: string, companyId: string): Promise<void> =>
  await record(pool, async (tx) => await store.setDefaultCompany(tx, username, companyId));

export async function reportClientError(
  services: SessionServices,
  actor: UserActor | null,
  report: { error: string; route?: string | undefined; userAgent?: string | undefined },
  { id: requestId, ip }: { id: string; ip: string },
): Promise<void> {
  requireReportsLeft(services.pool, services.now(), ip);
  await record(services.pool, async (tx) => {
    const id = await store.insertClientError(tx, {
      userId: actor?.userId ?? null,
      requestId,
      error: report.error,
      route: report.route ?? null,
      userAgent: report.userAgent ?? null,
    });
    tx.publish({ topic: 'clientError', id });
  });
}
