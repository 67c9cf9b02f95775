import type { Page } from '@playwright/test';
import { startGateway } from '@sluice/testing';
import { expectNoViolations } from './support/axe.ts';
import { cell, discardAll, levels, openTable, prepare, setPreference } from './support/table.ts';
import { expect, helpUrl, loginPage, test } from './support/test.ts';
import { addUser, renameUser } from './support/users.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  await addUser(product.home, {
    username: 'rita',
    fullName: 'Rita Reader',
    isSuperuser: false,
    readsOnly: ['customers'],
  });
});
test.afterEach(async ({ api }) => await setPreference(api, 'language', 'EN'));

const menu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });
const dataMenu = (page: Page) => page.getByRole('navigation', { name: 'Data', exact: true });
/** Away from everything that opens by hovering. */
const aside = async (page: Page): Promise<void> => await page.mouse.move(700, 600);

test('[NAV-01] [NAV-02] each screen has its name and the site in the title, and the site describes itself in a line', async ({
  page,
  product,
}) => {
  for (const [path, title] of [
    ['dashboard', 'Dashboard'],
    [`data/${levels}/customers`, 'Customers'],
    ['settings/notifications', 'Notifications'],
    ['connectors', 'Connectors'],
    ['nope', 'Error 404'],
  ] as const) {
    await page.goto(`${product.base}/${path}`);
    await expect(page).toHaveTitle(`${title} - Sluice`);
  }
  const description = await page.locator('meta[name=description]').getAttribute('content');
  for (const word of ['streamlines data', 'in bulk', 'connect other systems'])
    expect(description).toContain(word);
});

test('[NAV-06] [MENU-10] an item with children opens a dropdown, by a click and by hovering for 100 ms; one without is a link', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/dashboard`);
  await aside(page);
  await menu(page).getByRole('button', { name: 'Data' }).click();
  await expect(dataMenu(page)).toBeVisible();
  await expectNoViolations(page, 'data menu');
  await page.keyboard.press('Escape');
  await expect(dataMenu(page)).toHaveCount(0);
  await expect(menu(page).getByRole('button', { name: 'Data' })).toBeFocused();

  await aside(page);
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await menu(page).getByRole('button', { name: 'Data' }).hover();
  await page.clock.runFor(80);
  expect(await dataMenu(page).count()).toBe(0);
  await page.clock.resume();
  await expect(dataMenu(page)).toBeVisible();
  await aside(page);
  await expect(dataMenu(page)).toHaveCount(0);
  await menu(page).getByRole('link', { name: 'Connectors' }).click();
  await expect(page).toHaveURL(`${product.base}/connectors`);
});

test('[NAV-08] [NAV-09] [NAV-11] the tables stand in as many columns as the height takes; the dropdown keeps within 92 % of it and within the window', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/dashboard`);
  const columns = async (height: number): Promise<number> => {
    await page.setViewportSize({ width: 1440, height });
    return await page.locator('.mega-col').count();
  };
  await menu(page).getByRole('button', { name: 'Data' }).click();
  await expect(page.locator('.mega-col').first()).toBeVisible();
  const high = await columns(900);
  await expect.poll(async () => await columns(420)).toBeGreaterThan(high);
  const nav = await page.locator('header.nav').boundingBox();
  expect(nav?.height).toBe(52);
  const box = await dataMenu(page).boundingBox();
  expect((box?.height ?? 0) + 52).toBeLessThanOrEqual(420 * 0.92 + 1);
  await page.setViewportSize({ width: 620, height: 420 });
  await expect(async () => {
    const narrow = await page.locator('.mantine-Popover-dropdown').boundingBox();
    expect(narrow?.x ?? -1).toBeGreaterThanOrEqual(0);
    expect((narrow?.x ?? 0) + (narrow?.width ?? 0)).toBeLessThanOrEqual(620);
  }).toPass();
});

