import type { QueryArrayConfig, QueryArrayResult, QueryConfig, QueryResult } from 'pg';
import type { PoolClient } from 'pg';
import { type Actor, actorName, hasRight, type Right } from './actor.ts';
import { type Db, execute, type Pool, row, sql, transaction } from './db.ts';
import { AppError } from './errors.ts';

/** What other processes hear after commit; ids only, the receivers read the rest themselves. */
export type LiveEvent =
  | {
      topic: 'collection';
      collectionId: number;
      /** Row ids; empty with `isReloadNeeded`. */
      rids: number[];
      removed: number[];
      isReloadNeeded: boolean;
      refreshedAt: string | null;
      /** Of a refresh: how many records it added. */
      newRecords?: number;
    }
  | { topic: 'notification'; userId: number; notificationId: string; isNew: boolean }
  | { topic: 'progress'; userId: number; notificationId: string; current: number }
  | { topic: 'session'; sessionIds: string[] }
  /** What these people may do has changed. */
  | { topic: 'rights'; userIds: number[] }
  | { topic: 'push'; pushId: string }
  /** A push, run or refresh began or went on. */
  | { topic: 'job'; id: string; isNew: boolean }
  | { topic: 'clientError'; id: string }
  | { topic: 'systems' }
  | { topic: 'domain'; domainId: string };

/** The transaction of one write. Store functions take it in place of the pool. */
export class Tx implements Db {
  readonly client: PoolClient;
  readonly #events: LiveEvent[] = [];
  #audit: { target: string | null; details: Record<string, unknown> } = { target: null, details: {} };

  constructor(client: PoolClient) {
    this.client = client;
  }

  query(config: QueryConfig): Promise<QueryResult>;
  query<R extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<R>>;
  query(config: QueryConfig | QueryArrayConfig): Promise<QueryResult | QueryArrayResult> {
    return this.client.query(config as QueryConfig);
  }

  /** What the audit row says beyond who, when and verb. Never secrets. */
  audit(target: string, details: Record<string, unknown> = {}): void {
    this.#audit = { target, details };
  }

  /** Told to all processes once the transaction has been committed, in this order. */
  publish(event: LiveEvent): void {
    this.#events.push(event);
  }

  get auditEntry(): Readonly<{ target: string | null; details: Record<string, unknown> }> {
    return this.#audit;
  }

  get events(): readonly LiveEvent[] {
    return this.#events;
  }
}

export const channel = 'sluice_live';
// NOTIFY takes at most 8000 bytes.
const maxPayload = 7900;

/** A call that is to be done once (decisions Q-GEN-09), however often it arrives. */
export interface Once {
  userId: number;
  /** The caller's `Idempotency-Key`. */
  key: string;
  /** Fingerprint of what is called with what: one key is for one call. */
  call: string;
}

export interface MutateContext {
  pool: Pool;
  actor: Actor;
  /** Where it was done before, `work` is not called, and the result is the one of then, as JSON kept it. */
  once?: Once | null;
}

/**
 * The only way to write: checks the right, opens the transaction, runs `work`, writes the audit row and, with the
 * commit, tells the other processes. `right` null is for what everybody may do to what is his own (say so at the call).
 */
export async function mutate<T>(
  { pool, actor, once = null }: MutateContext,
  verb: string,
  right: Right | null,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (right && !hasRight(actor, right)) throw new AppError('FORBIDDEN');
  return await transaction(pool, async (client) => {
    const tx = new Tx(client);
    const earlier = once && (await takeKey(tx, once));
    if (earlier) return earlier.result as T;
    const result = await work(tx);
    if (once) await keepResult(tx, once, result);
    await execute(
      tx,
      sql`insert into audit (actor_user_id, actor_name, verb, target, details)
          values (${actor.kind === 'user' ? actor.userId : null}, ${actorName(actor)}, ${verb},
                  ${tx.auditEntry.target}, ${JSON.stringify(tx.auditEntry.details)})`,
    );
    for (const event of tx.events) await notify(tx, event);
    return result;
  });
}

/** Answers what the call did before, or null: then it is this one's to do, and the same call waits for its commit. */
async function takeKey(tx: Tx, { userId, key, call }: Once): Promise<{ result: unknown } | null> {
  const taken = await row<{ call: string; result: unknown; is_new: boolean }>(
    tx,
    sql`insert into done_once (user_id, key, call) values (${userId}, ${key}, ${call})
        on conflict (user_id, key) do update set key = excluded.key returning call, result, xmax = 0 as is_new`,
  );
  if (!taken || taken.is_new) return null;
  if (taken.call !== call)
    throw new AppError('MALFORMED', {
      text: {
        key: 'error.MALFORMED',
        params: { reason: 'its Idempotency-Key came with another call before' },
      },
    });
  return { result: taken.result };
}

async function keepResult(tx: Tx, { userId, key }: Once, result: unknown): Promise<void> {
  await execute(
    tx,
    sql`update done_once set result = ${JSON.stringify(result ?? null)} where user_id = ${userId} and key = ${key}`,
  );
}

/** Whoever repeats a call does so within minutes. */
export async function trimDoneOnce(tx: Tx): Promise<void> {
  await execute(tx, sql`delete from done_once where made_at < now() - interval '1 day'`);
}

/**
 * A worker's bookkeeping (steps of a push, pages of a refresh, sessions touched): a transaction that may publish
 * but leaves no audit row of its own, because the job that it belongs to has one.
 */
export async function record<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return await transaction(pool, async (client) => {
    const tx = new Tx(client);
    const result = await work(tx);
    for (const event of tx.events) await notify(tx, event);
    return result;
  });
}

async function notify(tx: Tx, event: LiveEvent): Promise<void> {
  // Ids of many people do not fit into one message.
  if (event.topic === 'rights' && event.userIds.length > 500) {
    for (let at = 0; at < event.userIds.length; at += 500)
      await notify(tx, { topic: 'rights', userIds: event.userIds.slice(at, at + 500) });
    return;
  }
  let payload = JSON.stringify(event);
  if (Buffer.byteLength(payload) > maxPayload && event.topic === 'collection') {
    payload = JSON.stringify({ ...event, rids: [], removed: [], isReloadNeeded: true });
  }
  await execute(tx, sql`select pg_notify(${channel}, ${payload})`);
}
