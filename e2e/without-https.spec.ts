import type { Browser, Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { findChromium } from '@sluice/testing';
import { cell, discardAll, openTable, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';

// A colleague's PC in a network without certificates: the page comes by http from another machine's name, and the
// browser keeps from it what it gives to pages over https and from the machine itself.
const name = 'sluice.test';
let browser: Browser;
let page: Page;
let base: string;

test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  const found = await findChromium();
  browser = await chromium.launch({
    executablePath: found.executablePath,
    args: [...found.args, `--host-resolver-rules=MAP ${name} 127.0.0.1`],
    env: { ...process.env, ...found.env } as Record<string, string>,
  });
  base = product.base.replace('127.0.0.1', name);
});
test.afterAll(async () => await browser?.close());
test.beforeEach(async ({ product }) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  page = await context.newPage();
  await loginPage(page, product.base);
  await context.addCookies(
    (await context.cookies()).map(({ domain: _, ...cookie }) => ({ ...cookie, domain: name })),
  );
  await openTable(page, base, 'customers');
  expect(await page.evaluate('isSecureContext')).toBe(false);
});
test.afterEach(async ({ api }) => {
  await page.context().close();
  await discardAll(api, 'customers');
});

test('[GRID-11] [GRID-13] [PEND-17] a cell is changed, a row is added and both are pushed', async () => {
  await page.getByRole('button', { name: 'Add 1 row' }).click();
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.type('New without https');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 new')).toBeVisible();
  await (await cell(page, 3, 'Name')).click();
  await page.keyboard.type('Changed without https');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Push 1 change/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Push 1 change/ })
    .click();
  await expect(page.getByText('1 changed')).toHaveCount(0);
  await expect(await cell(page, 3, 'Name')).toHaveText('Changed without https');
  await expect(page.getByText('1 new')).toBeVisible();
});

test('[CLIP-01] cells are copied and pasted by the keys and copied from the menu; pasting from the menu names the keys', async () => {
  const value = (await (await cell(page, 2, 'Name')).innerText()).trim();
  await (await cell(page, 2, 'Name')).click();
  await page.keyboard.press('Control+c');
  await (await cell(page, 5, 'Name')).click();
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 5, 'Name')).toHaveText(value);

  await (await cell(page, 3, 'Name')).click({ button: 'right' });
  const other = (await (await cell(page, 3, 'Name')).innerText()).trim();
  await page.getByRole('menuitem', { name: /^Copy/ }).first().click();
  await (await cell(page, 6, 'Name')).click();
  await page.keyboard.press('Control+v');
  await expect(await cell(page, 6, 'Name')).toHaveText(other);

  await (await cell(page, 7, 'Name')).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Paste/ }).click();
  await expect(page.getByText('press Ctrl+V').first()).toBeVisible();
});
