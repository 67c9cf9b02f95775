import type { Locator, Page } from '@playwright/test';
import { z } from 'zod';
import { activeCell, apiPath, cell, openTable, prepare } from './support/table.ts';
import { expect, test } from './support/test.ts';

/** Journal entries of the sandbox. A million take minutes to begin with: `MILLION_ROWS=1000000` asks for them. */
const rows = Number(process.env['MILLION_ROWS'] ?? 200_000);
/** What works on all of a filter's records at once may take so long, on a machine that others use as well. */
const patience = { timeout: 120_000 + rows * 0.6 };

test.use({ journalEntries: rows });

const number = (value: number): string => new Intl.NumberFormat('nl-NL').format(value);
const found = z.object({
  resources: z.array(z.looseObject({ internalId: z.string() })),
  total: z.number(),
});
const pendingCounts = z.object({
  counts: z.object({ insert: z.number(), update: z.number(), delete: z.number() }),
});

test.beforeAll(async ({ product }) => {
  test.setTimeout(300_000 + rows * 0.5);
  await prepare(product.base, ['journal-entries'], 180_000 + rows * 0.5);
});
test.beforeEach(() => {
  test.setTimeout(240_000 + rows * 2);
});

/** A word that many entries have in their description, and how many. */
async function commonWord(api: Parameters<Parameters<typeof test>[2]>[0]['api']) {
  const { resources } = await api.get(`${apiPath('journal-entries')}?limit=1`, found);
  const word = /\p{L}{4,}/u.exec(String(resources[0]?.['description']))?.[0] ?? '';
  const filter = JSON.stringify([{ field: 'description', operator: 'contains', value: word }]);
  const { total } = await api.get(
    `${apiPath('journal-entries')}?limit=1&filter=${encodeURIComponent(filter)}`,
    found,
  );
  return { word, total };
}

async function filterBy(page: Page, word: string, total: number): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const popover = page.getByRole('dialog');
  await popover.getByLabel('Column').selectOption({ label: 'Description' });
  await popover.getByLabel('Value', { exact: true }).fill(word);
  await popover.getByRole('button', { name: 'Apply' }).click();
  await expect(page.locator('.foot').getByText('match')).toHaveText(`${number(total)} match`, patience);
}

const strip = (page: Page): Locator => page.locator('.jobstrip');

test('[FILT-06] [KEY-06] find goes to hits far outside of what is loaded, on and back, and round the end', async ({
  page,
  product,
  api,
}) => {
  const at = [Math.floor(rows / 4), Math.floor(rows / 2), rows - 1];
  const marked = await Promise.all(
    at.map(
      async (offset) =>
        (await api.get(`${apiPath('journal-entries')}?limit=1&offset=${offset}`, found)).resources[0],
    ),
  );
  const mark = async (value: (index: number) => unknown): Promise<unknown> =>
    await api.send(
      'PATCH',
      apiPath('journal-entries'),
      marked.map((record, index) => ({ id: record?.internalId, changes: { description: value(index) } })),
      z.unknown(),
    );
  await mark(() => 'A quokka far away');
  await openTable(page, product.base, 'journal-entries');
  await expect(page.getByText(`${number(rows)} records`)).toBeVisible(patience);
  await (await cell(page, 1, 'Description')).click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('quokka');
  const says = page.getByRole('search').locator('output');
  const stands = async (hit: number): Promise<void> => {
    await expect(says).toHaveText(`${hit} of 3`, patience);
    await expect(activeCell(page)).toHaveText('A quokka far away');
    const row = activeCell(page).locator('xpath=ancestor::*[@role="row"]');
    await expect(row).toHaveAttribute('aria-rowindex', String((at[hit - 1] ?? 0) + 2));
  };
  await stands(1);
  await page.keyboard.press('Enter');
  await stands(2);
  await page.keyboard.press('Enter');
  await stands(3);
  await page.keyboard.press('Enter');
  await stands(1);
  await page.keyboard.press('Shift+Enter');
  await stands(3);
  await mark((index) => marked[index]?.['description']);
});

