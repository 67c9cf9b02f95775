import { testRunResultSchema } from '@sluice/contract';
import {
  type Api,
  connectDomain,
  type Product,
  startProduct,
  tableOf,
  waitUntilCached,
} from '@sluice/testing';
import { findMariaDbProblem, type MariaDbServer, startMariaDb } from '@sluice/testing/mariadb';
import { describeSystem } from '@sluice/testing/system';
import { startTryton, type TrytonServer } from '@sluice/testing/tryton';
import { findTrytonProblem } from '@sluice/testing/tryton-process';
import { decimal } from '@sluice/testing/tryton-seed';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';

/** `WEBSHOP_ROWS=100000` for the long run: Tryton makes about 300 parties a second. */
const rows = Number(process.env['WEBSHOP_ROWS'] ?? 500);
/** Every order has one to three lines; customers who order are among those that no other test deletes. */
const orders = Math.ceil(rows / 5);
const buyers = Math.floor(rows / 10);
const products = 20;
const longMs = 600_000 + rows * 20;

/** What the shop sells, as the ERP knows it. */
async function makeProducts({ rpc, companies }: TrytonServer): Promise<void> {
  const [unit] = await rpc.search('product.uom', [['symbol', '=', 'u']], ['id']);
  await rpc.create(
    'product.template',
    Array.from({ length: products }, (_, index) => ({
      name: `Bout M${index + 1}`,
      type: 'goods',
      default_uom: unit?.['id'],
      salable: true,
      sale_uom: unit?.['id'],
      list_price: decimal('1'),
      cost_price_method: 'fixed',
      products: [['create', [{ suffix_code: `SKU-${index + 1}` }]]],
    })),
    { company: companies[0] },
  );
}

