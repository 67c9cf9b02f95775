import type { Sandbox } from '@sluice/sandbox';
import {
  type ConnectedDomain,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;
let journal: string;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 6000 });
  product = await startProduct(inject('postgresUrl'));
  domain = await connectSandbox(product.admin, sandbox);
  journal = domain.table('journal-entries');
  await waitUntilCached(product.admin, journal);
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

async function exported(query: Record<string, string>): Promise<{ headers: Headers; text: string }> {
  const response = await fetch(`${product.base}${journal}/export?${new URLSearchParams(query).toString()}`, {
    headers: { cookie: product.admin.cookie() },
  });
  expect(response.status).toBe(200);
  const bytes = await response.arrayBuffer();
  return { headers: response.headers, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) };
}
const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const csvText = (value: unknown): string =>
  /[",\n]/.test(asText(value)) ? `"${asText(value).replaceAll('"', '""')}"` : asText(value);
const asText = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

it('all records of a table come as CSV with the values of the API, byte for byte, beyond any page limit', async () => {
  const columns = ['number', 'entryDate', 'debit', 'credit', 'currency'];
  const { headers, text } = await exported({ columns: columns.join(',') });
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="journal-entries.csv"');
  const records = [
    ...(await tableOf(product.admin, journal).find('limit=5000&noTotal=true')),
    ...(await tableOf(product.admin, journal).find('limit=5000&offset=5000&noTotal=true')),
  ];
  const wanted = records.map((record) => columns.map((name) => asText(record[name])).join(','));
  expect(linesOf(text)).toEqual([columns.join(','), ...wanted]);
  expect(wanted).toHaveLength(6000);
});

it('what is pending is in it; quotes, delimiters and line breaks are quoted', async () => {
  const table = tableOf(product.admin, journal);
  const [first, second] = await table.find('limit=2');
  const odd = 'a;b "c"\nd';
  await table.patch([
    { id: first?.internalId ?? '', changes: { description: odd } },
    { id: second?.internalId ?? '', changes: { description: null } },
  ]);
  const filter = JSON.stringify([
    { field: 'number', operator: 'in', values: [first?.['number'], second?.['number']] },
  ]);
  const { text } = await exported({
    columns: 'description,number',
    delimiter: 'semicolon',
    byteOrderMark: 'true',
    filter,
  });
  expect(text).toBe(
    `\uFEFFdescription;number\n"a;b ""c""\nd";${String(first?.['number'])}\n;${String(second?.['number'])}\n`,
  );
});

it('a filter is data, whatever is in it', async () => {
  const [odd, plain] = await tableOf(product.admin, journal).find('limit=2&offset=20');
  await tableOf(product.admin, journal).patch([
    { id: odd?.internalId ?? '', changes: { description: `it's "$1" \\ x'; drop table app_user; --` } },
    { id: plain?.internalId ?? '', changes: { description: 'x' } },
  ]);
  for (const value of ["x'; drop table app_user; --", '\\', "\\'); select 1 --", '$1', '"']) {
    const filter = JSON.stringify([{ field: 'description', operator: 'contains', value }]);
    const { text } = await exported({ columns: 'number,description', filter });
    const found = await tableOf(product.admin, journal).find(
      `limit=5000&filter=${encodeURIComponent(filter)}`,
    );
    const lines = found.map((record) => `${asText(record['number'])},${csvText(record['description'])}`);
    expect(text).toBe(['number,description', ...lines, ''].join('\n'));
  }
});

it('an unknown column is refused with its name, and who may not read gets nothing', async () => {
  const answer = await product.admin.call('GET', `${journal}/export?columns=nope`);
  expect(answer).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'columns' }] } });
  const other = await product.addUser({ username: 'nobody' });
  expect((await other.call('GET', `${journal}/export`)).status).toBe(404);
});

it('a workbook has the values that a spreadsheet can hold, dates as dates, and everything comes back', async () => {
  const table = tableOf(product.admin, journal);
  const [first] = await table.find('limit=1&offset=10');
  const odd = 'a & <b> "c" _x0041_ \u0007 é\nd';
  await table.patch([{ id: first?.internalId ?? '', changes: { description: odd } }]);
  const columns = ['number', 'entryDate', 'debit', 'description', 'isPosted'];
  const response = await fetch(
    `${product.base}${journal}/export?${new URLSearchParams({ format: 'xlsx', columns: columns.join(','), headings: 'names' }).toString()}`,
    { headers: { cookie: product.admin.cookie() } },
  );
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="journal-entries.xlsx"');
  const rows = await readSheet(Buffer.from(await response.arrayBuffer()));
  const records = await table.find('limit=5000&noTotal=true');
  expect(rows).toHaveLength(6001);
  expect(rows[0]).toEqual(['Entry number', 'Date', 'Debit', 'Description', 'Posted']);
  const shown = rows
    .slice(1, 5001)
    .map((row) => row.map((cell) => (cell instanceof Date ? cell.toISOString().slice(0, 10) : cell)));
  expect(shown).toEqual(
    records.map((record) =>
      columns.map((name) => (record[name] === undefined || record[name] === '' ? null : record[name])),
    ),
  );
  expect(shown[10]?.[3]).toBe(odd);
});

it('a text that no cell of a spreadsheet holds is refused with field and record before a byte is sent; CSV has all of it', async () => {
  const table = tableOf(product.admin, journal);
  const [first] = await table.find('limit=1&offset=30');
  const change = async (description: string) =>
    await table.patch([{ id: first?.internalId ?? '', changes: { description } }]);
  const query = new URLSearchParams({ format: 'xlsx', columns: 'number,description', headings: 'names' });
  const check = async () => await product.admin.call('GET', `${journal}/export/check?${query.toString()}`);

  // Two units each in the count of a spreadsheet, one letter in PostgreSQL's.
  await change(`${'\u{1F600}'.repeat(16_383)}é`);
  expect((await check()).status).toBe(204);
  const whole = await fetch(`${product.base}${journal}/export?${query.toString()}`, {
    headers: { cookie: product.admin.cookie() },
  });
  const rows = await readSheet(Buffer.from(await whole.arrayBuffer()));
  expect(rows[31]?.[1]).toBe(`${'\u{1F600}'.repeat(16_383)}é`);

  await change('\u{1F600}'.repeat(16_384));
  for (const answer of [
    await check(),
    await product.admin.call('GET', `${journal}/export?${query.toString()}`),
  ]) {
    expect(answer).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
    expect(JSON.stringify(answer.body)).toContain(
      `Description of record ${asText(first?.['number'])} has 32,768 characters`,
    );
  }
  const { text } = await exported({ columns: 'description' });
  expect(text).toContain('\u{1F600}'.repeat(16_384));
  query.set('columns', 'number');
  expect((await check()).status).toBe(204);
});
