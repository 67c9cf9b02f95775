import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { to as copyTo } from 'pg-copy-streams';
import { exportFile } from '../../server/src/features/records/export.ts';
import { interleave, report } from '../measure.ts';
import type { Workbench } from './workbench.ts';

const sampleMs = 20;

/** Reads to the end and keeps nothing. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** All records of a table as a CSV file, beside a bare COPY of the same columns by the same driver. */
export async function measureExport(bench: Workbench): Promise<void> {
  const { pool, actor } = bench.product;
  const model = await bench.clean.model();
  const columns = model.columns.map(({ fno }) => `f${fno}`).join(', ');
  const table = `cache.c_${bench.clean.collectionId}`;
  const bare = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      const text = `copy (select ${columns} from ${table} order by rid) to stdout (format csv)`;
      await pipeline(client.query(copyTo(text)), nowhere());
    } finally {
      client.release();
    }
  };
  const before = process.memoryUsage().rss;
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), sampleMs);
  const own = async (): Promise<void> => {
    const { stream } = await exportFile(bench.services, actor, bench.clean.path, {});
    await pipeline(stream, nowhere());
  };
  const [ownMs = 0, bareMs = 0] = await interleave(2, [own, bare]);
  clearInterval(sampling);
  report({
    name: `export of ${bench.rows} rows as CSV`,
    unit: 's',
    measured: ownMs / 1000,
    limit: bareMs / 1000,
    bar: 1.4,
    note: 'beside COPY of the same columns',
  });
  report({
    name: 'memory that the exports added',
    unit: 'MB',
    measured: (peak - before) / 2 ** 20,
    limit: 120,
    bar: 1,
    note: `${Math.round(peak / 2 ** 20)} MB resident at most`,
  });
}
