import type { Session } from '@sluice/adapter-kit';
import { describeConformance } from '@sluice/adapter-kit/conformance';
import { findMariaDbProblem, type MariaDbServer, startMariaDb } from '@sluice/testing/mariadb';
import { describeSystem } from '@sluice/testing/system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mysqlAdapter } from './index.ts';
import { configOf, context, options, readAll } from './test-support.ts';

const schema = `
create database shop;
create user shop@localhost identified by 'shop secret';
grant all on shop.* to shop@localhost;
create user reader@localhost identified by 'reader';
use shop;
create table customer (
  id bigint unsigned auto_increment primary key,
  number varchar(20) not null,
  name varchar(100) not null,
  is_active tinyint(1) not null default 1,
  flag bit(1),
  credit decimal(30,10),
  factor double,
  born date,
  opens time,
  seen timestamp(6) null,
  noted datetime,
  code uuid,
  state enum('new','paid','it''s sent') not null default 'new',
  kinds set('a','b'),
  logo varbinary(100),
  extra json,
  remark varchar(20) not null default '',
  discount int check (discount between 0 and 100),
  updated_at timestamp(6) not null default current_timestamp(6) on update current_timestamp(6),
  name_upper varchar(100) as (upper(name)) stored,
  unique key customer_number (number)
);
create table orders (
  customer_id bigint unsigned not null,
  line int not null,
  product char(8),
  primary key (customer_id, line),
  constraint order_customer foreign key (customer_id) references customer (id)
);
create table log (at datetime, message text) character set latin1;
delimiter //
create function note_read(i bigint) returns bigint modifies sql data
begin insert into log values (now(), 'was read'); return i; end //
delimiter ;
create view watched as select note_read(id) as id, name from customer;
create view paid as select id, name from customer where state = 'paid';
create table big (id int primary key, word varchar(20), modified datetime);
insert into big select seq, concat('word ', seq), '2026-01-01' + interval seq minute from seq_1_to_3500;
insert into log values ('2026-01-01', 'same'), ('2026-01-01', 'same'), ('2026-01-01', 'same'), ('2026-01-02', 'ötter'), (null, null);
grant select on shop.customer to reader@localhost;
grant select on shop.big to reader@localhost;
`;

