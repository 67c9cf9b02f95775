import type { BodyOf, manualRun, RunCounts, Value } from '@sluice/contract';
import type { RecordError } from '@sluice/mapping/engine';
import { copyLines, copyText, partsOf } from '../../../platform/copy.ts';
import { type Db, execute, row, rows, type Sql, sql } from '../../../platform/db.ts';
import type { Tx } from '../../../platform/mutate.ts';
import type { StoredText } from '../../notifications/service.ts';

export type RunRequest = BodyOf<typeof manualRun>;

export interface RunRow {
  run_id: string;
  action_id: string;
  number: number;
  kind: 'manual' | 'scheduled' | 'retry';
  user_id: number | null;
  notification_id: string;
  version: number;
  status: 'QUEUED' | 'RUNNING' | 'DONE' | 'PARTIALLY_FAILED' | 'FAILED' | 'CANCELLED';
  request: RunRequest;
  retry_of: string | null;
  is_pushed: boolean;
  push_id: string | null;
  collection_id: number;
  is_cancel_requested: boolean;
  source_index: number;
  cursor: string | null;
  is_complete: boolean;
  current: number;
  total: number | null;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  failed: number;
  conflicts: number;
  /** Outcomes of its records that the source has been told. */
  written_back: number;
  message: StoredText | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export const noCounts: RunCounts = {
  inserted: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  failed: 0,
  conflicts: 0,
};

/** A second open run of the action is refused by the index `run_open` (23505). */
export async function insertRun(
  db: Db,
  run: Pick<
    RunRow,
    'action_id' | 'kind' | 'user_id' | 'version' | 'request' | 'retry_of' | 'is_pushed' | 'collection_id'
  >,
): Promise<RunRow> {
  const inserted = await row<RunRow>(
    db,
    sql`with counted as (update action set run_count = run_count + 1 where action_id = ${run.action_id} returning run_count)
        insert into run (action_id, number, kind, user_id, version, request, retry_of, is_pushed, collection_id)
        select ${run.action_id}, run_count, ${run.kind}, ${run.user_id}, ${run.version}, ${JSON.stringify(run.request)}::jsonb,
          ${run.retry_of}, ${run.is_pushed}, ${run.collection_id} from counted returning *`,
  );
  if (!inserted) throw new Error('The run was not created');
  return inserted;
}

export async function findRun(db: Db, runId: string): Promise<RunRow | null> {
  return await row(db, sql`select * from run where run_id = ${runId}`);
}

export async function lockRun(db: Db, runId: string): Promise<RunRow | null> {
  return await row(db, sql`select * from run where run_id = ${runId} for update`);
}

export async function listRuns(
  db: Db,
  actionId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ runs: RunRow[]; total: number }> {
  const runs = await rows<RunRow>(
    db,
    sql`select * from run where action_id = ${actionId} order by number desc limit ${limit} offset ${offset}`,
  );
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from run where action_id = ${actionId}`,
  );
  return { runs, total: counted?.n ?? 0 };
}

export async function listOpenRuns(db: Db, limit: number): Promise<{ run_id: string }[]> {
  return await rows(
    db,
    sql`select run_id from run where finished_at is null order by created_at limit ${limit}`,
  );
}

export async function updateRun(
  db: Db,
  runId: string,
  change: Partial<
    Pick<
      RunRow,
      | 'status'
      | 'message'
      | 'is_cancel_requested'
      | 'is_complete'
      | 'push_id'
      | 'total'
      | 'cursor'
      | 'source_index'
    >
  > & { started_at?: Date; finished_at?: Date },
): Promise<void> {
  const assignments = Object.entries(change).map(
    ([name, value]) => sql`${sql.id(name)} = ${name === 'message' && value ? JSON.stringify(value) : value}`,
  );
  await execute(
    db,
    sql`update run set beat_at = now()${assignments.length > 0 ? sql`, ${sql.join(assignments)}` : sql``} where run_id = ${runId}`,
  );
}

/** What one batch came to, and where the next one begins. */
export async function advanceRun(
  db: Db,
  runId: string,
  counts: RunCounts,
  step: { read: number; cursor: string | null; total: number | null },
): Promise<void> {
  await execute(
    db,
    sql`update run set beat_at = now(), current = current + ${step.read}, cursor = ${step.cursor},
          total = coalesce(${step.total}::int, total), inserted = inserted + ${counts.inserted},
          updated = updated + ${counts.updated}, deleted = deleted + ${counts.deleted},
          unchanged = unchanged + ${counts.unchanged}, failed = failed + ${counts.failed},
          conflicts = conflicts + ${counts.conflicts} where run_id = ${runId}`,
  );
}

// Links -----------------------------------------------------------------------------------------------------------

export interface LinkRow {
  source_key: string;
  rid: number;
  hash: string;
}

export async function listLinks(
  db: Db,
  actionId: string,
  source: string,
  keys: readonly string[],
): Promise<Map<string, LinkRow>> {
  const found = await rows<LinkRow>(
    db,
    sql`select source_key, rid, hash from link
        where action_id = ${actionId} and source_option = ${source} and source_key = any(${keys}::text[])`,
  );
  return new Map(found.map((link) => [link.source_key, link]));
}

/** A link as a run makes or renews it; `isNew`: the source record has none yet. */
export interface NewLink extends LinkRow {
  isNew: boolean;
}

export async function saveLinks(
  tx: Tx,
  of: { actionId: string; source: string; collectionId: number; runId: string },
  links: readonly NewLink[],
): Promise<void> {
  const [action, source, run] = [of.actionId, copyText(of.source), of.runId];
  await copyLines(
    tx.client,
    sql`copy link (action_id, source_option, source_key, collection_id, rid, hash, run_id) from stdin`,
    partsOf(
      links.filter(({ isNew }) => isNew),
      ({ source_key, rid, hash }) =>
        `${action}\t${source}\t${copyText(source_key)}\t${of.collectionId}\t${rid}\t${hash}\t${run}\n`,
    ),
  );
  const known = links.filter(({ isNew }) => !isNew);
  if (known.length === 0) return;
  await execute(
    tx,
    sql`update link l set collection_id = ${of.collectionId}, rid = v.rid, hash = v.hash, run_id = ${of.runId}, at = now()
        from unnest(${known.map((link) => link.source_key)}::text[], ${known.map(({ rid }) => rid)}::int4[],
          ${known.map(({ hash }) => hash)}::text[]) v(k, rid, hash)
        where l.action_id = ${of.actionId} and l.source_option = ${of.source} and l.source_key = v.k`,
  );
}

/** What was taken over of linked records is by now this: the links stay those of the runs that made them. */
export async function renewHashes(
  db: Db,
  { actionId, source }: { actionId: string; source: string },
  hashes: readonly { source_key: string; hash: string }[],
): Promise<void> {
  if (hashes.length === 0) return;
  await execute(
    db,
    sql`update link l set hash = v.hash, at = now()
        from unnest(${hashes.map((one) => one.source_key)}::text[], ${hashes.map(({ hash }) => hash)}::text[]) v(k, hash)
        where l.action_id = ${actionId} and l.source_option = ${source} and l.source_key = v.k`,
  );
}

/** Linked records that a run has met without renewing their link: what it renewed bears the run's name. */
export async function markSeen(
  tx: Tx,
  runId: string,
  source: string,
  keys: readonly string[],
): Promise<void> {
  await copyLines(
    tx.client,
    sql`copy run_seen (run_id, source_option, source_key) from stdin`,
    partsOf(keys, (key) => `${runId}\t${copyText(source)}\t${copyText(key)}\n`),
  );
}

/** Who has met records of a source: a run, or a dry count, which keeps their keys itself. */
type Met = Pick<RunRow, 'run_id' | 'action_id'> | (Pick<RunRow, 'action_id'> & { keys: readonly string[] });

/**
 * Keys of a source's links that a run has not met. As a difference of sets, which PostgreSQL makes by one hash; of an
 * anti-join over tables that were filled just now it may make a loop within a loop.
 */
const unseen = (by: Met, source: string): Sql =>
  'keys' in by
    ? sql`select source_key from link where action_id = ${by.action_id} and source_option = ${source}
          except select unnest(${by.keys}::text[]) collate "C"`
    : sql`select source_key from link
          where action_id = ${by.action_id} and source_option = ${source} and run_id <> ${by.run_id}
          except select source_key from run_seen where run_id = ${by.run_id} and source_option = ${source}`;

/** Links of a source whose record was not met, beyond a key, in the order of the keys. */
export async function listUnseen(
  db: Db,
  by: Met,
  source: string,
  { after, limit }: { after: string; limit: number },
): Promise<LinkRow[]> {
  return await rows(
    db,
    sql`select source_key, rid, hash from link where action_id = ${by.action_id} and source_option = ${source}
          and source_key = any(array(
            select source_key from (${unseen(by, source)}) u where source_key > ${after} order by source_key limit ${limit}))
        order by source_key`,
  );
}

export async function countUnseen(
  db: Db,
  run: Pick<RunRow, 'run_id' | 'action_id'>,
  source: string,
): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from (${unseen(run, source)}) u`,
  );
  return counted?.n ?? 0;
}

