import { randomUUID } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import type { Api } from '@sluice/testing';
import { skipHints, waitFor } from '@sluice/testing';
import { z } from 'zod';
import { looks, nameOfLook, shoot, takeOn } from './support/looks.ts';
import { apiPath, discardAll, erp, levels, prepare, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

const listSchema = z.object({
  resources: z.array(z.looseObject({ internalId: z.string(), number: z.string() })),
});
const someSchema = z.object({ total: z.number() });

test.beforeAll(async ({ product }) => {
  await prepare(product.base, ['customers', 'journal-entries']);
});
test.afterAll(async ({ api }) => {
  await setPreference(api, 'language', 'EN');
  await discardAll(api, 'customers');
});

/** One record that went to the ERP, one that it refused, one in conflict. */
async function arrange(api: Api, sandboxUrl: string | null): Promise<void> {
  const table = apiPath('customers');
  const { resources } = await api.get(`${table}?offset=15&limit=3`, listSchema);
  const id = (at: number): string => resources[at]?.internalId ?? '';
  const patch = (changes: Record<string, Record<string, unknown>>) =>
    api.send(
      'PATCH',
      table,
      Object.entries(changes).map(([of, values]) => ({ id: of, changes: values })),
      z.unknown(),
    );
  const holds = async (state: string): Promise<boolean> =>
    (await api.get(`${table}/pending?state=${state}`, someSchema)).total === 1;
  await patch({ [id(0)]: { paymentTermDays: 33 }, [id(1)]: { priceList: 'PL99' } });
  const lists = { insert: [], update: [id(0), id(1)], delete: [] };
  await api.call('POST', `${table}/push`, lists, { 'idempotency-key': randomUUID() });
  await waitFor('the push to be answered', async () => await holds('rejected'));
  await patch({ [id(2)]: { name: 'Changed here B.V.' } });
  await erp(sandboxUrl, 'PATCH', `Customers('${resources[2]?.number}')`, { name: 'Changed there B.V.' });
  await api.send('POST', `${table}/cache`, {}, z.unknown());
  await waitFor('the conflict to be known', async () => await holds('conflict'));
}

/** Each attribute's values are a table of their own, read when it is first opened. Their ids have slashes and spaces. */
const attributes = async (sandboxUrl: string | null): Promise<string[]> =>
  z
    .object({ value: z.array(z.looseObject({ id: z.string() })) })
    .parse((await erp(sandboxUrl, 'GET', 'Attributes')).body)
    .value.map(({ id }) => id);

const valuesAt = (base: string, attribute: string | undefined): string =>
  `${base}/data/${levels}/attribute-values/${encodeURIComponent(attribute ?? '')}`;
/** The bar of a first reading: an error and an empty table have none. */
const readingOf = (page: Page): Locator => page.locator('.gridwrap .bar-line');

async function removeValues(sandboxUrl: string | null, attribute: string): Promise<void> {
  const filter = encodeURIComponent(`attribute eq '${attribute}'`);
  const { body } = await erp(sandboxUrl, 'GET', `AttributeValues?$filter=${filter}`);
  const { value } = z.object({ value: z.array(z.looseObject({ value: z.string() })) }).parse(body);
  for (const one of value)
    await erp(
      sandboxUrl,
      'DELETE',
      `AttributeValues(attribute='${attribute}',value='${encodeURIComponent(one.value)}')`,
    );
}

/** What goes wrong in the sandbox from now on. */
async function faults(sandboxUrl: string | null, list: readonly unknown[]): Promise<void> {
  await fetch(`${sandboxUrl}/admin/faults`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults: list }),
  });
}

