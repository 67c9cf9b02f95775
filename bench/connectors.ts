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
  say('COPY of the same values into two tables like those that a run writes');
  const limit = await copy();
  report({
    name: `run of ${rows} source records to pending inserts`,
    unit: 'rows/s',
    measured: rows / (first / 1000),
    limit: rows / (limit / 1000),
    bar: 0.5,
    direction: 'atLeast',
    note: 'the limit is COPY of the same bytes: the values, and a link for each',
  });
  report({
    name: `run of ${rows} source records of which none changed`,
    unit: 'rows/s',
    measured: rows / (second / 1000),
    limit: null,
    bar: null,
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

async function expectDone(
  shop: Awaited<ReturnType<typeof connectVendors>>,
  counts: Record<string, number>,
): Promise<void> {
  const run = await shop.runNow();
  for (const [name, count] of Object.entries(counts))
    if (run.counts[name as keyof typeof run.counts] !== count)
      throw new Error(`The run came to ${JSON.stringify(run)}`);
}

async function copy(): Promise<number> {
  const client = await product.pool.connect();
  try {
    await client.query(`create table bench_values (rid int4 primary key, name text, iban text, currency text, city text, preferred boolean);
      create table bench_links (source text, key text, rid int4, hash text, primary key (source, key))`);
    const lines = (make: (n: number) => string): string[] => {
      const parts: string[] = [];
      for (let at = 0; at < rows; at += 5000)
        parts.push(Array.from({ length: Math.min(5000, rows - at) }, (_, n) => make(at + n)).join(''));
      return parts;
    };
    const data = lines((n) => `${n}\tVendor ${n}\tNL91ABNA${String(n).padStart(10, '0')}\tEUR\tUtrecht\tt\n`);
    const links = lines((n) => `vendor\t${n}\t${n}\t${String(n).padStart(32, '0')}\n`);
    return await timed(async () => {
      await client.query('begin');
      await pipeline(Readable.from(data), client.query(copyFrom('copy bench_values from stdin')));
      await pipeline(Readable.from(links), client.query(copyFrom('copy bench_links from stdin')));
      await client.query('commit');
    });
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
