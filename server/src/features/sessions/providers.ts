import type { SessionReply } from '@sluice/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as oidc from 'openid-client';
import { z } from 'zod';
import type { UserActor } from '../../platform/actor.ts';
import { execute, row, rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { mutate } from '../../platform/mutate.ts';
import type { ProviderSettings } from '../../platform/providers.ts';
import { seal, unseal } from '../../platform/secrets.ts';
import { type SessionServices, startSession } from './service.ts';
import { findUserById, type UserRow } from './store.ts';

export interface Providers {
  list: readonly ProviderSettings[];
  /** What the provider says of itself, asked for when it is first needed. */
  open(id: string): Promise<{ settings: ProviderSettings; config: oidc.Configuration }>;
}

export interface ProviderServices extends SessionServices {
  providers: Providers;
  /** Null: people come by the address of their own request. */
  publicUrl: string | null;
  log: Log;
}

const timeoutSeconds = 15;

export function createProviders(list: readonly ProviderSettings[]): Providers {
  const opened = new Map<string, Promise<oidc.Configuration>>();
  return {
    list,
    open: async (id) => {
      const settings = list.find((provider) => provider.id === id);
      if (!settings) throw new AppError('NOT_FOUND');
      const known = opened.get(id) ?? discover(settings);
      opened.set(id, known);
      try {
        return { settings, config: await known };
      } catch (error) {
        // It may be back at the next try.
        opened.delete(id);
        throw providerFailed(error);
      }
    },
  };
}

async function discover(settings: ProviderSettings): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  return await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: timeoutSeconds,
    // The settings allow this on this machine only.
    execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
  });
}

/** What the browser keeps, sealed, between leaving for the provider and coming back. */
const flowSchema = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  expiresAt: z.number(),
});
type Flow = z.infer<typeof flowSchema>;

const flowCookie = 'sluice-sign-in';
const flowPath = '/api/v1/auth';
const flowMs = 10 * 60_000;

export async function providerLogin(
  services: ProviderServices,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ redirectURL: string }> {
  const { settings, config } = await services.providers.open(id);
  const verifier = oidc.randomPKCECodeVerifier();
  const origin = services.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  const flow: Flow = {
    provider: id,
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier,
    redirectUri: `${origin}/auth/${id}/callback`,
    expiresAt: services.now().getTime() + flowMs,
  };
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: flow.redirectUri,
    scope: settings.scope,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const sealed = seal(services.secretKey, flowCookie, JSON.stringify(flow)).toString('base64url');
  reply.setCookie(flowCookie, sealed, {
    path: flowPath,
    httpOnly: true,
    sameSite: 'lax',
    secure: services.isHttps,
    maxAge: flowMs / 1000,
  });
  return { redirectURL: url.href };
}

function flowOf(services: ProviderServices, request: FastifyRequest, id: string): Flow | null {
  const sealed = request.cookies[flowCookie];
  if (!sealed) return null;
  try {
    const text = unseal(services.secretKey, flowCookie, Buffer.from(sealed, 'base64url'));
    const flow = flowSchema.parse(JSON.parse(text));
    return flow.provider === id && flow.expiresAt > services.now().getTime() ? flow : null;
  } catch {
    // Not ours, or of another key: as if it were not there.
    return null;
  }
}

/**
 * The end of a sign-in. Null when it has ended before and this browser is logged in (a reload); 'Unauthorized' for
 * who has no active account here: nobody registers himself (decisions Q-USER-01).
 */
export async function providerCallback(
  services: ProviderServices,
  id: string,
  actor: UserActor | null,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionReply | null | 'Unauthorized'> {
  const { settings, config } = await services.providers.open(id);
  const flow = flowOf(services, request, id);
  if (!flow) {
    if (actor) return null;
    throw failed('the sign-in was begun elsewhere, or too long ago');
  }
  // Whatever comes out of it, it is used up.
  reply.clearCookie(flowCookie, { path: flowPath });
  const query = request.url.split('?')[1] ?? '';
  const claims = await oidc
    .authorizationCodeGrant(config, new URL(`${flow.redirectUri}?${query}`), {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    })
    .then((tokens) => tokens.claims())
    .catch((error: unknown) => {
      throw providerFailed(error);
    });
  if (!claims) throw failed('the provider sent no id token');
  const user = await findPerson(services, settings, claims);
  if (!user?.is_active) return 'Unauthorized';
  const username = user.username ?? user.identity_provider_username ?? '';
  return await startSession(services, user, { way: id, username, address: request.ip }, reply);
}

const failed = (reason: string, cause?: unknown): AppError =>
  new AppError('MALFORMED', { text: { key: 'signIn.failed', params: { reason } }, cause });

function providerFailed(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError)
    return failed(error.error_description ?? error.error, error);
  if (error instanceof oidc.ClientError) return failed(error.message, error);
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('EXTERNAL_SYSTEM', {
    text: { key: 'signIn.failed', params: { reason } },
    cause: error,
  });
}

const text = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** By the provider's own id of the person; the first time by a verified address, or the name he has there. */
async function findPerson(
  services: ProviderServices,
  settings: ProviderSettings,
  claims: oidc.IDToken,
): Promise<UserRow | null> {
  const subject = `${claims.iss} ${claims.sub}`;
  const known = await row<{ user_id: number }>(
    services.pool,
    sql`select user_id from app_user where identity_subject = ${subject} and not is_deleted`,
  );
  if (known) return await findUserById(services.pool, known.user_id);
  const email = claims['email_verified'] === true ? text(claims[settings.emailClaim]) : '';
  const username = text(claims[settings.usernameClaim]);
  const invited = await rows<{ user_id: number; internal_id: string; full_name: string }>(
    services.pool,
    sql`select user_id, internal_id, full_name from app_user
        where identity_subject is null and is_active and not is_deleted and not is_technical
          and ((${email} <> '' and lower(email) = ${email})
            or (${username} <> '' and lower(identity_provider_username) = ${username}))`,
  );
  const [person] = invited;
  if (!person || invited.length > 1) {
    services.log.warn('Nobody, or more than one, fits who signed in with a provider', {
      provider: settings.id,
      found: invited.length,
    });
    return null;
  }
  const actor = { kind: 'system', name: person.full_name, locale: 'EN' } as const;
  await mutate({ pool: services.pool, actor }, 'user.identity', null, async (tx) => {
    tx.audit(`user:${person.internal_id}`, { provider: settings.id });
    await execute(
      tx,
      sql`update app_user set identity_subject = ${subject}, is_pending = false, revision = revision + 1
          where user_id = ${person.user_id} and identity_subject is null`,
    );
  });
  return await findUserById(services.pool, person.user_id);
}
