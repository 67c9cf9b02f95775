import type { Page } from '@playwright/test';
import type { Api } from '@sluice/testing';
import { z } from 'zod';
import { activeCell, apiPath, cell, header, openTable, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.beforeAll(async ({ product }) => await prepare(product.base, ['customers', 'journal-entries']));
test.afterEach(async ({ api }) => {
  await revertAll(api, 'customers');
  await setPreference(api, 'options/table/config', []);
});

/** Takes all of one's own changes back, however many there are. */
async function revertAll(api: Api, resource: string): Promise<void> {
  const { snapshot, total } = await api.get(
    `${apiPath(resource)}?limit=1&snapshot=new`,
    z.object({ snapshot: z.string(), total: z.number().nullable() }),
  );
  let next: number | null = 0;
  while (next !== null && total !== null && total > 0) {
    const reply = await api.send(
      'POST',
      `${apiPath(resource)}/bulk`,
      { rows: { snapshot, ranges: [[0, total - 1]] }, command: { kind: 'revert', fields: null }, next },
      z.object({ next: z.number().nullable() }),
    );
    ({ next } = reply as { next: number | null });
  }
}

const textOf = async (page: Page, row: number, column: string): Promise<string> =>
  (await (await cell(page, row, column)).innerText()).trim();
const textsOf = async (page: Page, column: string, rows: number): Promise<string[]> =>
  await Promise.all(Array.from({ length: rows }, async (_, i) => await textOf(page, i + 1, column)));
const toClipboard = async (page: Page, text: string): Promise<void> =>
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
const push = (page: Page, count: string) => page.getByRole('button', { name: `Push ${count} changes` });
const menuItem = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name });
const middleOf = async (target: Awaited<ReturnType<typeof cell>>): Promise<{ x: number; y: number }> => {
  const box = await target.boundingBox();
  if (!box) throw new Error('not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
/** Columns as they are: a page saves other preferences too, such as where one was last. */
const whenSaved = (page: Page): Promise<unknown> =>
  page.waitForResponse(
    (answer) => (answer.request().postData() ?? '').includes('"options/table/config"') && answer.ok(),
  );

test('[FILT-06] [FILT-07] [FILT-08] [KEY-06] Ctrl+F finds in all rows: hit n of m, next and previous, type, case and whole word, and only rows with hits', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search');
  await expect(bar.getByLabel('Find', { exact: true })).toBeFocused();
  await page.keyboard.type('utrecht');
  const says = bar.locator('output');
  await expect(says).toHaveText(/^1 of /);
  await expect(activeCell(page)).toHaveText(/utrecht/i);
  const first = await page.locator('.sg textarea').getAttribute('aria-activedescendant');
  await page.keyboard.press('Enter');
  await expect(says).toHaveText(/^2 of /);
  await page.keyboard.press('Shift+Enter');
  await expect(says).toHaveText(/^1 of /);
  await expect(page.locator('.sg textarea')).toHaveAttribute('aria-activedescendant', first ?? '');
  // Round the end of the table: the last hit is far outside of what is loaded.
  await page.keyboard.press('Shift+Enter');
  const all = /of (.*)$/.exec(await says.innerText())?.[1] ?? '';
  await expect(says).toHaveText(`${all} of ${all}`);
  await expect(activeCell(page)).toHaveText(/utrecht/i);

  await bar.getByRole('button', { name: 'Match case' }).click();
  await expect(says).toHaveText('No hits');
  await bar.getByRole('button', { name: 'Match case' }).click();
  await bar.getByLabel('Find', { exact: true }).fill('utrech');
  await expect(says).toHaveText(/^\d.* of /);
  await bar.getByRole('button', { name: 'Match whole word' }).click();
  await expect(says).toHaveText('No hits');
  await bar.getByRole('button', { name: 'Match whole word' }).click();
  await bar.getByLabel('Type of value').selectOption('number');
  await expect(says).toHaveText('No hits');
  await bar.getByLabel('Type of value').selectOption('any');
  await bar.getByLabel('Find', { exact: true }).fill('C10042');
  await expect(says).toHaveText(/ of /);
  await bar.getByRole('checkbox', { name: 'Only rows with hits' }).check();
  await expect(page.getByText('1 match')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  await expect(page.getByText('2.500 records')).toBeVisible();
  await expect(page.locator('.sg textarea')).toBeFocused();
});

test('[FILT-08] [FILT-09] a chosen column alone is searched, replaced in, and decides which rows have hits', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search');
  const says = bar.locator('output');
  const scope = bar.getByLabel('Columns to look in');
  await page.keyboard.type('bouw');
  await expect(says).toHaveText(/ of /);
  const everywhere = await says.innerText();
  await bar.getByRole('button', { name: 'Close find' }).click();
  // Who has chosen a column looks in it.
  await header(page, 'Name').click();
  await page.keyboard.press('Control+f');
  await expect(scope.locator('option:checked')).toHaveText('Name');
  await expect(says).toHaveText(/ of /);
  const inOne = /of (.*)$/.exec(await says.innerText())?.[1] ?? '';
  expect(everywhere).not.toBe(await says.innerText());
  await bar.getByRole('checkbox', { name: 'Only rows with hits' }).check();
  await expect(page.getByText(`${inOne} match`)).toBeVisible();
  await bar.getByRole('checkbox', { name: 'Only rows with hits' }).uncheck();
  await expect(page.getByText('2.500 records')).toBeVisible();

  await expect(await cell(page, 2, 'Search name')).toHaveText(/BOUW/);
  const searchName = await textOf(page, 2, 'Search name');
  await bar.getByRole('button', { name: 'Replace', exact: true }).click();
  await bar.getByLabel('Replace with').fill('Build');
  await bar.getByRole('button', { name: 'Replace all' }).click();
  await expect(page.getByText(`Replaced in ${inOne} cells`)).toBeVisible();
  await expect(await cell(page, 2, 'Name')).toHaveText(/Build/);
  expect(await textOf(page, 2, 'Search name')).toBe(searchName);
  await bar.getByLabel('Find', { exact: true }).fill('Utrecht');
  await expect(says).toHaveText('No hits');
  await scope.selectOption('All columns');
  await expect(says).toHaveText(/ of /);
  await bar.getByRole('button', { name: 'Close find' }).click();
  await page.keyboard.press('Control+z');
});

test('[FILT-09] [FILT-10] [GRID-14] replace all changes every hit as one step; a replacement that is no value of the field is refused', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const before = await textOf(page, 2, 'Name');
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search');
  await page.keyboard.type('Bouw');
  await bar.getByRole('button', { name: 'Match case' }).click();
  await expect(bar.locator('output')).toHaveText(/of/);
  const hits = /of (.*)$/.exec(await bar.locator('output').innerText())?.[1] ?? '';
  await bar.getByRole('button', { name: 'Replace', exact: true }).click();
  await bar.getByLabel('Replace with').fill('Build');
  await bar.getByRole('button', { name: 'Replace all' }).click();
  await expect(page.getByText(`Replaced in ${hits} cells`)).toBeVisible();
  await expect(await cell(page, 2, 'Name')).toHaveText(before.replace('Bouw', 'Build'));
  await bar.getByRole('button', { name: 'Close find' }).click();
  await page.keyboard.press('Control+z');
  await expect(await cell(page, 2, 'Name')).toHaveText(before);
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();

  await page.keyboard.press('Control+f');
  await bar.getByRole('button', { name: 'Match case' }).click();
  await bar.getByLabel('Type of value').selectOption('number');
  await bar.getByLabel('Find', { exact: true }).fill('30');
  await expect(bar.locator('output')).toHaveText(/of/);
  await bar.getByRole('button', { name: 'Replace', exact: true }).click();
  await bar.getByLabel('Replace with').fill('abc');
  await bar.getByRole('button', { name: 'Replace all' }).click();
  await expect(
    page.getByText('Replacement could not be applied because the data type is not compatible.'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();
});

test('[GRID-08] [GRID-15] [KEY-10] batch edit changes all records, loaded or not, in one step: a value and a sum', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const before = await textOf(page, 1, 'Payment term (days)');
  await (await cell(page, 1, 'Payment term (days)')).click();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Batch edit' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText('Edit 2.500 Records');
  const lines = dialog.getByRole('group');
  await expect(lines.first().getByLabel('Field')).toHaveValue(/./);
  await lines.first().getByLabel('Change').selectOption({ label: 'Add' });
  await lines.first().getByLabel('Amount').fill('x');
  await dialog.getByRole('button', { name: 'Change 2.500 records' }).click();
  await expect(dialog.getByText('This field must be a floating point number')).toBeVisible();
  await lines.first().getByLabel('Amount').fill('1');
  await dialog.getByRole('button', { name: 'Add field' }).click();
  await lines.nth(1).getByLabel('Field').selectOption({ label: 'Price list' });
  await lines.nth(1).getByLabel('New value').fill('PL01');
  await dialog.getByRole('button', { name: 'Change 2.500 records' }).click();
  await expect(page.getByText(/records changed/)).toBeVisible({ timeout: 60_000 });
  await expect(await cell(page, 1, 'Payment term (days)')).toHaveText(String(Number(before) + 1));
  await expect(await cell(page, 1, 'Price list')).toHaveText('PL01');
  await page.keyboard.press('Control+End');
  await expect(page.locator('[role=row][aria-rowindex="2501"] [role=gridcell]').first()).not.toBeEmpty();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+z');
  await expect(await cell(page, 1, 'Payment term (days)')).toHaveText(before, { timeout: 60_000 });
});

test('[GRID-18] [KEY-12] [KEY-13] a whole column is emptied and many records are deleted without being loaded; reverting takes it back', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const before = await textOf(page, 1, 'Price list');
  await (await cell(page, 1, 'Price list')).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Backspace');
  await expect(page.getByText('2.500 records changed')).toBeVisible({ timeout: 60_000 });
  await expect(await cell(page, 1, 'Price list')).toHaveText('');
  await (await cell(page, 3, 'Price list')).click({ button: 'right' });
  await menuItem(page, 'Back to the values in Sandbox ERP').click();
  await expect(await cell(page, 1, 'Price list')).toHaveText(before, { timeout: 60_000 });
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();

  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText('Delete 2.500 Records');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('2.500 deleted')).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press('Control+z');
  await expect(page.getByText('2.500 deleted')).toBeHidden({ timeout: 60_000 });
});

