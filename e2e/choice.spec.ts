import type { Page } from '@playwright/test';
import { userPreferencesSchema } from '@sluice/contract';
import { type Api, waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { apiPath, cell, levels, openTable, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));
test.afterEach(async ({ api }) => await setPreference(api, 'language', 'EN'));

const optionsOf = async (api: Api) =>
  (await api.get('/api/v1/user/userprefs', userPreferencesSchema)).options;
const selector = (page: Page) => page.getByRole('button', { name: /^External system/ });

test('[SYS-08] [SYS-09] [SYS-10] what is chosen is one option of each level, and is kept as last used', async ({
  page,
  product,
  api,
}) => {
  await setPreference(api, 'options/lastUsedExternalSystemId', null);
  await setPreference(api, 'options/lastUsedExternalSystemLevelIdsFor', {});
  await openTable(page, product.base, 'customers');
  await expect.poll(async () => (await optionsOf(api)).lastUsedExternalSystemId).not.toBeNull();
  const before = await optionsOf(api);
  const id = before.lastUsedExternalSystemId ?? '';
  await selector(page).click();
  const company = page.getByRole('combobox').last();
  const other = (await company.locator('option:not(:checked)').first().innerText()).trim();
  await company.selectOption({ label: other });
  await expect(selector(page)).toContainText(other.replace(/ \(.+\)$/, ''));
  const kept = async (): Promise<string[]> =>
    (await optionsOf(api)).lastUsedExternalSystemLevelIdsFor[id]?.split('*') ?? [];
  await expect.poll(kept).not.toEqual(before.lastUsedExternalSystemLevelIdsFor[id]?.split('*'));
  expect(await kept()).toHaveLength(2);
});

test('[SYS-11] levels that were kept and fit no more give way to the first ones, without an error', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  const id = (await optionsOf(api)).lastUsedExternalSystemId ?? '';
  for (const kept of ['gone*gone-too', 'only-one', 'a*b*c']) {
    await setPreference(api, 'options/lastUsedExternalSystemLevelIdsFor', { [id]: kept });
    await page.goto(`${product.base}/dashboard`);
    await expect(selector(page)).toContainText('Sandbox ERP');
    await expect(page.locator('.toast.error')).toHaveCount(0);
    await expect(page.getByRole('tab').first()).toBeVisible();
  }
});

test('another company that has no table of that name leads to the dashboard, which says so', async ({
  page,
  product,
  api,
}) => {
  // No menu of another company is known yet.
  await setPreference(api, 'options/lastUsedExternalSystemId', null);
  await setPreference(api, 'options/lastUsedExternalSystemLevelIdsFor', {});
  await openTable(page, product.base, 'customers');
  await page.route('**/user/menu?**', async (route) => {
    const answer = await route.fetch();
    const menu = (await answer.json()) as { mainMenu: { id: string; children: { title: string }[] }[] };
    for (const item of menu.mainMenu)
      item.children = item.children.filter(({ title }) => item.id !== 'data' || title !== 'Customers');
    await route.fulfill({ response: answer, json: menu });
  });
  await selector(page).click();
  const company = page.getByRole('combobox').last();
  const other = (await company.locator('option:not(:checked)').first().innerText()).trim();
  await company.selectOption({ label: other });
  await expect(page).toHaveURL(/\/dashboard\/sandbox-erp/);
  await expect(page.getByText(/has no such table: choose another one/)).toBeVisible();
  await expect(selector(page)).toContainText(other.replace(/ \(.+\)$/, ''));
});

test('[API-39] a search that is typed on gives up the call of the one before', async ({ page, product }) => {
  await openTable(page, product.base, 'customers');
  const failed: string[] = [];
  page.on('requestfailed', (request) => failed.push(request.postData() ?? ''));
  let asked = 0;
  await page.route('**/customers/find', async (route) => {
    asked += 1;
    if (asked > 1) await route.continue();
  });
  await page.keyboard.press('Control+f');
  const find = page.getByLabel('Find', { exact: true });
  await find.fill('van');
  await expect.poll(() => asked).toBe(1);
  await find.fill('bakker');
  await expect.poll(() => failed.length).toBe(1);
  expect(failed[0]).toContain('van');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('[CONST-01] a call is given up after 20 minutes', async ({ page, product }) => {
  await page.addInitScript(`
    window.waits = [];
    const original = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => { window.waits.push(ms); return original(ms); };
  `);
  // A table asks a good deal; a page like the dashboard brings most answers with it.
  await openTable(page, product.base, 'customers');
  await expect(await cell(page, 1, 'Name')).not.toBeEmpty();
  const waits = await page.evaluate<number[]>('window.waits');
  expect(waits.length).toBeGreaterThan(3);
  expect(new Set(waits)).toEqual(new Set([20 * 60_000]));
});

const roleReply = z.object({ resource: z.object({ internalId: z.string() }) });
const pageSchema = z.object({ resources: z.array(z.unknown()), maxLimit: z.number(), total: z.number() });

test('[CONST-02] a list asked for with limit -1 comes whole, and so do the lists of the screens', async ({
  page,
  product,
  api,
}) => {
  const names = Array.from({ length: 101 }, (_, i) => `Role ${String(i + 1).padStart(3, '0')}`);
  const body = { description: '', rights: [], externalSystemRights: [] };
  const made: string[] = [];
  for (const name of names) {
    const { resource } = await api.send('POST', '/api/v1/manage/roles', { name, ...body }, roleReply);
    made.push(resource.internalId);
  }
  const rolesBy = async (query: string) => await api.get(`/api/v1/manage/roles${query}`, pageSchema);
  expect((await rolesBy('')).resources).toHaveLength(100);
  const { resources, total } = await rolesBy('?limit=-1');
  expect(total).toBeGreaterThan(101);
  expect(resources).toHaveLength(total);
  const asked = page.waitForRequest((request) => request.url().includes('/manage/roles?'));
  await page.goto(`${product.base}/manage/roles`);
  expect(new URL((await asked).url()).searchParams.get('limit')).toBe('-1');
  await expect(page.getByRole('row', { name: /^Role 101/ })).toBeAttached();
  for (const id of made) await api.call('DELETE', `/api/v1/manage/roles/${id}`);
});

test('[CONST-03] pages: data 1,000 and never more than 5,000, other lists 100, pickers 50', async ({
  page,
  product,
  api,
}) => {
  const journal = apiPath('journal-entries');
  await waitUntilCached(api, journal, 180_000);
  expect((await api.get(journal, pageSchema)).resources).toHaveLength(1000);
  const most = await api.get(`${journal}?limit=9000`, pageSchema);
  expect(most.resources).toHaveLength(5000);
  expect(most.maxLimit).toBe(5000);

  const limits = new Map<string, number[]>();
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const limit = searchParams.get('limit');
    if (limit === null) return;
    const resource = pathname.split('/').at(-1) ?? '';
    limits.set(resource, [...(limits.get(resource) ?? []), Number(limit)]);
  });
  await openTable(page, product.base, 'journal-entries');
  await page.getByRole('grid').hover();
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 20_000);
      return Math.max(...(limits.get('journal-entries') ?? [0]));
    })
    .toBe(1000);
  expect(limits.get('journal-entries')?.find((limit) => limit > 0)).toBe(200);
  await page.goto(`${product.base}/manage/audit`);
  await expect.poll(() => limits.get('audit')).toEqual([100]);
  limits.clear();
  await page.goto(`${product.base}/data/${levels}/customers/1/edit`);
  await page.getByRole('combobox', { name: /^Price list/ }).click();
  await expect.poll(() => limits.get('price-lists')).toContain(50);
});