test('[KEY-19] [KEY-20] [KEY-21] [MENU-08] keys act in an open menu only; arrows and letters go to its links, the mouse takes over, Escape goes back to the item', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/dashboard`);
  await aside(page);
  const data = menu(page).getByRole('button', { name: 'Data' });
  await page.keyboard.press('ArrowDown');
  await expect(dataMenu(page)).toHaveCount(0);
  await data.focus();
  await page.keyboard.press('ArrowDown');
  const link = (name: string) => dataMenu(page).getByRole('link', { name, exact: true });
  await expect(link('Attribute Values')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(link('Attributes')).toBeFocused();
  await page.keyboard.press('c');
  await page.keyboard.press('u');
  await expect(link('Customers')).toBeFocused();
  await page.keyboard.press('End');
  await expect(dataMenu(page).getByRole('link').last()).toBeFocused();
  await expect(dataMenu(page)).toHaveAttribute('data-mode', 'keyboard');
  await page.mouse.move(710, 610);
  await page.mouse.move(720, 620);
  await expect(dataMenu(page)).toHaveAttribute('data-mode', 'mouse');
  await expect(dataMenu(page).locator('a:focus')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(dataMenu(page)).toHaveCount(0);
  await expect(data).toBeFocused();

  // What is typed into a field is no key of a menu that the mouse has opened.
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Find', exact: false }).first().click();
  const field = page.getByRole('search').getByRole('textbox').first();
  await field.focus();
  await data.hover();
  await expect(dataMenu(page)).toBeVisible();
  await page.keyboard.type('cu');
  await expect(field).toHaveValue('cu');
  await expect(dataMenu(page).locator('a:focus')).toHaveCount(0);
});

test('[KEY-22] an open dropdown has the keys for itself: the table below selects nothing', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 2, 'Name')).click();
  await menu(page).getByRole('button', { name: 'Manage' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+/');
  await expect(page.getByRole('dialog', { name: 'Keyboard Shortcuts' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.locator('.foot')).not.toContainText('selected');
  await page.keyboard.press('Control+/');
  await expect(page.getByRole('dialog', { name: 'Keyboard Shortcuts' })).toBeVisible();
});

test('[KEY-22] Escape closes a dropdown also in the moment before it takes the focus, which its button keeps', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/dashboard`);
  const button = page.getByRole('button', { name: 'Help' });
  await button.focus();
  // As soon as it is drawn: whoever types fast is not slower than the menu.
  await page.evaluate(`(async () => {
    document.activeElement.click();
    await Promise.resolve();
    const escape = { key: 'Escape', bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', escape));
  })()`);
  await expect(page.getByRole('menuitem', { name: /Keyboard shortcuts/ })).toBeHidden();
  await expect(button).toBeFocused();
  await expect(button).toHaveAttribute('aria-expanded', 'false');
});

test('[KEY-18] the list of shortcuts names every one of them', async ({ page, product }) => {
  await page.goto(`${product.base}/dashboard`);
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('menuitem', { name: /Keyboard shortcuts/ }).click();
  const list = page.getByRole('dialog', { name: 'Keyboard Shortcuts' });
  await expect(list).toBeVisible();
  const text = (await list.innerText()).replaceAll(/\s+/g, ' ');
  for (const line of [
    'Undo Ctrl Z',
    'Redo Ctrl Y',
    'Show these shortcuts Ctrl /',
    'Open help Shift F1',
    'Help menu F1',
    'Find Ctrl F',
    'Edit the cell F2',
    'Context menu Shift F10',
    'Cut Ctrl X',
    'Copy Ctrl C',
    'Paste Ctrl V',
    'Select all Ctrl A',
    'Select the row Shift Space',
    'Select the column Ctrl K',
    'Empty the selection Backspace',
    'Leave the table Ctrl Alt Shift M',
  ])
    expect(text).toContain(line);
  await expectNoViolations(page, 'shortcuts');
});

test('[NAV-04] [NAV-21] [NAV-22] [MENU-12] [ROUTE-35] systems are asked for before the menu, once; a cut line is told in the navbar, a refusal on the whole screen', async ({
  page,
  product,
}) => {
  const gateway = await startGateway(product.base);
  await loginPage(page, gateway.url);
  gateway.answer('/api/v1/user/menu', { status: 502 });
  await page.goto(`${gateway.url}/dashboard`);
  await expect(page.getByLabel('Loading').first()).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Error loading navigation', { timeout: 30_000 });
  gateway.answer('/api/v1/user/menu', null);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(menu(page).getByRole('button', { name: 'Data' })).toBeVisible();

  const before = gateway.requests.length;
  const answer = await page.goto(`${gateway.url}/settings`);
  // The systems come with the page itself.
  expect(await answer?.text()).toContain(
    '"url":"/api/v1/user/external-systems?limit=-1&offset=0","status":200',
  );
  for (const name of ['Connectors', 'Dashboard', 'Connectors'])
    await menu(page).getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { name: 'Connectors', exact: true })).toBeVisible();
  const calls = gateway.requests
    .slice(before)
    .map((line) => /user\/(menu|external-systems)/.exec(line)?.[1])
    .filter(Boolean);
  expect(calls).toEqual(['menu']);

  gateway.answer('/api/v1/user/menu', { status: 200, body: { message: 'The menu is being mended.' } });
  await page.goto(`${gateway.url}/connectors`);
  await expect(page.getByRole('main')).toContainText('The menu is being mended.');
  await gateway.stop();
});

