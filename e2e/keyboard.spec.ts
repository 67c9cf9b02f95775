import type { Locator, Page } from '@playwright/test';
import { tableOf } from '@sluice/testing';
import { makeAction } from './support/mapping.ts';
import { apiPath, discardAll, levels, openTable, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers', 'suppliers']));
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
});

const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });

/** It opened by a key: the focus is in it and stays in it, Escape closes it, and the focus is where it was. */
async function expectTrapped(page: Page, from: Locator, what: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog, what).toHaveCount(1);
  const isInside = async (): Promise<boolean> =>
    await page.evaluate<boolean>(
      `document.querySelector('[role=dialog]')?.contains(document.activeElement) ?? false`,
    );
  await expect.poll(isInside, `${what}: the focus goes in`).toBe(true);
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press(presses < 25 ? 'Tab' : 'Shift+Tab');
    if (!(await isInside())) throw new Error(`${what}: the focus leaves the dialog`);
  }
  await page.keyboard.press('Escape');
  await expect(dialog, `${what}: Escape closes`).toHaveCount(0);
  await expect(from, `${what}: the focus returns`).toBeFocused();
}

/** `back` is where the focus goes afterwards: the opener, unless something else is named. */
async function byKey(page: Page, opener: Locator, what: string, back = opener): Promise<void> {
  await expect(opener, what).toBeEnabled();
  await opener.focus();
  await page.keyboard.press('Enter');
  await expectTrapped(page, back, what);
}

/** An entry of a menu that its button opens: the focus returns to the button. */
async function byMenu(page: Page, opener: Locator, entry: string | RegExp): Promise<void> {
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: entry }).focus();
  await page.keyboard.press('Enter');
  await expectTrapped(page, opener, String(entry));
}

test('every dialog of a table takes the focus, keeps it, closes with Escape and gives it back', async ({
  page,
  product,
  api,
}) => {
  test.setTimeout(180_000);
  const table = tableOf(api, apiPath('customers'));
  const [record] = await table.find('limit=1&offset=3');
  await table.patch([{ id: record?.internalId ?? '', changes: { name: 'In a dialog' } }]);
  await openTable(page, product.base, 'customers');
  const grid = page.locator('.sg textarea');
  await grid.focus();
  await press(page, 'Control+Home', 'Control+/');
  await expectTrapped(page, grid, 'shortcuts');
  await press(page, 'Shift+Space', 'Delete');
  await expectTrapped(page, grid, 'delete');
  // What was asked about the records leads back to them.
  for (const name of ['Push 1 change', 'Discard', 'Batch edit'])
    await byKey(page, page.getByRole('button', { name, exact: true }).first(), name, grid);
  await byKey(page, button(page, 'Documentation of this table'), 'documentation');
  const more = button(page, 'More of this table');
  for (const entry of ['Earlier Pushes', /^Import/, /^Export/]) await byMenu(page, more, entry);
  await byMenu(page, button(page, /^View: /), /^Save as new view/);
  await byMenu(page, button(page, 'Help'), /Keyboard shortcuts/);
  await page.goto(`${product.base}/data/${levels}/customers/${record?.internalId}/edit`);
  await byKey(page, button(page, 'History'), 'history');
});

test('so does every dialog of the other screens', async ({ page, product, api }) => {
  test.setTimeout(180_000);
  const action = await makeAction(api, 'customers', 'suppliers');
  const ways: readonly (readonly [string, string | RegExp])[] = [
    ['/manage/systems', 'Add system'],
    ['/manage/users', 'Invite user'],
    ['/connectors', 'Import'],
    [`/connectors/${action.connectorId}/actions`, 'Test run'],
    [action.url, 'Versions'],
    ['/account', 'Set up a second factor'],
  ];
  for (const [path, name] of ways) {
    await page.goto(product.base + path);
    await byKey(page, button(page, name).first(), `${path}: ${String(name)}`);
  }
});
