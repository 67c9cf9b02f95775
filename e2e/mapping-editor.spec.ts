import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expectNoViolations } from './support/axe.ts';
import {
  actionReply,
  addFunction,
  type EditedAction,
  importChanged,
  makeAction,
  mapField,
  openEditor,
  saveMappings,
  targetField,
} from './support/mapping.ts';
import { prepare, setPreference } from './support/table.ts';
import { expect, loginPage, test } from './support/test.ts';
import { addUser } from './support/users.ts';

test.use({ journalEntries: 1000 });
test.beforeEach(async ({ product, api }) => {
  await prepare(product.base, ['customers', 'suppliers']);
  await setPreference(api, 'language', 'EN');
});

const count = (page: Page, what: 'ok' | 'empty' | 'error'): Locator => page.getByTestId(`count-${what}`);
const copy = async (page: Page, text: string): Promise<void> => {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
};

test('[MAP-02] [MAP-04] [MAP-11] [MAP-13] [XFORM-01] mandatory fields are mapped by mouse and by keyboard, with their counts while typing, saved and there after a reload', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await expect(page.getByRole('heading', { name: 'Mandatory fields are not mapped yet' })).toBeVisible();
  for (const group of ['Mandatory', 'Optional', 'Hidden'])
    await expect(page.getByRole('button', { name: new RegExp(`^${group}`) })).toBeVisible();

  await mapField(page, 'Name', 'Name');
  await expect(count(page, 'ok')).toHaveText('999');
  await expect(count(page, 'error')).toHaveText('1');
  await page.getByLabel('When empty').fill('Nobody');
  await expect(count(page, 'error')).toHaveText('0');
  await expect(count(page, 'ok')).toHaveText('1.000');

  // By keyboard alone from the list to the chain.
  await targetField(page, 'Name').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Choose a source field' }).focus();
  await page.keyboard.type('VAT');
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: 'Unique' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Add function' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Lower case');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('trace')).toContainText('nl100000007b01');
  await page.getByRole('button', { name: 'Add function' }).click();
  await page.keyboard.type('First characters');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: /Length|Count|characters/i }).fill('4');
  await expect(page.getByTestId('trace')).toContainText('"nl10"');
  const grip = page.getByRole('button', { name: 'Move First characters, step 2 of 2' });
  await grip.focus();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('button', { name: 'Move First characters, step 1 of 2' })).toBeFocused();
  await expect(page.getByTestId('trace')).toContainText('"NL10"');

  await saveMappings(page);
  await page.reload();
  await targetField(page, 'IBAN').click();
  await expect(page.getByRole('checkbox', { name: 'Unique' })).toBeChecked();
  const { resource } = await api.get(action.path, actionReply);
  expect(resource.mappings.map((one) => one.targetField)).toEqual(['name', 'iban']);
  expect(resource.mappings[1]?.mappingSources[0]?.transformFns.map(({ fnId }) => fnId)).toEqual([
    'left',
    'lower',
  ]);
});

test('[MAP-03] [MAP-10] [MAP-14] [MAP-15] [MAP-16] several sources are merged by a string; what is left out warns, what is wrong prevents saving, and undo takes it back', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await mapField(page, 'Street', 'Street');
  await page.getByRole('button', { name: 'Several, merged' }).click();
  await page.getByRole('button', { name: 'Add source' }).click();
  await expect(page.getByText('Choose a field').first()).toBeVisible();
  let calls = 0;
  page.on('request', (request) => (calls += request.method() === 'PATCH' ? 1 : 0));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Please fix all the errors before saving')).toBeVisible();
  expect(calls).toBe(0);

  await page.getByRole('button', { name: /^Choose a source field/ }).click();
  await page.getByRole('combobox', { name: 'Choose a source field' }).fill('House number');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('trace')).toContainText('Kerkstraat 16');
  const merge = page.getByRole('textbox', { name: 'Merge string' });
  await merge.fill('{1}');
  await expect(page.getByText('Not all of the sources are used in the merge string')).toBeVisible();
  await page.getByRole('button', { name: 'Insert source 2 into the merge string' }).click();
  await expect(merge).toHaveValue('{1}{2}');
  await expect(page.getByText('Not all of the sources are used in the merge string')).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(merge).toHaveValue('{1}');
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect(merge).toHaveValue('{1}{2}');
  await saveMappings(page);

  await page.getByRole('button', { name: 'Remove source 2' }).click();
  await page.getByRole('button', { name: 'Remove source 1' }).click();
  await expect(page.getByText('Add at least one source')).toBeVisible();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(merge).toHaveValue('{1}{2}');
});

