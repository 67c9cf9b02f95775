import type { Page } from '@playwright/test';
import { type Api, waitFor, waitUntilCached } from '@sluice/testing';
import { startTryton, type TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { seedParties } from '@sluice/testing/tryton-seed';
import { z } from 'zod';
import { connectTrytonByScreens, needSystem } from '../support/systems.ts';
import { cell, setPreference } from '../support/table.ts';
import { expect, test } from '../support/test.ts';

const parties = 'party.party';
const problem = findTrytonProblem();
let tryton: TrytonServer | undefined;

test.beforeAll(async () => {
  needSystem('Tryton in the browser', problem);
  tryton = await startTryton();
  await seedParties(tryton.rpc, 520, 'Party');
});
test.afterAll(async () => await tryton?.stop());

const toClipboard = async (page: Page, text: string): Promise<void> =>
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);

/** Pastes lines with the cell of that row and column as the upper left one. */
async function paste(page: Page, row: number, column: string, lines: readonly string[]): Promise<void> {
  await toClipboard(page, lines.join('\n'));
  await (await cell(page, row, column)).click();
  await page.keyboard.press('Control+v');
}

/** API path of the parties of the first company. */
async function partiesPath(api: Api, systemUrl: string): Promise<string> {
  const levels = z.object({ uriAcronym: z.string() });
  const { resources } = await api.get(
    '/api/v1/user/external-systems?limit=-1&offset=0',
    z.object({
      resources: z.array(
        z.object({
          url: z.string(),
          systemLevelOptions: z.array(levels.extend({ children: z.array(levels) })),
        }),
      ),
    }),
  );
  const domain = resources.find(({ url }) => url === systemUrl)?.systemLevelOptions[0];
  expect(domain?.children).toHaveLength(2);
  return `data/${systemUrl}/domains/${domain?.uriAcronym}/companies/${domain?.children[0]?.uriAcronym}/party-party`;
}

test('[DOM-05] [PEND-17] [GRID-18] a Tryton connected in the browser, two companies on: 500 parties changed, 50 added of which 5 break a rule, 3 deleted, pushed', async ({
  page,
  product,
  api,
}) => {
  if (!tryton) throw new Error('Tryton is not there');
  await setPreference(api, 'language', 'EN');
  const systemUrl = await connectTrytonByScreens(page, product.base, tryton, 'Wholesale');
  const path = await partiesPath(api, systemUrl);
  await waitUntilCached(api, `/api/v1/${path}`, 180_000);
  // Made behind Sluice's back: only Tryton can know that their codes are taken.
  await tryton.rpc.create(
    parties,
    Array.from({ length: 5 }, (_, index) => ({ name: `Hidden ${index}`, code: `TAKEN-${index}` })),
  );
  const before = await tryton.rpc.search(parties, [], ['name', 'code', '_timestamp']);

  await page.goto(`${product.base}/${path}`);
  await expect(page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').first()).not.toBeEmpty();
  // The first are the companies' own parties, which Tryton does not let go.
  await (await cell(page, 4, 'Name')).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('Delete');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(page.getByText('3 deleted')).toBeVisible();

  const renamed = Array.from({ length: 500 }, (_, index) => `Renamed ${index}`);
  await paste(page, 7, 'Name', renamed);
  await expect(page.getByRole('button', { name: 'Push 503 changes' })).toBeVisible({ timeout: 60_000 });

  await page.getByRole('button', { name: 'How many rows' }).click();
  await page.getByLabel('Rows to add').fill('50');
  await page.getByRole('button', { name: 'Add 50 rows' }).click();
  const news = Array.from({ length: 50 }, (_, index) => `New ${index}`);
  await paste(page, 1, 'Name', news);
  await expect(page.getByRole('button', { name: 'Push 553 changes' })).toBeVisible({ timeout: 60_000 });
  const codes = news.map((_, index) => (index % 10 === 3 ? `TAKEN-${(index - 3) / 10}` : `N-${index}`));
  await paste(page, 1, 'Code', codes);

  await page.getByRole('button', { name: 'Push 553 changes' }).click();
  const review = page.getByRole('dialog');
  await review.getByRole('button', { name: /^Push 553 changes/ }).click();
  const pendingTotal = async (): Promise<number> =>
    (await api.get(`/api/v1/${path}/pending`, z.object({ total: z.number() }))).total;
  await waitFor('five to be left', async () => (await pendingTotal()) === 5, 180_000);

  // Tryton refused the five; its own message stands at the field, one click away.
  await page.getByRole('button', { name: 'Results' }).click({ timeout: 60_000 });
  const results = page.getByRole('dialog');
  await expect(results.getByRole('button', { name: 'Show in table' })).toHaveCount(5);
  await expect(results.getByRole('listitem').first()).toContainText(/Code: .*must be unique/);
  await results.getByRole('button', { name: 'Show in table' }).first().click();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // Tryton asked by code that shares nothing with the adapter.
  const after = await tryton.rpc.search(parties, [], ['name', 'code', '_timestamp']);
  const names = after.map((row) => String(row['name']));
  expect(names.filter((name) => name.startsWith('Renamed ')).toSorted()).toEqual(renamed.toSorted());
  const wanted = news.filter((_, index) => index % 10 !== 3);
  expect(names.filter((name) => name.startsWith('New ')).toSorted()).toEqual(wanted.toSorted());
  expect(after).toHaveLength(before.length + 45 - 3);
  const now = new Map(after.map((row) => [row['id'], row]));
  const gone = before.filter(({ id }) => !now.has(id));
  expect(gone).toHaveLength(3);
  const untouched = before.filter(
    ({ id }) => now.has(id) && !String(now.get(id)?.['name']).startsWith('Renamed '),
  );
  expect(untouched).toHaveLength(before.length - 503);
  for (const row of untouched) expect(now.get(row.id)).toEqual(row);
});
