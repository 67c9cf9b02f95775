import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });

test('the audit log shows who did what, narrows down, and leaves as a file', async ({
  page,
  product,
  api,
}) => {
  const body = { name: 'Audited', description: '', rights: [], externalSystemRights: [] };
  await api.send('POST', '/api/v1/manage/roles', body, z.unknown());
  await setPreference(api, 'language', 'EN');
  await page.goto(`${product.base}/dashboard`);
  await page.getByRole('button', { name: 'Manage' }).click();
  await page.getByRole('link', { name: 'Audit Log' }).click();
  const entry = page.getByRole('row').filter({ hasText: 'Role added' });
  await expect(entry).toContainText('Administrator');
  await expect(entry).toContainText('Name: Audited');
  await expect(page.getByRole('navigation', { name: 'Manage' })).toHaveCount(0);
  await expectNoViolations(page, 'audit log');
  await page.getByLabel('Area').selectOption('Signing in');
  await expect(entry).toHaveCount(0);
  await page.getByLabel('Area').selectOption('All areas');
  await page.getByLabel('Search').fill('Audited');
  await expect(page.getByText('1 entry')).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  expect((await download).suggestedFilename()).toBe('sluice-audit.csv');
  const until = page.getByLabel('Up to and including');
  await until.fill('31-02-2000');
  await until.press('Enter');
  await expect(page.getByText("'31-02-2000' is invalid")).toBeVisible();
  await expect(page.getByText('1 entry')).toBeVisible();
  // The first of February as the user writes dates, not the second of January.
  const asked = page.waitForRequest(/\/audit\?.*dateTo=/);
  await until.fill('1-2-2000');
  await until.press('Enter');
  expect((await asked).url()).toContain('dateTo=2000-02-01');
  await expect(until).toHaveValue('01-02-2000');
  await expect(page.getByText('Nothing Found')).toBeVisible();
  await expectNoViolations(page, 'empty audit log');
});
