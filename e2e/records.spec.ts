import type { Page } from '@playwright/test';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import {
  activeCell,
  apiPath,
  cell,
  discardAll,
  erp,
  header,
  levels,
  openMore,
  openTable,
  prepare,
  setPreference,
} from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

const listSchema = z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) });

test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['cost-centres', 'customers', 'price-lists']);
  await addUser(product.home, { username: 'ben', fullName: 'Ben Visser', isSuperuser: true });
  await addUser(product.home, {
    username: 'rita',
    fullName: 'Rita Reader',
    isSuperuser: false,
    readsOnly: ['customers'],
  });
});
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

/** Records of the customers table by position, as the API has them. */
async function customers(api: Parameters<typeof setPreference>[0], offset: number, limit: number) {
  return (await api.get(`${apiPath('customers')}?offset=${offset}&limit=${limit}`, listSchema)).resources;
}

const patch = async (
  api: Parameters<typeof setPreference>[0],
  changes: { id: string; changes: Record<string, unknown> }[],
  resource = 'customers',
): Promise<void> => {
  await api.send('PATCH', apiPath(resource), changes, z.unknown());
};

async function openReview(page: Page): Promise<ReturnType<Page['getByRole']>> {
  await page.getByRole('button', { name: /^Push/ }).click();
  const review = page.getByRole('dialog');
  await expect(review.getByRole('tab', { name: /By Record/ })).toBeVisible();
  return review;
}

test('[PEND-14] [PEND-09] the review by record, by field and by author: problems first, mended there or at their cell; search and untick', async ({
  page,
  product,
  api,
  browser,
}) => {
  const rows = await customers(api, 10, 4);
  const [first, second, third, fourth] = rows.map(({ internalId }) => internalId);
  const ben = await loginPage(await (await browser.newContext()).newPage(), product.base, 'ben');
  await patch(api, [
    { id: first ?? '', changes: { paymentTermDays: 21 } },
    { id: second ?? '', changes: { discountPercent: 99 } },
    { id: third ?? '', changes: { paymentTermDays: 22 } },
  ]);
  await patch(ben, [{ id: fourth ?? '', changes: { name: 'By Ben' } }]);
  await openTable(page, product.base, 'customers');
  const review = await openReview(page);
  await review.getByRole('button', { name: 'All', exact: true }).click();
  await expect(review.getByRole('listitem').first()).toContainText('Held back, 1 record');
  await expect(review.getByRole('listitem').nth(1)).toContainText('The value must be at most 60');
  await expect(review.getByText('3 ready')).toBeVisible();
  await expectNoViolations(page);

  await review.getByRole('tab', { name: /By Field/ }).click();
  await expect(review.getByText('Payment term (days)')).toBeVisible();
  await expect(review.getByText('2 changes')).toBeVisible();
  await expectNoViolations(page);
  await review.getByRole('checkbox', { name: 'Push all of Payment term (days)' }).uncheck();
  await expect(review.getByText('1 ready')).toBeVisible();

  await review.getByRole('tab', { name: /By Author/ }).click();
  await review.getByRole('button', { name: 'Fold Ben Visser' }).click();
  await expect(review.getByText('By Ben', { exact: true })).toHaveCount(0);
  await review.getByRole('tab', { name: /By Record/ }).click();
  await review.getByRole('textbox', { name: 'Find a record or field' }).fill('by ben');
  await expect(review.getByText('By Ben', { exact: true }).first()).toBeVisible();
  await expect(review.getByText('at most 60')).toHaveCount(0);
  await review.getByRole('textbox', { name: 'Find a record or field' }).fill('');

  // What is told meanwhile does not lie over what the dialog is about to do.
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  const toastBox = await page.locator('.toasts').boundingBox();
  const footerBox = await review.locator('.dlg-f').boundingBox();
  await expect(page.getByText('Internet connection restored')).toBeVisible();
  expect((toastBox?.y ?? 0) + (toastBox?.height ?? 0)).toBeLessThanOrEqual(footerBox?.y ?? 0);

  // Mended right there.
  await review.getByRole('button', { name: 'Edit Discount % here' }).click();
  await review.getByRole('textbox', { name: 'Discount %' }).fill('6');
  await review.getByRole('button', { name: 'Save' }).click();
  await expect(review.getByText('held back')).toHaveCount(0);
  await expect(review.getByText('2 ready')).toBeVisible();
});

