import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { type Api, tableOf } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { makeAction, openEditor } from './support/mapping.ts';
import { apiPath, cell, discardAll, openTable, prepare, setPreference } from './support/table.ts';
import { logIn } from './support/sign-in.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  await addUser(product.home, { username: 'ben', fullName: 'Ben Visser', isSuperuser: true });
});
test.afterEach(async ({ api }) => {
  await discardAll(api, 'customers');
  await setPreference(api, 'language', 'EN');
  await setPreference(api, 'options/notifications', {});
});

const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Notifications' });
const cards = (page: Page) => page.locator('.alert-card');

/** Ben discards changes of the administrator, one record at a time: a notification each. */
async function discardByBen(page: Page, base: string, api: Api, count: number): Promise<void> {
  const table = tableOf(api, apiPath('customers'));
  const records = await table.find(`limit=${count}&offset=90`);
  await table.patch(records.map(({ internalId }) => ({ id: internalId, changes: { paymentTermDays: 77 } })));
  const context = await page.context().browser()?.newContext();
  const ben = await loginPage(await context!.newPage(), base, 'ben');
  for (const { internalId } of records)
    await ben.send(
      'DELETE',
      `${table.path}/push`,
      { insert: [], update: [internalId], delete: [] },
      z.unknown(),
    );
  await context?.close();
}

/** With the panel open: what other tests were told in the last day is sent again to a new page. */
async function clearAll(page: Page): Promise<void> {
  await expect(panel(page)).toBeVisible();
  const clear = panel(page).getByRole('button', { name: 'Clear all' });
  if (await clear.isEnabled()) await clear.click();
  await expect(panel(page)).toContainText('All clear!');
}

test('[NOTIF-09] [NOTIF-11] [NOTIF-13] three at once are stacked, go by themselves after 6 s, and stay in the panel; hovering keeps one', async ({
  page,
  product,
  api,
}) => {
  await page.clock.install();
  await openTable(page, product.base, 'customers');
  await bell(page).click();
  await clearAll(page);
  await page.keyboard.press('Escape');
  await discardByBen(page, product.base, api, 3);
  await expect(cards(page)).toHaveCount(3);
  const tops = await cards(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(3);
  await cards(page).first().hover();
  await page.clock.runFor(6100);
  await expect(cards(page)).toHaveCount(1);
  await page.mouse.move(5, 300);
  await page.clock.runFor(4500);
  await expect(cards(page)).toHaveCount(1);
  await page.clock.runFor(1600);
  await expect(cards(page)).toHaveCount(0);
  await bell(page).click();
  await expect(panel(page).getByRole('listitem')).toHaveCount(3);
});

test('[NOTIF-05] [NOTIF-12] a push shows its bar, and is gone 4 s after its end; its results are one click away', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  const table = tableOf(api, apiPath('customers'));
  const records = await table.find('limit=2&offset=95');
  await table.patch(
    records.map(({ internalId }, i) => ({
      id: internalId,
      changes: i === 0 ? { paymentTermDays: 13 } : { priceList: 'PL99' },
    })),
  );
  await page.clock.install();
  await table.pushAll();
  await expect(cards(page)).toContainText('1 pushed, 1 rejected');
  // The clock goes on by itself as well: what is left of the 4 s is for a slow machine to get here.
  await page.clock.runFor(1000);
  await expect(cards(page)).toHaveCount(1);
  await page.clock.runFor(3100);
  await expect(cards(page)).toHaveCount(0);
  await bell(page).click();
  await panel(page).getByRole('button', { name: 'Results' }).first().click();
  await expect(page.getByRole('dialog')).toContainText('PL99');
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/push=/);
});

test('[NOTIF-04] [NOTIF-06] [NOTIF-07] [NOTIF-08] tabs count what is in them, Clear all empties, Escape and a click outside close', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  await bell(page).click();
  await clearAll(page);
  await expect(panel(page)).toContainText("All clear! You don't have any notifications right now.");
  await page.keyboard.press('Escape');
  await expect(panel(page)).toHaveCount(0);
  await discardByBen(page, product.base, api, 2);
  await expect(page.getByRole('button', { name: 'Notifications, 2 unread' })).toBeVisible();
  const table = tableOf(api, apiPath('customers'));
  const [record] = await table.find('limit=1&offset=97');
  await table.patch([{ id: record!.internalId, changes: { paymentTermDays: 14 } }]);
  await table.pushAll();
  await bell(page).click();
  const tab = (name: RegExp) => panel(page).getByRole('tab', { name });
  await expect(tab(/^All/)).toHaveText(/All\s*3/);
  await expect(tab(/^Errors/)).toHaveText(/2$/);
  await expect(tab(/^Logs/)).toHaveText(/1$/);
  await tab(/^Logs/).click();
  await expect(panel(page).getByRole('listitem')).toHaveCount(1);
  await expectNoViolations(page, 'notifications');
  await panel(page).getByRole('button', { name: 'Clear all' }).click();
  await expect(panel(page)).toContainText('All clear!');
  await page.locator('h1').click();
  await expect(panel(page)).toHaveCount(0);
});

