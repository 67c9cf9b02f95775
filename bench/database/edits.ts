import { randomUUID } from 'node:crypto';
import { discardOperations } from '../../server/src/features/pending/discard.ts';
import { patchRecords } from '../../server/src/features/pending/patch.ts';
import { replay } from '../../server/src/features/pending/undo.ts';
import { tendColumnIndexes } from '../../server/src/features/records/column-indexes.ts';
import { getRecords } from '../../server/src/features/records/service.ts';
import { fieldIds } from '../generator.ts';
import { median, report, say, timed } from '../measure.ts';
import { limitTable, type Workbench } from './workbench.ts';

const rounds = 3;

/** How many cells are edited: 50,000, or a twentieth of a smaller table. */
export const cellsOf = (rows: number): number => Math.min(50_000, Math.floor(rows / 20));

/**
 * One cell in each of 50,000 rows all over the table: staged as one step of several calls, undone, staged again,
 * discarded. The limit is one bare UPDATE of the same rows of an equal table. Leaves the last edit pending.
 */
export async function measureEdits(bench: Workbench): Promise<void> {
  await indexSortColumns(bench);
  const cells = cellsOf(bench.rows);
  const step = Math.floor(bench.rows / cells);
  const rids = Array.from({ length: cells }, (_, index) => 1 + index * step);
  const times = {
    stage: [] as number[],
    undo: [] as number[],
    discard: [] as number[],
    limit: [] as number[],
  };
  for (let round = 0; round < rounds; round += 1) {
    say(`staging ${cells} cells, round ${round + 1} of ${rounds}`);
    times.limit.push(await timed(async () => await bareUpdate(bench, rids, `limit ${round}`)));
    const editId = randomUUID();
    times.stage.push(await timed(async () => await stage(bench, rids, editId, `staged ${round}`)));
    times.undo.push(await timed(async () => await undo(bench, editId)));
    await settle(bench);
    await stage(bench, rids, randomUUID(), `again ${round}`);
    times.discard.push(await timed(async () => await discard(bench, rids)));
    await settle(bench);
  }
  await stage(bench, rids, randomUUID(), 'left pending');
  await settle(bench);
  const limit = median(times.limit);
  const note = 'the limit is one bare UPDATE of the same rows';
  report({
    name: `${cells} cells staged with undo journal`,
    unit: 'ms',
    measured: median(times.stage),
    limit,
    bar: 1.7,
    note,
  });
  report({ name: `${cells} cells undone`, unit: 'ms', measured: median(times.undo), limit, bar: null, note });
  report({
    name: `${cells} rows discarded`,
    unit: 'ms',
    measured: median(times.discard),
    limit,
    bar: null,
    note,
  });
}

/** People have sorted by both columns before: the indexes that this makes are there, on the limit's table as well. */
async function indexSortColumns({ product, services, clean, edited }: Workbench): Promise<void> {
  const { pool, log, actor } = product;
  for (const { path } of [clean, edited])
    for (const orderBy of [fieldIds.sortText, fieldIds.sortInt])
      await getRecords(services, actor, path, { orderBy, limit: 1, noTotal: true }, 'columns');
  await tendColumnIndexes(pool, log);
  const { byPath } = await clean.model();
  const hasIndexes = (await pool.query(`select 1 from column_index where state = 'ready'`)).rowCount;
  if (!hasIndexes) return;
  const columns = [
    `f${byPath.get(fieldIds.sortText)?.fno} collate sluice_text`,
    `f${byPath.get(fieldIds.sortInt)?.fno}`,
  ];
  for (const column of columns) await pool.query(`create index on ${limitTable} (${column}, rid)`);
}

async function bareUpdate({ product, edited }: Workbench, rids: number[], text: string): Promise<void> {
  const column = `f${(await edited.model()).byPath.get(fieldIds.edited)?.fno}`;
  const values = rids.map((rid) => `${text} ${rid}`);
  await product.pool.query(
    `update ${limitTable} t set ${column} = v.value from unnest($1::int4[], $2::text[]) v(rid, value) where t.rid = v.rid`,
    [rids, values],
  );
}

/** Records of the first call, which opens the step, and of the others: as the web sends a long paste (apply-batch.ts). */
const firstCall = 1000;
const otherCalls = 5000;

/** As the web sends a long paste: the first call begins the step, the others go at most three at a time. */
async function stage(bench: Workbench, rids: readonly number[], editId: string, text: string): Promise<void> {
  const { services, product, edited } = bench;
  const send = async (part: readonly number[]): Promise<void> => {
    const changes = part.map((rid) => ({
      id: String(rid),
      changes: { [fieldIds.edited]: `${text} ${rid}` },
    }));
    const options = { editId, kind: 'paste', answer: 'brief' } as const;
    await patchRecords(services, product.actor, edited.path, changes, options);
  };
  const calls: (readonly number[])[] = [];
  for (let at = firstCall; at < rids.length; at += otherCalls) calls.push(rids.slice(at, at + otherCalls));
  await send(rids.slice(0, firstCall));
  const next = async (): Promise<void> => {
    for (let part = calls.shift(); part; part = calls.shift()) await send(part);
  };
  await Promise.all([next(), next(), next()]);
}

async function undo({ services, product, edited }: Workbench, editId: string): Promise<void> {
  const { kept } = await replay(services, product.actor, edited.path, editId, 'undo');
  if (kept.length > 0) throw new Error(`Undo left ${kept.length} cells as they were`);
}

async function discard({ services, product, edited }: Workbench, rids: readonly number[]): Promise<void> {
  const body = { insert: [], update: rids.map(String), delete: [] };
  const { discarded } = await discardOperations(services, product.actor, edited.path, body);
  if (discarded.update !== rids.length) throw new Error(`Only ${discarded.update} rows were discarded`);
}

/** Dead rows of the last round go, for both sides alike. */
async function settle({ product, edited }: Workbench): Promise<void> {
  for (const name of [limitTable, `cache.c_${edited.collectionId}`, `cache.c_${edited.collectionId}_p`])
    await product.pool.query(`vacuum (analyze) ${name}`);
}
