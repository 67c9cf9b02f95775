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
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { fromField, makeAction, makeConnector, runAction } from '../test-support/action.ts';

/** `WEBSHOP_ROWS=100000` for the long run: Tryton makes about 300 parties a second. */
const rows = Number(process.env['WEBSHOP_ROWS'] ?? 1500);
const longMs = 600_000 + rows * 20;

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
        concat(' de Vries-', seq), concat('Damrak ', seq), elt(1 + seq % 3, 'AMS', 'UTR', 'GRO'), 1 from seq_1_to_${rows};`);
      tryton = await startTryton();
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

    const from = (field: string, transformFns: object[] = []) => fromField('customer', field, transformFns);
    const make = async (name: string, target: string, mappings: object[]): Promise<string> =>
      await makeAction(api, connector, { name, source: 'customer', target, mappings });
    const runNow = async (path: string) => await runAction(api, path);

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
        const { failures } = await api.get(
          `${addressAction}/runs/${run.internalId}`,
          z.object({ failures: z.object({ resources: z.array(z.looseObject({})) }) }),
        );
        expect(JSON.stringify(failures.resources)).toContain('No translation for');
        expect(run.counts.inserted).toBe(rows - 11);
        expect((await addresses.pushAll()).succeeded).toBe(rows - 11);
        const found = await tryton.rpc.search('party.address', [['street', '=', 'Damrak 9']], ['city']);
        expect(found).toHaveLength(1);
        expect(found[0]?.['city']).toBe('Amsterdam');
      },
      longMs,
    );
  },
);
