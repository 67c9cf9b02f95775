import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { tableOf, waitUntilCached } from '@sluice/testing';
import { findSshdProblem, type SftpServer, startSshd } from '@sluice/testing/sshd';
import { z } from 'zod';
import { mapField, saveMappings, targetField } from '../support/mapping.ts';
import { addAction, newConnector, pushRun, runNow, tryRun } from '../support/runs.ts';
import { addSystem, needSystem } from '../support/systems.ts';
import { apiPath, erp, setPreference } from '../support/table.ts';
import { expect, test } from '../support/test.ts';

interface Article {
  code: string;
  name: string;
  salesPrice: number;
  purchasePrice: number;
  unit: string;
  /** ISO. */
  availableFrom: string;
}

const count = 100;
const code = (n: number): string => `OUD${String(n).padStart(4, '0')}`;
const names = ['Crème brûlée à € 5', 'Noël “extra”', 'Façade; Groß', 'Coëfficiënt ½', 'Œuvre – Ångström'];

/** All that may be misread: letters beyond ASCII, 1.001 for a thousand and one, the third of April as the fourth of March. */
const article = (n: number): Article => ({
  code: code(n),
  name: `${names[n % names.length]} ${n}`,
  salesPrice: (n * 1237 + 5) / 100,
  purchasePrice: 1000 + n,
  unit: n % 3 === 0 ? 'kg' : 'box',
  availableFrom: `2027-${String(1 + ((n * 5) % 12)).padStart(2, '0')}-${String(1 + (n % 12)).padStart(2, '0')}`,
});

/** The bytes of an old program: Windows-1252 has letters where Latin-1 has none. */
const windows1252 = (text: string): Buffer => {
  const own = new Map([...'€“”–Œ'].map((letter, i) => [letter, [0x80, 0x93, 0x94, 0x96, 0x8c][i] ?? 0]));
  return Buffer.from(Array.from(text, (letter) => own.get(letter) ?? letter.charCodeAt(0)));
};

const dutch = (value: number, digits: number): string =>
  new Intl.NumberFormat('nl-NL', { minimumFractionDigits: digits }).format(value);

function write(server: SftpServer, articles: readonly Article[]): void {
  const lines = articles.map((one) =>
    [
      one.code,
      `"${one.name}"`,
      dutch(one.salesPrice, 2),
      dutch(one.purchasePrice, 0),
      one.unit,
      one.availableFrom.split('-').toReversed().join('-'),
    ].join(';'),
  );
  const text = ['artikel;omschrijving;verkoopprijs;inkoopprijs;eenheid;leverbaar', ...lines, ''].join('\r\n');
  writeFileSync(join(server.folder, 'artikelen.csv'), windows1252(text));
}

const answerSchema = z.object({
  value: z.array(
    z.object({
      code: z.string(),
      name: z.string(),
      category: z.string(),
      salesPrice: z.number(),
      purchasePrice: z.number(),
      unit: z.string(),
      availableFrom: z.string(),
    }),
  ),
});

/** The articles of the file as the sandbox has them, asked past the product. */
async function inErp(sandboxUrl: string | null) {
  const { body } = await erp(
    sandboxUrl,
    'GET',
    `Products?$filter=startswith(code,'OUD')&$orderby=code&$top=500`,
  );
  return answerSchema.parse(body).value;
}
const wanted = (articles: readonly Article[]) => articles.map((one) => ({ ...one, category: 'coffee' }));

const problem = findSshdProblem();
let server: SftpServer | undefined;

test.beforeAll(async () => {
  needSystem('files over SFTP in the browser', problem);
  server = await startSshd();
});
test.afterAll(async () => await server?.stop());