test('[GRID-15] [KEY-01] the handle continues a series or copies with Ctrl; Ctrl+D fills a whole column; undo takes each back', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const column = 'Payment term (days)';
  const before = await textsOf(page, column, 6);
  await (await cell(page, 1, column)).click();
  await toClipboard(page, '10\n20');
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 2, column)).toHaveText('20');
  const drag = async (toRow: number): Promise<void> => {
    const from = await middleOf(page.locator('.sg-handle'));
    const to = await middleOf(await cell(page, toRow, column));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
  };
  await drag(6);
  await expect.poll(async () => await textsOf(page, column, 6)).toEqual(['10', '20', '30', '40', '50', '60']);
  await page.keyboard.press('Control+z');
  await expect.poll(async () => await textsOf(page, column, 6)).toEqual(['10', '20', ...before.slice(2)]);
  await (await cell(page, 1, column)).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.down('Control');
  await drag(4);
  await page.keyboard.up('Control');
  await expect.poll(async () => await textsOf(page, column, 4)).toEqual(['10', '20', '10', '20']);
  await page.keyboard.press('Control+z');

  const price = await textsOf(page, 'Price list', 2);
  await (await cell(page, 1, 'Price list')).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+d');
  await expect(await cell(page, 2, 'Price list')).toHaveText(price[0] ?? '', { timeout: 60_000 });
  await page.keyboard.press('Control+End');
  await expect(page.locator('[role=row][aria-rowindex="2501"] [role=gridcell]').first()).not.toBeEmpty();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+z');
  await expect(await cell(page, 2, 'Price list')).toHaveText(price[1] ?? '', { timeout: 60_000 });
});

