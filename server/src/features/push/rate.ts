import type { Session } from '@sluice/adapter-kit';

/** A call should take about this long: cancelling stays quick and bisecting cheap. */
export const targetBatchMs = 1000;
/** Records of a first call: few where one bad record fails all of them. */
const first = { none: 100, perCall: 50 };

/** How fast an external system takes a table's records. */
export interface Rate {
  /** Records of the next call. */
  batchSize: number;
  /** Milliseconds that a record of the last call took; null = none was sent yet. */
  perItemMs: number | null;
}

/** By table: what its last push has found. Forgotten with the process or when the domain's settings change. */
const found = new WeakMap<Session, Map<number, Rate>>();

/**
 * A push goes on as fast as the last one of its table ended: its first calls would cost a system that is far away as
 * long as whole ones. Where one bad record fails a whole call, each push begins with few again.
 */
export function firstRate(session: Session, collectionId: number): Rate {
  const { size, atomicity } = session.caps.batch;
  const last = atomicity === 'none' ? found.get(session)?.get(collectionId) : undefined;
  return last
    ? { ...last, batchSize: Math.min(size, last.batchSize) }
    : { batchSize: Math.min(size, first[atomicity]), perItemMs: null };
}

/** What a call of `count` records took sets the size of the next one. */
export function nextRate(session: Session, { batchSize }: Rate, call: { count: number; ms: number }): Rate {
  const perItemMs = Math.max(0.01, call.ms / call.count);
  const wanted = Math.min(targetBatchMs / perItemMs, batchSize * 4);
  return {
    batchSize: Math.min(session.caps.batch.size, Math.max(10, Math.round(wanted))),
    perItemMs,
  };
}

/** For the next push of the table. */
export function keepRate(session: Session, collectionId: number, rate: Rate): void {
  const tables = found.get(session) ?? new Map<number, Rate>();
  found.set(session, tables.set(collectionId, rate));
}
