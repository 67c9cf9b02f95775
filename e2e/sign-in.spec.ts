import type { Page } from '@playwright/test';
import { loginApi, testPassword } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { endSession, logIn } from './support/sign-in.ts';
import { cell, discardAll, levels, openTable, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  await addUser(product.home, { username: 'ben', fullName: 'Ben Visser', isSuperuser: true });
});
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

const anonymous = async (page: Page): Promise<void> => await page.context().clearCookies();

test('[AUTH-01] [AUTH-03] [AUTH-05] [AUTH-09] [AUTH-10] [ROUTE-02] [ROUTE-05] [ROUTE-34] after log in one is where one wanted to be, and never elsewhere', async ({
  page,
  product,
}) => {
  await anonymous(page);
  await page.goto(`${product.base}/connectors?x=1#y`);
  await expect(page).toHaveURL(/\/login\?redirect=%2Fconnectors%3Fx%3D1/);
  await expect(page.getByRole('link', { name: 'Forgot password' })).toBeVisible();
  await logIn(page);
  await expect(page).toHaveURL(/\/connectors\?x=1/);
  // Who is logged in is sent home.
  await page.goto(`${product.base}/login`);
  await expect(page).toHaveURL(/\/dashboard/);
  for (const wanted of ['//evil.example', 'https://evil.example', '/\\evil.example', '/login?redirect=/x']) {
    await anonymous(page);
    await page.goto(`${product.base}/login?redirect=${encodeURIComponent(wanted)}`);
    await logIn(page);
    await expect(page).toHaveURL(`${product.base}/dashboard`);
  }
  await page.goto(`${product.base}/connectors`);
  await page.goto(`${product.base}/redirect?to=${encodeURIComponent('/manage/users?a=b')}`);
  await expect(page).toHaveURL(`${product.base}/manage/users?a=b`);
  await page.goBack();
  await expect(page).toHaveURL(`${product.base}/connectors`);
  await page.goto(`${product.base}/redirect?to=${encodeURIComponent('//evil.example')}`);
  await expect(page).toHaveURL(/\/dashboard/);
});

const preferencesSchema = z.object({
  language: z.string(),
  options: z.object({ formats: z.object({ numberFormat: z.string() }) }),
});

for (const { locale, picked, language, numberFormat, sample } of [
  { locale: 'en-GB', picked: null, language: 'NL', numberFormat: 'commaSeparated', sample: '1,234,567.89' },
  { locale: 'de-CH', picked: null, language: 'NL', numberFormat: 'gsw-CH', sample: '1’234’567.89' },
  {
    locale: 'nl-NL',
    picked: 'English',
    language: 'EN',
    numberFormat: 'dotSeparated',
    sample: '1.234.567,89',
  },
]) {
  test(`[FMT-03] [FMT-04] [FMT-05] [I18N-02] at the first log in with ${locale}, ${picked ?? 'no language'} chosen before, numbers and language are kept as expected`, async ({
    browser,
    product,
  }) => {
    const username = `new-${locale}`;
    await addUser(product.home, { username, fullName: `New of ${locale}`, isSuperuser: true });
    const context = await browser.newContext({ locale });
    const page = await context.newPage();
    const patches: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') patches.push(request.postData() ?? '');
    });
    await page.goto(`${product.base}/login?redirect=${encodeURIComponent('/settings/language-and-region')}`);
    if (picked !== null) await page.getByRole('button', { name: picked }).click();
    // The words are those of the language that the page has.
    await page.locator('[autocomplete=username]').fill(username);
    await page.locator('input[type=password]').fill(testPassword);
    expect(patches).toEqual([]);
    await page.keyboard.press('Enter');
    await expect(page.locator('.set-sample')).toContainText(sample);
    await expect(page.locator('html')).toHaveAttribute('lang', language.toLowerCase());
    const api = await loginApi(product.base, username, testPassword);
    const kept = async () => await api.get('/api/v1/user/userprefs', preferencesSchema);
    await expect.poll(kept).toEqual({ language, options: { formats: { numberFormat } } });

    // What he chooses himself is not decided a second time.
    await page.getByRole('radio', { name: /1 234 567,89/ }).check();
    await expect.poll(kept).toEqual({ language, options: { formats: { numberFormat: 'si-style-FR' } } });
    await page.reload();
    await expect(page.locator('.set-sample')).toContainText(/1\s234\s567,89/);
    await context.close();
  });
}

