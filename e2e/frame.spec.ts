import { startSlowProxy } from '@sluice/testing';
import { z } from 'zod';
import {
  apiPath,
  cell,
  discardAll,
  header,
  levels,
  openTable,
  prepare,
  setPreference,
} from './support/table.ts';
import { expect, helpUrl, test } from './support/test.ts';

const listSchema = z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) });

test.beforeAll(
  async ({ product }) => await prepare(product.base, ['customers', 'journal-entries', 'price-lists']),
);
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
});

test('[LOAD-02] [LOAD-03] [LOAD-04] [LOAD-05] [LOAD-06] a wait says Loading, after 2 s that the external system is asked, then five more messages of which the last stays', async ({
  page,
  product,
}) => {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/v1/data/**/journal-entries?**', async (route) => {
    await gate;
    await route.continue();
  });
  await page.clock.install();
  await page.goto(`${product.base}/data/${levels}/journal-entries`);
  const message = page.locator('.loading p').first();
  await expect(message).toHaveText('Loading');
  const pageTime = async (): Promise<number> => await page.evaluate(() => Date.now());
  /** Milliseconds until another message stands there; the page's clock runs on by itself too. */
  const timeOfMessage = async (most: number): Promise<number | null> => {
    const [before, start] = [await message.innerText(), await pageTime()];
    for (let now = start; now - start < most; now = await pageTime()) {
      if ((await message.innerText()) !== before) return now - start;
      await page.clock.runFor(100);
    }
    return null;
  };
  const plain = (await timeOfMessage(2600)) ?? 0;
  expect(plain).toBeGreaterThan(500);
  expect(plain).toBeLessThan(2400);
  await expect(message).toHaveText('Asking the external system for its records');
  const shown = new Set([await message.innerText()]);
  for (let change = 1; change <= 5; change++) {
    const passed = (await timeOfMessage(9500)) ?? 0;
    expect(Math.abs(passed - 8200)).toBeLessThanOrEqual(1500);
    shown.add(await message.innerText());
  }
  expect(shown.size).toBe(6);
  expect(await timeOfMessage(10_000)).toBeNull();
  const left = await page.evaluate(() => localStorage.getItem('loading.messages'));
  expect(z.array(z.number()).parse(JSON.parse(left ?? ''))).toHaveLength(134);
  letGo();
  await expect(page.getByRole('gridcell').first()).toBeVisible();
});

test('[LOAD-01] [LOAD-07] on a slow line the wait shows a spinner, how much has arrived and how fast', async ({
  page,
  product,
}) => {
  const line = await startSlowProxy(Number(new URL(product.base).port));
  // The screens' code is there before the line gets slow.
  await openTable(page, `http://127.0.0.1:${line.port}`, 'price-lists');
  await page.getByRole('button', { name: 'Data' }).click();
  // Every text of the figures' line, however short it stands there.
  await page.evaluate(`
    window.figures = [];
    new MutationObserver(() => {
      const text = document.querySelector('.loading p:last-child')?.textContent ?? '';
      if (text && text !== window.figures.at(-1)) window.figures.push(text);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  `);
  line.setRate(4 * 1024);
  await page.getByRole('navigation').getByRole('link', { name: 'Customers' }).click();
  await expect(page.locator('.loading .spin')).toBeVisible();
  // It grows while one looks: a line that got fast again too early would show one figure only.
  const count = async () => z.number().parse(await page.evaluate('window.figures.length'));
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(1);
  line.setRate(null);
  await expect(page.getByRole('gridcell').first()).toBeVisible();
  await line.stop();
  const figures = z.array(z.string()).parse(await page.evaluate('window.figures'));
  for (const text of figures)
    expect(text).toMatch(/^\d+(\.\d\d)? (Bytes|KB)( of .*)? – \d+(\.\d\d)? (Bytes|KB|MB)\/s$/);
});

test('[KEY-03] [KEY-04] [KEY-05] Ctrl+/ shows the shortcuts, F1 goes to the help menu, Shift+F1 opens the help page of the screen', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await page.keyboard.press('Control+/');
  const list = page.getByRole('dialog', { name: 'Keyboard Shortcuts' });
  await expect(list.getByText('Ctrl', { exact: true }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await page.keyboard.press('F1');
  await expect(page.getByRole('button', { name: 'Help' })).toBeFocused();
  await expect(page.getByRole('menu')).toHaveCount(0);
  await (await cell(page, 1, 'Name')).click();
  const asked = page.context().waitForEvent('request', (request) => request.url() === `${helpUrl}/table`);
  await page.keyboard.press('Shift+F1');
  expect((await asked).isNavigationRequest()).toBe(true);
});

test('[KEY-14] Ctrl+Alt+Shift+M leads out of the table, where Tab would only go to the next cell', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.press('Tab');
  await expect(page.locator('.sg textarea')).toBeFocused();
  await page.keyboard.press('Control+Alt+Shift+M');
  await expect(page.locator('.sg textarea')).not.toBeFocused();
  await expect(page.locator('.tools :focus')).toHaveCount(1);
});

