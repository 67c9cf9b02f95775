import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  appendFileSync,
  readFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ExternalSystemError } from '@sluice/adapter-kit';
import { describeConformance } from '@sluice/adapter-kit/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapter, configOf, open, options, readAll } from './test-support.ts';

let root: string;
const write = (name: string, content: string | Uint8Array): void => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), content);
};
const session = (folder: string, settings: Record<string, string> = {}) =>
  open(adapter('folder', [root]), configOf({ settings: { folder: path.join(root, folder), ...settings } }));

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-files-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeConformance(
  'Files in a folder',
  () => {
    write('conformance/items.csv', 'number;name;price;day\nA0;First;1,50;2026-03-31\n');
    const lines = Array.from({ length: 3500 }, (_, i) => `${i};"word ""${i}"""`);
    write('conformance/big-1.csv', `id;word\n${lines.slice(0, 2000).join('\n')}\n`);
    write(
      'conformance/big-2.csv',
      `word;id\n${lines
        .slice(2000)
        .map((line) => line.split(';').toReversed().join(';'))
        .join('\n')}`,
    );
    const items = path.join(root, 'conformance/items.csv');
    const rows = (): string[][] =>
      readFileSync(items, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(';'));
    const save = (kept: string[][]): void =>
      writeFileSync(items, `${kept.map((row) => row.join(';')).join('\n')}\n`);
    return Promise.resolve({
      definition: adapter('folder', [root]),
      config: configOf({
        settings: {
          folder: path.join(root, 'conformance'),
          files: 'items: items.csv\nbig: big-*.csv',
          keys: 'items: number\nbig: id',
        },
      }),
      badConfig: null,
      deadConfig: configOf({ settings: { folder: path.join(root, 'nowhere') } }),
      levels: [],
      collection: 'items',
      sample: (n) => ({ number: `N${n}`, name: `Name ${n}`, price: n + 0.25, day: '2026-02-28' }),
      change: (n) => ({ name: `Changed ${n}` }),
      invalid: { values: {}, field: null },
      naturalKey: 'number',
      missingKey: 'none',
      missingCollection: 'nothing',
      large: { collection: 'big', levels: [], pageSize: 1000 },
      twoCompanies: null,
      makeElsewhere: (values) => {
        const cells = ['number', 'name', 'price', 'day'].map((name) =>
          String(values[name]).replace('.', ','),
        );
        appendFileSync(items, `${cells.join(';')}\n`);
        return Promise.resolve(String(values['number']));
      },
      changeElsewhere: (key, values) => {
        save(rows().map((row) => (row[0] === key ? [key, String(values['name']), ...row.slice(2)] : row)));
        return Promise.resolve();
      },
      removeElsewhere: (key) => {
        save(rows().filter(([number]) => number !== key));
        return Promise.resolve();
      },
      countElsewhere: (value) => Promise.resolve(rows().filter(([number]) => number === value).length),
      cleanup: () => Promise.resolve(),
    });
  },
  { isReadOnly: true },
);

