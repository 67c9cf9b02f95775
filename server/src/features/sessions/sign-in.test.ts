import {
  type Api,
  createApi,
  loginApi,
  type Product,
  startProduct,
  testPassword,
  waitFor,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { startMailServer } from '../connectors/test-support/receivers.ts';
import { codeOf, stepOf } from './totp.ts';

let product: Product;
let clock = Date.now();
const mails: string[] = [];
let closeMail: () => void = () => undefined;
const other = 'another long password';

beforeAll(async () => {
  const smtp = await startMailServer(mails);
  closeMail = smtp.close;
  product = await startProduct(inject('postgresUrl'), {
    roles: ['web'],
    now: () => new Date(clock),
    mail: { url: `smtp://127.0.0.1:${smtp.port}`, from: 'Sluice <sluice@example.org>' },
  });
});
afterAll(async () => {
  await product?.stop();
  closeMail();
});

const login = async (username: string, password: string, code?: string) =>
  await createApi(product.base).call('POST', '/api/v1/auth/login', {
    username,
    password,
    ...(code === undefined ? {} : { code }),
  });
const statusOf = async (api: Api): Promise<number> => (await api.call('GET', '/api/v1/auth/session')).status;
const forgot = async (username: string) =>
  await createApi(product.base).call('POST', '/api/v1/auth/forgot-password', { username });
const withMail = async (username: string): Promise<Api> => {
  const api = await product.addUser({ username, fullName: `Mx ${username}` });
  await product.query('update app_user set email = $2 where username = $1', [
    username,
    `${username}@example.org`,
  ]);
  return api;
};
/** Quoted-printable (RFC 2045): lines that go on, and signs by their number. */
const decoded = (mail: string): string =>
  mail
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
const isTo = (mail: string, username: string): boolean => mail.includes(`To: ${username}@example.org`);
const mailTo = async (username: string): Promise<string> => {
  const mail = await waitFor('a mail', async () => mails.findLast((one) => isTo(one, username)), 10_000);
  return decoded(mail);
};
const tokenIn = (mail: string): string => /\/set-password#([\w-]+)/.exec(mail)?.[1] ?? '';
const reset = async (token: string, password = other) =>
  await createApi(product.base).call('POST', '/api/v1/auth/reset-password', { token, password });

describe('passwords', () => {
  it('the own password is changed by who knows it; all other sessions end', async () => {
    const api = await product.addUser({ username: 'anna' });
    const elsewhere = await loginApi(product.base, 'anna', testPassword);
    const change = async (currentPassword: string, newPassword: string) =>
      await api.call('POST', '/api/v1/user/password', { currentPassword, newPassword });
    expect(await change('wrong', other)).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'currentPassword', message: 'This is not your password' }] },
    });
    expect(await change(testPassword, 'elevenchars')).toMatchObject({
      status: 422,
      body: { fieldErrors: [{ field: 'newPassword', code: 4101 }] },
    });
    expect(await change(testPassword, 'anna-anna-anna')).toMatchObject({ status: 422 });
    expect((await login('anna', testPassword)).status).toBe(200);
    expect((await change(testPassword, other)).status).toBe(204);
    expect(await statusOf(api)).toBe(200);
    expect(await statusOf(elsewhere)).toBe(401);
    expect((await login('anna', testPassword)).status).toBe(401);
    expect((await login('anna', other)).status).toBe(200);
  });

  it('who sits at an open session cannot try passwords without end', async () => {
    const api = await product.addUser({ username: 'berta' });
    const body = { currentPassword: 'wrong', newPassword: other };
    for (let miss = 0; miss < 10; miss += 1)
      expect((await api.call('POST', '/api/v1/user/password', body)).status).toBe(422);
    const right = { currentPassword: testPassword, newPassword: other };
    expect((await api.call('POST', '/api/v1/user/password', right)).status).toBe(429);
  });

  it('who forgot his password gets a link by mail that works once, within an hour, and ends his sessions', async () => {
    const api = await withMail('carl');
    expect((await forgot('CARL')).status).toBe(204);
    const mail = await mailTo('carl');
    expect(mail).toContain('http://localhost:');
    const token = tokenIn(mail);
    expect((await reset(token, 'short')).status).toBe(422);
    expect(await reset(token)).toMatchObject({ status: 200, body: { username: 'carl' } });
    expect(await statusOf(api)).toBe(401);
    expect((await login('carl', other)).status).toBe(200);
    expect((await reset(token)).status).toBe(410);

    await withMail('dora');
    await forgot('dora');
    const late = tokenIn(await mailTo('dora'));
    clock += 61 * 60_000;
    expect((await reset(late)).status).toBe(410);
    expect((await login('dora', testPassword)).status).toBe(200);
  });

  it('the link in a mail leads to the product, whatever host a request claims to be for', async () => {
    await withMail('emil');
    const headers = { host: 'evil.example.org', 'x-forwarded-host': 'evil.example.org' };
    await createApi(product.base).call('POST', '/api/v1/auth/forgot-password', { username: 'emil' }, headers);
    expect(await mailTo('emil')).not.toContain('evil');
  });

  it('asking for a link tells nothing about accounts, sends none to who is not active, and is not endless', async () => {
    await withMail('finn');
    await product.query(`update app_user set is_active = false where username = 'finn'`);
    const known = await forgot('finn');
    const unknown = await forgot('nobody-at-all');
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    await withMail('gert');
    for (let n = 0; n < 5; n += 1) expect((await forgot('gert')).status).toBe(204);
    expect((await forgot('gert')).status).toBe(429);
    await mailTo('gert');
    expect(mails.filter((mail) => isTo(mail, 'finn'))).toHaveLength(0);
  });
});

