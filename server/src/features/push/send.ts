import type { Turn } from '@sluice/adapter-kit';
import { record } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { type Answers, callWrite, createSettler, needsCare, settleAnswers } from './answers.ts';
import { compareFirst, isProtected } from './compare.ts';
import { maxAttempts, resolveDoubt } from './doubt.ts';
import { nextOperations } from './plan.ts';
import { keepRate, nextRate, targetBatchMs } from './rate.ts';
import {
  backoffMs,
  callLimitMs,
  callOptions,
  checkpoint,
  errorOf,
  publish,
  PushStopped,
  retrying,
  type Run,
  settle,
  target,
  wait,
  waitForPause,
} from './run.ts';
import { settleConflicts, settleRejected, settleSuccesses } from './settle.ts';
import * as store from './store.ts';
import type { PushItem } from './store.ts';

/** Most records that are marked sent at once; a crash leaves that many to be probed. */
const maxWindow = 1000;
/** Below this a failed all-or-nothing call is sent record by record. */
const singlesBelow = 8;

/** Sends everything of one action that is planned, and settles every outcome. */
export async function sendAll(run: Run, action: PushItem['action']): Promise<void> {
  for (;;) {
    const answers = await sendPlain(run, action);
    if (answers.length === 0) return;
    await careFor(run, answers);
  }
}

/**
 * Keeps the external system busy: while calls are on the wire the next records are marked sent and the outcomes of
 * the last ones are stored. Stops at the first answer that needs more than storing, waits until nothing is on its way,
 * and answers what needs care; empty when nothing is planned any more.
 */
async function sendPlain(run: Run, action: PushItem['action']): Promise<Answers[]> {
  const settler = createSettler(run);
  const most = lanesOf(run);
  const lanes = createLanes(most);
  // External systems number new records as they come: people expect the order of their rows (decisions Q-PUSH-04).
  const turns = action === 'i' && most > 1 ? createTurns(run) : null;
  const next = preparer(run, action);
  const careful: Answers[] = [];
  let ready: PushItem[] = [];
  let ahead: Promise<PushItem[]> | null = null;
  try {
    while (careful.length === 0) {
      ready = await (ahead ?? next());
      ahead = null;
      if (ready.length === 0) {
        settler.hurry();
        break;
      }
      if (isVersioned(run)) {
        ahead = next();
        ahead
          .then((items) => items.length === 0 && settler.hurry())
          // Thrown when it is waited for.
          .catch(() => undefined);
      }
      while (ready.length > 0) {
        await lanes.free();
        if (careful.length > 0) break;
        run.signal.throwIfAborted();
        const items = ready.splice(0, run.rate.batchSize);
        const turn = turns?.take();
        lanes.start(async () => {
          const answers = await sendSome(run, items, turn);
          settler.add(answers);
          if (needsCare(answers)) careful.push(answers);
        });
        await settler.room();
      }
    }
    await lanes.end();
  } finally {
    await lanes.end().catch(() => undefined);
    const unsent = [...ready, ...((await ahead?.catch(() => [])) ?? [])];
    try {
      if (unsent.length > 0) await record(run.services.pool, async (tx) => await store.takeBack(tx, unsent));
    } finally {
      // Whatever happens, nobody goes on with the push while its outcomes are being stored.
      await settler.finish();
    }
  }
  return careful;
}

/** Where no version protects a record it is compared right before its call, not some calls earlier. */
const isVersioned = (run: Run): boolean => run.session.caps.concurrency === 'version';

/** Calls at the same time: one where a refusal undoes a whole call, or where the adapter cannot keep their order. */
function lanesOf(run: Run): number {
  const { parallel, batch, keepsTurns } = run.session.caps;
  const mayOverlap = isVersioned(run) && batch.atomicity === 'none' && keepsTurns;
  return mayOverlap ? Math.min(2, parallel) : 1;
}

/** Turns one behind the other, in the order in which they are taken. */
function createTurns(run: Run): { take(): Turn } {
  let last = Promise.resolve();
  return {
    take: () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      return {
        come: async () => {
          await before;
          run.lastCallAt = run.services.now();
        },
        pass: resolve,
      };
    },
  };
}

interface Lanes {
  /** Waits until one more call may begin; throws what one of them threw. */
  free(): Promise<void>;
  start(work: () => Promise<void>): void;
  /** Waits until nothing is on its way; throws what one of them threw. */
  end(): Promise<void>;
}

function createLanes(most: number): Lanes {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const until = async (count: number): Promise<void> => {
    while (running.size > count) await Promise.race(running);
    if (failures.length > 0) throw failures[0];
  };
  return {
    free: async () => await until(most - 1),
    start: (work) => {
      const call: Promise<void> = work()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(call));
      running.add(call);
    },
    end: async () => await until(0),
  };
}

