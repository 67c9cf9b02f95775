import type { ReadRecord } from '@sluice/adapter-kit';
import type {
  BodyOf,
  expectRun as expectEndpoint,
  getSamples as samplesEndpoint,
  previewLookup as lookupEndpoint,
  QueryOf,
  ReplyOf,
  testRun as testRunEndpoint,
  TestRunResult,
  Value,
} from '@sluice/contract';
import type { RunContext } from '@sluice/mapping/engine';
import { type Actor, hasRight, type UserActor } from '../../../platform/actor.ts';
import { AppError } from '../../../platform/errors.ts';
import { rowStates } from '../../pending/apply.ts';
import type { CollectionContext } from '../../records/context.ts';
import { readRows, resourceOf } from '../../records/service.ts';
import { dataEndpoint } from '../../systems/catalogue.ts';
import { externalError } from '../../systems/service.ts';
import { contentOf } from '../actions.ts';
import { callOf, describeWired, requireEnd, type Wired, wiredOf } from '../ends.ts';
import { type ConnectorServices, requireConnectorRight } from '../service.ts';
import { decide, hashOf, readTargets, traceOf, type Wanted } from './decide.ts';
import { factsOf, testRunOf } from './facts.ts';
import * as runStore from './run-store.ts';
import { lookUp, lookupOf } from './lookup.ts';
import { narrowingOf, seesDeleted, triggersOf } from './request.ts';
import { conditionsOf, takes } from './select.ts';
import { openSource, readSource, type Source } from './source.ts';
import { openTarget, requireSubject, type RunSubject } from './service.ts';
import { errorText } from './wire.ts';
import { deleteBatch, deletesOf } from './write.ts';

/** What reading for a test needs: the connectors right, and reading both collections (decisions Q-ROLE-04). */
async function requireReading(
  services: ConnectorServices,
  actor: UserActor,
  { connector }: RunSubject,
  sourceId: string,
): Promise<void> {
  requireConnectorRight(actor, 'read');
  const end = await requireEnd(services, actor, connector.source_system);
  const endpoint = dataEndpoint(end.system.system_id, sourceId);
  if (!hasRight(actor, { endpoint, action: 'read' })) throw new AppError('FORBIDDEN');
}

/** What a run would say of itself now. */
async function testContext(
  services: ConnectorServices,
  actor: UserActor,
  subject: RunSubject,
  source: Wired,
): Promise<RunContext> {
  const run = testRunOf(subject.action, actor, services.now());
  return {
    ...(await factsOf(services, actor, subject, run, source)),
    lookup: lookupOf(services, actor, subject),
  };
}

/**
 * What a manual run would do with some records, with the mappings of the screen: the same steps as a run, as far as
 * what it decides. Writing comes after that, and is not among what is called here.
 */
export async function testRun(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  body: BodyOf<typeof testRunEndpoint>,
): Promise<TestRunResult> {
  const subject = await requireSubject(services, connectorId, actionId);
  await requireReading(services, actor, subject, body.query.source);
  const target = await openTarget(services, actor, subject);
  const { model } = target;
  const end = await requireEnd(services, actor, subject.connector.source_system);
  const triggers = body.trigger ? [body.trigger] : triggersOf({ triggers: [] }, null, true);
  try {
    const source = await openSource(services, actor, end, body.query.source, target, {
      mappings: body.mappings,
      triggers,
    });
    const records = await readSome(source, actor, body.query);
    const context = await testContext(services, actor, subject, source.wired);
    const links = await runStore.listLinks(
      services.pool,
      actionId,
      body.query.source,
      records.map(({ key }) => key),
    );
    const [conditions] = conditionsOf(source, records);
    const results: TestRunResult['results'] = [];
    for (const [index, found] of records.entries()) {
      const link = links.get(found.key) ?? null;
      const one: Wanted = {
        record: found,
        rowNumber: (body.query.offset ?? 0) + index + 1,
        index,
        link,
        hash: hashOf(source.plan, found),
      };
      const selection = source.triggers[0]?.selection ?? 'all';
      const isTriggered = (conditions?.holds[index] ?? false) && takes(selection, link, one.hash, true);
      const { decisions } = await decide(services.pool, model, source.plan, [one], context);
      const [decision] = decisions;
      const rid = decision?.rid ?? null;
      const fields = await traceOf(services.pool, model, source.plan, one, rid, context);
      const [target_] = rid === null ? [] : await readRows(services.pool, model, [rid]);
      results.push({
        sourceRecord: nested(found),
        isTriggered,
        conditionResults: conditions?.results[index] ?? [],
        action: !isTriggered || !decision ? 'none' : decision.action === 'failed' ? 'none' : decision.action,
        matchedTargetId: rid === null ? null : String(rid),
        targetRecord: target_ ? resourceOf(model, target_) : null,
        fieldResults: fields.map((field) => ({
          ...field,
          error: field.error ? { ...field.error, message: errorText(field.error, model, actor) } : null,
        })),
        warnings: (decision?.errors ?? [])
          .filter(({ targetField }) => targetField === null)
          .map((error) => errorText(error, model, actor)),
      });
    }
    return { total: results.length, results };
  } catch (error) {
    throw externalError(error);
  }
}

