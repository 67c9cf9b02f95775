import type { Locator, Page } from '@playwright/test';
import { type Api, createApi, loginApi, testPassword, waitFor, waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { expect, loginPage, test } from './support/test.ts';

const levels = 'sandbox-erp/domains/production/companies/UTR';
const journal = `/api/v1/data/${levels}/journal-entries`;
const list = z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) });

/** The sandbox asked directly by HTTP, past Sluice. */
async function erp(
  sandboxUrl: string,
  path: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${sandboxUrl}/odata/production/Companies('NL01')/${path}`, {
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
  });
  return {
    status: response.status,
    body: (await response.json().catch(() => ({}))) as Record<string, unknown>,
  };
}

async function inEnglish(api: Api): Promise<void> {
  await api.send(
    'PATCH',
    '/api/v1/user/userprefs',
    [{ op: 'replace', path: 'language', value: 'EN' }],
    z.unknown(),
  );
}

async function openTable(page: Page, base: string, resource: string): Promise<Locator> {
  await page.goto(`${base}/data/${levels}/${resource}`);
  const grid = page.getByRole('grid');
  await expect(grid.getByRole('gridcell').first()).toBeVisible({ timeout: 60_000 });
  return grid;
}

/** A cell by the visible row number and the column's name. */
async function cell(page: Page, row: number, column: string): Promise<Locator> {
  const header = page.locator(`[role=columnheader][title="${column}"]`);
  const index = await header.getAttribute('aria-colindex');
  return page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${index}"]`);
}

test.beforeAll(async ({ product }) => {
  const api = await loginApi(product.base, 'admin', testPassword);
  await inEnglish(api);
  await waitUntilCached(api, journal, 180_000);
  await waitUntilCached(api, `/api/v1/data/${levels}/customers`, 180_000);
});

