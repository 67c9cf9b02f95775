import { columnsMediaType, columnsReplySchema } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
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

let sandbox: Sandbox;
let product: Product;
let domain: ConnectedDomain;
let api: Api;
let journal: string;

type Row = { internalId: string } & Record<string, unknown>;
const listSchema = z.object({
  resources: z.array(z.looseObject({ internalId: z.string() })),
  total: z.number().nullable(),
  maxLimit: z.number(),
  offset: z.number(),
});
const list = async (query: string): Promise<Row[]> =>
  (await api.get(`${journal}?limit=5000&${query}`, listSchema)).resources;
const filtered = async (...conditions: object[]): Promise<Row[]> =>
  await list(`filter=${encodeURIComponent(JSON.stringify(conditions))}`);
const columns = async (query: string) =>
  await api.get(`${journal}?${query}`, columnsReplySchema, { accept: columnsMediaType });

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 1200 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  domain = await connectSandbox(api, sandbox, { isProduction: true });
  journal = domain.table('journal-entries');
  await waitUntilCached(api, journal);
  await waitUntilCached(api, domain.table('customers'));
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

describe('paging', () => {
  it('[API-12] [DATA-10] [GRID-19] pages by limit and offset neither repeat nor skip; noTotal leaves the count out', async () => {
    const first = await api.get(`${journal}?limit=700&offset=0`, listSchema);
    const second = await api.get(`${journal}?limit=700&offset=700&noTotal=true`, listSchema);
    expect(first).toMatchObject({ offset: 0, total: 1200, maxLimit: 5000 });
    expect(second).toMatchObject({ offset: 700, total: null });
    const ids = [...first.resources, ...second.resources].map(({ internalId }) => internalId);
    expect(new Set(ids).size).toBe(1200);
  });

  it('[API-12] a snapshot keeps its order and its total while records are edited, added and deleted', async () => {
    const table = tableOf(api, journal);
    const start = await columns('snapshot=new&limit=0&orderBy=description');
    expect(start.total).toBe(1200);
    const before = await columns(`snapshot=${start.snapshot}&limit=1200`);
    const [victim] = before.ids;
    const edited = before.ids[5] ?? '';
    await table.patch([{ id: edited, changes: { description: 'zzz moved to the end' } }]);
    await table.insert([
      {
        entryDate: '2026-01-01',
        journal: 'memo',
        account: 1302,
        description: 'aaa',
        debit: 1,
        credit: 0,
        currency: 'EUR',
      },
    ]);
    await table.remove([victim ?? '']);
    const after = await columns(`snapshot=${start.snapshot}&limit=1200`);
    expect(after.ids).toEqual(before.ids);
    expect(after.snapshotChanged).toBe(false);
    expect(after.columns.description?.[5]).toBe('zzz moved to the end');
    expect(after.operations.map(({ id, action }) => ({ id, action }))).toEqual(
      expect.arrayContaining([
        { id: edited, action: 'update' },
        { id: victim, action: 'delete' },
      ]),
    );
    const anew = await columns('snapshot=new&limit=1&orderBy=description');
    expect(anew.total).toBe(1201);
    const operations = await table.pending();
    await api.call('DELETE', `${journal}/push`, {
      insert: operations.filter(({ action }) => action === 'add').map(({ id }) => id),
      update: [edited],
      delete: [victim],
    });
    expect(await table.pending()).toHaveLength(0);
  });

  it('an unknown snapshot is built anew, and the answer says so', async () => {
    const answer = await columns('snapshot=gone.1.x&limit=10');
    expect(answer).toMatchObject({ snapshotChanged: true, total: 1200 });
    expect(answer.snapshot).not.toBe('gone.1.x');
  });

  it('the columnar answer says the same as the objects', async () => {
    const objects = (await api.get(`${journal}?limit=50&offset=100`, listSchema)).resources;
    const answer = await columns('limit=50&offset=100');
    objects.forEach((record, index) => {
      expect(answer.ids[index]).toBe(record.internalId);
      expect(answer.columns.debit?.[index]).toBe(record.debit);
      expect(answer.columns.entryDate?.[index]).toBe(record.entryDate);
    });
  });

  it('limits beyond the maximum are cut, and limit -1 is not for data', async () => {
    expect((await api.get(`${journal}?limit=99999`, listSchema)).resources).toHaveLength(1200);
    expect((await api.call('GET', `${journal}?limit=-1`)).status).toBe(400);
  });
});

