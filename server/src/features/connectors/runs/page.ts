import type { Page } from '@sluice/adapter-kit';
import type { RunCounts, Trigger } from '@sluice/contract';
import type { PlanResult, RunContext } from '@sluice/mapping/engine';
import type { UserActor } from '../../../platform/actor.ts';
import { execute, sql } from '../../../platform/db.ts';
import { record, type Tx } from '../../../platform/mutate.ts';
import { moveProgress } from '../../notifications/service.ts';
import type { CollectionContext } from '../../records/context.ts';
import type { End } from '../ends.ts';
import type { ConnectorServices } from '../service.ts';
import type { ActionContent, ActionRow, ConnectorRow } from '../store.ts';
import { decide, failure, hashOf, sourceBatch, type Wanted } from './decide.ts';
import type { RunLookups } from './lookup.ts';
import * as runStore from './run-store.ts';
import type { RunRow } from './run-store.ts';
import { conditionsOf, takes } from './select.ts';
import type { Source } from './source.ts';
import { RunStopped } from './stopped.ts';
import { type RunAuthor, writeDecisions } from './write.ts';

/** A run under way in this process. */
export interface Running {
  services: ConnectorServices;
  run: RunRow;
  action: ActionRow;
  connector: ConnectorRow;
  content: ActionContent;
  actor: UserActor;
  target: CollectionContext;
  targetEnd: End;
  author: RunAuthor;
  context: RunContext;
  lookups: RunLookups;
  triggers: Trigger[];
  isManual: boolean;
  signal: AbortSignal;
  /** Runs of this process that wait for a table: they leave their place to others. */
  waiting: Set<string>;
}

/** What can be known of a page before the one before it is written. */
export interface PreparedPage {
  page: Page;
  /** How many records of the run came before. */
  row: number;
  hashes: string[];
  conditions: ReturnType<typeof conditionsOf>;
  /** What its records come to if they are all new. */
  asNew: PlanResult | null;
}

/** With `isNew` the records are mapped beforehand, as they will turn out to be if the last page's were new ones too. */
export async function preparePage(
  running: Running,
  source: Source,
  page: Page,
  { row, isNew }: { row: number; isNew: boolean },
): Promise<PreparedPage> {
  const hashes = page.records.map((found) => hashOf(source.plan, found));
  const conditions = conditionsOf(source, page.records);
  const asNew =
    isNew && !source.looksUp ? await source.plan.run(asNewBatch(source, page, row), running.context) : null;
  return { page, row, hashes, conditions, asNew };
}

function asNewBatch({ plan }: Source, { records }: Page, row: number) {
  const nothing = records.map(() => null);
  return {
    ...sourceBatch(
      plan,
      records.map((found, index) => ({ record: found, rowNumber: row + index + 1 })),
    ),
    targets: Object.fromEntries(
      [...plan.targetFields, ...plan.readTargetFields].map((field) => [field, records.map(() => undefined)]),
    ),
    targetKeys: nothing,
    isLinked: records.map(() => false),
    operations: records.map(() => 'insert' as const),
  };
}

/**
 * One page, in one transaction with the place where the next one begins: a crash neither loses nor doubles anything.
 * Answers whether most of it was new.
 */
export async function takePage(
  running: Running,
  source: Source,
  { page, row, hashes, conditions, asNew }: PreparedPage,
  { cursor, seesDeleted }: { cursor: string | null; seesDeleted: boolean },
): Promise<boolean> {
  running.signal.throwIfAborted();
  const { services, run, action } = running;
  const option = source.wired.option.id;
  return await record(services.pool, async (tx) => {
    await requireGoingOn(tx, run.run_id);
    // What cannot be read is there all the same.
    const present = [...page.records, ...page.poisoned].map(({ key }) => key);
    const links = await runStore.listLinks(tx, action.action_id, option, present);
    const wanted: Wanted[] = [];
    let skipped = 0;
    page.records.forEach((found, index) => {
      const link = links.get(found.key) ?? null;
      const hash = hashes[index] ?? '';
      const isTriggered = source.triggers.some(
        ({ selection }, at) => conditions[at]?.holds[index] && takes(selection, link, hash, running.isManual),
      );
      if (isTriggered) wanted.push({ record: found, rowNumber: row + index + 1, index, link, hash });
      else if (link) skipped += 1;
    });
    const { counts, renewed } = await takeRecords(tx, running, source, wanted, asNew);
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
    const read = page.records.length + poisoned.length;
    await runStore.advanceRun(tx, run.run_id, counts, { read, cursor, total: page.total });
    if (run.user_id !== null)
      await moveProgress(tx, run.user_id, run.notification_id, { current: row + read, total: page.total });
    tx.publish({ topic: 'job', id: run.run_id, isNew: false });
    return counts.inserted * 2 > page.records.length;
  });
}

export async function requireGoingOn(tx: Tx, runId: string): Promise<void> {
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
  asNew: PlanResult | null,
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
    const { decisions, postponed } = await decide(tx, model, source.plan, first, context, asNew);
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
