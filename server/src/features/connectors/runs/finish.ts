import { rows, sql } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import { record } from '../../../platform/mutate.ts';
import { pendingTableOf } from '../../cache/model.ts';
import { sendNotification, type StoredText } from '../../notifications/service.ts';
import { startPush } from '../../push/service.ts';
import { modelOf } from '../../records/context.ts';
import { requireEnd, wiredOf } from '../ends.ts';
import { nextRunOf } from '../schedule.ts';
import type { ConnectorServices } from '../service.ts';
import * as runStore from './run-store.ts';
import type { RunRow } from './run-store.ts';
import { isRefusal, RunStopped } from './stopped.ts';
import { findRunAction, type Subject, technicalActor } from './subject.ts';

/** The end of a run: what it came to, on the run, on its action, and told to whom it concerns. */
export async function finishRun(services: ConnectorServices, runId: string, problem: unknown): Promise<void> {
  const { pool } = services;
  const run = await runStore.findRun(pool, runId);
  if (!run) return;
  const subject = await findRunAction(pool, run);
  if (!subject) return;
  const isCancelled = problem instanceof RunStopped && problem.reason === 'cancelled';
  const isStopped = problem instanceof RunStopped && problem.reason === 'safetyStop';
  if (problem === null && run.is_pushed) await pushChanges(services, run, subject);
  const message = messageOf(problem);
  const status = statusOf(run, problem !== null, isCancelled);
  await record(pool, async (tx) => {
    await runStore.updateRun(tx, runId, { status, finished_at: services.now(), message });
    await runStore.forgetSeen(tx, runId);
    if (!isCancelled)
      await runStore.settleAction(tx, run.action_id, {
        problem: problemOf(run, problem),
        message: reasonOf(message, run.failed),
        // What was left alone is to be looked at again: the next run reads from before this one.
        isGood: problem === null && run.failed + run.conflicts === 0,
        startedAt: run.started_at,
        nextRunAt: await nextRunOf(services, tx, subject, { isHalted: isStopped }),
      });
    const person = run.user_id;
    if (person !== null) {
      await sendNotification(tx, person, {
        id: run.notification_id,
        kind: 'runFailed',
        class: status === 'DONE' ? 'success' : status === 'FAILED' ? 'error' : 'warning',
        title: { key: 'run.notification.title', params: { action: subject.action.name } },
        message:
          problem === null
            ? { key: 'run.notification.done', params: countsOf(run) }
            : isCancelled
              ? { key: 'run.notification.cancelled', params: countsOf(run) }
              : {
                  key: 'run.notification.stopped',
                  params: { reason: message ?? { key: 'run.message.noReason' } },
                },
        url: `/connectors/${subject.connector.connector_id}/actions?run=${runId}`,
        progress: { total: Math.max(1, run.current), current: Math.max(1, run.current) },
      });
    }
    tx.publish({ topic: 'systems' });
    tx.publish({ topic: 'job', id: runId, isNew: false });
  });
}

const countsOf = (run: RunRow) => ({
  inserted: run.inserted,
  updated: run.updated,
  deleted: run.deleted,
  unchanged: run.unchanged,
  failed: run.failed,
  conflicts: run.conflicts,
});

function statusOf(run: RunRow, isStopped: boolean, isCancelled: boolean): RunRow['status'] {
  if (isCancelled) return 'CANCELLED';
  const good = run.inserted + run.updated + run.deleted + run.unchanged;
  if (isStopped) return good > 0 ? 'PARTIALLY_FAILED' : 'FAILED';
  if (run.failed === 0) return run.conflicts > 0 ? 'PARTIALLY_FAILED' : 'DONE';
  return good > 0 ? 'PARTIALLY_FAILED' : 'FAILED';
}

function problemOf(
  run: RunRow,
  problem: unknown,
): 'ERROR_SYNC_FAILED' | 'ERROR_AUTH_FAILED' | 'ERROR_OTHER' | null {
  if (problem !== null) return isRefusal(problem) ? 'ERROR_AUTH_FAILED' : 'ERROR_OTHER';
  return run.failed > 0 ? 'ERROR_SYNC_FAILED' : null;
}

/** Why a run is not as it should be: what stopped it, else how many of its records failed; null when none did. */
export function reasonOf(message: StoredText | null, failed: number): StoredText | null {
  return message ?? (failed > 0 ? { key: 'run.message.failed', params: { count: failed } } : null);
}

export function messageOf(problem: unknown): StoredText | null {
  if (problem === null) return null;
  if (problem instanceof RunStopped && problem.reason === 'cancelled') return null;
  if (problem instanceof RunStopped && problem.reason === 'safetyStop')
    return { key: 'run.message.safetyStop', params: { count: problem.count } };
  if (problem instanceof RunStopped && problem.text) return problem.text;
  if (problem instanceof AppError && problem.text)
    return { key: problem.text.key, params: problem.text.params };
  if (problem instanceof AppError) return { key: `error.${problem.code}` };
  const reason = problem instanceof Error ? problem.message : String(problem);
  return { key: 'run.message.plain', params: { reason } };
}

/** Automatic runs send what they made at once; what a person has pending stays his (decisions Q-CONN-04). */
async function pushChanges(
  services: ConnectorServices,
  run: RunRow,
  { connector, content }: Subject,
): Promise<void> {
  if (run.push_id !== null) return;
  const actor = await technicalActor(services.pool, connector);
  const end = await requireEnd(services, actor, connector.target_system);
  const { option } = wiredOf(services, actor, end, content.wiring.targets[0]?.optionId ?? '');
  const pending = await pendingOf(services, run);
  const ids = (action: string): string[] =>
    pending.filter((one) => one.action === action).map(({ rid }) => String(rid));
  if (pending.length === 0) return;
  const lists = { insert: ids('i'), update: ids('u'), delete: ids('d'), confirmUnknown: false };
  await startPush(services, actor, option.path, lists, {
    note: async (tx, pushId) => await runStore.updateRun(tx, run.run_id, { push_id: pushId }),
  });
}

/** What the run made and nobody has pushed or discarded yet. */
export async function pendingOf(
  services: ConnectorServices,
  run: Pick<RunRow, 'run_id' | 'collection_id'>,
): Promise<{ rid: number; action: 'i' | 'u' | 'd' }[]> {
  const model = await modelOf(services.pool, run.collection_id);
  return await rows(
    services.pool,
    sql`select rid, action from ${pendingTableOf(model.collectionId)}
        where origin ->> 'runId' = ${run.run_id} and push_id is null order by rid`,
  );
}
