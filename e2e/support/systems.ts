import type { Page } from '@playwright/test';
import { leaveOut } from '@sluice/testing/test-machine';
import type { TrytonServer } from '@sluice/testing/tryton';
import { expect, test } from './test.ts';

/** Begins `beforeAll` of tests that need a system: where it is missing they fail as all tests of systems do. */
export function needSystem(name: string, problem: string | null): void {
  if (problem === null) return;
  leaveOut(name, problem);
  test.skip(true, problem);
}

/** Adds a system on its screen, up to the form of its first domain; answers the part of the address that names it. */
export async function addSystem(
  page: Page,
  base: string,
  { kind, name, domain, acronym }: { kind: string; name: string; domain: string; acronym: string },
): Promise<string> {
  await page.goto(`${base}/manage/systems`);
  await page.getByRole('button', { name: 'Add system' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Kind').selectOption(kind);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(page).toHaveURL(/\/manage\/systems\/.+\/domains\/new/);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(domain);
  await page.getByLabel('Short name').fill(acronym);
  return /systems\/([^/]+)\//.exec(page.url())?.[1] ?? '';
}

/** The Tryton as a system of that name, domain Live, with its two companies on; answers what `addSystem` does. */
export async function connectTrytonByScreens(
  page: Page,
  base: string,
  server: TrytonServer,
  name: string,
): Promise<string> {
  const systemUrl = await addSystem(page, base, { kind: 'tryton', name, domain: 'Live', acronym: 'live' });
  await page.getByLabel('Address').fill(server.url);
  await page.getByRole('textbox', { name: 'Database' }).fill(server.database);
  await page.getByRole('textbox', { name: 'Username' }).fill(server.username);
  await page.getByRole('textbox', { name: 'Password' }).fill(server.password);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Companies of Live' })).toBeVisible();
  await expect(page.getByRole('switch')).toHaveCount(2);
  for (const company of await page.getByRole('switch').all()) await company.click();
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  return systemUrl;
}
