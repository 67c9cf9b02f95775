import fs from 'node:fs';
import path from 'node:path';
import {
  type Api,
  findChromium,
  loginApi,
  startProductMain,
  testPassword,
  waitUntilCached,
} from '@sluice/testing';
import { chromium } from 'playwright-core';
import { z } from 'zod';

/** The pictures of the documentation, taken from the running product on a data folder of its own. */
const folder = path.join(import.meta.dirname, '../docs/pictures');
const collection = 'sandbox-erp/domains/production/companies/UTR/customers';
const table = `/api/v1/data/${collection}`;

const product = await startProductMain({
  env: { SLUICE_SANDBOX_JOURNAL_ENTRIES: '1000' },
  timeoutMs: 240_000,
});
try {
  const api = await loginApi(product.base, 'admin', testPassword);
  await inEnglish(api);
  await waitUntilCached(api, table, 120_000);
  await edit(api);
  await takePicture(api, 'table-light.png');
} finally {
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

async function takePicture(api: Api, name: string): Promise<void> {
  const { executablePath, args, env } = await findChromium();
  const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
    const cookies = api.cookie().split('; ');
    await page.context().addCookies(
      cookies.map((pair) => {
        const at = pair.indexOf('=');
        return { name: pair.slice(0, at), value: pair.slice(at + 1), url: product.base };
      }),
    );
    await page.goto(`${product.base}/data/${collection}`);
    await page.getByText('Zonnedonk Bouw Midden').click();
    await page.waitForLoadState('networkidle');
    fs.mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: path.join(folder, name) });
    console.log(`docs/pictures/${name}`);
  } finally {
    await browser.close();
  }
}
