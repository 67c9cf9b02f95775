import {
  type CallOptions,
  ExternalSystemError,
  type Outcome,
  type ReadRecord,
  type Session,
  type WriteOp,
} from '@sluice/adapter-kit';
import { isSameValue } from '@sluice/mapping';
import type { Pool } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { record, type Tx } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import type { CollectionModel } from '../cache/model.ts';
import { lockRows } from '../pending/apply.ts';
import { moveProgress } from '../notifications/service.ts';
import {
  settleCancelled,
  settleConflicts,
  settleRejected,
  settleSuccesses,
  settleUnknown,
  type Success,
} from './settle.ts';
import * as store from './store.ts';
import type { ItemError, PushItem, PushRow } from './store.ts';
import { holdsWritten } from './written.ts';

/** A batch should take about this long: cancelling stays quick and bisecting cheap. */
const targetBatchMs = 1000;
const firstBatch = 50;
/** Below this a failed all-or-nothing batch is sent record by record. */
const singlesBelow = 8;
const backoffMs = [1000, 4000, 16_000, 60_000];
const maxWaitMs = 15 * 60_000;
const maxAttempts = 6;

export interface EngineServices {
  pool: Pool;
  log: Log;
  now(): Date;
}

/** Why a push ends before all its records were tried; the rest goes back to pending. */
export class PushStopped extends Error {
  readonly external: ExternalSystemError | null;

  constructor(message: string, external: ExternalSystemError | null = null) {
    super(message, { cause: external });
    this.name = 'PushStopped';
    this.external = external;
  }
}

interface Run {
  services: EngineServices;
  session: Session;
  model: CollectionModel;
  push: PushRow;
  /** Aborted when the process stops: no further batch is begun. */
  signal: AbortSignal;
  batchSize: number;
  settled: number;
  waitedMs: number;
  failures: number;
}

/**
 * Sends what a push has planned. Every item is marked sent, and that committed, before its network call; its outcome
 * is stored in the transaction that settles the pending change and the cached row. What was sent and has no outcome
 * (a crash, a lost answer) is in doubt and is probed, never blindly sent again.
 */
export async function runPush(
  services: EngineServices,
  session: Session,
  model: CollectionModel,
  push: PushRow,
  signal: AbortSignal,
): Promise<void> {
  const counts = await store.countStates(services.pool, push.push_id);
  const settled = counts.insert + counts.update + counts.delete - counts.planned - counts.sent;
  const run: Run = {
    services,
    session,
    model,
    push,
    signal,
    batchSize: firstBatch,
    settled,
    waitedMs: 0,
    failures: 0,
  };
  await resolveDoubt(run);
  for (const action of ['i', 'u', 'd'] as const) await sendAll(run, action);
  await secondPass(run);
}

async function sendAll(run: Run, action: PushItem['action']): Promise<void> {
  const most = run.session.caps.batch.size;
  for (;;) {
    await checkpoint(run);
    const items = await store.listItems(
      run.services.pool,
      run.push.push_id,
      'planned',
      action,
      Math.min(run.batchSize, most),
    );
    if (items.length === 0) return;
    const startedAt = performance.now();
    await sendBatch(run, items);
    const tookMs = performance.now() - startedAt;
    const perItem = tookMs / items.length;
    run.batchSize = Math.max(
      10,
      Math.min(most, Math.round(Math.min(targetBatchMs / perItem, run.batchSize * 4))),
    );
  }
}

/** Between batches: has somebody cancelled, is the process stopping? */
async function checkpoint(run: Run): Promise<void> {
  run.signal.throwIfAborted();
  const current = await store.findPush(run.services.pool, run.push.push_id);
  if (current?.is_cancel_requested) throw new PushStopped('cancelled');
}

/** Sends items of one action as one call and settles every outcome. */
async function sendBatch(run: Run, items: readonly PushItem[]): Promise<void> {
  const ready = await compareFirst(run, items);
  if (ready.length === 0) return;
  const { pool, now } = run.services;
  await record(pool, async (tx) => await store.markSent(tx, ready, now()));
  let outcomes: Outcome[];
  try {
    outcomes = await run.session.write({ ...callOptions(run), ...target(run), ops: ready.map(opOf) });
  } catch (error) {
    await handleFailedCall(run, ready, error);
    return;
  }
  run.failures = 0;
  await settleOutcomes(run, ready, outcomes);
}

