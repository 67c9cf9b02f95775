import { setTimeout as sleep } from 'node:timers/promises';
import { ExternalSystemError, type Page } from '@sluice/adapter-kit';
import type { RunCounts, Trigger } from '@sluice/contract';
import type { RunContext } from '@sluice/mapping/engine';
import type { UserActor } from '../../../platform/actor.ts';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import { execute, sql } from '../../../platform/db.ts';
import { record, type Tx } from '../../../platform/mutate.ts';
import { moveProgress } from '../../notifications/service.ts';
import { type CollectionContext, openCached } from '../../records/context.ts';
import { nameOfEnd, requireEnd, wiredOf } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { ActionContent, ActionRow, ConnectorRow } from '../store.ts';
import { decide, failure, hashOf, type Wanted } from './decide.ts';
import { finishRun } from './finish.ts';
import { lookupOf } from './lookup.ts';
import { factsOf, narrowingOf, triggersOf } from './request.ts';
import * as runStore from './run-store.ts';
import type { RunRow } from './run-store.ts';
import { conditionsOf, takes, takesDeleted } from './select.ts';
import { contextOf, openSource, readSource, type Source } from './source.ts';
import { RunStopped } from './stopped.ts';
import { findRunAction, technicalActor } from './subject.ts';
import { type RunAuthor, writeDecisions, writeDeletes } from './write.ts';

const lockSpace = 716_253_010;
const backoffMs = [1000, 4000, 16_000];
const deleteBatch = 2000;

/** A run under way in this process. */
interface Running {
  services: ConnectorServices;
  run: RunRow;
  action: ActionRow;
  connector: ConnectorRow;
  content: ActionContent;
  actor: UserActor;
  target: CollectionContext;
  author: RunAuthor;
  context: RunContext;
  triggers: Trigger[];
  isManual: boolean;
  signal: AbortSignal;
}

export function startRunLoop(services: ConnectorServices): Loop {
  return startLoop({
    name: 'Run',
    everyMs: 2000,
    concurrency: 2,
    log: services.log,
    find: async (limit) => await runStore.listOpenRuns(services.pool, limit),
    keyOf: ({ run_id }) => run_id,
    run: async ({ run_id }, signal) => await continueRun(services, run_id, signal),
  });
}

/** Takes a run to its end from where it stands; does nothing where another worker has it. */
async function continueRun(services: ConnectorServices, runId: string, signal: AbortSignal): Promise<void> {
  const lock = await services.pool.connect();
  try {
    const taken = await lock.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as taken',
      [lockSpace, runId],
    );
    if (!taken.rows[0]?.taken) return;
    const run = await runStore.findRun(services.pool, runId);
    if (!run || run.finished_at !== null) return;
    const problem = await attempt(services, run, signal);
    await finishRun(services, runId, problem);
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
  }
}

/** Answers why the run ended badly, or null; throws what should be tried again later (a stopping process). */
async function attempt(services: ConnectorServices, run: RunRow, signal: AbortSignal): Promise<unknown> {
  try {
    await record(services.pool, async (tx) => {
      await runStore.updateRun(tx, run.run_id, {
        status: 'RUNNING',
        ...(run.started_at === null ? { started_at: services.now() } : {}),
      });
      tx.publish({ topic: 'systems' });
    });
    const running = await prepare(services, run, signal);
    await readAll(running);
    return null;
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof RunStopped)) services.log.warn('A run failed', { runId: run.run_id, error });
    return error;
  }
}

async function prepare(services: ConnectorServices, run: RunRow, signal: AbortSignal): Promise<Running> {
  const subject = await findRunAction(services.pool, run);
  if (!subject) throw new RunStopped('gone');
  const { action, connector, content } = subject;
  const actor = await technicalActor(services.pool, connector);
  const end = await requireEnd(services, actor, connector.target_system);
  const [wiredTarget] = content.wiring.targets;
  const { option } = wiredOf(services, actor, end, wiredTarget?.optionId ?? '');
  const target = await openCached(services, actor, option.path);
  const isManual = run.kind !== 'scheduled';
  return {
    services,
    run,
    action,
    connector,
    content,
    actor,
    target,
    author: {
      userId: actor.userId,
      at: services.now(),
      runId: run.run_id,
      actionId: action.action_id,
      run: { connector: connector.name, action: action.name, number: run.number },
    },
    context: contextOf(services, {
      ...factsOf(run, action, connector),
      lookup: lookupOf(services, actor, { connector }),
      targetSystem: nameOfEnd(end),
      targetCollection: option.name,
      environment: end.domain.is_production ? 'production' : 'test',
      language: actor.locale,
    }),
    triggers: triggersOf(content, run.request.triggerId, isManual),
    isManual,
    signal,
  };
}

