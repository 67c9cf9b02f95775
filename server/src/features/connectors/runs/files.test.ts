import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectDomain,
  type ConnectedDomain,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { workbookOf } from '../../records/xlsx.ts';
import { type End, fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';

let home: string;
let sandbox: Sandbox;
let product: Product;
let api: Api;
let erp: End;
let suppliers: ReturnType<typeof tableOf>;

const account = (n: number): string => `NL91ABNA${String(9700 + n).padStart(10, '0')}`;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'sluice-runs-'));
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'), {
    files: { roots: [home], uploads: path.join(home, 'uploads') },
  });
  api = product.admin;
  const shop = await connectSandbox(api, sandbox, { systemName: 'ERP', database: 'test' });
  erp = { id: shop.systemId, levelIds: [shop.domainId, `${shop.domainId}.NL01`] };
  suppliers = tableOf(api, shop.table('suppliers'));
  await waitUntilCached(api, suppliers.path);
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
  rmSync(home, { recursive: true, force: true });
});

interface Line {
  n: number;
  name: string;
  city: string;
  minimum: string | null;
  since: string;
}
const lines: Line[] = [
  { n: 1, name: 'Crème & Zn “Groß” 😀', city: 'Delft', minimum: '1234.5', since: '2026-02-28' },
  { n: 2, name: 'Tweede', city: 'Utrecht', minimum: null, since: '2026-03-29' },
  { n: 3, name: 'Derde', city: '', minimum: '0.05', since: '1999-12-31' },
];

/** Rows as a spreadsheet keeps them: numbers as numbers, days as days. */
async function workbook(rows: readonly Line[]): Promise<Uint8Array> {
  const columns = [
    { name: 'account', pgType: 'text' },
    { name: 'name', pgType: 'text' },
    { name: 'address_city', pgType: 'text' },
    { name: 'minimum', pgType: 'numeric' },
    { name: 'since', pgType: 'date' },
  ] as const;
  const cells = rows.map(({ n, name, city, minimum, since }) => [
    account(n),
    name,
    city === '' ? null : city,
    minimum,
    since,
  ]);
  const portions = (async function* () {
    yield cells;
  })();
  return await buffer(workbookOf('Suppliers', columns, portions));
}

/** Rows as a program writes them: an object a line, with an object inside. */
const jsonLines = (rows: readonly Line[]): Uint8Array =>
  Buffer.from(
    rows
      .map(({ n, name, city, minimum, since }) =>
        JSON.stringify({
          account: account(n + 50),
          name,
          address: { city },
          minimum: minimum === null ? null : Number(minimum),
          since,
        }),
      )
      .join('\n'),
  );

const forms: {
  form: string;
  ending: string;
  offset: number;
  write: (rows: readonly Line[]) => Uint8Array | Promise<Uint8Array>;
}[] = [
  { form: 'a workbook', ending: 'xlsx', offset: 0, write: workbook },
  { form: 'JSON lines', ending: 'jsonl', offset: 50, write: jsonLines },
];

describe.each(forms)('an uploaded file as a source: $form', ({ ending, offset, write }) => {
  let folder: ConnectedDomain;
  let action: string;

  const upload = async (bytes: Uint8Array): Promise<void> => {
    const files = `/api/v1/manage/systems/${folder.systemUrl}/domains/${folder.domainId}/files`;
    const answer = await api.call('POST', `${files}/list.${ending}`, bytes, {
      'content-type': 'application/octet-stream',
    });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  };
  const supplier = async (n: number) => (await suppliers.where('iban', account(n + offset)))[0];

  beforeAll(async () => {
    folder = await connectDomain(api, {
      kind: 'upload',
      systemName: `Files ${ending}`,
      url: '',
      database: '',
      username: '',
      password: '',
      settings: { keys: 'list: account' },
    });
    await upload(await write(lines));
    const connector = await makeConnector(
      api,
      `${ending} to ERP`,
      { id: folder.systemId, levelIds: [folder.domainId] },
      erp,
    );
    const from = (field: string, fns: object[] = []) => fromField('list', field, fns);
    action = await makeAction(api, connector, {
      name: 'Suppliers',
      source: 'list',
      target: 'suppliers',
      mappings: [
        { targetField: 'iban', isUnique: true, mappingSources: from('account') },
        { targetField: 'name', mappingSources: from('name') },
        {
          targetField: 'currency',
          mappingSources: [
            { sourceOptionId: 'list', source: { type: 'customValue', value: 'EUR' }, transformFns: [] },
          ],
        },
        { targetField: 'address.city', mappingSources: from('address_city') },
        { targetField: 'minimumOrder', mappingSources: from('minimum') },
        { targetField: 'peppolId', mappingSources: from('since') },
      ],
    });
  });

  it('its values arrive as they are, and a second run of the same file changes nothing', async () => {
    expect((await runAction(api, action)).counts).toMatchObject({ inserted: 3, failed: 0 });
    expect(await supplier(1)).toMatchObject({
      name: 'Crème & Zn “Groß” 😀',
      address: { city: 'Delft' },
      minimumOrder: 1234.5,
      peppolId: '2026-02-28',
    });
    expect(await supplier(2)).toMatchObject({ minimumOrder: null, peppolId: '2026-03-29' });
    expect(await supplier(3)).toMatchObject({
      address: { city: null },
      minimumOrder: 0.05,
      peppolId: '1999-12-31',
    });
    expect((await suppliers.pushAll()).succeeded).toBe(3);
    expect((await runAction(api, action)).counts).toMatchObject({ inserted: 0, updated: 0, unchanged: 3 });
  });

  it('a newer file of the same name is followed: what is changed in it, and what is gone from it', async () => {
    const changed = lines.slice(0, 2).map((line) => (line.n === 2 ? { ...line, name: 'Anders' } : line));
    await upload(await write(changed));
    expect((await runAction(api, action)).counts).toMatchObject({
      inserted: 0,
      updated: 1,
      deleted: 1,
      unchanged: 1,
    });
    expect((await suppliers.pushAll()).succeeded).toBe(2);
    expect(await supplier(2)).toMatchObject({ name: 'Anders' });
    expect(await supplier(3)).toBeUndefined();
  });

  it('a file of which the end is missing stops the run by name, and nothing is deleted for it', async () => {
    const whole = await write(lines);
    await upload(whole.subarray(0, whole.length - 20));
    const run = await runAction(api, action);
    expect(run).toMatchObject({ status: 'FAILED', counts: { deleted: 0 } });
    expect(run.message).toContain(`list.${ending}`);
    expect(await suppliers.pending()).toEqual([]);
  });
});