test('[PEND-09] a problem of the review leads to its cell', async ({ page, product, api }) => {
  const [record] = await customers(api, 2, 1);
  await patch(api, [{ id: record?.internalId ?? '', changes: { discountPercent: 88 } }]);
  await openTable(page, product.base, 'customers');
  const review = await openReview(page);
  await review.getByRole('button', { name: 'Show Discount % in the table' }).click();
  await expect(activeCell(page)).toHaveText('88,00');
});

test('[PEND-14] 10,000 pending records are reviewed in one list of which only what is in sight is drawn', async ({
  page,
  product,
  api,
}) => {
  await prepare(product.base, ['journal-entries']);
  for (const offset of [0, 5000]) {
    const { resources } = await api.get(
      `${apiPath('journal-entries')}?offset=${offset}&limit=5000`,
      listSchema,
    );
    await patch(
      api,
      resources.map(({ internalId }, i) => ({
        id: internalId,
        changes: { description: `Bulk ${offset + i}` },
      })),
      'journal-entries',
    );
  }
  await openTable(page, product.base, 'journal-entries');
  const review = await openReview(page);
  await expect(review.getByRole('button', { name: /^Push 10\.000 changes/ })).toBeEnabled();
  const list = review.getByRole('listitem');
  await expect(list.first()).toHaveAttribute('aria-setsize', '10000');
  expect(await list.count()).toBeLessThan(100);
  await review.locator('.rv-list').evaluate((node) => {
    node.scrollTop = node.scrollHeight;
  });
  await expect(list.last()).toHaveAttribute('aria-posinset', '10000');
  await expect(list.last()).toContainText('Bulk 9999');
  await review.getByRole('tab', { name: /By Field/ }).click();
  await expect(review.getByText('10.000 changes', { exact: true })).toBeVisible();
  await review.getByRole('button', { name: 'Cancel' }).click();
  await discardAll(api, 'journal-entries');
});

test('conflicts are decided one by one, all at once, or by another value; old, theirs and mine stand side by side', async ({
  page,
  product,
  api,
}) => {
  const rows = await customers(api, 20, 3);
  const before = rows.map((row) => ({ id: row.internalId, number: String(row['number']) }));
  await patch(
    api,
    before.map(({ id }, i) => ({ id, changes: { name: `Mine ${i}` } })),
  );
  for (const [i, { number }] of before.entries())
    await erp(product.sandboxUrl, 'PATCH', `Customers('${number}')`, { name: `Theirs ${i}` });
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Read anew from Sandbox ERP' }).click();
  await expect(page.getByText('3 held back')).toBeVisible();
  const review = await openReview(page);
  await expect(review.getByText('3 values were changed on both sides.')).toBeVisible();
  await expectNoViolations(page);
  // Another value for the first one.
  await review.getByRole('button', { name: 'Edit', exact: true }).first().click();
  await review.getByRole('textbox', { name: 'Name' }).fill('Agreed');
  await review.getByRole('button', { name: 'Save' }).click();
  await expect(review.getByText('2 values were changed on both sides.')).toBeVisible();
  await review.getByRole('button', { name: 'Take all theirs' }).click();
  await expect(review.getByText('values were changed on both sides.')).toHaveCount(0);
  await expect(review.getByText('1 ready')).toBeVisible();
  const after = await customers(api, 20, 3);
  expect(after.map((row) => row['name'])).toEqual(['Agreed', 'Theirs 1', 'Theirs 2']);
});

