import type { FilterCondition, QueryOf, getRecords as recordsEndpoint } from '@sluice/contract';
import { type FindServices, findCell } from '../../server/src/features/bulk/find.ts';
import { createHitCache } from '../../server/src/features/bulk/hit-cache.ts';
import { listDistinct } from '../../server/src/features/bulk/values.ts';
import { getRecords } from '../../server/src/features/records/service.ts';
import { tendColumnIndexes } from '../../server/src/features/records/column-indexes.ts';
import { type Bus, openBus } from '../../server/src/platform/bus.ts';
import { fieldIds } from '../generator.ts';
import { median, report, say, timed } from '../measure.ts';
import type { Workbench } from './workbench.ts';

/** What a person waits for in a table of a million rows: without an index, and once the index stands. */
const bars = { scanned: 300, indexed: 50 };
const rounds = 5;
const pageSize = 100;

type Query = QueryOf<typeof recordsEndpoint>;
interface Case {
  name: string;
  work: () => Promise<unknown>;
  /** An index is made for it on demand. */
  isIndexed: boolean;
}

/** First pages of filters, orders, values and searches; nothing is counted that the page does not show. */
export async function measureFinding(bench: Workbench): Promise<void> {
  const { product, services, clean } = bench;
  const bus = await openBus({ url: product.databaseUrl, applicationName: 'bench', log: product.log });
  try {
    const finding = { ...services, ...product.app.systems, bus };
    const view = await getRecords(
      services,
      product.actor,
      clean.path,
      { limit: 0, snapshot: 'new' },
      'columns',
    );
    const cases = casesOf(bench, finding, view.snapshot ?? '');
    await product.pool.query('delete from column_index');
    const scanned = await measureAll(cases);
    cases.forEach(({ name }, index) => {
      tell(`${name}, no index`, scanned[index] ?? Number.NaN, bars.scanned, bench.rows);
    });
    say('indexes');
    const { rows: before } = await product.pool.query<{ size: string }>(sizeOf(clean.collectionId));
    const took = await timed(async () => await makeIndexes(bench));
    const { rows: after } = await product.pool.query<{ size: string }>(sizeOf(clean.collectionId));
    report({
      name: 'the indexes for searching and sorting',
      unit: 's',
      measured: took / 1000,
      limit: null,
      bar: null,
      note: `${((Number(after[0]?.size) - Number(before[0]?.size)) / 2 ** 20).toFixed(0)} MB beside ${(Number(before[0]?.size) / 2 ** 20).toFixed(0)} MB`,
    });
    const indexed = cases.filter((one) => one.isIndexed);
    const times = await measureAll(indexed);
    indexed.forEach(({ name }, index) => {
      tell(`${name}, indexed`, times[index] ?? Number.NaN, bars.indexed, bench.rows);
    });
  } finally {
    await bus.close();
  }
}

function tell(name: string, measured: number, limit: number, rows: number): void {
  // The bar is an absolute time for a million rows: fewer are shown only.
  const isWhole = rows >= 1_000_000;
  report({ name, unit: 'ms', measured, limit: isWhole ? limit : null, bar: isWhole ? 1 : null });
}

const sizeOf = (collectionId: number): string =>
  `select pg_total_relation_size('cache.c_${collectionId}')::text as size`;

async function measureAll(cases: readonly Case[]): Promise<number[]> {
  const times: number[] = [];
  for (const { work } of cases) {
    await work();
    const each: number[] = [];
    for (let round = 0; round < rounds; round += 1) each.push(await timed(work));
    times.push(median(each));
  }
  return times;
}

function casesOf(
  bench: Workbench,
  finding: Omit<FindServices, 'hits'> & { bus: Bus },
  snapshot: string,
): Case[] {
  const { product, services, clean } = bench;
  const last = lastName(bench);
  const page = async (query: Query) =>
    await getRecords(
      services,
      product.actor,
      clean.path,
      { ...query, limit: pageSize, noTotal: true },
      'columns',
    );
  const contains = async (value: string, field: string = fieldIds.edited) => {
    const filter: FilterCondition[] = [{ field, operator: 'contains', value }];
    return await page({ filter });
  };
  // A cache of its own for every call: what is measured is the search, not its memory.
  const find = async (text: string, field: string | null = null) =>
    await findCell(
      { ...finding, hits: createHitCache(product.pool, finding.bus) },
      product.actor,
      clean.path,
      {
        snapshot,
        find: {
          text,
          dataType: 'any',
          matchCase: false,
          matchWholeWord: false,
          fields: field === null ? null : [field],
        },
        from: null,
        direction: 'next',
        isCountWanted: false,
      },
    );
  const distinct = async (field: string) =>
    await listDistinct(services, product.actor, clean.path, {
      field,
      view: { filter: [], search: null, order: [] },
      limit: 100,
    });
  return [
    {
      name: 'filter contains, common word',
      work: async () => await contains('larch', fieldIds.filterText),
      isIndexed: true,
    },
    { name: 'filter contains, in no record', work: async () => await contains('xylophone'), isIndexed: true },
    { name: 'find in all columns, common word', work: async () => await find('larch'), isIndexed: true },
    {
      name: 'find in all columns, in one record of the last',
      work: async () => await find(last),
      isIndexed: true,
    },
    {
      name: 'find in one column, in no record',
      work: async () => await find('xylophone', fieldIds.edited),
      isIndexed: true,
    },
    {
      name: 'only rows with hits in one column, none',
      work: async () => await page({ search: 'xylophone', searchFields: fieldIds.edited }),
      isIndexed: true,
    },
    { name: 'find in all columns, in no record', work: async () => await find('xylophone'), isIndexed: true },
    { name: 'values of a column, few', work: async () => await distinct('t2'), isIndexed: false },
    { name: 'values of a column, some thousand', work: async () => await distinct('t5'), isIndexed: false },
    {
      name: 'values of a column, nearly all different',
      work: async () => await distinct(fieldIds.sortText),
      isIndexed: true,
    },
    ...[fieldIds.sortText, fieldIds.sortInt, 'd1', 'u0'].map((orderBy) => ({
      name: `sort by ${orderBy}`,
      work: async () => await page({ orderBy }),
      isIndexed: true,
    })),
  ];
}

/** The name of one of the last rows, which no other row has. */
function lastName({ generator, rows }: Workbench): string {
  let name = '';
  let row = 0;
  for (const { records } of generator.pages())
    for (const { values } of records) {
      row += 1;
      if (row === rows - 10) name = String(values[fieldIds.sortText]);
    }
  return name;
}

/** As the loop in the background makes them, all at once. */
async function makeIndexes({ product }: Workbench): Promise<void> {
  for (;;) {
    const { rowCount } = await product.pool.query(
      `select 1 from column_index where state = 'wanted' union all select 1 from search_index where state = 'wanted'`,
    );
    if (!rowCount) return;
    await tendColumnIndexes(product.pool, product.log);
  }
}
