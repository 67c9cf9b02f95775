import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { addFunction, mapField } from './support/mapping.ts';
import { addAction, newConnector, pick } from './support/runs.ts';
import { addSystem } from './support/systems.ts';
import { setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });
test.beforeEach(async ({ api }) => await setPreference(api, 'language', 'EN'));

const main = { domain: 'Main', acronym: 'main' };

/** A file as an old spreadsheet writes it: Windows-1252, semicolons, decimal commas. */
const file = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text, 'latin1'),
});

test('files are uploaded into a domain of their own, and are tables that can be opened at once', async ({
  page,
  product,
}) => {
  await addSystem(page, product.base, { kind: 'upload', name: 'Price files', ...main });
  await expect(page.getByText('Files can be added once the domain is saved.')).toBeVisible();
  await expect(page.getByLabel(/^Address/)).toHaveCount(0);
  await page.getByLabel('Keys', { exact: true }).fill('prices: code');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/domains\/.+\/edit/);
  await page
    .locator('input[type=file]')
    .setInputFiles(file('prices.csv', 'code;naam;prijs\n001;Café Zürich;1.234,50\n002;Ünal;9,95\n'));
  await expect(page.getByRole('cell', { name: 'prices.csv', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toContainText('WINDOWS-1252');
  await expectNoViolations(page, 'domain form with files');

  await page.goto(`${product.base}/data/price-files/folders/main/prices`);
  await expect(page.getByRole('gridcell', { name: 'Café Zürich' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('gridcell', { name: '001' })).toBeVisible();
  await expect(page.getByText('Price files does not allow changes to these records.')).toBeVisible();
});

test('a watched folder is read where it may be, its new records come into the table when they are wanted, and a file that comes later becomes a table too', async ({
  page,
  product,
  api,
  fileRoot,
}) => {
  const folder = path.join(fileRoot, 'out');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'stock.csv'), 'code,count\nA1,12\nB2,7\n');
  await addSystem(page, product.base, { kind: 'folder', name: 'Warehouse', ...main });
  const input = page.getByLabel(/^Folder/);
  await input.fill('/etc');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.bad')).toContainText('/etc');
  await input.fill(folder);
  await page.getByLabel('Keys', { exact: true }).fill('stock: code');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toContainText('Stock (files: 1, columns: 2');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
  const domains = page.url();
  await page.goto(`${product.base}/data/warehouse/folders/main/stock`);
  await expect(page.getByRole('gridcell', { name: 'B2' })).toBeVisible({ timeout: 30_000 });

  fs.appendFileSync(path.join(folder, 'stock.csv'), 'C3,31\n');
  await page.getByRole('button', { name: 'Read anew from Warehouse' }).click();
  await expect(page.getByRole('gridcell', { name: 'C3' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('3 records')).toBeVisible();
  // What comes by itself, or because somebody else asked, moves nobody's rows before he wants it.
  fs.appendFileSync(path.join(folder, 'stock.csv'), 'AA,5\nD4,8\n');
  await api.send('POST', '/api/v1/data/warehouse/folders/main/stock/cache', undefined, z.unknown());
  const more = page.getByRole('button', { name: 'Show 2 new records' });
  await expect(more).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('gridcell', { name: 'D4' })).toHaveCount(0);
  await more.click();
  await expect(page.getByRole('gridcell', { name: 'D4' })).toBeVisible();
  await expect(page.getByText('5 records')).toBeVisible();
  await expect(more).toHaveCount(0);
  // Where a filter is set, the button does not promise rows that the filter leaves out.
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const popover = page.getByRole('dialog');
  await popover.getByLabel('Column').selectOption({ label: 'code' });
  await popover.getByLabel('Value', { exact: true }).fill('4');
  await popover.getByRole('button', { name: 'Apply' }).click();
  await expect(page.locator('.foot').getByText('match')).toHaveText('1 match');
  fs.appendFileSync(path.join(folder, 'stock.csv'), 'E4,1\nF6,2\n');
  await api.send('POST', '/api/v1/data/warehouse/folders/main/stock/cache', undefined, z.unknown());
  await page.getByRole('button', { name: '2 new records: show those that match' }).click({ timeout: 30_000 });
  await expect(page.getByRole('gridcell', { name: 'E4' })).toBeVisible();
  await expect(page.getByRole('gridcell', { name: 'F6' })).toHaveCount(0);
  fs.writeFileSync(path.join(folder, 'prices.csv'), 'code,price\nA1,2.50\n');
  await page.goto(domains);
  await page.getByRole('button', { name: 'Actions: Main' }).click();
  await page.getByRole('menuitem', { name: 'Read everything anew' }).click();
  await expect(async () => {
    await page.goto(`${product.base}/data/warehouse/folders/main/prices`);
    await expect(page.getByRole('gridcell', { name: 'A1' })).toBeVisible({ timeout: 3000 });
  }).toPass({ timeout: 60_000 });
});

test('[XFORM-06] a lookup in a table that nobody has opened: its preview waits until the table has been read, and names what is not in it', async ({
  page,
  product,
  fileRoot,
}) => {
  const folder = path.join(fileRoot, 'lookup');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'vendors.csv'), 'name,place\nAnna,DLF\nBert,UTR\nCees,XXX\n');
  fs.writeFileSync(path.join(folder, 'places.csv'), 'code,town\nDLF,Delft\nUTR,Utrecht\n');
  await addSystem(page, product.base, { kind: 'folder', name: 'Office', ...main });
  await page.getByLabel(/^Folder/).fill(folder);
  await page.getByLabel('Keys', { exact: true }).fill('vendors: name\nplaces: code');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
  await newConnector(page, product.base, {
    name: 'Office to ERP',
    source: ['Office', 'Main'],
    target: ['Sandbox ERP', 'Production', 'Van Doorn Groothandel Utrecht'],
  });
  await addAction(page, { name: 'Vendors', source: 'vendors', target: 'Suppliers' });
  const refused = page.waitForResponse(
    (response) => response.url().endsWith('/lookup') && response.status() === 503,
  );
  await mapField(page, 'City', 'place');
  await addFunction(page, 'Look up in the source system');
  await pick(page, 'Collection', 'places');
  await pick(page, 'Field to search', 'code');
  await pick(page, 'Field to return', 'town');
  await refused;
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview.getByRole('cell', { name: 'Delft' })).toBeVisible();
  await expect(page.getByTestId('count-ok')).toHaveText('2');
  await expect(preview.getByText("No record with 'XXX' in Places")).toBeVisible();
});

