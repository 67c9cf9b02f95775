import type { Request } from '@playwright/test';
import { cell, discardAll, levels, openTable, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
});

test('[NAV-05] [NAV-18] [NAV-19] the login page offers what works and tells nothing about accounts', async ({
  browser,
  product,
}) => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${product.base}/login`);
  await expect(page).toHaveTitle(/Log in/);
  await expect(page.getByRole('button', { name: /Continue with/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'Forgot password' }).click();
  await expect(page.getByText('Sluice cannot send mail here.')).toBeVisible();
  await page.getByRole('link', { name: 'Back to the log-in page' }).click();
  await expect(page.getByText(String(new Date().getFullYear()))).toBeVisible();
  await expect(page.getByRole('link', { name: 'Skip to main content' })).toBeAttached();
  await page.context().close();
});

test('[NAV-03] [NAV-07] [NAV-12] [MENU-01] [ROUTE-01] [ROUTE-22] the shell leads from the dashboard to a table', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/`);
  await expect(page).toHaveURL(/\/dashboard/);
  await page.getByRole('button', { name: 'Data' }).click();
  await page.getByRole('link', { name: 'Price Lists' }).first().click();
  await expect(page).toHaveURL(/\/data\/sandbox-erp\/domains\/\w+\/companies\/\w+\/price-lists/);
  await expect(page.getByRole('heading', { name: 'Price Lists', level: 1 })).toBeVisible();
  await expect(page).toHaveTitle(/^Price Lists [-–] Sluice$/);
  for (const name of [/^External system/, /^Notifications/, 'Help', /^Account/]) {
    await expect(page.getByRole('button', { name }).first()).toBeVisible();
  }
});

test('[KEY-17] [I18N-02] [MENU-07] a tap on Alt changes the language of page, menu and table', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await expect(page.getByRole('heading', { name: 'Customers' })).toBeVisible();
  await page.keyboard.press('Alt');
  await expect(page.getByRole('heading', { name: 'Klanten' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'nl');
  await expect(page.getByRole('button', { name: 'Kolommen' })).toBeVisible();
  await page.keyboard.press('Alt');
  await expect(page.getByRole('heading', { name: 'Customers' })).toBeVisible();
});

test('[ROUTE-24] [ROUTE-37] [ERR-01] [ERR-02] [ERR-05] [ERR-07] pages, tables and records that are not there', async ({
  page,
  product,
}) => {
  for (const path of ['nope', `data/${levels}/nope`, `data/${levels}/customers/999999999/edit`]) {
    await page.goto(`${product.base}/${path}`);
    await expect(page.getByText('Error 404')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Go back home' })).toBeVisible();
    // With the way to every other screen, in the product's own letters.
    await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
    await expect(page.locator('body')).toHaveCSS('font-family', /^"?Inter/);
  }
  await page.getByRole('button', { name: 'Go back home' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
});

test('[EDIT-01] [EDIT-06] [ROUTE-28] [ROUTE-29] [ROUTE-30] a record as a form: edited, copied, new, left unsaved', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open as form' }).click();
  await expect(page).toHaveURL(/\/edit$/);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('By the form');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(await cell(page, 1, 'Name')).toHaveText('By the form');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();

  await (await cell(page, 2, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy as new record' }).click();
  await expect(page).toHaveURL(/copyFrom=/);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('A copy');
  await page.getByLabel('VAT number').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('1 new')).toBeVisible();
  await expect(page.getByRole('gridcell', { name: 'A copy' })).toBeVisible();
});

test('[DOM-04] [DOM-05] [DOM-06] [DOM-07] [EDIT-02] [EDIT-03] [ROUTE-17] [ERR-20] an OData system is connected in the browser: tested badly and well, a company switched on, its tables in the menu', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/manage/systems`);
  await page.getByRole('button', { name: 'Add system' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Kind').selectOption('odata');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Second ERP');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(page).toHaveURL(/\/manage\/systems\/.+\/domains\/new/);
  const systemUrl = /systems\/([^/]+)\//.exec(page.url())?.[1] ?? '';

  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Trial');
  await page.getByLabel('Short name').fill('trial');
  await page.getByLabel('Service address').fill(`${product.sandboxUrl}/odata`);
  await page.getByRole('textbox', { name: 'Environment' }).fill('test');
  await page.getByLabel('Way of signing in').selectOption('oAuth');
  await expect(page.getByLabel('Client id')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Username' })).toHaveCount(0);
  await page.getByLabel('Way of signing in').selectOption('basic');
  await page.getByRole('textbox', { name: 'Username' }).fill('sandbox');
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.bad')).toBeVisible();
  await page.getByRole('textbox', { name: 'Password' }).fill('sandbox');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();

  await expect(page.getByRole('heading', { name: 'Companies of Trial' })).toBeVisible();
  await page.getByRole('switch').first().click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  // Leaving earlier would cut the call off.
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.goto(`${product.base}/dashboard/${systemUrl}`);
  await expect(page.getByText(/^Second ERP, /)).toBeVisible();
  await page.getByRole('link', { name: 'Journal Entries' }).first().click();
  await expect(page).toHaveURL(new RegExp(`${systemUrl}.*journal-entries`));
  // The first read of 100,000 records is under way: the page says so, and goes on by itself.
  await expect(
    page.getByText('The server is not finished caching this domain yet, try again in a few minutes'),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: 'Manage domains' })).toBeVisible();
  await expect(page.getByRole('grid')).toBeVisible({ timeout: 60_000 });
});

test('a Tryton system asks for what Tryton needs', async ({ page, product }) => {
  await page.goto(`${product.base}/manage/systems`);
  await page.getByRole('button', { name: 'Add system' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Kind').selectOption('tryton');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Farm');
  await dialog.getByRole('button', { name: 'Add' }).click();
  for (const label of ['Address', 'Database', 'Username', 'Password'])
    await expect(page.getByLabel(new RegExp(`^${label}`)).first()).toBeVisible();
  await expect(page.getByLabel('Way of signing in')).toHaveCount(0);
});

test('[SESS-03] [SESS-04] [SESS-05] [SESS-06] five minutes before its end the session asks, and one click prolongs it', async ({
  page,
  product,
}) => {
  await page.clock.install();
  const open = new Set<Request>();
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Columns' }).click();
  // For the server no time passes: its answers would tell of an end in an hour.
  await page.route(/\/api\/v1\/(?!user\/userprefs)/, async (route) => await route.abort());
  await expect.poll(() => open.size).toBe(0);
  await page.clock.fastForward('55:30');
  const warning = page.getByRole('dialog', { name: /Your session ends in 4:/ });
  await expect(warning).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Search name' })).toHaveCount(0);
  const saved = page.waitForResponse((answer) => answer.url().endsWith('/userprefs') && answer.ok());
  await page.getByRole('button', { name: 'Stay logged in' }).click();
  await saved;
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
