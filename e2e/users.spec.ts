import type { Page } from '@playwright/test';
import { testPassword } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { apiPath, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers']));

const usersOf = z.object({
  resources: z.array(z.looseObject({ internalId: z.string(), fullName: z.string() })),
});
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test('[ROUTE-20] [USER-03] [USER-04] [USER-09] [USER-10] somebody is invited by a link, arrives, is edited and deleted on the users’ screen', async ({
  page,
  product,
  browser,
}) => {
  await page.goto(`${product.base}/manage/users`);
  for (const column of [
    'Full name',
    'Identity-provider username',
    'Username',
    'E-mail',
    'Active',
    'Custom rights',
    'Default company',
    'Roles',
  ])
    await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible();
  await expectNoViolations(page, 'users');

  await page.getByRole('button', { name: 'Invite user' }).click();
  const popup = page.getByRole('dialog', { name: 'Invite a User' });
  await popup.getByRole('button', { name: 'Invite user' }).click();
  await expect(popup.getByText('A value is required').first()).toBeVisible();
  await popup.getByLabel('Full name').fill('Ivo Nieuw');
  await popup.getByLabel('Username', { exact: true }).fill('ivo');
  await popup.getByLabel('Add a role').selectOption({ label: 'Viewer' });
  await expectNoViolations(page, 'popup of a user');
  await popup.getByRole('button', { name: 'Invite user' }).click();
  const link = await page.getByRole('dialog', { name: 'Pass On This Link' }).getByLabel('Link').inputValue();
  await expectNoViolations(page, 'link');
  await page.getByRole('dialog').getByRole('button', { name: 'Copy the link' }).click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(link);
  await page.keyboard.press('Escape');
  await expect(row(page, 'Ivo Nieuw')).toContainText('Invited');
  await expect(row(page, 'Ivo Nieuw')).toContainText('Viewer');

  const ivo = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await ivo.goto(link);
  await expect(ivo.getByRole('heading', { name: 'Welcome, Ivo Nieuw' })).toBeVisible();
  expect(ivo.url()).not.toContain('#');
  await expectNoViolations(ivo, 'invitation');
  await ivo.getByLabel('New password', { exact: true }).fill('too short');
  await ivo.getByLabel('New password, once more').fill('another');
  await ivo.getByRole('button', { name: 'Set the password' }).click();
  await expect(ivo.getByText('These two are not the same')).toBeVisible();
  await ivo.getByLabel('New password', { exact: true }).fill(testPassword);
  await ivo.getByLabel('New password, once more').fill(testPassword);
  await ivo.getByRole('button', { name: 'Set the password' }).click();
  await expect(ivo).toHaveURL(/\/login/);
  await ivo.getByLabel('Username').fill('ivo');
  await ivo.getByLabel('Password', { exact: true }).fill(testPassword);
  await ivo.getByRole('button', { name: 'Log in' }).click();
  await expect(ivo).toHaveURL(/\/dashboard/);
  // He reads Dutch, as everybody does to begin with.
  await expect(ivo.getByRole('button', { name: 'Gegevens' })).toBeVisible();
  await expect(ivo.getByRole('button', { name: 'Beheer' })).toHaveCount(0);
  const used = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await used.goto(link);
  await expect(used.getByRole('heading', { name: 'This Link Does Not Work Any More' })).toBeVisible();
  await used.context().close();

  await page.reload();
  await row(page, 'Ivo Nieuw').getByRole('button', { name: 'Edit: Ivo Nieuw' }).click();
  const edit = page.getByRole('dialog', { name: 'Ivo Nieuw' });
  await edit.getByLabel('Full name').fill('Ivo Anders');
  await edit.getByRole('switch', { name: 'Active' }).click();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'Ivo Anders')).toContainText('Inactive');
  await expect(ivo).toHaveURL(/\/login/);
  await ivo.context().close();

  await row(page, 'Ivo Anders').getByRole('button', { name: 'Delete: Ivo Anders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(row(page, 'Ivo Anders')).toHaveCount(0);
});

test('[ROLE-02] [USER-06] a role that is taken away after the question is lost at once, in the browser of its user too', async ({
  page,
  product,
  browser,
  api,
}) => {
  await addUser(product.home, { username: 'rosa', fullName: 'Rosa Rol', isSuperuser: false });
  const { resources } = await api.get('/api/v1/manage/users?limit=-1', usersOf);
  const rosaId = resources.find(({ fullName }) => fullName === 'Rosa Rol')?.internalId;
  const roles = await api.get(
    '/api/v1/manage/roles?limit=-1',
    z.object({ resources: z.array(z.looseObject({ internalId: z.string(), name: z.string() })) }),
  );
  const roleIds = roles.resources.filter(({ name }) => name === 'Viewer').map(({ internalId }) => internalId);
  await api.send('PATCH', `/api/v1/manage/users/${rosaId}`, { changes: { roleIds } }, z.unknown());
  const rosa = await (await browser.newContext()).newPage();
  const rosaApi = await loginPage(rosa, product.base, 'rosa');
  await rosa.goto(`${product.base}/dashboard`);
  await expect(rosa.getByRole('button', { name: 'Gegevens' })).toBeVisible();

  await page.goto(`${product.base}/manage/users`);
  await row(page, 'Rosa Rol').getByRole('button', { name: 'Edit: Rosa Rol' }).click();
  await page.getByRole('button', { name: 'Remove role Viewer' }).click();
  const question = page.getByRole('dialog', { name: 'Remove a Role' });
  await expect(question).toContainText('Rosa Rol loses the rights of Viewer at once.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect((await rosaApi.call('GET', apiPath('customers'))).status).toBe(200);
  await page.getByRole('button', { name: 'Remove role Viewer' }).click();
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('No roles yet.')).toBeVisible();
  expect((await rosaApi.call('GET', apiPath('customers'))).status).toBe(404);
  await expect(rosa.getByRole('button', { name: 'Gegevens' })).toHaveCount(0);
  await rosa.context().close();
});

test('[ROUTE-21] [ROLE-01] [ROLE-03] [USER-05] a role with its rights grid is made, changed and deleted', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/manage/roles`);
  for (const name of ['Viewer', 'Data editor', 'Integrator', 'User administrator', 'Domain administrator'])
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible();
  await expectNoViolations(page, 'roles');
  await page.getByRole('button', { name: 'New role' }).click();
  await expect(page).toHaveURL(/\/manage\/roles\/new$/);
  await page.getByLabel('Name').fill('Stock keeper');
  await page.getByLabel('Update: Customers', { exact: true }).click();
  // Who may write may read.
  await expect(page.getByLabel('Read: Customers', { exact: true })).toBeChecked();
  await page.getByLabel('Read: All tables of Sandbox ERP').click();
  await expect(page.getByLabel(/^Read: Journal entries$/i)).toBeChecked();
  await expect(page.getByLabel(/^Update: Journal entries$/i)).not.toBeChecked();
  await expect(page.getByLabel('Create: Audit log')).toHaveCount(0);
  await page.getByLabel('Sandbox ERP', { exact: true }).selectOption('Some of it');
  await page.getByLabel('Production', { exact: true }).check();
  await expectNoViolations(page, 'form of a role');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Stock keeper' }).click();
  await expect(page.getByLabel('Update: Customers', { exact: true })).toBeChecked();
  await expect(page.getByLabel('Production', { exact: true })).toBeChecked();
  await page.getByLabel('Name').fill('Viewer');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('This value is already in use')).toBeVisible();
  await page.getByLabel('Name').fill('Storekeeper');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Delete: Storekeeper' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('link', { name: 'Storekeeper' })).toHaveCount(0);
});

test('[ROUTE-29] [ROUTE-30] a role is copied into a new one, with its rights and without its users', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}/manage/roles`);
  await page.getByRole('button', { name: 'Copy: Data editor' }).click();
  await expect(page).toHaveURL(/\/manage\/roles\/new\?copyFrom=/);
  await expect(page.getByRole('heading', { name: 'Copy of Role Data editor' })).toBeVisible();
  await expect(page.getByLabel('Name')).toHaveValue('Data editor (copy)');
  await expect(page.getByLabel('Update: Customers', { exact: true })).toBeChecked();
  await expectNoViolations(page, 'copy of a role');
  // Nothing was typed: nobody asks whether it shall be lost.
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/manage\/roles$/);
  await page.goBack();
  await page.reload();
  await page.getByLabel('Name').fill('Customer editor');
  await page.getByLabel('Read: Audit log', { exact: true }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Customer editor' }).click();
  await expect(page.getByLabel('Read: Audit log', { exact: true })).toBeChecked();
  await expect(page.getByLabel('Update: Customers', { exact: true })).toBeChecked();
  await page.goto(`${product.base}/manage/roles`);
  await page.getByRole('link', { name: 'Data editor', exact: true }).click();
  await expect(page.getByLabel('Update: Customers', { exact: true })).toBeChecked();
  await expect(page.getByLabel('Read: Audit log', { exact: true })).not.toBeChecked();
  await page.goto(`${product.base}/manage/roles/new?copyFrom=00000000-0000-4000-8000-000000000000`);
  await expect(page.getByText('Error 404')).toBeVisible();
});