describe('order', () => {
  const ascending = (values: unknown[]): boolean =>
    values.every(
      (value, index) => index === 0 || value === null || (values[index - 1] as number) <= (value as number),
    );
  it('[GRID-03] sorts by type, ascending and descending, with empty values last both ways', async () => {
    const up = (await list('orderBy=debit&sortOrder=ascending')).map(({ debit }) => debit);
    expect(ascending(up)).toBe(true);
    const down = (await list('orderBy=debit&sortOrder=descending')).map(({ debit }) => debit);
    expect(ascending([...down].reverse())).toBe(true);
    for (const order of ['ascending', 'descending']) {
      const centres = (await list(`orderBy=costCentre&sortOrder=${order}`)).map(
        ({ costCentre }) => costCentre,
      );
      const firstEmpty = centres.indexOf(null);
      expect(firstEmpty).toBeGreaterThan(0);
      expect(centres.slice(firstEmpty).every((value) => value === null)).toBe(true);
    }
  });
  it('[GRID-03] numbers inside texts sort by value', async () => {
    const ids = (await list('orderBy=document'))
      .map(({ document }) => String(document))
      .filter((text) => text !== 'null');
    const collator = new Intl.Collator('en', { numeric: true });
    expect(ids).toEqual([...ids].sort(collator.compare));
  });
  it('sorts by several columns', async () => {
    const rows = await list('orderBy=journal,debit&sortOrder=ascending,descending');
    for (let index = 1; index < rows.length; index += 1) {
      const [a, b] = [rows[index - 1], rows[index]];
      if (a?.journal === b?.journal) expect(Number(a?.debit)).toBeGreaterThanOrEqual(Number(b?.debit));
    }
  });
  it('a field that does not exist is a clear error', async () => {
    const answer = await api.call('GET', `${journal}?orderBy=nope`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'MALFORMED', message: expect.stringContaining('nope') });
  });
});