async function readAll(running: Running): Promise<void> {
  const { services, run, content } = running;
  const end = await requireEnd(services, running.actor, running.connector.source_system);
  for (let index = run.source_index; index < content.wiring.sources.length; index += 1) {
    const optionId = content.wiring.sources[index]?.optionId ?? '';
    const { query } = run.request;
    if (query?.source && query.source !== optionId) continue;
    const source = await openSource(services, running.actor, end, optionId, running.target, {
      mappings: content.mappings,
      triggers: running.triggers,
    });
    const context = {
      ...running.context,
      sourceSystem: nameOfEnd(end),
      sourceSystemAcronym: end.system.acronym,
      sourceCollection: source.wired.option.name,
    };
    if (run.retry_of === null) await readSourceThrough({ ...running, context }, source, index);
    else await readFailed({ ...running, context }, source, run.retry_of, index);
    await record(services.pool, async (tx) => {
      await runStore.updateRun(tx, run.run_id, { source_index: index + 1, cursor: null });
    });
  }
}

/** Reads a source from where the run stands, again and again where the line is cut, and then looks for what is gone. */
async function readSourceThrough(running: Running, source: Source, index: number): Promise<void> {
  const { services, run } = running;
  const narrowing = narrowingOf(run.request.query);
  const isComplete = narrowing === null;
  const seesDeleted =
    isComplete && running.triggers.some((trigger) => takesDeleted(trigger.sourceRecordSelection));
  const changedSince = seesDeleted || running.isManual ? null : sinceOf(running, source);
  for (let failures = 0; ;) {
    const now = await runStore.findRun(services.pool, run.run_id);
    const place = now?.source_index === index ? now.cursor : null;
    const isDone = place === doneCursor;
    const cursor = place?.startsWith(cursorPrefix) ? place.slice(cursorPrefix.length) : null;
    // A part that was asked for has no cursor: it is read again, and what was taken is passed over.
    let taken = place?.startsWith(takenPrefix) ? Number(place.slice(takenPrefix.length)) : 0;
    let toPass = taken;
    try {
      if (!isDone) {
        const pages = readSource(source, running.actor, {
          cursor,
          changedSince,
          narrowing,
          signal: running.signal,
        });
        let row = now?.current ?? 0;
        for await (const page of pages) {
          const records = page.records.slice(toPass);
          toPass = Math.max(0, toPass - page.records.length);
          taken += records.length;
          const at = narrowing
            ? takenPrefix + String(taken)
            : page.cursor === null
              ? doneCursor
              : cursorPrefix + page.cursor;
          await takePage(running, source, { ...page, records, cursor: at }, { row, seesDeleted });
          row += records.length;
          failures = 0;
        }
      }
      break;
    } catch (error) {
      const pause = backoffMs[failures];
      if (!(error instanceof ExternalSystemError) || !error.retryable || pause === undefined) throw error;
      failures += 1;
      await sleep(error.retryAfterMs ?? pause, undefined, { signal: running.signal });
    }
  }
  if (seesDeleted) await takeDeleted(running, source);
}

/** How a run's place in a source is stored: the adapter's cursor, how many were taken, or that all are through. */
const cursorPrefix = 'at:';
const takenPrefix = 'taken:';
const doneCursor = 'done';

function sinceOf({ action }: Running, { tellsChanges }: Source): Date | null {
  if (!tellsChanges || action.last_good_run_at === null) return null;
  // A minute for clocks that differ: what is read twice is unchanged by its hash.
  return new Date(Date.parse(action.last_good_run_at) - 60_000);
}

/** Only the records that failed before, as they are now. */
async function readFailed(running: Running, source: Source, retryOf: string, index: number): Promise<void> {
  const { services, run } = running;
  // The place where a process died is one in the source that it was at.
  for (let after = index === run.source_index ? Number(run.cursor ?? 0) : 0; ;) {
    const failed = await runStore.listFailedKeys(services.pool, retryOf, source.wired.option.id, {
      after,
      limit: 500,
    });
    const last = failed.at(-1);
    if (!last) return;
    const records = await source.session.readByKeys({
      levels:
        source.wired.end.company && source.wired.type.number_of_levels > 1
          ? [source.wired.end.company.company_id]
          : [],
      locale: running.actor.locale,
      callClass: 'cache',
      signal: running.signal,
      collection: source.wired.type.code,
      fields: source.fields,
      keys: [...new Set(failed.map(({ source_key }) => source_key))],
    });
    const page = { records, poisoned: [], cursor: String(last.seq), total: null };
    await takePage(running, source, page, { row: after, seesDeleted: false });
    after = last.seq;
  }
}

