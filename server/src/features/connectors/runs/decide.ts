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
  /** Its place among the records that were read together. */
  index: number;
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
 * make the record that the others mean. `asNew`: what all that were read together come to if they are new.
 */
export async function decide(
  db: Db,
  model: CollectionModel,
  plan: Plan,
  wanted: readonly Wanted[],
  context: RunContext,
  asNew: PlanResult | null = null,
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
    asNew,
  );
  const decisions = [...found.errors].map(([one, errors]): Decision => ({
    ...one,
    rid: null,
    action: 'failed',
    values: {},
    errors,
  }));
  const rest: { one: Wanted; rid: number | null }[] = [];
  const outcomeAsNew = asNew && outcomes(model, plan, asNew, undefined);
  wanted.forEach((one, index) => {
    if (found.postponed.has(one) || found.errors.has(one)) return;
    const rid = isLinked[index] ? (one.link?.rid ?? null) : (found.rids.get(one) ?? null);
    if (outcomeAsNew && rid === null) decisions.push({ ...one, rid, ...outcomeAsNew(one.index, rid) });
    else rest.push({ one, rid });
  });
  if (rest.length > 0) {
    const batch = await batchOf(db, model, plan, rest, isLinked, wanted);
    const outcomeOf = outcomes(model, plan, await plan.run(batch, context), batch.targets);
    rest.forEach(({ one, rid }, row) => {
      decisions.push({ ...one, rid, ...outcomeOf(row, rid) });
    });
  }
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
  asNew: PlanResult | null,
): Promise<Matches> {
  const matches: Matches = { rids: new Map(), errors: new Map(), postponed: new Set() };
  const columns = plan.uniqueFields.flatMap((field) => model.byPath.get(field) ?? []);
  if (columns.length === 0 || wanted.length === 0) return matches;
  const result = asNew ?? (await plan.matchKeys(sourceBatch(plan, wanted), context));
  const byRow = asNew ? new Map(wanted.map((one) => [one.index, one])) : null;
  const keyFields = new Set(plan.uniqueFields);
  for (const error of result.errors) {
    const one = byRow ? byRow.get(error.row) : wanted[error.row];
    if (one && keyFields.has(error.targetField))
      matches.errors.set(one, [...(matches.errors.get(one) ?? []), stored(error)]);
  }
  const keyed = new Map<string, { one: Wanted; texts: (string | null)[] }>();
  wanted.forEach((one, at) => {
    if (matches.errors.has(one)) return;
    const row = asNew ? one.index : at;
    const texts = columns.map(({ path, pgType }) => textOfValue(pgType, result.columns[path]?.[row] ?? null));
    const key = JSON.stringify(texts);
    if (keyed.has(key)) matches.postponed.add(one);
    else keyed.set(key, { one, texts });
  });
  // By lists and not by a join: of a list PostgreSQL makes a hash, of a join it knows nothing about it may make a loop.
  const among = columns.map(({ fno, pgType }, at) => {
    const texts = new Set<string>();
    for (const asked of keyed.values()) {
      const text = asked.texts[at] ?? null;
      if (text !== null) texts.add(text);
    }
    return sql`t.${columnOf(fno)} = any(${[...texts]}::${sql.raw(pgType)}[])`;
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
export function sourceBatch(
  plan: Plan,
  wanted: readonly Pick<Wanted, 'record' | 'rowNumber'>[],
): RecordBatch {
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
export async function readTargets(
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

/** What a row of a result comes to; `targets` are the values that the rows hold now. */
function outcomes(
  model: CollectionModel,
  plan: Plan,
  result: PlanResult,
  targets: RecordBatch['targets'],
): (row: number, rid: number | null) => Pick<Decision, 'action' | 'values' | 'errors'> {
  const errors = new Map<number, StoredError[]>();
  for (const error of result.errors) {
    const known = errors.get(error.row);
    if (known) known.push(stored(error));
    else errors.set(error.row, [stored(error)]);
  }
  const fields = plan.targetFields.flatMap((field) => {
    const column = model.byPath.get(field);
    if (!column) return [];
    const [forNew, forOld] = [isReadOnly(column, true), isReadOnly(column, false)];
    return [{ field, forNew, forOld, values: result.columns[field], left: result.left[field] }];
  });
  return (row, rid) => {
    if (result.failed[row]) return { action: 'failed', values: {}, errors: errors.get(row) ?? [] };
    const changed: Record<string, Value> = {};
    let isNothing = rid !== null;
    for (const { field, forNew, forOld, values, left } of fields) {
      if (left?.[row] || (rid === null ? forNew : forOld)) continue;
      const value = values?.[row] ?? null;
      if (rid === null ? value === null : isSameValue(targets?.[field]?.[row] ?? null, value)) continue;
      changed[field] = value;
      isNothing = false;
    }
    return { action: isNothing ? 'none' : rid === null ? 'add' : 'update', values: changed, errors: [] };
  };
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
