import type { Api } from '@sluice/testing';
import { z } from 'zod';
import { apiPath, discardAll, erp, openTable, prepare } from './support/table.ts';
import { expect, test } from './support/test.ts';

const listSchema = z.object({
  resources: z.array(z.looseObject({ internalId: z.string(), number: z.string() })),
});

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

/** Records of which name and payment term changed on both sides. */
async function arrange(api: Api, sandboxUrl: string | null, offset: number, count: number) {
  const customers = async () =>
    (await api.get(`${apiPath('customers')}?offset=${offset}&limit=${count}`, listSchema)).resources;
  const rows = await customers();
  const mine = rows.map(({ internalId: id }, i) => ({
    id,
    changes: { name: `Mine ${i}`, paymentTermDays: 10 + i },
  }));
  await api.send('PATCH', apiPath('customers'), mine, z.unknown());
  for (const [i, { number }] of rows.entries())
    await erp(sandboxUrl, 'PATCH', `Customers('${number}')`, {
      name: `Theirs ${i}`,
      paymentTermDays: 50 + i,
    });
  return customers;
}

test('conflicts of one field are decided together, and then those of the other: theirs for the one, mine for the other', async ({
  page,
  product,
  api,
}) => {
  const customers = await arrange(api, product.sandboxUrl, 60, 3);
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Read anew from Sandbox ERP' }).click();
  await expect(page.getByText('3 held back')).toBeVisible();
  await page.getByRole('button', { name: /^Push/ }).click();
  const review = page.getByRole('dialog');
  await expect(review.getByText('6 values were changed on both sides.')).toBeVisible();
  await review.getByRole('tab', { name: /By Field/ }).click();
  await review.getByRole('button', { name: 'Take all theirs of Payment term (days)' }).click();
  await expect(review.getByText('3 values were changed on both sides.')).toBeVisible();
  await review.getByRole('button', { name: 'Keep all ours of Name' }).click();
  await expect(review.getByText('values were changed on both sides.')).toHaveCount(0);
  await expect(review.getByText('3 ready')).toBeVisible();
  expect((await customers()).map((row) => [row['name'], row['paymentTermDays']])).toEqual([
    ['Mine 0', 50],
    ['Mine 1', 51],
    ['Mine 2', 52],
  ]);
});

test('a conflict that only the push found can be decided and not just pushed again', async ({
  page,
  product,
  api,
}) => {
  const customers = await arrange(api, product.sandboxUrl, 80, 1);
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: /^Push 1 change/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Push 1 change/ })
    .click();
  await expect(page.getByText('1 rejected')).toBeVisible();
  await page.getByRole('button', { name: 'Push', exact: true }).click();
  const review = page.getByRole('dialog');
  await expect(review.getByText('2 values were changed on both sides.')).toBeVisible();
  await expect(review.getByRole('listitem').getByRole('checkbox')).toBeDisabled();
  await review.getByRole('button', { name: 'Keep all ours' }).click();
  await expect(review.getByText('values were changed on both sides.')).toHaveCount(0);
  await review.getByRole('listitem').getByRole('checkbox').check();
  await review.getByRole('button', { name: /^Push 1 change/ }).click();
  await expect(review).toBeHidden();
  await expect(page.getByRole('button', { name: 'Push', exact: true })).toBeDisabled();
  for (const { number } of await customers())
    expect((await erp(product.sandboxUrl, 'GET', `Customers('${number}')`)).body).toMatchObject({
      name: 'Mine 0',
      paymentTermDays: 10,
    });
});

test('all of mine are kept at once, and the push brings them over theirs', async ({ page, product, api }) => {
  const customers = await arrange(api, product.sandboxUrl, 70, 2);
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Read anew from Sandbox ERP' }).click();
  await expect(page.getByText('2 held back')).toBeVisible();
  await page.getByRole('button', { name: /^Push/ }).click();
  const review = page.getByRole('dialog');
  await review.getByRole('button', { name: 'Keep all ours' }).click();
  await expect(review.getByText('2 ready')).toBeVisible();
  await review.getByRole('button', { name: /^Push 2 changes/ }).click();
  await expect(review).toBeHidden();
  // None is left: the push has ended.
  await expect(page.getByRole('button', { name: 'Push', exact: true })).toBeDisabled();
  for (const [i, { number }] of (await customers()).entries())
    expect((await erp(product.sandboxUrl, 'GET', `Customers('${number}')`)).body).toMatchObject({
      name: `Mine ${i}`,
      paymentTermDays: 10 + i,
    });
});
