import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { loginApi, testPassword } from '@sluice/testing';
import { z } from 'zod';
import { prepare, setPreference } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

test.use({ journalEntries: 1000 });
const fullName = 'Tess </script><b id="planted">Vos';
test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  await addUser(product.home, { username: 'tess', fullName, isSuperuser: true });
  await setPreference(await loginApi(product.base, 'tess', testPassword), 'language', 'NL');
});

test('scripts come as they were compressed when they were built, and whole to who cannot read that', async ({
  product,
}) => {
  const page = await (await fetch(product.base)).text();
  const script = /\/assets\/[^"]+\.js/.exec(page)?.[0] ?? '';
  // As bytes: fetch would unpack them.
  const get = async (accepted: string): Promise<{ encoding?: string; length?: string; body: Buffer }> =>
    await new Promise((resolve, reject) => {
      const headers = { 'accept-encoding': accepted };
      http
        .get(`${product.base}${script}`, { headers }, (answer) => {
          const { 'content-encoding': encoding, 'content-length': length } = answer.headers;
          buffer(answer).then(
            (body) => resolve({ ...(encoding ? { encoding } : {}), ...(length ? { length } : {}), body }),
            reject,
          );
        })
        .on('error', reject);
    });
  const plain = await get('identity');
  expect(plain.encoding).toBeUndefined();
  const [brotli, gzip] = [await get('gzip, deflate, br, zstd'), await get('gzip')];
  expect([brotli.encoding, gzip.encoding]).toEqual(['br', 'gzip']);
  // What is compressed anew for each visitor goes without its length.
  for (const { length, body } of [brotli, gzip]) expect(length).toBe(String(body.length));
  expect(brotli.body.length).toBeLessThan(plain.body.length / 2);
  expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
  expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
});

const answersSchema = z.array(z.looseObject({ url: z.string(), status: z.number() }));

test('[NAV-21] the page brings what it asks first, in the user’s language, and asks for none of it again', async ({
  page,
  product,
}) => {
  await loginPage(page, product.base, 'tess');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const answer = await page.goto(`${product.base}/dashboard`);
  expect(answer?.headers()['cache-control']).toBe('no-store');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard');
  await expect(page.getByRole('heading', { name: 'Begin hier' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  const answers = answersSchema.parse(JSON.parse((await page.locator('#first-answers').textContent()) ?? ''));
  expect(answers.map(({ url, status }) => [url.replace(/\?.*/, ''), status])).toEqual([
    ['/api/v1/auth/session', 200],
    ['/api/v1/user/external-systems', 200],
    ['/api/v1/user/dashboard', 200],
  ]);
  expect(JSON.stringify(answers)).toContain('"Domein"');
  const apis = asked.filter((path) => path.startsWith('/api/'));
  for (const { url } of answers) expect(apis).not.toContain(url.replace(/\?.*/, ''));
  expect(apis.filter((path) => path === '/api/v1/user/menu')).toHaveLength(1);
  // A name is a text, also where it looks like the end of the script that holds it.
  expect(JSON.stringify(answers)).toContain('</script>');
  await expect(page.locator('#planted')).toHaveCount(0);
  // Of a page that stays open it is asked anew.
  await page.getByRole('link', { name: 'Connectors' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Connectors' })).toBeVisible();
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await expect.poll(() => asked.filter((path) => path === '/api/v1/user/dashboard').length).toBe(1);
});

test('[ROUTE-34] who is not logged in, or not any more, gets the ways to sign in with the page and nothing of anybody else', async ({
  page,
  product,
}) => {
  await page.context().clearCookies();
  for (const cookie of [null, 'a-session-that-ended']) {
    if (cookie !== null)
      await page.context().addCookies([{ name: 'sluice-session', value: cookie, url: product.base }]);
    const answer = await page.goto(`${product.base}/connectors`);
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible();
    await expect(page).toHaveURL(/\/login\?redirect=%2Fconnectors/);
    const html = (await answer?.text()) ?? '';
    expect(html).toContain('"url":"/api/v1/auth/session","status":401');
    expect(html).toContain('"url":"/api/v1/auth/providers","status":200');
    expect(html).not.toContain('external-systems');
  }
});