test('[PEND-17] results lead to the refused value; mended ones go again by themselves; an earlier push is undone as pending changes', async ({
  page,
  product,
  api,
}) => {
  const [good, bad] = await customers(api, 30, 2);
  const numberOf = (row: typeof good): string => String(row?.['number']);
  await patch(api, [
    { id: good?.internalId ?? '', changes: { paymentTermDays: 77 } },
    { id: bad?.internalId ?? '', changes: { priceList: 'PL99' } },
  ]);
  await openTable(page, product.base, 'customers');
  const review = await openReview(page);
  await review.getByRole('button', { name: /^Push 2 changes/ }).click();
  await page.getByRole('button', { name: 'Results' }).click();
  const results = page.getByRole('dialog');
  await expect(results).toContainText('Price list:');
  await expect(results.getByRole('button', { name: 'Push these again' })).toBeDisabled();
  await expectNoViolations(page);
  await results.getByRole('tab', { name: /Pushed/ }).click();
  await expect(results).toContainText(numberOf(good));
  await results.getByRole('button', { name: 'Close' }).first().click();

  await patch(api, [{ id: bad?.internalId ?? '', changes: { priceList: 'PL02' } }]).catch(async () => {
    // The push gave the record another revision.
    const { resources } = await api.get(
      `${apiPath('customers')}/pending`,
      z.object({ resources: z.array(z.object({ operation: z.looseObject({ revision: z.number() }) })) }),
    );
    await api.send(
      'PATCH',
      apiPath('customers'),
      [
        {
          id: bad?.internalId,
          revision: resources[0]?.operation.revision,
          changes: { priceList: 'PL02' },
        },
      ],
      z.unknown(),
    );
  });
  await openMore(page, 'Earlier Pushes');
  const pushes = page.getByRole('dialog');
  await expect(pushes.getByRole('row').nth(1)).toContainText('In part');
  await expectNoViolations(page);
  await pushes.getByRole('button', { name: 'Results' }).first().click();
  await expect(results.getByText('mended', { exact: true })).toBeVisible();
  await results.getByRole('button', { name: 'Push 1 again' }).click();
  await expect(review.getByText('1 ready')).toBeVisible();
  await review.getByRole('button', { name: /^Push 1 change/ }).click();
  await expect
    .poll(
      async () => (await erp(product.sandboxUrl, 'GET', `Customers('${numberOf(bad)}')`)).body['priceList'],
    )
    .toBe('PL02');

  await openMore(page, 'Earlier Pushes');
  // The newest is the one of the mended record; other tests have left older ones.
  await pushes.getByRole('row').nth(2).getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('dialog')).toContainText('1 record becomes a pending change');
  await page.getByRole('button', { name: 'Undo this push' }).click();
  await expect(page.locator('.toasts')).toContainText('1 record has its value of before');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
  const [undone] = await customers(api, 30, 1);
  expect(undone?.['paymentTermDays']).toBe(good?.['paymentTermDays']);
  expect(
    (await erp(product.sandboxUrl, 'GET', `Customers('${numberOf(good)}')`)).body['paymentTermDays'],
  ).toBe(77);
});

test('[DATA-03] [DATA-04] [VAL-04] [VAL-16] the form: arrays as tables, references with a search, rules while one types', async ({
  page,
  product,
  api,
}) => {
  const [record] = await customers(api, 40, 1);
  const id = record?.internalId ?? '';
  await page.goto(`${product.base}/data/${levels}/customers/${id}/edit`);
  await expect(page.getByRole('heading', { name: 'Address' })).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('textbox', { name: 'Discount %' }).fill('61');
  await expect(page.getByText('The value must be at most 60')).toBeVisible();
  await page.getByRole('textbox', { name: 'Discount %' }).fill('x1');
  await expect(page.getByText('must be a floating point number')).toBeVisible();
  await page.getByRole('textbox', { name: 'Discount %' }).fill('5');

  const contacts = page.locator('.fl', { hasText: 'Contacts' });
  await contacts.getByRole('button', { name: 'Add entry' }).click();
  const count = await contacts.getByRole('row').count();
  await contacts.getByRole('textbox', { name: `Contacts ${count - 1}: Name` }).fill('Sanne Meijer');
  const reference = page.getByRole('combobox', { name: 'Price list' });
  await reference.fill('Web');
  await expect(
    page.getByRole('listbox', { name: 'Find a record' }).getByRole('option').first(),
  ).toContainText('Web');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'City' }).fill('Hoorn');
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
  const [saved] = await customers(api, 40, 1);
  expect(saved?.['contacts']).toContainEqual(expect.objectContaining({ name: 'Sanne Meijer' }));
  expect(saved?.['address']).toMatchObject({ city: 'Hoorn' });
});

