import { setTimeout as sleep } from 'node:timers/promises';
import { record } from '../../../platform/mutate.ts';
import type { StoredText } from '../../../platform/texts.ts';
import * as cacheStore from '../../cache/store.ts';
import { LookupNotRead } from './lookup.ts';
import { requireGoingOn, type Running } from './page.ts';
import * as runStore from './run-store.ts';
import { RunStopped } from './stopped.ts';

const lookEveryMs = 500;

/**
 * Does a page of a run, whose lookups may need a collection to be read first: that is waited for outside of the page's
 * transaction, and said in the run; then the page is done from its beginning.
 */
export async function withLookupsRead<T>(running: Running, page: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await page();
    } catch (error) {
      if (!(error instanceof LookupNotRead)) throw error;
      const { waiting, run } = running;
      waiting.add(run.run_id);
      await waitForReading(running, error).finally(() => waiting.delete(run.run_id));
    }
  }
}

async function waitForReading(
  running: Running,
  { collectionId, title, isFirst }: LookupNotRead,
): Promise<void> {
  const { services, lookups } = running;
  const { pool } = services;
  lookups.readFor(collectionId);
  const since = await cacheStore.wantCollection(pool, collectionId);
  await tell(running, { key: 'run.message.reading', params: { collection: title } });
  for (;;) {
    const { isServed, isOver, refreshedAt, message } = await cacheStore.readingSince(
      pool,
      collectionId,
      since,
    );
    if (isOver || !isServed) {
      if (isFirst && refreshedAt === null)
        throw new RunStopped('lookup', 0, {
          key: isServed ? 'run.message.notRead' : 'run.message.notServed',
          params: { collection: title, ...(isServed ? { reason: message ?? '' } : {}) },
        });
      break;
    }
    await sleep(lookEveryMs, undefined, { signal: running.signal });
    await record(pool, async (tx) => await requireGoingOn(tx, running.run.run_id));
  }
  await tell(running, null);
}

async function tell({ services, run }: Running, message: StoredText | null): Promise<void> {
  await record(services.pool, async (tx) => {
    await runStore.updateRun(tx, run.run_id, { message });
    tx.publish({ topic: 'job', id: run.run_id, isNew: false });
  });
}