test('[AUTH-04] [SESS-12] the first write after log in carries the token, and language and calls are at once those of the user', async ({
  page,
  product,
}) => {
  await anonymous(page);
  await page.goto(`${product.base}/login`);
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  await logIn(page, 'ben');
  await expect(page.getByRole('button', { name: 'Gegevens' })).toBeVisible();
  const write = page.waitForRequest(
    (request) => request.method() === 'PATCH' && request.url().endsWith('/userprefs'),
  );
  await page.keyboard.press('Alt');
  const headers = await (await write).allHeaders();
  const csrf = (await page.context().cookies()).find(({ name }) => name === 'csrf-token')?.value;
  expect(headers['x-csrf-token']).toBe(csrf);
  expect(headers['cookie']).toContain('sluice-session=');
  expect([...hosts]).toEqual([new URL(product.base).host]);
});

test('[AUTH-07] [AUTH-08] a wrong pair and a failing server are told on the form', async ({
  page,
  product,
}) => {
  await anonymous(page);
  await page.goto(`${product.base}/login`);
  await logIn(page, 'admin', 'wrong');
  await expect(page.getByText('Invalid username or password.')).toBeVisible();
  await page.route('**/api/v1/auth/login', (route) => route.fulfill({ status: 500, body: 'gone' }));
  await logIn(page);
  await expect(page.getByText('Server error. Please try again later.')).toBeVisible();
  await expectNoViolations(page, 'failed login');
});

test('[AUTH-06] [AUTH-22] tabs are in step: a log in lets both in, a log out takes both out', async ({
  page,
  product,
}) => {
  await anonymous(page);
  const other = await page.context().newPage();
  await page.goto(`${product.base}/login`);
  await other.goto(`${product.base}/login?redirect=/connectors`);
  await logIn(page);
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(other).toHaveURL(/\/connectors/);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect(other).toHaveURL(/\/login\?redirect=%2Fconnectors/, { timeout: 1000 });
  await expect(other.getByText('You are logged out.')).toBeVisible();
});

test('[AUTH-18] [AUTH-19] [AUTH-20] log out works when the call fails, and says where one was', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/connectors`);
  await page.route('**/api/v1/auth/logout', (route) => route.abort());
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login\?redirect=%2Fconnectors$/);
  await expect(page.getByText('Error')).toHaveCount(0);
});

test('[AUTH-21] [AUTH-23] [SESS-09] [SESS-11] a session that ended on the server: log in again, and the half-filled form and the typed cell are back, for the same user only', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/data/${levels}/customers/3/edit`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Half a name');
  await endSession(page.context(), product.base);
  await expect(page).toHaveURL(/\/login\?redirect=.*customers.*cause=sessionExpired/);
  const dialog = page.getByRole('dialog', { name: 'Session Expired' });
  await expect(dialog).toBeVisible();
  await expectNoViolations(page, 'session expired');
  await dialog.getByRole('button', { name: 'Log in again' }).click();

  // Somebody else in between sees nothing of it.
  await logIn(page, 'ben');
  await expect(page).toHaveURL(/customers\/3\/edit/);
  await expect(page.getByRole('textbox', { name: /^(Name|Naam)$/ })).not.toHaveValue('Half a name');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: /Log out|Uitloggen/ }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.goto(`${product.base}/login?redirect=/data/${levels}/customers/3/edit`);
  await page.getByRole('button', { name: 'English' }).click();
  await logIn(page);
  await expect(name).toHaveValue('Half a name');
  await expect(page.locator('.toasts')).toContainText('The unfinished work of your last session is back.');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();

  await openTable(page, product.base, 'customers');
  await (await cell(page, 5, 'Name')).click();
  await page.keyboard.type('Half a cell');
  await endSession(page.context(), product.base);
  await page.getByRole('dialog', { name: 'Session Expired' }).getByRole('button').click();
  await logIn(page);
  await expect(page.locator('.sg-editor.is-editing textarea')).toHaveValue('Half a cell');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 5, 'Name')).toHaveText('Half a cell');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
});

/** An answer that comes late would begin the hour of the session anew: nothing has been asked for a second. */
async function atRest(page: Page): Promise<void> {
  let last = Date.now();
  const note = (): void => {
    last = Date.now();
  };
  page.on('request', note).on('response', note);
  await expect.poll(() => Date.now() - last).toBeGreaterThan(1000);
  page.off('request', note).off('response', note);
}

/** Time passes with somebody there: the question after inactivity does not come. */
async function stay(page: Page): Promise<void> {
  await atRest(page);
  for (let minute = 0; minute < 54; minute += 9) {
    await page.keyboard.press('Shift');
    await page.clock.fastForward('09:00');
  }
  await page.keyboard.press('Shift');
}