test('what is wrong with the settings of a database stands at its field, and a domain without companies asks for none', async ({
  page,
  product,
}) => {
  await addSystem(page, product.base, { kind: 'postgresql', name: 'Web shop', ...main });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel(/^Address/)).toHaveAccessibleDescription('A value is required');
  await page.getByLabel(/^Address/).fill('postgresql://127.0.0.1:1');
  await expect(page.getByLabel(/^Address/)).not.toHaveAccessibleDescription('A value is required');
  await expect(page.getByLabel(/^Database/)).toHaveAccessibleDescription('A value is required');
  await page.getByLabel(/^Database/).fill('shop');
  await page.getByLabel(/^Username/).fill('shop');
  await expect(page.getByLabel('Certificate of the authority (PEM)')).toBeVisible();
  await page.getByLabel('Encryption').selectOption('off');
  await expect(page.getByLabel('Certificate of the authority (PEM)')).toHaveCount(0);
  await page.getByLabel('Queries', { exact: true }).fill('late: select * from orders where id = $1');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The query “late” has a parameter ($1)')).toBeVisible();
  await expectNoViolations(page, 'domain form of a database');

  await page.getByLabel('Queries', { exact: true }).fill('late: select * from orders');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
  await expect(page.getByText('Invalid credentials or URL')).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Companies' })).toHaveCount(0);
});

test('a profile of a REST service is drafted from an OpenAPI document, which says what it leaves open', async ({
  page,
  product,
}) => {
  await addSystem(page, product.base, { kind: 'rest', name: 'Shop service', ...main });
  await page.getByLabel('Sign in with').selectOption('headers');
  await expect(page.getByLabel(/^Headers/)).toBeVisible();
  await page.getByLabel('Sign in with').selectOption('none');
  await page.getByLabel(/^Address/).fill('http://127.0.0.1:1/api');
  await page.getByRole('button', { name: 'Start from: OpenAPI document…' }).click();
  await page.getByLabel('OpenAPI document').fill('swagger: "2.0"');
  await page.getByRole('button', { name: 'Make a draft' }).click();
  await expect(page.getByText('This is no JSON')).toBeVisible();
  const order = { type: 'object', properties: { number: { type: 'string' }, total: { type: 'number' } } };
  const content = { 'application/json': { schema: { type: 'array', items: order } } };
  const document = { openapi: '3.1.0', paths: { '/orders': { get: { responses: { 200: { content } } } } } };
  await page.getByLabel('OpenAPI document').fill(JSON.stringify(document));
  await page.getByRole('button', { name: 'Make a draft' }).click();
  await expect(page.getByText('orders: no way of paging found')).toBeVisible();
  await expect(page.getByLabel(/^Profile/)).toHaveValue(/"code": "orders"/);
  await expectNoViolations(page, 'domain form of a REST service');

  const drafted = await page.getByLabel(/^Profile/).inputValue();
  await page.getByLabel(/^Profile/).fill(drafted.replace('"orders"', '12'));
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(/Line 7, collections\.0\.code/)).toBeVisible();
  await page.getByLabel(/^Profile/).fill(drafted);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
});
