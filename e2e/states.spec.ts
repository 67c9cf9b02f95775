import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { type Api, waitFor } from '@sluice/testing';
import { z } from 'zod';
import { looks, nameOfLook, shoot, takeOn } from './support/looks.ts';
import { apiPath, discardAll, erp, levels, openTable, prepare, setPreference } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

const recordsSchema = z.object({
  resources: z.array(z.looseObject({ internalId: z.string(), number: z.string() })),
});

test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  await addUser(product.home, { username: 'ben', fullName: 'Ben Visser', isSuperuser: true });
  await addUser(product.home, {
    username: 'rita',
    fullName: 'Rita Reader',
    isSuperuser: false,
    readsOnly: ['customers'],
  });
});
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
});

const edit = async (as: Api, id: string, changes: Record<string, unknown>): Promise<void> => {
  await as.send('PATCH', apiPath('customers'), [{ id, changes }], z.unknown());
};

/** One record of each state at the top of the table: new, mine, another's, invalid, rejected, conflict, deleted. */
async function arrangeStates(api: Api, ben: Api, sandboxUrl: string | null): Promise<void> {
  const { resources } = await api.get(`${apiPath('customers')}?offset=15&limit=8`, recordsSchema);
  const id = (at: number): string => resources[at]?.internalId ?? '';
  await edit(api, id(4), { priceList: 'PL99' });
  const lists = { insert: [], update: [id(4)], delete: [] };
  const pushed = await api.call('POST', `${apiPath('customers')}/push`, lists, {
    'idempotency-key': randomUUID(),
  });
  expect(pushed.status).toBe(202);
  await waitFor('the push to be answered', async () => {
    const { total } = await api.get(
      `${apiPath('customers')}/pending?state=rejected`,
      z.object({ total: z.number() }),
    );
    return total === 1;
  });
  await edit(api, id(0), { name: 'Changed by me B.V.', paymentTermDays: 21 });
  await edit(ben, id(1), { name: 'Changed by Ben B.V.' });
  await edit(api, id(2), { discountPercent: 75 });
  await edit(api, id(3), { paymentTermDays: 14 });
  await erp(sandboxUrl, 'PATCH', `Customers('${resources[3]?.number}')`, { paymentTermDays: 60 });
  await api.send('POST', `${apiPath('customers')}/cache`, {}, z.unknown());
  await waitFor('the conflict to be known', async () => {
    const { total } = await api.get(
      `${apiPath('customers')}/pending?state=conflict`,
      z.object({ total: z.number() }),
    );
    return total === 1;
  });
  await api.send('DELETE', apiPath('customers'), { ids: [id(5)] }, z.unknown());
  await api.send(
    'POST',
    apiPath('customers'),
    { name: 'New Interieur', customerGroup: 'retail', invoiceMethod: 'post' },
    z.unknown(),
  );
}

async function takeAll(page: Page, base: string): Promise<void> {
  const shot = async (name: string) => await shoot(page, name);
  const more = async (entry: string): Promise<void> => {
    await page.getByRole('button', { name: 'More of this table' }).click();
    await page.getByRole('menuitem', { name: entry }).first().click();
    await expect(page.getByRole('dialog')).toBeVisible();
  };
  const leave = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await openTable(page, base, 'customers');
  await expect(page.getByRole('grid').locator('.is-conflict').first()).toBeVisible();
  await shot('table');
  await page.locator('.is-conflict').first().click();
  await page.locator('.is-conflict').first().hover();
  await shot('table-conflict');
  await page.locator('.is-invalid').first().click();
  await shot('table-invalid');
  await page.getByRole('button', { name: /^Push \d/ }).click();
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
  await shot('review');
  await leave();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shot('discard');
  await leave();
  await more('Earlier Pushes');
  await expect(page.getByRole('dialog').getByRole('row').nth(1)).toBeVisible();
  await shot('pushes');
  await leave();
  await more('Export');
  await shot('export');
  await leave();
  await more('Import');
  await shot('import');
  await leave();
  await page.getByRole('button', { name: 'Documentation of this table' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shot('documentation');
  await leave();
}

test('every state of a record in the table, the review and the dialogs over it, as they look; axe finds nothing', async ({
  page,
  product,
  browser,
  api,
}) => {
  test.setTimeout(240_000);
  const ben = await loginPage(await (await browser.newContext()).newPage(), product.base, 'ben');
  await arrangeStates(api, ben, product.sandboxUrl);
  await takeAll(page, product.base);
});

test('nothing matches, read-only and loading, as they look', async ({ page, product, browser }) => {
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('no such customer');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('Nothing Matches the Filter')).toBeVisible();
  await shoot(page, 'nothing-matches');

  const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 1024, height: 700 } });
  const rita = await context.newPage();
  await setPreference(await loginPage(rita, product.base, 'rita'), 'language', 'NL');
  await openTable(rita, product.base, 'customers');
  await shoot(rita, 'read-only-NL-dark-1024');
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await rita.route('**/api/v1/data/**/customers?**', async (route) => {
    await gate;
    await route.continue();
  });
  await rita.goto(`${product.base}/data/${levels}/customers`);
  await expect(rita.getByText('Het externe systeem om zijn records vragen')).toBeVisible();
  await shoot(rita, 'loading-NL-dark-1024');
  letGo();
  await context.close();
});

for (const look of looks) {
  test(`the form, the history, the question before leaving and an import, as they look: ${nameOfLook(look)}`, async ({
    page,
    product,
    api,
  }) => {
    const shot = async (state: string) => await shoot(page, state, look);
    await setPreference(api, 'language', look.language);
    await takeOn(page, look);
    const { resources } = await api.get(`${apiPath('customers')}?offset=30&limit=2`, recordsSchema);
    const id = resources[0]?.internalId ?? '';
    await edit(api, id, { discountPercent: 75, name: 'Changed before B.V.' });
    await page.goto(`${product.base}/data/${levels}/customers/${id}/edit`);
    await page.locator('[data-field=paymentTermDays]').fill('x');
    await page.locator('button[type=submit]').click();
    await expect(page.locator('.dlg-f .err-t')).toBeVisible();
    await shot('form');
    await page.getByRole('button', { name: /History|Geschiedenis/ }).click();
    await expect(page.getByRole('dialog').getByText('Changed before B.V.').first()).toBeVisible();
    await shot('history');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.getByRole('button', { name: /Back to|Terug naar/ }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await shot('leave');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Leave|Weggaan)$/ })
      .click();

    await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
    await page.getByRole('button', { name: /More of this table|Meer van deze tabel/ }).click();
    await page.getByRole('menuitem', { name: /Import/ }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'customers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        `number;name;paymentTermDays\n${resources[1]?.number};By a file;21\n${resources[0]?.number};Wrong;many\n`,
      ),
    });
    const go = page.getByRole('button', { name: /^(Import 1 row|1 rij importeren)/ });
    await expect(go).toBeEnabled();
    await shot('import-preview');
    await go.click();
    await expect(
      page
        .getByRole('dialog')
        .getByText(/(added|toegevoegd)/)
        .first(),
    ).toBeVisible();
    await shot('import-result');
  });
}
