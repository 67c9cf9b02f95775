import type { Locator, Page } from '@playwright/test';
import { type Api, loginApi, tableOf, testPassword, waitFor, waitUntilCached } from '@sluice/testing';
import { z } from 'zod';
import { expectNoViolationsInBothThemes } from './support/axe.ts';
import { discardAllAt, setPreference } from './support/table.ts';
import { expect, test } from './support/test.ts';

const created = z.object({ internalId: z.string() });
const endsSchema = z.array(z.object({ id: z.string(), path: z.string(), resourceTypeUriId: z.string() }));
/** Where the records of the tests go: a company of the domain that is no production. */
const target = '/api/v1/data/sandbox-erp/domains/test/companies/ANR/suppliers';
const sourceTable = '/api/v1/data/sandbox-erp/domains/test/companies/UTR/suppliers';
const source = 'TEST Van Doorn Groothandel Utrecht';

test.beforeAll(async ({ product }) => {
  const api = await loginApi(product.base, 'admin', testPassword);
  await setPreference(api, 'language', 'EN');
  await waitUntilCached(api, target, 180_000);
  await waitUntilCached(api, target.replace('ANR', 'UTR'), 180_000);
});
test.afterEach(async ({ api }) => {
  await discardAllAt(api, target);
  await setPreference(api, 'language', 'EN');
  const { resources } = await api.get(
    '/api/v1/connectors?limit=-1&offset=0',
    z.object({ resources: z.array(created) }),
  );
  for (const { internalId } of resources)
    await api.send('DELETE', `/api/v1/connectors/${internalId}?cancelRuns=true`, undefined, z.unknown());
});

/** Chooses a company of the domain "Test" as an end. */
async function chooseEnd(page: Page, end: 'Source' | 'Target', company: string): Promise<void> {
  const group = page.getByRole('group', { name: end });
  await group.getByLabel('System').selectOption({ label: 'Sandbox ERP' });
  await group.getByRole('combobox').nth(1).selectOption({ label: 'Test' });
  await group.getByRole('combobox').nth(2).selectOption({ label: company });
}

interface Made {
  connectorId: string;
  actionId: string;
  /** API path of the action. */
  path: string;
}

/** A connector between the two companies with an action whose fields are mapped. */
async function makeConnector(api: Api, name: string): Promise<Made> {
  const { metadata } = await api.get(
    '/api/v1/connectors?limit=0&offset=0&metadata=field-options',
    z.object({
      metadata: z.object({
        systems: z.array(
          z.object({
            id: z.string(),
            systemLevelOptions: z.array(
              z.object({
                internalId: z.string(),
                name: z.string(),
                children: z.array(z.object({ internalId: z.string(), name: z.string() })),
              }),
            ),
          }),
        ),
      }),
    }),
  );
  const [system] = metadata.systems;
  const domain = system?.systemLevelOptions.find((one) => one.name === 'Test');
  const end = (company: string) => ({
    id: system?.id,
    levelIds: [domain?.internalId, domain?.children.find((one) => one.name.includes(company))?.internalId],
  });
  const body = { name, sourceSystem: end('Utrecht'), targetSystem: end('Antwerpen') };
  const { internalId: connectorId } = await api.send('POST', '/api/v1/connectors', body, created);
  return await addAction(api, connectorId, 'Suppliers');
}

async function addAction(api: Api, connectorId: string, name: string, isCopyAllowed = true): Promise<Made> {
  const base = `/api/v1/connectors/${connectorId}`;
  const options = await api.get(
    `${base}/action-options`,
    z.object({ targetOptions: endsSchema, sourceOptions: endsSchema }),
  );
  const wire = (list: z.infer<typeof endsSchema>) =>
    list
      .filter(({ id }) => id === 'suppliers')
      .map(({ id, path, resourceTypeUriId }) => ({ optionId: id, path, resourceTypeUriId }));
  const wiring = { targets: wire(options.targetOptions), sources: wire(options.sourceOptions) };
  const { internalId: actionId } = await api.send(
    'POST',
    `${base}/actions`,
    { name, wiring, isCopyAllowed, schedule: { kind: 'never' } },
    created,
  );
  const path = `${base}/actions/${actionId}`;
  await mapFields(api, path);
  return { connectorId, actionId, path };
}