test('[GRID-11] as many rows are added as one asks for, 1 to 1,000; a row is duplicated from its menu', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'How many rows' }).click();
  await page.getByLabel('Rows to add').fill('1001');
  await expect(page.getByRole('dialog').getByRole('button')).toBeDisabled();
  await page.getByLabel('Rows to add').fill('25');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '2526');
  await expect(await cell(page, 25, 'Name')).toHaveText('');
  // Brings it into view for good: what follows needs rows that stand still.
  await (await cell(page, 26, 'Name')).click();
  const name = await textOf(page, 26, 'Name');
  expect(name).not.toBe('');
  await page
    .locator('[role=row][aria-rowindex="27"] [role=rowheader]')
    .click({ button: 'right', position: { x: 50, y: 10 } });
  await menuItem(page, 'Duplicate row').click();
  await expect(await cell(page, 1, 'Name')).toHaveText(name);
  await expect(page.getByText('1 new')).toBeVisible();
});

test('[GRID-11] one types on in a new row while its first value is being saved, and nothing typed is lost', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let held = 0;
  await page.route('**/api/v1/data/**/customers**', async (route) => {
    if (route.request().method() !== 'GET') {
      held += 1;
      await gate;
    }
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('button', { name: 'Add 1 row' }).click();
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.type('First of all');
  await page.keyboard.press('Enter');
  await expect.poll(() => held).toBe(1);
  await (await cell(page, 1, 'Discount %')).click();
  await page.keyboard.type('12');
  // The row becomes a record, with another id, under the open editor.
  letGo();
  await expect(page.getByText('1 new')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(await cell(page, 1, 'Discount %')).toHaveText(/^12/);
  await expect(page.getByText('Not saved')).toHaveCount(0);
  await page.reload();
  await expect(await cell(page, 1, 'Name')).toHaveText('First of all');
  await expect(await cell(page, 1, 'Discount %')).toHaveText(/^12/);
});

test('[GRID-05] [GRID-06] [PREF-04] columns are dragged, pinned and fitted to their contents, and stay so after a reload', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const from = await middleOf(header(page, 'Price list'));
  const to = await header(page, 'Search name').boundingBox();
  const saved = whenSaved(page);
  await page.mouse.move(from.x - 20, from.y);
  await page.mouse.down();
  await page.mouse.move((to?.x ?? 0) + 20, from.y, { steps: 5 });
  await page.mouse.up();
  const index = async (name: string): Promise<number> =>
    Number(await header(page, name).getAttribute('aria-colindex'));
  await expect.poll(async () => (await index('Price list')) - (await index('Search name'))).toBe(-1);
  await saved;

  const pinned = whenSaved(page);
  await header(page, 'Credit limit').click({ button: 'right' });
  await menuItem(page, 'Pin column').click();
  await expect.poll(async () => await index('Credit limit')).toBe(3);
  await pinned;
  const edge = await header(page, 'Name').boundingBox();
  const fitted = whenSaved(page);
  await page.mouse.dblclick((edge?.x ?? 0) + (edge?.width ?? 0) - 2, (edge?.y ?? 0) + 12);
  await fitted;
  const width = (await header(page, 'Name').boundingBox())?.width ?? 0;
  expect(width).not.toBe(edge?.width);

  await page.reload();
  await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
  expect(await index('Credit limit')).toBe(3);
  expect((await index('Price list')) - (await index('Search name'))).toBe(-1);
  expect((await header(page, 'Name').boundingBox())?.width).toBe(width);
  // A pinned column stays where it is while the others scroll.
  const before = await header(page, 'Credit limit').boundingBox();
  await page.locator('.sg-scroll').evaluate((node) => node.scrollBy(600, 0));
  await expect(header(page, 'Price list')).toHaveCount(0);
  expect(await header(page, 'Credit limit').boundingBox()).toEqual(before);
});

test('[GRID-03] Shift and click make a column the next level of the order, numbered at its arrow', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await header(page, 'Customer group').click({ button: 'right' });
  await menuItem(page, 'Sort ascending').click();
  await expect(header(page, 'Customer group')).toHaveAttribute('aria-sort', 'ascending');
  const at = await middleOf(header(page, 'Payment term (days)'));
  await page.keyboard.down('Shift');
  await page.mouse.click(at.x + 20, at.y);
  await expect(header(page, 'Payment term (days)')).toHaveAttribute('aria-sort', 'ascending');
  await page.mouse.click(at.x + 20, at.y);
  await page.keyboard.up('Shift');
  await expect(header(page, 'Payment term (days)')).toHaveAttribute('aria-sort', 'descending');
  await expect(header(page, 'Payment term (days)').locator('.sg-head-level')).toHaveText('2');
  await expect(header(page, 'Customer group').locator('.sg-head-level')).toHaveText('1');
  await expect
    .poll(async () => {
      const groups = await textsOf(page, 'Customer group', 8);
      const days = (await textsOf(page, 'Payment term (days)', 8)).map(Number);
      return (
        groups[0] !== '' &&
        days.every((day, i) => i === 0 || groups[i] !== groups[i - 1] || day <= (days[i - 1] ?? 0))
      );
    })
    .toBe(true);
});