test('[GRID-09] [PEND-05] the legend names every state of a record with a mark of its own', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const legend = page.getByRole('region', { name: 'Legend' });
  const entries = legend.locator('.it');
  await expect(entries).toHaveText([
    'New, not pushed',
    'Changed by you',
    'Changed by others',
    'Validation error',
    'Rejected',
    'Error in received data',
    'Pending delete',
    'Being pushed',
  ]);
  const looks: string[] = [];
  for (const mark of await entries.locator('.mk').all())
    looks.push((await mark.screenshot()).toString('base64'));
  expect(new Set(looks).size).toBe(8);
  await legend.getByRole('button', { name: 'Hide legend' }).click();
  await expect(legend).toHaveCount(0);
});

test('[GRID-17] a field with options shows value and description, or one of them, as the user chooses', async ({
  page,
  product,
  api,
}) => {
  await setPreference(api, 'options/table/fieldsWithOptions/displayMode', 'both');
  await openTable(page, product.base, 'customers');
  const group = await cell(page, 1, 'Customer group');
  const both = (await group.innerText()).replace(/\s+/g, ' ').trim();
  const [value = '', ...words] = both.split(' ');
  const description = words.join(' ');
  expect(value).not.toBe('');
  expect(description).not.toBe('');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Description', exact: true }).click();
  await expect(group).toHaveText(description);
  await page.getByRole('button', { name: 'Value', exact: true }).click();
  await expect(group).toHaveText(value);
  await page.getByRole('button', { name: 'Both', exact: true }).click();
  await expect(group).toHaveText(new RegExp(`^${value}\\s*${description}$`));
});

test('[DOC-03] [DOC-04] the documentation of a table cannot be saved again while it is being saved', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'journal-entries');
  await page.getByRole('button', { name: 'Documentation of this table' }).click();
  const dialog = page.getByRole('dialog', { name: 'Documentation of Journal Entries' });
  await expect(dialog.getByRole('textbox')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Edit' }).click();
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let requests = 0;
  await page.route('**/documentation', async (route) => {
    if (route.request().method() === 'PATCH') {
      requests++;
      await gate;
    }
    await route.continue();
  });
  await dialog.getByRole('textbox').fill('Closed periods stay closed.');
  await dialog.getByRole('button', { name: 'Save' }).dblclick();
  await expect(dialog.getByRole('button', { name: 'Saving' })).toBeDisabled();
  await dialog.getByRole('textbox').press('Control+Enter');
  letGo();
  await expect(dialog.locator('.note-text')).toHaveText('Closed periods stay closed.');
  await expect(dialog.getByRole('button', { name: 'Edit' })).toBeEnabled();
  expect(requests).toBe(1);
});

test('[VAL-22] [VAL-23] [ROUTE-27] a new record that breaks a rule says so at its field, in words of both languages and never as a bare code', async ({
  page,
  product,
  api,
}) => {
  const { resources } = await api.get(`${apiPath('customers')}?offset=90&limit=1`, listSchema);
  const taken = String(resources[0]?.['vatNumber']);
  await page.goto(`${product.base}/data/${levels}/customers/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Twice the Same B.V.');
  await page.getByRole('combobox', { name: 'Customer group' }).selectOption('retail');
  await page.getByRole('combobox', { name: 'Invoice by' }).selectOption('post');
  await page.getByRole('textbox', { name: 'VAT number' }).fill(taken);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: '1 held back' })).toBeVisible();
  await expect(await cell(page, 1, 'Name')).toHaveText('Twice the Same B.V.');
  await (await cell(page, 1, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open as form' }).click();
  const field = page.locator('.fl', { has: page.getByRole('textbox', { name: /^(VAT number|Btw-nummer)/ }) });
  await expect(field).toContainText('This value is already in use');
  await expect(page.locator('body')).not.toContainText('4900');
  await setPreference(api, 'language', 'NL');
  await page.reload();
  await expect(field).toContainText('Deze waarde is al in gebruik');
  await expect(page.locator('body')).not.toContainText('4900');
});

test('[ROUTE-25] [ROUTE-31] [ROUTE-32] a path of a table opens the table; one too short or of an unknown system leads to the dashboard once the menu is there', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await expect(header(page, 'Name')).toBeVisible();
  for (const path of ['x', 'sandbox-erp', 'nope/a/b/c/d/customers']) {
    const menu = page.waitForResponse((answer) => answer.url().includes('/user/menu'));
    await page.goto(`${product.base}/data/${path}`);
    await menu;
    await expect(page).toHaveURL(/\/dashboard/);
    await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  }
});

test('[FMT-06] dates beside the time follow the chosen full date format', async ({ page, product, api }) => {
  const formats = { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated' };
  const { resources } = await api.get(`${apiPath('customers')}?limit=1`, listSchema);
  await api.send(
    'PATCH',
    apiPath('customers'),
    [{ id: resources[0]?.internalId, changes: { name: 'Dated' } }],
    z.unknown(),
  );
  for (const [fullDate, pattern] of [
    ['long', /\w+day \d{1,2} \w+ \d{4} \d\d:\d\d/],
    ['medium', /\d{1,2} \w{3,4} \d{4} \d\d:\d\d/],
    ['iso', /\d{4}-\d\d-\d\d \d\d:\d\d/],
  ] as const) {
    await setPreference(api, 'options/formats', { ...formats, fullDate });
    await page.clock.setFixedTime(Date.now() + 3 * 86_400_000);
    await openTable(page, product.base, 'customers');
    await expect(page.locator('.title .meta')).toHaveText(pattern);
  }
  await setPreference(api, 'options/formats', { ...formats, fullDate: 'long' });
});