test('[AUTH-01] [AUTH-05] [AUTH-07] [ROUTE-34] an anonymous visitor of a table logs in, first with a wrong password, and arrives where he wanted', async ({
  browser,
  product,
}) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${product.base}/data/${levels}/journal-entries`);
  await expect(page).toHaveURL(/\/login\?redirect=/);
  await page.getByLabel('Username').fill('admin');
  await page.locator('input[type=password]').fill('wrong');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(page.getByText('Invalid username or password.')).toBeVisible();
  await page.locator('input[type=password]').fill(testPassword);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(page).toHaveURL(/journal-entries/);
  await expect(page.getByRole('grid')).toBeVisible();
  await context.close();
});

test('the administrator of a first start begins where the sandbox has its 100,000 journal entries', async ({
  page,
  product,
  api,
}) => {
  // As if he had never been anywhere.
  await api.send(
    'PATCH',
    '/api/v1/user/userprefs',
    [
      { op: 'replace', path: 'options/lastUsedExternalSystemId', value: null },
      { op: 'replace', path: 'options/lastUsedExternalSystemLevelIdsFor', value: {} },
    ],
    z.unknown(),
  );
  await page.goto(product.base);
  await page.getByRole('button', { name: 'Data' }).click();
  await page.getByRole('link', { name: 'Journal Entries', exact: true }).last().click();
  await expect(page).toHaveURL(new RegExp(`${levels}/journal-entries`));
  await expect(page.getByText('100.000 records')).toBeVisible();
});

test('[GRID-01] [GRID-10] [GRID-11] [GRID-13] [GRID-18] [PEND-03] [PEND-06] [PEND-07] [PEND-12] [PEND-14] [PEND-15] [PEND-17] the main job: 100,000 records, three cells edited, two rows added, one deleted, pushed, and the ERP has exactly that', async ({
  page,
  product,
  api,
}) => {
  const sandbox = product.sandboxUrl ?? '';
  const before = Number((await erp(sandbox, 'JournalEntries?$count=true&$top=0')).body['@odata.count']);
  await openTable(page, product.base, 'journal-entries');
  await expect(page.getByText('100.000 records')).toBeVisible();

  const numberOf = async (row: number): Promise<string> =>
    (await (await cell(page, row, 'Entry number')).innerText()).trim();
  const edited = [await numberOf(1), await numberOf(2), await numberOf(3)];
  const deleted = await numberOf(5);
  for (const [index, text] of ['First', 'Second', 'Third'].entries()) {
    await (await cell(page, index + 1, 'Description')).click();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  }
  await expect(page.getByRole('button', { name: 'Push 3 changes' })).toBeVisible();

  // Delete the fifth: the row is selected by its number, and the delete is asked for.
  await (await cell(page, 5, 'Description')).click();
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('Delete');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(page.getByText('1 deleted')).toBeVisible();

  // Two new rows at the top; a row becomes pending once a cell has a value.
  await page.getByRole('button', { name: 'Add 1 row' }).first().click();
  await fillNewRow(page, [
    '04-03-2026',
    null,
    null,
    'memo',
    null,
    '1302',
    null,
    null,
    null,
    'New A',
    '12,5',
    null,
    'EUR',
  ]);
  await page.getByRole('button', { name: 'Add 1 row' }).first().click();
  await fillNewRow(page, [
    '05-03-2026',
    null,
    null,
    'memo',
    null,
    '1302',
    null,
    null,
    null,
    'New B',
    null,
    '7',
    'EUR',
  ]);
  await expect(page.getByText('2 new')).toBeVisible();

  const direct = await erp(sandbox, `JournalEntries(${edited[0]})`);
  expect(direct.body['description']).not.toBe('First');

  await page.getByRole('button', { name: 'Push 6 changes' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('These changes go to a production environment.')).toBeVisible();
  await expect(dialog.getByText(/Processing can take some time/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Push 6 changes to production' }).click();
  await waitFor('nothing to be pending', async () => {
    const { total } = await api.get(`${journal}/pending`, z.object({ total: z.number() }));
    return total === 0;
  });
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();

  for (const [index, text] of ['First', 'Second', 'Third'].entries()) {
    expect((await erp(sandbox, `JournalEntries(${edited[index]})`)).body['description']).toBe(text);
  }
  expect((await erp(sandbox, `JournalEntries(${deleted})`)).status).toBe(404);
  const added = await erp(
    sandbox,
    `JournalEntries?$filter=${encodeURIComponent("description eq 'New A' or description eq 'New B'")}`,
  );
  const values = added.body['value'] as {
    description: string;
    debit: number | null;
    credit: number | null;
    entryDate: string;
  }[];
  expect(
    values
      .map(({ description, debit, credit, entryDate }) => ({ description, debit, credit, entryDate }))
      .sort((a, b) => a.description.localeCompare(b.description)),
  ).toEqual([
    { description: 'New A', debit: 12.5, credit: null, entryDate: '2026-03-04' },
    { description: 'New B', debit: null, credit: 7, entryDate: '2026-03-05' },
  ]);
  const after = Number((await erp(sandbox, 'JournalEntries?$count=true&$top=0')).body['@odata.count']);
  expect(after - before).toBe(1);
});

/** Fills the first row of the table, which is the newest of the new ones, from left to right; null leaves a cell out. */
async function fillNewRow(page: Page, values: readonly (string | null)[]): Promise<void> {
  await (await cell(page, 1, 'Entry number')).click();
  for (const value of values) {
    await page.keyboard.press('Tab');
    if (value !== null) await page.keyboard.type(value);
  }
  await page.keyboard.press('Enter');
}

test("[PEND-04] [PEND-08] [PEND-18] [GRID-21] two people in two browsers see each other's pending changes within a second", async ({
  page,
  product,
  browser,
  api,
}) => {
  await createUser(product.base, api, product.home);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const other = await context.newPage();
  await inEnglish(await loginApi(product.base, 'ben', testPassword));
  await loginPage(other, product.base, 'ben');
  await openTable(page, product.base, 'customers');
  await openTable(other, product.base, 'customers');
  await (await cell(page, 2, 'Name')).click();
  await page.keyboard.type('Seen by Ben');
  await page.keyboard.press('Enter');
  await expect(await cell(other, 2, 'Name')).toHaveText('Seen by Ben', { timeout: 1000 + 500 });
  await context.close();
  const { resources } = await api.get(`/api/v1/data/${levels}/customers?limit=2`, list);
  await api.call('DELETE', `/api/v1/data/${levels}/customers/push`, {
    update: resources.map(({ internalId }) => internalId),
  });
});

/** A second superuser; the users screen comes later, so he is made where the administrator was. */
async function createUser(base: string, _: Api, home: string): Promise<void> {
  const known = await createApi(base).call('POST', '/api/v1/auth/login', {
    username: 'ben',
    password: testPassword,
  });
  if (known.status === 200) return;
  const { addUser } = await import('./support/users.ts');
  await addUser(home, { username: 'ben', fullName: 'Ben Visser', isSuperuser: true });
}