async function laterPage(page: Page): Promise<Page> {
  const context = await page
    .context()
    .browser()!
    .newContext({ storageState: await page.context().storageState() });
  return await context.newPage();
}

test('[NOTIF-14] [NOTIF-15] how long ago is said in the right unit, and moves without anybody doing anything', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  await discardByBen(page, product.base, api, 1);
  const newest = (of: Page) => panel(of).locator('.time').first();
  await bell(page).click();
  await expect(newest(page)).toHaveText('just now');
  const now = Date.now();
  const seconds = [
    [61, '1 minute ago'],
    [3601, '1 hour ago'],
    [90_000, '1 day ago'],
  ] as const;
  for (const [after, words] of seconds) {
    // A browser of its own: tabs of one browser share a clock, and tell each other when the session ends.
    const later = await laterPage(page);
    await later.clock.install({ time: now + after * 1000 });
    await later.goto(`${product.base}/dashboard`);
    await bell(later).click();
    await expect(newest(later)).toHaveText(words);
    if (after === 61) {
      await later.clock.runFor(60_000);
      await expect(newest(later)).toHaveText('2 minutes ago');
    }
    await later.context().close();
  }
});

test('a kind that is switched off is not told; one for the panel does not pop up', async ({
  page,
  product,
  api,
}) => {
  await setPreference(api, 'options/notifications', { pendingChangedByOthers: 'panel' });
  await openTable(page, product.base, 'customers');
  await bell(page).click();
  await clearAll(page);
  await discardByBen(page, product.base, api, 1);
  await expect(panel(page).getByRole('listitem')).toHaveCount(1);
  await expect(cards(page)).toHaveCount(0);
  await setPreference(api, 'options/notifications', { pendingChangedByOthers: 'off' });
  await page.reload();
  await expect(page.locator('[role=gridcell]').first()).not.toBeEmpty();
  await bell(page).click();
  await clearAll(page);
  await discardByBen(page, product.base, api, 1);
  const table = tableOf(api, apiPath('customers'));
  const [record] = await table.find('limit=1&offset=98');
  await table.patch([{ id: record!.internalId, changes: { paymentTermDays: 15 } }]);
  await table.pushAll();
  await expect(panel(page).getByRole('listitem')).toHaveCount(1);
  await expect(panel(page)).toContainText('1 change pushed');
});

test('what was cleared stays away when the page is loaded anew; the badge counts what did not pop up too, until the panel is opened', async ({
  page,
  product,
  api,
}) => {
  await setPreference(api, 'options/notifications', { pendingChangedByOthers: 'panel' });
  await openTable(page, product.base, 'customers');
  const unread = (count: number) => page.getByRole('button', { name: `Notifications, ${count} unread` });
  const none = page.getByRole('button', { name: 'Notifications', exact: true });
  /** Until the new socket has sent what it sends at first. */
  const reload = async (): Promise<void> => {
    const told = page.waitForEvent('websocket').then(async (socket) => {
      await socket.waitForEvent('framereceived', ({ payload }) =>
        String(payload).includes('notificationCentre'),
      );
    });
    await page.reload();
    await told;
    await expect(page.locator('[role=gridcell]').first()).not.toBeEmpty();
  };
  await discardByBen(page, product.base, api, 1);
  await bell(page).click();
  await expect(panel(page).getByRole('listitem').first()).toBeVisible();
  await clearAll(page);
  await page.keyboard.press('Escape');
  await reload();
  await expect(none).toBeVisible();
  await bell(page).click();
  await expect(panel(page)).toContainText('All clear!');
  await page.keyboard.press('Escape');

  await discardByBen(page, product.base, api, 1);
  await expect(unread(1)).toBeVisible();
  await expect(cards(page)).toHaveCount(0);
  await reload();
  await expect(unread(1)).toBeVisible();
  await bell(page).click();
  await expect(panel(page).getByRole('listitem')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await reload();
  await expect(none).toBeVisible();
});

test('[NOTIF-16] quick notifications: an error stays for 10 s, another for 6 s', async ({
  page,
  product,
}) => {
  await page.clock.install();
  await openTable(page, product.base, 'customers');
  await page.route('**/cache', async (route) => await route.abort());
  // From here on only the test moves the time, however slow the machine is.
  await page.clock.pauseAt(Date.now() + 5000);
  const quick = page.locator('.toast');
  await page.getByRole('button', { name: /^Read anew from/ }).click();
  await expect(quick).toHaveClass(/error/);
  await page.clock.runFor(9500);
  await expect(quick).toHaveCount(1);
  await page.clock.runFor(600);
  await expect(quick).toHaveCount(0);
  await page.evaluate(`window.dispatchEvent(new Event('offline'))`);
  await expect(quick).toHaveText('Internet connection lost');
  await page.clock.runFor(5500);
  await expect(quick).toHaveCount(1);
  await page.clock.runFor(600);
  await expect(quick).toHaveCount(0);
});

test('[NOTIF-03] quick notifications have five looks: error, warning, information, success and plain', async ({
  page,
  product,
  api,
}) => {
  const quick = (type: string) => page.locator(`.toast.${type}`).last();
  const looks = new Map<string, string>();
  const note = async (type: string, text: string): Promise<void> => {
    await expect(quick(type)).toContainText(text);
    await expect(quick(type)).toHaveRole(type === 'error' ? 'alert' : 'status');
    const look = await page.evaluate<string>(`(() => {
      const card = document.querySelector('.toast.${type}');
      return [card, card.querySelector('.ic')].map((part) => getComputedStyle(part)).map(
        ({ borderLeftColor, color }) => borderLeftColor + color).join();
    })()`);
    looks.set(type, look);
  };
  await openTable(page, product.base, 'customers');
  await page.context().setOffline(true);
  await note('warning', 'Internet connection lost');
  await page.context().setOffline(false);
  await note('success', 'Internet connection restored');
  await page.route('**/cache', async (route) => await route.abort());
  await page.getByRole('button', { name: /^Read anew from/ }).click();
  await note('error', 'cannot be reached');
  await page.unroute('**/cache');
  const name = await cell(page, 1, 'Name');
  await name.click();
  await page.getByRole('button', { name: 'Batch edit' }).click();
  await page
    .getByRole('dialog')
    .getByLabel('New value')
    .fill(await name.innerText());
  await page.getByRole('button', { name: 'Change 1 record' }).click();
  await note('info', 'Nothing changed');
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await page.keyboard.press('Control+z');
  await note('default', 'Nothing to undo');
  expect(new Set(looks.values()).size).toBe(5);
});

/** The page as the browser lays it out at this zoom: that much wider than the window, and as many pixels fewer. */
async function zoomTo(page: Page, zoom: number, screenRatio: number): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setDeviceMetricsOverride', {
    width: Math.round(1440 / zoom),
    height: Math.round(900 / zoom),
    deviceScaleFactor: screenRatio * zoom,
    mobile: false,
  });
}
const zoomWarning = (page: Page) => page.locator('.toast.warning').filter({ hasText: 'below 100%' });

