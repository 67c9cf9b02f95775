import type { Page } from '@playwright/test';
import { z } from 'zod';
import {
  activeCell,
  apiPath,
  cell,
  discardAll,
  header,
  openTable,
  prepare,
  setPreference,
} from './support/table.ts';
import { agePending } from './support/database.ts';
import { expect, test } from './support/test.ts';

test.beforeAll(async ({ product }) => await prepare(product.base, ['customers', 'journal-entries']));
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'options/table/config', []);
});

const textOf = async (page: Page, row: number, column: string): Promise<string> =>
  (await (await cell(page, row, column)).innerText()).trim();

/** Writes the system clipboard as another program would. */
const toClipboard = async (page: Page, text: string): Promise<void> =>
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);

const fromClipboard = async (page: Page): Promise<string> =>
  String(await page.evaluate('navigator.clipboard.readText()'));

test('[GRID-20] [KEY-07] [KEY-15] typing keeps its first key; Enter, Tab, arrows, F2 and Escape do what they do in a spreadsheet', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const before = await textOf(page, 2, 'Name');
  await (await cell(page, 1, 'Name')).click();
  // No wait between the keys: the first one must not be lost while the editor opens.
  await page.keyboard.type('Quick');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 1, 'Name')).toHaveText('Quick');
  await expect(activeCell(page)).toHaveText(before);

  await page.keyboard.type('gone');
  await page.keyboard.press('Escape');
  await expect(await cell(page, 2, 'Name')).toHaveText(before);

  await page.keyboard.press('F2');
  await page.keyboard.type(' Ltd');
  await page.keyboard.press('Tab');
  await expect(await cell(page, 2, 'Name')).toHaveText(`${before} Ltd`);
  await expect(activeCell(page)).toHaveAttribute(
    'aria-colindex',
    (await header(page, 'Search name').getAttribute('aria-colindex')) ?? '',
  );

  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await expect(activeCell(page)).toHaveText('Quick');
  await page.keyboard.press('Enter');
  await page.keyboard.type('er');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 1, 'Name')).toHaveText('Quicker');
});

test('[GRID-02] [GRID-10] [CLIP-01] [KEY-09] a block selected with the mouse is copied as tab-separated text and pasted elsewhere; Shift+arrows widen', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const [name1, name2] = [await textOf(page, 1, 'Name'), await textOf(page, 2, 'Name')];
  const from = await cell(page, 1, 'Name');
  const to = await cell(page, 2, 'Search name');
  await from.hover();
  await page.mouse.down();
  await to.hover();
  await page.mouse.up();
  await expect(page.getByText('4 cells', { exact: false })).toBeVisible();
  await page.keyboard.press('Control+c');
  const copied = await fromClipboard(page);
  expect(copied.split(/\r?\n/).filter(Boolean)).toEqual([
    `${name1}\t${await textOf(page, 1, 'Search name')}`,
    `${name2}\t${await textOf(page, 2, 'Search name')}`,
  ]);

  await from.click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+c');
  await (await cell(page, 4, 'Name')).click();
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 4, 'Name')).toHaveText(name1);
  await expect(await cell(page, 5, 'Name')).toHaveText(name2);
  await expect(page.getByRole('button', { name: 'Push 2 changes' })).toBeVisible();
});

test("[CLIP-05] [GRID-14] [KEY-01] [KEY-02] text from another program is pasted in the user's formats; wrong types change nothing and name their columns; undo and redo by keys", async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  const [percent, days] = [await textOf(page, 1, 'Discount %'), await textOf(page, 1, 'Payment term (days)')];
  await (await cell(page, 1, 'Discount %')).click();
  await toClipboard(page, '12,5\t45\r\n7,25\t60\r\n');
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 1, 'Discount %')).toHaveText('12,50');
  await expect(await cell(page, 2, 'Payment term (days)')).toHaveText('60');
  await expect(page.getByRole('button', { name: 'Push 2 changes' })).toBeVisible();

  await toClipboard(page, 'much\tlong\r\n1\t2');
  await page.keyboard.press('Control+v');
  await expect(page.getByText('Invalid data types: Discount %, Payment term (days)').first()).toBeVisible();
  await expect(await cell(page, 2, 'Discount %')).toHaveText('7,25');
  await expect(await cell(page, 1, 'Discount %')).toHaveText('12,50');

  await page.keyboard.press('Control+z');
  await expect(await cell(page, 1, 'Discount %')).toHaveText(percent);
  await expect(await cell(page, 1, 'Payment term (days)')).toHaveText(days);
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();
  await page.keyboard.press('Control+y');
  await expect(await cell(page, 1, 'Discount %')).toHaveText('12,50');
  const { total } = await api.get(`${apiPath('customers')}/pending`, z.object({ total: z.number() }));
  expect(total).toBe(2);
});