describe('filters', () => {
  let all: Row[];
  beforeAll(async () => {
    all = await list('');
  });
  const expectSame = (found: Row[], wanted: Row[]): void => {
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all.length);
    expect(found.map(({ internalId }) => internalId).sort()).toEqual(
      wanted.map(({ internalId }) => internalId).sort(),
    );
  };
  const text = (row: Row): string => String(row.description ?? '').toLowerCase();
  it.each([
    ['contains', (row: Row) => text(row).includes('payment')],
    ['doesNotContain', (row: Row) => !text(row).includes('payment')],
    ['beginsWith', (row: Row) => text(row).startsWith('payment')],
    ['endsWith', (row: Row) => text(row).endsWith('7')],
  ])('[FILT-01] text %s', async (operator, wanted) => {
    expectSame(
      await filtered({ field: 'description', operator, value: operator === 'endsWith' ? '7' : 'Payment' }),
      all.filter(wanted),
    );
  });
  it('[FILT-01] text equals and does not equal', async () => {
    const value = String(all[3]?.description);
    expectSame(
      await filtered({ field: 'description', operator: 'equals', value }),
      all.filter((row) => row.description === value),
    );
    expectSame(
      await filtered({ field: 'description', operator: 'doesNotEqual', value }),
      all.filter((row) => row.description !== value),
    );
  });
  it('[FILT-01] signs that mean something to the database are plain text', async () => {
    expect(await filtered({ field: 'description', operator: 'contains', value: '%' })).toHaveLength(0);
    expect(
      await filtered({ field: 'description', operator: 'contains', value: "x'; drop table audit; --" }),
    ).toHaveLength(0);
    expect(await filtered({ field: 'description', operator: 'contains', value: '\\' })).toHaveLength(0);
  });
  it.each([
    ['equals', (a: number, b: number) => a === b],
    ['doesNotEqual', (a: number, b: number) => a !== b],
    ['greaterThan', (a: number, b: number) => a > b],
    ['lessThan', (a: number, b: number) => a < b],
    ['greaterThanOrEqual', (a: number, b: number) => a >= b],
    ['lessThanOrEqual', (a: number, b: number) => a <= b],
  ])('[FILT-02] number %s, on amounts and integers', async (operator, holds) => {
    const amount = Number(all.find(({ debit }) => Number(debit) > 100)?.debit);
    expectSame(
      await filtered({ field: 'debit', operator, value: amount }),
      all.filter((row) => holds(Number(row.debit), amount)),
    );
    expectSame(
      await filtered({ field: 'period', operator, value: 6 }),
      all.filter((row) => holds(Number(row.period), 6)),
    );
  });
  it.each([
    ['equals', (a: string, b: string) => a === b],
    ['before', (a: string, b: string) => a < b],
    ['after', (a: string, b: string) => a > b],
  ])('[FILT-03] date %s, and a day of a date with a time', async (operator, holds) => {
    const date = String(all[600]?.entryDate);
    expectSame(
      await filtered({ field: 'entryDate', operator, value: date }),
      all.filter((row) => holds(String(row.entryDate), date)),
    );
    const day = String(all[600]?.createdAt).slice(0, 10);
    const found = await filtered({ field: 'createdAt', operator, value: day });
    expect(found.map(({ internalId }) => internalId).sort()).toEqual(
      all
        .filter((row) => holds(String(row.createdAt).slice(0, 10), day))
        .map(({ internalId }) => internalId)
        .sort(),
    );
  });
  it('[FILT-04] boolean is true and is false; an empty value matches neither', async () => {
    const yes = await filtered({ field: 'isPosted', operator: 'isTrue' });
    const no = await filtered({ field: 'isPosted', operator: 'isFalse' });
    expectSame(
      yes,
      all.filter(({ isPosted }) => isPosted === true),
    );
    expectSame(
      no,
      all.filter(({ isPosted }) => isPosted === false),
    );
  });
  it('[FILT-05] is empty, is not empty and in work on every type', async () => {
    expectSame(
      await filtered({ field: 'costCentre', operator: 'isEmpty' }),
      all.filter(({ costCentre }) => costCentre === null),
    );
    expectSame(
      await filtered({ field: 'postedAt', operator: 'isNotEmpty' }),
      all.filter(({ postedAt }) => postedAt !== null),
    );
    expectSame(
      await filtered({ field: 'journal', operator: 'in', values: ['bank', 'sales'] }),
      all.filter(({ journal: kind }) => kind === 'bank' || kind === 'sales'),
    );
    expectSame(
      await filtered({ field: 'period', operator: 'in', values: [1, 2] }),
      all.filter(({ period }) => period === 1 || period === 2),
    );
    expectSame(
      await filtered({ field: 'journal', operator: 'notIn', values: ['bank'] }),
      all.filter(({ journal: kind }) => kind !== 'bank'),
    );
  });
  it('several conditions must all hold', async () => {
    expectSame(
      await filtered(
        { field: 'journal', operator: 'equals', value: 'bank' },
        { field: 'period', operator: 'lessThan', value: 7 },
      ),
      all.filter((row) => row.journal === 'bank' && Number(row.period) < 7),
    );
  });
  it('[FILT-06] [FILT-07] search looks in the columns of a type, with case and whole words as asked', async () => {
    const found = async (query: string): Promise<number> => (await list(query)).length;
    expect(await found('search=PAYMENT')).toBe(all.filter((row) => text(row).includes('payment')).length);
    expect(await found('search=PAYMENT&matchCase=true')).toBe(0);
    expect(await found('search=Pay&matchWholeWord=true')).toBe(0);
    expect(await found('search=Payment&matchWholeWord=true&matchCase=true')).toBeGreaterThan(0);
    expect(await found('search=Payment&searchDataType=number')).toBe(0);
    expect(await found(`search=${all[0]?.debit}&searchDataType=number`)).toBeGreaterThan(0);
    expect(await found('search=true&searchDataType=boolean')).toBe(
      all.filter(({ isPosted }) => isPosted === true).length,
    );
    expect(await found(`search=${String(all[0]?.entryDate)}&searchDataType=date`)).toBeGreaterThan(0);
  });
  it('a filter that makes no sense is a clear error with its place', async () => {
    const ask = async (filter: unknown) =>
      await api.call(
        'GET',
        `${journal}?filter=${encodeURIComponent(typeof filter === 'string' ? filter : JSON.stringify(filter))}`,
      );
    for (const filter of [
      '{nope',
      '{}',
      [{ field: 'x' }],
      [{ field: 'debit', operator: 'equals', value: 'abc' }],
      [{ field: 'nope', operator: 'isEmpty' }],
      [{ field: 'entryDate', operator: 'after', value: '31-12-2025' }],
    ]) {
      const answer = await ask(filter);
      expect(answer.status, JSON.stringify(filter)).toBe(400);
      expect(answer.body).toMatchObject({ code: 'MALFORMED' });
    }
  });
});

