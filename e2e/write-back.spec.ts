import type { Page } from '@playwright/test';
import { startEmbeddedPostgres } from '@sluice/server/embedded-postgres';
import { tableOf, waitFor, waitUntilCached } from '@sluice/testing';
import pg from 'pg';
import { z } from 'zod';
import { mapField, saveMappings, targetField } from './support/mapping.ts';
import { addAction, newConnector, pushRun, region, runNow } from './support/runs.ts';
import { addSystem } from './support/systems.ts';
import { apiPath, erp, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

test.use({ journalEntries: 1000 });

const rows = 40;
/** Their end is before their start: a rule that only the sandbox knows. */
const refused = [7, 21];
const refusal = 'The end is before the start';
const action = 'Planned projects';
const erpName = 'Sandbox ERP';

interface Row {
  id: number;
  title: string;
  ends_on: string;
  erp_number: number | null;
  erp_state: string | null;
  erp_message: string | null;
}

/** The planning's own database: on the product's server, with an account that may write three columns and no more. */
let statement: <T extends object = Row>(sql: string) => Promise<T[]>;
let server: { port: number };
const stored = async (): Promise<Row[]> =>
  await statement(
    'select id, title, ends_on::text, erp_number, erp_state, erp_message from project order by id',
  );

test.beforeAll(async ({ product }) => {
  const postgres = await startEmbeddedPostgres({ home: product.home });
  server = postgres;
  const client = async <T extends object>(database: string, sql: string): Promise<T[]> => {
    const line = new pg.Client({ connectionString: postgres.url(database) });
    await line.connect();
    try {
      return (await line.query<T>(sql)).rows;
    } finally {
      await line.end();
    }
  };
  await client('postgres', 'create database planning');
  statement = async (sql) => await client('planning', sql);
  await statement(`create table project (id int primary key, title text not null unique, starts_on date not null,
      ends_on date not null, terms text not null default 'hours', erp_number int, erp_state text, erp_message text);
    insert into project (id, title, starts_on, ends_on)
      select n, 'Planning ' || lpad(n::text, 3, '0'), date '2026-01-01' + n,
        date '2026-01-01' + n + case when n in (${refused.join()}) then -10 else 90 end
      from generate_series(1, ${rows}) n;
    create role planner login password 'planner';
    grant select, update (erp_number, erp_state, erp_message) on project to planner`);
});

async function connectPlanning(page: Page, base: string): Promise<void> {
  await addSystem(page, base, { kind: 'postgresql', name: 'Planning', domain: 'Office', acronym: 'office' });
  await page.getByLabel(/^Address/).fill(`postgresql://127.0.0.1:${server.port}`);
  await page.getByLabel(/^Database/).fill('planning');
  await page.getByLabel(/^Username/).fill('planner');
  await page.getByLabel(/^Password/).fill('wrong');
  await page.getByLabel('Encryption').selectOption('off');
  await page.getByLabel(/^Access/).selectOption('write');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByRole('main')).toContainText('refuses the username or the password');
  await page.getByLabel(/^Password/).fill('planner');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.locator('output.good')).toContainText('PostgreSQL');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/domains$/);
  await page.getByRole('main').getByRole('link', { name: 'Office' }).click();
  await expect(page.getByText('No table has been opened yet.')).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText('company');
}

/** A list of the source updates, by what fills the columns of the source. */
async function fillUpdates(
  page: Page,
  list: string,
  fill: Readonly<Record<string, { target: string } | { macro: string } | { constant: string } | 'message'>>,
): Promise<void> {
  await page.getByRole('button', { name: list }).click();
  for (const [column, from] of Object.entries(fill)) {
    await targetField(page, column).click();
    if (from === 'message') {
      await page.getByRole('button', { name: 'Error message of the response' }).click();
    } else if ('target' in from) {
      await page.getByRole('combobox', { name: 'Choose a target field' }).fill(from.target);
      await page.keyboard.press('Enter');
    } else if ('constant' in from) {
      await page.getByRole('button', { name: 'Constant' }).click();
      await page.getByRole('textbox', { name: 'Constant' }).fill(from.constant);
    } else {
      await page.getByRole('button', { name: 'Macro', exact: true }).click();
      await page.getByRole('button', { name: 'Choose a macro: not chosen' }).click();
      await page.getByRole('combobox', { name: 'Choose a macro' }).fill(from.macro);
      await page.keyboard.press('Enter');
    }
  }
}

/** The planning's projects in the sandbox, asked past the product. */
async function inSandbox(
  sandboxUrl: string | null,
): Promise<Map<string, { number: number; endsOn: string }>> {
  const filter = encodeURIComponent(`startswith(name,'Planning ')`);
  const { body } = await erp(sandboxUrl, 'GET', `Projects?$filter=${filter}&$top=1000`);
  const { value } = z
    .object({ value: z.array(z.object({ name: z.string(), number: z.number(), endsOn: z.string() })) })
    .parse(body);
  return new Map(value.map(({ name, ...project }) => [name, project]));
}

