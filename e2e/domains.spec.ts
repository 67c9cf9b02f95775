import { waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { routes } from '../web/src/platform/routes.ts';
import { expectNoViolations } from './support/axe.ts';
import { discardAllAt, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));

const domains = routes.manageSystems.replace('$systemId', 'sandbox-erp');

test('[ROUTE-18] the domains of a system stand at the route manageSystems, and links lead there', async ({
  page,
  product,
}) => {
  expect(routes.manageSystems).toBe('/manage/systems/$systemId/domains');
  await page.goto(`${product.base}/manage/systems`);
  await page.getByRole('link', { name: 'Sandbox ERP' }).click();
  await expect(page).toHaveURL(product.base + domains);
  await expect(page.getByRole('heading', { name: 'Domains of Sandbox ERP' })).toBeVisible();
  await page.goto(product.base + domains);
  await expect(page.getByRole('row', { name: /^Production/ })).toBeVisible();
});

test('[ROUTE-19] the collection of a system has a list, a form for a new one and one for each that is there', async ({
  page,
  product,
}) => {
  await page.goto(product.base + domains);
  const edit = await page.getByRole('link', { name: 'Test', exact: true }).getAttribute('href');
  expect(edit).toMatch(/^\/manage\/systems\/sandbox-erp\/domains\/[^/]+\/edit$/);
  await page.goto(`${product.base}${domains}/new`);
  await expect(page.getByRole('heading', { name: 'New Domain of Sandbox ERP' })).toBeVisible();
  await page.goto(`${product.base}${edit}`);
  await expect(page.getByRole('heading', { name: 'Domain Test' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Test');
  await expectNoViolations(page, 'domain');
  for (const unknown of [`${domains}/no-such-domain/edit`, '/manage/systems/sandbox-erp/nothing']) {
    await page.goto(product.base + unknown);
    await expect(page.getByText('Error 404')).toBeVisible();
  }
});

test('[ROUTE-29] a domain is copied into a new one: all but its short name and its secrets', async ({
  page,
  product,
}) => {
  await page.goto(product.base + domains);
  await page
    .getByRole('row', { name: /^Test/ })
    .getByRole('button', { name: 'Actions: Test', exact: true })
    .click();
  await page.getByRole('menuitem', { name: 'Copy' }).click();
  await expect(page).toHaveURL(/\/domains\/new\?copyFrom=/);
  await expect(page.getByRole('heading', { name: 'Copy of Domain Test' })).toBeVisible();
  await expect(page.getByText('Passwords and other secrets are not copied')).toBeVisible();
  await expectNoViolations(page, 'copy of a domain');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('A value is required')).toHaveCount(2);
  await page.getByRole('textbox', { name: 'Short name' }).fill('copy');
  await page.getByLabel('Password').fill('sandbox');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/companies$/);
  await page.goto(product.base + domains);
  await page.getByRole('link', { name: 'Test (copy)' }).click();
  await expect(page.getByRole('textbox', { name: 'Short name' })).toHaveValue('copy');
  await page.goto(product.base + domains);
  await page.getByRole('button', { name: 'Actions: Test (copy)' }).click();
  await page.getByRole('menuitem', { name: 'Delete domain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
  await expect(page.getByRole('link', { name: 'Test (copy)' })).toHaveCount(0);
});

test('a domain shows its state, the calls by hours and days, and who paused it', async ({
  page,
  product,
}) => {
  await page.goto(product.base + domains);
  await page.getByRole('link', { name: 'Test', exact: true }).click();
  const state = page.getByRole('region', { name: 'State' });
  await expect(state.getByText('Active', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(state.getByText(/tables, all read/)).toBeVisible({ timeout: 60_000 });
  await expect(page.locator('.bar-plot canvas')).toBeVisible();
  await page.getByText('Show as a table').click();
  const table = page.getByRole('table', { name: 'API Calls' });
  await expect(table.getByRole('row')).toHaveCount(25);
  await page.getByRole('button', { name: '14 days' }).click();
  await expect(table.getByRole('row')).toHaveCount(15);

  await state.getByRole('button', { name: 'Pause reading' }).click();
  await expect(state.getByText('Reading paused')).toBeVisible();
  await expect(page.getByRole('row', { name: /Reading paused.*Administrator/ })).toBeVisible();
  await state.getByRole('button', { name: 'Resume reading' }).click();
  await expect(state.getByText('Active', { exact: true })).toBeVisible();
  await state.getByRole('button', { name: 'Read everything anew' }).click();
  await expect(state.getByText(/to go:/)).toBeVisible();
  await expect(state.getByText(/tables, all read/)).toBeVisible({ timeout: 60_000 });
  await expectNoViolations(page, 'domain with its state');
});

test('before a company is switched off it is said what that means, with the changes that wait', async ({
  page,
  product,
  api,
}) => {
  const customers = '/api/v1/data/sandbox-erp/domains/test/companies/ANR/customers';
  await waitUntilCached(api, customers);
  await api.send('POST', customers, { name: 'Waiting' }, z.unknown());
  await page.goto(product.base + domains);
  const row = page.getByRole('row', { name: /^Test/ });
  await row.getByRole('link', { name: '3' }).click();
  const company = page.getByRole('row', { name: /ANR/ });
  await expect(company).toContainText(/[\d.]+ records in \d+ tables/);
  await company.getByRole('switch').click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Their tables disappear from the menu');
  await expect(dialog).toContainText('1 pending change stays');
  await dialog.getByRole('button', { name: 'Stop using' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await company.getByRole('switch').click();
  await page.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await expectNoViolations(page, 'companies');
  await discardAllAt(api, customers);
});

test('before a domain is removed it is said how many connectors use it and how many changes wait', async ({
  page,
  product,
  api,
}) => {
  const customers = '/api/v1/data/sandbox-erp/domains/test/companies/ANR/customers';
  await waitUntilCached(api, customers);
  await api.send('POST', customers, { name: 'Waiting' }, z.unknown());
  await page.goto(product.base + domains);
  const href = await page.getByRole('link', { name: 'Test', exact: true }).getAttribute('href');
  const domainId = href?.split('/').at(-2) ?? '';
  const { resource } = await api.get(
    `/api/v1${href?.replace('/edit', '')}`,
    z.object({ resource: z.object({ systemId: z.string() }) }),
  );
  const end = { id: resource.systemId, levelIds: [domainId] };
  const { internalId } = await api.send(
    'POST',
    '/api/v1/connectors',
    { name: 'Within the domain', sourceSystem: end, targetSystem: end },
    z.object({ internalId: z.string() }),
  );
  await page.getByRole('button', { name: 'Actions: Test', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete domain' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Domain Test' });
  await dialog.getByRole('button', { name: 'Delete domain' }).click();
  await expect(dialog).toContainText(
    'one connector reads from it or writes to it, one change is pending. Delete it all the same?',
  );
  await expect(dialog.getByRole('button', { name: 'Delete all the same' })).toBeVisible();
  await expectNoViolations(page, 'domain in use');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row', { name: /^Test/ })).toBeVisible();
  await api.send('DELETE', `/api/v1/connectors/${internalId}`, undefined, z.unknown());
  await discardAllAt(api, customers);
});

test('companies are switched by the right to them, not by that to domains', async ({
  browser,
  product,
  api,
}) => {
  const user = { username: 'cora', fullName: 'Cora Companies', isSuperuser: false };
  await addUser(product.home, user);
  const { resources } = await api.get(
    '/api/v1/manage/users?limit=-1',
    z.object({ resources: z.array(z.looseObject({ internalId: z.string(), fullName: z.string() })) }),
  );
  const coraId = resources.find(({ fullName }) => fullName === user.fullName)?.internalId;
  const { resources: systems } = await api.get(
    '/api/v1/manage/systems?limit=-1&offset=0',
    z.object({ resources: z.array(z.looseObject({ internalId: z.string(), url: z.string() })) }),
  );
  const systemId = systems.find(({ url }) => url === 'sandbox-erp')?.internalId;
  const allow = async (updates: 'domains' | 'companies'): Promise<unknown> =>
    await api.send(
      'PATCH',
      `/api/v1/manage/users/${coraId}`,
      {
        changes: {
          customRights: ['domains', 'companies'].map((endpointId) => ({
            endpointId,
            create: false,
            read: true,
            update: endpointId === updates,
            delete: false,
          })),
          externalSystemRights: [{ externalSystemId: systemId, levelIds: null }],
        },
      },
      z.unknown(),
    );
  await allow('companies');
  const cora = await (await browser.newContext()).newPage();
  const coraApi = await loginPage(cora, product.base, 'cora');
  await coraApi.call('PATCH', '/api/v1/user/userprefs', [{ op: 'replace', path: 'language', value: 'EN' }]);
  await cora.goto(product.base + domains);
  await cora.getByRole('row', { name: /^Test/ }).getByRole('link', { name: '3' }).click();
  const company = cora.getByRole('row', { name: /ANR/ }).getByRole('switch');
  await company.click();
  await expect(cora.getByRole('button', { name: 'Save 1 change' })).toBeEnabled();
  await allow('domains');
  await cora.reload();
  await expect(company).toBeVisible();
  await expect(company).toBeDisabled();
  // Who may not make a domain is led home from its form.
  await cora.goto(`${product.base}${domains}/new`);
  await expect(cora).toHaveURL(/\/dashboard/);
  await expect(cora.locator('.toasts')).toContainText('You have no access to Domains.');
  await cora.context().close();
});
