import { startFaultProxy, startSlowProxy } from '@sluice/testing';
import { z } from 'zod';
import { apiPath, cell, discardAll, levels, openTable, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';

test.beforeAll(async ({ product }) => await prepare(product.base, ['customers', 'journal-entries']));
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

const portOf = (base: string): number => Number(new URL(base).port);

test('[NOTIF-17] a table that was scrolled while the line was broken goes on by itself when it is back', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'journal-entries');
  await page.context().setOffline(true);
  await expect(page.getByText('Internet connection lost')).toBeVisible();
  await page.locator('.sg textarea').press('Control+End');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText('Internet connection restored')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await expect(page.locator('[role=row][aria-rowindex="100001"] [role=gridcell]').first()).not.toBeEmpty();
});

test('a row whose answer was lost on a cut line is one row, and one undo takes it back', async ({
  page,
  product,
  api,
}) => {
  const line = await startFaultProxy(portOf(product.base));
  const base = `http://127.0.0.1:${line.port}`;
  await loginPage(page, base);
  await openTable(page, base, 'customers');
  line.cutNextAnswer(/POST [^ ]*customers[^]*Cut while adding/, 'answered');
  await page.getByRole('button', { name: 'Add 1 row' }).first().click();
  const name = await cell(page, 1, 'Name');
  await name.dblclick();
  await page.keyboard.type('Cut while adding');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 new')).toBeVisible();
  await expect(page.getByRole('gridcell', { name: 'Cut while adding' })).toHaveCount(1);
  const found = await api.get(
    `${apiPath('customers')}?limit=5&search=${encodeURIComponent('Cut while adding')}`,
    z.object({ total: z.number() }),
  );
  expect(found.total).toBe(1);
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('gridcell', { name: 'Cut while adding' })).toHaveCount(0);
  await page.goto('about:blank');
  await line.stop();
});

test('[PEND-17] a push whose answer was lost on a cut line is one push, followed to its end', async ({
  page,
  product,
  api,
}) => {
  const line = await startFaultProxy(portOf(product.base));
  const base = `http://127.0.0.1:${line.port}`;
  const pushes = async () =>
    await api.get(
      `${apiPath('customers')}/pushes?limit=1`,
      z.object({ resources: z.array(z.looseObject({ succeeded: z.number() })), total: z.number() }),
    );
  const before = await pushes();
  await loginPage(page, base);
  await openTable(page, base, 'customers');
  await (await cell(page, 4, 'Name')).click();
  await page.keyboard.type('Cut while pushing');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Push 1 change/ }).click();
  line.cutNextAnswer(/POST [^ ]*customers\/push/, 'answered');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Push 1 change/ })
    .click();
  await expect(page.getByRole('button', { name: /^Push/ })).toBeDisabled();
  await expect(await cell(page, 4, 'Name')).toHaveText('Cut while pushing');
  await expect(page.getByText('Cannot reach the server')).toHaveCount(0);
  const after = await pushes();
  expect(after.total).toBe(before.total + 1);
  expect(after.resources[0]).toMatchObject({ succeeded: 1 });
  await page.goto('about:blank');
  await line.stop();
});

test('the browser asks before a page is closed while an edit is on its way, and not when it has arrived', async ({
  page,
  product,
}) => {
  const line = await startSlowProxy(portOf(product.base));
  const base = `http://127.0.0.1:${line.port}`;
  await loginPage(page, base);
  await openTable(page, base, 'customers');
  const name = await cell(page, 3, 'Name');
  await name.click();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  line.setRate(100);
  await page.keyboard.type('On its way');
  await page.keyboard.press('Enter');
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toEqual(['beforeunload']);
  await line.stop();

  const next = await page.context().newPage();
  await openTable(next, product.base, 'customers');
  next.on('dialog', (dialog) => {
    asked.push('again');
    void dialog.accept();
  });
  await (await cell(next, 3, 'Name')).click();
  await next.keyboard.type('Arrived');
  await next.keyboard.press('Enter');
  await expect(next.locator('.sg .is-saving')).toHaveCount(0);
  const closed = next.waitForEvent('close');
  await next.close({ runBeforeUnload: true });
  await closed;
  expect(asked).toEqual(['beforeunload']);
});

test('a value that could not be saved is asked about before another screen takes its place', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 4, 'Name')).click();
  await page.context().setOffline(true);
  await page.keyboard.type('Not saved');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Not saved: /).first()).toBeVisible();
  await page.context().setOffline(false);
  await page.getByRole('banner').getByRole('link', { name: 'Dashboard', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await expect(question).toContainText('1 value in this table could not be saved.');
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(await cell(page, 4, 'Name')).toHaveText('Not saved');
  await page.getByRole('banner').getByRole('link', { name: 'Dashboard', exact: true }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/dashboard/);
  await page.goto(`${product.base}/data/${levels}/customers`);
});
