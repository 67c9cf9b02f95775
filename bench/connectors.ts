/**
 * A run from a table of PostgreSQL to pending changes, beside COPY of the same bytes; and a second run in which nothing
 * changed. `node bench/connectors.ts --rows=1000000`
 */
import { parseArgs } from 'node:util';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { loginApi, startSandboxProcess } from '@sluice/testing';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectVendors } from '../server/src/features/connectors/test-support/vendors.ts';
import { report, say, timed } from './measure.ts';
import { benchPassword, startBenchProduct } from './product.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '200000' } }, strict: false });
const rows = Number(values.rows);
const lookups = 100_000;
const lookupBarS = 10;

const sandbox = await startSandboxProcess({ journalEntries: 5000 });
const product = await startBenchProduct({ roles: ['web', 'worker'] });

async function measure(): Promise<void> {
  const server = new URL(product.databaseUrl);
  server.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  await admin.query('create database template_sluice');
  await admin.end();
  const api = await loginApi(product.base, 'admin', benchPassword);
  say(`a shop of ${rows} vendors`);
  const shop = await connectVendors(api, {
    postgresUrl: server.href,
    sandboxUrl: sandbox.url,
    count: rows,
  });
  await shop.change({ mappings: shop.mappings() });
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 200);
  say('first run: every record is new');
  const first = await timed(async () => await expectDone(shop, { inserted: rows }));
  say('second run: nothing changed');
  const second = await timed(async () => await expectDone(shop, { unchanged: rows }));
  clearInterval(watch);
  say('a run with three lookups for each record');
  const wanted = Math.min(rows, lookups);
  const [name, account, currency, city, preferred] = shop.mappings();
  await shop.change({
    mappings: [
      lookingUp(name, shop.sourceId, 'name'),
      account,
      lookingUp(currency, shop.sourceId, 'currency'),
      lookingUp(city, shop.sourceId, 'address.city'),
      preferred,
    ],
  });
  const query = { source: shop.sourceId, orderBy: 'id', limit: wanted };
  const looking = await timed(async () => await expectDone(shop, { unchanged: wanted }, { query }));
  say('COPY of the same lines: into like tables with the same indexes, and into bare ones');
  const limit = await copy(true);
  const bare = await copy(false);
  report({
    name: `run of ${rows} source records to pending inserts`,
    unit: 'rows/s',
    measured: rows / (first / 1000),
    limit: rows / (limit / 1000),
    bar: 0.5,
    direction: 'atLeast',
    note: 'the limit is COPY of the same lines (values, operations, links) into like tables with the same indexes',
  });
  report({
    name: 'the same, beside COPY into tables without an index',
    unit: 'rows/s',
    measured: rows / (first / 1000),
    limit: rows / (bare / 1000),
    bar: null,
  });
  report({
    name: `run of ${rows} source records of which none changed`,
    unit: 'rows/s',
    measured: rows / (second / 1000),
    limit: null,
    bar: null,
  });
  report({
    name: `${wanted} records x 3 lookups: the whole run, read, mapped and compared`,
    unit: 's',
    measured: looking / 1000,
    limit: (lookupBarS * wanted) / lookups,
    bar: 1,
  });
  report({
    name: 'memory that the runs take',
    unit: 'MB',
    measured: (peak - before) / 2 ** 20,
    limit: 250,
    bar: 1,
    note: 'growth of the whole process, PostgreSQL apart',
  });
}

/** The mapping with its value looked up in the target by the account. */
const lookingUp = (mapping: object | undefined, sourceOptionId: string, returnField: string): object => ({
  ...mapping,
  defaultValue: null,
  mappingSources: [
    {
      sourceOptionId,
      source: { type: 'sourceValue', field: 'account' },
      transformFns: [
        { fnId: 'lookupTarget', args: { collection: 'suppliers', keyField: 'iban', returnField } },
      ],
    },
  ],
});

async function expectDone(
  shop: Awaited<ReturnType<typeof connectVendors>>,
  counts: Record<string, number>,
  body: object = {},
): Promise<void> {
  const run = await shop.runNow(body);
  for (const [name, count] of Object.entries(counts))
    if (run.counts[name as keyof typeof run.counts] !== count)
      throw new Error(`The run came to ${JSON.stringify(run)}`);
}

/** Lines in parts, made while they are sent: memory is measured too. */
function* linesOf(make: (n: number) => string): Generator<string> {
  for (let at = 1; at <= rows; at += 5000)
    yield Array.from({ length: Math.min(5000, rows - at + 1) }, (_, n) => make(at + n)).join('');
}

/** What a run writes of each record: its values, the pending operation, the link. */
const written = {
  values: (n: number) => `${n}\tt\tVendor ${n}\tNL91ABNA${String(n).padStart(10, '0')}\tEUR\tUtrecht\tt\n`,
  operation: (n: number) =>
    `${n}\ti\t7\t2\t2026-11-21T09:00:00Z\t2026-11-21T09:00:00Z\t${JSON.stringify({
      type: 'connector',
      actionId: idText,
      runId: idText,
      run: { connector: 'Web shop to ERP', action: 'Vendors', number: 1 },
    })}\n`,
  link: (n: number) => `${idText}\tpublic.vendor\t${n}\t1\t${n}\t${String(n).padStart(32, '0')}\t${idText}\n`,
};
const idText = '0199a8c0-7a1e-7c3e-9f64-1f2e3d4c5b6a';

/** COPY of the same lines; `like`: into tables with the columns and indexes of the product's, otherwise bare ones. */
async function copy(like: boolean): Promise<number> {
  const client = await product.pool.connect();
  try {
    const fields = ['name', 'iban', 'currency', 'address.city', 'isPreferred'];
    const found = await client.query<{ id: number; columns: string[] }>(
      `select collection_id as id, array_agg('f' || fno order by array_position($1, path)) as columns
       from collection_field join collection using (collection_id)
       where resource_type_uri_id like '%suppliers' and collection_field.state = 'active' and path = any($1) group by 1`,
      [fields],
    );
    const [target] = found.rows;
    if (!target) throw new Error('no table of suppliers');
    const columns = ['rid', 'p', ...target.columns].join(', ');
    const operation = 'rid, action, revision, author, created_at, updated_at, origin';
    const link = 'action_id, source_option, source_key, collection_id, rid, hash, run_id';
    const how = like ? 'including all' : '';
    await client.query(`
      create table bench_values (like cache.c_${target.id} ${how});
      create table bench_operations (like cache.c_${target.id}_p including defaults ${how});
      create table bench_links (like link including defaults ${how});`);
    const into = async (table: string, make: (n: number) => string): Promise<void> =>
      await pipeline(Readable.from(linesOf(make)), client.query(copyFrom(`copy ${table} from stdin`)));
    const ms = await timed(async () => {
      await client.query('begin');
      await into(`bench_values (${columns})`, written.values);
      await into(`bench_operations (${operation})`, written.operation);
      await into(`bench_links (${link})`, written.link);
      await client.query('commit');
    });
    await client.query('drop table bench_values, bench_operations, bench_links');
    return ms;
  } finally {
    client.release();
  }
}

try {
  await measure();
} finally {
  await product.stop();
  await sandbox.stop();
}