/** The next records, compared where need be and marked sent, for about a second of calls; empty at the end. */
function preparer(run: Run, action: PushItem['action']): () => Promise<PushItem[]> {
  let from = 0;
  return async () => {
    for (;;) {
      await checkpoint(run);
      await waitForPause(run);
      const again = await listAgain(run, action, from);
      from = (again.at(-1)?.seq ?? run.push.next_seq - 1) + 1;
      const ready = again.length > 0 ? await markCompared(run, again) : await takeNext(run, action);
      // What was taken is sent or at its end: only what others plan again is looked for from the start.
      if (again.length === 0) from = run.push.next_seq;
      if (ready === null) return [];
      if (ready.length > 0) return ready;
    }
  };
}

/** Records that have had their turn and are to be sent (again). */
async function listAgain(run: Run, action: PushItem['action'], from: number): Promise<PushItem[]> {
  if (from >= run.push.next_seq) return [];
  const limit = windowOf(run);
  return await store.listItems(run.services.pool, run.push.push_id, 'planned', { action, from, limit });
}

async function markCompared(run: Run, items: readonly PushItem[]): Promise<PushItem[]> {
  const ready = await compareFirst(run, items);
  if (ready.length > 0)
    await record(run.services.pool, async (tx) => await store.markSent(tx, ready, run.services.now()));
  return ready;
}

/** Records whose turn comes; null when there are none. */
async function takeNext(run: Run, action: PushItem['action']): Promise<PushItem[] | null> {
  const { pool, now } = run.services;
  const items = await nextOperations(pool, run.model, run.push, { action, limit: windowOf(run) });
  const last = items.at(-1);
  if (!last) return null;
  const open = items.filter(({ state }) => state === 'planned');
  // Sent at once where nothing has to be compared.
  const isSent = open.every((item) => isProtected(run, item));
  await settle(run, items.length - open.length, async (tx) => {
    const started = isSent ? items.map((item) => startedOf(item)) : items;
    await store.insertItems(tx, started, now());
  });
  run.push.next_seq = last.seq + 1;
  return isSent ? open : await markCompared(run, open);
}

const startedOf = (item: PushItem): PushItem =>
  item.state === 'planned' ? { ...item, state: 'sent' } : item;

/** Whole calls only: what is left over would be a call of its own. */
function windowOf(run: Run): number {
  if (!isVersioned(run) || run.rate.perItemMs === null) return run.rate.batchSize;
  const { batchSize, perItemMs } = run.rate;
  const calls = Math.floor(Math.min(maxWindow, targetBatchMs / perItemMs) / batchSize);
  return Math.max(1, calls) * batchSize;
}

async function sendSome(run: Run, items: readonly PushItem[], turn?: Turn): Promise<Answers> {
  const size = run.rate.batchSize;
  let startedAt: number | null = turn ? null : performance.now();
  const timed = turn && {
    ...turn,
    // The wait for the call before it is none of its own time.
    come: async () => {
      await turn.come();
      startedAt ??= performance.now();
    },
  };
  // Whatever becomes of this call, the next one is not kept waiting.
  const answers = await callWrite(run, items, timed).finally(() => turn?.pass());
  // Nothing was sent: that tells nothing of how long it takes.
  if (startedAt === null || (answers.error && isCertain(answers.error))) return answers;
  const call = { count: items.length, ms: performance.now() - startedAt };
  run.rate = nextRate(run.session, run.rate, call);
  // A short call tells little: most of its time is the way there and back.
  if (!answers.error && items.length >= size) keepRate(run.session, run.model.collectionId, run.rate);
  return answers;
}

/** Sends items of one action as one call, by themselves: nothing else of the push is on its way. */
async function sendAlone(run: Run, items: readonly PushItem[]): Promise<void> {
  const ready = await markCompared(run, items);
  if (ready.length === 0) return;
  const answers = await callWrite(run, ready);
  await settleAnswers(run, [answers]);
  if (needsCare(answers)) await careFor(run, [answers]);
}