describe('files', () => {
  const fault = async (work: Promise<unknown>): Promise<ExternalSystemError> => {
    const error = await work.then(
      () => null,
      (e: unknown) => e,
    );
    if (!(error instanceof ExternalSystemError)) throw new Error(`no failure: ${String(error)}`);
    return error;
  };

  it('Windows-1252 with decimal commas is found out: encoding, delimiter, numbers, dates; keys stay text', async () => {
    const text =
      'nummer;naam;bedrag;datum;aantal\n007;Café Zürich;1.234,50;31-12-2025;5\n7;Ünal;-0,5;01-02-2026;-3\n';
    write(
      'dutch/klanten.csv',
      Uint8Array.from([...text], (letter) => letter.charCodeAt(0)),
    );
    const files = session('dutch', { keys: 'klanten: nummer' });
    const { fields } = await files.describe('klanten', options());
    expect(fields.map(({ id, dataType, scale }) => [id, dataType, scale])).toEqual([
      ['nummer', 'string', undefined],
      ['naam', 'string', undefined],
      ['bedrag', 'float64', 2],
      ['datum', 'date', undefined],
      ['aantal', 'int', undefined],
    ]);
    const [page] = await readAll(files, 'klanten');
    expect(page?.records.map(({ key, values }) => [key, ...Object.values(values)])).toEqual([
      ['007', '007', 'Café Zürich', 1234.5, '2025-12-31', 5],
      ['7', '7', 'Ünal', -0.5, '2026-02-01', -3],
    ]);
    const { message } = await files.test({ locale: 'EN', signal: options().signal });
    expect(message).toContain('WINDOWS-1252');
  });

  it('a column that can be read in two ways stays text until somebody says which', async () => {
    write('two/prices.csv', 'price;day\n1.234;03-04-2026\n');
    const types = async (settings: Record<string, string>) =>
      (await session('two', settings).describe('prices', options())).fields.map(({ dataType }) => dataType);
    expect(await types({})).toEqual(['string', 'string']);
    expect(await types({ numbers: 'comma', dates: 'dd-mm-yyyy' })).toEqual(['float64', 'date']);
    const told = async (settings: Record<string, string>) =>
      (await session('two', settings).test({ locale: 'EN', signal: options().signal })).message;
    expect(await told({})).toContain('These columns of Prices stay text');
    expect(await told({})).toContain('are to be read: price, day.');
    expect(await told({ numbers: 'comma' })).toContain('are to be read: day.');
    expect(await told({ numbers: 'comma', dates: 'dd-mm-yyyy' })).not.toContain('stay text');
    expect(await told({ keys: 'prices: price, day' })).not.toContain('stay text');
  });

  it('several files are one table in the order of their names, and a value that breaks its type is kept as it is', async () => {
    write('many/orders-02.csv', 'id,qty\n3,x\n');
    write('many/orders-01.csv', 'id,qty\n1,1\n2,2\n');
    write('many/other.csv', 'a,b\n1,2\n');
    const files = session('many', { files: 'orders: orders-*.csv' });
    expect((await files.collections(options())).map(({ code }) => code)).toEqual(['orders']);
    const [page] = await readAll(files, 'orders');
    expect(page?.records.map(({ values }) => values['id'])).toEqual([1, 2, 3]);
    expect(page?.records[2]?.key).toBe('orders-02.csv:2');
    const late = Array.from({ length: 2500 }, (_, i) => `${i}`).join('\n');
    write('late/numbers.csv', `n,m\n${late.replaceAll(/$/gm, ',1')}\nnone,1\n`);
    const records = (await readAll(session('late'), 'numbers')).flatMap((one) => one.records);
    expect(records.at(-1)?.values['n']).toBe('none');
  });

  it('a broken quote in the middle of a large file ends the read with file, line and column', async () => {
    const half = 'id;text\n' + '1;plain text of some length\n'.repeat(400_000);
    write('broken/large.csv', `${half}2;"not closed\n${'3;"quoted"\n'.repeat(400_000)}`);
    const pages: number[] = [];
    const read = async () => {
      const files = session('broken');
      const { fields } = await files.describe('large', options());
      for await (const page of files.read({
        ...options(),
        collection: 'large',
        fields,
        cursor: null,
        pageSize: 5000,
      }))
        pages.push(page.records.length);
    };
    const { code, message } = await fault(read());
    expect(code).toBe('PROTOCOL');
    expect(message).toContain('large.csv, line 400003, column 3');
    expect(pages.length).toBeGreaterThan(50);
  });

  it('JSON lines: nested objects are flat, numbers keep their digits, a broken line is named', async () => {
    write(
      'json/a.jsonl',
      '{"id":1,"address":{"city":"Delft"},"amount":12345678901234567.89,"tags":["x"]}\n{"id":2}\n',
    );
    const [page] = await readAll(session('json'), 'a');
    expect(page?.records.map(({ values }) => values)).toEqual([
      { id: 1, address_city: 'Delft', amount: '12345678901234567.89', tags: '["x"]' },
      { id: 2, address_city: null, amount: null, tags: null },
    ]);
    write('badjson/b.jsonl', '{"id":1}\n{"id":\n');
    expect((await fault(readAll(session('badjson'), 'b'))).message).toContain('b.jsonl, line 2');
  });

  it('an interrupted read goes on behind its last page, and from the start when the file is another one', async () => {
    write('resume/a.csv', `id,w\n${Array.from({ length: 50 }, (_, i) => `${i},w`).join('\n')}\n`);
    const first = (await readAll(session('resume'), 'a', { pageSize: 20 }))[0];
    const rest = await readAll(session('resume'), 'a', { pageSize: 20, cursor: first?.cursor ?? null });
    expect(rest.flatMap(({ records }) => records)).toHaveLength(30);
    appendFileSync(path.join(root, 'resume/a.csv'), '50,w\n');
    const again = await readAll(session('resume'), 'a', { pageSize: 20, cursor: first?.cursor ?? null });
    expect(again.flatMap(({ records }) => records)).toHaveLength(51);
  });

  it('with keys, only files that were touched since are read again', async () => {
    write('since/day-1.csv', 'id,w\n1,a\n');
    write('since/day-2.csv', 'id,w\n2,b\n');
    utimesSync(path.join(root, 'since/day-1.csv'), new Date('2026-01-01'), new Date('2026-01-01'));
    const files = session('since', { files: 'days: day-*.csv', keys: 'days: id' });
    const pages = await readAll(files, 'days', { changedSince: new Date('2026-06-01') });
    expect(pages.flatMap(({ records }) => records.map(({ key }) => key))).toEqual(['2']);
  });

  it('folders outside the allowed ones are refused, by their path and by a link', async () => {
    mkdirSync(path.join(root, 'inside'), { recursive: true });
    symlinkSync('/etc', path.join(root, 'inside/link'));
    for (const folder of ['/etc', path.join(root, 'inside/link'), path.join(root, '..')]) {
      const files = open(adapter('folder', [path.join(root, 'inside')]), configOf({ settings: { folder } }));
      expect((await fault(files.collections(options()))).code).toBe('FORBIDDEN');
    }
    const none = open(adapter('folder', []), configOf({ settings: { folder: root } }));
    expect((await fault(none.collections(options()))).message).toContain('SLUICE_FILE_ROOTS');
  });

  it('settings that cannot be read are named', () => {
    const problems = (settings: Record<string, string>) =>
      adapter('folder', [root])
        .checkConfig?.(configOf({ settings: { folder: root, ...settings } }), 'NL')
        .map(({ field }) => field);
    expect(problems({})).toEqual([]);
    expect(problems({ files: 'nonsense', headings: 'x' })).toEqual(['settings.headings', 'settings.files']);
    expect(problems({ files: 'nonsense' })).toEqual(['settings.files']);
    expect(problems({ folder: 'relative' })).toEqual(['settings.folder']);
  });
});
