import type { Sandbox } from '@sluice/sandbox';
import { type Api, type Product, startProduct, startSandbox, waitUntilCached } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';
import { connectVendors, type Vendors } from '../test-support/vendors.ts';

const rows = 5;

let sandbox: Sandbox;
let product: Product;
let api: Api;
let shop: Vendors;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 100 });
  product = await startProduct(inject('postgresUrl'));
  api = product.admin;
  shop = await connectVendors(api, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: rows,
  });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
  await shop?.drop();
});

/** Changes the shop's table; its adapter believes for two seconds what it saw of it last. */
const alter = async (change: string): Promise<void> => {
  await shop.query(`alter table vendor ${change}`);
  await new Promise((resolve) => setTimeout(resolve, 2100));
};

describe('a run whose mappings do not fit the systems any more', () => {
  let action: string;
  const some = { query: { source: 'suppliers', limit: 3 } };

  beforeAll(async () => {
    await waitUntilCached(api, shop.source.path);
    const connector = await makeConnector(api, 'ERP to web shop', shop.ends.erp, shop.ends.shop);
    const from = (field: string, fns: object[] = []) => fromField('suppliers', field, fns);
    action = await makeAction(api, connector, {
      name: 'Suppliers',
      source: 'suppliers',
      target: shop.sourceId,
      mappings: [
        {
          targetField: 'id',
          isUnique: true,
          mappingSources: from('number', [{ fnId: 'keepChars', args: { class: 'digits' } }]),
        },
        { targetField: 'title', mappingSources: from('name') },
        { targetField: 'town', mappingSources: from('address.city') },
        { targetField: 'note', mappingSources: from('isPreferred') },
      ],
    });
  });

  it('a field of the target that is gone stops the run before anything is written, and is named', async () => {
    await alter('rename column town to place');
    const run = await runAction(api, action, some);
    expect(run).toMatchObject({ status: 'FAILED', current: 0, counts: { inserted: 0, failed: 0 } });
    expect(run.message).toContain('town');
    expect(run.message).not.toContain('title');
    expect(await shop.source.pending()).toEqual([]);
    await alter('rename column place to town');
  });

  it('a field of the target that has another type by now stops the run, which says both types', async () => {
    await alter('alter column note type timestamptz using null');
    const run = await runAction(api, action, some);
    expect(run).toMatchObject({ status: 'FAILED', current: 0, counts: { inserted: 0 } });
    expect(run.message).toContain('Note');
    expect(run.message).toMatch(/datetime.*bool|bool.*datetime/);
    expect(await shop.source.pending()).toEqual([]);
    await alter('alter column note type text');
    expect((await runAction(api, action, some)).counts).toMatchObject({ inserted: 3, failed: 0 });
    expect(await shop.source.pending()).toHaveLength(3);
  });

  it('a field that only a condition of the trigger looks at stops the run too, and the trigger is named', async () => {
    const conditions = [
      { field: 'erp_number', operator: 'in', comparison: 'singleValue', value: 'new', values: [] },
    ];
    await shop.change({
      mappings: shop.mappings(),
      triggers: [
        { internalId: 'fresh', name: 'Not numbered', sourceRecordSelection: 'newAndExisting', conditions },
      ],
    });
    await shop.query(`update vendor set erp_number = 'new'`);
    await alter('rename column erp_number to number_of_erp');
    const run = await shop.runNow({ triggerId: 'fresh' });
    expect(run).toMatchObject({ status: 'FAILED', current: 0, counts: { inserted: 0 } });
    expect(run.message).toContain('Not numbered');
    expect(run.message).toContain('erp_number');
    expect(await shop.target.pending()).toEqual([]);
    await alter('rename column number_of_erp to erp_number');
    const again = await shop.runNow({ triggerId: 'fresh' });
    expect(again).toMatchObject({ status: 'DONE', counts: { inserted: rows } });
  });
});

describe('a run that inserts a value which must be unique', () => {
  const fresh = (n: number): string => `NL91ABNA${String(9800 + n).padStart(10, '0')}`;
  const vatNumber = 'NL999999990B01';

  it('marks it with 4900 where another record has it already, in the ERP or in the same run, though the match key is another field', async () => {
    const suppliers = await shop.target.find('limit=100');
    const taken = String(suppliers.find(({ number }) => number !== null)?.['vatNumber']);
    expect(taken).toMatch(/^[A-Z]{2}/);
    await shop.query(`update vendor set erp_number = null`);
    await shop.query(
      `insert into vendor (id, title, town, account, kind, erp_number) values
         (11, 'Taken', 'Delft', '${fresh(1)}', 'A', '${taken}'), (12, 'Twice', 'Delft', '${fresh(2)}', 'A', '${vatNumber}'),
         (13, 'Twice', 'Delft', '${fresh(3)}', 'A', '${vatNumber}'), (14, 'Fine', 'Delft', '${fresh(4)}', 'A', 'NL999999991B01')`,
    );
    await shop.change({
      mappings: [
        ...shop.mappings(),
        { targetField: 'vatNumber', mappingSources: fromField(shop.sourceId, 'erp_number') },
      ],
    });
    expect((await shop.runNow()).counts).toMatchObject({ inserted: 4, failed: 0 });
    const pending = new Map((await shop.target.pending()).map((operation) => [operation.id, operation]));
    const marked = async (n: number) => {
      const [record] = await shop.target.where('iban', fresh(n));
      return pending.get(record?.internalId ?? '')?.validationErrors;
    };
    for (const n of [1, 2, 3]) expect(await marked(n)).toMatchObject([{ field: 'vatNumber', code: 4900 }]);
    expect(await marked(4)).toEqual([]);
  });

  it('a value that comes free is unmarked again', async () => {
    const [record] = await shop.target.where('iban', fresh(3));
    await shop.query(`update vendor set erp_number = 'NL999999992B01' where id = 13`);
    expect((await shop.runNow()).counts).toMatchObject({ inserted: 0, updated: 1 });
    const of = async (n: number) => {
      const [found] = await shop.target.where('iban', fresh(n));
      return (await shop.target.pending()).find(({ id }) => id === found?.internalId)?.validationErrors;
    };
    expect(record).toBeDefined();
    expect(await of(3)).toEqual([]);
    expect(await of(2)).toEqual([]);
    expect(await of(1)).toHaveLength(1);
  });
});
