import { setTimeout as sleep } from 'node:timers/promises';
import { refreshCollection } from '../../server/src/features/cache/refresh.ts';
import { getRecords } from '../../server/src/features/records/service.ts';
import { fieldIds } from '../generator.ts';
import { percentile, report, say, timed } from '../measure.ts';
import type { BenchTable, Workbench } from './workbench.ts';

const everyMs = 10;
const aloneMs = 5000;

/** A full refresh in which every hundredth row has changed, while a person scrolls through sorted pages. */
export async function measureRefresh(bench: Workbench): Promise<void> {
  const { clean, edited } = bench;
  say('reading sorted pages alone');
  const alone = await readWhile(bench, async () => await sleep(aloneMs));
  bench.generator.change();
  say('refreshing while pages are read');
  let tookMs = 0;
  const during = await readWhile(bench, async () => {
    tookMs = await timed(async () => await refresh(bench, clean));
  });
  const p99 = { alone: percentile(alone, 0.99), during: percentile(during, 0.99) };
  report({
    name: 'p99 of sorted pages during a refresh with 1 % changed',
    unit: 'ms',
    measured: p99.during,
    limit: p99.alone,
    bar: 5,
    note: `a page every ${everyMs} ms; median ${percentile(alone, 0.5).toFixed(1)} alone, ${percentile(during, 0.5).toFixed(1)} during, worst ${Math.max(...during).toFixed(0)} ms`,
  });
  const shown = { unit: 'ms', limit: null, bar: null } as const;
  report({ ...shown, name: 'full refresh with 1 % changed, pages being read', measured: tookMs });
  say('refreshing below pending changes');
  const rebased = await timed(async () => await refresh(bench, edited));
  report({ ...shown, name: 'full refresh with 1 % changed below the pending changes', measured: rebased });
}

async function refresh({ product, session }: Workbench, table: BenchTable): Promise<void> {
  const services = { pool: product.pool, log: product.log, now: () => new Date() };
  const signal = new AbortController().signal;
  const result = await refreshCollection(services, session, table.collectionId, signal, { isFull: true });
  if (result?.kind !== 'full') throw new Error('The refresh did not run');
}

/** Latencies of pages asked for at fixed times, whether or not the ones before have been answered. */
async function readWhile(bench: Workbench, work: () => Promise<void>): Promise<number[]> {
  const { services, product, clean } = bench;
  const query = { orderBy: fieldIds.sortText, limit: 100 };
  const ask = async (more: object) =>
    await getRecords(services, product.actor, clean.path, { ...query, ...more }, 'columns');
  const { snapshot, total } = await ask({ snapshot: 'new' });
  const state = { isOver: false };
  const latencies: number[] = [];
  const running = new Set<Promise<void>>();
  const page = async (dueAt: number, index: number): Promise<void> => {
    const offset = (index * 7919) % Math.max(1, (total ?? 1) - 100);
    await ask({ snapshot, offset });
    latencies.push(performance.now() - dueAt);
  };
  const reading = (async () => {
    const startedAt = performance.now();
    for (let index = 0; !state.isOver; index += 1) {
      const dueAt = startedAt + index * everyMs;
      if (dueAt > performance.now()) await sleep(dueAt - performance.now());
      const asked = page(dueAt, index).finally(() => running.delete(asked));
      running.add(asked);
    }
  })();
  await work();
  state.isOver = true;
  await reading;
  await Promise.all(running);
  return latencies;
}
