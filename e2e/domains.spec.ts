import { routes } from '../web/src/platform/routes.ts';
import { expectNoViolations } from './support/axe.ts';
import { prepare } from './support/table.ts';
import { expect, test } from './support/test.ts';

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