const nested = (found: ReadRecord) => ({ internalId: found.key, ...found.values });

async function readSome(
  source: Source,
  actor: Actor,
  query: Parameters<typeof narrowingOf>[0],
): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  const limit = query?.limit ?? 10;
  const narrowing = { ...(narrowingOf(query) ?? { offset: 0 }), limit };
  const signal = AbortSignal.timeout(60_000);
  for await (const page of readSource(source, actor, {
    cursor: null,
    changedSince: null,
    narrowing,
    signal,
  })) {
    records.push(...page.records);
    if (records.length >= limit) break;
  }
  return records.slice(0, limit);
}

/** Most records that a dry count looks at: a person waits for it. */
const mostExpected = 10_000;

/** What a manual run would come to, as far as the first records tell. */
export async function expectRun(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  body: runStore.RunRequest,
): Promise<ReplyOf<typeof expectEndpoint>> {
  const subject = await requireSubject(services, connectorId, actionId);
  const target = await openTarget(services, actor, subject);
  const end = await requireEnd(services, actor, subject.connector.source_system);
  const content = contentOf(subject.action);
  const triggers = triggersOf(content, body.triggerId, true);
  const mayDelete = seesDeleted(body.query, triggers);
  const counts = { ...runStore.noCounts };
  const deleted = new Set<number>();
  let read = 0;
  let isPartial = false;
  try {
    for (const { optionId } of content.wiring.sources) {
      if (body.query?.source && body.query.source !== optionId) continue;
      await requireReading(services, actor, subject, optionId);
      const source = await openSource(services, actor, end, optionId, target, {
        mappings: content.mappings,
        triggers,
      });
      const context = await testContext(services, actor, subject, source.wired);
      const signal = AbortSignal.timeout(60_000);
      const narrowing = narrowingOf(body.query);
      const pages = readSource(source, actor, { cursor: null, changedSince: null, narrowing, signal });
      const met: string[] = [];
      for await (const page of pages) {
        const keys = page.records.map(({ key }) => key);
        // What cannot be read is there all the same.
        met.push(...keys, ...page.poisoned.map(({ key }) => key));
        const links = await runStore.listLinks(services.pool, actionId, optionId, keys);
        const [conditions] = conditionsOf(source, page.records);
        const wanted = page.records.flatMap((found, index): Wanted[] => {
          const link = links.get(found.key) ?? null;
          const hash = hashOf(source.plan, found);
          const selection = source.triggers[0]?.selection ?? 'all';
          if (!conditions?.holds[index] || !takes(selection, link, hash, true)) {
            if (link) counts.unchanged += 1;
            return [];
          }
          return [{ record: found, rowNumber: read + index + 1, index, link, hash }];
        });
        const { decisions } = await decide(services.pool, target.model, source.plan, wanted, context);
        for (const { action } of decisions) counts[countOf[action]] += 1;
        counts.failed += page.poisoned.length;
        read += page.records.length;
        isPartial = read >= mostExpected && page.cursor !== null;
        if (isPartial) break;
      }
      if (isPartial) break;
      if (mayDelete) {
        const gone = await expectDeletes(services, subject, target, optionId, { met, deleted });
        counts.conflicts += gone.conflicts;
      }
    }
  } catch (error) {
    throw externalError(error);
  }
  return {
    counts: { ...counts, deleted: mayDelete && isPartial ? null : deleted.size },
    read,
    isPartial,
  };
}