test('[MAP-18] a file that a mapping makes is told by its kind and can be downloaded from the preview', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'suppliers', 'customers');
  await openEditor(page, product.base, action);
  await page.getByRole('searchbox', { name: 'Find a field' }).fill('Logo');
  await mapField(page, 'Logo', 'Name');
  await addFunction(page, 'Encode base64');
  const trace = page.getByTestId('trace');
  await expect(trace).toContainText('File type not recognized');
  await addFunction(page, 'Put in front');
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('GIF89a');
  await page.getByRole('button', { name: 'Move Put in front, step 2 of 2' }).focus();
  await page.keyboard.press('ArrowUp');
  await expect(trace).toContainText(/GIF, \d+ Bytes/);
  const downloading = page.waitForEvent('download');
  await trace.getByRole('link', { name: 'Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^Logo .+\.gif$/);
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^GIF89a\w/);
});

test('[XFORM-04] [XFORM-05] [XFORM-03] [XFORM-02] what is wrong with a chain stands at its step', async ({
  page,
  product,
  api,
}) => {
  const made = await makeAction(api, 'customers', 'suppliers');
  const sourceOptionId = await sourceOf(api, made);
  const chain = (targetField: string, transformFns: object[]) => ({
    targetField,
    mappingSources: [{ sourceOptionId, source: { type: 'sourceValue', field: 'isBlocked' }, transformFns }],
  });
  // Saving such mappings is refused: they come by a file of another version, which knew other functions.
  const action = await importChanged(api, made, [
    chain('name', [{ fnId: 'vanished', args: {} }]),
    chain('iban', [{ fnId: 'round', args: {} }]),
  ]);
  await openEditor(page, product.base, action);
  await targetField(page, 'Name').click();
  await expect(page.getByText("Function 'vanished' is unavailable").first()).toBeVisible();
  await targetField(page, 'IBAN').click();
  await expect(page.getByText('Unsupported input type')).toBeVisible();
  await expect(page.getByText(/^Expected .*number.*, incoming yes\/no$/)).toBeVisible();
  await mapField(page, 'City', 'City');
  await addFunction(page, 'First characters');
  await addFunction(page, 'Upper case');
  await expect(page.getByText('Previous element not configured')).toBeVisible();
});

test('[XFORM-06] [TRANS-01] [TRANS-02] [TRANS-03] [CLIP-02] a translation table is pasted from a spreadsheet, counts its records and says what it does not know', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await mapField(page, 'City', 'Country');
  await addFunction(page, 'Translate');
  await page.getByRole('button', { name: 'Make the table' }).click();
  const dialog = page.getByRole('dialog');
  await copy(page, 'only\none\ncolumn');
  await dialog.getByRole('button', { name: 'Paste two columns' }).click();
  await expect(
    dialog.getByText('Invalid clipboard content. Please copy two columns of data from a spreadsheet.'),
  ).toBeVisible();
  await copy(page, 'NL\tNederland\nNL\tHolland');
  await dialog.getByLabel('Value in 1', { exact: true }).focus();
  await page.keyboard.press('Control+v');
  await expect(dialog.getByText('This value is there twice').first()).toBeAttached();
  await expect(dialog.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Remove row 2' }).click();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText(/records are not in the table: DE \d+, BE \d+/)).toBeVisible();
  const wrong = Number((await count(page, 'error').textContent())?.replace('.', ''));
  expect(wrong).toBeGreaterThan(0);
  await expect(page.getByText('No translation for "BE"').first()).toBeVisible();
  await page.getByLabel('Not found').selectOption('passthrough');
  await expect(count(page, 'error')).toHaveText('0');

  const rows = Array.from({ length: 9999 }, (_, at) => `key ${at}\tvalue ${at}`).join('\n');
  await page.getByRole('button', { name: /^Edit the table/ }).click();
  await copy(page, rows);
  await dialog.getByRole('button', { name: 'Paste two columns' }).click();
  await expect(dialog.getByText('10.000 rows')).toBeVisible();
  await expectNoViolations(page, 'translation table');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await saveMappings(page);
});