test('[FILT-01] [FILT-02] [FILT-05] several conditions on a column, a list of its values with counts, and a filter from a cell', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const match = page.locator('.foot').getByText('match');
  await header(page, 'Payment term (days)').click({ button: 'right' });
  await menuItem(page, 'Filter by this column').click();
  const popover = page.getByRole('dialog');
  await popover.getByLabel('Condition', { exact: true }).selectOption({ label: 'greater than or equal to' });
  await popover.getByLabel('Value', { exact: true }).fill('14');
  await popover.getByRole('button', { name: 'Add condition' }).click();
  await popover.getByLabel('Condition', { exact: true }).nth(1).selectOption({ label: 'less than' });
  await popover.getByLabel('Value', { exact: true }).nth(1).fill('30');
  await popover.getByRole('button', { name: 'Apply' }).click();
  await expect(match).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove filter Payment term (days)' })).toHaveCount(2);
  await expect
    .poll(async () =>
      (await textsOf(page, 'Payment term (days)', 6)).every(
        (text) => Number(text) >= 14 && Number(text) < 30,
      ),
    )
    .toBe(true);
  await header(page, 'Payment term (days)').click({ button: 'right' });
  await menuItem(page, 'Remove filter').click();
  await expect(page.getByText('2.500 records')).toBeVisible();

  await header(page, 'Price list').click({ button: 'right' });
  await menuItem(page, 'Filter by this column').click();
  await popover.getByLabel('Condition', { exact: true }).selectOption({ label: 'is one of' });
  await popover.getByLabel('Find a value').fill('PL0');
  const values = popover.getByRole('group', { name: /Values/ });
  await expect(values.getByRole('checkbox', { name: /^PL02/ })).toBeVisible();
  const [, count] = /PL02\s*([\d.]+)/.exec(await values.getByText(/PL02/).locator('..').innerText()) ?? [];
  await values.getByRole('checkbox', { name: /^PL02/ }).check();
  await popover.getByRole('button', { name: 'Apply' }).click();
  await expect(match).toHaveText(`${count} match`);
  await expect(await cell(page, 1, 'Price list')).toHaveText('PL02');

  await (await cell(page, 1, 'Customer group')).click({ button: 'right' });
  await menuItem(page, 'Leave out this value').click();
  await expect(match).not.toHaveText(`${count} match`);
});

