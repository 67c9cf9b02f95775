import { expectNoViolations } from './support/axe.ts';
import { cell, levels, prepare } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));

test('[ROUTE-23] a table per attribute opens with the choice of its attribute, and with the id at the end of its address at once', async ({
  page,
  product,
}) => {
  const address = `${product.base}/data/${levels}/attribute-values`;
  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'Attribute Values' })).toBeVisible();
  await expectNoViolations(page, 'attribute picker');
  const choices = page.getByRole('main').getByRole('link');
  await expect(choices.first()).toBeVisible();
  const choice = page.getByRole('main').getByRole('link', { name: 'Channel A2' });
  const path = await choice.getAttribute('href');
  await choice.click();
  await expect(page).toHaveURL(`${product.base}${path}`);
  await expect(page.getByRole('gridcell').first()).toBeVisible({ timeout: 60_000 });
  const id = path?.split('/').at(-1) ?? '';
  await expect(await cell(page, 1, 'Attribute')).toContainText(id);

  await page.goto(`${product.base}${path}`);
  await expect(await cell(page, 1, 'Attribute')).toContainText(id);
});

test('[API-41] an attribute whose id has a slash and a space opens, is edited as one record, and comes back by its address', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/data/${levels}/attribute-values`);
  await page.getByRole('main').getByRole('link', { name: 'Contract A/ 8' }).click();
  await expect(page).toHaveURL(/attribute-values\/A%2F(%20| )8$/);
  await expect(await cell(page, 1, 'Attribute')).toContainText('A/ 8', { timeout: 60_000 });
  await (await cell(page, 1, 'Description')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open as form' }).click();
  await expect(page).toHaveURL(/A%2F(%20| )8\/\d+\/edit$/);
  await expect(page.getByRole('textbox', { name: 'Description' })).not.toHaveValue('');
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Description' })).not.toHaveValue('');
});
