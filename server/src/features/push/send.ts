import { record } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { type Answers, callWrite, createSettler, needsCare, settleAnswers } from './answers.ts';
import { compareFirst } from './compare.ts';
import { maxAttempts, resolveDoubt } from './doubt.ts';
import {
  backoffMs,
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
} from './run.ts';
import { settleConflicts, settleRejected, settleSuccesses } from './settle.ts';
import * as store from './store.ts';
import type { PushItem } from './store.ts';

/** A call should take about this long: cancelling stays quick and bisecting cheap. */
const targetBatchMs = 1000;
export const firstBatch = 50;
/** Most records that are marked sent at once; a crash leaves that many to be probed. */
const maxWindow = 1000;
/** Below this a failed all-or-nothing call is sent record by record. */
const singlesBelow = 8;

/** Sends everything of one action that is planned, and settles every outcome. */
export async function sendAll(run: Run, action: PushItem['action']): Promise<void> {
  for (;;) {
    const answers = await sendPlain(run, action);
    if (answers === null) return;
    await careFor(run, answers);
  }
}

/**
 * Keeps the external system busy: while one call is on the wire the next records are marked sent and the outcomes of
 * the last ones are stored. Stops at the first answer that needs more than storing, with nothing on its way, and
 * answers it; null when nothing is planned any more.
 */
async function sendPlain(run: Run, action: PushItem['action']): Promise<Answers | null> {
  const settler = createSettler(run);
  // Where no version protects a record it is compared right before its call, not some calls earlier.
  const isAhead = run.session.caps.concurrency === 'version';
  let ready: PushItem[] = [];
  let ahead: Promise<PushItem[] | null> | null = null;
  try {
    for (;;) {
      const next = await (ahead ?? prepare(run, action));
      ahead = null;
      if (next === null) return null;
      ready = next;
      if (isAhead) {
        ahead = prepare(run, action);
        // Thrown when it is waited for.
        ahead.catch(() => undefined);
      }
      while (ready.length > 0) {
        run.signal.throwIfAborted();
        const answers = await sendSome(run, ready.splice(0, run.batchSize));
        settler.add(answers);
        if (needsCare(answers)) return answers;
        await settler.room();
      }
    }
  } finally {
    const unsent = [...ready, ...((await ahead?.catch(() => null)) ?? [])];
    try {
      await record(run.services.pool, async (tx) => await store.takeBack(tx, unsent));
    } finally {
      // Whatever happens, nobody goes on with the push while its outcomes are being stored.
      await settler.finish();
    }
  }
}

/** The next planned records, compared where need be and marked sent, for about a second of calls. */
async function prepare(run: Run, action: PushItem['action']): Promise<PushItem[] | null> {
  const { pool, now } = run.services;
  for (;;) {
    await checkpoint(run);
    const items = await store.listItems(pool, run.push.push_id, 'planned', action, windowOf(run));
    if (items.length === 0) return null;
    const ready = await compareFirst(run, items);
    if (ready.length === 0) continue;
    await record(pool, async (tx) => await store.markSent(tx, ready, now()));
    return ready;
  }
}

function windowOf(run: Run): number {
  if (run.session.caps.concurrency !== 'version' || run.perItemMs === null) return run.batchSize;
  return Math.max(run.batchSize, Math.min(maxWindow, Math.round(targetBatchMs / run.perItemMs)));
}

async function sendSome(run: Run, items: readonly PushItem[]): Promise<Answers> {
  const startedAt = performance.now();
  const answers = await callWrite(run, items);
  run.perItemMs = Math.max(0.01, (performance.now() - startedAt) / items.length);
  const most = run.session.caps.batch.size;
  const wanted = Math.min(targetBatchMs / run.perItemMs, run.batchSize * 4);
  run.batchSize = Math.min(most, Math.max(10, Math.round(wanted)));
  return answers;
}

/** Sends items of one action as one call, by themselves: nothing else of the push is on its way. */
async function sendAlone(run: Run, items: readonly PushItem[]): Promise<void> {
  const { pool, now } = run.services;
  const ready = await compareFirst(run, items);
  if (ready.length === 0) return;
  await record(pool, async (tx) => await store.markSent(tx, ready, now()));
  const answers = await callWrite(run, ready);
  await settleAnswers(run, [answers]);
  if (needsCare(answers)) await careFor(run, answers);
}

/** What storing alone does not end: calls that failed, lost answers, moved versions, whole batches refused. */
async function careFor(run: Run, answers: Answers): Promise<void> {
  if (answers.error) {
    await careForFailedCall(run, answers.items, answers.error);
    return;
  }
  const { stale, notSent, failed, unknown, retryAfterMs } = answers;
  const again = [...stale.map((item) => ({ ...item, version: null })), ...notSent, ...failed];
  if (again.length > 0) await record(run.services.pool, async (tx) => await store.markPlanned(tx, again));
  if (unknown.length > 0) await resolveDoubt(run);
  if (stale.length > 0) await sendStale(run, stale);
  if (failed.length > 0) await bisect(run, failed);
  if (notSent.length > 0)
    await wait(run, retryAfterMs, text('EN', 'push.notification.waiting', { reason: '429' }));
}

/** Where it is certain that nothing was done. */
const certain = new Set(['AUTH', 'FORBIDDEN', 'NOT_FOUND', 'RATE', 'CALL_LIMIT', 'UNREACHABLE', 'REFUSED']);

/** Errors of a whole call: where it is certain that nothing was done the items wait; else they are in doubt. */
async function careForFailedCall(
  run: Run,
  items: readonly PushItem[],
  error: NonNullable<Answers['error']>,
): Promise<void> {
  run.services.log.warn('A push call failed', {
    pushId: run.push.push_id,
    code: error.code,
    error: error.message,
  });
  if (!certain.has(error.code)) {
    await resolveDoubt(run);
    return;
  }
  await record(run.services.pool, async (tx) => await store.markPlanned(tx, items));
  if (error.code === 'RATE') await wait(run, error.retryAfterMs ?? 1000, error.message);
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
