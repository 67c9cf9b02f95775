import type { ReadRecord } from '@sluice/adapter-kit';
import type { Value } from '@sluice/contract';
import { isSameValue } from '@sluice/mapping';
import {
  contentHash,
  type Plan,
  type PlanResult,
  type RecordBatch,
  type RunContext,
} from '@sluice/mapping/engine';
import { arrays, type Db, rows, sql } from '../../../platform/db.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf, textOfValue } from '../../cache/model.ts';
import { isReadOnly } from '../../pending/changes.ts';
import type { LinkRow, StoredError } from './run-store.ts';

/** What becomes of one source record; nothing of it is written yet. */
export interface Decision {
  record: ReadRecord;
  rowNumber: number;
  hash: string;
  link: LinkRow | null;
  /** The row that it is about: linked, or found by the match key; null = none yet. */
  rid: number | null;
  action: 'add' | 'update' | 'none' | 'failed';
  /** Field id -> new value: of an update only what differs. */
  values: Record<string, Value>;
  errors: StoredError[];
}

export interface Wanted {
  record: ReadRecord;
  rowNumber: number;
  link: LinkRow | null;
  hash: string;
}

/** The mapped source values in one text: what tells a changed record from an unchanged one. */
export const hashOf = (plan: Plan, record: ReadRecord): string =>
  contentHash(plan.sourceFields.map((field) => record.values[field] ?? null));

export const failure = (code: string, params: Record<string, Value> = {}): StoredError => ({
  targetField: null,
  path: '',
  fnIndex: null,
  input: null,
  code,
  params,
});

/**
 * Maps records and compares them with the target as it stands: one truth for runs, dry counts and test runs. Records
 * must have different keys; of those with equal match keys the later ones are `postponed`, because the first one may
 * make the record that the others mean.
 */
export async function decide(
  db: Db,
  model: CollectionModel,
  plan: Plan,
  wanted: readonly Wanted[],
  context: RunContext,
): Promise<{ decisions: Decision[]; postponed: Wanted[] }> {
  const linked = await existing(
    db,
    model,
    wanted.flatMap(({ link }) => link?.rid ?? []),
  );
  const isLinked = wanted.map(({ link }) => link !== null && linked.has(link.rid));
  const found = await match(
    db,
    model,
    plan,
    wanted.filter((_, index) => !isLinked[index]),
    context,
  );
  const rids = wanted.map((one, index) =>
    isLinked[index] ? (one.link?.rid ?? null) : (found.rids.get(one) ?? null),
  );
  const rest = wanted.flatMap((one, index) =>
    found.postponed.has(one) || found.errors.has(one) ? [] : [{ one, rid: rids[index] ?? null }],
  );
  const decisions = [...found.errors].map(([one, errors]): Decision => ({
    ...one,
    rid: null,
    action: 'failed',
    values: {},
    errors,
  }));
  const batch = await batchOf(db, model, plan, rest, isLinked, wanted);
  const result = await plan.run(batch, context);
  rest.forEach(({ one, rid }, row) => {
    decisions.push({ ...one, rid, ...outcome(model, plan, batch, result, row, rid) });
  });
  return { decisions, postponed: [...found.postponed] };
}

/** Which of these rows are still there. */
async function existing(db: Db, model: CollectionModel, rids: readonly number[]): Promise<Set<number>> {
  if (rids.length === 0) return new Set();
  const found = await rows<{ rid: number }>(
    db,
    sql`select rid from ${tableOf(model.collectionId)} where rid = any(${rids}::int4[])`,
  );
  return new Set(found.map(({ rid }) => rid));
}

interface Matches {
  rids: Map<Wanted, number>;
  errors: Map<Wanted, StoredError[]>;
  postponed: Set<Wanted>;
}

/** Finds the rows of records without a link by the unique fields (decisions Q-MAP-06); pending inserts count. */
async function match(
  db: Db,
  model: CollectionModel,
  plan: Plan,
  wanted: readonly Wanted[],
  context: RunContext,
): Promise<Matches> {
  const matches: Matches = { rids: new Map(), errors: new Map(), postponed: new Set() };
  const columns = plan.uniqueFields.flatMap((field) => model.byPath.get(field) ?? []);
  if (columns.length === 0 || wanted.length === 0) return matches;
  const result = await plan.matchKeys(sourceBatch(plan, wanted), context);
  for (const error of result.errors) {
    const one = wanted[error.row];
    if (one) matches.errors.set(one, [...(matches.errors.get(one) ?? []), stored(error)]);
  }
  const keyed = new Map<string, { one: Wanted; texts: (string | null)[] }>();
  wanted.forEach((one, row) => {
    if (matches.errors.has(one)) return;
    const texts = columns.map(({ path, pgType }) => textOfValue(pgType, result.columns[path]?.[row] ?? null));
    const key = JSON.stringify(texts);
    if (keyed.has(key)) matches.postponed.add(one);
    else keyed.set(key, { one, texts });
  });
  // By lists and not by a join: of a list PostgreSQL makes a hash, of a join it knows nothing about it may make a loop.
  const among = columns.map(({ fno, pgType }, at) => {
    const texts = [...keyed.values()].flatMap((asked) => asked.texts[at] ?? []);
    return sql`t.${columnOf(fno)} = any(${[...new Set(texts)]}::${sql.raw(pgType)}[])`;
  });
  const found = await arrays(
    db,
    sql`select t.rid, ${sql.join(columns.map(({ fno }) => sql`t.${columnOf(fno)}`))} from ${tableOf(model.collectionId)} t
        where ${sql.join(among, sql` and `)}
          and not (t.p and exists (select 1 from ${pendingTableOf(model.collectionId)} p where p.rid = t.rid and p.is_gone))`,
  );
  for (const [rid, ...values] of found as [number, ...Value[]][]) {
    const texts = columns.map(({ pgType }, at) => textOfValue(pgType, values[at] ?? null));
    const one = keyed.get(JSON.stringify(texts))?.one;
    if (!one) continue;
    if (matches.rids.has(one))
      matches.errors.set(one, [failure('AMBIGUOUS', { fields: plan.uniqueFields.join(', ') })]);
    matches.rids.set(one, rid);
  }
  return matches;
}