/** One page, in one transaction with the place where the next one begins: a crash neither loses nor doubles anything. */
async function takePage(
  running: Running,
  source: Source,
  page: Page,
  { row, seesDeleted }: { row: number; seesDeleted: boolean },
): Promise<void> {
  running.signal.throwIfAborted();
  const { services, run, action } = running;
  const option = source.wired.option.id;
  await record(services.pool, async (tx) => {
    await requireGoingOn(tx, run.run_id);
    const keys = page.records.map(({ key }) => key);
    // What cannot be read is there all the same.
    const present = [...keys, ...page.poisoned.map(({ key }) => key)];
    const links = await runStore.listLinks(tx, action.action_id, option, present);
    const conditions = conditionsOf(source, page.records);
    const wanted: Wanted[] = [];
    let skipped = 0;
    page.records.forEach((found, index) => {
      const link = links.get(found.key) ?? null;
      const hash = hashOf(source.plan, found);
      const isTriggered = source.triggers.some(
        ({ selection }, at) => conditions[at]?.holds[index] && takes(selection, link, hash, running.isManual),
      );
      if (isTriggered) wanted.push({ record: found, rowNumber: row + index + 1, link, hash });
      else if (link) skipped += 1;
    });
    const { counts, renewed } = await takeRecords(tx, running, source, wanted);
    counts.unchanged += skipped;
    if (seesDeleted) {
      const met = [...links.keys()].filter((key) => !renewed.has(key));
      await runStore.markSeen(tx, run.run_id, option, met);
    }
    const poisoned = page.poisoned.map(({ key, message }) => ({
      source_key: key,
      kind: 'failed' as const,
      errors: [failure('UNREADABLE', { reason: message })],
      source_record: {},
    }));
    await runStore.insertFailures(tx, run.run_id, option, poisoned);
    counts.failed += poisoned.length;
    await runStore.advanceRun(tx, run.run_id, counts, {
      read: page.records.length + poisoned.length,
      cursor: page.cursor,
      total: page.total,
    });
    if (run.user_id !== null)
      await moveProgress(tx, run.user_id, run.notification_id, row + page.records.length);
  });
}

async function requireGoingOn(tx: Tx, runId: string): Promise<void> {
  // With a page goes the place where the next begins: a database that loses the last moments loses both.
  await execute(tx, sql`set local synchronous_commit = off`);
  const now = await runStore.lockRun(tx, runId);
  if (!now) throw new RunStopped('gone');
  if (now.is_cancel_requested) throw new RunStopped('cancelled');
}

async function takeRecords(
  tx: Tx,
  running: Running,
  source: Source,
  wanted: readonly Wanted[],
): Promise<{ counts: RunCounts; renewed: ReadonlySet<string> }> {
  const { target, run, action, context, services } = running;
  const { model } = target;
  const option = source.wired.option.id;
  const counts = { ...runStore.noCounts };
  const renewed = new Set<string>();
  // A record that came twice is looked at again once the first one stands.
  let left = [...wanted];
  while (left.length > 0) {
    const seen = new Set<string>();
    const first: Wanted[] = [];
    const again: Wanted[] = [];
    for (const one of left) {
      (seen.has(one.record.key) ? again : first).push(one);
      seen.add(one.record.key);
    }
    const { decisions, postponed } = await decide(tx, model, source.plan, first, context);
    const author = { ...running.author, at: services.now() };
    const written = await writeDecisions(tx, model, author, decisions, source.plan.uniqueFields);
    for (const [name, count] of Object.entries(written.counts)) counts[name as keyof RunCounts] += count;
    const of = {
      actionId: action.action_id,
      source: option,
      collectionId: model.collectionId,
      runId: run.run_id,
    };
    await runStore.saveLinks(tx, of, written.links);
    for (const { source_key } of written.links) renewed.add(source_key);
    await runStore.insertFailures(
      tx,
      run.run_id,
      option,
      written.failures.map(({ decision, kind, errors }) => ({
        source_key: decision.record.key,
        kind,
        errors,
        source_record: decision.record.values,
      })),
    );
    left = postponed;
    if (again.length > 0) {
      const made = new Map(written.links.map((link) => [link.source_key, link]));
      left.push(...again.map((one) => ({ ...one, link: made.get(one.record.key) ?? one.link })));
    }
  }
  return { counts, renewed };
}

/** More than this and more than a fifth of what is linked is no everyday deletion (decisions Q-TRIG-04). */
const mostDeleted = 10;

/** What is linked and was not met: its target records become pending deletes. */
async function takeDeleted(running: Running, source: Source): Promise<void> {
  const { services, run, action, target } = running;
  const option = source.wired.option.id;
  const all = await runStore.countLinks(services.pool, action.action_id, option);
  if (!running.isManual) {
    const count = await runStore.countUnseen(services.pool, run, option);
    if (count > mostDeleted && count > all / 5) throw new RunStopped('safetyStop', count);
  }
  for (let after = ''; ;) {
    const gone = await runStore.listUnseen(services.pool, run, option, { after, limit: deleteBatch });
    const last = gone.at(-1);
    if (!last) return;
    running.signal.throwIfAborted();
    await record(services.pool, async (tx) => {
      await requireGoingOn(tx, run.run_id);
      const written = await writeDeletes(tx, target.model, { ...running.author, at: services.now() }, gone);
      await runStore.removeLinks(
        tx,
        action.action_id,
        option,
        written.gone.map(({ source_key }) => source_key),
      );
      await runStore.insertFailures(
        tx,
        run.run_id,
        option,
        written.conflicts.map((link) => ({
          source_key: link.source_key,
          kind: 'conflict',
          errors: [failure('PENDING_OF_PERSON')],
          source_record: {},
        })),
      );
      const counts = { ...runStore.noCounts, deleted: written.deleted, conflicts: written.conflicts.length };
      const cursor = doneCursor;
      await runStore.advanceRun(tx, run.run_id, counts, { read: 0, cursor, total: null });
    });
    after = last.source_key;
  }
}
