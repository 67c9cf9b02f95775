import type { Page } from '@playwright/test';
import { type Api, tableOf, waitFor, waitUntilCached } from '@sluice/testing';
import { findMariaDbProblem, type MariaDbServer, startMariaDb } from '@sluice/testing/mariadb';
import { startTryton, type TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { z } from 'zod';
import { addFunction, mapField, saveMappings } from '../support/mapping.ts';
import { addAction, newConnector, pick, pushRun, runNow, tryRun } from '../support/runs.ts';
import { addSystem, connectTrytonByScreens, needSystem } from '../support/systems.ts';
import { setPreference } from '../support/table.ts';
import { expect, test } from '../support/test.ts';

const rows = 60;
/** A name of its own: the systems of other tests stay behind in the product. */
const erp = 'Party ERP';
const problem = findMariaDbProblem() ?? findTrytonProblem();
let shop: MariaDbServer | undefined;
let tryton: TrytonServer | undefined;

test.beforeAll(async () => {
  needSystem('a web shop in MariaDB and Tryton', problem);
  shop = await startMariaDb();
  shop.sql(`create database webshop; create user reader@localhost identified by 'reader';
    grant select on webshop.* to reader@localhost; use webshop;
    create table customer (id int primary key, number varchar(20) not null unique, first_name varchar(60),
      last_name varchar(60), street varchar(80), place char(3));
    insert into customer select seq, concat('W', lpad(seq, 4, '0')), if(seq % 5 = 0, null, concat('Voornaam', seq)),
      if(seq = 10, null, concat('  de Vries-', seq)), concat('Damrak ', seq), elt(1 + seq % 3, 'AMS', 'UTR', 'GRO')
      from seq_1_to_${rows};`);
  tryton = await startTryton();
});
test.afterAll(async () => {
  await shop?.stop();
  await tryton?.stop();
});

async function connectShop(page: Page, base: string, { port }: MariaDbServer): Promise<void> {
  await addSystem(page, base, { kind: 'mysql', name: 'Web shop', domain: 'Main', acronym: 'main' });
  await page.getByLabel(/^Address/).fill(`mysql://127.0.0.1:${port}`);
  await page.getByLabel(/^Database/).fill('webshop');
  await page.getByLabel(/^Username/).fill('reader');
  await page.getByLabel(/^Password/).fill('reader');
  await page.getByLabel('Encryption').selectOption('off');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toContainText('MariaDB');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
}

/** Paths of the first company's tables in the API. */
async function tablesOf(api: Api, systemUrl: string) {
  const level = z.object({ uriAcronym: z.string() });
  const { resources } = await api.get(
    '/api/v1/user/external-systems?limit=-1&offset=0',
    z.object({
      resources: z.array(
        z.object({
          url: z.string(),
          systemLevelOptions: z.array(
            level.extend({ children: z.array(level.extend({ name: z.string() })) }),
          ),
        }),
      ),
    }),
  );
  const domain = resources.find(({ url }) => url === systemUrl)?.systemLevelOptions[0];
  const company = domain?.children[0];
  const path = `/api/v1/data/${systemUrl}/domains/${domain?.uriAcronym}/companies/${company?.uriAcronym}`;
  return { company: company?.name ?? '', parties: `${path}/party-party`, addresses: `${path}/party-address` };
}

const number = (n: number): string => `W${String(n).padStart(4, '0')}`;
const nameOf = (n: number): string =>
  n === 10 ? 'Unknown customer' : `${n % 5 === 0 ? '' : `Voornaam${n} `}de Vries-${n}`;

test('[CONN-01] [MAP-03] [MAP-10] [XFORM-06] [RUN-01] [RUN-02] a web shop in MariaDB becomes parties and addresses of Tryton, all on the screens: tried, run, pushed, run again, changed and deleted', async ({
  page,
  product,
  api,
}) => {
  if (!shop || !tryton) throw new Error('MariaDB and Tryton are not there');
  const server = tryton;
  await setPreference(api, 'language', 'EN');
  const systemUrl = await connectTrytonByScreens(page, product.base, server, erp);
  await connectShop(page, product.base, shop);
  const { company, ...paths } = await tablesOf(api, systemUrl);
  await waitUntilCached(api, paths.parties, 180_000);
  await waitUntilCached(api, paths.addresses, 180_000);
  const inTryton = async (): Promise<Map<string, string>> =>
    new Map(
      (await server.rpc.search('party.party', [['code', 'like', 'W%']], ['code', 'name'])).map((party) => [
        String(party['code']),
        String(party['name']),
      ]),
    );

  // The connector and its first action: a name out of two fields, a default, a unique key.
  const connectorUrl = await newConnector(page, product.base, {
    name: 'Web shop to Tryton',
    source: ['Web shop', 'Main'],
    target: [erp, 'Live', company],
  });
  await addAction(page, { name: 'Customers', source: 'customer', target: 'Parties', find: 'party' });
  await mapField(page, 'Name', 'First name');
  await page.getByRole('button', { name: 'Several, merged' }).click();
  await page.getByRole('button', { name: 'Add source' }).click();
  await page.getByRole('button', { name: /^Choose a source field/ }).click();
  await page.getByRole('combobox', { name: 'Choose a source field' }).fill('Last name');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Merge string' }).fill('{1} {2}');
  await addFunction(page, 'Collapse spaces');
  await addFunction(page, 'Trim');
  await page.getByLabel('When empty').fill('Unknown customer');
  await mapField(page, 'Code', 'Number');
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await saveMappings(page);

  // What the test run says of each record is what the run makes.
  await page.goto(connectorUrl);
  const tried = await tryRun(page, 'Customers', rows);
  const parties = tableOf(api, paths.parties);
  expect(await parties.pending()).toEqual([]);
  expect(await runNow(page, 'Customers', 1)).toContain(`${rows} new`);
  const made = new Map(
    (await parties.find('limit=1000&noTotal=true')).map((record) => [record.code, record]),
  );
  for (const said of tried) expect(made.get(said['code'])).toMatchObject({ name: said['name'] });
  expect((await inTryton()).size).toBe(0);
  await pushRun(page, { action: 'Customers', number: 1, changes: rows, erp });
  const first = await inTryton();
  expect(first.size).toBe(rows);
  for (let n = 1; n <= rows; n += 1) expect(first.get(number(n))).toBe(nameOf(n));

  // A second run finds nothing to do; what changes and goes in the shop, and only that, follows.
  await page.goto(connectorUrl);
  expect(await runNow(page, 'Customers', 2)).toContain(`${rows} unchanged`);
  shop.sql(
    `update customer set last_name = concat(last_name, ' bv') where id in (1, 2, 3, 4, 6, 7);
     delete from customer where id > ${rows - 5};`,
    'webshop',
  );
  const third = await runNow(page, 'Customers', 3);
  expect(third).toContain('6 changed');
  expect(third).toContain('5 deleted');
  await pushRun(page, { action: 'Customers', number: 3, changes: 11, erp });
  const after = await inTryton();
  expect(after.size).toBe(rows - 5);
  for (const [code, name] of after) {
    const n = Number(code.slice(1));
    expect(name).toBe(nameOf(n) + ([1, 2, 3, 4, 6, 7].includes(n) ? ' bv' : ''));
  }

  // Addresses find their party by its code; a place is translated by a table that is pasted.
  await page.goto(connectorUrl);
  await addAction(page, { name: 'Addresses', source: 'customer', target: 'Addresses' });
  await mapField(page, 'Party', 'Number');
  await addFunction(page, 'Look up in the target system');
  await pick(page, 'Collection', 'Parties');
  await pick(page, 'Field to search', 'Code');
  await pick(page, 'Field to return', 'ID');
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await mapField(page, 'Street', 'Street');
  await mapField(page, 'City', 'Place');
  await addFunction(page, 'Translate');
  await page.getByRole('button', { name: 'Make the table' }).click();
  await page.evaluate(
    `navigator.clipboard.writeText(${JSON.stringify('AMS\tAmsterdam\nUTR\tUtrecht\nGRO\tGroningen')})`,
  );
  const table = page.getByRole('dialog');
  await table.getByRole('button', { name: 'Paste two columns' }).click();
  await table.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByTestId('count-ok')).toHaveText(String(rows - 5));
  await saveMappings(page);
  shop.sql(`update customer set place = 'XXX' where id = 8`, 'webshop');
  await page.goto(connectorUrl);
  const addressed = await runNow(page, 'Addresses', 1);
  expect(addressed).toContain(`${rows - 6} new`);
  expect(addressed).toContain('1 failed');
  await pushRun(page, { action: 'Addresses', number: 1, changes: rows - 6, erp });
  await waitFor('the addresses in Tryton', async () => {
    const found = await server.rpc.search(
      'party.address',
      [['street', 'like', 'Damrak %']],
      ['street', 'city'],
    );
    const cities = found.map((address) => `${String(address['street'])} ${String(address['city'])}`);
    const places = ['Amsterdam', 'Utrecht', 'Groningen'];
    const wanted = Array.from({ length: rows - 5 }, (_, index) => index + 1)
      .filter((n) => n !== 8)
      .map((n) => `Damrak ${n} ${places[n % 3]}`);
    return JSON.stringify(cities.toSorted()) === JSON.stringify(wanted.toSorted());
  });
});