test('[GRID-07] [KEY-08] menus of cells, rows and headers open by mouse, by key and by a press of 700 ms', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toBeHidden();
  };
  await page
    .locator('[role=row][aria-rowindex="3"] [role=rowheader]')
    .click({ button: 'right', position: { x: 50, y: 10 } });
  await expect(menuItem(page, 'Duplicate row')).toBeVisible();
  await expect(menuItem(page, 'Filter by this value')).toHaveCount(0);
  await close();
  await header(page, 'Name').click({ button: 'right' });
  await expect(menuItem(page, 'Pin column')).toBeVisible();
  await close();
  const at = await middleOf(await cell(page, 4, 'Name'));
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await expect(menuItem(page, 'Filter by this value')).toBeVisible();
  await page.mouse.up();
  await expect(menuItem(page, 'Filter by this value')).toBeVisible();
  await close();
  await page.keyboard.press('ContextMenu');
  await expect(menuItem(page, 'Filter by this value')).toBeVisible();
  await close();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Shift+F10');
  await expect(menuItem(page, 'Pin column')).toBeVisible();
});

test('[CLIP-01] [CLIP-03] [CLIP-04] [KEY-09] cells are cut, go out as text and as a table, come in from HTML; a clipboard that cannot be read says so', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const name = await textOf(page, 1, 'Name');
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.press('Control+x');
  await expect(await cell(page, 1, 'Name')).toHaveText('');
  const html = await page.evaluate(
    `navigator.clipboard.read().then(([item]) => item.getType('text/html')).then((blob) => blob.text())`,
  );
  expect(html).toContain(name);
  // By key: the emptied cell's message lies over the next one.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 2, 'Name')).toHaveText(name);

  await page.evaluate(`navigator.clipboard.write([new ClipboardItem({ 'text/html':
    new Blob(['<table><tr><td>First</td></tr><tr><td>Second</td></tr></table>'], { type: 'text/html' }) })])`);
  await (await cell(page, 4, 'Name')).click({ button: 'right' });
  await menuItem(page, /^Paste/).click();
  await expect(await cell(page, 4, 'Name')).toHaveText('First');
  await expect(await cell(page, 5, 'Name')).toHaveText('Second');

  await page.evaluate(`document.createElement('canvas').toBlob.call(Object.assign(document.createElement('canvas'), { width: 2, height: 2 }),
    (blob) => navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]).then(() => { window.isWritten = true; }))`);
  await expect.poll(async () => await page.evaluate('window.isWritten')).toBe(true);
  await (await cell(page, 6, 'Name')).click({ button: 'right' });
  await menuItem(page, /^Paste/).click();
  await expect(page.getByText('Could not read clipboard content').first()).toBeVisible();
  await page.context().clearPermissions();
  await (await cell(page, 6, 'Name')).click({ button: 'right' });
  await menuItem(page, /^Paste/).click();
  await expect(page.getByText('Failed to read clipboard content').first()).toBeVisible();
});

