import { z } from 'zod';
import { apiPath, discardAll, levels, prepare } from './support/table.ts';
import { expect, test } from './support/test.ts';

const listSchema = z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) });
const metadataSchema = z.object({
  metadata: z.object({ fieldsMetadata: z.array(z.object({ id: z.string() })) }),
});

// A small ERP is read anew at once: the tests wait for that.
test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

test('[EDIT-04] what the server refuses is told at its field and goes with the value', async ({
  page,
  product,
  api,
}) => {
  const table = apiPath('customers');
  const faults = async (list: readonly unknown[]): Promise<void> => {
    const response = await fetch(`${product.sandboxUrl}/admin/faults`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ faults: list }),
    });
    expect(response.ok).toBe(true);
  };
  const hasWebsite = async (): Promise<boolean> => {
    await api.send('POST', `${table}/cache`, undefined, z.unknown());
    const { metadata } = await api.get(`${table}?limit=0&metadata=fields`, metadataSchema);
    return metadata.fieldsMetadata.some(({ id }) => id === 'website');
  };
  const { resources } = await api.get(`${table}?offset=7&limit=1`, listSchema);
  await page.goto(`${product.base}/data/${levels}/customers/${resources[0]?.internalId}/edit`);
  const website = page.getByRole('textbox', { name: 'Website' });
  await expect(website).toBeVisible();
  // The form is open when the ERP loses the field: its own rules let the value pass.
  await faults([{ kind: 'dropField', collection: 'Customers', field: 'website' }]);
  await expect.poll(hasWebsite, { timeout: 60_000 }).toBe(false);
  await website.fill('https://refused.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(website).toHaveAccessibleDescription(
    'Sandbox ERP has no such field any more. Open the record anew.',
  );
  await expect(website).toBeFocused();
  await expect(page.getByText('Some fields are not right yet.')).toBeVisible();
  await website.fill('https://another.example');
  await expect(website).not.toHaveAccessibleDescription(/no such field/);
  await faults([]);
  await expect.poll(hasWebsite, { timeout: 60_000 }).toBe(true);
});

test('a received date that is none is told at its field and does not keep the others from being saved', async ({
  page,
  product,
  api,
}) => {
  const { resources } = await api.get(`${apiPath('customers')}?offset=8&limit=1`, listSchema);
  await page.goto(`${product.base}/data/${levels}/customers/${resources[0]?.internalId}/edit`);
  const since = page.getByRole('textbox', { name: 'Customer since' });
  await expect(since).toHaveAccessibleDescription("'2026-02-31' is invalid");
  await page.getByRole('textbox', { name: 'Payment term (days)' }).fill('33');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
  await page.goBack();
  await since.fill('31-02-2026x');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Some fields are not right yet.')).toBeVisible();
});

test('what the server says of a value in the form follows the language', async ({ page, product, api }) => {
  const table = apiPath('customers');
  const { resources } = await api.get(`${table}?offset=9&limit=2`, listSchema);
  const [one, two] = resources;
  const body = [{ id: one?.internalId, changes: { vatNumber: two?.['vatNumber'] } }];
  await api.send('PATCH', table, body, z.unknown());
  await page.goto(`${product.base}/data/${levels}/customers/${one?.internalId}/edit`);
  const heading = page.getByRole('heading', { name: 'General' });
  await expect(heading).toBeVisible();
  const vat = page.getByLabel(/VAT number|Btw-nummer/i);
  const english = await vat.evaluate((node) => node.closest('.fl')?.querySelector('.warn-t')?.textContent);
  expect(english).toBeTruthy();
  await page.keyboard.press('Alt');
  const told = page.locator('.fl', { has: vat }).locator('.warn-t');
  await expect(told).not.toHaveText(english ?? '');
  await expect(told).not.toHaveText('');
  await page.keyboard.press('Alt');
  await expect(told).toHaveText(english ?? '');
});