test('[ROUTE-29] somebody new is invited with the roles and rights of another one', async ({
  page,
  product,
  api,
}) => {
  await addUser(product.home, {
    username: 'lena',
    fullName: 'Lena Like',
    isSuperuser: false,
    readsOnly: ['customers'],
  });
  await page.goto(`${product.base}/manage/users`);
  // Nobody becomes a superuser by being like one.
  await row(page, 'Administrator').getByRole('button', { name: 'Copy: Administrator' }).click();
  const like = page.getByRole('dialog', { name: 'Invite a User Like Administrator' });
  await expect(like.getByRole('switch', { name: 'Superuser' })).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(like).toBeHidden();
  await row(page, 'Lena Like').getByRole('button', { name: 'Copy: Lena Like' }).click();
  const popup = page.getByRole('dialog', { name: 'Invite a User Like Lena Like' });
  await expect(popup.getByLabel('Full name')).toHaveValue('');
  await expect(popup.getByLabel('Username', { exact: true })).toHaveValue('');
  await expect(popup.getByLabel('Read: Customers', { exact: true })).toBeChecked();
  await expectNoViolations(page, 'popup of somebody like another one');
  await popup.getByLabel('Full name').fill('Otto Other');
  await popup.getByLabel('Username', { exact: true }).fill('otto');
  await popup.getByRole('button', { name: 'Invite user' }).click();
  await expect(page.getByRole('dialog', { name: 'Pass On This Link' })).toBeVisible();
  const users = await api.get(
    '/api/v1/manage/users?limit=-1',
    z.object({
      resources: z.array(
        z.looseObject({
          fullName: z.string(),
          username: z.string().nullable(),
          customRights: z.array(z.unknown()),
          externalSystemRights: z.array(z.unknown()),
        }),
      ),
    }),
  );
  const lena = users.resources.find(({ fullName }) => fullName === 'Lena Like');
  const otto = users.resources.find(({ fullName }) => fullName === 'Otto Other');
  expect(otto).toMatchObject({ username: 'otto', isPending: true });
  expect(otto?.customRights).toEqual(lena?.customRights);
  expect(otto?.customRights).not.toEqual([]);
  expect(otto?.externalSystemRights).toEqual(lena?.externalSystemRights);
});

