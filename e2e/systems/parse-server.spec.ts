import type { Page } from '@playwright/test';
import { tableOf, waitUntilCached } from '@sluice/testing';
import { findParseServerProblem, type ParseServer, startParseServer } from '@sluice/testing/parse-server';
import {
  cityless,
  fillShop,
  shopAccount as account,
  shopCredit as credit,
  shopName as nameOf,
  shopObjects,
  shopProfile,
} from '@sluice/testing/parse-shop';
import { z } from 'zod';
import { addFunction, mapField, saveMappings, targetField } from '../support/mapping.ts';
import { addAction, newConnector, pushRun, runNow, tryRun } from '../support/runs.ts';
import { addSystem, needSystem } from '../support/systems.ts';
import { apiPath, erp, setPreference } from '../support/table.ts';
import { expect, test } from '../support/test.ts';

const count = 60;

const problem = findParseServerProblem();
let server: ParseServer | undefined;

test.beforeAll(async () => {
  needSystem('a REST service in the browser', problem);
  server = await startParseServer();
  await fillShop(server, count);
});
test.afterAll(async () => await server?.stop());

const suppliersSchema = z.object({
  value: z.array(
    z.object({
      name: z.string(),
      iban: z.string(),
      currency: z.string(),
      isPreferred: z.boolean(),
      address: z.object({ city: z.string().nullish() }).nullable(),
    }),
  ),
});

/** Suppliers of the sandbox that came from the service, asked past the product. */
async function inErp(sandboxUrl: string | null) {
  const { body } = await erp(
    sandboxUrl,
    'GET',
    `Suppliers?$filter=minimumOrder eq ${credit}&$orderby=iban&$top=500`,
  );
  return suppliersSchema.parse(body).value;
}

async function connectService(page: Page, base: string, { url, restKey }: ParseServer): Promise<void> {
  await addSystem(page, base, { kind: 'rest', name: 'Customer service', domain: 'Main', acronym: 'main' });
  await page.getByLabel(/^Address/).fill(url);
  await page.getByLabel('Sign in with').selectOption({ label: 'Headers' });
  await page.getByLabel(/^Headers/).fill('X-Parse-Application-Id: sluice\nX-Parse-REST-API-Key: {secret}');
  await page.getByLabel(/^Password, token or key/).fill('wrong');
  await page.getByLabel(/^Profile/).fill(JSON.stringify(shopProfile(25), null, 2));
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.bad')).toContainText('unauthorized');
  await page.getByLabel(/^Password, token or key/).fill(restKey);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toContainText('Connected');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
}

const service = ['Customer service', 'Main'];
const sandbox = ['Sandbox ERP', 'Production', 'Van Doorn Groothandel Utrecht'];

