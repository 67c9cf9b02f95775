import type { Browser, Page } from '@playwright/test';
import { type RunningProduct, startProductMain, tableOf } from '@sluice/testing';
import { z } from 'zod';
import {
  activeCell,
  apiPath,
  cell,
  discardAll,
  erp,
  openMore,
  openTable,
  prepare,
  setPreference,
} from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

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
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

/** Another person in a browser of his own, who reads English. */
async function person(browser: Browser, product: RunningProduct, username: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await setPreference(await loginPage(page, product.base, username), 'language', 'EN');
  return page;
}

async function write(page: Page, row: number, column: string, text: string): Promise<void> {
  await (await cell(page, row, column)).click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** What goes wrong in the sandbox from now on. */
async function faults(sandboxUrl: string | null, list: object[]): Promise<void> {
  await fetch(`${sandboxUrl}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
}

test('[PEND-04] [PEND-08] [PEND-18] two people on one record: each cell keeps its author, in the table and in the review', async ({
  page,
  browser,
  product,
}) => {
  const ben = await person(browser, product, 'ben');
  await openTable(page, product.base, 'customers');
  await openTable(ben, product.base, 'customers');
  await write(page, 1, 'Name', 'Named by Ada');
  await expect(await cell(ben, 1, 'Name')).toHaveClass(/is-others/);
  await write(ben, 1, 'Payment term (days)', '21');
  await expect(await cell(page, 1, 'Payment term (days)')).toHaveText('21');
  await expect(await cell(page, 1, 'Payment term (days)')).toHaveClass(/is-others/);
  await expect(await cell(page, 1, 'Name')).toHaveClass(/is-you/);
  await (await cell(page, 1, 'Payment term (days)')).hover();
  await expect(page.getByRole('note')).toContainText('By Ben Visser');

  await page.getByRole('button', { name: 'Push 1 change' }).click();
  const review = page.getByRole('dialog');
  await expect(review.getByTitle('Ben Visser')).toBeVisible();
  await expect(review.getByText('Named by Ada').first()).toBeVisible();
  await ben.context().close();
});

test('[PEND-18] a cell that a colleague saved while one was typing in it is refused there, with both values to choose from', async ({
  page,
  browser,
  product,
}) => {
  const ben = await person(browser, product, 'ben');
  await openTable(page, product.base, 'customers');
  await openTable(ben, product.base, 'customers');
  await (await cell(ben, 2, 'Name')).click();
  await ben.keyboard.type('Value of Ben');
  await write(page, 2, 'Name', 'Value of Ada');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
  await ben.keyboard.press('Enter');

  const refused = await cell(ben, 2, 'Name');
  await expect(refused).toHaveClass(/is-failed/);
  await expect(refused).toHaveText('Value of Ben');
  await refused.click();
  const note = ben.getByRole('note');
  await expect(note).toContainText('Not saved');
  await expect(note).toContainText('Value of Ada');
  await expect(note).toContainText('Value of Ben');
  await expect(await cell(page, 2, 'Name')).toHaveText('Value of Ada');

  await note.getByRole('button', { name: 'Keep mine' }).click();
  await expect(refused).not.toHaveClass(/is-failed/);
  await expect(await cell(page, 2, 'Name')).toHaveText('Value of Ben');
  await ben.context().close();
});

test("[PEND-03] [PEND-16] [NOTIF-21] discarding a colleague's change tells him who did it, and can be taken back", async ({
  page,
  browser,
  product,
}) => {
  const ben = await person(browser, product, 'ben');
  await openTable(page, product.base, 'customers');
  await openTable(ben, product.base, 'customers');
  const before = await (await cell(page, 3, 'Name')).innerText();
  await write(page, 3, 'Name', 'To be discarded');
  await expect(await cell(ben, 3, 'Name')).toHaveText('To be discarded');

  await ben.getByRole('button', { name: 'Discard', exact: true }).click();
  const dialog = ben.getByRole('dialog');
  await dialog.getByRole('button', { name: 'All', exact: true }).click();
  await expect(dialog).toContainText('Among them are changes of');
  await dialog.getByRole('button', { name: 'Discard 1 change' }).click();
  await expect(await cell(page, 3, 'Name')).toHaveText(before);
  await expect(page.locator('.toasts')).toContainText('Ben Visser discarded 1 of your pending changes');

  await ben.getByRole('button', { name: 'Undo' }).click();
  await expect(await cell(ben, 3, 'Name')).toHaveText('To be discarded');
  await expect(await cell(page, 3, 'Name')).toHaveText('To be discarded');
  await ben.context().close();
});

test('who may only read sees why, and nothing to write with', async ({ browser, product }) => {
  const rita = await person(browser, product, 'rita');
  await openTable(rita, product.base, 'customers');
  await expect(rita.getByText('You may look at these records, not change them.')).toBeVisible();
  await expect(rita.getByRole('button', { name: 'Add 1 row' })).toHaveCount(0);
  const before = await (await cell(rita, 1, 'Name')).innerText();
  await (await cell(rita, 1, 'Name')).click();
  await rita.keyboard.type('x');
  await rita.keyboard.press('Enter');
  await expect(await cell(rita, 1, 'Name')).toHaveText(before);
  await expect(rita.getByRole('button', { name: /^Push/ })).toBeDisabled();
  await rita.context().close();
});

test('a record that changed in the ERP meanwhile is a conflict with all three values; nothing is overwritten until somebody decides', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  const number = (await (await cell(page, 4, 'Customer number')).innerText()).trim();
  const old = (await (await cell(page, 4, 'Name')).innerText()).trim();
  await write(page, 4, 'Name', 'Mine');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
  const changed = await erp(product.sandboxUrl, 'PATCH', `Customers('${number}')`, { name: 'Theirs' });
  expect(changed.status).toBeLessThan(300);
  await page.getByRole('button', { name: 'Read anew from Sandbox ERP' }).click();
  await expect(await cell(page, 4, 'Name')).toHaveClass(/is-conflict/);

  await page.getByRole('button', { name: /^Push/ }).click();
  const review = page.getByRole('dialog');
  for (const value of [old, 'Theirs', 'Mine'])
    await expect(review.getByText(value, { exact: true }).first()).toBeVisible();
  await expect(review.getByRole('button', { name: /^Push to/ })).toBeDisabled();
  expect((await erp(product.sandboxUrl, 'GET', `Customers('${number}')`)).body['name']).toBe('Theirs');

  await review.getByRole('button', { name: 'Keep mine' }).click();
  await expect(review.getByText('1 ready')).toBeVisible();
  await review.getByRole('button', { name: 'Cancel' }).click();
  await expect(await cell(page, 4, 'Name')).not.toHaveClass(/is-conflict/);
  await expect(await cell(page, 4, 'Name')).toHaveText('Mine');
  const { resources } = await api.get(
    `${apiPath('customers')}/pending`,
    z.object({
      resources: z.array(
        z.object({
          operation: z.looseObject({ changes: z.array(z.looseObject({ oldValue: z.unknown() })) }),
        }),
      ),
    }),
  );
  expect(resources[0]?.operation.changes[0]?.oldValue).toBe('Theirs');
});

test('[PEND-10] [PEND-17] a push that the ERP takes in part: the list of results names field and reason and leads to the cell', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  const number = (await (await cell(page, 6, 'Customer number')).innerText()).trim();
  await write(page, 6, 'Payment term (days)', '35');
  // A price list that the ERP does not know: only the ERP itself can tell.
  await write(page, 7, 'Price list', 'PL99');
  await page.getByRole('button', { name: 'Push 2 changes' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Push 2 changes/ })
    .click();
  await page.getByRole('button', { name: 'Results' }).click();
  const results = page.getByRole('dialog');
  await expect(results).toContainText('Price list:');
  await expect(results).not.toContainText('priceList');
  expect((await erp(product.sandboxUrl, 'GET', `Customers('${number}')`)).body['paymentTermDays']).toBe(35);
  await results.getByRole('button', { name: 'Show in table' }).click();
  await expect(activeCell(page)).toHaveText('PL99');
  await expect(await cell(page, 7, 'Price list')).toHaveClass(/is-rejected/);
});

test('who waits for a slow push sees why it stands still, and cancels what is not sent yet', async ({
  page,
  product,
  api,
}) => {
  const table = tableOf(api, apiPath('customers'));
  const records = await table.find('limit=3&offset=1400&noTotal=true');
  await table.patch(records.map(({ internalId: id }) => ({ id, changes: { notes: 'Not in time' } })));
  await openTable(page, product.base, 'customers');
  try {
    await faults(product.sandboxUrl, [
      { kind: 'fail', status: 429, times: 1000, retryAfterSeconds: 3, method: 'POST' },
    ]);
    await page.getByRole('button', { name: 'Push 3 changes' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Push 3 changes/ })
      .click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await openMore(page, 'Earlier Pushes');
    await page.getByRole('dialog').getByRole('button', { name: 'Results' }).first().click();
    const results = page.getByRole('dialog');
    await expect(results.getByText(/^It waits, and goes on by itself: ./)).toBeVisible();
    await results.getByRole('button', { name: 'Cancel what is not sent yet' }).click();
    await expect(results).toContainText('0 pushed, 0 rejected', { timeout: 30_000 });
    await expect(results.getByRole('tab', { name: /^Not Sent/ })).toHaveText(/3/);
    expect(await table.pending()).toHaveLength(3);
  } finally {
    await faults(product.sandboxUrl, []);
    await page.keyboard.press('Escape');
    await discardAll(api, 'customers');
  }
});

test('[PEND-17] results that are opened while a push goes on grow until it has ended', async ({
  page,
  product,
  api,
}) => {
  const count = 300;
  const table = tableOf(api, apiPath('customers'));
  const records = await table.find(`limit=${count}&offset=1000&noTotal=true`);
  await table.patch(records.map(({ internalId: id }) => ({ id, changes: { notes: 'Slowly pushed' } })));
  await openTable(page, product.base, 'customers');
  try {
    await faults(product.sandboxUrl, [{ kind: 'latency', ms: 4000, method: 'POST', path: '$batch' }]);
    await page.getByRole('button', { name: `Push ${count} changes` }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(`^Push ${count} changes`) })
      .click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const card = page.locator('.alert-card');
    await expect(card).toBeVisible();
    await openMore(page, 'Earlier Pushes');
    await page.getByRole('dialog').getByRole('button', { name: 'Results' }).first().click();
    const results = page.getByRole('dialog');
    await expect(results).toContainText(new RegExp(`Pushing \\d+ of ${count}`));
    await expect(results.getByText('Still to come').first()).toBeVisible();
    // Its card would lie on them and say the same. By itself it would go, too, but some seconds later.
    expect(await card.count()).toBe(0);
    await expect(results).toContainText(`${count} pushed, 0 rejected`, { timeout: 30_000 });
    await expect(results.getByRole('tab', { name: /^Not Sent/ })).toHaveText(/0/);
    await page.waitForTimeout(500);
    await page.keyboard.press('Escape');
    await expect(results).toHaveCount(0);
    expect(await card.count()).toBe(0);
  } finally {
    await faults(product.sandboxUrl, []);
  }
});

test('[GRID-21] a change between the first reading of a table and its being followed is seen', async ({
  page,
  browser,
  product,
}) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.routeWebSocket(/websocket/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage(async (message) => {
      await held;
      server.send(message);
    });
  });
  await openTable(page, product.base, 'customers');
  const other = await person(browser, product, 'ben');
  await openTable(other, product.base, 'customers');
  await write(other, 9, 'Name', 'Meanwhile');
  await expect(other.getByRole('button', { name: /^Push/ })).toBeEnabled();
  await expect(await cell(page, 9, 'Name')).not.toHaveText('Meanwhile');
  release();
  await expect(await cell(page, 9, 'Name')).toHaveText('Meanwhile');
  await other.context().close();
});

test('[WS-02] a line that has fallen silent is given up when the page is looked at again', async ({
  page,
  browser,
  product,
}) => {
  let lines = 0;
  let isSilent = false;
  await page.routeWebSocket(/websocket/, (socket) => {
    const isFirst = lines++ === 0;
    const server = socket.connectToServer();
    socket.onMessage((message) => (isFirst && isSilent ? undefined : server.send(message)));
    server.onMessage((message) => (isFirst && isSilent ? undefined : socket.send(message)));
  });
  await openTable(page, product.base, 'customers');
  const other = await person(browser, product, 'ben');
  await openTable(other, product.base, 'customers');
  await write(other, 10, 'Name', 'Heard');
  await expect(await cell(page, 10, 'Name')).toHaveText('Heard');
  isSilent = true;
  await write(other, 10, 'Name', 'Not heard');
  expect(lines).toBe(1);
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await expect(await cell(page, 10, 'Name')).toHaveText('Not heard', { timeout: 20_000 });
  expect(lines).toBe(2);
  await other.context().close();
});

test('[WS-02] after a kill -9 and a new start the open table catches up by itself', async ({
  page,
  browser,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await product.kill();
  const again = await startProductMain({
    home: product.home,
    env: { PORT: new URL(product.base).port, SLUICE_SANDBOX_JOURNAL_ENTRIES: '100000' },
  });
  // The other files of this worker go on with the new process, and it is the one to be removed at the end.
  Object.assign(product, again);
  const other = await person(browser, product, 'ben');
  await openTable(other, product.base, 'customers');
  await write(other, 8, 'Name', 'After the restart');
  await expect(await cell(page, 8, 'Name')).toHaveText('After the restart', { timeout: 40_000 });
  await other.context().close();
});
