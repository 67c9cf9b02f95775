import { type Api, createApi, loginApi, type Product, startProduct, testPassword } from '@sluice/testing';
import { type OidcProvider, signInAtProvider, startOidcProvider } from '@sluice/testing/oidc';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { readProviders } from '../../platform/providers.ts';

let provider: OidcProvider;
let product: Product;
let clock = Date.now();
const publicUrl = 'https://sluice.example.org';

beforeAll(async () => {
  provider = await startOidcProvider(
    ['business', 'education'].map((id) => `${publicUrl}/auth/${id}/callback`),
  );
  const { issuer, clientId, clientSecret } = provider;
  const { providers } = readProviders({
    SLUICE_BUSINESS_ISSUER: issuer,
    SLUICE_BUSINESS_CLIENT_ID: clientId,
    SLUICE_BUSINESS_CLIENT_SECRET: clientSecret,
    SLUICE_BUSINESS_NAME: 'Acme account',
    SLUICE_EDUCATION_ISSUER: issuer,
    SLUICE_EDUCATION_CLIENT_ID: clientId,
    SLUICE_EDUCATION_CLIENT_SECRET: 'not the secret',
  });
  product = await startProduct(inject('postgresUrl'), {
    roles: ['web'],
    publicUrl,
    providers,
    now: () => new Date(clock),
  });
});
afterAll(async () => {
  await product?.stop();
  await provider?.stop();
});

const invite = async (fullName: string, more: object): Promise<string> => {
  const { resource } = await product.admin.send(
    'POST',
    '/api/v1/manage/users',
    {
      fullName,
      username: null,
      email: null,
      identityProviderUsername: null,
      isActive: true,
      isSuperuser: false,
      defaultCompanyId: '00000000-0000-0000-0000-000000000000',
      roleIds: [],
      customRights: [],
      externalSystemRights: [],
      ...more,
    },
    z.object({ resource: z.looseObject({ internalId: z.string() }) }),
  );
  return resource.internalId;
};
const begin = async (api: Api, id = 'business'): Promise<string> =>
  (await api.get(`/api/v1/auth/${id}/login`, z.object({ redirectURL: z.url() }))).redirectURL;
/** What the provider sends the browser back with, handed to the server as our page does. */
const end = async (api: Api, back: URL, id = 'business') =>
  await api.call('GET', `/api/v1/auth/${id}/callback${back.search}`);
const signIn = async (name: string, api = createApi(product.base), id = 'business') => {
  const back = await signInAtProvider(await begin(api, id), name);
  return { api, back, answer: await end(api, back, id) };
};