test("[CONN-01] [TRIG-08] [TRIG-09] [RUN-02] projects of a PostgreSQL database go to the ERP, and the ERP's new keys, states and refusals come back into the columns that the account may write", async ({
  page,
  product,
  api,
}) => {
  test.setTimeout(300_000);
  await setPreference(api, 'language', 'EN');
  const projects = tableOf(api, apiPath('projects'));
  await waitUntilCached(api, projects.path);
  await connectPlanning(page, product.base);

  const connectorUrl = await newConnector(page, product.base, {
    name: 'Planning to ERP',
    source: ['Planning', 'Office'],
    target: [erpName, 'Production', 'Van Doorn Groothandel Utrecht'],
  });
  await addAction(page, { name: action, source: 'project', target: 'Projects' });
  await mapField(page, 'Name', 'Title');
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await mapField(page, 'Billing', 'Terms');
  await mapField(page, 'Starts on', 'Starts on');
  await mapField(page, 'Ends on', 'Ends on');
  await targetField(page, 'Status').click();
  await page.getByRole('button', { name: 'Constant' }).click();
  await page.getByRole('combobox', { name: 'Constant' }).selectOption({ label: 'Planned' });

  await page.getByRole('tab', { name: /Source updates/ }).click();
  await expect(targetField(page, 'Erp number')).toBeVisible();
  await expect(targetField(page, 'Title')).toHaveCount(0);
  await fillUpdates(page, 'POST, success', {
    'Erp number': { target: 'Project number' },
    'Erp state': { macro: 'Outcome of the push' },
    // What succeeded has no error: an earlier one is emptied.
    'Erp message': { macro: 'Error text of the push' },
  });
  await targetField(page, 'Erp number').click();
  await expect(page.getByText(`${rows} of these are not in the target yet`)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Source fields' }).first()).toContainText('okemptyerror');
  await fillUpdates(page, 'POST, failure', {
    'Erp state': { macro: 'Outcome of the push' },
    'Erp message': 'message',
  });
  await fillUpdates(page, 'PATCH, success', { 'Erp state': { constant: 'changed' } });
  await fillUpdates(page, 'PATCH, failure', {
    'Erp state': { macro: 'Outcome of the push' },
    'Erp message': 'message',
  });
  await saveMappings(page);

  await page.goto(connectorUrl);
  expect(await runNow(page, action, 1)).toContain(`${rows} new`);
  expect(await projects.pending()).toHaveLength(rows);
  expect((await inSandbox(product.sandboxUrl)).size).toBe(0);
  await pushRun(page, { action, number: 1, changes: rows, refused: refused.length, erp: erpName });
  await waitFor('the outcomes in the source', async () =>
    (await stored()).every(({ erp_state: state }) => state !== null),
  );
  const first = await inSandbox(product.sandboxUrl);
  expect(first.size).toBe(rows - refused.length);
  for (const { id, title, erp_number: number, erp_state: state, erp_message: message } of await stored()) {
    if (refused.includes(id)) {
      expect({ number, state }).toEqual({ number: null, state: 'rejected' });
      expect(message).toContain(refusal);
      expect(first.has(title)).toBe(false);
    } else
      expect({ number, state, message }).toEqual({
        number: first.get(title)?.number,
        state: 'succeeded',
        message: null,
      });
  }

  // What was written back is no change that a run has to follow, and what was refused waits as it is.
  const before = await stored();
  await page.goto(connectorUrl);
  expect(await runNow(page, action, 2)).toContain(`${rows} unchanged`);
  expect(await projects.pending()).toHaveLength(refused.length);
  expect(await stored()).toEqual(before);
  expect(await inSandbox(product.sandboxUrl)).toEqual(first);

  // The refused are mended in the source; of those that the ERP has, two change well and one badly.
  await statement(`update project set ends_on = starts_on + 120 where id in (1, 2, ${refused.join()});
    update project set ends_on = starts_on - 1 where id = 3`);
  expect(await runNow(page, action, 3)).toContain(
    `${refused.length + 3} changed, ${rows - refused.length - 3} unchanged`,
  );
  await pushRun(page, { action, number: 3, changes: refused.length + 3, refused: 1, erp: erpName });
  const after = await waitFor('the later outcomes in the source', async () => {
    const found = await stored();
    const isTold = found.every(({ id, erp_number: number, erp_state: state }) =>
      id <= 3 ? state !== 'succeeded' : number !== null,
    );
    return isTold ? found : null;
  });
  const second = await inSandbox(product.sandboxUrl);
  expect(second.size).toBe(rows);
  for (const { id, title, ends_on: endsOn, ...told } of after) {
    const { erp_number: number, erp_state: state, erp_message: message } = told;
    expect({ number, endsOn: id === 3 ? first.get(title)?.endsOn : endsOn }).toEqual(second.get(title));
    expect(state).toBe(id === 3 ? 'rejected' : id < 3 ? 'changed' : 'succeeded');
    if (id === 3) expect(message).toContain(refusal);
    else expect(message).toBeNull();
  }

  await page.goto(connectorUrl);
  const line = region(page, 'Run history')
    .getByRole('row')
    .filter({ hasText: `${action} Run 3` });
  await line.getByRole('button').click();
  const run = page.getByRole('dialog', { name: `Run 3 of ${action}` });
  // Both ways: what the ERP took, and why it refused the one.
  await expect(
    run.getByText(`${refused.length + 3} outcomes were written back to the source.`),
  ).toBeVisible();
  await run.getByRole('button', { name: 'Discard 1 pending change' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).last().click();
  await waitFor('nothing to be pending', async () => (await projects.pending()).length === 0);
});