/** The records column by column. */
function sourceBatch(plan: Plan, wanted: readonly Wanted[]): RecordBatch {
  return {
    size: wanted.length,
    keys: wanted.map(({ record }) => record.key),
    columns: Object.fromEntries(
      plan.sourceFields.map((field) => [field, wanted.map(({ record }) => record.values[field] ?? null)]),
    ),
    rowNumbers: wanted.map(({ rowNumber }) => rowNumber),
  };
}

async function batchOf(
  db: Db,
  model: CollectionModel,
  plan: Plan,
  rest: readonly { one: Wanted; rid: number | null }[],
  isLinked: readonly boolean[],
  wanted: readonly Wanted[],
): Promise<RecordBatch> {
  const fields = [...new Set([...plan.targetFields, ...plan.readTargetFields])];
  const targets = await readTargets(
    db,
    model,
    fields,
    rest.flatMap(({ rid }) => rid ?? []),
  );
  const linkedOf = new Map(wanted.map((one, index) => [one, isLinked[index] ?? false]));
  return {
    ...sourceBatch(
      plan,
      rest.map(({ one }) => one),
    ),
    targets: Object.fromEntries(
      fields.map((field) => [
        field,
        rest.map(({ rid }) => (rid === null ? undefined : targets.get(rid)?.values[field])),
      ]),
    ),
    targetKeys: rest.map(({ rid }) => (rid === null ? null : (targets.get(rid)?.key ?? null))),
    isLinked: rest.map(({ one }) => linkedOf.get(one) ?? false),
    operations: rest.map(({ rid }) => (rid === null ? 'insert' : 'update')),
  };
}

/** Only the fields that are compared or read: a row with all that is pending on it costs ten times as much. */
async function readTargets(
  db: Db,
  model: CollectionModel,
  fields: readonly string[],
  rids: readonly number[],
): Promise<Map<number, { key: string | null; values: Record<string, Value> }>> {
  if (rids.length === 0) return new Map();
  const columns = fields.flatMap((field) => model.byPath.get(field) ?? []);
  const found = await arrays(
    db,
    sql`select ${sql.join([sql`rid`, sql`k`, ...columns.map(({ fno }) => columnOf(fno))])}
        from ${tableOf(model.collectionId)} where rid = any(${rids}::int4[])`,
  );
  return new Map(
    (found as [number, string | null, ...Value[]][]).map(([rid, key, ...values]) => [
      rid,
      { key, values: Object.fromEntries(columns.map(({ path }, at) => [path, values[at] ?? null])) },
    ]),
  );
}

function outcome(
  model: CollectionModel,
  plan: Plan,
  batch: RecordBatch,
  result: PlanResult,
  row: number,
  rid: number | null,
): Pick<Decision, 'action' | 'values' | 'errors'> {
  if (result.failed[row])
    return {
      action: 'failed',
      values: {},
      errors: result.errors.filter((error) => error.row === row).map(stored),
    };
  const values: Record<string, Value> = {};
  for (const field of plan.targetFields) {
    const column = model.byPath.get(field);
    if (!column || result.left[field]?.[row] || isReadOnly(column, rid === null)) continue;
    const value = result.columns[field]?.[row] ?? null;
    const current = batch.targets?.[field]?.[row] ?? null;
    if (rid === null ? value !== null : !isSameValue(current, value)) values[field] = value;
  }
  const isNothing = rid !== null && Object.keys(values).length === 0;
  return { action: isNothing ? 'none' : rid === null ? 'add' : 'update', values, errors: [] };
}

function stored({ row: _, ...error }: PlanResult['errors'][number]): StoredError {
  return error;
}

/** One record, step by step, for the test run. */
export async function traceOf(
  db: Db,
  model: CollectionModel,
  plan: Plan,
  one: Wanted,
  rid: number | null,
  context: RunContext,
): Promise<Awaited<ReturnType<Plan['trace']>>> {
  const isLinked = [one.link !== null && rid !== null && one.link.rid === rid];
  const batch = await batchOf(db, model, plan, [{ one, rid }], isLinked, [one]);
  return await plan.trace(batch, 0, context);
}