function callOptions(run: Run): CallOptions {
  const { companyId } = run.model;
  return {
    levels: companyId === '' ? [] : [companyId],
    locale: 'EN',
    callClass: 'push',
    // A stopping process lets the running call end; only a call that hangs is left in doubt.
    signal: AbortSignal.timeout(180_000),
  };
}

function target(run: Run) {
  return {
    collection: run.model.code,
    attributeId: run.model.attributeId || undefined,
    fields: run.model.fields.EN,
  };
}

function opOf(item: PushItem): WriteOp {
  return {
    opId: item.op_id,
    action: item.action === 'i' ? 'insert' : item.action === 'u' ? 'update' : 'delete',
    ...(item.key === null ? {} : { key: item.key }),
    ...(item.payload && item.action !== 'd' ? { values: item.payload } : {}),
    ...(item.action === 'i' ? {} : { version: item.version }),
  };
}

/** Where no version protects an update, the live values are compared before the write (decisions Q-PUSH-05). */
async function compareFirst(run: Run, items: readonly PushItem[]): Promise<PushItem[]> {
  const isProtected = (item: PushItem): boolean =>
    item.action === 'i' || (run.session.caps.concurrency === 'version' && item.version !== null);
  const open = items.filter((item) => !isProtected(item));
  if (open.length === 0) return [...items];
  const compared = await compareLive(run, open);
  const kept = new Set(compared.map(({ seq }) => seq));
  const versions = new Map(compared.map((item) => [item.seq, item]));
  return items
    .filter((item) => isProtected(item) || kept.has(item.seq))
    .map((item) => versions.get(item.seq) ?? item);
}

/**
 * Reads the records live. Settles those that are gone, changed since the user saw them, or already as wanted;
 * answers the rest with their live version, fit to be written.
 */
async function compareLive(run: Run, items: readonly PushItem[]): Promise<PushItem[]> {
  const { now } = run.services;
  const keys = items.flatMap(({ key }) => (key === null ? [] : [key]));
  const live = await retrying(run, async () =>
    run.session.readByKeys({ ...callOptions(run), ...target(run), keys }),
  );
  const byKey = new Map(live.map((found) => [found.key, found]));
  const fit: PushItem[] = [];
  const done: Success[] = [];
  const conflicts: { item: PushItem; live: ReadRecord | null; errors: ItemError[] }[] = [];
  for (const item of items) {
    const found = byKey.get(item.key ?? '') ?? null;
    if (!found) {
      if (item.action === 'd') done.push({ item, key: item.key ?? '', live: null });
      else
        conflicts.push({ item, live: null, errors: [errorOf('NOT_FOUND', text('EN', 'push.gone'), null)] });
      continue;
    }
    const isWanted = (field: string): boolean =>
      isSameValue(found.values[field] ?? null, item.payload?.[field] ?? null);
    const moved = Object.entries(item.before ?? {}).filter(
      ([field, seen]) => !isSameValue(found.values[field] ?? null, seen) && !isWanted(field),
    );
    const isDone = item.action === 'u' && Object.keys(item.payload ?? {}).every(isWanted);
    if (isDone) done.push({ item, key: item.key ?? '', live: found });
    else if (moved.length > 0) {
      const fields = moved.map(([field]) => run.model.byPath.get(field)?.field.name ?? field).join(', ');
      const errors = moved.map(([field]) =>
        errorOf('CHANGED_IN_EXTERNAL_SYSTEM', text('EN', 'push.changedExternally', { fields }), field),
      );
      conflicts.push({ item, live: found, errors });
    } else fit.push({ ...item, version: found.version });
  }
  await settle(run, items.length - fit.length, async (tx) => {
    await settleSuccesses(tx, run.model, done, now());
    await settleConflicts(tx, run.model, conflicts, now());
    await store.markPlanned(tx, fit);
    publish(run, tx, [...done.map(({ item }) => item), ...conflicts.map(({ item }) => item)]);
  });
  return fit;
}

const errorOf = (errCode: string, msg: string, field: string | null): ItemError => ({
  errCode,
  msg,
  field,
  class: 'conflict',
});

