import { loginApi, testPassword, waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { mendedPrice, walkPriceList } from './support/price-list-walk.ts';
import { setPreference } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

/** Who never chose a company gets the first of the list. */
const firstCompany = { id: 'BE01', acronym: 'ANR' };
const priceSchema = z.object({ value: z.array(z.object({ product: z.string(), price: z.number() })) });

/** Prices of the web shop by article, asked of the sandbox itself. */
async function erpPrices(sandboxUrl: string | null): Promise<Map<string, number>> {
  const pages = await Promise.all(
    [0, 1000].map(async (skip) => {
      const path = `WebPrices?$top=1000&$skip=${skip}&$orderby=product&$select=product,price`;
      const response = await fetch(`${sandboxUrl}/odata/production/Companies('${firstCompany.id}')/${path}`, {
        headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
      });
      return priceSchema.parse(await response.json()).value;
    }),
  );
  return new Map(pages.flat().map(({ product, price }) => [product, price]));
}

/** 3 % more, to the nearest 5 cents, counted in whole cents. */
const raised = (price: number): number => (Math.round((Math.round(price * 100) * 103) / 500) * 5) / 100;

test('[GRID-08] [PEND-09] [PEND-14] [VAL-16] someone who has never seen it raises a price list of 2,000 rows by 3 %, mends the 12 that break a rule, pushes, and the ERP has exactly that', async ({
  browser,
  product,
}) => {
  await addUser(product.home, { username: 'nora', fullName: 'Nora Newcomer', isSuperuser: true });
  const api = await loginApi(product.base, 'nora', testPassword);
  await setPreference(api, 'language', 'EN');
  await setPreference(api, 'options/formats', {
    shortDate: 'dd-mm-yyyy',
    numberFormat: 'commaSeparated',
    fullDate: 'long',
  });
  const table = `/api/v1/data/sandbox-erp/domains/production/companies/${firstCompany.acronym}/web-prices`;
  await waitUntilCached(api, table, 180_000);
  const before = await erpPrices(product.sandboxUrl);
  expect(before.size).toBe(2000);

  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await loginPage(page, product.base, 'nora');
  await walkPriceList(page, product.base);
  await context.close();

  const after = await erpPrices(product.sandboxUrl);
  const wanted = [...before].map(([code, price]) => [
    code,
    raised(price) > mendedPrice ? mendedPrice : raised(price),
  ]);
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(wanted));
  expect(wanted.filter(([, price]) => price === mendedPrice)).toHaveLength(12);
});
