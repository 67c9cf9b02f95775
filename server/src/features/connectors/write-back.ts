import { ExternalSystemError, type Outcome, type Session } from '@sluice/adapter-kit';
import type { Mapping, SourceUpdateConfigs, Value } from '@sluice/contract';
import { compilePlan, type RecordBatch } from '@sluice/mapping/engine';
import { type Db, execute, rows, sql } from '../../platform/db.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { record } from '../../platform/mutate.ts';
import type { PushItem } from '../push/store.ts';
import { modelOf } from '../records/context.ts';
import { contentOf } from './actions.ts';
import { describeWired, requireEnd, type Wired, wiredOf } from './ends.ts';
import { hashOf, readTargets } from './runs/decide.ts';
import { factsOf } from './runs/facts.ts';
import { lookupOf } from './runs/lookup.ts';
import { findRun, renewHashes } from './runs/run-store.ts';
import { technicalActor } from './runs/subject.ts';
import type { ConnectorServices } from './service.ts';
import { type ActionRow, type ConnectorRow, findConnector } from './store.ts';
import { mappingProblem, type Problem, problemOf, rejection, unanswered } from './write-back-problem.ts';

/** Seconds between the attempts of a write-back; after the last it is an error that a person looks at. */
const pausesS = [30, 120, 600, 3600];

/**
 * Outcomes of ended pushes become source updates of the actions whose records were in them: also days after the run,
 * and only once, because a push is told in the transaction that plans them (decisions Q-SUC-01).
 */
async function tellPushes(services: ConnectorServices): Promise<number> {
  return await record(services.pool, async (tx) => {
    const told = await rows<{ push_id: string }>(
      tx,
      sql`update push set is_told = true where push_id in (
            select push_id from push where finished_at is not null and not is_told order by finished_at limit 50 for update skip locked)
          returning push_id`,
    );
    const ids = told.map(({ push_id }) => push_id);
    if (ids.length === 0) return 0;
    await execute(
      tx,
      sql`insert into source_update (action_id, source_option, source_key, push_id, seq, run_id)
          select l.action_id, l.source_option, l.source_key, i.push_id, i.seq, l.run_id
          from push_item i join link l on l.collection_id = i.collection_id and l.rid = i.rid
            join action a on a.action_id = l.action_id
          where i.push_id = any(${ids}::uuid[]) and i.state in ('succeeded', 'rejected', 'conflict')
            and a.source_updates -> (case i.action when 'i' then 'onPost' when 'u' then 'onPatch' else 'onDelete' end)
              -> (case i.state when 'succeeded' then 'success' else 'failure' end) not in ('[]', 'null')
          on conflict do nothing`,
    );
    return ids.length;
  });
}

interface Waiting {
  source_update_id: number;
  action_id: string;
  source_option: string;
  source_key: string;
  push_id: string;
  seq: number;
  run_id: string | null;
  attempts: number;
}

export function startWriteBackLoop(services: ConnectorServices): Loop {
  return startLoop({
    name: 'Source updates',
    everyMs: 3000,
    concurrency: 1,
    log: services.log,
    find: async () => {
      await tellPushes(services);
      return await rows<{ action_id: string }>(
        services.pool,
        sql`select distinct action_id from source_update where state = 'waiting' and next_at <= ${services.now()} limit 10`,
      );
    },
    keyOf: ({ action_id }) => action_id,
    run: async ({ action_id }, signal) => await writeBack(services, action_id, signal),
  });
}

const lockSpace = 716_253_011;

async function writeBack(services: ConnectorServices, actionId: string, signal: AbortSignal): Promise<void> {
  const lock = await services.pool.connect();
  try {
    const taken = await lock.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as taken',
      [lockSpace, actionId],
    );
    if (!taken.rows[0]?.taken) return;
    for (;;) {
      signal.throwIfAborted();
      const waiting = await rows<Waiting>(
        services.pool,
        sql`select * from source_update where action_id = ${actionId} and state = 'waiting' and next_at <= ${services.now()}
            order by source_update_id limit 200`,
      );
      if (waiting.length === 0) return;
      await writeGroup(services, actionId, waiting);
    }
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    lock.release();
  }
}

interface Ended {
  waiting: Waiting;
  /** Null: it is done, or there is nothing to do any more. */
  problem: Problem | null;
  isFinal: boolean;
  /** The source has it now. */
  isWritten: boolean;
}

/** Its source record, or what was pushed, is gone. */
const needless = { problem: null, isFinal: true, isWritten: false };

