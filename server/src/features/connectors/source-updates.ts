import type { SourceUpdateFailure } from '@sluice/contract';
import type { Actor } from '../../platform/actor.ts';
import { type Db, execute, rows, sql } from '../../platform/db.ts';
import type { StoredText } from '../../platform/texts.ts';
import { inWords } from '../notifications/service.ts';

/** What was to be written back of each run and is not yet, or could not be. */
export async function countOfRuns(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, { waiting: number; failed: number }>> {
  const found = await rows<{ run_id: string; waiting: number; failed: number }>(
    db,
    sql`select run_id, count(*) filter (where state = 'waiting')::int as waiting,
          count(*) filter (where state = 'failed')::int as failed
        from source_update where run_id = any(${runIds}::uuid[]) and state <> 'done' group by run_id`,
  );
  return new Map(found.map(({ run_id, ...counts }) => [run_id, counts]));
}

/** An answer lists at most this many; the count says how many there are. */
const mostListed = 100;

export async function listFailedUpdates(
  db: Db,
  runId: string,
  { locale }: Pick<Actor, 'locale'>,
): Promise<SourceUpdateFailure[]> {
  const found = await rows<{
    source_option: string;
    source_key: string;
    attempts: number;
    message: StoredText | null;
  }>(
    db,
    sql`select source_option, source_key, attempts, message from source_update
        where run_id = ${runId} and state = 'failed' order by source_update_id limit ${mostListed}`,
  );
  return found.map((failed) => ({
    source: failed.source_option,
    sourceKey: failed.source_key,
    attempts: failed.attempts,
    message: inWords(locale, failed.message) ?? '',
  }));
}

/**
 * Failed source updates of a run are due again, with all their attempts; who was told of a failure is not told again when
 * it comes back. Answers how many.
 */
export async function retryUpdates(db: Db, runId: string, now: Date): Promise<number> {
  return await execute(
    db,
    sql`update source_update set state = 'waiting', attempts = 0, next_at = ${now}
        where run_id = ${runId} and state = 'failed'`,
  );
}
