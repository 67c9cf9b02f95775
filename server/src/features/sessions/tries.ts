import { perDatabase, type Pool } from '../../platform/db.ts';
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

const maxReports = 10;
const reportWindowMs = 60_000;
/** Address -> when it reported, the last minute only. Of this process: what anybody may call must cost nothing. */
const reportsIn = perDatabase(() => new Map<string, number[]>());

/** Throws TOO_MANY_REQUESTS after ten errors that one address reported within a minute (decisions Q-API-01). */
export function requireReportsLeft(pool: Pool, now: Date, address: string): void {
  const reports = reportsIn(pool);
  const since = now.getTime() - reportWindowMs;
  for (const [known, times] of reports) if ((times.at(-1) ?? 0) <= since) reports.delete(known);
  const recent = (reports.get(address) ?? []).filter((at) => at > since);
  if (recent.length >= maxReports)
    throw new AppError('TOO_MANY_REQUESTS', {
      text: { key: 'error.TOO_MANY_REQUESTS', params: { minutes: 1 } },
      retryAfterSeconds: reportWindowMs / 1000,
    });
  reports.set(address, [...recent, now.getTime()]);
}