/** Records of one run whose updates are of the same kind go to the source in one call. */
async function writeGroup(
  services: ConnectorServices,
  actionId: string,
  waiting: readonly Waiting[],
): Promise<void> {
  const [action] = await rows<ActionRow>(
    services.pool,
    sql`select * from action where action_id = ${actionId}`,
  );
  const connector = action ? await findConnector(services.pool, action.connector_id) : null;
  if (!action || !connector) return;
  const items = await itemsOf(services.pool, waiting);
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const item = items.get(`${one.push_id}.${one.seq}`);
    const name = item
      ? `${one.source_option} ${item.action} ${item.state === 'succeeded'} ${one.run_id}`
      : '';
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  for (const [name, group] of groups) {
    const ended =
      name === ''
        ? group.map((one): Ended => ({ waiting: one, ...needless }))
        : await writeOne(services, { action, connector }, group, items).catch((error: unknown) => {
            const isFinal = error instanceof ExternalSystemError ? !error.retryable : false;
            const problem = problemOf(error);
            return group.map((one): Ended => ({ waiting: one, problem, isFinal, isWritten: false }));
          });
    await settle(services, ended);
  }
}

async function itemsOf(db: Db, waiting: readonly Waiting[]): Promise<Map<string, PushItem>> {
  const found = await rows<PushItem>(
    db,
    sql`select i.* from push_item i join unnest(${waiting.map(({ push_id }) => push_id)}::uuid[], ${waiting.map(({ seq }) => seq)}::int4[])
          v(push_id, seq) on v.push_id = i.push_id and v.seq = i.seq`,
  );
  return new Map(found.map((item) => [`${item.push_id}.${item.seq}`, item]));
}

const operationOf = { i: 'insert', u: 'update', d: 'delete' } as const;

const configOf = (configs: SourceUpdateConfigs, item: PushItem): Mapping[] => {
  const of = item.action === 'i' ? configs.onPost : item.action === 'u' ? configs.onPatch : configs.onDelete;
  return item.state === 'succeeded' ? of.success : of.failure;
};

async function writeOne(
  services: ConnectorServices,
  { action, connector }: { action: ActionRow; connector: ConnectorRow },
  group: readonly Waiting[],
  items: ReadonlyMap<string, PushItem>,
): Promise<Ended[]> {
  const [first] = group;
  const itemOf = (one: Waiting): PushItem | undefined => items.get(`${one.push_id}.${one.seq}`);
  const firstItem = first && itemOf(first);
  if (!first || !firstItem) return [];
  const actor = await technicalActor(services.pool, connector);
  const end = await requireEnd(services, actor, connector.source_system);
  const wired = wiredOf(services, actor, end, first.source_option);
  const { fields } = await describeWired(services, wired, actor.locale);
  const session = await services.connections.of(wired.end.domain.domain_id);
  const model = await modelOf(services.pool, firstItem.collection_id);
  const call = callTo(wired, actor.locale);
  const keys = [...new Set(group.map(({ source_key }) => source_key))];
  const live = await session.readByKeys({ ...call, collection: wired.type.code, fields, keys });
  const byKey = new Map(live.map((found) => [found.key, found]));
  const content = contentOf(action);
  const mappings = configOf(content.sourceUpdateConfigs, firstItem);
  // Here the source record is what is written to; the target as it stands after the write is what is read.
  const plan = compilePlan({
    mappings,
    sourceOptionId: first.source_option,
    sourceFields: fields,
    targetFields: model.fields.EN,
    writtenFields: fields,
    zone: services.timeZone,
    path: 'sourceUpdateConfigs',
  });
  const there = group.filter(({ source_key }) => byKey.has(source_key));
  const gone = group
    .filter(({ source_key }) => !byKey.has(source_key))
    .map((one): Ended => ({ waiting: one, ...needless }));
  const rids = there.map((one) => itemOf(one)?.rid ?? 0);
  const targets = await readTargets(services.pool, model, [...model.byPath.keys()], rids);
  const column = (read: (one: Waiting, index: number) => Value): Value[] => there.map(read);
  const targetValues = there.map((one) => {
    const item = itemOf(one);
    return targets.get(item?.rid ?? 0)?.values ?? { ...item?.before, ...item?.payload };
  });
  const batch: RecordBatch = {
    size: there.length,
    keys: there.map(({ source_key }) => source_key),
    columns: Object.fromEntries(
      plan.sourceFields.map((field) => [
        field,
        column(({ source_key }) => byKey.get(source_key)?.values[field] ?? null),
      ]),
    ),
    targets: Object.fromEntries(
      plan.readTargetFields.map((field) => [field, targetValues.map((values) => values[field] ?? null)]),
    ),
    targetKeys: rids.map((rid) => targets.get(rid)?.key ?? null),
    operations: there.map((one) => operationOf[itemOf(one)?.action ?? 'u']),
    outcomes: there.map((one) => {
      const item = itemOf(one);
      const [error] = item?.errors ?? [];
      return {
        status: item?.state === 'succeeded' ? 'succeeded' : 'rejected',
        errorCode: error?.errCode ?? null,
        errorText: (item?.errors ?? []).map(({ msg }) => msg).join(' ') || null,
        createdKey: item?.new_key ?? null,
      };
    }),
  };
  const run = first.run_id === null ? null : await findRun(services.pool, first.run_id);
  const result = await plan.run(batch, {
    ...(await factsOf(services, actor, { connector, action }, run, wired)),
    now: services.now().toISOString(),
    lookup: lookupOf(services, actor, { connector }),
  });
  const ops = there.flatMap((one, row) => {
    const values = Object.fromEntries(
      plan.targetFields.flatMap((field): [string, Value][] =>
        result.left[field]?.[row] ? [] : [[field, result.columns[field]?.[row] ?? null]],
      ),
    );
    return result.failed[row]
      ? []
      : [
          {
            one,
            op: {
              opId: String(one.source_update_id),
              action: 'update' as const,
              key: one.source_key,
              values,
              version: null,
            },
          },
        ];
  });
  const failed = there.flatMap((one, row): Ended[] =>
    result.failed[row]
      ? [
          {
            waiting: one,
            problem: mappingProblem(
              result.errors.find((error) => error.row === row),
              fields,
            ),
            isFinal: true,
            isWritten: false,
          },
        ]
      : [],
  );
  const outcomes = await writeInCalls(
    session,
    { ...call, collection: wired.type.code, fields },
    ops.map(({ op }) => op),
  );
  const ended = ops.map(({ one }): Ended => endedOf(one, outcomes.get(String(one.source_update_id))));
  const done = ended
    .filter(({ problem }) => problem === null)
    .map(({ waiting: { source_key } }) => source_key);
  await rememberOwn(services, { action, wired, session }, first.source_option, done, fields);
  return [...gone, ...failed, ...ended];
}

