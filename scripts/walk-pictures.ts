import type { Page } from 'playwright-core';
import { type Api, testPassword } from '@sluice/testing';
import { z } from 'zod';

/** Takes the picture of one stop. */
type Picture = (name: string) => Promise<void>;

const listed = z.object({
  resources: z.array(z.looseObject({ internalId: z.string(), name: z.string() })),
});
const menuItem = async (page: Page, menu: string, link: string): Promise<void> => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
};

/** What docs/walk-administrator.md tells: everything in the order of the menu, as who starts the product. */
export async function walkAdministrator(page: Page, base: string, api: Api, picture: Picture): Promise<void> {
  await page.goto(`${base}/dashboard`);
  await page.getByRole('heading', { name: 'Dashboard', exact: true }).waitFor();
  await page.locator('.uplot canvas').first().waitFor();
  await picture('dashboard');

  await page.getByRole('link', { name: 'Connectors', exact: true }).click();
  await page.getByRole('heading', { name: 'Connectors', exact: true }).waitFor();
  await picture('connectors');

  await menuItem(page, 'Manage', 'External Systems');
  await page.getByRole('cell', { name: 'Sandbox ERP' }).first().waitFor();
  await page.getByRole('button', { name: 'Add system' }).click();
  await page.getByRole('dialog', { name: 'Add External System' }).waitFor();
  // The menu is on its way out.
  await page.getByRole('dialog', { name: 'Manage' }).waitFor({ state: 'hidden', timeout: 2000 });
  await picture('system');
  await page.keyboard.press('Escape');
  const { resources } = await api.get('/api/v1/manage/systems/sandbox-erp/domains', listed);
  const domain = resources.find(({ name }) => name === 'Production')?.internalId ?? '';
  await page.goto(`${base}/manage/systems/sandbox-erp/domains/${domain}/edit`);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.locator('output.good').waitFor();
  await picture('domain');
  await page.goto(`${base}/manage/systems/sandbox-erp/domains/${domain}/companies`);
  await page.getByRole('switch').first().waitFor();
  await picture('companies');

  await menuItem(page, 'Manage', 'Users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  const popup = page.getByRole('dialog', { name: 'Invite a User' });
  await popup.getByLabel('Full name').fill('Eva de Wit');
  await popup.getByLabel('Username', { exact: true }).fill('eva');
  await popup.getByLabel('Add a role').selectOption({ label: 'Data editor' });
  await picture('user');
  await popup.getByRole('button', { name: 'Invite user' }).click();
  await page.getByRole('dialog', { name: 'Pass On This Link' }).waitFor();
  await picture('link');
}

/** The rest of it, once the invitation has been taken: roles and what was written down of all this. */
export async function walkAdministratorOn(page: Page, picture: Picture): Promise<void> {
  await page.keyboard.press('Escape');
  await menuItem(page, 'Manage', 'Roles');
  await page.getByRole('link', { name: 'Data editor' }).first().click();
  await page.getByRole('heading', { name: 'Role Data editor' }).waitFor();
  await picture('role');
  await menuItem(page, 'Manage', 'Audit Log');
  await page.getByRole('cell', { name: 'User invited' }).first().waitFor();
  await picture('audit');
}

/** What docs/walk-editor.md tells: from the invitation to the first push. */
export async function walkEditor(
  page: Page,
  base: string,
  invitation: string,
  picture: Picture,
): Promise<void> {
  await page.goto(invitation);
  await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
  await picture('welcome');
  await page.getByLabel('New password', { exact: true }).fill(testPassword);
  await page.getByLabel('New password, once more').fill(testPassword);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByLabel('Username').fill('eva');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  // Everybody reads Dutch to begin with; a tap on Alt changes that.
  await page.getByRole('button', { name: 'Gegevens' }).waitFor();
  await page.keyboard.press('Alt');
  await page.getByRole('button', { name: 'Next' }).waitFor();
  await picture('hint');
  await page.getByRole('button', { name: 'Skip all' }).click();
  await page.getByRole('button', { name: 'Data', exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Suppliers', exact: true }).hover();
  await picture('menu');
  await page.getByRole('navigation').getByRole('link', { name: 'Suppliers', exact: true }).click();
  const cell = (row: number, column: number) =>
    page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${column}"]`);
  await cell(2, 3).click();
  await page.keyboard.type('Van Rijn Papier B.V.');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Bakker Verpakkingen');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Push 2 changes' }).waitFor();
  await picture('table');
  await page.getByRole('button', { name: 'Push 2 changes' }).first().click();
  await page.getByRole('dialog', { name: 'Review Before Push' }).waitFor();
  await picture('review');
  await page.getByRole('button', { name: 'Push 2 changes to production' }).click();
  await page.getByText('2 changes pushed to Sandbox ERP').first().waitFor();
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByRole('complementary', { name: 'Notifications' }).waitFor();
  await picture('notifications');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('link', { name: /^Language/ }).click();
  await picture('settings');
}