test('[ROUTE-02] [ROUTE-33] [ROUTE-36] ways to the dashboard: a redirect that Back does not return to, an unknown system, a screen without the right', async ({
  page,
  browser,
  product,
}) => {
  await page.goto(`${product.base}/connectors`);
  await page.goto(`${product.base}/redirect?to=${encodeURIComponent('/settings/notifications')}`);
  await expect(page).toHaveURL(`${product.base}/settings/notifications`);
  await page.goBack();
  await expect(page).toHaveURL(`${product.base}/connectors`);
  await page.goto(`${product.base}/dashboard/nope`);
  await expect(page.getByRole('button', { name: /External system: Sandbox ERP/ })).toBeVisible();

  const rita = await (await browser.newContext()).newPage();
  await setPreference(await loginPage(rita, product.base, 'rita'), 'language', 'EN');
  await rita.goto(`${product.base}/connectors`);
  await expect(rita).toHaveURL(/\/dashboard/);
  await expect(rita.getByText('You have no access to Connectors.')).toBeVisible();
  await rita.context().close();
});

test('[NAV-20] the help menu leads to the help pages, in a tab of their own that knows nothing of this one', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/settings`);
  await page.getByRole('button', { name: 'Help' }).click();
  for (const [name, href] of [
    [/^Help with this page/, `${helpUrl}/settings`],
    [/^Help center/, helpUrl],
  ] as const) {
    const link = page.getByRole('menuitem', { name });
    await expect(link).toHaveAttribute('href', href);
    await expect(link).toHaveAttribute('target', '_blank');
    await expect(link).toHaveAttribute('rel', /noopener/);
  }
});

test('[NAV-15] [NAV-17] [ROUTE-05] the account menu tells superusers from users; who is not logged in gets to the log-in from an error page', async ({
  page,
  browser,
  product,
}) => {
  const rita = await (await browser.newContext()).newPage();
  await setPreference(await loginPage(rita, product.base, 'rita'), 'language', 'EN');
  for (const [who, label] of [
    [page, 'Superuser'],
    [rita, 'User'],
  ] as const) {
    await who.goto(`${product.base}/dashboard`);
    await who.getByRole('button', { name: /^Account/ }).click();
    await expect(who.getByText(new RegExp(`· ${label}$`))).toBeVisible();
  }
  await rita.context().clearCookies();
  await rita.goto(`${product.base}/nope`);
  await rita.getByRole('button', { name: 'Log in' }).click();
  await expect(rita).toHaveURL(/\/login/);
  await expect(rita.getByRole('textbox', { name: 'Username' })).toBeVisible();
  await rita.context().close();
});

test('[NAV-14] the account menu names the username, else the name at the identity provider, else the e-mail', async ({
  browser,
  product,
}) => {
  await addUser(product.home, { username: 'nora', fullName: 'Nora Naam', isSuperuser: true });
  const nora = await (await browser.newContext()).newPage();
  await setPreference(await loginPage(nora, product.base, 'nora'), 'language', 'EN');
  const [identityProviderUsername, email] = ['nora@idp', 'nora@example.org'];
  for (const [names, shown] of [
    [{ username: 'nora', identityProviderUsername, email }, 'nora'],
    [{ username: null, identityProviderUsername, email }, 'nora@idp'],
    [{ username: null, identityProviderUsername: null, email }, 'nora@example.org'],
  ] as const) {
    await renameUser(product.home, 'Nora Naam', names);
    await nora.goto(`${product.base}/dashboard`);
    await nora.getByRole('button', { name: /^Account/ }).click();
    await expect(nora.getByText(`Nora Naam · ${shown} · Superuser`, { exact: true })).toBeVisible();
  }
  await nora.context().close();
});

test('[CONST-05] brand and warning colours are tokens, in both themes, with enough contrast', async ({
  page,
  product,
}) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openTable(page, product.base, 'customers');
    const token = async (name: string): Promise<string> =>
      String(
        await page.evaluate(
          `(() => { const probe = document.createElement('i'); probe.style.color = 'var(${name})';
             document.body.append(probe); const { color } = getComputedStyle(probe); probe.remove(); return color; })()`,
        ),
      );
    await expect(page.locator('.logo')).toHaveCSS('color', await token('--brand'));
    await expect(page.locator('.nav .prod')).toHaveCSS('background-color', await token('--prod'));
    await expectNoViolations(page, `brand and warning, ${colorScheme}`);
  }
});

test('[OVER-01] [OVER-02] a dialog closes the dropdown below it; the shortcuts over a dialog close first', async ({
  page,
  product,
}) => {
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('menuitem', { name: /Keyboard shortcuts/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(page.getByRole('menu')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('[OVER-03] push, discard, batch edit and delete each ask in a dialog of their own', async ({
  page,
  product,
  api,
}) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.type('To be asked about');
  await page.keyboard.press('Enter');
  const ways = [
    ['Push 1 change', 'Review Before Push'],
    ['Discard', 'Discard Changes'],
    ['Batch edit', 'Edit 1 Record'],
  ] as const;
  for (const [button, title] of ways) {
    await (await cell(page, 3, 'Name')).click();
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByRole('dialog', { name: title })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: /^Delete/ }).click();
  await expect(page.getByRole('dialog', { name: /^Delete 1 Record/ })).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await discardAll(api, 'customers');
});
