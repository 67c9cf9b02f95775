import { randomUUID } from 'node:crypto';
import { execute, type Pool, rows, sql } from '../../platform/db.ts';
import { record, type Tx } from '../../platform/mutate.ts';

/** A refresh that a person asked for is a job of his, unless one of the table is waiting or running already. */
export async function wantRefreshJob(tx: Tx, collectionId: number, userId: number): Promise<void> {
  const id = randomUUID();
  const added = await execute(
    tx,
    sql`insert into refresh_job (refresh_job_id, collection_id, user_id) select ${id}, ${collectionId}, ${userId}
        where not exists (select 1 from refresh_job where collection_id = ${collectionId} and finished_at is null)`,
  );
  if (added > 0) tx.publish({ topic: 'job', id, isNew: true });
}

export async function beginRefreshJobs(pool: Pool, collectionId: number): Promise<void> {
  await record(pool, async (tx) => {
    const begun = await rows<{ id: string }>(
      tx,
      sql`update refresh_job set status = 'RUNNING', started_at = now()
          where collection_id = ${collectionId} and status = 'QUEUED' returning refresh_job_id as id`,
    );
    for (const { id } of begun) tx.publish({ topic: 'job', id, isNew: false });
  });
}

/**
 * The end of a refresh: `problem` null = well. One that failed by itself leaves a job as well, so that it can be looked
 * at; the same failure again within a day does not.
 */
export async function endRefreshJobs(
  pool: Pool,
  collectionId: number,
  { total, problem }: { total: number; problem: string | null },
): Promise<void> {
  await record(pool, async (tx) => {
    const ended = await rows<{ id: string }>(
      tx,
      sql`update refresh_job set status = ${problem === null ? 'DONE' : 'FAILED'}, message = ${problem}, total = ${total},
            started_at = coalesce(started_at, now()), finished_at = now()
          where collection_id = ${collectionId} and finished_at is null returning refresh_job_id as id`,
    );
    if (problem !== null && ended.length === 0) {
      ended.push(
        ...(await rows<{ id: string }>(
          tx,
          sql`insert into refresh_job (collection_id, status, message, started_at, finished_at)
              select ${collectionId}, 'FAILED', ${problem}::text, now(), now()
              where not exists (select 1 from refresh_job where collection_id = ${collectionId} and message = ${problem}::text
                and created_at > now() - interval '1 day')
              returning refresh_job_id as id`,
        )),
      );
    }
    for (const { id } of ended) tx.publish({ topic: 'job', id, isNew: false });
  });
}
