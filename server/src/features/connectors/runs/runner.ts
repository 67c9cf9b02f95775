import { setTimeout as sleep } from 'node:timers/promises';
import { ExternalSystemError, type Page } from '@sluice/adapter-kit';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import { record } from '../../../platform/mutate.ts';
import { noteMatchedColumns } from '../../records/column-indexes.ts';
import { openCached } from '../../records/context.ts';
import { callOf, requireEnd, wiredOf } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import { failure } from './decide.ts';
import { requireFit } from './drift.ts';
import { factsOf } from './facts.ts';
import { finishRun } from './finish.ts';
import { withLookupsRead } from './lookup-reading.ts';
import { lookupOf, RunLookups } from './lookup.ts';
import { type PreparedPage, preparePage, requireGoingOn, type Running, takePage } from './page.ts';
import { narrowingOf, seesDeleted, triggersOf } from './request.ts';
import * as runStore from './run-store.ts';
import type { RunRow } from './run-store.ts';
import { openSource, readSource, type Source } from './source.ts';
import { RunStopped } from './stopped.ts';
import { findRunAction, technicalActor } from './subject.ts';
import { deleteBatch, writeDeletes } from './write.ts';

const lockSpace = 716_253_010;
const backoffMs = [1000, 4000, 16_000];

/** Runs that are at work at once; those that wait for a table leave their place to others. */
const atWork = 2;
/** With those that wait: each keeps a connection to the database for its lock. */
const mostOpen = 4;

export function startRunLoop(services: ConnectorServices): Loop {
  const waiting = new Set<string>();
  return startLoop({
    name: 'Run',
    everyMs: 2000,
    concurrency: mostOpen,
    log: services.log,
    find: async (limit) => await runStore.listOpenRuns(services.pool, limit),
    keyOf: ({ run_id }) => run_id,
    mayBegin: (_, running) => running.filter(({ run_id }) => !waiting.has(run_id)).length < atWork,
    run: async ({ run_id }, signal) => await continueRun(services, run_id, { signal, waiting }),
  });
}

interface Working {
  signal: AbortSignal;
  /** Runs of this process that wait for a table. */
  waiting: Set<string>;
}

/** Takes a run to its end from where it stands; does nothing where another worker has it. */
async function continueRun(services: ConnectorServices, runId: string, working: Working): Promise<void> {
  const lock = await services.pool.connect();
  try {
    const taken = await lock.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as taken',
      [lockSpace, runId],
    );
    if (!taken.rows[0]?.taken) return;
    const run = await runStore.findRun(services.pool, runId);
    if (!run || run.finished_at !== null) return;
    const problem = await attempt(services, run, working);
    await finishRun(services, runId, problem);
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
  }
}

/** Answers why the run ended badly, or null; throws what should be tried again later (a stopping process). */
async function attempt(services: ConnectorServices, run: RunRow, working: Working): Promise<unknown> {
  try {
    // Fixed once: after a crash the run goes on with the values that it began with.
    const startedAt = run.started_at === null ? services.now() : new Date(run.started_at);
    await record(services.pool, async (tx) => {
      await runStore.updateRun(tx, run.run_id, { status: 'RUNNING', started_at: startedAt });
      tx.publish({ topic: 'systems' });
      tx.publish({ topic: 'job', id: run.run_id, isNew: false });
    });
    const running = await prepare(services, { ...run, started_at: startedAt.toISOString() }, working);
    await readAll(running);
    return null;
  } catch (error) {
    if (working.signal.aborted) throw error;
    if (!(error instanceof RunStopped)) services.log.warn('A run failed', { runId: run.run_id, error });
    return error;
  }
}

/** What is the same for all sources. */
type Prepared = Omit<Running, 'context'>;

async function prepare(
  services: ConnectorServices,
  run: RunRow,
  { signal, waiting }: Working,
): Promise<Prepared> {
  const subject = await findRunAction(services.pool, run);
  if (!subject) throw new RunStopped('gone');
  const { action, connector, content } = subject;
  const actor = await technicalActor(services.pool, connector);
  const end = await requireEnd(services, actor, connector.target_system);
  const [wiredTarget] = content.wiring.targets;
  const { option } = wiredOf(services, actor, end, wiredTarget?.optionId ?? '');
  const target = await openCached(services, actor, option.path);
  const isManual = run.kind !== 'scheduled';
  const lookups = new RunLookups(services.now());
  return {
    services,
    run,
    action,
    connector,
    content,
    actor,
    target,
    targetEnd: end,
    author: {
      userId: actor.userId,
      at: services.now(),
      runId: run.run_id,
      actionId: action.action_id,
      run: { connector: connector.name, action: action.name, number: run.number },
    },
    lookups,
    triggers: triggersOf(content, run.request.triggerId, isManual),
    isManual,
    signal,
    waiting,
  };
}

