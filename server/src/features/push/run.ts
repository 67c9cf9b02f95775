import { type CallOptions, ExternalSystemError, type Session, type WriteOp } from '@sluice/adapter-kit';
import type { Pool } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import { record, type Tx } from '../../platform/mutate.ts';
import type { CollectionModel } from '../cache/model.ts';
import { moveProgress } from '../notifications/service.ts';
import { readPause } from '../systems/store.ts';
import type { Rate } from './rate.ts';
import * as store from './store.ts';
import type { ItemError, PushItem, PushRow } from './store.ts';

/** Between two looks whether the calls of a domain may go on; somebody may have allowed it more of them. */
export const callLimitMs = 5000;
export const backoffMs = [1000, 4000, 16_000, 60_000];
const maxWaitMs = 15 * 60_000;

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

/** A push under way in this process. */
export interface Run {
  services: EngineServices;
  session: Session;
  model: CollectionModel;
  push: PushRow;
  /** Aborted when the process stops: no further call is begun. */
  signal: AbortSignal;
  rate: Rate;
  settled: number;
  waitedMs: number;
  failures: number;
  /** The code of the last failed call, until one succeeds: what lasts is logged once. */
  warnedOf: string | null;
  /** No call of this push that could still be at work in the external system began later than this. */
  lastCallAt: Date;
}

export function callOptions(run: Run): CallOptions {
  const { companyId } = run.model;
  return {
    levels: companyId === '' ? [] : [companyId],
    locale: 'EN',
    callClass: 'push',
    // A stopping process lets the running call end; only a call that hangs is left in doubt.
    signal: AbortSignal.timeout(180_000),
  };
}

export function target(run: Run) {
  return {
    collection: run.model.code,
    attributeId: run.model.attributeId || undefined,
    fields: run.model.fields.EN,
  };
}

export function opOf(item: PushItem): WriteOp {
  return {
    opId: item.op_id,
    action: item.action === 'i' ? 'insert' : item.action === 'u' ? 'update' : 'delete',
    ...(item.key === null ? {} : { key: item.key }),
    ...(item.payload && item.action !== 'd' ? { values: item.payload } : {}),
    ...(item.action === 'i' ? {} : { version: item.version }),
  };
}

/** Between calls: has somebody cancelled, is the process stopping? */
export async function checkpoint(run: Run): Promise<void> {
  run.signal.throwIfAborted();
  const current = await store.findPush(run.services.pool, run.push.push_id);
  if (current?.is_cancel_requested) throw new PushStopped('cancelled');
}

/** Refused because of another record: tried once more at the end, the key may be free, the parent may exist. */
export const isTriedAgain = (item: PushItem, errors: readonly ItemError[] | null): boolean =>
  !item.is_second_pass &&
  (errors ?? []).some(({ class: kind }) => ['unique', 'reference', 'inUse'].includes(kind));

export const errorOf = (errCode: string, msg: string, field: string | null): ItemError => ({
  errCode,
  msg,
  field,
  class: 'conflict',
});

/** A read that fails is tried again for a while: giving up would leave the item in doubt all the same. */
export async function retrying<T>(run: Run, call: () => Promise<T>): Promise<T> {
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

/** Waits for the external system and says why (a key of the catalogue or its own words); whoever cancels meanwhile need not wait for the end of it. */
export async function wait(run: Run, ms: number, reason: string): Promise<void> {
  run.waitedMs += ms;
  if (run.waitedMs > maxWaitMs) throw new PushStopped(reason);
  await tellWaiting(run, reason);
  for (let left = ms; left > 0; left -= 1000) {
    await sleep(Math.min(left, 1000), run.signal);
    await checkpoint(run);
  }
  await tellWaiting(run, null);
}

/** Of the external system, which may have asked others for it; a shorter one the call itself waits for. */
const pauseToTellMs = 1000;

/** A pause of the connection is waited for where it can be seen and cancelled: the call would wait without a word. */
export async function waitForPause(run: Run): Promise<void> {
  const ms = await readPause(run.services.pool, run.model.domainId);
  if (ms > pauseToTellMs) await wait(run, ms, 'push.asksToWait');
}

export async function tellWaiting(run: Run, message: string | null): Promise<void> {
  await record(run.services.pool, async (tx) => await store.updatePush(tx, run.push.push_id, { message }));
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, Math.max(1, deadline - Date.now()))));
  }
}

/** `count`: of how many records the user need not wait any longer. */
export async function settle(run: Run, count: number, work: (tx: Tx) => Promise<void>): Promise<void> {
  await record(run.services.pool, async (tx) => {
    await work(tx);
    if (count > 0) {
      const bar = { current: run.settled + count, total: null };
      await moveProgress(tx, run.push.user_id, run.push.notification_id, bar);
    }
  });
  run.settled += count;
}

export function publish(run: Run, tx: Tx, items: readonly PushItem[]): void {
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
