import { startGateway } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { levels, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));

test('[ERR-04] [ERR-06] [ERR-12] [ERR-13] [ERR-27] what a gateway answers instead of a table is told on the whole screen, until one goes elsewhere', async ({
  page,
  product,
}) => {
  const gateway = await startGateway(product.base);
  await loginPage(page, gateway.url);
  const main = page.getByRole('main');
  for (const [status, title, text] of [
    [400, 'Bad request', 'The server did not understand the request in domain'],
    [418, 'Client error', 'The request could not be carried out.'],
    [500, 'Internal server error', 'Something went wrong on the server in domain'],
    [504, 'Server error', 'The server could not carry out the request.'],
  ] as const) {
    gateway.answer('/customers?', { status });
    await page.goto(`${gateway.url}/data/${levels}/customers`);
    await expect(page.getByRole('heading', { name: `Error ${status}` })).toBeVisible({ timeout: 40_000 });
    await expect(main).toContainText(title);
    await expect(main).toContainText(text);
  }
  await expectNoViolations(page, 'error page');
  await page.getByText('Logs').click();
  await expect(main.locator('pre')).toContainText('504 Gateway Timeout');
  gateway.answer('/customers?', null);
  await page.getByRole('link', { name: 'Connectors' }).click();
  await expect(page.getByRole('heading', { name: 'Connectors', exact: true })).toBeVisible();
  await expect(page.getByText('Error 504')).toHaveCount(0);
  await gateway.stop();
});

test("[ERR-03] [ERR-10] [ERR-11] [ERR-17] [ERR-18] the external system's refusals offer the domains, a table that was not read only them; long texts stand at the left", async ({
  page,
  product,
}) => {
  const gateway = await startGateway(product.base);
  await loginPage(page, gateway.url);
  const answer = (code: string, statusCode: number, message: string): void =>
    gateway.answer('/customers?', {
      status: statusCode,
      body: { code, message, statusCode, statusDescription: 'x', requestId: 'r', fieldErrors: [] },
    });
  const open = async (): Promise<void> => void (await page.goto(`${gateway.url}/data/${levels}/customers`));
  const main = page.getByRole('main');
  const home = main.getByRole('button', { name: 'Go back home' });
  const domains = main.getByText('Manage domains');
  answer('UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', 403, 'x'.repeat(249));
  await open();
  await expect(main).toContainText('no access to this part of the external system in domain');
  await expect(home).toBeVisible();
  await expect(domains).toBeVisible();
  await expect(page.getByText('x'.repeat(249))).toHaveCSS('text-align', 'center');
  answer('UNAUTHORIZED_FOR_EXTERNAL_SYSTEM', 502, 'x'.repeat(250));
  await open();
  await expect(main).toContainText('could not get access to the external system in domain');
  await expect(domains).toBeVisible();
  await expect(page.getByText('x'.repeat(250))).toHaveCSS('text-align', 'left');
  // Of a record and of duplicates as of the table.
  gateway.answer('/customers?', null);
  for (const [route, screen] of [
    ['/customers/3?', 'customers/3/edit'],
    [`/api/v1/data/${levels}/customers/duplicates`, 'customers/duplicates'],
  ] as const) {
    const code = 'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT';
    gateway.answer(route, {
      status: 403,
      body: {
        code,
        message: '',
        statusCode: 403,
        statusDescription: 'x',
        requestId: 'r',
        fieldErrors: [],
      },
    });
    await page.goto(`${gateway.url}/data/${levels}/${screen}`);
    await expect(main).toContainText('no access to this part of the external system in domain');
    gateway.answer(route, null);
  }
  answer('NOTHING_CACHED_YET', 503, '');
  await open();
  await expect(domains).toBeVisible();
  await expect(home).toHaveCount(0);
  await gateway.stop();
});

test('[ERR-21] [ERR-22] an answer without the description of its fields is told as what is missing', async ({
  page,
  product,
}) => {
  const gateway = await startGateway(product.base);
  await loginPage(page, gateway.url);
  const answer = { snapshot: 's', total: 0, offset: 0, ids: [], columns: {}, maxLimit: 1 };
  gateway.answer('/customers?', { status: 200, body: answer });
  await page.goto(`${gateway.url}/data/${levels}/customers`);
  await expect(page.getByRole('main')).toContainText('metadata is missing');
  gateway.answer('/customers?', { status: 200, body: { ...answer, metadata: { tableId: 't' } } });
  await page.goto(`${gateway.url}/data/${levels}/customers`);
  await expect(page.getByRole('main')).toContainText('fieldsMetadata is missing');
  await gateway.stop();
});

test('[ERR-25] [ERR-24] an error that nobody caught is told in a word and posted to the server', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/settings`);
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  const report = page.waitForRequest((request) => request.url().includes('client-error'));
  await page.evaluate(`setTimeout(() => { throw new Error('nobody caught this'); })`);
  expect((await report).postData()).toContain('nobody caught this');
  await expect(page.getByText('An error occurred.')).toBeVisible();
});

test('[ERR-25] a screen that throws while it is drawn is told to the server too', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/dashboard`);
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await page.route('**/manage/roles?**', async (route) => {
    await route.fulfill({ json: { resources: [null], offset: 0, maxLimit: 100, total: 1 } });
  });
  const report = page.waitForRequest((request) => request.url().includes('client-error'));
  await page.goto(`${product.base}/manage/roles`);
  expect((await report).postData()).toMatch(/TypeError/);
  await expect(page.getByRole('button', { name: 'Go back home' })).toBeVisible();
});

test('[ERR-26] what fails in a question is told as a quick notification; the page stays', async ({
  page,
  product,
  api,
}) => {
  const empty = { name: 'Empty', acronym: 'EM', kind: 'odata' };
  await api.send('POST', '/api/v1/manage/systems', empty, z.unknown());
  const gateway = await startGateway(product.base);
  await loginPage(page, gateway.url);
  await page.goto(`${gateway.url}/manage/systems`);
  await page.getByRole('button', { name: 'Delete: Empty' }).click();
  gateway.answer('/api/v1/manage/systems/', { status: 502 });
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.locator('.toast[role=alert]')).toContainText('Something went wrong.');
  await expect(page.getByRole('heading', { name: 'External Systems' })).toBeVisible();
  await expect(page.getByText('Error 502')).toHaveCount(0);
  await gateway.stop();
});