/** What storing alone does not end: calls that failed, lost answers, moved versions, whole batches refused. */
async function careFor(run: Run, group: readonly Answers[]): Promise<void> {
  // What certainly was not done is planned again before anything is probed: probing looks at all that is marked sent.
  const untaken = group.flatMap(({ error, items, notSent }) => (error && isCertain(error) ? items : notSent));
  const again = group.flatMap(({ stale, failed }) => [
    ...stale.map((item) => ({ ...item, version: null })),
    ...failed,
  ]);
  if (untaken.length + again.length > 0)
    await record(run.services.pool, async (tx) => {
      // What the external system puts off for minutes must not use up its attempts.
      await store.takeBack(tx, untaken);
      await store.markPlanned(tx, again);
    });
  if (group.some(({ error, unknown }) => (error ? !isCertain(error) : unknown.length > 0)))
    await resolveDoubt(run);
  for (const { error } of group) if (error) await careForFailedCall(run, error);
  for (const { stale, failed } of group) {
    if (stale.length > 0) await sendStale(run, stale);
    if (failed.length > 0) await bisect(run, failed);
  }
  const [longest] = group.flatMap(({ pause }) => (pause ? [pause] : [])).toSorted((a, b) => b.ms - a.ms);
  if (longest) await wait(run, longest.ms, longest.reason);
}

/** Where it is certain that nothing was done. */
const certain = new Set(['AUTH', 'FORBIDDEN', 'NOT_FOUND', 'RATE', 'CALL_LIMIT', 'UNREACHABLE', 'REFUSED']);
const isCertain = (error: NonNullable<Answers['error']>): boolean => certain.has(error.code);

/** Errors of a whole call: the push waits where that helps, and stops where it does not. */
async function careForFailedCall(run: Run, error: NonNullable<Answers['error']>): Promise<void> {
  if (error.code !== run.warnedOf)
    run.services.log.warn('A push call failed', {
      pushId: run.push.push_id,
      code: error.code,
      error: error.message,
    });
  run.warnedOf = error.code;
  if (!isCertain(error)) return;
  if (error.code === 'RATE') await wait(run, error.retryAfterMs ?? 1000, 'push.asksToWait');
  else if (error.code === 'CALL_LIMIT') await wait(run, callLimitMs, 'push.callsSpent');
  else if (error.code === 'UNREACHABLE') {
    const pause = backoffMs[run.failures];
    if (pause === undefined) throw new PushStopped(error.message, error);
    run.failures += 1;
    await wait(run, pause, error.message);
  } else throw new PushStopped(error.message, error);
}

/**
 * The version did not match: somebody wrote the record meanwhile. An update whose own fields did not move is sent
 * again with the new version; a delete of a changed record is for the user to decide.
 */
async function sendStale(run: Run, items: readonly PushItem[]): Promise<void> {
  const deletes = items.filter(({ action }) => action === 'd');
  const updates = items.filter(({ action }) => action !== 'd');
  if (deletes.length > 0) await refuseStaleDeletes(run, deletes);
  if (updates.length === 0) return;
  const exhausted = updates.filter(({ attempts }) => attempts + 1 >= maxAttempts);
  if (exhausted.length > 0) {
    await settle(run, exhausted.length, async (tx) => {
      const errors = [
        errorOf('CHANGED_IN_EXTERNAL_SYSTEM', text('EN', 'push.changedExternally', { fields: '' }), null),
      ];
      await settleRejected(
        tx,
        run.model,
        exhausted.map((item) => ({ item, errors })),
        run.services.now(),
      );
      publish(run, tx, exhausted);
    });
  }
  const again = updates
    .filter((item) => !exhausted.includes(item))
    .map((item) => ({ ...item, version: null, attempts: item.attempts + 1 }));
  if (again.length > 0) await sendAlone(run, again);
}

async function refuseStaleDeletes(run: Run, items: readonly PushItem[]): Promise<void> {
  const keys = items.flatMap(({ key }) => (key === null ? [] : [key]));
  const live = await retrying(run, async () =>
    run.session.readByKeys({ ...callOptions(run), ...target(run), keys }),
  );
  const byKey = new Map(live.map((found) => [found.key, found]));
  const gone = items.filter((item) => !byKey.has(item.key ?? ''));
  const changed = items.filter((item) => byKey.has(item.key ?? ''));
  const errors = [
    errorOf('CHANGED_IN_EXTERNAL_SYSTEM', text('EN', 'push.changedExternally', { fields: '*' }), null),
  ];
  await settle(run, items.length, async (tx) => {
    const at = run.services.now();
    await settleSuccesses(
      tx,
      run.model,
      gone.map((item) => ({ item, key: item.key ?? '', live: null })),
      at,
    );
    await settleConflicts(
      tx,
      run.model,
      changed.map((item) => ({ item, live: byKey.get(item.key ?? '') ?? null, errors })),
      at,
    );
    publish(run, tx, items);
  });
}

/** An all-or-nothing call failed without naming the record: halves are sent until the bad one stands alone. */
async function bisect(run: Run, items: readonly PushItem[]): Promise<void> {
  const size = items.length < singlesBelow ? 1 : Math.ceil(items.length / 2);
  for (let at = 0; at < items.length; at += size) {
    await checkpoint(run);
    await sendAlone(run, items.slice(at, at + size));
  }
}