export async function countLinks(db: Db, actionId: string, source: string): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from link where action_id = ${actionId} and source_option = ${source}`,
  );
  return counted?.n ?? 0;
}

export async function removeLinks(
  db: Db,
  actionId: string,
  source: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await execute(
    db,
    sql`delete from link where action_id = ${actionId} and source_option = ${source} and source_key = any(${keys}::text[])`,
  );
}

export async function forgetSeen(db: Db, runId: string): Promise<void> {
  await execute(db, sql`delete from run_seen where run_id = ${runId}`);
}

// Failures --------------------------------------------------------------------------------------------------------

export type StoredError = Omit<RecordError, 'row' | 'targetField'> & { targetField: string | null };

export interface FailureRow {
  seq: number;
  source_option: string;
  source_key: string;
  kind: 'failed' | 'conflict';
  errors: StoredError[];
  source_record: Record<string, Value>;
}

export async function insertFailures(
  db: Db,
  runId: string,
  source: string,
  failures: readonly Pick<FailureRow, 'source_key' | 'kind' | 'errors' | 'source_record'>[],
): Promise<void> {
  if (failures.length === 0) return;
  await execute(
    db,
    sql`insert into run_failure (run_id, source_option, source_key, kind, errors, source_record)
        select ${runId}, ${source}, v.* from unnest(${failures.map((failure) => failure.source_key)}::text[],
          ${failures.map(({ kind }) => kind)}::text[], ${failures.map(({ errors }) => JSON.stringify(errors))}::jsonb[],
          ${failures.map((failure) => JSON.stringify(failure.source_record))}::jsonb[]) v`,
  );
}

export async function listFailures(
  db: Db,
  runId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ failures: FailureRow[]; total: number }> {
  const failures = await rows<FailureRow>(
    db,
    sql`select seq, source_option, source_key, kind, errors, source_record from run_failure
        where run_id = ${runId} order by seq limit ${limit} offset ${offset}`,
  );
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from run_failure where run_id = ${runId}`,
  );
  return { failures, total: counted?.n ?? 0 };
}

