import { renderSVG } from 'uqr';
import { type Db, execute, row, sql } from '../../platform/db.ts';
import type { UserActor } from '../../platform/actor.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { seal, unseal } from '../../platform/secrets.ts';
import { setPassword } from './links.ts';
import { checkNewPassword, hashPassword, isPassword } from './passwords.ts';
import type { SessionServices } from './service.ts';
import { endSessions } from './sessions.ts';
import * as store from './store.ts';
import { base32, matchingStep, newRecoveryCodes, newSecret, otpauthUri, recoveryHash } from './totp.ts';
import { requireTriesLeft } from './tries.ts';

const contextOf = (userId: number): string => `user:${userId}:totp`;

async function findSelf(services: SessionServices, actor: UserActor): Promise<store.UserRow> {
  const user = await store.findUserById(services.pool, actor.userId);
  if (!user) throw new AppError('UNAUTHENTICATED');
  return user;
}

/** Whoever sits at an open session must know the password to change how it is entered. */
async function requirePassword(
  services: SessionServices,
  actor: UserActor,
  given: { password: string; field: string; address: string },
): Promise<store.UserRow> {
  const user = await findSelf(services, actor);
  const name = user.username ?? user.internal_id;
  await requireTriesLeft(services, name, given.address);
  if (user.password_hash && (await isPassword(given.password, user.password_hash))) return user;
  await store.insertMiss(services.pool, name, given.address, services.now());
  throw new AppError('VALIDATION', {
    fields: [{ field: given.field, code: null, params: { key: 'password.wrong' } }],
  });
}

export async function readSecurity(
  services: SessionServices,
  actor: UserActor,
): Promise<{ hasPassword: boolean; secondFactor: { isOn: boolean; recoveryCodesLeft: number } }> {
  const user = await findSelf(services, actor);
  const codes = await row<{ n: number }>(
    services.pool,
    sql`select count(*)::int as n from recovery_code where user_id = ${actor.userId}`,
  );
  return {
    hasPassword: user.password_hash !== null,
    secondFactor: { isOn: user.totp_since !== null, recoveryCodesLeft: codes?.n ?? 0 },
  };
}

export async function changePassword(
  services: SessionServices,
  actor: UserActor,
  body: { currentPassword: string; newPassword: string },
  address: string,
): Promise<void> {
  const user = await requirePassword(services, actor, {
    password: body.currentPassword,
    field: 'currentPassword',
    address,
  });
  checkNewPassword(body.newPassword, user.username ?? '', 'newPassword');
  const hash = await hashPassword(body.newPassword);
  // Everybody owns his password.
  await mutate({ pool: services.pool, actor }, 'user.changePassword', null, async (tx) => {
    tx.audit(`user:${actor.internalId}`);
    await setPassword(tx, actor.userId, hash);
    await endSessions(tx, actor.userId, actor.sessionId);
  });
}

/** A secret that waits for its first code; one that is in use stays until then. */
export async function beginSecondFactor(
  services: SessionServices,
  actor: UserActor,
  password: string,
  address: string,
): Promise<{ secret: string; uri: string; qr: string }> {
  const user = await requirePassword(services, actor, { password, field: 'password', address });
  if (user.totp_since !== null) throw new AppError('IN_USE', { text: { key: 'secondFactor.isOn' } });
  const secret = newSecret();
  const sealed = seal(services.secretKey, contextOf(user.user_id), secret.toString('hex'));
  await mutate({ pool: services.pool, actor }, 'user.beginSecondFactor', null, async (tx) => {
    tx.audit(`user:${actor.internalId}`);
    await execute(
      tx,
      sql`update app_user set sealed_totp = ${sealed}, totp_step = 0 where user_id = ${user.user_id} and totp_since is null`,
    );
  });
  const uri = otpauthUri(secret, user.username ?? user.full_name);
  return { secret: base32(secret), uri, qr: renderSVG(uri) };
}