async function readAll(running: Prepared): Promise<void> {
  const { services, run, content } = running;
  const end = await requireEnd(services, running.actor, running.connector.source_system);
  await requireFit(services, running, end);
  for (let index = run.source_index; index < content.wiring.sources.length; index += 1) {
    const optionId = content.wiring.sources[index]?.optionId ?? '';
    const { query } = run.request;
    if (query?.source && query.source !== optionId) continue;
    const source = await openSource(services, running.actor, end, optionId, running.target, {
      mappings: content.mappings,
      triggers: running.triggers,
    });
    await noteMatchedColumns(services.pool, running.target.model, source.plan.uniqueFields);
    const { action, connector, actor, lookups } = running;
    const context = {
      ...(await factsOf(
        services,
        actor,
        { connector, action: { ...action, ...content } },
        run,
        source.wired,
      )),
      lookup: lookupOf(services, actor, { connector }, lookups),
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
  const mayDelete = seesDeleted(run.request.query, running.triggers);
  const changedSince = mayDelete || running.isManual ? null : sinceOf(running, source);
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
        // Total of the run: what the sources before this one had, and this one.
        const before = row;
        let isNew = false;
        const prepare = async (read: Page): Promise<PreparedPage> => {
          const records = read.records.slice(toPass);
          toPass = Math.max(0, toPass - read.records.length);
          const total = read.total === null || narrowing || cursor !== null ? null : before + read.total;
          const page = { ...read, records, total };
          const at = row;
          row += records.length + page.poisoned.length;
          return await preparePage(running, source, page, { row: at, isNew });
        };
        for await (const prepared of ahead(pages, prepare)) {
          const { page } = prepared;
          taken += page.records.length;
          const at = narrowing
            ? takenPrefix + String(taken)
            : page.cursor === null
              ? doneCursor
              : cursorPrefix + page.cursor;
          isNew = await withLookupsRead(
            running,
            async () => await takePage(running, source, prepared, { cursor: at, seesDeleted: mayDelete }),
          );
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
  if (mayDelete) await takeDeleted(running, source);
}

/** The next page is read and prepared while the caller writes the last. */
async function* ahead<T>(
  pages: AsyncGenerator<Page>,
  prepare: (page: Page) => Promise<T>,
): AsyncGenerator<T, void, undefined> {
  const pull = async (): Promise<{ prepared: T } | null> => {
    const { done, value } = await pages.next();
    return done ? null : { prepared: await prepare(value) };
  };
  let next = pull();
  try {
    for (;;) {
      const now = await next;
      if (now === null) return;
      next = pull();
      // Thrown when it is waited for.
      next.catch(() => undefined);
      yield now.prepared;
    }
  } finally {
    await next.catch(() => undefined);
    await pages.return(undefined);
  }
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
  let row = (await runStore.findRun(services.pool, run.run_id))?.current ?? 0;
  // The place where a process died is one in the source that it was at.
  for (let after = index === run.source_index ? Number(run.cursor ?? 0) : 0; ;) {
    const failed = await runStore.listFailedKeys(services.pool, retryOf, source.wired.option.id, {
      after,
      limit: 500,
    });
    const last = failed.at(-1);
    if (!last) return;
    const records = await source.session.readByKeys({
      ...callOf(source.wired, running.actor.locale, 'cache'),
      signal: running.signal,
      collection: source.wired.type.code,
      fields: source.fields,
      keys: [...new Set(failed.map(({ source_key }) => source_key))],
    });
    const page = { records, poisoned: [], cursor: null, total: null };
    const prepared = await preparePage(running, source, page, { row, isNew: false });
    const place = { cursor: String(last.seq), seesDeleted: false };
    await withLookupsRead(running, async () => await takePage(running, source, prepared, place));
    row += records.length;
    after = last.seq;
  }
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
