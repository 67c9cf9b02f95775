import type { ReadRecord } from '@sluice/adapter-kit';
import { isSameValue } from '@sluice/mapping';
import { record } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { callOptions, opOf, publish, retrying, type Run, settle, sleep, target } from './run.ts';
import { settleSuccesses, settleUnknown } from './settle.ts';
import * as store from './store.ts';
import type { PushItem } from './store.ts';
import { holdsWritten } from './written.ts';

export const maxAttempts = 6;

/**
 * Finds out what became of items that were marked sent and have no outcome. No call of the push may be under way in
 * this process; one of a process that died may still be at work in the external system for `settleMs`.
 */
export async function resolveDoubt(run: Run): Promise<void> {
  const { pool, now } = run.services;
  for (;;) {
    const doubtful = await store.listItems(pool, run.push.push_id, 'sent', { limit: 1000 });
    if (doubtful.length === 0) return;
    const settledAt = run.lastCallAt.getTime() + run.session.caps.settleMs;
    await sleep(Math.max(0, settledAt - now().getTime()), run.signal);
    const look = {};
    for (const item of doubtful) await probeItem(run, item, look);
  }
}

async function probeItem(run: Run, item: PushItem, look: object): Promise<void> {
  const answer = await retrying(run, async () =>
    run.session.probe({
      ...callOptions(run),
      ...target(run),
      op: opOf(item),
      sentAt: new Date(item.sent_at ?? 0),
      look,
    }),
  );
  switch (answer.state) {
    case 'applied':
      await succeed(run, item, answer.key, null);
      return;
    case 'notApplied':
      await planAgain(run, item);
      return;
    case 'candidates': {
      const known = await store.knownKeys(
        run.services.pool,
        item,
        answer.records.map(({ key }) => key),
      );
      const fresh = answer.records.filter(({ key }) => !known.has(key));
      const [own] = fresh.filter((found) => holdsWritten(run.model, item, found));
      // Twins of the same push are equal: any of the fresh records may stand for any of them.
      const twins = await countTwins(run, item);
      if (fresh.length === 0) await planAgain(run, item);
      else if (own && fresh.length <= twins) await succeed(run, item, own.key, own);
      else
        await undecided(
          run,
          item,
          fresh.map(({ key }) => key),
        );
      return;
    }
    case 'undecidable':
      await undecided(run, item, []);
  }
}

async function countTwins(run: Run, item: PushItem): Promise<number> {
  const doubtful = await store.listItems(run.services.pool, run.push.push_id, 'sent', {
    action: 'i',
    limit: 1000,
  });
  return doubtful.filter((other) => isSameValue(other.payload, item.payload)).length;
}

async function succeed(run: Run, item: PushItem, key: string, live: ReadRecord | null): Promise<void> {
  await settle(run, 1, async (tx) => {
    await settleSuccesses(tx, run.model, [{ item, key, live }], run.services.now());
    publish(run, tx, [item]);
  });
}

async function planAgain(run: Run, item: PushItem): Promise<void> {
  if (item.attempts >= maxAttempts) {
    await undecided(run, item, []);
    return;
  }
  await record(run.services.pool, async (tx) => await store.markPlanned(tx, [item]));
}

async function undecided(run: Run, item: PushItem, candidates: readonly string[]): Promise<void> {
  const msg =
    text('EN', 'push.unknownOutcome') +
    (candidates.length > 0 ? `: ${candidates.slice(0, 10).join(', ')}` : '');
  await settle(run, 1, async (tx) => {
    await settleUnknown(
      tx,
      run.model,
      [{ item, errors: [{ errCode: 'OUTCOME_UNKNOWN', msg, field: null, class: 'other' }] }],
      run.services.now(),
    );
    publish(run, tx, [item]);
  });
}