function callTo({ end, type }: Wired, locale: 'EN' | 'NL') {
  return {
    levels: type.number_of_levels > 1 && end.company ? [end.company.company_id] : [],
    locale,
    callClass: 'push' as const,
    signal: AbortSignal.timeout(180_000),
  };
}

type Call = Parameters<Session['write']>[0];

async function writeInCalls(
  session: Session,
  call: Omit<Call, 'ops'>,
  ops: Call['ops'],
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const { size } = session.caps.batch;
  // An update that is made twice comes to the same: what an answer leaves open is simply written again.
  const step = session.caps.batch.atomicity === 'perCall' ? 1 : size;
  for (let at = 0; at < ops.length; at += step)
    for (const outcome of await session.write({ ...call, ops: ops.slice(at, at + step) }))
      outcomes.set(outcome.opId, outcome);
  return outcomes;
}

function endedOf(waiting: Waiting, outcome: Outcome | undefined): Ended {
  if (outcome?.state === 'done') return { waiting, problem: null, isFinal: true, isWritten: true };
  if (outcome?.state === 'gone') return { waiting, ...needless };
  if (outcome?.state === 'rejected')
    return { waiting, problem: rejection(outcome.errors), isFinal: true, isWritten: false };
  return { waiting, problem: unanswered(outcome), isFinal: false, isWritten: false };
}

/** What was written back is no change of the source that the action has to follow (decisions Q-SUC-02). */
async function rememberOwn(
  services: ConnectorServices,
  { action, wired, session }: { action: ActionRow; wired: Wired; session: Session },
  source: string,
  keys: readonly string[],
  fields: Parameters<Session['readByKeys']>[0]['fields'],
): Promise<void> {
  if (keys.length === 0) return;
  const content = contentOf(action);
  const plan = compilePlan({
    mappings: content.mappings,
    sourceOptionId: source,
    sourceFields: fields,
    targetFields: fields,
    zone: services.timeZone,
  });
  const live = await session.readByKeys({
    ...callTo(wired, 'EN'),
    collection: wired.type.code,
    fields,
    keys,
  });
  await renewHashes(
    services.pool,
    { actionId: action.action_id, source },
    live.map((found) => ({ source_key: found.key, hash: hashOf(plan, found) })),
  );
}

async function settle(services: ConnectorServices, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const now = services.now().getTime();
  const next = ended.map(({ waiting, problem, isFinal, isWritten }) => {
    const pause = pausesS[waiting.attempts];
    const state = problem === null ? 'done' : isFinal || pause === undefined ? 'failed' : 'waiting';
    const message = problem && JSON.stringify(problem.text);
    // Of one that is tried no more: when it failed.
    const at = new Date(state === 'waiting' ? now + (pause ?? 0) * 1000 : now);
    return { id: waiting.source_update_id, state, message, sort: problem?.sort ?? '', at, isWritten };
  });
  await execute(
    services.pool,
    sql`with settled as (
          update source_update u set state = v.state, message = v.message::jsonb, attempts = attempts + 1, next_at = v.at,
            sort = v.sort, alerted_at = case when u.sort = v.sort then u.alerted_at end
          from unnest(${next.map(({ id }) => id)}::int8[], ${next.map(({ state }) => state)}::text[],
            ${next.map(({ message }) => message)}::text[], ${next.map(({ sort }) => sort)}::text[],
            ${next.map(({ at }) => at.toISOString())}::timestamptz[], ${next.map(({ isWritten }) => isWritten)}::boolean[])
            v(id, state, message, sort, at, is_written)
          where u.source_update_id = v.id returning u.run_id, v.is_written
        )
        update run r set written_back = r.written_back + s.n
        from (select run_id, count(*)::int as n from settled where is_written group by run_id) s where r.run_id = s.run_id`,
  );
}