async function settleOutcomes(
  run: Run,
  items: readonly PushItem[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const { now } = run.services;
  const byOp = new Map(outcomes.map((outcome) => [outcome.opId, outcome]));
  const done: Success[] = [];
  const rejected: { item: PushItem; errors: ItemError[] }[] = [];
  const gone: { item: PushItem; live: null; errors: ItemError[] }[] = [];
  const stale: PushItem[] = [];
  const failed: { item: PushItem; errors: ItemError[] }[] = [];
  const notSent: PushItem[] = [];
  let retryAfterMs = 0;
  for (const item of items) {
    const outcome = byOp.get(item.op_id) ?? {
      opId: item.op_id,
      state: 'unknown',
      reason: 'The adapter gave no outcome',
    };
    switch (outcome.state) {
      case 'done':
        done.push({
          item,
          key: outcome.key,
          live: outcome.values
            ? { key: outcome.key, version: outcome.version, values: outcome.values }
            : null,
        });
        break;
      case 'rejected':
        rejected.push({ item, errors: outcome.errors.map(errorOfRecord) });
        break;
      case 'gone':
        if (item.action === 'd') done.push({ item, key: item.key ?? '', live: null });
        else gone.push({ item, live: null, errors: [errorOf('NOT_FOUND', text('EN', 'push.gone'), null)] });
        break;
      case 'stale':
        stale.push(item);
        break;
      case 'batchFailed':
        failed.push({ item, errors: outcome.errors.map(errorOfRecord) });
        break;
      case 'notSent':
        notSent.push(item);
        retryAfterMs = Math.max(retryAfterMs, outcome.retryAfterMs ?? 1000);
        break;
      case 'unknown':
        // Stays `sent`: in doubt until it has been probed.
        break;
    }
  }
  const isSingleFailure = failed.length === 1 && items.length === 1;
  if (isSingleFailure && failed[0]) {
    if (failed[0].errors.some((error) => error.class === 'conflict')) stale.push(failed[0].item);
    else rejected.push(failed[0]);
  }
  await settle(run, done.length + rejected.length + gone.length, async (tx) => {
    await settleSuccesses(tx, run.model, done, now());
    await settleRejected(tx, run.model, rejected, now());
    await settleConflicts(tx, run.model, gone, now());
    await store.markPlanned(tx, [
      ...stale.map((item) => ({ ...item, version: null })),
      ...notSent,
      ...(isSingleFailure ? [] : failed.map(({ item }) => item)),
    ]);
    publish(
      run,
      tx,
      [...done, ...rejected, ...gone].map(({ item }) => item),
    );
  });
  const unknown =
    items.length -
    done.length -
    rejected.length -
    gone.length -
    stale.length -
    notSent.length -
    (isSingleFailure ? 0 : failed.length);
  if (unknown > 0) await resolveDoubt(run);
  if (stale.length > 0) await sendStale(run, stale);
  if (!isSingleFailure && failed.length > 0)
    await bisect(
      run,
      failed.map(({ item }) => item),
    );
  if (notSent.length > 0)
    await wait(run, retryAfterMs, text('EN', 'push.notification.waiting', { reason: '429' }));
}

const errorOfRecord = ({
  errCode,
  msg,
  field,
  class: kind,
}: {
  errCode: string;
  msg: string;
  field: string | null;
  class: string;
}): ItemError => ({
  errCode,
  msg,
  field,
  class: kind,
});

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
  if (again.length > 0) await sendBatch(run, again);
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
    await sendBatch(run, items.slice(at, at + size));
  }
}

/** Errors of a whole call: where it is certain that nothing was done the items wait; else they are in doubt. */
async function handleFailedCall(run: Run, items: readonly PushItem[], error: unknown): Promise<void> {
  if (!(error instanceof ExternalSystemError)) throw error;
  const isCertain = [
    'AUTH',
    'FORBIDDEN',
    'NOT_FOUND',
    'RATE',
    'CALL_LIMIT',
    'UNREACHABLE',
    'REFUSED',
  ].includes(error.code);
  run.services.log.warn('A push call failed', {
    pushId: run.push.push_id,
    code: error.code,
    error: error.message,
  });
  if (!isCertain) {
    await resolveDoubt(run);
    return;
  }
  await record(run.services.pool, async (tx) => await store.markPlanned(tx, items));
  if (error.code === 'RATE') {
    await wait(run, error.retryAfterMs ?? 1000, error.message);
  } else if (error.code === 'UNREACHABLE') {
    const pause = backoffMs[run.failures];
    if (pause === undefined) throw new PushStopped(error.message, error);
    run.failures += 1;
    await wait(run, pause, error.message);
  } else throw new PushStopped(error.message, error);
}

async function wait(run: Run, ms: number, reason: string): Promise<void> {
  run.waitedMs += ms;
  if (run.waitedMs > maxWaitMs) throw new PushStopped(reason);
  await record(
    run.services.pool,
    async (tx) => await store.updatePush(tx, run.push.push_id, { message: reason }),
  );
  await sleep(ms, run.signal);
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, Math.max(1, deadline - Date.now()))));
  }
}

