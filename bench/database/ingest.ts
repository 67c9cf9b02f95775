import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { from as copyFrom } from 'pg-copy-streams';
import { copyEncoder } from '../../server/src/features/cache/encode.ts';
import { refreshCollection } from '../../server/src/features/cache/refresh.ts';
import { report, say, timed } from '../measure.ts';
import { type BenchTable, limitTable, type Workbench } from './workbench.ts';

const never = new AbortController().signal;

/** First load of both tables, each followed by one COPY of the same lines into a like table with the same indexes. */
export async function measureIngest(bench: Workbench): Promise<void> {
  const { pool } = bench.product;
  const generating = await timed(async () => {
    for (const { records } of bench.generator.pages()) if (records.length === 0) throw new Error('no rows');
  });
  const loads: number[] = [];
  const limits: number[] = [];
  let lines: Buffer[] = [];
  for (const table of [bench.clean, bench.edited]) {
    say(`first load of ${bench.rows} rows by the product`);
    loads.push((await timed(async () => await load(bench, table))) - generating);
    if (lines.length === 0) {
      await createLimitTable(bench);
      lines = await linesOf(bench);
    }
    say('COPY of the same rows alone');
    limits.push(await timed(async () => await loadLimit(bench, lines)));
  }
  // The first write of a file costs more than the next ones, whoever does it.
  const [loaded, limit] = [Math.min(...loads), Math.min(...limits)];
  const rate = (ms: number): string => `${Math.round(bench.rows / (ms / 1000))} rows/s`;
  report({
    name: `ingest of ${bench.rows} rows x 30 columns, with indexes`,
    unit: 'ms',
    measured: loaded,
    limit,
    bar: 1.3,
    note: `${rate(loaded)} of ${rate(limit)}, the generator's own ${generating.toFixed(0)} ms taken off`,
  });
  for (const name of [
    limitTable,
    `cache.c_${bench.clean.collectionId}`,
    `cache.c_${bench.edited.collectionId}`,
  ])
    await pool.query(`vacuum (analyze) ${name}`);
}

async function load({ product, session }: Workbench, table: BenchTable): Promise<void> {
  const services = { pool: product.pool, log: product.log, now: () => new Date() };
  const result = await refreshCollection(services, session, table.collectionId, never);
  if (result?.kind !== 'first') throw new Error('The first load did not run');
}

/** An empty table like the product's own: same columns and settings. */
async function createLimitTable({ product, clean }: Workbench): Promise<void> {
  await product.pool.query(
    `create table ${limitTable} (like cache.c_${clean.collectionId} including identity including defaults)
       with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  );
}

/** All lines in COPY's text form, ready to be sent. */
async function linesOf(bench: Workbench): Promise<Buffer[]> {
  const { columns } = await bench.clean.model();
  const encode = copyEncoder(columns);
  const buffers: Buffer[] = [];
  for (const { records } of bench.generator.pages()) buffers.push(Buffer.from(records.map(encode).join('')));
  return buffers;
}

async function loadLimit({ product, clean }: Workbench, lines: readonly Buffer[]): Promise<void> {
  const { columns } = await clean.model();
  const names = ['k', 'ver', 'bad', ...columns.map(({ fno }) => `f${fno}`)];
  const client = await product.pool.connect();
  try {
    await client.query(`truncate ${limitTable} restart identity`);
    await client.query(`alter table ${limitTable} drop constraint if exists bench_limit_pkey`);
    await client.query('drop index if exists cache.bench_limit_k, cache.bench_limit_p');
    await client.query('begin');
    await client.query('set local synchronous_commit = off');
    const copy = client.query(copyFrom(`copy ${limitTable} (${names.join(', ')}) from stdin`));
    await pipeline(Readable.from(lines), copy);
    await client.query(`alter table ${limitTable} add constraint bench_limit_pkey primary key (rid)`);
    await client.query(`create unique index bench_limit_k on ${limitTable} (k)`);
    await client.query(`create index bench_limit_p on ${limitTable} (rid) where k is null`);
    await client.query('commit');
    await client.query(`analyze ${limitTable}`);
  } finally {
    client.release();
  }
}
