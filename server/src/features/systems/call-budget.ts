import { type CallBudget, ExternalSystemError } from '@sluice/adapter-kit';
import type { Pool } from '../../platform/db.ts';
import * as store from './store.ts';

/** Cache refreshes leave the last tenth of the day's calls to people and pushes (decisions Q-DOM-02). */
const cacheShare = 0.9;
/** A call waits at most this long for a pause to end before it gives up. */
const maxWaitMs = 15 * 60_000;

/** The limits of a domain's connection, kept in the database: all processes share them. */
export function callBudget(pool: Pool, domainId: string, timeZone: string): CallBudget {
  return {
    acquire: async (callClass, signal) => {
      const deadline = Date.now() + maxWaitMs;
      for (;;) {
        signal.throwIfAborted();
        const share = callClass === 'cache' ? cacheShare : 1;
        const call = await store.takeCall(pool, domainId, share, timeZone);
        if (!call)
          throw new ExternalSystemError('NOT_FOUND', 'The domain does not exist any more', {
            retryable: false,
          });
        if (call.isTaken) return;
        const { pausedMs, limit } = call;
        if (limit !== null) {
          throw new ExternalSystemError('CALL_LIMIT', `All ${limit} API calls of today have been used`, {
            retryable: true,
          });
        }
        if (pausedMs > 0 && (callClass === 'interactive' || Date.now() + pausedMs > deadline)) {
          throw new ExternalSystemError('RATE', 'The external system asks to wait', {
            retryable: true,
            retryAfterMs: pausedMs,
          });
        }
        await new Promise((resolve) => setTimeout(resolve, Math.min(pausedMs, 1000)));
      }
    },
    observe: ({ status, retryAfterMs }) => {
      if (status !== 429) return;
      store.pauseConnection(pool, domainId, retryAfterMs ?? 1000).catch(() => undefined);
    },
  };
}

/** Of a connection that is tried out: nothing is counted yet. */
export const freeBudget: CallBudget = { acquire: async () => undefined, observe: () => undefined };
