import type { Run, RunFailure, Value } from '@sluice/contract';
import { recordErrorText } from '@sluice/mapping/engine';
import type { Actor, UserActor } from '../../../platform/actor.ts';
import { type Db, rows, sql, sqlState } from '../../../platform/db.ts';
import { text } from '../../../platform/texts.ts';
import { type CollectionModel, pendingTableOf } from '../../cache/model.ts';
import { inWords } from '../../notifications/service.ts';
import { authorsOf } from '../../sessions/authors.ts';
import type { ConnectorServices } from '../service.ts';
import { countOfRuns } from '../source-updates.ts';
import type * as runStore from './run-store.ts';
import type { RunRow, StoredError } from './run-store.ts';

export function failureOf(failed: runStore.FailureRow, model: CollectionModel, actor: UserActor): RunFailure {
  return {
    seq: failed.seq,
    source: failed.source_option,
    sourceKey: failed.source_key,
    kind: failed.kind,
    errors: failed.errors.map((error) => ({
      ...error,
      message: errorText(error, model, actor),
    })),
    sourceRecord: { internalId: failed.source_key, ...failed.source_record },
  };
}

/** Parameters of an error as its text takes them. */
export const shownParams = (params: Record<string, Value>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value),
    ]),
  );

/** Codes of the server's own findings; all others are the engine's. */
const ownCodes = new Set([
  'AMBIGUOUS',
  'BEING_PUSHED',
  'PENDING_DELETE',
  'PENDING_OF_PERSON',
  'TARGET_GONE',
  'UNREADABLE',
]);

export function errorText(
  error: StoredError,
  model: CollectionModel,
  { locale }: Pick<Actor, 'locale'>,
): string {
  if (ownCodes.has(error.code)) return text(locale, `run.error.${error.code}`, shownParams(error.params));
  return recordErrorText(error, locale, (code, params) => {
    // Texts of rules speak of fields by their names.
    const other = typeof params.field === 'string' ? model.byPath.get(params.field)?.field.name : undefined;
    return text(locale, `validation.${code}`, {
      ...shownParams(params),
      ...(other === undefined ? {} : { field: other }),
    });
  });
}

/** Runs of one action as the contract has them; what is pending of them and who began them is asked for once. */
export async function wireOfRuns(
  services: ConnectorServices,
  actor: Pick<Actor, 'locale'>,
  targetPath: string,
  runs: readonly RunRow[],
): Promise<Run[]> {
  const people = new Set(runs.flatMap(({ user_id }) => user_id ?? []));
  const authors = await authorsOf(services.pool, [...people]);
  const pending = await countPending(services.pool, runs);
  const updates = await countOfRuns(
    services.pool,
    runs.map(({ run_id }) => run_id),
  );
  return runs.map((run) => ({
    internalId: run.run_id,
    actionId: run.action_id,
    number: run.number,
    kind: run.kind,
    status: run.status,
    startedBy:
      run.user_id === null ? null : (authors.get(run.user_id) ?? { internalId: '', fullName: 'former user' }),
    createdAt: run.created_at,
    startedAt: run.started_at,
    finishedAt: run.finished_at,
    version: run.version,
    current: run.current,
    total: run.total,
    counts: {
      inserted: run.inserted,
      updated: run.updated,
      deleted: run.deleted,
      unchanged: run.unchanged,
      failed: run.failed,
      conflicts: run.conflicts,
    },
    message: inWords(actor.locale, run.message),
    isPushed: run.is_pushed,
    pushId: run.push_id,
    targetPath,
    pendingCount: pending.get(run.run_id) ?? 0,
    sourceUpdates: { written: run.written_back, ...(updates.get(run.run_id) ?? { waiting: 0, failed: 0 }) },
  }));
}

/** How much of each run is pending still; of one that is under way all that it made. */
async function countPending(db: Db, runs: readonly RunRow[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const ended = new Map<number, string[]>();
  for (const run of runs) {
    const made = run.inserted + run.updated + run.deleted;
    if (run.finished_at === null) counts.set(run.run_id, made);
    else if (made > 0) ended.set(run.collection_id, [...(ended.get(run.collection_id) ?? []), run.run_id]);
  }
  for (const [collectionId, runIds] of ended) {
    const found = await rows<{ run_id: string; n: number }>(
      db,
      sql`select origin ->> 'runId' as run_id, count(*)::int as n from ${pendingTableOf(collectionId)}
          where origin ->> 'runId' = any(${runIds}::text[]) group by 1`,
    ).catch((error: unknown) => {
      // Its table went with the system.
      if (sqlState(error) === '42P01') return [];
      throw error;
    });
    for (const { run_id, n } of found) counts.set(run_id, n);
  }
  return counts;
}
