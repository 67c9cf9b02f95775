import type { Page } from '@playwright/test';
import { userPreferencesSchema } from '@sluice/contract';
import type { Api } from '@sluice/testing';
import { openTable, prepare, setPreference } from './support/table.ts';
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
  await page.goto(`${product.base}/dashboard`);
  await expect(page.getByRole('tab').first()).toBeVisible();
  const waits = await page.evaluate<number[]>('window.waits');
  expect(waits.length).toBeGreaterThan(3);
  expect(new Set(waits)).toEqual(new Set([20 * 60_000]));
});
