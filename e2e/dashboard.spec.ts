import { push, tableOf, waitFor } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolationsInBothThemes } from './support/axe.ts';
import { takePicture } from './support/looks.ts';
import { apiPath, discardAll, levels, openTable, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
});
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
});

test('[DASH-01] [DASH-03] [DASH-04] [DASH-05] [DASH-06] [DASH-10] [ROUTE-03] a push appears while it runs, and then where it can be looked at again', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  await page.getByRole('link', { name: /to the dashboard/ }).click();
  for (const name of ['User Jobs', 'Connector Jobs', 'Errors'])
    await expect(page.getByRole('tab', { name })).toBeVisible();
  await expect(page.getByText('Sandbox ERP').first()).toBeVisible();
  await expect(page.getByText('Nothing is running.')).toBeVisible();
  // Only now the tabs have their numbers.
  const tab = page.getByRole('tab', { name: /^Errors/ });
  const errors = Number((await tab.innerText()).replace(/\D/g, ''));

  const table = tableOf(api, apiPath('customers'));
  const [good, bad] = await table.find('limit=2&offset=40');
  await table.patch([
    { id: good!.internalId, changes: { paymentTermDays: 21 } },
    { id: bad!.internalId, changes: { priceList: 'PL99' } },
  ]);
  await push(api, table.path, { update: [good!.internalId, bad!.internalId] });
  const row = page.getByRole('row', { name: /Customers, .+ 1 pushed, 1 rejected/ }).first();
  await expect(row).toBeVisible();
  for (const heading of ['Time', 'Endpoint', 'Origin', 'Message'])
    await expect(page.getByRole('columnheader', { name: heading })).toBeVisible();
  const done = page.locator('section', { has: page.getByRole('heading', { name: 'Recently done' }) });
  await expect(done.getByRole('link', { name: /Customers.+ 1 rejected/ }).first()).toBeVisible();

  await tab.click();
  await expect(tab).toHaveText(`Errors ${errors + 1}`);
  await page
    .getByRole('tabpanel')
    .getByRole('link', { name: /Customers/ })
    .first()
    .click();
  await expect(page.getByRole('dialog')).toContainText('PL99');
  await page.keyboard.press('Escape');

  await page.goBack();
  await page.goBack();
  const visited = page.locator('section', { has: page.getByRole('heading', { name: 'Most visited' }) });
  await page.goto(`${product.base}/dashboard`);
  // Another test may have visited another company's.
  await visited.locator(`a[href="/data/${levels}/customers"]`).click();
  await expect(page).toHaveURL(new RegExp(`/data/${levels}/customers`));
});

test('[DASH-02] [DASH-08] of two periods clicked in a row the last one wins, and the call of the first is given up', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/dashboard`);
  await expect(page.getByRole('tab', { name: /User Jobs/ })).toBeVisible();
  const asked: string[] = [];
  const failed: string[] = [];
  page.on('requestfailed', (request) => failed.push(request.url()));
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/v1/user/dashboard?**', async (route) => {
    asked.push(route.request().url());
    if (asked.length === 1) await gate;
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('button', { name: '1 Week' }).click();
  await expect.poll(() => asked.length).toBe(1);
  await page.getByRole('button', { name: '1 Month' }).click();
  await expect.poll(() => failed.length).toBe(1);
  letGo();
  await expect(page.getByRole('button', { name: '1 Month' })).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(() => asked.length).toBe(2);
  const days = asked.map((url) => {
    const query = new URL(url).searchParams;
    return (Date.parse(query.get('dateTo') ?? '') - Date.parse(query.get('dateFrom') ?? '')) / 86_400_000;
  });
  expect(days).toEqual([6, 29]);
  expect(failed).toEqual([asked[0]]);
});

test('[ROUTE-04] [SYS-01] [DASH-14] one system at a time: the address says which options, and the selector rewrites it', async ({
  page,
  product,
  api,
}) => {
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/api/v1/user/dashboard') asked.push(url.searchParams);
  });
  // What was used last is elsewhere: the address counts.
  await setPreference(api, 'options/lastUsedExternalSystemLevelIdsFor', {});
  await page.goto(`${product.base}/dashboard/sandbox-erp?domains=production&companies=UTR`);
  await expect(page.locator('.dh .sub')).toContainText('Utrecht');
  await expect(page.locator('.dh .sub')).toContainText('Sandbox ERP, Production');
  expect(asked.at(-1)?.get('systemId')).toBeTruthy();
  expect(asked.at(-1)?.get('systemLevelIds')?.split('*')).toHaveLength(2);
  await page.getByRole('button', { name: /^External system/ }).click();
  const company = page.getByRole('combobox').last();
  await company.selectOption({
    label: (await company.locator('option:not(:checked)').first().innerText()).trim(),
  });
  await expect(page).toHaveURL(/\/dashboard\/sandbox-erp\?domains=production&companies=(?!UTR)\w+/i);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Show all systems' }).click();
  await expect(page.locator('.dh .sub')).toContainText('All systems');
  expect(asked.at(-1)?.get('systemId')).toBeNull();
});

test('[DASH-07] [CONST-03] sixty jobs have three pages', async ({ page, product, api }) => {
  const table = tableOf(api, apiPath('customers'));
  const ids = (await table.find('limit=60&offset=60')).map(({ internalId }) => internalId);
  await table.patch(ids.map((id) => ({ id, changes: { name: `Of a job of its own ${id}` } })));
  for (const id of ids)
    await api.send('POST', `${table.path}/push`, { insert: [], update: [id], delete: [] }, z.unknown());
  await waitFor('the pushes', async () => (await table.pending()).length === 0);
  await page.goto(`${product.base}/dashboard`);
  const previous = page.getByRole('button', { name: 'Previous' });
  const next = page.getByRole('button', { name: 'Next' });
  await expect(page.getByText(/^1 to 20 of \d+$/)).toBeVisible();
  await expect(previous).toBeDisabled();
  await next.click();
  await expect(page.getByText(/^21 to 40 of \d+$/)).toBeVisible();
  await next.click();
  await expect(page.getByText(/^41 to 60 of \d+$/)).toBeVisible();
  while (await next.isEnabled()) await next.click();
  await previous.click();
  await expect(previous).toBeEnabled();
  await expect(next).toBeEnabled();
});

test('the dashboard in both languages and themes, wide and narrow, has no accessibility violations', async ({
  page,
  product,
  api,
}) => {
  for (const language of ['EN', 'NL'] as const) {
    await setPreference(api, 'language', language);
    for (const width of [1440, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${product.base}/dashboard`);
      await expect(page.locator('.bar-plot canvas')).toBeVisible();
      await expect(page.getByRole('tab').first()).toBeVisible();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await takePicture(page, `dashboard-${language}-${colorScheme}-${width}`);
      }
      await expectNoViolationsInBothThemes(page, `${language}, ${width}`);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBe(0);
    }
  }
});

test('the pushes of a day are drawn also where the browser names a language that there is not', async ({
  page,
  product,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true });
  });
  await page.goto(`${product.base}/dashboard`);
  await expect(page.locator('.bar-plot canvas')).toBeVisible();
});