/** What a run would delete of the links of a source that was read whole; adds the rows to those `deleted` already. */
async function expectDeletes(
  services: ConnectorServices,
  { action, connector }: RunSubject,
  { model }: CollectionContext,
  source: string,
  { met, deleted }: { met: readonly string[]; deleted: Set<number> },
): Promise<{ conflicts: number }> {
  let conflicts = 0;
  for (let after = ''; ;) {
    const by = { action_id: action.action_id, keys: met };
    const links = await runStore.listUnseen(services.pool, by, source, { after, limit: deleteBatch });
    const last = links.at(-1);
    if (!last) return { conflicts };
    const states = await rowStates(
      services.pool,
      model,
      links.map(({ rid }) => rid),
    );
    const found = deletesOf(links, states, connector.technical_user_id);
    for (const rid of [...found.marks, ...found.drops]) deleted.add(rid);
    conflicts += found.conflicts.length;
    after = last.source_key;
  }
}

const countOf = { add: 'inserted', update: 'updated', none: 'unchanged', failed: 'failed' } as const;

/** Records to map over in the browser, with what their targets hold now. */
export async function getSamples(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  query: QueryOf<typeof samplesEndpoint>,
): Promise<ReplyOf<typeof samplesEndpoint>> {
  const subject = await requireSubject(services, connectorId, actionId);
  await requireReading(services, actor, subject, query.source);
  const end = await requireEnd(services, actor, subject.connector.source_system);
  try {
    const wired = wiredOf(services, actor, end, query.source);
    const { fields } = await describeWired(services, wired, actor.locale);
    const session = await services.connections.of(wired.end.domain.domain_id);
    const records: ReadRecord[] = [];
    const pages = session.read({
      ...callOf(wired, actor.locale),
      collection: wired.type.code,
      fields,
      cursor: null,
      pageSize: Math.min(session.caps.maxPage, query.limit),
    });
    for await (const page of pages) {
      records.push(...page.records);
      if (records.length >= query.limit) break;
    }
    const sample = records.slice(0, query.limit);
    const keys = sample.map(({ key }) => key);
    const linked = await linkedTargets(services, actor, subject, query.source, keys);
    return {
      keys,
      records: sample.map(({ values }) => values),
      targets: keys.map((key) => linked.get(key)?.values ?? null),
      targetKeys: keys.map((key) => linked.get(key)?.key ?? null),
      facts: await factsOf(services, actor, subject, testRunOf(subject.action, actor, services.now()), wired),
    };
  } catch (error) {
    throw externalError(error);
  }
}

async function linkedTargets(
  services: ConnectorServices,
  actor: UserActor,
  subject: RunSubject,
  source: string,
  keys: readonly string[],
): Promise<Map<string, { key: string | null; values: Record<string, Value> }>> {
  const links = await runStore.listLinks(services.pool, subject.action.action_id, source, keys);
  if (links.size === 0) return new Map();
  const { model } = await openTarget(services, actor, subject);
  const rids = [...links.values()].map(({ rid }) => rid);
  const targets = await readTargets(services.pool, model, [...model.byPath.keys()], rids);
  return new Map(
    [...links.values()].flatMap(({ source_key, rid }) => {
      const target = targets.get(rid);
      return target ? [[source_key, target] as const] : [];
    }),
  );
}

export async function previewLookup(
  services: ConnectorServices,
  actor: UserActor,
  connectorId: string,
  actionId: string,
  { keys, ...request }: BodyOf<typeof lookupEndpoint>,
): Promise<ReplyOf<typeof lookupEndpoint>> {
  requireConnectorRight(actor, 'read');
  const subject = await requireSubject(services, connectorId, actionId);
  return await lookUp(services, actor, subject.connector, request, keys);
}