test('[GRID-03] [FILT-08] a column is sorted and filtered from its header; the filter shows as a chip and can be cleared', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const name = header(page, 'Name');
  await name.click({ button: 'right' });
  await page.getByRole('menuitem', { name: /descending/i }).click();
  await expect(name).toHaveAttribute('aria-sort', 'descending');
  // The rows stand as they stood until the server has sorted them.
  await expect
    .poll(async () => {
      const [first, second] = [await textOf(page, 1, 'Name'), await textOf(page, 2, 'Name')];
      return second !== '' && first.localeCompare(second) >= 0;
    })
    .toBe(true);

  const city = 'Utrecht';
  await (await cell(page, 1, 'Name')).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const popover = page.getByRole('dialog');
  // It begins with the column that one stands in.
  await expect(popover.getByLabel('Column').locator('option:checked')).toHaveText('Name');
  await popover.getByLabel('Column').selectOption({ label: 'Address › City' });
  await popover.getByLabel('Value').fill(city);
  await popover.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('2.500 records')).toBeHidden();
  await expect(page.getByRole('toolbar').getByText('City')).toBeVisible();
  // Whoever looks at a record and comes back finds the table as he left it.
  await expect(page.locator('.foot').getByText('match')).toHaveText(/^\d+ match/);
  const shown = await page.locator('.foot').getByText('match').innerText();
  await (await cell(page, 1, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open as form' }).click();
  await page.getByRole('button', { name: 'Back to Customers' }).click();
  await expect(page.locator('.foot').getByText('match')).toHaveText(shown);
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('button', { name: /Remove/ }).click();
  await expect(page.getByText('2.500 records')).toBeVisible();
});

test('changes that wait for more than a week are called to mind, and lead to the review', async ({
  page,
  product,
  api,
}) => {
  const { resources } = await api.get(
    `${apiPath('customers')}?limit=1&offset=50`,
    z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) }),
  );
  const changes = { notes: 'Forgotten' };
  await api.send('PATCH', apiPath('customers'), [{ id: resources[0]?.internalId, changes }], z.unknown());
  const pending = z.object({ counts: z.looseObject({ oldestAt: z.string() }) });
  const { counts } = await api.get(`${apiPath('customers')}/pending?limit=0`, pending);
  expect(Date.now() - Date.parse(counts.oldestAt)).toBeLessThan(120_000);
  await openTable(page, product.base, 'customers');
  await expect(page.getByText('1 changed')).toBeVisible();
  await expect(page.getByText(/the oldest waits/)).toHaveCount(0);
  await agePending(product.home, 'customers', 8);
  await page.goto(`${product.base}/dashboard`);
  const waiting = page.locator('section', {
    has: page.getByRole('heading', { name: 'Your changes that wait' }),
  });
  await expect(waiting).toContainText('1 change, the oldest for 8 days');
  await waiting.getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('button', { name: 'the oldest waits for 8 days' }).click();
  await expect(page.getByRole('dialog', { name: 'Review Before Push' })).toBeVisible();
});

test('[GRID-04] [GRID-06] [PREF-04] [PREF-08] hidden and resized columns stay so after a reload', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Columns' }).click();
  const whenSaved = (): Promise<unknown> =>
    page.waitForResponse(
      (answer) => (answer.request().postData() ?? '').includes('"options/table/config"') && answer.ok(),
    );
  const hidden = whenSaved();
  await page.getByRole('checkbox', { name: 'Search name' }).uncheck();
  await expect(header(page, 'Search name')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await hidden;
  const group = header(page, 'Customer group');
  const box = await group.boundingBox();
  if (!box) throw new Error('the header is not shown');
  const resized = whenSaved();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 78, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await resized;
  await page.reload();
  await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
  await expect(header(page, 'Search name')).toHaveCount(0);
  const after = await group.boundingBox();
  expect(Math.abs((after?.width ?? 0) - box.width - 80)).toBeLessThan(4);
});

test('[GRID-19] the last of 100,000 records is one key away', async ({ page, product }) => {
  await openTable(page, product.base, 'journal-entries');
  await (await cell(page, 1, 'Description')).click();
  await page.keyboard.press('Control+End');
  await expect(activeCell(page)).not.toBeEmpty();
  await expect(page.locator('[role=row][aria-rowindex="100001"] [role=gridcell]').first()).not.toBeEmpty();
  await page.keyboard.press('Control+Home');
  await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
});

test('[GRID-07] [KEY-08] the context menu opens by mouse and by Shift+F10 and gives the focus back', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 3, 'Name')).click({ button: 'right' });
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  await expect(page.locator('.sg textarea')).toBeFocused();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem').first()).toBeFocused();
});

test('[VAL-16] [PEND-09] a broken rule is marked at its cell with its message and holds the record back', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Discount %')).click();
  await page.keyboard.type('75');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 1, 'Discount %')).toHaveClass(/is-invalid/);
  await (await cell(page, 1, 'Discount %')).hover();
  await expect(page.getByRole('note')).toContainText('60');
  await expect(page.getByText('1 held back')).toBeVisible();
});

test('[PEND-12] [GRID-18] [KEY-11] a pending delete is struck through and taken back from its row', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 2, 'Name')).click();
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('Delete');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(await cell(page, 2, 'Name')).toHaveClass(/is-deleted/);
  await expect(page.getByText('1 deleted')).toBeVisible();
  await page.locator('[role=row][aria-rowindex="3"] [role=rowheader]').click({ position: { x: 12, y: 12 } });
  await expect(await cell(page, 2, 'Name')).not.toHaveClass(/is-deleted/);
});