test('[GRID-15] [CLIP-05] rows pasted past the end are added; 12,000 rows go in with progress, and none when one column is wrong', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Discount %')).click();
  const wrong = [...Array.from({ length: 800 }, () => '1,5'), 'much'].join('\n');
  await toClipboard(page, wrong);
  await page.keyboard.press('Control+v');
  await expect(page.getByText('Invalid data types: Discount %').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();
  await page.keyboard.press('Control+End');
  await expect(page.locator('[role=row][aria-rowindex="2501"] [role=gridcell]').first()).not.toBeEmpty();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await toClipboard(page, 'Last\nBeyond one\nBeyond two');
  await page.keyboard.press('Control+v');
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '2503');
  await expect(page.getByText('2 new')).toBeVisible();

  await openTable(page, product.base, 'journal-entries');
  const rows = 12_000;
  const first = await textOf(page, 1, 'Description');
  await (await cell(page, 1, 'Description')).click();
  await toClipboard(page, Array.from({ length: rows }, (_, i) => `Pasted ${i}`).join('\n'));
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 1, 'Description')).toHaveText('Pasted 0');
  await expect(push(page, '12.000')).toBeVisible({ timeout: 90_000 });
  await page.keyboard.press('Control+z');
  await expect(await cell(page, 1, 'Description')).toHaveText(first, { timeout: 90_000 });
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled({ timeout: 90_000 });
  await revertAll(api, 'journal-entries');
});

test('[GRID-14] [KEY-02] more than a thousand new rows go by one undo and come back by redo, where they can be seen', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  const grid = page.getByRole('grid');
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.press('Control+End');
  await expect(page.locator('[role=row][aria-rowindex="2501"] [role=gridcell]').first()).not.toBeEmpty();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const before = Number(await grid.getAttribute('aria-rowcount'));
  await toClipboard(page, Array.from({ length: 1101 }, (_, n) => `Row ${n}`).join('\n'));
  await page.keyboard.press('Control+v');
  await expect(page.getByText('1.100 new')).toBeVisible({ timeout: 60_000 });
  await expect(grid).toHaveAttribute('aria-rowcount', String(before + 1100));
  await page.keyboard.press('Control+z');
  await expect(grid).toHaveAttribute('aria-rowcount', String(before), { timeout: 60_000 });
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();
  await page.keyboard.press('Control+Shift+z');
  await expect(page.getByText('1.100 new')).toBeVisible({ timeout: 60_000 });
  await expect(grid).toHaveAttribute('aria-rowcount', String(before + 1100));
  await page.keyboard.press('Control+Home');
  await expect(await cell(page, 1, 'Name')).toHaveText(/^Row \d+$/);
  await revertAll(api, 'customers');
});

test('[GRID-02] a drag at the edges scrolls the table along, for a selection and for the fill handle; a press on a note reaches the cell under it', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const scroller = page.locator('.sg-scroll');
  const box = await scroller.boundingBox();
  if (!box) throw new Error('not shown');
  const scrolled = async (): Promise<{ x: number; y: number }> =>
    await scroller.evaluate((node) => ({ x: node.scrollLeft, y: node.scrollTop }));
  const from = await middleOf(await cell(page, 2, 'Name'));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 4, box.y + box.height + 12, { steps: 5 });
  await expect.poll(async () => (await scrolled()).y).toBeGreaterThan(300);
  await expect.poll(async () => (await scrolled()).x).toBeGreaterThan(100);
  // Back over the pinned column and the header: it goes back to where it began.
  await page.mouse.move(box.x + 90, box.y + 10, { steps: 5 });
  await expect.poll(scrolled, { timeout: 30_000 }).toEqual({ x: 0, y: 0 });
  await page.mouse.up();

  await (await cell(page, 1, 'Discount %')).click();
  const handle = await page.locator('.sg-handle').boundingBox();
  await page.mouse.move((handle?.x ?? 0) + 4, (handle?.y ?? 0) + 4);
  await page.mouse.down();
  await page.mouse.move((handle?.x ?? 0) + 4, box.y + box.height + 12, { steps: 5 });
  await expect(page.locator('.sg-main .sg-range.is-preview')).toBeVisible();
  await expect.poll(async () => (await scrolled()).y).toBeGreaterThan(200);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();

  await page.keyboard.press('Control+Home');
  await (await cell(page, 1, 'Discount %')).click();
  await page.keyboard.type('75');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 1, 'Discount %')).toHaveClass(/is-invalid/);
  await page.keyboard.press('ArrowUp');
  const note = page.getByRole('note');
  await expect(note).toContainText('60');
  const covered = await note.boundingBox();
  await page.mouse.click((covered?.x ?? 0) + 30, (covered?.y ?? 0) + 20);
  await expect(activeCell(page)).not.toHaveClass(/is-invalid/);
});

