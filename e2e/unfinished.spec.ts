import type { Page } from '@playwright/test';
import { expectNoViolations } from './support/axe.ts';
import { makeAction } from './support/mapping.ts';
import { endSession, logIn } from './support/sign-in.ts';
import { prepare } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => await prepare(product.base, ['customers', 'suppliers']));

const domains = '/manage/systems/sandbox-erp/domains';
const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });

async function goThroughExpiry(page: Page, base: string): Promise<void> {
  await endSession(page.context(), base);
  await page.getByRole('dialog', { name: 'Session Expired' }).getByRole('button').click();
  await logIn(page);
  await expect(page.locator('.toasts')).toContainText('The unfinished work of your last session is back.');
}

test('[SESS-09] half-filled forms of a domain and a connector outlive the session, the password does not', async ({
  page,
  product,
}) => {
  await page.goto(`${product.base}${domains}/new`);
  await page.getByLabel('Short name').fill('ACC');
  await page.getByLabel('Username').fill('sluice');
  await page.getByLabel('Password').fill('hidden-word');
  await goThroughExpiry(page, product.base);
  await expect(page).toHaveURL(`${product.base}${domains}/new`);
  await expect(page.getByLabel('Short name')).toHaveValue('ACC');
  await expect(page.getByLabel('Username')).toHaveValue('sluice');
  await expect(page.getByLabel('Password')).toHaveValue('');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await question(page).getByRole('button', { name: 'Leave' }).click();

  await page.goto(`${product.base}/connectors/new`);
  await page.getByLabel('Name').fill('Half a connector');
  await page
    .getByRole('group', { name: 'Source' })
    .getByLabel('System')
    .selectOption({ label: 'Sandbox ERP' });
  await goThroughExpiry(page, product.base);
  await expect(page.getByLabel('Name')).toHaveValue('Half a connector');
  await expect(
    page.getByRole('group', { name: 'Source' }).getByLabel('System').locator('option:checked'),
  ).toHaveText('Sandbox ERP');
});

test('what is kept of a domain for after the session has no password in it', async ({ page, product }) => {
  await page.goto(`${product.base}${domains}/new`);
  await page.getByLabel('Short name').fill('ACC');
  await page.getByLabel('Password').fill('hidden-word');
  await endSession(page.context(), product.base);
  await expect(page.getByRole('dialog', { name: 'Session Expired' })).toBeVisible();
  const readKept = (): Promise<string> =>
    page.evaluate<string>(`new Promise((resolve) => {
      const opening = indexedDB.open('sluice-work', 1);
      opening.onsuccess = () => {
        const reading = opening.result.transaction('work').objectStore('work').getAll();
        reading.onsuccess = () => { opening.result.close(); resolve(JSON.stringify(reading.result)); };
      };
    })`);
  await expect.poll(readKept).toContain('ACC');
  expect(await readKept()).not.toContain('hidden-word');
});

test('[SESS-09] half-filled forms of an action, a role and a user outlive the session', async ({
  page,
  product,
  api,
}) => {
  const { connectorId } = await makeAction(api, 'customers', 'suppliers');
  await page.goto(`${product.base}/connectors/${connectorId}/actions/new`);
  await page.getByLabel('Name').fill('Half an action');
  await goThroughExpiry(page, product.base);
  await expect(page.getByLabel('Name')).toHaveValue('Half an action');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await question(page).getByRole('button', { name: 'Leave' }).click();

  await page.goto(`${product.base}/manage/roles/new`);
  await page.getByLabel('Name').fill('Half a role');
  await page.getByLabel('Update: Customers', { exact: true }).click();
  await goThroughExpiry(page, product.base);
  await expect(page.getByLabel('Name')).toHaveValue('Half a role');
  await expect(page.getByLabel('Update: Customers', { exact: true })).toBeChecked();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await question(page).getByRole('button', { name: 'Leave' }).click();

  await page.goto(`${product.base}/manage/users`);
  await page.getByRole('button', { name: 'Edit: Administrator' }).click();
  const popup = page.getByRole('dialog', { name: 'Administrator' });
  await popup.getByLabel('Full name').fill('Half a name');
  await goThroughExpiry(page, product.base);
  await expect(popup.getByLabel('Full name')).toHaveValue('Half a name');
});

test('leaving a form with something typed asks once, and not after saving', async ({ page, product }) => {
  await page.goto(`${product.base}/manage/roles`);
  await page.getByRole('button', { name: 'New role' }).click();
  // Nothing is typed: nothing is asked.
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/roles$/);
  await page.getByRole('button', { name: 'New role' }).click();
  await page.getByLabel('Name').fill('Packer');
  await page.goBack();
  await expect(question(page)).toBeVisible();
  await expectNoViolations(page, 'leaving a form');
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await expect(page.getByLabel('Name')).toHaveValue('Packer');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await question(page).getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/roles$/);
  await expect(question(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'New role' }).click();
  await page.getByLabel('Name').fill('Packer');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('link', { name: 'Packer' })).toBeVisible();
  await expect(question(page)).toHaveCount(0);

  await page.goto(`${product.base}${domains}`);
  await page.getByRole('link', { name: 'Test', exact: true }).click();
  await page.getByLabel('Read anew every (minutes)').fill('61');
  await page.getByRole('link', { name: 'Domains of Sandbox ERP' }).click();
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(product.base + domains);
  await expect(question(page)).toHaveCount(0);

  await page.goto(`${product.base}/connectors/new`);
  await page.getByLabel('Name').fill('Half a connector');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await question(page).getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/\/connectors$/);
});

test('the popup of a user asks before it closes on something typed', async ({ page, product }) => {
  await page.goto(`${product.base}/manage/users`);
  await page.getByRole('button', { name: 'Invite user' }).click();
  const popup = page.getByRole('dialog', { name: 'Invite a User' });
  await page.keyboard.press('Escape');
  await expect(popup).toHaveCount(0);
  await page.getByRole('button', { name: 'Invite user' }).click();
  await popup.getByLabel('Full name').fill('Half a name');
  await page.keyboard.press('Escape');
  await expect(question(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question(page)).toHaveCount(0);
  await expect(popup.getByLabel('Full name')).toHaveValue('Half a name');
  await popup.getByRole('button', { name: 'Cancel' }).click();
  await question(page).getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('[SESS-05] the popup of a user makes room for the warning before a log out, and comes back with what was typed', async ({
  page,
  product,
}) => {
  await page.clock.install();
  await page.goto(`${product.base}/manage/users`);
  await page.getByRole('button', { name: 'Invite user' }).click();
  const popup = page.getByRole('dialog', { name: 'Invite a User' });
  await popup.getByLabel('Full name').fill('Half a name');
  await page.clock.fastForward('30:05');
  const warning = page.getByRole('dialog', { name: 'Are you still there?' });
  await expect(warning).toBeVisible();
  await expect(popup).toHaveCount(0);
  await warning.getByRole('button', { name: 'Stay logged in' }).click();
  await page.clock.runFor(2000);
  await expect(popup.getByLabel('Full name')).toHaveValue('Half a name');
});