test('[SESS-07] [SESS-08] the warning before the end logs out when asked to, and at zero by itself', async ({
  page,
  product,
}) => {
  await page.clock.install();
  await page.goto(`${product.base}/manage/roles`);
  const heading = page.getByRole('heading', { name: 'Roles', exact: true });
  const warning = page.getByRole('dialog', { name: /Your session ends in 4:/ });
  await expect(heading).toBeVisible();
  await stay(page);
  await page.clock.fastForward('01:30');
  await warning.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/\/login\?redirect=%2Fmanage%2Froles$/);
  await logIn(page);
  await expect(heading).toBeVisible();
  await stay(page);
  await page.clock.fastForward('01:30');
  await expect(warning).toBeVisible();
  await page.clock.fastForward('04:40');
  await expect(page).toHaveURL(/\/login\?redirect=%2Fmanage%2Froles&cause=sessionExpired/);
});

test('[SESS-02] without the header an hour is assumed: the warning comes after 55 minutes', async ({
  page,
  product,
}) => {
  await page.route('**/api/**', async (route) => {
    const answer = await route.fetch();
    const { 'x-session-expires-at': _, ...headers } = answer.headers();
    await route.fulfill({ response: answer, headers });
  });
  await page.clock.install();
  await page.goto(`${product.base}/manage/roles`);
  await expect(page.getByRole('heading', { name: 'Roles', exact: true })).toBeVisible();
  await stay(page);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.clock.fastForward('01:10');
  await expect(page.getByRole('dialog', { name: /Your session ends in 4:/ })).toBeVisible();
});

test('[SESS-10] [SESS-11] nobody there for half an hour: a question, an answer in either tab, and at its end the log-in page', async ({
  page,
  product,
}) => {
  await page.clock.install();
  await page.goto(`${product.base}/connectors`);
  await expect(page.getByRole('heading', { name: 'Connectors', exact: true })).toBeVisible();
  await page.keyboard.press('Shift');
  await page.clock.fastForward('29:00');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Shift');
  await page.clock.fastForward('29:30');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.clock.fastForward('00:35');
  const question = page.getByRole('dialog', { name: 'Are you still there?' });
  await expect(question).toContainText('You are logged out in 0:5');
  await expectNoViolations(page, 'inactivity');
  await question.getByRole('button', { name: 'Stay logged in' }).click();
  await expect(question).toHaveCount(0);
  await page.clock.fastForward('30:05');
  await expect(question).toBeVisible();
  await page.clock.fastForward('01:02');
  await expect(page).toHaveURL(/\/login\?redirect=%2Fconnectors&cause=sessionExpired/);
});

test('the own password is changed, and a second factor set up, asked for and switched off', async ({
  browser,
  product,
}) => {
  await addUser(product.home, { username: 'sofie', fullName: 'Sofie Smit', isSuperuser: false });
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  const api = await loginPage(page, product.base, 'sofie');
  await api.call('PATCH', '/api/v1/user/userprefs', [{ op: 'replace', path: 'language', value: 'EN' }]);
  await page.goto(`${product.base}/dashboard`);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Password and Sign-In' }).click();
  await expectNoViolations(page, 'account');
  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password', { exact: true }).fill('another long password');
  await page.getByLabel('New password, once more').fill('another long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('This is not your password')).toBeVisible();
  await page.getByLabel('Current password').fill(testPassword);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('The password is changed.')).toBeVisible();

  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill('another long password');
  await page.getByRole('dialog').getByRole('button', { name: 'Go on' }).click();
  const setUp = page.getByRole('dialog', { name: 'Set up a second factor' });
  await expect(setUp.getByRole('img', { name: 'QR code' })).toBeVisible();
  await expectNoViolations(page, 'second factor');
  await setUp.getByLabel('Code').fill('000000');
  await setUp.getByRole('button', { name: 'Switch it on' }).click();
  await expect(setUp.getByText('This code is not right.')).toBeVisible();
  const secret = (await setUp.getByLabel('Secret').inputValue()).replaceAll(' ', '');
  await setUp.getByLabel('Code').fill(await codeNow(secret));
  await setUp.getByRole('button', { name: 'Switch it on' }).click();
  const codes = page.getByRole('dialog', { name: 'Keep Your Recovery Codes' });
  await expect(codes.getByRole('listitem')).toHaveCount(10);
  const [code = ''] = await codes.getByRole('listitem').allInnerTexts();
  await expectNoViolations(page, 'recovery codes');
  await codes.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByText('10 recovery codes are left.')).toBeVisible();

  await page.context().clearCookies();
  await page.goto(`${product.base}/login`);
  await logIn(page, 'sofie', 'another long password');
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByText('This code is not right.')).toBeVisible();
  await expectNoViolations(page, 'code');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goto(`${product.base}/account`);
  await expect(page.getByText('9 recovery codes are left.')).toBeVisible();
  await page.context().close();
});

/** What an authenticator app shows: RFC 6238 over RFC 4648. */
async function codeNow(secret: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}