test('[GRID-08] [GRID-14] [GRID-15] batch edit of all that a filter matches shows how far it is, and one Ctrl+Z takes all of it back', async ({
  page,
  product,
  api,
}) => {
  const { word, total } = await commonWord(api);
  expect(total).toBeGreaterThan(10_000);
  await openTable(page, product.base, 'journal-entries');
  await filterBy(page, word, total);
  await (await cell(page, 1, 'Document')).click();
  const before = await (await cell(page, 1, 'Document')).innerText();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Batch edit' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText(`Edit ${number(total)} Records`);
  const line = dialog.getByRole('group').first();
  await line.getByLabel('Field').selectOption({ label: 'Document' });
  await line.getByLabel('New value').fill('BATCH');
  await dialog.getByRole('button', { name: `Change ${number(total)} records` }).click();
  await expect(strip(page)).toContainText(`of ${number(total)} records`);
  await expect(page.getByText(`${number(total)} records changed`)).toBeVisible(patience);
  const counts = async () =>
    (await api.get(`${apiPath('journal-entries')}/pending?limit=1`, pendingCounts)).counts;
  expect(await counts()).toMatchObject({ update: total });
  await expect(await cell(page, 1, 'Document')).toHaveText('BATCH');

  await page.keyboard.press('Control+z');
  await expect.poll(counts, patience).toEqual(expect.objectContaining({ insert: 0, update: 0, delete: 0 }));
  await expect(await cell(page, 1, 'Document')).toHaveText(before, patience);
});

test('[FILT-09] [GRID-14] replace all changes every hit of a common word, and one Ctrl+Z takes all of it back', async ({
  page,
  product,
  api,
}) => {
  const { word } = await commonWord(api);
  await openTable(page, product.base, 'journal-entries');
  await expect(page.getByText(`${number(rows)} records`)).toBeVisible(patience);
  const before = await (await cell(page, 1, 'Description')).innerText();
  await (await cell(page, 1, 'Description')).click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type(word);
  const bar = page.getByRole('search');
  await bar.getByRole('button', { name: 'Match case' }).click();
  await expect(bar.locator('output')).toHaveText(/^1 of /, patience);
  const hits = /of (.*)$/.exec(await bar.locator('output').innerText())?.[1] ?? '';
  await bar.getByRole('button', { name: 'Replace', exact: true }).click();
  await bar.getByLabel('Replace with').fill('Quokka');
  await bar.getByRole('button', { name: 'Replace all' }).click();
  await expect(strip(page)).toBeVisible();
  await expect(page.getByText(`Replaced in ${hits} cells`)).toBeVisible(patience);
  await expect(await cell(page, 1, 'Description')).toHaveText(before.replace(word, 'Quokka'));
  await bar.getByRole('button', { name: 'Close find' }).click();

  await page.keyboard.press('Control+z');
  await expect(await cell(page, 1, 'Description')).toHaveText(before, patience);
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled(patience);
});

test('[GRID-18] [PEND-12] all that a filter matches is deleted, taken back and discarded, and each is undone by one step', async ({
  page,
  product,
  api,
}) => {
  const { word, total } = await commonWord(api);
  await openTable(page, product.base, 'journal-entries');
  await filterBy(page, word, total);
  await (await cell(page, 1, 'Document')).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText(`Delete ${number(total)} Records`);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  const deleted = page.getByText(`${number(total)} deleted`);
  await expect(deleted).toBeVisible(patience);
  await expect(strip(page)).toBeHidden(patience);
  await page.keyboard.press('Control+z');
  await expect(deleted).toBeHidden(patience);
  await page.keyboard.press('Control+Shift+z');
  await expect(deleted).toBeVisible(patience);

  // Taken back from the menu of the rows, and by the dialog that discards.
  await page.keyboard.press('Control+a');
  await page.locator('[role=row][aria-rowindex="3"] [role=rowheader]').click({ button: 'right' });
  await page.getByRole('menuitem', { name: `Take back changes of ${number(total)} records` }).click();
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled(patience);
  await page.keyboard.press('Control+z');
  await expect(deleted).toBeVisible(patience);

  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await dialog.getByRole('button', { name: /^Discard [\d.]+ changes/ }).click(patience);
  await expect(deleted).toBeHidden(patience);
  // Pressed while the table is read anew: it waits for it, and says so.
  let isReadable = (): void => undefined;
  const readable = new Promise<void>((resolve) => (isReadable = resolve));
  await page.route(/journal-entries\?/, async (route) => {
    await readable;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(deleted).toBeVisible(patience);
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect(strip(page)).toContainText('Preparing');
  await expect(dialog).toBeHidden();
  isReadable();
  await dialog.getByRole('button', { name: /^Discard [\d.]+ changes/ }).click(patience);
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled(patience);
});
