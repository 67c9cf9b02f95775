import fs from 'node:fs';
import path from 'node:path';
import {
  type Api,
  findChromium,
  loginApi,
  skipHints,
  startProductMain,
  testPassword,
  waitUntilCached,
} from '@sluice/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import { walkPriceList } from '../e2e/support/price-list-walk.ts';
import { walkAdministrator, walkAdministratorOn, walkEditor } from './walk-pictures.ts';

/** The pictures of the documentation, taken from the running product on a data folder of its own. */
const folder = path.join(import.meta.dirname, '../docs/pictures');
const collection = 'sandbox-erp/domains/production/companies/UTR/customers';
const table = `/api/v1/data/${collection}`;

const { executablePath, args, env } = await findChromium();
const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
const product = await startProductMain({
  env: { SLUICE_SANDBOX_JOURNAL_ENTRIES: '1000' },
  timeoutMs: 240_000,
});
try {
  const api = await loginApi(product.base, 'admin', testPassword);
  await inEnglish(api);
  await skipHints(api);
  await waitUntilCached(api, table, 120_000);
  await edit(api);
  await takeTable(browser, api);
  await waitUntilCached(api, table.replace('customers', 'web-prices'), 120_000);
  await takeWalk(browser, api);
  await waitUntilCached(api, table.replace('customers', 'suppliers'), 120_000);
  await takeWalks(browser, api);
} finally {
  await browser.close();
  await product.remove();
}

async function inEnglish(api: Api): Promise<void> {
  const formats = { shortDate: 'dd-mm-yyyy', numberFormat: 'commaSeparated', fullDate: 'long' };
  const changes = [
    { op: 'replace', path: 'language', value: 'EN' },
    { op: 'replace', path: 'options/formats', value: formats },
  ];
  await api.send('PATCH', '/api/v1/user/userprefs', changes, z.unknown());
}

/** Changed cells, a broken rule, a pending delete and a new record. */
async function edit(api: Api): Promise<void> {
  const { resources } = await api.get(
    `${table}?limit=20`,
    z.object({ resources: z.array(z.looseObject({ internalId: z.string() })) }),
  );
  const id = (row: number): string => resources[row - 1]?.internalId ?? '';
  const changes = [
    { id: id(2), changes: { name: 'Zonnedonk Bouw Midden B.V.', paymentTermDays: 21 } },
    { id: id(4), changes: { customerGroup: 'wholesale', creditLimit: 82_500 } },
    { id: id(6), changes: { discountPercent: 4.5 } },
    { id: id(8), changes: { discountPercent: 75 } },
    { id: id(13), changes: { priceList: 'PL03', discountPercent: 7.5, paymentTermDays: 45 } },
  ];
  await api.send('PATCH', table, changes, z.unknown());
  await api.send('DELETE', table, { ids: [id(10)] }, z.unknown());
  const added = {
    name: 'Van Rijn Interieur',
    customerGroup: 'retail',
    invoiceMethod: 'post',
    priceList: 'PL02',
  };
  await api.send('POST', table, added, z.unknown());
}

async function openPage(into: Browser, api: Api, size: { width: number; height: number }) {
  const page = await into.newPage({
    viewport: size,
    colorScheme: 'light',
    // A machine without a locale gives browsers a language (`en-US@posix`) of which plots cannot be drawn.
    locale: 'en-GB',
  });
  const cookies = api.cookie().split('; ');
  await page.context().addCookies(
    cookies.map((pair) => {
      const at = pair.indexOf('=');
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: product.base };
    }),
  );
  const picture = async (name: string): Promise<void> => {
    await page.waitForLoadState('networkidle');
    fs.mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' });
    console.log(`docs/pictures/${name}.png`);
  };
  return { page, picture };
}

/** As wide as a screen and as light as a page bears: shown at half its size. */
async function takeLight(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
  fs.writeFileSync(path.join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
  console.log(`docs/pictures/${name}.webp`);
}

async function takeTable(into: Browser, api: Api): Promise<void> {
  const { page, picture } = await openPage(into, api, { width: 1440, height: 900 });
  await page.goto(`${product.base}/data/${collection}`);
  await page.getByText('Zonnedonk Bouw Midden').click();
  await picture('table-light');
  await page.close();
}

/** The walk that docs/walkthrough-price-list.md tells, as its test walks it. */
async function takeWalk(into: Browser, api: Api): Promise<void> {
  const { page, picture } = await openPage(into, api, { width: 1400, height: 790 });
  await walkPriceList(page, product.base, async (name) => await picture(`walk-${name}`));
  await page.close();
}

/** The walks that docs/walk-administrator.md and docs/walk-editor.md tell: the one invites whom the other shows. */
async function takeWalks(into: Browser, api: Api): Promise<void> {
  const { page } = await openPage(into, api, { width: 1440, height: 900 });
  const administrator = async (name: string): Promise<void> =>
    await takeLight(page, `walk-administrator-${name}`);
  await walkAdministrator(page, product.base, api, administrator);
  const invitation = await page.getByRole('dialog').getByLabel('Link').inputValue();
  const size = { width: 1440, height: 900 };
  const eva = await (await into.newContext({ viewport: size, locale: 'en-GB' })).newPage();
  await walkEditor(
    eva,
    product.base,
    invitation,
    async (name) => await takeLight(eva, `walk-editor-${name}`),
  );
  await eva.context().close();
  await walkAdministratorOn(page, administrator);
  await page.close();
}