test('the table, the review, the results of a push, the question before it is undone, a note that two wrote and an empty table, in both languages, themes and sizes', async ({
  page,
  product,
  api,
}) => {
  test.setTimeout(600_000);
  await arrange(api, product.sandboxUrl);
  const bare = (await attributes(product.sandboxUrl)).at(-1) ?? '';
  await removeValues(product.sandboxUrl, bare);
  const close = async (): Promise<void> => {
    // A question may stand before the dialog that it belongs to.
    await expect(async () => {
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0, { timeout: 1000 });
    }).toPass();
  };
  for (const look of looks) {
    const shot = async (state: string) => await shoot(page, state, look);
    await setPreference(api, 'language', look.language);
    await takeOn(page, look);
    await page.goto(`${product.base}/data/${levels}/customers`);
    await expect(page.locator('.is-conflict').first()).toBeVisible();
    await shot('table');
    await page.locator('.tools .btn.primary').click();
    await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
    await shot('review');
    await close();
    const more = page.getByRole('button', { name: /More of this table|Meer van deze tabel/ });
    await more.click();
    await page.getByRole('menuitem').first().click();
    await page
      .getByRole('button', { name: /^(Undo|Ongedaan maken)/ })
      .first()
      .click();
    await expect(page.getByRole('dialog').locator('[data-autofocus]')).toBeVisible();
    await shot('undo-push');
    await close();
    await more.click();
    await page.getByRole('menuitem').first().click();
    await page
      .getByRole('button', { name: /^(Results|Uitkomst)$/ })
      .first()
      .click();
    await expect(page.getByRole('dialog').locator('.rec').first()).toBeVisible();
    await shot('results');
    await close();

    await page.getByRole('button', { name: /^(Documentation of this table|Documentatie)/ }).click();
    const note = page.getByRole('dialog');
    await note.getByRole('button', { name: /^(Edit|Bewerken)$/ }).click();
    const { resource } = await api.get(
      `${apiPath('customers')}/documentation`,
      z.object({ resource: z.looseObject({ revision: z.number() }) }),
    );
    const theirs = { text: `Theirs, ${nameOfLook(look)}.`, revision: resource.revision };
    await api.send('PATCH', `${apiPath('customers')}/documentation`, theirs, z.unknown());
    await note.getByRole('textbox').fill('Mine.');
    await note.getByRole('button', { name: /^(Save|Opslaan)$/ }).click();
    await expect(note.getByRole('alert')).toBeVisible();
    await shot('documentation-conflict');
    await note.getByRole('button', { name: /^(Cancel|Annuleren)$/ }).click();
    await expect(note.getByRole('textbox')).toHaveCount(0);
    await close();

    await page.goto(valuesAt(product.base, bare));
    await expect(page.getByRole('heading', { name: /^(No records|Geen records)$/i })).toBeVisible({
      timeout: 60_000,
    });
    await shot('empty');
  }
});

test('a table that was not read yet, and a command over all its records on its way, as they look', async ({
  page,
  product,
  api,
}) => {
  test.setTimeout(240_000);
  const [unread] = await attributes(product.sandboxUrl);
  await faults(product.sandboxUrl, [{ kind: 'latency', ms: 30_000, path: 'AttributeValues' }]);
  for (const look of looks) {
    await setPreference(api, 'language', look.language);
    await takeOn(page, look);
    await page.goto(valuesAt(product.base, unread));
    await expect(readingOf(page)).toBeVisible();
    await shoot(page, 'not-cached-yet', look);
  }
  await faults(product.sandboxUrl, []);

  for (const look of looks) {
    await setPreference(api, 'language', look.language);
    await takeOn(page, look);
    await page.goto(`${product.base}/data/${levels}/journal-entries`);
    await expect(page.getByRole('gridcell').first()).not.toBeEmpty();
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/bulk?**', async (route) => {
      await gate;
      await route.abort().catch(() => undefined);
    });
    await page.getByRole('gridcell').nth(4).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').locator('[data-autofocus]').click();
    await expect(page.locator('.jobstrip')).toBeVisible();
    await shoot(page, 'bulk-strip', look);
    // Nothing of it reaches the server, nor a second try: other tests use this table too.
    letGo();
    await page.goto('about:blank');
    await page.unroute('**/bulk?**');
  }
});

test('[PREF-11] a hint waits while how far the first reading of a table is stands in its place', async ({
  page,
  product,
  api,
}) => {
  const [, unread] = await attributes(product.sandboxUrl);
  await faults(product.sandboxUrl, [{ kind: 'latency', ms: 6000, path: 'AttributeValues' }]);
  await setPreference(api, 'language', 'EN');
  await setPreference(api, 'options/tutorial', {});
  await page.goto(valuesAt(product.base, unread));
  const reading = readingOf(page);
  await expect(reading).toBeVisible();
  const hint = page.getByRole('region', { name: /^Hint / });
  // It looks twice a second whether one can be shown.
  const seen: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    await page.waitForTimeout(200);
    if (await reading.isVisible()) seen.push(await hint.count());
  }
  expect(seen).toEqual(Array.from({ length: 8 }, () => 0));
  await faults(product.sandboxUrl, []);
  await expect(reading).toHaveCount(0, { timeout: 60_000 });
  await expect(hint).toBeVisible();
  await skipHints(api);
});
