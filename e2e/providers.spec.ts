import { freePort } from '@sluice/server/embedded-postgres';
import { loginApi, type RunningProduct, startProductMain, testPassword } from '@sluice/testing';
import { type OidcProvider, startOidcProvider } from '@sluice/testing/oidc';
import type { Page } from '@playwright/test';
import { expectNoViolations } from './support/axe.ts';
import { expect, test as base } from './support/test.ts';

interface Fixtures {
  provider: OidcProvider;
  signedUp: RunningProduct;
}
/** A product that knows a business-account provider, and an education login that is out of order. */
const test = base.extend<Record<never, never>, Fixtures>({
  provider: [
    // oxlint-disable-next-line eslint/no-empty-pattern -- the runner demands a pattern here
    async ({}, use) => {
      const port = await freePort();
      const provider = await startOidcProvider([`http://127.0.0.1:${port}/auth/business/callback`]);
      provider.people.set('port', { port });
      await use(provider);
      await provider.stop();
    },
    { scope: 'worker' },
  ],
  signedUp: [
    async ({ provider }, use) => {
      const product = await startProductMain({
        env: {
          PORT: String(provider.people.get('port')?.['port']),
          SLUICE_SANDBOX: 'off',
          SLUICE_BUSINESS_NAME: 'Acme account',
          SLUICE_BUSINESS_ISSUER: provider.issuer,
          SLUICE_BUSINESS_CLIENT_ID: provider.clientId,
          SLUICE_BUSINESS_CLIENT_SECRET: provider.clientSecret,
          SLUICE_EDUCATION_ISSUER: 'http://127.0.0.1:9',
          SLUICE_EDUCATION_CLIENT_ID: 'x',
          SLUICE_EDUCATION_CLIENT_SECRET: 'y',
        },
      });
      const admin = await loginApi(product.base, 'admin', testPassword);
      const answer = await admin.call('POST', '/api/v1/manage/users', {
        fullName: 'Anna Berg',
        username: null,
        email: null,
        identityProviderUsername: 'anna@acme',
        isActive: true,
        isSuperuser: true,
        defaultCompanyId: '00000000-0000-0000-0000-000000000000',
        roleIds: [],
        customRights: [],
        externalSystemRights: [],
      });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      await use(product);
      await product.remove();
    },
    { scope: 'worker', timeout: 200_000 },
  ],
});

async function atProvider(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('[AUTH-02] [AUTH-03] [AUTH-05] [AUTH-11] [AUTH-12] [AUTH-16] [ROUTE-06] a business account leads in, to where one wanted to be; it is the first way the next time', async ({
  browser,
  provider,
  signedUp,
}) => {
  provider.people.set('sub-anna', { preferred_username: 'anna@acme' });
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await page.goto(`${signedUp.base}/login?redirect=${encodeURIComponent('/manage/users')}`);
  await expect(page.getByRole('button', { name: 'Continue with education account' })).toBeVisible();
  await page.getByRole('button', { name: 'Continue with Acme account' }).click();
  await expect(page).toHaveURL(new RegExp(`^${provider.issuer}/`));
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/v1/auth/business/callback**', async (route) => {
    await gate;
    await route.continue();
  });
  await atProvider(page, 'sub-anna');
  await expect(page).toHaveURL(/\/auth\/business\/callback\?code=/);
  await expect(page.getByText('Logging in')).toBeVisible();
  await expect(page.locator('.spin')).toBeVisible();
  await expectNoViolations(page, 'callback');
  letGo();
  await expect(page).toHaveURL(`${signedUp.base}/manage/users`);
  await expect(page.getByRole('button', { name: 'Anna Berg', exact: true })).toBeVisible();

  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: /Uitloggen|Log out/ }).click();
  await page.getByRole('button', { name: 'English' }).click();
  await expect(page.getByRole('button', { name: 'Continue with Acme account' })).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveCount(0);
  await page.getByRole('button', { name: 'All login options' }).click();
  await expect(page.getByLabel('Username')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Continue with education account' })).toBeVisible();
  await expectNoViolations(page, 'all login options');
  await page.context().close();
});

test('[AUTH-13] [AUTH-14] [AUTH-16] who was not invited sees that, and a way home', async ({
  browser,
  signedUp,
}) => {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await page.goto(`${signedUp.base}/login`);
  await page.getByRole('button', { name: 'Continue with Acme account' }).click();
  await atProvider(page, 'sub-stranger');
  await expect(page.getByRole('heading', { name: 'Not Authorized' })).toBeVisible();
  await expect(
    page.getByText('You are not authorized to use this application. Please contact your administrator.'),
  ).toBeVisible();
  await expectNoViolations(page, 'not authorized');
  await page.getByRole('button', { name: 'Go back home' }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.context().close();
});

test('[AUTH-15] [AUTH-16] [ROUTE-06] any other end of a sign-in is an error page with its code, and a provider out of order says so on the form', async ({
  browser,
  signedUp,
}) => {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await page.goto(`${signedUp.base}/auth/business/callback?code=made-up&state=made-up`);
  await expect(page).toHaveURL(/\/auth\/business\/callback/);
  await expect(page.getByText('Error 400')).toBeVisible();
  await expect(page.getByText('the sign-in was begun elsewhere, or too long ago')).toBeVisible();
  await expectNoViolations(page, 'failed callback');
  await page.goto(`${signedUp.base}/login`);
  await page.getByRole('button', { name: 'Continue with education account' }).click();
  await expect(page.getByText('Server error. Please try again later.')).toBeVisible();
  await page.context().close();
});