/** A web shop in MariaDB, read with an account that may only read, whose customers become parties of a real Tryton. */
describeSystem(
  'a web shop in MariaDB connected to Tryton',
  findMariaDbProblem() ?? findTrytonProblem(),
  () => {
    let shop: MariaDbServer;
    let tryton: TrytonServer;
    let product: Product;
    let api: Api;
    let connector: string;
    let parties: ReturnType<typeof tableOf>;
    let addresses: ReturnType<typeof tableOf>;

    beforeAll(async () => {
      shop = await startMariaDb();
      shop.sql(`create database webshop; create user reader@localhost identified by 'reader';
      grant select on webshop.* to reader@localhost; use webshop;
      create table customer (id int primary key, number varchar(20) not null unique, first_name varchar(60), last_name varchar(60),
        street varchar(80), place char(3), active tinyint(1) not null default 1);
      insert into customer select seq, concat('W', lpad(seq, 6, '0')), if(seq % 5 = 0, null, concat('Voornaam', seq)),
        concat(' de Vries-', seq), concat('Damrak ', seq), elt(1 + seq % 3, 'AMS', 'UTR', 'GRO'), 1 from seq_1_to_${rows};
      create table product (sku varchar(20) primary key, name varchar(80));
      insert into product select concat('SKU-', seq), concat('Bout M', seq) from seq_1_to_${products};
      create table orders (id int primary key, number varchar(20) not null unique, customer_id int not null, placed date not null,
        street varchar(80), zip varchar(10), place char(3));
      insert into orders select seq, concat('SO', lpad(seq, 6, '0')), 8 + seq % ${buyers}, '2026-01-01' + interval seq % 300 day,
        concat('Keizersgracht ', 8 + seq % ${buyers}), '1015 CN', elt(1 + (seq % ${buyers}) % 3, 'AMS', 'UTR', 'GRO') from seq_1_to_${orders};
      create table order_line (id int auto_increment primary key, order_id int not null, line int not null, sku varchar(20) not null,
        quantity decimal(10,2) not null, price decimal(12,4) not null);
      insert into order_line (order_id, line, sku, quantity, price)
        select o.id, n.seq, concat('SKU-', 1 + (o.id + n.seq) % ${products}), n.seq * 2, o.id / 100
        from orders o join seq_1_to_3 n on n.seq <= 1 + o.id % 3;
      create view delivery as select distinct c.number as customer, o.street, o.zip, o.place
        from orders o join customer c on c.id = o.customer_id;`);
      tryton = await startTryton();
      await makeProducts(tryton);
      product = await startProduct(inject('postgresUrl'));
      api = product.admin;
      const source = await connectDomain(api, {
        kind: 'mysql',
        systemName: 'Web shop',
        url: `mysql://127.0.0.1:${shop.port}`,
        database: 'webshop',
        username: 'reader',
        password: 'reader',
        settings: { tls: 'off' },
      });
      const erp = await connectDomain(api, {
        kind: 'tryton',
        systemName: 'Tryton',
        url: tryton.url,
        database: tryton.database,
        username: tryton.username,
        password: tryton.password,
        companies: tryton.companies.slice(0, 1).map(String),
      });
      parties = tableOf(api, erp.table('party-party'));
      addresses = tableOf(api, erp.table('party-address'));
      await waitUntilCached(api, parties.path);
      await waitUntilCached(api, addresses.path);
      connector = await makeConnector(
        api,
        'Web shop to Tryton',
        { id: source.systemId, levelIds: [source.domainId] },
        { id: erp.systemId, levelIds: [erp.domainId, `${erp.domainId}.${tryton.companies[0]}`] },
      );
    }, 300_000);
    afterAll(async () => {
      await product?.stop();
      await tryton?.stop();
      await shop?.stop();
    });

    const from = (field: string, transformFns: object[] = [], source = 'customer') =>
      fromField(source, field, transformFns);
    const make = async (name: string, target: string, mappings: object[], source = 'customer') =>
      await makeAction(api, connector, { name, source, target, mappings });
    const runNow = async (path: string) => await runAction(api, path);
    const failuresOf = async (path: string, { internalId }: { internalId: string }): Promise<string> => {
      const { failures } = await api.get(
        `${path}/runs/${internalId}?limit=3`,
        z.object({ failures: z.object({ resources: z.array(z.looseObject({})) }) }),
      );
      return failures.resources.length === 0 ? '' : JSON.stringify(failures.resources);
    };

    const partyMappings = [
      {
        targetField: 'name',
        mappingSources: [
          {
            sourceOptionId: 'customer',
            source: {
              type: 'multiple',
              mergeString: '{1} {2}',
              mergeSources: [
                { source: { type: 'sourceValue', field: 'first_name' } },
                { source: { type: 'sourceValue', field: 'last_name' }, transformFns: [{ fnId: 'trim' }] },
              ],
            },
            transformFns: [{ fnId: 'trim' }],
          },
        ],
      },
      { targetField: 'code', isUnique: true, mappingSources: from('number') },
    ];
    const places = {
      inputType: 'string',
      returnType: 'string',
      rows: [
        { key: 'AMS', value: 'Amsterdam' },
        { key: 'UTR', value: 'Utrecht' },
        { key: 'GRO', value: 'Groningen' },
      ],
      defaultValue: null,
      notFound: 'error',
    };
    const nameOf = (n: number): string => (n % 5 === 0 ? '' : `Voornaam${n} `) + `de Vries-${n}`;
    const number = (n: number): string => `W${String(n).padStart(6, '0')}`;
    const inTryton = async () =>
      new Map(
        (await tryton.rpc.search('party.party', [['code', 'like', 'W%']], ['code', 'name'])).map((party) => [
          String(party['code']),
          String(party['name']),
        ]),
      );
    let action: string;

    it(
      '[MAP-03] [MAP-10] [MAP-11] customers become parties: what the test run says is what the run makes, and Tryton has exactly that after the push',
      async () => {
        action = await make('Customers', 'party-party', partyMappings);
        const said = await api.send(
          'POST',
          `${action}/test-run`,
          {
            mappings: partyMappings,
            trigger: null,
            query: { source: 'customer', limit: 100, orderBy: 'id' },
          },
          testRunResultSchema,
        );
        const run = await runNow(action);
        expect(run).toMatchObject({ status: 'DONE', counts: { inserted: rows, failed: 0 } });
        for (const result of said.results) {
          const value = (field: string) =>
            result.fieldResults.find(({ targetField }) => targetField === field)?.value;
          expect(result.action).toBe('add');
          const made = await parties.where('code', String(value('code')));
          expect(made.map(({ name }) => name)).toEqual([value('name')]);
        }
        expect((await inTryton()).size).toBe(0);
        expect((await parties.pushAll()).succeeded).toBe(rows);
        const found = await inTryton();
        expect(found.size).toBe(rows);
        for (let n = 1; n <= rows; n += 1) expect(found.get(number(n))).toBe(nameOf(n));
      },
      longMs,
    );

    it(
      'a second run changes nothing; exactly what is changed and deleted in the shop follows',
      async () => {
        expect((await runNow(action)).counts).toMatchObject({
          inserted: 0,
          updated: 0,
          deleted: 0,
          unchanged: rows,
        });
        const changed = Math.floor(rows / 10);
        shop.sql(
          `update customer set last_name = concat(last_name, ' bv') where id <= ${changed}; delete from customer where id > ${rows - 10};`,
          'webshop',
        );
        expect((await runNow(action)).counts).toMatchObject({ inserted: 0, updated: changed, deleted: 10 });
        expect((await parties.pushAll()).succeeded).toBe(changed + 10);
        const found = await inTryton();
        expect(found.size).toBe(rows - 10);
        for (let n = 1; n <= rows - 10; n += 1)
          expect(found.get(number(n))).toBe(nameOf(n) + (n <= changed ? ' bv' : ''));
      },
      longMs,
    );

    it(
      '[XFORM-06] [TRANS-02] addresses find their party by its code, places are translated, and an unknown place is refused by name',
      async () => {
        shop.sql(`update customer set place = 'XXX' where id = 7`, 'webshop');
        const lookup = {
          fnId: 'lookupTarget',
          args: { collection: 'party-party', keyField: 'code', returnField: 'id' },
        };
        const addressAction = await make('Addresses', 'party-address', [
          { targetField: 'party', isUnique: true, mappingSources: from('number', [lookup]) },
          { targetField: 'street', mappingSources: from('street') },
          {
            targetField: 'city',
            mappingSources: from('place', [{ fnId: 'translate', translationTable: places }]),
          },
        ]);
        const run = await runNow(addressAction);
        expect(run.counts.failed).toBe(1);
        expect(await failuresOf(addressAction, run)).toContain('No translation for');
        expect(run.counts.inserted).toBe(rows - 11);
        expect((await addresses.pushAll()).succeeded).toBe(rows - 11);
        const found = await tryton.rpc.search('party.address', [['street', '=', 'Damrak 9']], ['city']);
        expect(found).toHaveLength(1);
        expect(found[0]?.['city']).toBe('Amsterdam');
      },
      longMs,
    );

    const find = (
      fnId: 'lookupSource' | 'lookupTarget',
      collection: string,
      keyField: string,
      returnField: string,
    ) => ({
      fnId,
      args: { collection, keyField, returnField },
    });
    const count = (from: string): number =>
      Number(shop.sql(`select count(*) from ${from}`, 'webshop')[0]?.[0]);
    const partyOf = find('lookupTarget', 'party-party', 'code', 'id');

    it(
      '[XFORM-06] a view of the shop gives the delivery addresses: each once for its party, unique by two fields',
      async () => {
        const action = await make(
          'Delivery addresses',
          'party-address',
          [
            { targetField: 'party', isUnique: true, mappingSources: from('customer', [partyOf], 'delivery') },
            { targetField: 'street', isUnique: true, mappingSources: from('street', [], 'delivery') },
            { targetField: 'postal_code', mappingSources: from('zip', [], 'delivery') },
            {
              targetField: 'city',
              mappingSources: from('place', [{ fnId: 'translate', translationTable: places }], 'delivery'),
            },
          ],
          'delivery',
        );
        const wanted = count('delivery');
        expect((await runNow(action)).counts).toMatchObject({ inserted: wanted, failed: 0 });
        expect((await addresses.pushAll()).succeeded).toBe(wanted);
        expect((await runNow(action)).counts).toMatchObject({ inserted: 0, updated: 0, unchanged: wanted });
        const found = await tryton.rpc.search(
          'party.address',
          [['street', 'like', 'Keizersgracht %']],
          ['party.code', 'street', 'postal_code'],
        );
        expect(found).toHaveLength(wanted);
        for (const address of found)
          expect(address).toMatchObject({
            'party.': { code: number(Number(String(address['street']).split(' ')[1])) },
            postal_code: '1015 CN',
          });
      },
      longMs,
    );

    it(
      '[XFORM-06] [MAP-10] orders become sales, and their lines find sale, product and unit; what changes and goes in the shop follows',
      async () => {
        for (const name of ['sale-sale', 'sale-line', 'product-product'])
          await waitUntilCached(api, sibling(name));
        // Units are the same in every company.
        await waitUntilCached(api, sibling('product-uom').replace(/\/companies\/[^/]+/, ''));
        const sales = tableOf(api, sibling('sale-sale'));
        const lines = tableOf(api, sibling('sale-line'));
        const orderFields = (field: string, fns: object[] = []) => from(field, fns, 'orders');
        const saleAction = await make(
          'Orders',
          'sale-sale',
          [
            { targetField: 'reference', isUnique: true, mappingSources: orderFields('number') },
            {
              targetField: 'party',
              mappingSources: orderFields('customer_id', [
                find('lookupSource', 'customer', 'id', 'number'),
                partyOf,
              ]),
            },
            { targetField: 'sale_date', mappingSources: orderFields('placed') },
          ],
          'orders',
        );
        const sold = await runNow(saleAction);
        expect(await failuresOf(saleAction, sold)).toBe('');
        expect(sold).toMatchObject({
          message: null,
          counts: { inserted: orders, failed: 0 },
        });
        expect((await sales.pushAll()).succeeded).toBe(orders);

        const lineFields = (field: string, fns: object[] = []) => from(field, fns, 'order-line');
        const lineAction = await make(
          'Order lines',
          'sale-line',
          [
            {
              targetField: 'sale',
              isUnique: true,
              mappingSources: lineFields('order_id', [
                find('lookupSource', 'orders', 'id', 'number'),
                find('lookupTarget', 'sale-sale', 'reference', 'id'),
              ]),
            },
            { targetField: 'sequence', isUnique: true, mappingSources: lineFields('line') },
            {
              targetField: 'product',
              mappingSources: lineFields('sku', [find('lookupTarget', 'product-product', 'code', 'id')]),
            },
            {
              targetField: 'unit',
              mappingSources: [
                {
                  sourceOptionId: 'order-line',
                  source: { type: 'customValue', value: 'u' },
                  transformFns: [find('lookupTarget', 'product-uom', 'symbol', 'id')],
                },
              ],
            },
            { targetField: 'quantity', mappingSources: lineFields('quantity') },
            { targetField: 'unit_price', mappingSources: lineFields('price') },
          ],
          'order-line',
        );
        const made = await runNow(lineAction);
        expect(await failuresOf(lineAction, made)).toBe('');
        expect(made).toMatchObject({
          message: null,
          counts: { inserted: count('order_line'), failed: 0 },
        });
        expect((await lines.pushAll()).succeeded).toBe(count('order_line'));
        expect(await linesInTryton()).toEqual(linesInShop());

        expect((await runNow(lineAction)).counts).toMatchObject({
          inserted: 0,
          updated: 0,
          unchanged: count('order_line'),
        });
        shop.sql(
          `update order_line set quantity = quantity + 1 where order_id <= 20; delete from order_line where order_id = 30;
          insert into order_line (order_id, line, sku, quantity, price) values (31, 9, 'SKU-3', 2, 7.25);`,
          'webshop',
        );
        const changed = count('order_line where order_id <= 20');
        expect((await runNow(lineAction)).counts).toMatchObject({ inserted: 1, updated: changed, failed: 0 });
        expect((await lines.pushAll()).failed).toBe(0);
        expect(await linesInTryton()).toEqual(linesInShop());
      },
      longMs,
    );

    const sibling = (collection: string): string => parties.path.replace('party-party', collection);
    const lineOf = (order: unknown, line: unknown, sku: unknown, quantity: unknown, price: unknown): string =>
      [order, line, sku, Number(quantity), Number(price)].join(' ');
    const linesInShop = (): string[] =>
      shop
        .sql(
          'select o.number, l.line, l.sku, l.quantity, l.price from order_line l join orders o on o.id = l.order_id',
          'webshop',
        )
        .map(([order, line, sku, quantity, price]) => lineOf(order, line, sku, quantity, price))
        .toSorted();
    const lineSchema = z.object({
      'sale.': z.object({ reference: z.string() }),
      'product.': z.object({ code: z.string() }),
      sequence: z.number(),
      quantity: z.number(),
      unit_price: z.object({ decimal: z.string() }),
    });
    const linesInTryton = async (): Promise<string[]> =>
      (
        await tryton.rpc.search(
          'sale.line',
          [['sale.reference', 'like', 'SO%']],
          ['sale.reference', 'sequence', 'product.code', 'quantity', 'unit_price'],
        )
      )
        .map((line) => lineSchema.parse(line))
        .map((line) =>
          lineOf(
            line['sale.'].reference,
            line.sequence,
            line['product.'].code,
            line.quantity,
            line.unit_price.decimal,
          ),
        )
        .toSorted();
  },
);