describe('the second factor', () => {
  const begin = z.object({ secret: z.string(), uri: z.string() });
  const codes = z.object({ recoveryCodes: z.array(z.string()) });
  const path = '/api/v1/user/second-factor';
  const secretBytes = (secret: string): Buffer => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  };
  const now = (secret: string): string => codeOf(secretBytes(secret), stepOf(new Date(clock)));
  const switchOn = async (api: Api) => {
    const { secret, uri } = await api.send('POST', path, { password: testPassword }, begin);
    expect(uri).toContain(`secret=${secret}`);
    const { recoveryCodes } = await api.send('POST', `${path}/confirm`, { code: now(secret) }, codes);
    clock += 60_000;
    return { secret, recoveryCodes };
  };

  it('is asked for once a code of it was confirmed; a code works once', async () => {
    const api = await product.addUser({ username: 'hans' });
    expect((await api.call('POST', path, { password: 'wrong' })).status).toBe(422);
    const waiting = await api.send('POST', path, { password: testPassword }, begin);
    expect((await api.call('POST', `${path}/confirm`, { code: '000000' })).status).toBe(422);
    expect((await login('hans', testPassword)).status).toBe(200);
    const { secret } = await switchOn(api);
    expect(secret).not.toBe(waiting.secret);
    expect((await api.call('GET', '/api/v1/user/security')).body).toEqual({
      hasPassword: true,
      secondFactor: { isOn: true, recoveryCodesLeft: 10 },
    });
    expect(await login('hans', testPassword)).toMatchObject({
      status: 401,
      body: { code: 'SECOND_FACTOR_NEEDED' },
    });
    expect(await login('hans', 'wrong', now(secret))).toMatchObject({
      body: { code: 'INVALID_CREDENTIALS' },
    });
    expect(await login('hans', testPassword, now(waiting.secret))).toMatchObject({ status: 401 });
    const code = now(secret);
    expect((await login('hans', testPassword, code)).status).toBe(200);
    expect((await login('hans', testPassword, code)).status).toBe(401);
    expect((await api.call('POST', path, { password: testPassword })).status).toBe(409);
    const [stored] = await product.query<{ sealed_totp: Buffer }>(
      `select sealed_totp from app_user where username = 'hans'`,
    );
    expect(stored?.sealed_totp.toString('latin1')).not.toContain(secretBytes(secret).toString('latin1'));
  });

  it('a recovery code stands in for it once, and new ones replace those before', async () => {
    const api = await product.addUser({ username: 'ilse' });
    const { recoveryCodes } = await switchOn(api);
    const [first, second] = recoveryCodes;
    expect((await login('ilse', testPassword, first)).status).toBe(200);
    expect((await login('ilse', testPassword, first)).status).toBe(401);
    expect((await api.call('POST', `${path}/recovery-codes`, { password: 'wrong' })).status).toBe(422);
    const renewed = await api.send('POST', `${path}/recovery-codes`, { password: testPassword }, codes);
    expect((await login('ilse', testPassword, second)).status).toBe(401);
    expect((await login('ilse', testPassword, renewed.recoveryCodes[0])).status).toBe(200);
  });

  it('wrong codes count as misses: after ten the name must wait', async () => {
    const api = await product.addUser({ username: 'jana' });
    const { secret } = await switchOn(api);
    for (let miss = 0; miss < 10; miss += 1)
      expect((await login('jana', testPassword, '000000')).status).toBe(401);
    expect((await login('jana', testPassword, now(secret))).status).toBe(429);
  });

  it('is switched off with the password, or taken away by an administrator, which ends the sessions', async () => {
    const api = await product.addUser({ username: 'karl' });
    await switchOn(api);
    expect((await api.call('POST', `${path}/end`, { password: 'wrong' })).status).toBe(422);
    expect((await api.call('POST', `${path}/end`, { password: testPassword })).status).toBe(204);
    expect((await login('karl', testPassword)).status).toBe(200);
    await switchOn(api);
    const [row] = await product.query<{ id: string }>(
      `select internal_id::text as id from app_user where username = 'karl'`,
    );
    const admin = await loginApi(product.base, 'admin', testPassword);
    expect((await admin.call('POST', `/api/v1/manage/users/${row?.id}/remove-second-factor`)).status).toBe(
      204,
    );
    expect(await statusOf(api)).toBe(401);
    expect((await login('karl', testPassword)).status).toBe(200);
  });
});