test('[TRIG-01] [TRIG-02] [TRIG-11] a trigger counts the records that it takes while it is typed', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await page.getByRole('tab', { name: /Triggers/ }).click();
  await expect(
    page.getByText('Without a trigger this action never runs by itself', { exact: false }),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Add trigger' }).click();
  const counted = page.getByTestId('trigger-count');
  await expect(counted).toHaveText('1.000 of 1.000 sample records');
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByRole('button', { name: /^Choose a source field/ }).click();
  await page.getByRole('combobox', { name: 'Choose a source field' }).fill('City');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Operator').locator('option')).toHaveText([
    'is',
    'is not',
    'contains',
    'does not contain',
    'begins with',
    'ends with',
  ]);
  await page.getByLabel('Value of condition 1').fill('Breda');
  await expect(counted).toHaveText(/^[1-9]\d{0,2} of 1\.000 sample records$/);
  const one = await counted.textContent();
  await page.getByLabel('Comparison').selectOption('multipleValues');
  await page.getByLabel('Value of condition 1').fill('Utrecht');
  await page.keyboard.press('Enter');
  await expect(counted).not.toHaveText(one ?? '');
  await page.getByRole('radio', { name: /^Existing/ }).check();
  await expect(counted).toHaveText('0 of 1.000 sample records');
  await saveMappings(page);
  const { resource } = await api.get(action.path, actionReply);
  expect(resource.triggers[0]?.conditions[0]).toMatchObject({
    operator: 'in',
    comparison: 'multipleValues',
    values: ['Breda', 'Utrecht'],
  });
});

test('[TRIG-08] [TRIG-09] [TRIG-10] [MAP-05] [MAP-08] source updates have six lists, with the error message on failure only', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await page.getByRole('tab', { name: /Source updates/ }).click();
  for (const kind of ['POST', 'PATCH', 'DELETE'])
    for (const outcome of ['success', 'failure'])
      await expect(page.getByRole('button', { name: `${kind}, ${outcome}` })).toBeVisible();
  await targetField(page, 'Reason of block').click();
  await page.getByRole('combobox', { name: 'Choose a target field' }).fill('Supplier number');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'PATCH, failure' }).click();
  await targetField(page, 'Reason of block').click();
  await page.getByRole('button', { name: 'Error message of the response' }).click();
  await expect(page.getByTestId('trace')).toContainText('The record was refused.');
  await saveMappings(page);
  const { resource } = await api.get(action.path, actionReply);
  expect(resource.sourceUpdateConfigs).toMatchObject({
    onPost: { success: [{ mappingSources: [{ source: { type: 'targetValue' } }] }], failure: [] },
    onPatch: { success: [], failure: [{ mappingSources: [{ source: { type: 'responseErrorMessage' } }] }] },
  });
});