describeSystem('MariaDB', findMariaDbProblem(), () => {
  let server: MariaDbServer;
  const account = { username: 'shop', password: 'shop secret' };
  const config = (settings: Record<string, string> = {}) =>
    configOf(`mysql://127.0.0.1:${server.port}`, 'shop', account, { access: 'write', ...settings });
  const literal = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;

  beforeAll(async () => {
    server = await startMariaDb();
    server.sql(schema);
  });
  afterAll(() => server?.stop());

  describeConformance('MariaDB', () =>
    Promise.resolve({
      definition: mysqlAdapter,
      config: config(),
      badConfig: { ...config(), password: 'wrong' },
      deadConfig: { ...config(), url: 'mysql://127.0.0.1:1' },
      levels: [],
      collection: 'customer',
      sample: (n) => ({
        number: `C${n}`,
        name: `Café ${n} “O'Brien” \\' ? :sluice_1: 😀`,
        is_active: n % 2 === 0,
        flag: true,
        credit: '12345678901234567.25',
        factor: 0.1,
        born: '1998-02-28',
        opens: '08:30:00',
        seen: '2026-03-29T01:30:00.123456Z',
        noted: '2026-07-01T10:00:00Z',
        code: '0198a6c2-7b5e-7c64-8f1d-2a4b6c8d0e1f',
        state: "it's sent",
        kinds: 'a,b',
        logo: Buffer.from([251, 0, 254, n % 256]).toString('base64'),
        extra: '{"a": "\\\\n"}',
        discount: 5,
      }),
      change: (n) => ({ name: `Changed ${n}`, credit: n, state: 'paid' }),
      invalid: { values: { discount: 101 }, field: 'discount' },
      naturalKey: 'number',
      missingKey: '999999999',
      missingCollection: 'nothing',
      large: { collection: 'big', levels: [], pageSize: 1000 },
      twoCompanies: null,
      clockMs: 20,
      changeElsewhere: (key, values) => {
        const sets = Object.entries(values).map(([name, value]) => `${name} = ${literal(value)}`);
        server.sql(`update customer set ${sets.join(', ')} where id = ${key}`, 'shop');
        return Promise.resolve();
      },
      removeElsewhere: (key) => {
        server.sql(`delete from customer where id = ${key}`, 'shop');
        return Promise.resolve();
      },
      countElsewhere: (value) =>
        Promise.resolve(
          Number(
            server.sql(`select count(*) from customer where number = ${literal(value)}`, 'shop')[0]?.[0],
          ),
        ),
      cleanup: () => Promise.resolve(),
    }),
  );

  describe('MariaDB', () => {
    const opened: Session[] = [];
    const open = (settings: Record<string, string> = {}, other = {}): Session => {
      const session = mysqlAdapter.open({ ...config(settings), ...other }, context());
      opened.push(session);
      return session;
    };
    afterAll(async () => {
      for (const session of opened) await session.close();
    });
    const insert = async (
      session: Session,
      collection: string,
      values: Record<string, string | number | null>,
    ) => {
      const { fields } = await session.describe(collection, options());
      const ops = [{ opId: '1', action: 'insert' as const, values }];
      return (await session.write({ ...options(), collection, fields, ops }))[0];
    };

    it('describes columns by their types', async () => {
      const { fields, keyFields, naturalKeys } = await open().describe('customer', options());
      const field = (id: string) => fields.find((one) => one.id === id);
      expect(keyFields).toEqual(['id']);
      expect(naturalKeys).toEqual([['number']]);
      expect(field('is_active')).toMatchObject({ dataType: 'bool', hasServerDefault: true });
      expect(field('flag')?.dataType).toBe('bool');
      expect(field('credit')).toMatchObject({ dataType: 'float64', scale: 10 });
      expect(field('state')?.options?.map(({ value }) => value)).toEqual(['new', 'paid', "it's sent"]);
      expect(field('extra')?.dataType).toBe('unknown');
      expect(field('name_upper')?.isReadOnly).toBe(true);
      const orders = await open().describe('orders', options());
      expect(orders.fields[0]?.reference).toMatchObject({ resourceTypeUriId: 'customer', valueField: 'id' });
    });

    it('a table without a key can be read, equal rows and old character sets included', async () => {
      const pages = await readAll(open(), 'log', { pageSize: 2 });
      const records = pages.flatMap((page) => page.records);
      expect(new Set(records.map(({ key }) => key)).size).toBe(5);
      const messages = records.map(({ values }) => String(values['message'])).toSorted();
      expect(messages).toEqual(['null', 'same', 'same', 'same', 'ötter']);
      const rest = await readAll(open(), 'log', { cursor: pages[0]?.cursor ?? null });
      expect(rest.flatMap((page) => page.records.map(({ key }) => key))).toEqual(
        records.slice(2).map(({ key }) => key),
      );
    });

    it('queries are tables of their own, read in a transaction that cannot write', async () => {
      const session = open({
        queries: "top: select id, credit * 2 as twice, '?' as mark from customer",
        keys: 'top: id',
      });
      await insert(session, 'customer', { number: 'query', name: 'x', credit: '1.5' });
      const { fields, keyFields } = await session.describe('query:top', options());
      expect(keyFields).toEqual(['id']);
      expect(fields[1]).toMatchObject({ id: 'twice', dataType: 'float64' });
      const records = (await readAll(session, 'query:top')).flatMap((page) => page.records);
      expect(records.at(-1)?.values).toMatchObject({ twice: 3, mark: '?' });
      const broken = open({ queries: 'bad: select nothing from customer' });
      const test = await broken.test({ locale: 'EN', signal: new AbortController().signal });
      expect(test).toMatchObject({ status: 'ERROR_OTHER', message: expect.stringContaining('“bad”') });
    });

    it('a query that would write, by a function, is refused in every read, with its name, the words and the code', async () => {
      const session = open({
        queries: 'spy: select note_read(id) as id, name from customer',
        keys: 'spy: id\nwatched: id',
      });
      const made = await insert(session, 'customer', { number: 'watched', name: 'x' });
      const keys = [made?.state === 'done' ? made.key : ''];
      const before = server.sql('select count(*) from log', 'shop');
      // MariaDB refuses it before it reads a row of it.
      const wished = /^“watched” wants to change the database.*READ ONLY transaction/;
      const refused = /“spy”: .*READ ONLY transaction \(ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION\)/;
      await expect(session.describe('query:spy', options())).rejects.toThrow(refused);
      const test = await session.test({ locale: 'EN', signal: new AbortController().signal });
      expect(test).toMatchObject({ status: 'ERROR_OTHER', message: expect.stringMatching(refused) });
      const { fields } = await session.describe('customer', options());
      const byKeys = { ...options(), collection: 'query:spy', fields, keys };
      await expect(session.readByKeys(byKeys)).rejects.toThrow(refused);
      // A view may hide it too.
      const view = (await session.describe('watched', options())).fields;
      await expect(readAll(session, 'watched')).rejects.toThrow(wished);
      const viewByKeys = { ...options(), collection: 'watched', fields: view, keys };
      await expect(session.readByKeys(viewByKeys)).rejects.toMatchObject({
        code: 'PROTOCOL',
        errCode: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
        message: expect.stringMatching(wished),
      });
      expect(server.sql('select count(*) from log', 'shop')).toEqual(before);
      expect((await insert(session, 'customer', { number: 'after', name: 'x' }))?.state).toBe('done');
    });

    it('refusals name the field: taken, too long, empty, unknown reference, out of range, wrong text, in use', async () => {
      const session = open();
      const field = async (collection: string, values: Record<string, string | number | null>) => {
        const outcome = await insert(session, collection, values);
        return outcome?.state === 'rejected'
          ? outcome.errors.map((e) => `${e.field} ${e.class} ${e.errCode}`)[0]
          : outcome?.state;
      };
      const good = { number: 'errors', name: 'x' };
      expect(await field('customer', good)).toBe('done');
      expect(await field('customer', good)).toBe('number unique 1062');
      expect(await field('customer', { ...good, number: 'x'.repeat(21) })).toBe('number validation 1406');
      expect(await field('customer', { number: 'n', name: null })).toBe('name validation 1048');
      expect(await field('customer', { number: 'n' })).toBe('name validation 1364');
      expect(await field('customer', { ...good, number: 'm', discount: 99_999_999_999 })).toBe(
        'discount validation 1264',
      );
      expect(await field('customer', { ...good, number: 'm', credit: 'abc' })).toBe('credit validation 1366');
      expect(await field('orders', { customer_id: 987_654, line: 1 })).toBe('customer_id reference 1452');
      // What is emptied in a column that knows no null, and has a default, is the empty text.
      expect(await field('customer', { ...good, number: 'empty', remark: null })).toBe('done');
      const [page] = await readAll(session, 'customer', { filter: [{ field: 'number', value: 'errors' }] });
      const key = page?.records[0]?.key ?? '';
      await insert(session, 'orders', { customer_id: Number(key), line: 1 });
      const { fields } = await session.describe('customer', options());
      const ops = [{ opId: 'd', action: 'delete' as const, key }];
      const [removed] = await session.write({ ...options(), collection: 'customer', fields, ops });
      expect(removed).toMatchObject({ state: 'rejected', errors: [{ class: 'inUse' }] });
    });

    it('an account that may only read is enough, and sees only its tables', async () => {
      const session = open({}, { username: 'reader', password: 'reader' });
      expect((await session.collections(options())).map(({ code }) => code)).toEqual(['big', 'customer']);
      const { rights } = await session.describe('customer', options());
      expect(rights).toEqual({ create: false, update: false, delete: false });
    });

    it('an account that may write one column has the others to look at', async () => {
      server.sql('grant update (word) on shop.big to reader@localhost');
      const session = open({}, { username: 'reader', password: 'reader' });
      const { fields, rights } = await session.describe('big', options());
      expect(rights).toEqual({ create: false, update: true, delete: false });
      expect(fields.filter(({ isReadOnly }) => !isReadOnly).map(({ id }) => id)).toEqual(['word']);
      server.sql('revoke update (word) on shop.big from reader@localhost');
    });

    it('a read is one snapshot, whatever is written meanwhile', async () => {
      const session = open();
      const { fields } = await session.describe('big', options());
      const words: unknown[] = [];
      const query = { ...options(), collection: 'big', fields, cursor: null, pageSize: 1000 };
      for await (const { records } of session.read(query)) {
        words.push(...records.map(({ values }) => values['word']));
        server.sql(`update big set word = 'later' where id > 3000`, 'shop');
      }
      expect(words).toHaveLength(3500);
      expect(words).not.toContain('later');
    });
  });
});