/** The folder on its screen: with a key, and the server’s own key as the test of the connection shows it. */
async function connectFolder(page: Page, base: string, { port, ...sftp }: SftpServer): Promise<void> {
  await addSystem(page, base, { kind: 'sftp', name: 'Old program', domain: 'Export', acronym: 'export' });
  await page.getByLabel(/^Address/).fill(`sftp://127.0.0.1:${port}${sftp.folder}`);
  await page.getByLabel(/^Username/).fill(sftp.username);
  await page.getByLabel('Private key').fill(sftp.privateKey);
  await page.getByLabel('Keys', { exact: true }).fill('artikelen: artikel');
  const answer = page.locator('output.good');
  const tryOut = page.getByRole('button', { name: 'Test connection' });
  await tryOut.click();
  await expect(answer).toContainText('are to be read: inkoopprijs, leverbaar.');
  await page.getByLabel('Encoding').selectOption({ label: 'Windows-1252 (Western European)' });
  await page.getByLabel('Delimiter').selectOption({ label: 'Semicolon ;' });
  await page.getByLabel('Numbers').selectOption({ label: '1.234,5' });
  await page.getByLabel('Dates').selectOption({ label: 'dd-mm-yyyy' });
  await expect(answer).toHaveCount(0);
  await tryOut.click();
  await expect(answer).toContainText('Artikelen (files: 1, columns: 6, WINDOWS-1252');
  await expect(answer).not.toContainText('are to be read');
  await expect(answer).toContainText(sftp.fingerprint);
  await page.getByRole('button', { name: 'Fill in: Key of the server' }).click();
  await expect(page.getByLabel('Key of the server', { exact: true })).toHaveValue(sftp.fingerprint);
  await expect(tryOut).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(answer).toContainText('Connected');
  await expect(answer).not.toContainText(sftp.fingerprint);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
}

test('[CONN-01] [MAP-04] [MAP-06] [MAP-11] [RUN-01] [RUN-02] a file of an old program on an SFTP server becomes products of the sandbox, all on the screens: letters, decimal commas and dates as they are meant, tried, run, pushed, run again, and followed when the file changes', async ({
  page,
  product,
  api,
}) => {
  if (!server) throw new Error('OpenSSH is not there');
  const articles = Array.from({ length: count }, (_, index) => article(index + 1));
  write(server, articles);
  await setPreference(api, 'language', 'EN');
  const products = tableOf(api, apiPath('products'));
  await waitUntilCached(api, products.path, 180_000);
  await connectFolder(page, product.base, server);

  const connectorUrl = await newConnector(page, product.base, {
    name: 'Old program to ERP',
    source: ['Old program', 'Export'],
    target: ['Sandbox ERP', 'Production', 'Van Doorn Groothandel Utrecht'],
  });
  await addAction(page, { name: 'Articles', source: 'Artikelen', target: 'Products' });
  await mapField(page, 'Product code', 'artikel');
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await mapField(page, 'Name', 'omschrijving');
  await mapField(page, 'Sales price', 'verkoopprijs');
  await mapField(page, 'Purchase price', 'inkoopprijs');
  await mapField(page, 'Unit', 'eenheid');
  await mapField(page, 'Available from', 'leverbaar');
  await expect(page.getByTestId('count-ok')).toHaveText(String(count));
  await targetField(page, 'Category').click();
  await page.getByRole('button', { name: 'Constant', exact: true }).click();
  await page.getByLabel('Constant', { exact: true }).selectOption({ label: 'Coffee and tea' });
  await saveMappings(page);

  // What the test run says of each line is what the run makes; neither reaches the ERP.
  await page.goto(connectorUrl);
  const tried = await tryRun(page, 'Articles', count);
  expect(await products.pending()).toEqual([]);
  expect(await runNow(page, 'Articles', 1)).toContain(`${count} new`);
  const made = new Map(
    (
      await products.find(
        'limit=100&noTotal=true&filter=[{"field":"code","operator":"beginsWith","value":"OUD"}]',
      )
    ).map((record) => [record['code'], record]),
  );
  for (const said of tried) expect(made.get(said['code'])).toMatchObject(said);
  expect(await inErp(product.sandboxUrl)).toEqual([]);
  await pushRun(page, { action: 'Articles', number: 1, changes: count, erp: 'Sandbox ERP' });
  expect(await inErp(product.sandboxUrl)).toEqual(wanted(articles));

  // A second run finds nothing to do; what changes, comes and goes in the file, and only that, follows.
  await page.goto(connectorUrl);
  expect(await runNow(page, 'Articles', 2)).toContain(`${count} unchanged`);
  expect(await products.pending()).toEqual([]);
  const later = [
    ...articles
      .filter((one) => one.code !== code(40))
      .map((one) =>
        one.code === code(7) ? { ...one, name: 'Maïs, geroosterd €', salesPrice: 12345.67 } : one,
      ),
    article(count + 1),
  ];
  write(server, later);
  const third = await runNow(page, 'Articles', 3);
  expect(third).toContain('1 new');
  expect(third).toContain('1 changed');
  expect(third).toContain('1 deleted');
  expect(third).toContain(`${count - 2} unchanged`);
  await pushRun(page, { action: 'Articles', number: 3, changes: 3, erp: 'Sandbox ERP' });
  expect(await inErp(product.sandboxUrl)).toEqual(wanted(later));
  expect(await products.pending()).toEqual([]);
});
