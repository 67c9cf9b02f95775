import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { apiPath, cell, discardAll, header, openTable, prepare } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

const listSchema = z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) });

test.use({ journalEntries: 1000 });
test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers']);
  await addUser(product.home, { username: 'ben', fullName: 'Ben Visser', isSuperuser: true });
});
test.afterEach(async ({ api }) => await discardAll(api, 'customers'));

test('the review follows what somebody else changes while it is open', async ({
  page,
  product,
  api,
  browser,
}) => {
  const ben = await loginPage(await (await browser.newContext()).newPage(), product.base, 'ben');
  const { resources } = await api.get(`${apiPath('customers')}?offset=4&limit=2`, listSchema);
  const [mine, other] = resources.map(({ internalId }) => internalId);
  const change = (id: string | undefined, name: string) =>
    ben.send('PATCH', apiPath('customers'), [{ id, revision: 9e9, changes: { name } }], z.unknown());
  await api.send(
    'PATCH',
    apiPath('customers'),
    [{ id: mine, changes: { paymentTermDays: 21 } }],
    z.unknown(),
  );
  await openTable(page, product.base, 'customers');
  await page.getByRole('button', { name: 'Push 1 change' }).click();
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  await review.getByRole('button', { name: 'All', exact: true }).click();
  await expect(review.getByText('1 ready')).toBeVisible();
  await change(mine, 'Ben was here too');
  await expect(review.getByText('Ben was here too').first()).toBeVisible();
  await change(other, 'Ben was there');
  await expect(review.getByText('Ben was there').first()).toBeVisible();
  await expect(review.getByText('2 ready')).toBeVisible();
  await ben.send(
    'DELETE',
    `${apiPath('customers')}/push`,
    { insert: [], update: [other], delete: [] },
    z.unknown(),
  );
  await expect(review.getByText('Ben was there')).toHaveCount(0);
  await expect(review.getByText('1 ready')).toBeVisible();
});

test('axe finds nothing on open menus, and they work by keys', async ({ page, product }) => {
  await openTable(page, product.base, 'customers');
  await (await cell(page, 2, 'Name')).click();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await expectNoViolations(page, 'cell menu');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await header(page, 'Name').click({ button: 'right' });
  await expect(page.getByRole('menu')).toBeVisible();
  await expectNoViolations(page, 'header menu');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  for (const name of ['More of this table', 'View: All records']) {
    await page.getByRole('button', { name }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    await expectNoViolations(page, name);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toHaveCount(0);
  }
  await page.getByRole('button', { name: 'Data' }).click();
  await expect(page.getByRole('link', { name: 'Web Prices' })).toBeVisible();
  await expectNoViolations(page, 'main menu');
});

test('forced colours: the active cell, the selection and the marks of changes stay told apart', async ({
  page,
  product,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await openTable(page, product.base, 'customers');
  const name = await cell(page, 2, 'Name');
  await name.click();
  await page.keyboard.type('In forced colours');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Push 1 change' })).toBeVisible();
  await expect(name).toHaveClass(/is-you/);
  // A picture made of colours would be left out in this mode: an edge stands in for it.
  const styleOf = (selector: string, what: string): Promise<unknown> =>
    page.evaluate(
      `(({ ${what} }) => ${what})(getComputedStyle(document.querySelector('${selector}'), '::before'))`,
    );
  expect(await styleOf('.sg-cell.is-you', 'borderLeftWidth')).toBe('4px');
  const edge = await styleOf('.sg-cell.is-you', 'borderLeftColor');
  expect(edge).not.toBe('rgba(0, 0, 0, 0)');
  expect(edge).not.toBe(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
  await (await cell(page, 5, 'Name')).click();
  await page.keyboard.press('Shift+ArrowDown');
  const [selected, plain] = await Promise.all(
    ['.sg-cell.is-selected', '.sg-cell:not(.is-selected)'].map((selector) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`),
    ),
  );
  expect(selected).not.toBe(plain);
  await expectNoViolations(page, 'forced colours');
});

test('200 % zoom: the table, its buttons and the review are all within reach', async ({ page, product }) => {
  // What 1440 x 900 becomes for the page at 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  await openTable(page, product.base, 'customers');
  const rows = page.locator('[role=row][aria-rowindex] [role=gridcell]:first-child');
  expect(await rows.count()).toBeGreaterThan(4);
  await (await cell(page, 1, 'Name')).click();
  await page.keyboard.type('Zoomed');
  await page.keyboard.press('Enter');
  const push = page.getByRole('button', { name: 'Push 1 change' });
  await expect(push).toBeInViewport({ ratio: 1 });
  const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(sideways).toBeLessThanOrEqual(0);
  await expectNoViolations(page, 'zoomed table');
  await push.click();
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  await expect(review.getByText('Zoomed').first()).toBeInViewport();
  await expect(review.getByRole('button', { name: /^Push 1 change/ })).toBeInViewport({ ratio: 1 });
  await expectNoViolations(page, 'zoomed review');
});