test('[NOTIF-18] a browser zoom below 100 % is warned of, at the start and when it changes, once', async ({
  page,
  product,
}) => {
  await zoomTo(page, 0.8, 1);
  await page.goto(`${product.base}/dashboard`);
  await expect(zoomWarning(page)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('tab').first()).toBeVisible();
  await expect(zoomWarning(page)).toHaveCount(0);

  const other = await page.context().newPage();
  await zoomTo(other, 1, 1);
  await other.goto(`${product.base}/dashboard`);
  await expect(other.getByRole('tab').first()).toBeVisible();
  await expect(zoomWarning(other)).toHaveCount(0);
  await zoomTo(other, 0.8, 1);
  await expect(zoomWarning(other)).toBeVisible();
  await other.close();
});

test('[NOTIF-19] on a fine screen, more than 1.5 pixels to one of the page, nobody is warned of the zoom', async ({
  page,
  product,
}) => {
  await zoomTo(page, 0.8, 2);
  await page.goto(`${product.base}/dashboard`);
  await expect(page.getByRole('tab').first()).toBeVisible();
  await expect(zoomWarning(page)).toHaveCount(0);
  // Told once only: that it is told now shows that it was not before.
  await zoomTo(page, 0.75, 1);
  await expect(zoomWarning(page)).toBeVisible();
});

test('[NOTIF-20] the panel to try notifications is not in what is built for people', () => {
  const folder = path.resolve(import.meta.dirname, '../web/dist/assets');
  const scripts = fs.readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(5);
  for (const name of scripts)
    expect(fs.readFileSync(path.join(folder, name), 'utf8')).not.toContain('Notification test panel');
});

test('[WS-01] the socket is opened by the log-in and closed by the log-out', async ({ page, product }) => {
  let open = 0;
  page.on('websocket', (socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  await page.context().clearCookies();
  await page.goto(`${product.base}/login`);
  await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible();
  expect(open).toBe(0);
  await loginPage(page, product.base);
  await page.goto(`${product.base}/dashboard`);
  await expect.poll(() => open).toBe(1);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/login/);
  await expect.poll(() => open).toBe(0);
});

test('another user of the same tab does not read what the one before was told', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  await discardByBen(page, product.base, api, 1);
  await bell(page).click();
  await expect(panel(page)).toContainText('Ben Visser');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await logIn(page, 'ben');
  await expect(page.getByRole('button', { name: /Ben Visser/ })).toBeVisible();
  const button = page.getByRole('button', { name: /^(Notifications|Meldingen)/ });
  await button.click();
  const other = page.getByRole('complementary', { name: /Notifications|Meldingen/ });
  await expect(other).toBeVisible();
  await expect(other).not.toContainText('Ben Visser');
});