async function mapFields(api: Api, path: string): Promise<void> {
  const { resource } = await api.get(path, z.object({ resource: z.object({ revision: z.number() }) }));
  const from = (field: string, fnId?: string) => [
    {
      sourceOptionId: 'suppliers',
      source: { type: 'sourceValue', field },
      transformFns: fnId ? [{ fnId }] : [],
    },
  ];
  const mappings = [
    { targetField: 'name', group: 'mandatory', mappingSources: from('name', 'upper') },
    { targetField: 'iban', group: 'mandatory', isUnique: true, mappingSources: from('iban') },
    { targetField: 'currency', group: 'mandatory', defaultValue: 'EUR', mappingSources: from('currency') },
    { targetField: 'address.city', mappingSources: from('address.city') },
  ];
  const conditions = [
    { field: 'currency', operator: 'in', comparison: 'singleValue', value: 'EUR', values: [] },
  ];
  const triggers = [
    { internalId: 'euro', name: 'Only euro', sourceRecordSelection: 'newAndExisting', conditions },
  ];
  const changes = { mappings, triggers };
  await api.send('PATCH', path, { changes, revision: resource.revision }, z.unknown());
}

const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

test('[CONN-01] [CONN-03] [CONN-04] [ACT-03] [ACT-04] [ACT-08] [ACT-14] [RUN-03] [RUN-04] [ROUTE-08] [ROUTE-09] [ROUTE-12] [ROUTE-13] a person connects two companies, tries, runs, looks, pushes and finds it in the history', async ({
  page,
  product,
  api,
}) => {
  await page.goto(`${product.base}/connectors`);
  await expect(page.getByRole('heading', { name: 'No connectors yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New connector' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('A value is required')).toHaveCount(3);
  await page.getByRole('textbox', { name: 'Name' }).fill('Utrecht to Antwerp');
  await chooseEnd(page, 'Source', source);
  await chooseEnd(page, 'Target', 'TEST Van Doorn Antwerpen');
  await page.getByRole('button', { name: 'Save' }).click();

  await expect(page.getByRole('heading', { name: 'Utrecht to Antwerp' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No actions yet' })).toBeVisible();
  await page.getByRole('link', { name: 'New action' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Suppliers');
  await page.getByRole('button', { name: 'Save and map fields' }).click();
  await expect(page.getByText('Please select one target')).toBeVisible();
  await expect(page.getByText('Please select at least one source')).toBeVisible();
  const sources = page.getByRole('group', { name: 'Source tables' });
  await sources.getByRole('searchbox').fill('suppl');
  await expect(sources.getByRole('checkbox')).toHaveCount(1);
  await sources.getByRole('checkbox', { name: 'Suppliers' }).check();
  await page.getByRole('group', { name: 'Target table' }).getByRole('radio', { name: 'Suppliers' }).check();
  await page.getByLabel('Schedule').selectOption({ label: 'By a cron expression' });
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 6 * * 1');
  await expect(page.getByText(/^Next: .* · .* · /)).toBeVisible();
  await page.getByRole('button', { name: 'Save and map fields' }).click();
  await expect(page).toHaveURL(/\/actions\/[0-9a-f-]{36}\/mappings-triggers$/);
  const [, connectorId, actionId] = /connectors\/(.+)\/actions\/(.+)\/mappings/.exec(page.url()) ?? [];
  const { records } = await pathsOf(connectorId, actionId, api);

  await page.goto(`${product.base}/connectors/${connectorId}/actions`);
  await page.getByRole('button', { name: 'Details of Suppliers' }).click();
  for (const name of [
    'Wiring',
    'Mappings and triggers',
    'Field mappings',
    'Sync triggers',
    'Source update configs',
  ])
    await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
  await expect(region(page, 'General')).toContainText(source);
  await expect(region(page, 'Relationships')).toContainText('no linked records');
  await expect(page.getByText('Only euro: New and known records where Currency')).toBeVisible();

  await page.getByRole('button', { name: 'Test run' }).click();
  const tried = page.getByRole('dialog', { name: 'Test Run of Suppliers' });
  await expect(tried.getByText('A test run saves nothing')).toBeVisible();
  await tried.getByLabel('At most').fill('3');
  await tried.getByLabel('Order by').selectOption({ label: 'Supplier number' });
  await tried.getByLabel('Order', { exact: true }).selectOption({ label: 'Descending' });
  await tried.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(tried.getByRole('article')).toHaveCount(3);
  const last = await tried.getByRole('article').first().getAttribute('aria-label');
  await tried.getByLabel('Skip first').fill('1');
  await tried.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(tried.getByRole('article').first()).not.toHaveAttribute('aria-label', last ?? '');
  await expect(tried.getByText('Would be added').first()).toBeVisible();
  await tried.getByLabel('Field').selectOption({ label: 'IBAN' });
  await tried.getByLabel('Value').fill('nobody has this');
  await tried.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(tried.getByText('No source records match')).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await records()).toBe(0);

  await page.getByRole('button', { name: 'Run now' }).click();
  const manual = page.getByRole('dialog', { name: 'Run Suppliers Now' });
  await expect(manual.getByText(/become pending in Suppliers/)).toBeVisible();
  await manual.getByLabel('Only some records').check();
  await manual.getByLabel('At most').fill('5');
  await expect(manual.getByText('of 5 records read')).toBeVisible();
  await manual.getByRole('button', { name: 'Start' }).click();
  const history = region(page, 'Run history');
  await expect(history.getByText('Done')).toBeVisible();
  await expect(history.getByText('5 new')).toBeVisible();
  expect(await records()).toBe(5);

  await history.getByRole('button').first().click();
  const run = page.getByRole('dialog', { name: 'Run 1 of Suppliers' });
  await expect(run.getByText('5 changes of it are pending.')).toBeVisible();
  await run.getByRole('button', { name: 'Show its changes in the table' }).click();
  await expect(page.getByText('5 match')).toBeVisible();
  await page.getByRole('gridcell').nth(3).hover();
  await expect(page.getByText('By run 1 of Utrecht to Antwerp, Suppliers').first()).toBeVisible();
  await page.getByRole('button', { name: 'Push 5 changes' }).click();
  const review = page.getByRole('dialog', { name: 'Review Before Push' });
  await expect(review.getByText('By run 1 of Utrecht to Antwerp').first()).toBeVisible();
  await expect(review.getByText('4 fields').first()).toBeVisible();
  await review.getByRole('button', { name: 'Push 5 changes' }).click();
  await expect(page.getByText('5 changes pushed to Sandbox ERP')).toBeVisible({ timeout: 60_000 });

  await page.goto(`${product.base}/connectors/${connectorId}/actions`);
  await page.getByRole('button', { name: '5 linked records' }).click();
  const links = page.getByRole('dialog', { name: 'Linked Records of Suppliers' });
  await expect(links.getByRole('row')).toHaveCount(6);
  await links.getByRole('searchbox').fill(last ?? '');
  await expect(links.getByText('No Linked Records')).toBeVisible();
});

/** Maps the fields of an action that was made on the screen, and counts what is pending in its target. */
async function pathsOf(connectorId: string | undefined, actionId: string | undefined, api: Api) {
  await mapFields(api, `/api/v1/connectors/${connectorId}/actions/${actionId}`);
  const records = async (): Promise<number> =>
    (await api.get(`${target}/pending`, z.object({ total: z.number() }))).total;
  return { records };
}

test('[CONN-06] [CONN-07] [CONN-08] a row goes at once when its connector is deleted, and comes back when that fails', async ({
  page,
  product,
  api,
}) => {
  await makeConnector(api, 'Stays');
  await makeConnector(api, 'Goes');
  await page.goto(`${product.base}/connectors`);
  const row = page.getByRole('row', { name: /^Goes/ });
  const remove = async (): Promise<void> => {
    await row.getByRole('button', { name: 'Actions of Goes' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(page.getByRole('dialog', { name: 'Delete Connector Goes' })).toContainText(
      'Its action goes too',
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  };
  await expect(row).toBeVisible();
  await page.context().setOffline(true);
  await remove();
  await expect(page.getByText(/Error deleting connector/)).toBeVisible();
  await expect(row).toBeVisible();
  // What the line kept back is read once it is there again.
  const caughtUp = page.waitForResponse((answer) => answer.url().includes('/api/v1/connectors?'));
  await page.context().setOffline(false);
  await caughtUp;
  await expect(row).toBeVisible();
  // No read is answered any more, neither a poll's nor one that deleting would ask for: the row goes without.
  await page.route(/\/api\/v1\/connectors/, async (route) => {
    if (route.request().method() !== 'GET') await route.continue();
  });
  await remove();
  await expect(row).toHaveCount(0);
  await expect(page.getByText('Connector Goes deleted')).toBeVisible();
  await expect(page.getByRole('row', { name: /^Stays/ })).toBeVisible();
});

test('[CONN-05] [CONN-14] [ACT-09] [ACT-11] [ROUTE-10] [ROUTE-11] copies tell what came along; another system asks before it discards', async ({
  page,
  product,
  api,
}) => {
  const { connectorId } = await makeConnector(api, 'Original');
  await addAction(api, connectorId, 'Private', false);
  await page.goto(`${product.base}/connectors/${connectorId}/copy`);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Original (copy)');
  await expect(page.getByText('Private (copying not allowed)')).toBeVisible();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(page.getByText('1 out of 2 copied')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Original (copy)' })).toBeVisible();

  await page.goto(`${product.base}/connectors/${connectorId}/edit`);
  await chooseEnd(page, 'Source', 'TEST Van Doorn Großhandel Hamburg');
  await page.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'Another System' });
  await expect(question).toContainText('2 actions with mappings and triggers will be discarded.');
  await question.getByRole('button', { name: 'Discard them and save' }).click();
  await expect(page.getByRole('heading', { name: 'No actions yet' })).toBeVisible();
});

test('a connector leaves as a file and comes back between other ends, with its actions', async ({
  page,
  product,
  api,
}) => {
  await makeConnector(api, 'Moves');
  await page.goto(`${product.base}/connectors`);
  await page.getByRole('button', { name: 'Actions of Moves' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export' }).click();
  const file = await (await download).path();
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import Connector' });
  const input = dialog.getByLabel('Connector file');
  await input.setInputFiles({ name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
  await expect(dialog.getByText('This is not a connector file.')).toBeVisible();
  await input.setInputFiles(file);
  await expect(dialog.getByText('Moves, with 1 action')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Moved');
  await chooseEnd(page, 'Source', 'TEST Van Doorn Großhandel Hamburg');
  await chooseEnd(page, 'Target', 'TEST Van Doorn Antwerpen');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByRole('heading', { name: 'Moved' })).toBeVisible();
  await expect(region(page, 'Actions').getByRole('link', { name: 'Suppliers' })).toBeVisible();
});

test('[ACT-13] [ACT-15] [ACT-16] [ROUTE-15] an action is switched, edited and deleted; an unknown one says so', async ({
  page,
  product,
  api,
}) => {
  const { connectorId } = await makeConnector(api, 'Switched');
  await page.goto(`${product.base}/connectors/${connectorId}/actions`);
  const actions = region(page, 'Actions');
  await expect(actions.getByText('Inactive')).toBeVisible();
  await actions.getByRole('switch', { name: 'Suppliers is active' }).focus();
  await page.keyboard.press('Space');
  await expect(actions.getByText('Never run')).toBeVisible();
  await page.keyboard.press('Space');
  await expect(actions.getByText('Inactive')).toBeVisible();
  await actions.getByRole('button', { name: 'Actions of Suppliers' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByLabel('Schedule').selectOption({ label: 'Every so many minutes' });
  await page.getByRole('textbox', { name: 'Minutes' }).fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('A whole number from 1 to 44,640')).toBeVisible();
  await page.getByRole('textbox', { name: 'Minutes' }).fill('15');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(actions.getByText('every 15 minutes')).toBeVisible();
  await actions.getByRole('button', { name: 'Actions of Suppliers' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No actions yet' })).toBeVisible();
  await page.goto(`${product.base}/connectors/${connectorId}/actions/${connectorId}/edit`);
  await expect(page.getByText('action not found')).toBeVisible();
});

test('[RUN-06] [ACT-12] a test run and a copy that fail say so where they were asked for', async ({
  page,
  product,
  api,
}) => {
  const { connectorId } = await makeConnector(api, 'Cut off');
  await page.goto(`${product.base}/connectors/${connectorId}/actions`);
  await page.getByRole('button', { name: 'Test run' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test Run of Suppliers' });
  await dialog.getByLabel('At most').fill('3');
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('Error fetching data');
  await page.context().setOffline(false);
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(dialog.getByRole('article')).toHaveCount(3);
  await expect(dialog.getByRole('alert')).toHaveCount(0);

  await page.goto(`${product.base}/connectors/${connectorId}/actions/copy`);
  await page.getByRole('checkbox', { name: 'Suppliers' }).check();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Copy 1 action' }).click();
  await expect(page.getByRole('alert')).toContainText('Could not copy from the other action');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Copy 1 action' }).click();
  await expect(page).toHaveURL(new RegExp(`/connectors/${connectorId}/actions$`));
});

test('[CONN-13] the list asks again while it is on the screen, and no more once it is left', async ({
  page,
  product,
  api,
}) => {
  await makeConnector(api, 'Asked after');
  const isRead = (url: string): boolean => /\/api\/v1\/connectors\?/.test(url);
  let reads = 0;
  page.on('request', (request) => (reads += isRead(request.url()) ? 1 : 0));
  await page.clock.install();
  await page.goto(`${product.base}/connectors`);
  await expect(page.getByRole('row', { name: /^Asked after/ })).toBeVisible();
  for (const _ of [1, 2]) {
    const asked = page.waitForResponse((answer) => isRead(answer.url()));
    await page.clock.runFor(61_000);
    await (await asked).finished();
    await page.clock.runFor(1000);
  }
  await page.getByRole('link', { name: 'Asked after' }).click();
  await expect(page.getByRole('heading', { name: 'Asked after' })).toBeVisible();
  const left = reads;
  await page.clock.runFor(200_000);
  await expect(page.getByRole('heading', { name: 'Asked after' })).toBeVisible();
  expect(reads).toBe(left);
});

/** Source updates that the source refuses: a supplier's name is no web address. */
async function failUpdates(api: Api, path: string): Promise<void> {
  const { resource } = await api.get(path, z.object({ resource: z.object({ revision: z.number() }) }));
  const success = [
    {
      targetField: 'website',
      mappingSources: [
        {
          sourceOptionId: 'suppliers',
          source: { type: 'targetValue', field: 'name' },
          transformFns: [],
        },
      ],
    },
  ];
  const nothing = { success: [], failure: [] };
  const sourceUpdateConfigs = { onPost: { success, failure: [] }, onPatch: nothing, onDelete: nothing };
  await api.send(
    'PATCH',
    path,
    { changes: { sourceUpdateConfigs }, revision: resource.revision },
    z.unknown(),
  );
  // Two that the trigger takes and that no other test has pushed.
  const suppliers = await tableOf(api, sourceTable).find('limit=100');
  const offset = suppliers.findIndex(
    ({ currency }, at) => at >= 20 && currency === 'EUR' && suppliers[at + 1]?.['currency'] === 'EUR',
  );
  expect(offset).toBeGreaterThan(0);
  const body = { query: { source: 'suppliers', limit: 2, offset } };
  const { run } = await api.send(
    'POST',
    `${path}/manual-run`,
    body,
    z.object({ run: z.looseObject({ internalId: z.string() }) }),
  );
  const ofRun = `${path}/runs/${run.internalId}`;
  const look = async () =>
    (
      await api.get(
        ofRun,
        z.object({
          resource: z.looseObject({
            finishedAt: z.string().nullable(),
            sourceUpdates: z.object({ failed: z.number() }),
          }),
        }),
      )
    ).resource;
  await waitFor('the run', async () => (await look()).finishedAt !== null);
  await tableOf(api, target).pushAll();
  await waitFor('the refusals', async () => (await look()).sourceUpdates.failed === 2);
}

test('source updates that failed stand on the panel of their run, with what the source said, and are tried again', async ({
  page,
  product,
  api,
}) => {
  const { connectorId, path } = await makeConnector(api, 'Written back');
  await failUpdates(api, path);
  for (const language of ['NL', 'EN'] as const) {
    const word = (en: string, nl: string): string => (language === 'EN' ? en : nl);
    await setPreference(api, 'language', language);
    const failed = region(page, word('2 source updates failed', '2 bronupdates zijn mislukt'));
    await page.goto(`${product.base}/connectors/${connectorId}/actions`);
    await region(page, word('Run history', 'Uitgevoerde runs')).getByRole('button').first().click();
    await expect(failed.getByRole('listitem')).toHaveCount(2);
    await expect(failed.getByRole('listitem').first()).toContainText('URL');
    await expectNoViolationsInBothThemes(page, 'failed source updates');
  }
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('2 source updates are tried again')).toBeVisible();
});

test('[DOC-01] [DOC-02] a connector and its actions are documented in the same dialog, and a sign says where there is a note', async ({
  page,
  product,
  api,
}) => {
  const { connectorId, path } = await makeConnector(api, 'Documented');
  await page.goto(`${product.base}/connectors/${connectorId}/actions`);
  await page.getByRole('button', { name: 'Documentation of this connector', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Documentation of Documented' });
  await expect(dialog).toContainText('Write down what colleagues should know about this connector.');
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox').fill('Purchasing owns it.\nAsk first.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.note-text')).toHaveText('Purchasing owns it.\nAsk first.');

  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox').fill('Mine');
  const theirs = { text: 'Of another', revision: 1 };
  await api.send('PATCH', `/api/v1/connectors/${connectorId}/documentation`, theirs, z.unknown());
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Of another');
  await dialog.getByRole('button', { name: 'Keep both' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.locator('.note-text')).toHaveText('Of another\n\nMine');
  await page.keyboard.press('Escape');
  const noted = page.getByRole('button', { name: 'Documentation of this connector: there is a note' });
  await expect(noted).toBeVisible();
  await expect(noted).toBeFocused();

  const sign = page.getByRole('button', { name: 'Documentation of Suppliers' });
  await expect(sign).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions of Suppliers' }).click();
  await page.getByRole('menuitem', { name: 'Documentation' }).click();
  const ofAction = page.getByRole('dialog', { name: 'Documentation of Suppliers' });
  await expect(ofAction).toContainText('Write down what colleagues should know about this action.');
  await ofAction.getByRole('button', { name: 'Edit' }).click();
  await ofAction.getByRole('textbox').fill('Euros only.');
  await ofAction.getByRole('button', { name: 'Save' }).click();
  await expect(ofAction.locator('.note-text')).toHaveText('Euros only.');
  await page.keyboard.press('Escape');
  await expect(sign).toBeVisible();

  // Another comes later, and finds both; what is emptied has no sign.
  await page.reload();
  await expect(noted).toBeVisible();
  await sign.click();
  await expect(ofAction.locator('.note-text')).toHaveText('Euros only.');
  await api.send('PATCH', `${path}/documentation`, { text: '', revision: 1 }, z.unknown());
  await page.reload();
  await expect(noted).toBeVisible();
  await expect(sign).toHaveCount(0);
});

for (const language of ['EN', 'NL'] as const) {
  test(`axe finds nothing in the details, the runs and their dialogs, ${language}, light and dark`, async ({
    page,
    product,
    api,
  }) => {
    await setPreference(api, 'language', language);
    const { connectorId, path } = await makeConnector(api, 'Looked at');
    await page.goto(`${product.base}/connectors/${connectorId}/actions`);
    const word = (en: string, nl: string): string => (language === 'EN' ? en : nl);
    await page.getByRole('button', { name: 'Details' }).click();
    await expect(page.getByRole('heading', { name: word('Field mappings', 'Veldmappings') })).toBeVisible();
    await expectNoViolationsInBothThemes(page, 'details');
    await page.getByRole('button', { name: word('Documentation of', 'Documentatie van') }).click();
    await expect(page.getByRole('dialog')).toContainText(
      word('Nothing documented yet', 'Nog niets gedocumenteerd'),
    );
    await expectNoViolationsInBothThemes(page, 'empty documentation');
    await page
      .getByRole('button', { name: word('Edit', 'Bewerken') })
      .last()
      .click();
    await page.getByRole('dialog').getByRole('textbox').fill('A note');
    await expectNoViolationsInBothThemes(page, 'documentation being written');
    await page.getByRole('button', { name: word('Save', 'Opslaan') }).click();
    await expect(page.locator('.note-text')).toHaveText('A note');
    await page.keyboard.press('Escape');
    const note = { text: 'Of the action', revision: 0 };
    await api.send('PATCH', `${path}/documentation`, note, z.unknown());
    await page.reload();
    await expect(page.locator('.iconbtn.noted')).toHaveCount(2);
    await expectNoViolationsInBothThemes(page, 'signs of notes');
    await page.getByRole('button', { name: word('Test run', 'Testrun') }).click();
    await page.getByRole('button', { name: word('Test', 'Testen'), exact: true }).click();
    await expect(page.getByRole('article').first()).toBeVisible();
    await expectNoViolationsInBothThemes(page, 'test run');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: word('Run now', 'Nu uitvoeren') }).click();
    await page.getByRole('dialog').getByRole('switch').check();
    await page.getByLabel(word('At most', 'Hoogstens')).fill('2');
    await expect(page.getByText(word('of 2 records read', 'van 2 gelezen records'))).toBeVisible();
    await expectNoViolationsInBothThemes(page, 'manual run');
    await page.getByRole('button', { name: word('Start', 'Starten') }).click();
    await region(page, word('Run history', 'Uitgevoerde runs')).getByRole('button').first().click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectNoViolationsInBothThemes(page, 'run');
  });
}
