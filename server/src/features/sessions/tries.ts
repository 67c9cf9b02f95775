import type { Pool } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import * as store from './store.ts';

const maxMisses = 10;
const missWindowMs = 15 * 60_000;

/** Throws TOO_MANY_REQUESTS after ten misses of one address for one name within a quarter of an hour. */
export async function requireTriesLeft(
  { pool, now }: { pool: Pool; now(): Date },
  username: string,
  address: string,
): Promise<void> {
  const since = new Date(now().getTime() - missWindowMs);
  if ((await store.countMisses(pool, username, address, since)) < maxMisses) return;
  throw new AppError('TOO_MANY_REQUESTS', {
    text: { key: 'error.TOO_MANY_REQUESTS', params: { minutes: missWindowMs / 60_000 } },
    retryAfterSeconds: missWindowMs / 1000,
  });
}