test('[CONN-01] [MAP-11] [RUN-01] [RUN-02] [PEND-13] objects of a REST service become suppliers of the sandbox and suppliers become objects, all on the screens: tried, run, pushed in batches, run again, followed, and what the service refuses is mended in the table', async ({
  page,
  product,
  api,
}) => {
  if (!server) throw new Error('parse-server is not there');
  const rest = server;
  await setPreference(api, 'language', 'EN');
  const suppliers = tableOf(api, apiPath('suppliers'));
  await waitUntilCached(api, suppliers.path, 180_000);
  await connectService(page, product.base, rest);

  // There: what the service has becomes suppliers.
  const there = await newConnector(page, product.base, {
    name: 'Service to ERP',
    source: service,
    target: sandbox,
  });
  await addAction(page, { name: 'Suppliers', source: 'Customer', target: 'Suppliers' });
  await mapField(page, 'Name', 'name');
  await addFunction(page, 'Trim');
  await mapField(page, 'IBAN', 'number');
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await targetField(page, 'Currency').click();
  await page.getByRole('button', { name: 'Constant', exact: true }).click();
  await page.getByLabel('Constant', { exact: true }).selectOption({ label: 'Euro' });
  await mapField(page, 'Minimum order', 'credit');
  await mapField(page, 'Preferred', 'isActive');
  await mapField(page, 'City', 'address.city');
  await expect(page.getByTestId('count-ok')).toHaveText(String(count - 1));
  await saveMappings(page);

  await page.goto(there);
  const tried = await tryRun(page, 'Suppliers', count);
  expect(await suppliers.pending()).toEqual([]);
  expect(await runNow(page, 'Suppliers', 1)).toContain(`${count} new`);
  const made = new Map((await suppliers.where('minimumOrder', credit)).map((one) => [one['iban'], one]));
  for (const said of tried) expect(made.get(said['iban'])).toMatchObject({ name: said['name'] });
  expect(await inErp(product.sandboxUrl)).toEqual([]);
  await pushRun(page, { action: 'Suppliers', number: 1, changes: count, erp: 'Sandbox ERP' });
  const wanted = (n: number) => ({
    name: nameOf(n),
    iban: account(n),
    currency: 'EUR',
    isPreferred: n % 2 === 0,
    address: { city: n === cityless ? null : 'Zwolle' },
  });
  const first = await inErp(product.sandboxUrl);
  expect(first).toHaveLength(count);
  for (const [index, supplier] of first.entries()) expect(supplier).toMatchObject(wanted(index + 1));

  await page.goto(there);
  expect(await runNow(page, 'Suppliers', 2)).toContain(`${count} unchanged`);
  const customers = await shopObjects(rest, 'Customer');
  const idOf = (n: number): string | undefined =>
    customers.find(({ number }) => number === account(n))?.objectId;
  await rest.call('PUT', `classes/Customer/${idOf(3)}`, { name: 'Renamed' });
  await rest.call('DELETE', `classes/Customer/${idOf(count)}`);
  const third = await runNow(page, 'Suppliers', 3);
  expect(third).toContain('1 changed');
  expect(third).toContain('1 deleted');
  await pushRun(page, { action: 'Suppliers', number: 3, changes: 2, erp: 'Sandbox ERP' });
  const after = await inErp(product.sandboxUrl);
  expect(after).toHaveLength(count - 1);
  expect(after[2]).toMatchObject({ name: 'Renamed', iban: account(3) });

  // And back: those suppliers become contacts of the service, in batches; one of them it refuses.
  const back = await newConnector(page, product.base, {
    name: 'ERP to service',
    source: sandbox,
    target: service,
  });
  // Nobody has opened the contacts yet. Mapping needs nothing of them; a run waits for their first reading, and says so.
  rest.pause();
  await addAction(page, { name: 'Contacts', source: 'Suppliers', target: 'Contact' });
  await mapField(page, 'number', 'IBAN');
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await mapField(page, 'name', 'Name');
  await mapField(page, 'category', 'City');
  await mapField(page, 'credit', 'Minimum order');
  await mapField(page, 'isActive', 'Preferred');
  await expect(page.getByTestId('count-ok')).toHaveText(/^[1-9]/);
  await saveMappings(page);
  await page.goto(back);
  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run Contacts Now' });
  await expect(dialog).toContainText('Contact is being read for the first time.');
  await expect(dialog.getByRole('button', { name: 'Start' })).toBeDisabled();
  rest.goOn();
  await expect(dialog.getByRole('button', { name: 'Start' })).toBeEnabled({ timeout: 60_000 });
  await page.keyboard.press('Escape');
  const only = { field: 'Minimum order', value: String(credit) };
  const sent = count - 1;
  expect(await runNow(page, 'Contacts', 1, only)).toContain(`${sent} new`);
  expect(await shopObjects(rest, 'Contact')).toEqual([]);
  await pushRun(page, {
    action: 'Contacts',
    number: 1,
    changes: sent,
    refused: 1,
    erp: 'Customer service',
  });
  const contacts = await shopObjects(rest, 'Contact');
  expect(contacts).toHaveLength(sent - 1);
  for (const one of contacts) {
    const supplier = after.find(({ iban }) => iban === one.number);
    expect(one).toMatchObject({
      name: supplier?.name,
      category: supplier?.address?.city,
      credit,
      isActive: supplier?.isPreferred,
    });
  }
  expect(contacts.some(({ number }) => number === account(cityless))).toBe(false);

  // The refusal says what is wrong and where; mended in the table it goes.
  const contactsPath = `/api/v1${new URL(page.url()).pathname}`;
  const [refused, ...others] = await tableOf(api, contactsPath).pending();
  expect(others).toEqual([]);
  expect(refused?.pushErrors).toMatchObject([{ errCode: '142', field: 'category' }]);
  await page.getByRole('button', { name: 'Results', exact: true }).click();
  const results = page.getByRole('dialog', { name: 'Results of the Push' });
  await expect(results).toContainText('category is required');
  await results.getByRole('button', { name: 'Show in table' }).click();
  await page.keyboard.type('Assen');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Push 1 change' }).click();
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  // Mended, it is chosen as soon as the list is there.
  await expect(review.getByRole('checkbox').first()).toBeChecked();
  await review.getByRole('button', { name: 'Push 1 change' }).click();
  await expect(page.getByText('1 change pushed to Customer service')).toBeVisible({ timeout: 60_000 });
  const mended = await shopObjects(rest, 'Contact');
  expect(mended).toHaveLength(sent);
  expect(mended.find(({ number }) => number === account(cityless))).toMatchObject({ category: 'Assen' });
});