export async function confirmSecondFactor(
  services: SessionServices,
  actor: UserActor,
  code: string,
  address: string,
): Promise<{ recoveryCodes: string[] }> {
  const user = await findSelf(services, actor);
  const name = user.username ?? user.internal_id;
  await requireTriesLeft(services, name, address);
  const secret = user.totp_since === null ? secretOf(services, user) : null;
  const step = secret && matchingStep(secret, code, services.now(), 0);
  if (!step) {
    await store.insertMiss(services.pool, name, address, services.now());
    throw new AppError('VALIDATION', {
      fields: [{ field: 'code', code: null, params: { key: 'secondFactor.wrongCode' } }],
    });
  }
  const recoveryCodes = newRecoveryCodes();
  await mutate({ pool: services.pool, actor }, 'user.secondFactorOn', null, async (tx) => {
    tx.audit(`user:${actor.internalId}`);
    await execute(
      tx,
      sql`update app_user set totp_since = ${services.now()}, totp_step = ${step}, revision = revision + 1
          where user_id = ${user.user_id}`,
    );
    await replaceRecoveryCodes(tx, user.user_id, recoveryCodes);
    await endSessions(tx, user.user_id, actor.sessionId);
  });
  return { recoveryCodes };
}

export async function renewRecoveryCodes(
  services: SessionServices,
  actor: UserActor,
  password: string,
  address: string,
): Promise<{ recoveryCodes: string[] }> {
  const user = await requirePassword(services, actor, { password, field: 'password', address });
  if (user.totp_since === null) throw new AppError('NOT_FOUND');
  const recoveryCodes = newRecoveryCodes();
  await mutate({ pool: services.pool, actor }, 'user.renewRecoveryCodes', null, async (tx) => {
    tx.audit(`user:${actor.internalId}`);
    await replaceRecoveryCodes(tx, user.user_id, recoveryCodes);
  });
  return { recoveryCodes };
}

export async function endSecondFactor(
  services: SessionServices,
  actor: UserActor,
  password: string,
  address: string,
): Promise<void> {
  const user = await requirePassword(services, actor, { password, field: 'password', address });
  await mutate({ pool: services.pool, actor }, 'user.secondFactorOff', null, async (tx) => {
    tx.audit(`user:${actor.internalId}`);
    await execute(
      tx,
      sql`update app_user set sealed_totp = null, totp_since = null, revision = revision + 1 where user_id = ${user.user_id}`,
    );
    await replaceRecoveryCodes(tx, user.user_id, []);
  });
}

async function replaceRecoveryCodes(tx: Tx, userId: number, codes: readonly string[]): Promise<void> {
  await execute(tx, sql`delete from recovery_code where user_id = ${userId}`);
  await execute(
    tx,
    sql`insert into recovery_code (user_id, code_hash) select ${userId}, unnest(${codes.map(recoveryHash)}::text[])`,
  );
}

function secretOf(services: SessionServices, user: store.UserRow): Buffer | null {
  if (!user.sealed_totp) return null;
  return Buffer.from(unseal(services.secretKey, contextOf(user.user_id), user.sealed_totp), 'hex');
}

/** Takes a code of the second factor, or a recovery code, which is used up by it; false when it is neither. */
export async function takeCode(
  services: SessionServices,
  db: Db,
  user: store.UserRow,
  code: string,
): Promise<boolean> {
  const secret = secretOf(services, user);
  const step = secret && matchingStep(secret, code, services.now(), Number(user.totp_step));
  if (step) {
    // Of two sign-ins with the same code one comes too late.
    const taken = await execute(
      db,
      sql`update app_user set totp_step = ${step} where user_id = ${user.user_id} and totp_step < ${step}`,
    );
    return taken === 1;
  }
  const used = await execute(
    db,
    sql`delete from recovery_code where user_id = ${user.user_id} and code_hash = ${recoveryHash(code)}`,
  );
  return used === 1;
}
