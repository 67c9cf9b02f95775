import type { QueryOf, getRecords as endpoint } from '@sluice/contract';
import { getRecords } from '../../server/src/features/records/service.ts';
import { fieldIds } from '../generator.ts';
import { interleave, median, report, say, timed } from '../measure.ts';
import { cellsOf } from './edits.ts';
import type { BenchTable, Workbench } from './workbench.ts';

type Query = QueryOf<typeof endpoint>;

const pageSize = 100;
const rounds = 100;
const positions = [0, 0.5, 0.999];
const orders: Record<string, Query> = {
  'default order': {},
  'sorted by text': { orderBy: fieldIds.sortText },
  'sorted by number, descending': { orderBy: fieldIds.sortInt, sortOrder: 'descending' },
  'filtered and sorted': {
    filter: [{ field: fieldIds.filterText, operator: 'contains', value: 'larch' }],
    orderBy: fieldIds.sortInt,
  },
};

/** Pages of 100: the first ones without a snapshot, then any page of a snapshot beside a raw fetch of its rows. */
export async function measurePages(bench: Workbench): Promise<void> {
  for (const [name, query] of Object.entries(orders)) await measureFirst(bench, name, query);
  for (const [name, query] of Object.entries(orders)) await measureSnapshot(bench, name, query);
}

async function read(bench: Workbench, table: BenchTable, query: Query) {
  const reply = await getRecords(bench.services, bench.product.actor, table.path, query, 'columns');
  if (!('ids' in reply)) throw new Error('The answer is not columnar');
  return reply;
}

/** What a person waits for: the first rows, no count; the count is shown beside it. */
async function measureFirst(bench: Workbench, name: string, query: Query): Promise<void> {
  const first = { ...query, limit: pageSize, noTotal: true };
  const [clean = 0, edited = 0, withTotal = 0] = await interleave(5, [
    async () => await read(bench, bench.clean, first),
    async () => await read(bench, bench.edited, first),
    async () => await read(bench, bench.clean, { ...first, noTotal: false }),
  ]);
  report({
    name: `first page, ${name}`,
    unit: 'ms',
    measured: clean,
    limit: null,
    bar: null,
    note: `${edited.toFixed(1)} ms with pending changes; with the total ${withTotal.toFixed(1)} ms`,
  });
}

async function measureSnapshot(bench: Workbench, name: string, query: Query): Promise<void> {
  const views: { table: BenchTable; snapshot: string; total: number }[] = [];
  const building: number[] = [];
  for (const table of [bench.clean, bench.edited]) {
    let reply: Awaited<ReturnType<typeof read>> | undefined;
    building.push(
      await timed(async () => (reply = await read(bench, table, { ...query, limit: 0, snapshot: 'new' }))),
    );
    views.push({ table, snapshot: reply?.snapshot ?? '', total: reply?.total ?? 0 });
  }
  const [clean, edited] = views;
  if (!clean || !edited) return;
  say(`pages ${name}: ${clean.total} rows`);
  const built = { name: `view built, ${name}`, unit: 'ms', limit: null, bar: null } as const;
  report({ ...built, measured: median(building), note: `${clean.total} rows` });
  const pending = cellsOf(bench.rows);
  for (const position of positions) {
    const offset = Math.max(0, Math.min(Math.floor(clean.total * position), clean.total - pageSize));
    const page = { limit: pageSize, offset };
    const readClean = async () => await read(bench, clean.table, { ...page, snapshot: clean.snapshot });
    const readEdited = async () => await read(bench, edited.table, { ...page, snapshot: edited.snapshot });
    const [rawClean, rawEdited] = [
      await rawOf(bench, clean, await readClean()),
      await rawOf(bench, edited, await readEdited()),
    ];
    const reads = [readClean, readEdited, rawClean, rawEdited];
    // The driver has run long before; the pages' own code is to be compiled by the time that counts, too.
    await interleave(rounds, reads);
    const [cleanMs = 0, editedMs = 0, rawCleanMs = 0, rawEditedMs = 0] = await interleave(rounds, reads);
    const at = `page at ${(position * 100).toFixed(position > 0.99 ? 1 : 0)} %, ${name}`;
    report({ name: `${at}, 0 pending`, unit: 'ms', measured: cleanMs, limit: rawCleanMs, bar: 2 });
    report({ name: `${at}, ${pending} pending`, unit: 'ms', measured: editedMs, limit: rawEditedMs, bar: 2 });
    report({
      name: `${at}, ${pending} to 0 pending`,
      unit: 'ms',
      measured: editedMs,
      limit: cleanMs,
      bar: 1.3,
    });
  }
}

/** The same rows and columns over the same driver and nothing else. */
async function rawOf(
  { product }: Workbench,
  { table }: { table: BenchTable },
  page: { ids: readonly (string | null)[] },
): Promise<() => Promise<unknown>> {
  const { columns } = await table.model();
  const names = ['rid', ...columns.map(({ fno }) => `f${fno}`)].join(', ');
  const text = `select ${names} from cache.c_${table.collectionId} where rid = any($1)`;
  const values = [page.ids.map(Number)];
  return async () => await product.pool.query({ text, values, rowMode: 'array' });
}