test('row numbers have their width from the first sight of a table on, and so has the scrollbar', async ({
  page,
  product,
}) => {
  await page.addInitScript(`{
    window.seen = new Set();
    new MutationObserver(() => {
      const root = document.querySelector('.sg');
      const gutter = root?.style.getPropertyValue('--sg-gutter');
      if (gutter) window.seen.add(gutter + ' ' + root.querySelector('.sg-scroll').scrollHeight);
    }).observe(document, { attributes: true, childList: true, subtree: true });
  }`);
  await openTable(page, product.base, 'journal-entries');
  await expect(page.getByText(/[\d.]+ records/)).toBeVisible();
  await expect(page.locator('[role=grid]')).not.toHaveAttribute('aria-rowcount', '-1');
  expect(await page.evaluate('[...window.seen]')).toHaveLength(1);
});

test("[GRID-06] columns resized in a saved view are the view's until it is saved, and not one's own", async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const group = header(page, 'Customer group');
  const widthOf = async (): Promise<number> => (await group.boundingBox())?.width ?? 0;
  const own = await widthOf();
  const menu = (name: string) => page.getByRole('button', { name: `View: ${name}` });
  await expect(page.getByText('2.500 records')).toBeVisible();
  // While another view is being counted the row numbers keep their width, so that no column jumps.
  await page.evaluate(`{
    const root = document.querySelector('.sg');
    const gutter = () => root.style.getPropertyValue('--sg-gutter');
    window.gutters = new Set([gutter()]);
    new MutationObserver(() => window.gutters.add(gutter())).observe(root, { attributes: true });
  }`);
  await menu('All records').click();
  await menuItem(page, 'Save as new view').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Wide groups');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(menu('Wide groups')).toBeVisible();
  const box = await group.boundingBox();
  if (!box) throw new Error('not shown');
  await page.mouse.move(box.x + box.width - 2, box.y + 16);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 98, box.y + 16, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Math.abs((await widthOf()) - own - 100)).toBeLessThan(4);
  await menu('Wide groups').click();
  await menuItem(page, 'All records').click();
  await expect(menu('All records')).toBeVisible();
  await expect.poll(widthOf).toBe(own);
  expect(await page.evaluate('[...window.gutters]')).toHaveLength(1);
  await page.reload();
  await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
  expect(await widthOf()).toBe(own);
});

test('[CLIP-01] [CLIP-03] a whole column is copied with the rows that are not loaded, with progress and Stop; too much is told to export', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'journal-entries');
  const names = await textsOf(page, 'Description', 3);
  await header(page, 'Description').click();
  await page.keyboard.press('Control+c');
  await expect(page.getByRole('progressbar', { name: 'Copying' })).toBeVisible();
  await expect(page.locator('.sg [role=status]')).toHaveText('100.000 cells copied', { timeout: 60_000 });
  const lines = String(await page.evaluate('navigator.clipboard.readText()')).split(/\r?\n/);
  expect(lines).toHaveLength(100_000);
  expect(lines.slice(0, 3)).toEqual(names);
  await page.keyboard.press('Control+End');
  await expect(page.locator('[role=row][aria-rowindex="100001"] [role=gridcell]').first()).not.toBeEmpty();
  await page.keyboard.press('Control+Home');
  await expect(await cell(page, 1, 'Description')).toHaveText(names[0] ?? '');

  await toClipboard(page, 'as before');
  await header(page, 'Description').click();
  await page.keyboard.press('Control+c');
  await page.locator('.jobstrip').getByRole('button', { name: 'Stop' }).click();
  await expect(page.locator('.jobstrip')).toHaveCount(0);
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('as before');

  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await expect(
    page.getByText('At most 1.000.000 cells can be copied at a time. Export the table to take more.').first(),
  ).toBeVisible();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('as before');
});

/** Lines for the ten columns from Journal to Currency. */
const journalLines = (rows: number): string =>
  Array.from(
    { length: rows },
    (_, i) => `Memorial\tDOC ${i}\t4000\tCC1\t\t\tPasted ${i}\t${i},50\t0,00\tEUR`,
  ).join('\r\n');

