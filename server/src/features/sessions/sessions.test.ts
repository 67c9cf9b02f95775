import { createApi, type Product, startProduct, testPassword } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

let product: Product;
let clock = Date.now();

beforeAll(async () => {
  product = await startProduct(inject('postgresUrl'), { roles: ['web'], now: () => new Date(clock) });
});
afterAll(async () => await product?.stop());

const minutes = (n: number): number => n * 60_000;

describe('sign-in', () => {
  it('[AUTH-01] [API-02] a right pair answers the user and his preferences, sets the session cookie and the csrf token', async () => {
    const api = createApi(product.base);
    const answer = await api.call('POST', '/api/v1/auth/login', {
      username: 'admin',
      password: testPassword,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      user: {
        username: 'admin',
        fullName: 'Ada Minster',
        isSuperuser: true,
        isActive: true,
        isPending: false,
      },
      userPreferences: { language: 'NL', options: { formats: { shortDate: 'dd-mm-yyyy' } } },
      isFirstVisit: true,
    });
    const cookies = answer.headers.getSetCookie();
    expect(cookies.find((line) => line.startsWith('sluice-session='))).toMatch(/HttpOnly/);
    const csrf = cookies.find((line) => line.startsWith('csrf-token='));
    expect(csrf).not.toMatch(/HttpOnly/);
    expect(csrf).toContain(String(answer.headers.get('x-csrf-token')));
    expect(JSON.stringify(answer.body)).not.toContain('argon2');
  });

  it('[AUTH-07] a wrong password and an unknown name get the same answer, without a session', async () => {
    const api = createApi(product.base);
    const wrong = await api.call('POST', '/api/v1/auth/login', { username: 'admin', password: 'nope' });
    const unknown = await api.call('POST', '/api/v1/auth/login', { username: 'nobody', password: 'nope' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toMatchObject({
      code: 'INVALID_CREDENTIALS',
      message: 'Invalid username or password.',
    });
    expect(unknown.status).toBe(401);
    expect(unknown.body).toMatchObject({
      code: 'INVALID_CREDENTIALS',
      message: 'Invalid username or password.',
    });
    expect(wrong.headers.getSetCookie()).toHaveLength(0);
  });

  it('[AUTH-17] [AUTH-14] an inactive user cannot log in, and an open session of his ends', async () => {
    const api = await product.addUser({ username: 'ines' });
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(200);
    await product.query('update app_user set is_active = false where username = $1', ['ines']);
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(401);
    const again = await api.call('POST', '/api/v1/auth/login', { username: 'ines', password: testPassword });
    expect(again.status).toBe(403);
    expect(again.body).toMatchObject({
      message: 'You are not authorized to use this application. Please contact your administrator.',
    });
  });

  it('after ten misses within a quarter of an hour the name must wait, also with the right password', async () => {
    await product.addUser({ username: 'tess' });
    const api = createApi(product.base);
    for (let miss = 0; miss < 10; miss += 1) {
      expect((await api.call('POST', '/api/v1/auth/login', { username: 'Tess', password: 'x' })).status).toBe(
        401,
      );
    }
    const blocked = await api.call('POST', '/api/v1/auth/login', {
      username: 'tess',
      password: testPassword,
    });
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get('retry-after')).toBe('900');
    clock += minutes(16);
    expect(
      (await api.call('POST', '/api/v1/auth/login', { username: 'tess', password: testPassword })).status,
    ).toBe(200);
  });
});

describe('session', () => {
  it('[USER-11] anonymous calls get 401, and the answer has the form of the contract', async () => {
    const answer = await createApi(product.base).call('GET', '/api/v1/user/userprefs');
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({
      code: 'UNAUTHENTICATED',
      statusCode: 401,
      statusDescription: 'Unauthorized',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('[SESS-01] each answer carries when the session ends; it slides with use and ends after an hour without', async () => {
    const api = await product.addUser({ username: 'sam' });
    const first = await api.call('GET', '/api/v1/auth/session');
    const end = Date.parse(first.headers.get('x-session-expires-at') ?? '');
    expect(end).toBe(clock + minutes(60));
    clock += minutes(50);
    const later = await api.call('GET', '/api/v1/auth/session');
    expect(Date.parse(later.headers.get('x-session-expires-at') ?? '')).toBe(clock + minutes(60));
    clock += minutes(59);
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(200);
    clock += minutes(61);
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(401);
  });

  it('a session ends after twelve hours whatever is done with it', async () => {
    const api = await product.addUser({ username: 'tom' });
    for (let hour = 0; hour < 11; hour += 1) {
      clock += minutes(59);
      expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(200);
    }
    clock += minutes(59);
    const last = await api.call('GET', '/api/v1/auth/session');
    expect(Date.parse(last.headers.get('x-session-expires-at') ?? '')).toBeLessThan(clock + minutes(60));
    clock += minutes(30);
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(401);
  });

  it('[SESS-13] a write without the csrf token, or with a wrong one, is refused and does nothing', async () => {
    const api = await product.addUser({ username: 'cora' });
    const patch = [{ op: 'replace', path: 'language', value: 'EN' }];
    for (const token of ['', 'x'.repeat(43)]) {
      const refused = await api.call('PATCH', '/api/v1/user/userprefs', patch, { 'x-csrf-token': token });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ code: 'CSRF' });
    }
    const preferences = await api.call('GET', '/api/v1/user/userprefs');
    expect(preferences.body).toMatchObject({ language: 'NL' });
    expect((await api.call('PATCH', '/api/v1/user/userprefs', patch)).status).toBe(200);
  });

  it('[API-03] [AUTH-19] logout answers 204 with and without a session, and ends it', async () => {
    const api = await product.addUser({ username: 'lou' });
    const stolen = api.cookie();
    expect((await api.call('POST', '/api/v1/auth/logout')).status).toBe(204);
    expect(api.cookie()).toBe('');
    expect((await api.call('GET', '/api/v1/auth/session', undefined, { cookie: stolen })).status).toBe(401);
    expect((await api.call('POST', '/api/v1/auth/logout')).status).toBe(204);
  });

  it('passwords and session tokens are not stored in a form that opens anything', async () => {
    const [user] = await product.query<{ password_hash: string }>(
      `select password_hash from app_user where username = 'admin'`,
    );
    expect(user?.password_hash).toMatch(/^argon2id\$/);
    const token = /sluice-session=([^;]+)/.exec(product.admin.cookie())?.[1] ?? '';
    expect(await product.query('select 1 from session where session_id = $1', [token])).toHaveLength(0);
  });
});

describe('error reports', () => {
  it('[API-01] a browser reports an error without being logged in; it is kept with its request id', async () => {
    const api = createApi(product.base);
    const answer = await api.call('POST', '/api/v1/user/report-client-error', {
      error: 'TypeError: x is undefined',
      route: '/data',
    });
    expect(answer.status).toBe(204);
    expect(
      await product.query(`select 1 from client_error where error like 'TypeError%' and route = '/data'`),
    ).toHaveLength(1);
  });

  it('[API-01] plain text is taken too, and after ten in a minute the same address is asked to wait', async () => {
    clock += minutes(5);
    const api = createApi(product.base);
    const report = async (error: string) =>
      await api.call('POST', '/api/v1/user/report-client-error', error, { 'content-type': 'text/plain' });
    const kept = async (): Promise<number> =>
      (await product.query(`select 1 from client_error where error like 'plain %'`)).length;
    for (let n = 0; n < 10; n += 1) expect((await report(`plain ${n}`)).status).toBe(204);
    const refused = await report('plain 10');
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await kept()).toBe(10);
    clock += minutes(1.1);
    expect((await report('plain later')).status).toBe(204);
    expect(await kept()).toBe(11);
  });
});