test('[ROUTE-36] who has no right to a screen is led home and told so', async ({ product, browser }) => {
  await addUser(product.home, {
    username: 'rita',
    fullName: 'Rita Reader',
    isSuperuser: false,
    readsOnly: ['customers'],
  });
  const rita = await (await browser.newContext()).newPage();
  await loginPage(rita, product.base, 'rita');
  for (const [path, screen] of [
    ['manage/users', /Users|Gebruikers/],
    ['manage/roles', /Roles|Rollen/],
    ['manage/audit', /Audit/],
    ['manage/systems', /Systems|systemen/],
    ['manage/systems/sandbox-erp/domains', /Domains|Domeinen/],
    ['manage/systems/sandbox-erp/domains/new', /Domains|Domeinen/],
    ['manage/systems/sandbox-erp/domains/1/edit', /Domains|Domeinen/],
    ['manage/systems/sandbox-erp/domains/1/companies', /Companies|Bedrijven/],
  ] as const) {
    await rita.goto(`${product.base}/${path}`);
    await expect(rita).toHaveURL(/\/dashboard/);
    await expect(rita.locator('.toasts')).toContainText(screen);
  }
  await rita.context().close();
});

test('[USER-02] the default company is chosen for who has used none yet; without one it is the first', async ({
  product,
  browser,
  api,
}) => {
  for (const username of ['dirk', 'dora'])
    await addUser(product.home, { username, fullName: username, isSuperuser: true });
  const { resources } = await api.get('/api/v1/manage/users?limit=-1', usersOf);
  const dirk = resources.find(({ fullName }) => fullName === 'dirk')?.internalId;
  const systems = await api.get(
    '/api/v1/user/external-systems?limit=-1&offset=0',
    z.object({
      resources: z.array(
        z.object({
          systemLevelOptions: z.array(
            z.object({ children: z.array(z.object({ internalId: z.string(), name: z.string() })) }),
          ),
        }),
      ),
    }),
  );
  const options = systems.resources[0]?.systemLevelOptions ?? [];
  const last = options.at(-1)?.children.at(-1);
  await api.send(
    'PATCH',
    `/api/v1/manage/users/${dirk}`,
    { changes: { defaultCompanyId: last?.internalId } },
    z.unknown(),
  );
  for (const [username, company] of [
    ['dirk', last?.name],
    ['dora', options[0]?.children[0]?.name],
  ] as const) {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    await loginPage(page, product.base, username);
    await page.goto(`${product.base}/dashboard`);
    await expect(page.locator('.sys')).toContainText(company ?? '');
    await page.context().close();
  }
});