describe('a watched folder as a source', () => {
  const csv = (...rows: readonly [n: number, name: string][]): string =>
    ['account;name', ...rows.map(([n, name]) => `${account(n)};${name}`)].join('\r\n');

  it('says in its form that it is watched, where, for which files, and that they stay as they are', async () => {
    const form = z.object({
      resources: z.array(
        z.looseObject({
          kind: z.string(),
          title: z.string(),
          configFields: z.array(z.looseObject({ name: z.string(), hint: z.string().nullable() })),
        }),
      ),
    });
    for (const [locale, title, watched] of [
      ['en', 'Files in a watched folder', 'It is watched: at each refresh'],
      ['nl', 'Bestanden in een bewaakte map', 'Er wordt op gelet: bij elke verversing'],
    ] as const) {
      const { resources } = await api.get('/api/v1/manage/adapter-kinds', form, {
        'accept-language': locale,
      });
      const folder = resources.find(({ kind }) => kind === 'folder');
      const hint = (name: string) => folder?.configFields.find((field) => field.name === name)?.hint;
      expect(folder?.title).toBe(title);
      expect(hint('settings.folder')).toContain(watched);
      expect(hint('settings.folder')).toContain(home);
      expect(hint('settings.files')).toContain('orders-*.csv');
    }
  });

  it('follows files that appear, change and go, and leaves them as they are', async () => {
    const drop = path.join(home, 'drop');
    mkdirSync(drop);
    writeFileSync(path.join(drop, 'list-1.csv'), csv([81, 'Een'], [82, 'Twee']));
    writeFileSync(path.join(drop, 'notes.txt'), 'not a table');
    const folder = await connectDomain(api, {
      kind: 'folder',
      systemName: 'Drop',
      url: '',
      database: '',
      username: '',
      password: '',
      settings: { folder: drop, files: 'list: list-*.csv', keys: 'list: account' },
    });
    const source = { id: folder.systemId, levelIds: [folder.domainId] };
    const action = await makeAction(api, await makeConnector(api, 'Drop to ERP', source, erp), {
      name: 'Suppliers',
      source: 'list',
      target: 'suppliers',
      mappings: [
        { targetField: 'iban', isUnique: true, mappingSources: fromField('list', 'account') },
        { targetField: 'name', mappingSources: fromField('list', 'name') },
        {
          targetField: 'currency',
          mappingSources: [
            { sourceOptionId: 'list', source: { type: 'customValue', value: 'EUR' }, transformFns: [] },
          ],
        },
      ],
    });
    const countsOf = async () => (await runAction(api, action)).counts;
    expect(await countsOf()).toMatchObject({ inserted: 2, failed: 0 });
    writeFileSync(path.join(drop, 'list-2.csv'), csv([83, 'Drie']));
    expect(await countsOf()).toMatchObject({ inserted: 1, unchanged: 2 });
    writeFileSync(path.join(drop, 'list-2.csv'), csv([83, 'Drie bis'], [84, 'Vier']));
    expect(await countsOf()).toMatchObject({ inserted: 1, unchanged: 2, failed: 0 });
    expect((await suppliers.where('iban', account(83)))[0]).toMatchObject({ name: 'Drie bis' });
    expect(readdirSync(drop).toSorted()).toEqual(['list-1.csv', 'list-2.csv', 'notes.txt']);
    expect(readFileSync(path.join(drop, 'list-1.csv'), 'utf8')).toBe(csv([81, 'Een'], [82, 'Twee']));
    expect((await suppliers.pushAll()).succeeded).toBe(4);
    rmSync(path.join(drop, 'list-1.csv'));
    expect(await countsOf()).toMatchObject({ inserted: 0, deleted: 2, unchanged: 2 });
    expect((await suppliers.pushAll()).succeeded).toBe(2);
  });
});