export async function listFailedKeys(
  db: Db,
  runId: string,
  source: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ seq: number; source_key: string }[]> {
  return await rows(
    db,
    sql`select seq, source_key from run_failure where run_id = ${runId} and source_option = ${source} and seq > ${after}
        order by seq limit ${limit}`,
  );
}

/** How a run's end shows on its action (decisions Q-ST-02). */
export async function settleAction(
  db: Db,
  actionId: string,
  end: {
    problem: 'ERROR_SYNC_FAILED' | 'ERROR_AUTH_FAILED' | 'ERROR_OTHER' | null;
    message: StoredText | null;
    isGood: boolean;
    startedAt: string | null;
    nextRunAt: Date | null;
  },
): Promise<void> {
  await execute(
    db,
    sql`update action set problem = ${end.problem}, problem_message = ${end.message && JSON.stringify(end.message)}, last_run_at = now(),
          last_good_run_at = case when ${end.isGood} then coalesce(${end.startedAt}::timestamptz, now()) else last_good_run_at end,
          next_run_at = ${end.nextRunAt} where action_id = ${actionId}`,
  );
}

/**
 * After a run's changes were discarded: its links to rows that went with them are forgotten, and the other records
 * are looked at anew by the next run, because what it wrote of them is not there any more.
 */
export async function forgetRun(db: Db, runId: string, collectionId: number): Promise<void> {
  await execute(
    db,
    sql`delete from link l where run_id = ${runId} and collection_id = ${collectionId}
          and not exists (select 1 from ${sql.id('cache', `c_${collectionId}`)} t where t.rid = l.rid)`,
  );
  await execute(
    db,
    sql`update link set hash = '' where run_id = ${runId} and collection_id = ${collectionId}`,
  );
}
