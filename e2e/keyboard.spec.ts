import type { Locator, Page } from '@playwright/test';
import { skipHints, tableOf, testPassword, waitFor } from '@sluice/testing';
import { makeAction } from './support/mapping.ts';
import {
  activeCell,
  apiPath,
  discardAll,
  levels,
  openTable,
  prepare,
  setPreference,
} from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(
  async ({ product }) => await prepare(product.base, ['customers', 'suppliers', 'cost-centres']),
);
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
});

/** Presses Tab until it stands there: what Tab does not reach, nobody without a mouse does. */
async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(wanted).toBeEnabled();
  for (let presses = 0; presses < 80; presses++) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${wanted.toString()}`);
}

const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });

/** Every press of a mouse or a finger on the page is counted. */
const countPointers = `
  addEventListener('pointerdown', () => localStorage.setItem('pointers', 'yes'), { capture: true });
`;

test('the main job without a mouse: log in, a table from the menu, edit, add, delete, review, push, its result, a setting, log out', async ({
  browser,
  product,
  api,
}) => {
  test.setTimeout(180_000);
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await skipHints(api);
  await page.addInitScript(countPointers);
  await page.goto(`${product.base}/login`);
  await tabTo(page, page.getByLabel('Username'));
  await page.keyboard.type('admin');
  await tabTo(page, page.getByLabel('Password', { exact: true }));
  await page.keyboard.type(testPassword);
  await press(page, 'Enter');
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();

  await tabTo(page, button(page, 'Data'));
  await press(page, 'ArrowDown');
  const menu = page.getByRole('navigation', { name: 'Data', exact: true });
  await expect(menu.locator('a:focus')).toHaveCount(1);
  await page.keyboard.type('cost c');
  const link = menu.getByRole('link', { name: 'Cost Centres', exact: true });
  await expect(link).toBeFocused();
  // The one to be deleted: nothing in the ERP refers to it, and it will stand last.
  const table = tableOf(api, `/api/v1${await link.getAttribute('href')}`);
  await table.insert([{ code: 'KEY-0', name: 'To go' }]);
  expect((await table.pushAll()).succeeded).toBe(1);
  await press(page, 'Enter');
  const cells = page.locator('[role=row][aria-rowindex="2"] [role=gridcell]');
  await expect(cells.first()).not.toBeEmpty();

  const grid = page.locator('.sg textarea');
  await tabTo(page, grid);
  await press(page, 'Control+Home', 'ArrowDown', 'ArrowRight');
  await page.keyboard.type('By Keys B.V.');
  await press(page, 'Enter', 'ArrowUp');
  await expect(activeCell(page)).toHaveText('By Keys B.V.');

  await press(page, 'Control+End', 'Shift+Space', 'Delete');
  await expect(page.getByRole('dialog', { name: 'Delete 1 Record' })).toBeVisible();
  await press(page, 'Enter');
  await expect(page.getByText('1 deleted')).toBeVisible();

  await press(page, 'Control+Alt+Shift+M');
  await tabTo(page, button(page, 'Add 1 row').first());
  await press(page, 'Enter');
  await expect(grid).toBeFocused();
  await press(page, 'Control+Home');
  await page.keyboard.type('KEY-1');
  await press(page, 'Tab');
  await page.keyboard.type('Added by Keys');
  await press(page, 'Enter');
  await expect(page.getByText('1 new')).toBeVisible();

  await press(page, 'Control+Alt+Shift+M');
  await tabTo(page, button(page, /^Push \d/).first());
  await press(page, 'Enter');
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  await expect(review.getByText('By Keys B.V.').first()).toBeVisible();
  await tabTo(page, review.getByRole('button', { name: /^Push \d+ changes? to production$/ }));
  await press(page, 'Enter');
  await expect(review).toHaveCount(0);
  await expect(grid).toBeFocused();
  // Nothing is pending any more: the ERP has taken all three.
  await waitFor('the push to be over', async () => (await table.pending()).length === 0);
  expect(await table.where('name', 'By Keys B.V.')).toHaveLength(1);
  expect(await table.where('code', 'KEY-1')).toMatchObject([{ name: 'Added by Keys' }]);
  expect(await table.where('code', 'KEY-0')).toEqual([]);

  await press(page, 'Control+Alt+Shift+M');
  await tabTo(page, button(page, 'More of this table'), 'Shift+Tab');
  await press(page, 'Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.type('earl');
  await press(page, 'Enter');
  const pushes = page.getByRole('dialog', { name: 'Earlier Pushes' });
  await expect(pushes.getByRole('row').nth(1)).toBeVisible();
  await press(page, 'Escape');
  await expect(pushes).toHaveCount(0);

  await tabTo(page, button(page, /^Account/), 'Shift+Tab');
  await press(page, 'Enter');
  await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeFocused();
  await press(page, 'Enter');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await tabTo(page, page.getByRole('textbox').first());
  await page.keyboard.type('Keys');
  await press(page, 'Tab');
  await expect(button(page, 'Account: Keys')).toBeVisible();
  await tabTo(page, button(page, 'Account: Keys'), 'Shift+Tab');
  await press(page, 'Enter');
  await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeFocused();
  await press(page, 'End');
  await expect(page.getByRole('menuitem', { name: 'Log out' })).toBeFocused();
  await press(page, 'Enter');
  await expect(page).toHaveURL(/\/login/);
  expect(await page.evaluate<string | null>('localStorage.getItem("pointers")')).toBeNull();
  await setPreference(api, 'options/preferredName', null);
  await page.context().close();
});

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
    [`/connectors/${action.connectorId}/actions`, 'Documentation of this connector'],
    [action.url, 'Versions'],
    ['/account', 'Set up a second factor'],
  ];
  for (const [path, name] of ways) {
    await page.goto(product.base + path);
    await byKey(page, button(page, name).first(), `${path}: ${String(name)}`);
  }
  await page.goto(`${product.base}/connectors/${action.connectorId}/actions`);
  await byMenu(page, button(page, /^Actions of /).first(), 'Documentation');
});
