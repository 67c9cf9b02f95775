import { z } from 'zod';
import { looks, shoot, takeOn } from './support/looks.ts';
import { openTable, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

const preferences = z.object({
  language: z.string(),
  options: z.looseObject({
    preferredName: z.string().nullable(),
    formats: z.looseObject({ shortDate: z.string(), numberFormat: z.string(), fullDate: z.string() }),
    notifications: z.record(z.string(), z.string()),
  }),
});
const formats = { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' };

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));
test.afterEach(async ({ api }) => {
  await setPreference(api, 'language', 'EN');
  await setPreference(api, 'options/formats', formats);
  await setPreference(api, 'options/theme', 'system');
  await setPreference(api, 'options/notifications', {});
});

test('[ROUTE-07] [PREF-10] [NAV-13] [NAV-16] the account menu leads to the settings, which open with the own preferences and have three tabs', async ({
  page,
  product,
  api,
}) => {
  await page.goto(`${product.base}/dashboard`);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await expect(page).toHaveURL(`${product.base}/settings/user-preferences`);
  const tabs = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  await expect(tabs).toHaveText(['User Preferences', 'Language and Region', 'Notifications']);
  const name = page.getByRole('textbox', { name: 'Preferred name' });
  await name.fill('Addie');
  await name.press('Enter');
  await expect(page.getByText('Saved')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Account: Addie' })).toBeVisible();
  const { options } = await api.get('/api/v1/user/userprefs', preferences);
  expect(options.preferredName).toBe('Addie');
  await name.fill('');
  await name.press('Enter');
  await expect(page.getByRole('button', { name: 'Account: Administrator' })).toBeVisible();
});

test('[I18N-03] every date and number format is offered with how it looks; what is chosen is shown at once and kept', async ({
  page,
  product,
  api,
}) => {
  await page.goto(`${product.base}/settings/language-and-region`);
  const sample = page.getByRole('region', { name: 'How it looks' });
  await expect(page.getByRole('group', { name: /^Dates(?! in)/ }).getByRole('radio')).toHaveCount(9);
  await expect(page.getByRole('group', { name: /^Numbers/ }).getByRole('radio')).toHaveCount(5);
  await page.getByRole('radio', { name: /^yyyy-mm-dd/ }).check();
  await page.getByRole('radio', { name: /^Comma for thousands/ }).check();
  await expect(sample).toContainText(/\d{4}-\d\d-\d\d/);
  await expect(sample).toContainText('1,234,567.89');
  await expect(page.getByText('Saved')).toBeVisible();
  const kept = (await api.get('/api/v1/user/userprefs', preferences)).options.formats;
  expect(kept).toMatchObject({ shortDate: 'yyyy-mm-dd', numberFormat: 'commaSeparated' });
  await page.getByRole('radio', { name: 'Nederlands' }).check();
  await expect(page.getByRole('heading', { name: 'Instellingen' })).toBeVisible();
  await expect.poll(async () => (await api.get('/api/v1/user/userprefs', preferences)).language).toBe('NL');
});

test('[KEY-17] a tap of the left Alt key changes the language, until that is switched off', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/settings/language-and-region`);
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await page.keyboard.press('AltLeft');
  await expect(page.getByRole('heading', { name: 'Instellingen' })).toBeVisible();
  await page.keyboard.press('AltLeft');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  const byAlt = page.getByRole('switch', { name: 'A tap of the left Alt key changes the language' });
  await byAlt.uncheck();
  await expect(page.getByText('Saved')).toBeVisible();
  await page.reload();
  await expect(byAlt).not.toBeChecked();
  const switched = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.keyboard.press('AltLeft');
  // The switch itself is the next thing that is saved: no change of the language came before it.
  await byAlt.check();
  expect((await switched).postData()).toContain('altSwitchesLanguage');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
});

test('a choice that cannot be saved goes back, and what was chosen meanwhile stays', async ({
  page,
  product,
  api,
}) => {
  await page.goto(`${product.base}/settings/language-and-region`);
  const comma = page.getByRole('radio', { name: /^Comma for thousands/ });
  const byAlt = page.getByRole('switch', { name: 'A tap of the left Alt key changes the language' });
  const arrived = Promise.withResolvers<void>();
  const mayFail = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname.endsWith('/userprefs'),
    async (route) => {
      if (!(route.request().postData() ?? '').includes('numberFormat')) return await route.continue();
      arrived.resolve();
      await mayFail.promise;
      await route.abort();
    },
  );
  await comma.check();
  await arrived.promise;
  await byAlt.uncheck();
  await expect(page.getByText('Saved')).toBeVisible();
  await expect(comma).toBeChecked();
  mayFail.resolve();
  await expect(comma).not.toBeChecked();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(byAlt).not.toBeChecked();
  await page.reload();
  await expect(byAlt).not.toBeChecked();
  await setPreference(api, 'options/altSwitchesLanguage', true);
});

test('a kind of message that is switched off is kept switched off', async ({ page, product, api }) => {
  await page.goto(`${product.base}/settings/notifications`);
  await page.getByRole('group', { name: 'Connector runs' }).getByRole('button', { name: 'Off' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  await page.reload();
  await expect(
    page.getByRole('group', { name: 'Connector runs' }).getByRole('button', { name: 'Off' }),
  ).toHaveAttribute('aria-pressed', 'true');
  const { options } = await api.get('/api/v1/user/userprefs', preferences);
  expect(options.notifications).toEqual({ runFailed: 'off' });
});

test('[PREF-11] who is new sees hints one at a time; settings and the help menu show them again', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/settings/user-preferences`);
  const hint = page.getByRole('region', { name: /^Hint / });
  await expect(page.getByRole('button', { name: 'Show the hints again' })).toBeVisible();
  await expect(hint).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the hints again' }).click();
  await expect(hint).toContainText('Choose Where You Work');
  await hint.getByRole('button', { name: 'Next' }).click();
  await expect(hint).toContainText('All Tables Are Here');
  await openTable(page, product.base, 'customers');
  await expect(hint).toContainText('All Tables Are Here');
  await hint.getByRole('button', { name: 'Next' }).click();
  await expect(hint).toContainText('Edit as in a Spreadsheet');
  await shoot(page, 'hint-table');
  await hint.getByRole('button', { name: 'Skip all' }).click();
  await expect(hint).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('gridcell').first()).toBeVisible();
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('menuitem', { name: 'Show the first hints again' }).click();
  await expect(hint).toContainText('Choose Where You Work');
  await hint.getByRole('button', { name: 'Skip all' }).click();
});

test('the settings and the data menu, as they look', async ({ page, product, api }) => {
  test.setTimeout(400_000);
  for (const look of looks) {
    await setPreference(api, 'language', look.language);
    await takeOn(page, look);
    for (const tab of ['user-preferences', 'language-and-region', 'notifications']) {
      await page.goto(`${product.base}/settings/${tab}`);
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
      await shoot(page, `settings-${tab}`, look);
    }
    await page.getByRole('button', { name: /^(Data|Gegevens)$/ }).click();
    await expect(page.locator('.mega a').first()).toBeVisible();
    await shoot(page, 'mega', look);
    await page.goto(`${product.base}/nope`);
    await expect(page.getByRole('heading', { name: /404/ })).toBeVisible();
    await shoot(page, 'not-found', look);
  }
});