describe('sign-in with a provider', () => {
  it('[API-04] [AUTH-11] the redirect goes to the provider with state, nonce and PKCE; an unknown provider is not found', async () => {
    const api = createApi(product.base);
    const url = new URL(await begin(api));
    expect(url.origin).toBe(provider.issuer);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      client_id: 'sluice',
      response_type: 'code',
      redirect_uri: `${publicUrl}/auth/business/callback`,
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query[name]?.length).toBeGreaterThan(20);
    const again = new URL(await begin(api));
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(again.searchParams.get(name)).not.toBe(query[name]);
    expect((await api.call('GET', '/api/v1/auth/nobody/login')).status).toBe(404);
    expect((await api.call('GET', '/api/v1/auth/providers')).body).toEqual({
      resources: [
        { id: 'business', name: 'Acme account', kind: 'business', isEnabled: true },
        { id: 'education', name: 'education account', kind: 'education', isEnabled: true },
      ],
      canMail: false,
    });
  });

  it('[AUTH-02] [API-05] [AUTH-16] somebody invited gets in by his name there, is no longer pending, and is known by his subject from then on', async () => {
    const id = await invite('Anna Berg', { identityProviderUsername: 'Anna@Acme' });
    provider.people.set('sub-anna', { preferred_username: 'anna@acme' });
    const { api, answer } = await signIn('sub-anna');
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { internalId: id, isPending: false }, userPreferences: { language: 'NL' } },
    });
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(200);
    expect(answer.headers.get('x-csrf-token')).toBeTruthy();
    // Another name there changes nothing: the subject counts.
    provider.people.set('sub-anna', { preferred_username: 'anna@other' });
    expect((await signIn('sub-anna')).answer.status).toBe(200);
    // And her old name, given to somebody else there, does not open her account.
    provider.people.set('sub-thief', { preferred_username: 'anna@acme' });
    expect((await signIn('sub-thief')).answer).toMatchObject({ status: 401, body: 'Unauthorized' });
  });

  it('a mail address counts when the provider has verified it, and only then', async () => {
    await invite('Bert Bos', { email: 'bert@acme.org', username: 'bert' });
    provider.people.set('sub-b1', { email: 'bert@acme.org', email_verified: false });
    expect((await signIn('sub-b1')).answer.status).toBe(401);
    provider.people.set('sub-b2', { email: 'Bert@acme.org', email_verified: true });
    expect((await signIn('sub-b2')).answer.status).toBe(200);
  });

  it("[API-05] [AUTH-13] who was not invited gets the text 'Unauthorized', no session and no account", async () => {
    const before = await product.query('select 1 from app_user');
    const { api, answer } = await signIn('sub-stranger');
    expect(answer).toMatchObject({ status: 401, body: 'Unauthorized' });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(api.cookie()).not.toContain('sluice-session');
    expect(await product.query('select 1 from app_user')).toHaveLength(before.length);
  });

  it('[AUTH-17] who is not active any more does not get in', async () => {
    const id = await invite('Carl Dam', { identityProviderUsername: 'carl@acme' });
    provider.people.set('sub-carl', { preferred_username: 'carl@acme' });
    expect((await signIn('sub-carl')).answer.status).toBe(200);
    await product.admin.send(
      'PATCH',
      `/api/v1/manage/users/${id}`,
      { changes: { isActive: false } },
      z.unknown(),
    );
    expect((await signIn('sub-carl')).answer).toMatchObject({ status: 401, body: 'Unauthorized' });
  });

  it('[API-05] a reload of the callback answers null while the session stands; without one it is an error', async () => {
    await invite('Dora Eik', { identityProviderUsername: 'dora@acme' });
    provider.people.set('sub-dora', { preferred_username: 'dora@acme' });
    const { api, back, answer } = await signIn('sub-dora');
    expect(answer.status).toBe(200);
    expect(await end(api, back)).toMatchObject({ status: 200, body: null });
    expect(await end(createApi(product.base), back)).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED' },
    });
  });

  it('[AUTH-15] a state of somebody else, a wrong code, a sign-in begun too long ago and a refusal there are errors, and open nothing', async () => {
    await invite('Ella Fink', { identityProviderUsername: 'ella@acme' });
    provider.people.set('sub-ella', { preferred_username: 'ella@acme' });
    const back = async (api: Api): Promise<URL> => await signInAtProvider(await begin(api), 'sub-ella');
    // A code of one browser in another: the attack that state is there against.
    const [victim, attacker] = [createApi(product.base), createApi(product.base)];
    await begin(victim);
    const stolen = await end(victim, await back(attacker));
    expect(stolen.status).toBe(400);

    const wrong = createApi(product.base);
    const forged = await back(wrong);
    forged.searchParams.set('code', 'made up');
    const badCode = await end(wrong, forged);
    expect(badCode.status).toBe(400);
    expect(badCode.body).toMatchObject({ message: expect.stringContaining('did not succeed') });

    const slow = createApi(product.base);
    const late = await back(slow);
    clock += 11 * 60_000;
    expect((await end(slow, late)).status).toBe(400);

    const refused = createApi(product.base);
    const url = new URL(await begin(refused));
    const answer = await end(
      refused,
      new URL(
        `${publicUrl}/?error=access_denied&state=${url.searchParams.get('state')}&iss=${encodeURIComponent(provider.issuer)}`,
      ),
    );
    expect(answer.status).toBe(400);
    for (const api of [victim, attacker, wrong, slow, refused])
      expect(api.cookie()).not.toContain('sluice-session');
  });

  it('a sign-in begun with one provider does not end at another, and a wrong client secret opens nothing', async () => {
    const api = createApi(product.base);
    const back = await signInAtProvider(await begin(api, 'business'), 'sub-anna');
    expect((await end(api, back, 'education')).status).toBe(400);
    const { answer } = await signIn('sub-anna', createApi(product.base), 'education');
    expect(answer.status).toBe(400);
  });

  it('logging in with a password stays possible beside it', async () => {
    const api = await loginApi(product.base, 'admin', testPassword);
    expect((await api.call('GET', '/api/v1/auth/session')).status).toBe(200);
  });
});

describe('the settings of providers', () => {
  it('name all that is wrong with them; nothing set is no provider', () => {
    expect(readProviders({ PORT: '1' })).toEqual({ providers: [], problems: [] });
    expect(
      readProviders({
        SLUICE_BUSINESS_ISSUER: 'http://login.example.org',
        SLUICE_EDUCATION_ISSUER: 'https://edu.example.org',
        SLUICE_EDUCATION_CLIENT_ID: 'x',
      }).problems,
    ).toEqual([
      'SLUICE_BUSINESS_ISSUER: must be an https address',
      'SLUICE_BUSINESS_CLIENT_ID: is needed beside the issuer',
      'SLUICE_BUSINESS_CLIENT_SECRET: is needed beside the issuer',
      'SLUICE_EDUCATION_CLIENT_SECRET: is needed beside the issuer',
    ]);
  });
});