/** Finds out what became of items that were sent and have no outcome. */
async function resolveDoubt(run: Run): Promise<void> {
  const { pool, now } = run.services;
  for (;;) {
    const doubtful = await store.listItems(pool, run.push.push_id, 'sent', null, 100);
    if (doubtful.length === 0) return;
    const last = Math.max(...doubtful.map(({ sent_at }) => Date.parse(sent_at ?? '')));
    await sleep(Math.max(0, last + run.session.caps.settleMs - now().getTime()), run.signal);
    for (const item of doubtful) await probeItem(run, item);
  }
}

async function probeItem(run: Run, item: PushItem): Promise<void> {
  const answer = await retrying(run, async () =>
    run.session.probe({
      ...callOptions(run),
      ...target(run),
      op: opOf(item),
      sentAt: new Date(item.sent_at ?? 0),
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

/** A read that fails is tried again for a while: giving up would leave the item in doubt all the same. */
async function retrying<T>(run: Run, call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const pause = backoffMs[attempt];
      if (!(error instanceof ExternalSystemError) || !error.retryable)
        throw new PushStopped(String(error), error instanceof ExternalSystemError ? error : null);
      if (pause === undefined) throw new PushStopped(error.message, error);
      await sleep(error.retryAfterMs ?? pause, run.signal);
    }
  }
}

async function countTwins(run: Run, item: PushItem): Promise<number> {
  const doubtful = await store.listItems(run.services.pool, run.push.push_id, 'sent', 'i', 1000);
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

/** Records refused because of another one are tried once more at the end: the key may be free, the parent may exist. */
async function secondPass(run: Run): Promise<void> {
  const { pool } = run.services;
  const rejected = await store.listItems(pool, run.push.push_id, 'rejected', null, 100_000);
  const again = rejected
    .filter(
      (item) =>
        !item.is_second_pass &&
        (item.errors ?? []).some(({ class: kind }) => ['unique', 'reference', 'inUse'].includes(kind)),
    )
    .map((item) => ({ ...item, is_second_pass: true }));
  const counts = await store.countStates(pool, run.push.push_id);
  if (again.length === 0 || counts.succeeded === 0) return;
  const taken = await record(pool, async (tx) => {
    const rids = again.map(({ rid }) => rid);
    await lockRows(tx, run.model, rids);
    // What people have changed or dropped since it was refused is theirs again.
    const refused = await store.listRefused(tx, run.model.collectionId, rids);
    const actions = new Map(refused.map(({ rid, action }) => [rid, action]));
    const items = again.filter(({ rid, action }) => actions.get(rid) === action);
    await store.markPlanned(tx, items);
    await store.lockOperations(
      tx,
      run.model.collectionId,
      items.map(({ rid }) => rid),
      run.push.push_id,
    );
    return items.length;
  });
  run.settled -= taken;
  for (const action of ['i', 'u', 'd'] as const) await sendAll(run, action);
}

/** Everything that is still planned goes back to pending. */
export async function cancelRest(
  services: EngineServices,
  model: CollectionModel,
  pushId: string,
): Promise<void> {
  for (;;) {
    const items = await store.listItems(services.pool, pushId, 'planned', null, 5000);
    if (items.length === 0) return;
    await record(services.pool, async (tx) => {
      await settleCancelled(tx, model, items, services.now());
      tx.publish({
        topic: 'collection',
        collectionId: model.collectionId,
        rids: items.map(({ rid }) => rid),
        removed: [],
        isReloadNeeded: items.length > 300,
        refreshedAt: null,
      });
    });
  }
}

async function settle(run: Run, count: number, work: (tx: Tx) => Promise<void>): Promise<void> {
  await record(run.services.pool, async (tx) => {
    await work(tx);
    run.settled += count;
    if (count > 0) await moveProgress(tx, run.push.user_id, run.push.notification_id, run.settled);
  });
}

function publish(run: Run, tx: Tx, items: readonly PushItem[]): void {
  if (items.length === 0) return;
  tx.publish({
    topic: 'collection',
    collectionId: run.model.collectionId,
    rids: items.filter(({ action }) => action !== 'd').map(({ rid }) => rid),
    removed: items.filter(({ action }) => action === 'd').map(({ rid }) => rid),
    isReloadNeeded: items.length > 300,
    refreshedAt: null,
  });
}