test('suggestions are accepted, an earlier version is compared and restored, a conflict shows both versions', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await page.getByRole('button', { name: 'Accept Name for Name' }).click();
  await expect(page.getByRole('tab', { name: 'Mappings 1', exact: true })).toBeVisible();
  await saveMappings(page);
  await page.getByRole('button', { name: /^Accept all/ }).click();
  await saveMappings(page);
  await page.getByRole('button', { name: 'Versions' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Version 2/ }).click();
  await expect(dialog.getByRole('rowheader', { name: /^City/ })).toBeVisible();
  await dialog.getByRole('button', { name: 'Restore version 2' }).click();
  await expect(page.getByText('Version 2 is restored')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Mappings 1', exact: true })).toBeVisible();

  const { resource } = await api.get(action.path, actionReply);
  await api.send(
    'PATCH',
    action.path,
    { changes: { triggers: [] }, revision: resource.revision },
    actionReply,
  );
  await page.getByRole('button', { name: 'Accept City for City' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Somebody else saved meanwhile' })).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Save mine over it' }).click();
  await expect(page.getByRole('tab', { name: 'Mappings 2', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();

  await targetField(page, 'City').click();
  await page.getByRole('checkbox', { name: 'Unique' }).check();
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(page.getByRole('checkbox', { name: 'Unique' })).toBeChecked();
});

test('without the right to change it the editor shows everything and takes nothing', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await mapField(page, 'Name', 'Name');
  await saveMappings(page);
  await addUser(product.home, {
    username: 'looker',
    fullName: 'Loes Kijker',
    isSuperuser: false,
    readsOnly: ['customers', 'suppliers'],
    looksAt: ['connectors'],
  });
  await page.context().clearCookies();
  await setPreference(await loginPage(page, product.base, 'looker'), 'language', 'EN');
  await page.goto(product.base + action.url);
  await expect(page.getByText('You may look at this action, not change it.')).toBeVisible();
  await targetField(page, 'Name').click();
  await expect(count(page, 'ok')).toHaveText('999');
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Add function' })).toHaveCount(0);
  await expect(page.getByRole('checkbox', { name: 'Unique' })).toBeDisabled();
  await expect(page.getByLabel('When empty')).toBeDisabled();
});

test('the editor has no violations of WCAG 2.2 AA in both languages, light and dark', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  for (const [language, colorScheme] of [
    ['EN', 'light'],
    ['NL', 'dark'],
  ] as const) {
    await setPreference(api, 'language', language);
    await page.emulateMedia({ colorScheme });
    await page.goto(product.base + action.url);
    await expect(page.locator('.sugg li').first()).toBeVisible();
    await expectNoViolations(page, `start ${language}`);
    await page.locator('.sugg .btn').click();
    await page.locator('button.tg.row').first().click();
    await expect(count(page, 'ok')).toBeVisible();
    await page.locator('.addfn .btn').click();
    await expectNoViolations(page, `mapping ${language}`);
    await page.locator('#tab-triggers').click();
    await page.locator('.trigs .btn').click();
    await page.locator('.conds .btn').click();
    await expectNoViolations(page, `triggers ${language}`);
    await page.locator('#tab-updates').click();
    await expectNoViolations(page, `source updates ${language}`);
    page.once('dialog', (dialog) => void dialog.accept());
  }
  await setPreference(api, 'language', 'EN');
});

/** The option id of the wired source. */
async function sourceOf(api: Parameters<typeof makeAction>[0], action: EditedAction): Promise<string> {
  const { resource } = await api.get(action.path, actionReply);
  const wiring = resource['wiring'] as { sources: { optionId: string }[] };
  return wiring.sources[0]?.optionId ?? '';
}

test('[XFORM-01] a lookup is pointed at a collection and its fields by finding them in lists, by keyboard, in both languages', async ({
  page,
  product,
  api,
}) => {
  const action = await makeAction(api, 'customers', 'suppliers');
  await openEditor(page, product.base, action);
  await mapField(page, 'City', 'Name');
  await addFunction(page, 'Look up in the target system');
  const argument = (name: string, value: string): Locator =>
    page.getByRole('button', { name: `${name}: ${value}`, exact: true });
  await expect(argument('Field to search', 'not chosen')).toBeDisabled();
  await expect(argument('Field to search', 'not chosen')).toHaveText('Choose the collection first');
  // The systems are asked for their collections.
  await expect(argument('Collection', 'not chosen')).toBeEnabled();
  await argument('Collection', 'not chosen').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Collection' })).toBeFocused();
  await expectNoViolations(page, 'list of collections');
  await page.keyboard.type('custom');
  await page.keyboard.press('Enter');
  await expect(argument('Collection', 'Customers')).toBeFocused();
  for (const [name, typed, found] of [
    ['Field to search', 'name', 'Name'],
    ['Field to return', 'city', 'City'],
  ] as const) {
    await expect(argument(name, 'not chosen')).toBeEnabled();
    await argument(name, 'not chosen').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    await expect(argument(name, found)).toBeFocused();
  }
  await page.getByLabel('Found several').selectOption('first');
  await expect(count(page, 'ok')).not.toHaveText('0');
  await saveMappings(page);

  // Fields of another collection say nothing about this one.
  await argument('Collection', 'Customers').click();
  await page.keyboard.type('cost cent');
  await page.keyboard.press('Enter');
  await expect(argument('Field to search', 'not chosen')).toBeEnabled();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(argument('Field to return', 'City')).toBeVisible();

  await setPreference(api, 'language', 'NL');
  await page.reload();
  await targetField(page, 'Plaats').click();
  // A closed step says the names too.
  await expect(page.locator('button.fnname')).toContainText(/Collectie Klanten, Zoekveld Naam, .*Plaats/);
  await page.locator('button.fnname').click();
  await expect(page.getByRole('button', { name: /^Collectie: Klanten/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Zoekveld: Naam' })).toBeVisible();
  await expectNoViolations(page, 'arguments of a lookup');
});

test('[MAP-02] of several sources each says how many records it has', async ({ page, product, api }) => {
  const action = await makeAction(api, 'customers', 'suppliers', ['cost-centres']);
  await openEditor(page, product.base, action);
  const source = page.getByLabel('Source', { exact: true });
  await expect(source.getByRole('option').first()).toHaveText('Customers · 1.000 records or more');
  await expect(source.getByRole('option').nth(1)).toHaveText(/^Cost Centres · \d+ records$/);
});
