import type { Page } from '@playwright/test';

/** What the walk makes of the articles that came out above what the web shop takes. */
export const mendedPrice = 500;

/**
 * A price list raised by 3 % rounded to 5 cents, the 12 articles that then break a rule mended, and all of it pushed:
 * by mouse, as the page in docs/ tells it. The test of it checks the ERP afterwards, the pictures are taken on the way.
 * @param picture is called at each stop that the page shows.
 */
export async function walkPriceList(
  page: Page,
  base: string,
  picture: (name: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await page.goto(`${base}/dashboard`);
  await page.getByRole('button', { name: 'Data' }).click();
  const entry = page.getByRole('navigation').getByRole('link', { name: 'Web Prices' });
  await entry.hover();
  await picture('menu');
  await entry.click();
  await page.getByText('2,000 records').waitFor();
  await page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first().waitFor();

  await page.locator('[role=columnheader][title^="Price: "]').click();
  await picture('column');
  await page.getByRole('button', { name: 'Batch edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Change', { exact: true }).selectOption({ label: 'Change by per cent' });
  await dialog.getByLabel('Amount').fill('3');
  await dialog.getByLabel('Then round to a multiple of').fill('0.05');
  await dialog.getByText(/^For example/).waitFor();
  await picture('batch-edit');
  await dialog.getByRole('button', { name: 'Change 2,000 records' }).click();
  await page.getByRole('button', { name: 'Push 1,988 changes' }).waitFor();
  const held = page.getByRole('button', { name: '12 held back' });
  await held.waitFor();
  await page.getByRole('grid').locator('.is-invalid').first().waitFor();
  await picture('held-back');

  await held.click();
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  await review.getByText('Held back, 12 records').waitFor();
  for (let left = 12; left > 0; left--) {
    await review.getByRole('button', { name: 'Edit Price here' }).first().click();
    await review.getByRole('textbox', { name: 'Price' }).fill(String(mendedPrice));
    if (left === 12) await picture('mend');
    await review.getByRole('button', { name: 'Save' }).click();
    if (left > 1) await review.getByText(`${left - 1} held back`).waitFor();
  }
  await review.getByText('2,000 ready').waitFor();
  await picture('review');
  await review.getByRole('button', { name: 'Push 2,000 changes to production' }).click();
  await page.getByText('2,000 changes pushed to Sandbox ERP').waitFor({ timeout: 90_000 });
  await picture('pushed');
}
