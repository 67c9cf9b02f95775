import type { Session } from '@sluice/adapter-kit';
import { record } from '../../platform/mutate.ts';
import type { CollectionModel } from '../cache/model.ts';
import { lockRows } from '../pending/apply.ts';
import { resolveDoubt } from './doubt.ts';
import { nextOperations } from './plan.ts';
import { firstRate } from './rate.ts';
import { type EngineServices, isTriedAgain, type Run, tellWaiting } from './run.ts';
import { sendAll } from './send.ts';
import { settleCancelled } from './settle.ts';
import * as store from './store.ts';
import type { PushRow } from './store.ts';

/**
 * Sends what a push has planned. Every item is marked sent, and that committed, before its network call; its outcome
 * is stored in the transaction that settles the pending change and the cached row. What was marked sent and has no
 * outcome (a crash, a lost answer) is in doubt and is probed, never blindly sent again.
 */
export async function runPush(
  services: EngineServices,
  session: Session,
  model: CollectionModel,
  push: PushRow,
  signal: AbortSignal,
): Promise<void> {
  const run: Run = {
    services,
    session,
    model,
    push,
    signal,
    rate: firstRate(session, model.collectionId),
    settled: await countSettled(services, push),
    waitedMs: 0,
    failures: 0,
    warnedOf: null,
    // A process that died may have begun one just now.
    lastCallAt: services.now(),
  };
  await resolveDoubt(run);
  // What a process waited for that died over it is over: the next call tells whether there is still something.
  if (push.message !== null) await tellWaiting(run, null);
  await sendPlanned(run);
  await secondPass(run);
}

async function sendPlanned(run: Run): Promise<void> {
  const { inserts, updates, deletes } = run.push;
  if (inserts > 0) await sendAll(run, 'i');
  if (updates > 0) await sendAll(run, 'u');
  if (deletes > 0) await sendAll(run, 'd');
}

async function countSettled({ pool }: EngineServices, push: PushRow): Promise<number> {
  const counts = await store.countStates(pool, push.push_id);
  return counts.insert + counts.update + counts.delete - counts.planned - counts.sent;
}

async function secondPass(run: Run): Promise<void> {
  const { pool } = run.services;
  const counts = await store.countStates(pool, run.push.push_id);
  if (counts.rejected === 0 || counts.succeeded === 0) return;
  const rejected = await store.listItems(pool, run.push.push_id, 'rejected', { limit: 100_000 });
  const again = rejected
    .filter((item) => isTriedAgain(item, item.errors))
    .map((item) => ({ ...item, is_second_pass: true }));
  if (again.length === 0) return;
  await record(pool, async (tx) => {
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
  });
  run.settled = await countSettled(run.services, run.push);
  await sendPlanned(run);
}

/** Everything that is still planned goes back to pending. */
export async function cancelRest(
  services: EngineServices,
  model: CollectionModel,
  pushId: string,
): Promise<void> {
  for (;;) {
    const items = await store.listItems(services.pool, pushId, 'planned', { limit: 5000 });
    if (items.length === 0) {
      if (!(await planNext(services, model, pushId))) return;
      continue;
    }
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

/** Gives the next operations of the plan their items; false when there are none left. */
async function planNext(services: EngineServices, model: CollectionModel, pushId: string): Promise<boolean> {
  const push = await store.findPush(services.pool, pushId);
  if (!push) return false;
  const items = await nextOperations(services.pool, model, push, { action: null, limit: 5000 });
  await record(services.pool, async (tx) => await store.insertItems(tx, items, services.now()));
  return items.length > 0;
}