test('[GRID-15] [CLIP-05] [KEY-02] 5,000 rows of ten columns are pasted with progress, saved whole and taken back by one undo; Stop keeps what was saved as a step of its own', async ({
  page,
  product,
  api,
}) => {
  const rows = 5000;
  await openTable(page, product.base, 'journal-entries');
  const before = await textsOf(page, 'Description', 5);
  await (await cell(page, 1, 'Journal')).click();
  await toClipboard(page, journalLines(rows));
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 1, 'Description')).toHaveText('Pasted 0');
  await expect(page.getByRole('progressbar', { name: 'Pasting' })).toBeVisible();
  await expect(push(page, '5.000')).toBeVisible({ timeout: 60_000 });
  await expect(page.locator('.jobstrip')).toHaveCount(0);
  const last = z.object({ resources: z.array(z.object({ debit: z.number(), description: z.string() })) });
  const tail = await api.get(`${apiPath('journal-entries')}?offset=${rows - 1}&limit=2`, last);
  expect(tail.resources[0]).toMatchObject({ description: `Pasted ${rows - 1}`, debit: rows - 0.5 });
  expect(tail.resources[1]?.description).not.toMatch(/^Pasted/);

  await page.keyboard.press('Control+z');
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled({ timeout: 60_000 });
  // The live message with the count comes before the answer with the rows; the strip stands until both are here.
  await expect(page.locator('.jobstrip')).toHaveCount(0);
  expect(await textsOf(page, 'Description', 5)).toEqual(before);

  await toClipboard(page, journalLines(4 * rows));
  await page.keyboard.press('Control+v');
  await page.locator('.jobstrip').getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByText(/Stopped: .* rows were not changed/).first()).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled({ timeout: 60_000 });
  await expect(page.locator('.jobstrip')).toHaveCount(0);
  expect(await textsOf(page, 'Description', 5)).toEqual(before);
});

test.describe('by touch', () => {
  test.use({ hasTouch: true });
  test('[GRID-02] [GRID-07] a tap selects, a second opens the editor, a long press opens the menu', async ({
    page,
    product,
  }) => {
    await openTable(page, product.base, 'customers');
    await (await cell(page, 3, 'Name')).tap();
    await expect(activeCell(page)).toHaveText(await textOf(page, 3, 'Name'));
    await expect(page.locator('.sg-editor.is-editing')).toHaveCount(0);
    await (await cell(page, 3, 'Name')).tap();
    await expect(page.locator('.sg-editor.is-editing')).toHaveCount(1);
    await page.keyboard.press('Escape');
    const at = await middleOf(await cell(page, 5, 'Name'));
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await expect(menuItem(page, 'Filter by this value')).toBeVisible();
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await expect(menuItem(page, 'Filter by this value')).toBeVisible();
  });

  test('[MENU-11] a press of 700 ms opens the menu, one of 600 ms does not', async ({ page, product }) => {
    await page.clock.install();
    await openTable(page, product.base, 'customers');
    const at = await middleOf(await cell(page, 5, 'Name'));
    const cdp = await page.context().newCDPSession(page);
    const press = async (ms: number): Promise<void> => {
      await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 1000'));
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
      await page.clock.runFor(ms);
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await page.clock.resume();
    };
    await press(600);
    // What the press began has had its time by then.
    await page.waitForFunction('new Promise((done) => setTimeout(() => done(true), 400))');
    await expect(menuItem(page, 'Filter by this value')).toHaveCount(0);
    await press(700);
    await expect(menuItem(page, 'Filter by this value')).toBeVisible();
  });
});

test('far away in a table grey bars stand in while a slow server makes the rows wait, also in forced colours', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'journal-entries');
  await (await cell(page, 1, 'Entry number')).click();
  const bars = page.locator('.sg-cell.is-loading');
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route(/journal-entries\?.*offset=99/, async (route) => {
    held.resolve();
    await release.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+End');
  await held.promise;
  await expect(bars.first()).toBeVisible();
  await page.emulateMedia({ forcedColors: 'active' });
  const shade = await bars.first().evaluate(`(node) => getComputedStyle(node, '::after').backgroundColor`);
  expect(shade).not.toBe('rgba(0, 0, 0, 0)');
  await page.emulateMedia({ forcedColors: 'none' });
  release.resolve();
  await expect(bars).toHaveCount(0);
  await expect(await cell(page, 100_000, 'Entry number')).toHaveText(/^\d{8}$/);
});
