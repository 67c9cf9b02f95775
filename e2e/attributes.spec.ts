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
  const path = await choices.first().getAttribute('href');
  await choices.first().click();
  await expect(page).toHaveURL(`${product.base}${path}`);
  await expect(page.getByRole('gridcell').first()).toBeVisible({ timeout: 60_000 });
  const id = path?.split('/').at(-1) ?? '';
  await expect(await cell(page, 1, 'Attribute')).toContainText(id);

  await page.goto(`${product.base}${path}`);
  await expect(await cell(page, 1, 'Attribute')).toContainText(id);
});