describe('metadata', () => {
  const metadata = async (path: string, kind: string, language = 'EN') =>
    (await api.call('GET', `${path}?limit=0&metadata=${kind}`, undefined, { 'accept-language': language }))
      .body as { metadata: { title: string; fieldsMetadata: Row[] }; resources: unknown[] };
  it('[API-13] [DATA-09] fields leaves the options out, field-options has them with descriptions', async () => {
    const bare = await metadata(journal, 'fields');
    const full = await metadata(journal, 'field-options');
    const field = (answer: typeof bare) => answer.metadata.fieldsMetadata.find(({ id }) => id === 'journal');
    expect(field(bare)?.options).toBeUndefined();
    expect(field(full)?.options).toContainEqual({ value: 'bank', description: 'Bank' });
    expect(bare.resources).toHaveLength(0);
  });
  it('[API-40] [I18N-01] titles and field names follow Accept-Language', async () => {
    const english = await metadata(journal, 'fields', 'EN');
    const dutch = await metadata(journal, 'fields', 'NL');
    expect(english.metadata.title).toBe('Journal Entries');
    expect(dutch.metadata.title).not.toBe(english.metadata.title);
    expect(dutch.metadata.fieldsMetadata.map(({ name }) => name)).not.toEqual(
      english.metadata.fieldsMetadata.map(({ name }) => name),
    );
  });
  it('[API-14] [EDIT-05] the template has the default values of a new record', async () => {
    const answer = await api.call('GET', `${journal}?limit=0&templateResource=true`);
    expect(answer.body).toMatchObject({ templateResource: { journal: 'memo' } });
  });
  it('[PEND-11] values that break the metadata are shown raw, with what is wrong', async () => {
    const answer = await api.get(`${domain.table('customers')}?limit=5000`, columnsReplySchema, {
      accept: columnsMediaType,
    });
    const errors = Object.entries(answer.receivedErrors);
    expect(errors.length).toBeGreaterThan(0);
    const raw = errors.flatMap(([, list]) => list).find((error) => error.raw === '2026-02-31');
    if (raw) {
      const id = errors.find(([, list]) => list.includes(raw))?.[0] ?? '';
      expect(answer.columns[raw.field]?.[answer.ids.indexOf(id)]).toBe('2026-02-31');
    }
    for (const [, list] of errors) for (const error of list) expect(error.message).not.toBe('');
  });
});

describe('addresses', () => {
  it('[ROUTE-37] [ERR-07] unknown systems, domains, companies, tables and records are not found', async () => {
    const base = journal.replace('/journal-entries', '');
    for (const path of [
      '/api/v1/data/nope/x',
      `${base}/nope`,
      `${base.replace('test', 'x').replace('production', 'nope')}/customers`,
      `${journal}/999999`,
      `${journal}/abc`,
      `${journal}/push/nope/x`,
    ]) {
      const answer = await api.call('GET', path);
      expect(answer.status, path).toBe(404);
      expect(answer.body).toMatchObject({ code: 'NOT_FOUND' });
    }
  });
  it('[ERR-08] a method that an address does not have is refused as such', async () => {
    expect((await api.call('POST', `${journal}/pending`, {})).status).toBe(405);
  });
  it('[C-19] the system is found by its url and by its id', async () => {
    const byId = journal.replace(`/data/${domain.systemUrl}/`, `/data/${domain.systemId}/`);
    expect((await api.call('GET', `${byId}?limit=1`)).status).toBe(200);
  });
});

describe('rights', () => {
  const rights = (endpointId: string, extra: object = {}) => [
    { endpointId, create: false, read: true, update: false, delete: false, ...extra },
  ];
  it('[USER-06] a system that a user may not see does not exist for him', async () => {
    const user = await product.addUser({
      username: 'stranger',
      rights: rights(`data:${domain.systemId}:journal-entries`),
    });
    expect((await user.call('GET', `${journal}?limit=1`)).status).toBe(404);
    expect((await user.call('GET', '/api/v1/user/external-systems?limit=-1&offset=0')).body).toMatchObject({
      resources: [],
    });
  });
  it('reading needs the right on the table, writing the right to write; nothing is kept of a refused write', async () => {
    const systems = [{ externalSystemId: domain.systemId, levelIds: null }];
    const reader = await product.addUser({
      username: 'reader',
      systems,
      rights: rights(`data:${domain.systemId}:journal-entries`),
    });
    expect((await reader.call('GET', `${domain.table('customers')}?limit=1`)).status).toBe(403);
    const seen = await reader.call('GET', `${journal}?limit=1&metadata=fields`);
    expect(seen.body).toMatchObject({
      metadata: { isUpdateAllowed: false, isInsertAllowed: false, readOnlyReason: 'noRight' },
    });
    expect((await reader.call('PATCH', journal, [{ id: '1', changes: { description: 'x' } }])).status).toBe(
      403,
    );
    expect((await reader.call('POST', journal, [{ description: 'x' }])).status).toBe(403);
    expect((await reader.call('DELETE', journal, { ids: ['1'] })).status).toBe(403);
    expect((await reader.call('POST', `${journal}/push`, { update: ['1'] })).status).toBe(403);
    expect(await tableOf(api, journal).pending()).toHaveLength(0);
  });
  it('[GRID-12] without the right to create, adding is refused while changing works', async () => {
    const systems = [{ externalSystemId: domain.systemId, levelIds: null }];
    const editor = await product.addUser({
      username: 'editor',
      systems,
      rights: rights(`data:${domain.systemId}:journal-entries`, { update: true }),
    });
    expect((await editor.call('POST', journal, [{ description: 'x' }])).status).toBe(403);
    expect((await editor.call('PATCH', `${journal}/2`, { description: 'may be changed' })).status).toBe(200);
    expect((await editor.call('DELETE', `${journal}/push`, { update: ['2'] })).body).toMatchObject({
      discarded: { update: 1 },
    });
  });
});