test('the form reads the record anew, follows where nobody typed, and says what differs; a conflict is decided at its field', async ({
  page,
  product,
  api,
}) => {
  const [record] = await customers(api, 50, 1);
  const id = record?.internalId ?? '';
  const number = String(record?.['number']);
  await erp(product.sandboxUrl, 'PATCH', `Customers('${number}')`, { paymentTermDays: 55 });
  await page.goto(`${product.base}/data/${levels}/customers/${id}/edit`);
  await expect(page.getByText('Payment term (days): was')).toContainText('now 55');
  await expect(page.getByRole('textbox', { name: 'Payment term (days)' })).toHaveValue('55');

  await patch(api, [{ id, changes: { name: 'Mine in the form' } }]);
  await erp(product.sandboxUrl, 'PATCH', `Customers('${number}')`, { name: 'Theirs in the ERP' });
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Decide at the fields');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Theirs in the ERP');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('[PEND-12] [GRID-18] the form deletes as a pending delete and takes it back', async ({
  page,
  product,
  api,
}) => {
  const [record] = await customers(api, 60, 1);
  const url = `${product.base}/data/${levels}/customers/${record?.internalId}/edit`;
  await page.goto(url);
  await page.getByRole('button', { name: 'Delete record' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('1 deleted')).toBeVisible();
  await page.goto(url);
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeDisabled();
  await page.getByRole('button', { name: 'Undo delete' }).click();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeEnabled();
});

test('who may only read sees the form without anything to write with', async ({ browser, product, api }) => {
  const [record] = await customers(api, 60, 1);
  const context = await browser.newContext();
  const page = await context.newPage();
  await setPreference(await loginPage(page, product.base, 'rita'), 'language', 'EN');
  await page.goto(`${product.base}/data/${levels}/customers/${record?.internalId}/edit`);
  await expect(page.getByText('You may look at these records, not change them.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Delete record' })).toHaveCount(0);
  await expectNoViolations(page);
  await context.close();
});

test('the history of a record: who changed what, from the table and from the form', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const old = (await (await cell(page, 5, 'Name')).innerText()).trim();
  await (await cell(page, 5, 'Name')).click();
  await page.keyboard.type('With a history');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
  await (await cell(page, 5, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'History' }).click();
  const history = page.getByRole('dialog', { name: 'History of the Record' });
  await expect(history.getByRole('listitem').first()).toContainText('Edited');
  await expect(history.getByRole('listitem').first()).toContainText(old);
  await expect(history.getByRole('listitem').first()).toContainText('With a history');
  await expectNoViolations(page);
  await history.getByRole('button', { name: 'Close' }).click();
  await (await cell(page, 5, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open as form' }).click();
  await page.getByRole('button', { name: 'History' }).click();
  await expect(history.getByRole('listitem').first()).toContainText('With a history');
});

test('[DOC-01] [DOC-02] the documentation of a table is read and edited in a side dialog; a text of another in between is kept beside', async ({
  page,
  product,
  api,
}) => {
  // A table whose note no other test writes.
  await openTable(page, product.base, 'cost-centres');
  await page.getByRole('button', { name: 'Documentation of this table' }).click();
  const dialog = page.getByRole('dialog', { name: /Documentation of/ });
  await expect(dialog).toContainText('Nothing documented yet');
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox').fill('Finance owns these.\nAsk first.');
  await expectNoViolations(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.note-text')).toHaveText('Finance owns these.\nAsk first.');

  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox').fill('Mine');
  await api.send(
    'PATCH',
    `${apiPath('cost-centres')}/documentation`,
    { text: 'Of another', revision: 1 },
    z.unknown(),
  );
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Of another');
  await expect(dialog.getByRole('textbox')).toHaveValue('Mine');
  await dialog.getByRole('button', { name: 'Keep both' }).click();
  await expect(dialog.getByRole('textbox')).toHaveValue('Of another\n\nMine');
  // Closing with typed text asks.
  await page.keyboard.press('Escape');
  await expect(dialog.getByRole('alert')).toContainText('Leave without saving?');
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.note-text')).toContainText('Mine');
});

test('saved views: kept with filter and columns, opened by a link, shared, renamed, removed', async ({
  page,
  product,
  browser,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Payment term (days)')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Filter by this value' }).click();
  await expect(page.locator('.chip')).toHaveCount(1);
  await expect(page.locator('.foot')).toContainText(/\d match/);
  const matching = await page.locator('.foot').innerText();
  await page.getByRole('button', { name: 'View: All records' }).click();
  await page.getByRole('menuitem', { name: 'Save as new view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Quick payers');
  await page.getByRole('switch').check();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(/\?view=/);
  const link = page.url();
  await page.getByRole('button', { name: 'View: Quick payers' }).click();
  await page.getByRole('menuitem', { name: 'All records' }).click();
  await expect(page.locator('.chip')).toHaveCount(0);
  await expect(page).not.toHaveURL(/\?view=/);

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const ben = await context.newPage();
  await setPreference(await loginPage(ben, product.base, 'ben'), 'language', 'EN');
  await ben.goto(link);
  await expect(ben.getByRole('button', { name: 'View: Quick payers' })).toBeVisible();
  await expect(ben.locator('.chip')).toHaveCount(1);
  await expect(ben.locator('.foot')).toContainText(matching.split('\n')[0] ?? '');
  await context.close();

  await page.goto(link);
  const asSaved = page.getByRole('button', { name: 'View: Quick payers', exact: true });
  const changed = page.getByRole('button', { name: 'View: Quick payers, changed and not saved' });
  await expect(asSaved).toBeVisible();
  await page
    .locator('.chip')
    .getByRole('button', { name: /^Remove/ })
    .click();
  await expect(page.locator('.chip')).toHaveCount(0);
  await expectNoViolations(page);
  await changed.click();
  await page.getByRole('menuitem', { name: 'Back to the saved view' }).click();
  await expect(page.locator('.chip')).toHaveCount(1);
  await expect(asSaved).toBeVisible();
  await (await cell(page, 1, 'Name')).click();
  await header(page, 'Name').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Hide column' }).click();
  await changed.click();
  await page.getByRole('menuitem', { name: 'Save changes to Quick payers' }).click();
  await asSaved.click();
  await page.getByRole('menuitem', { name: 'Rename or share' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Fast payers');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'View: Fast payers' }).click();
  await page.getByRole('menuitem', { name: 'Remove view' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('button', { name: 'View: All records' })).toBeVisible();
});

test('[ROUTE-26] [GRID-16] the duplicates page groups records that share a key; a delete there is pending', async ({
  page,
  product,
  api,
}) => {
  const [one] = await customers(api, 70, 1);
  const vatNumber = String(one?.['vatNumber']);
  await api.send(
    'POST',
    apiPath('customers'),
    [{ name: 'The same again', vatNumber, customerGroup: 'retail', invoiceMethod: 'email' }],
    z.unknown(),
  );
  const asked = page.waitForRequest((request) => request.url().includes('/customers/duplicates'));
  await openTable(page, product.base, 'customers');
  await openMore(page, 'Duplicates');
  await asked;
  await expect(page).toHaveURL(/\/duplicates$/);
  await page.getByLabel('Records with the same').selectOption({ label: 'Other fields…' });
  await expectNoViolations(page);
  const chosen = page.getByRole('dialog');
  for (const box of await chosen.getByRole('checkbox', { checked: true }).all()) await box.uncheck();
  await chosen.getByRole('checkbox', { name: 'VAT number' }).check();
  await chosen.getByRole('button', { name: 'Apply' }).click();
  const group = page.locator('section', { hasText: vatNumber });
  await expect(group).toContainText('2 records');
  await expect(group).toContainText('The same again');
  await expectNoViolations(page);
  await group.getByRole('button', { name: 'Delete record: The same again' }).click();
  await expect(group).toHaveCount(0);
});

test('[ROUTE-23] an attribute collection opens with a choice of its attribute, and leads on to another', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/data/${levels}/attribute-values`);
  await expect(page.getByRole('heading', { name: /Choose an Attribute/ })).toBeVisible();
  await expectNoViolations(page);
  const links = page.locator('.card').getByRole('link');
  const second = (await links.nth(1).innerText()).split('\n')[0]?.trim() ?? '';
  await links.first().click();
  await expect(page.getByRole('grid')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: /^Attribute: / }).click();
  await page.getByRole('menuitem', { name: second.replace(/\s*A\d+$/, '') }).click();
  await expect(page.getByRole('button', { name: /^Attribute: / })).toBeVisible({ timeout: 60_000 });
});
