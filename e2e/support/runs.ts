import type { Locator, Page } from '@playwright/test';
import { testRunResultSchema } from '@sluice/contract';
import { expect } from './test.ts';

/** A part of a screen by its heading. */
export const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Chooses a system and its levels in a connector's form. */
async function chooseEnd(page: Page, end: 'Source' | 'Target', levels: readonly string[]): Promise<void> {
  const boxes = page.getByRole('group', { name: end }).getByRole('combobox');
  for (const [index, label] of levels.entries()) await boxes.nth(index).selectOption({ label });
}

/** A new connector between two ends, by the labels of their levels; answers the address of its page. */
export async function newConnector(
  page: Page,
  base: string,
  { name, source, target }: { name: string; source: readonly string[]; target: readonly string[] },
): Promise<string> {
  await page.goto(`${base}/connectors/new`);
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await chooseEnd(page, 'Source', source);
  await chooseEnd(page, 'Target', target);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
  return page.url();
}

/** A new action of the connector that is open, up to its empty mappings. */
export async function addAction(
  page: Page,
  { name, source, target, find = target }: { name: string; source: string; target: string; find?: string },
): Promise<void> {
  await page.getByRole('link', { name: 'New action' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('group', { name: 'Source tables' }).getByRole('checkbox', { name: source }).check();
  const targets = page.getByRole('group', { name: 'Target table' });
  await targets.getByRole('searchbox').fill(find);
  await targets.getByRole('radio', { name: target, exact: true }).check();
  await page.getByRole('button', { name: 'Save and map fields' }).click();
  await expect(page).toHaveURL(/\/actions\/[0-9a-f-]{36}\/mappings-triggers$/);
}

/** Finds a collection or a field for an argument of a function. */
export async function pick(page: Page, argument: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `${argument}: not chosen` }).click();
  await page.getByRole('combobox', { name: argument }).fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: `${argument}: ${name}` })).toBeFocused();
}

/** Tries an action whose records would all be new, at most 100; answers what it says of each: value by target field. */
export async function tryRun(
  page: Page,
  action: string,
  records: number,
): Promise<Record<string, unknown>[]> {
  await region(page, 'Actions').getByRole('button', { name: 'Test run' }).click();
  const dialog = page.getByRole('dialog', { name: `Test Run of ${action}` });
  await dialog.getByLabel('At most').fill('100');
  const answer = page.waitForResponse((response) => response.url().endsWith('/test-run'));
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(dialog.getByRole('article')).toHaveCount(records);
  await expect(dialog.getByText('Would be added')).toHaveCount(records);
  const { results } = testRunResultSchema.parse(await (await answer).json());
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  return results.map(({ fieldResults }) =>
    Object.fromEntries(fieldResults.map(({ targetField, value }) => [targetField, value])),
  );
}

/** Runs an action by hand, on all records or some, from its connector's page and waits for its line in the history. */
export async function runNow(
  page: Page,
  action: string,
  number: number,
  only: { field: string; value: string } | null = null,
): Promise<string> {
  const row = region(page, 'Actions').getByRole('row').filter({ hasText: action });
  await row.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog', { name: `Run ${action} Now` });
  if (only) {
    await dialog.getByText('Only some records').click();
    await dialog.getByLabel('Field').selectOption({ label: only.field });
    await dialog.getByLabel('Value').fill(only.value);
  }
  await dialog.getByRole('button', { name: 'Start' }).click();
  const line = region(page, 'Run history')
    .getByRole('row')
    .filter({ hasText: `${action} Run ${number}` });
  await expect(line).toContainText(/Done|In part/, { timeout: 60_000 });
  return (await line.textContent()) ?? '';
}

/** Pushes what a run has pending: from its line in the history to the table, the review and the push. */
export async function pushRun(
  page: Page,
  {
    action,
    number,
    changes,
    refused = 0,
    erp,
  }: { action: string; number: number; changes: number; refused?: number; erp: string },
): Promise<void> {
  await region(page, 'Run history')
    .getByRole('row')
    .filter({ hasText: `${action} Run ${number}` })
    .getByRole('button')
    .click();
  const run = page.getByRole('dialog', { name: `Run ${number} of ${action}` });
  await run.getByRole('button', { name: 'Show its changes in the table' }).click();
  await page.getByRole('button', { name: `Push ${changes} changes` }).click();
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  await review.getByRole('button', { name: `Push ${changes} changes` }).click();
  const told =
    refused === 0
      ? `${changes} changes pushed to ${erp}`
      : `${changes - refused} pushed, ${refused} rejected`;
  await expect(page.getByText(told)).toBeVisible({ timeout: 120_000 });
}
