import type { FieldDescriptor, Value } from '@sluice/contract';
import { asFilled, dependenciesOf, validateFields, type Violation } from '@sluice/mapping';
import { arrays, type Db, execute, rows, sql } from '../../platform/db.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';

const chunk = 2000;

/** Rules of a collection, worked out once per schema. */
interface Rules {
  /** Fields with any rule of their own, and what those rules look at. */
  fields: FieldDescriptor[];
  needed: string[];
  /** Field -> fields whose rules look at it. */
  dependents: Map<string, FieldDescriptor[]>;
  /** Sets of fields that must be unique together (4900). */
  uniques: string[][];
  filled: ReturnType<typeof asFilled>;
}

const rulesOf = new WeakMap<CollectionModel, Rules>();

function rules(model: CollectionModel): Rules {
  const known = rulesOf.get(model);
  if (known) return known;
  const fields = model.columns
    .map(({ field }) => field)
    .filter(
      (field) =>
        field.isMandatory ||
        field.validations.length > 0 ||
        (field.options?.length ?? 0) > 0 ||
        field.format === 'url' ||
        field.mandatoryIf !== undefined ||
        (field.children?.length ?? 0) > 0,
    );
  const dependents = new Map<string, FieldDescriptor[]>();
  const needed = new Set<string>();
  for (const field of fields) {
    needed.add(field.id);
    for (const other of dependenciesOf(field)) {
      if (model.byPath.has(other)) needed.add(other);
      dependents.set(other, [...(dependents.get(other) ?? []), field]);
    }
  }
  const uniques = uniqueSets(model);
  for (const set of uniques) for (const field of set) needed.add(field);
  const filled = asFilled(model.columns.map(({ field }) => field));
  const made = { fields, needed: [...needed], dependents, uniques, filled };
  rulesOf.set(model, made);
  return made;
}

/** Sets of fields under a 4900 rule; also the columns that deserve an index. */
export function uniqueSets(model: Pick<CollectionModel, 'columns' | 'byPath'>): string[][] {
  const sets = model.columns.flatMap(({ field }) =>
    field.validations
      .filter((rule) => rule.code === 4900)
      .map((rule) =>
        Array.isArray(rule.params.fields) && rule.params.fields.length > 0
          ? rule.params.fields.map(String)
          : [field.id],
      ),
  );
  const distinct = new Map(sets.map((set) => [[...set].sort().join('\n'), set]));
  return [...distinct.values()].filter((set) => set.every((field) => model.byPath.has(field)));
}

/** Can a change of these fields make a record valid or invalid? When not, nothing needs to be read. */
export function isRuled(model: CollectionModel, paths: Iterable<string>): boolean {
  const { fields, dependents, uniques } = rules(model);
  const ruled = new Set(fields.map(({ id }) => id));
  for (const path of paths) {
    if (ruled.has(path) || dependents.has(path) || uniques.some((set) => set.includes(path))) return true;
  }
  return false;
}

/**
 * What is wrong with new records whose given values have been checked one by one (by the plan of a mapping, say): the
 * fields that are missing, and rules that look at other fields. Unique values need the other records: `sharingAdded`.
 */
export function checkerOfNew(
  model: CollectionModel,
): (values: Readonly<Record<string, Value>>) => Violation[] | null {
  const { fields, filled } = rules(model);
  const withOthers = fields.filter((field) => dependenciesOf(field).length > 0);
  const missing = fields.flatMap((field) => {
    if (withOthers.includes(field)) return [];
    const violations = validateFields([field], () => null, { isNew: true });
    return violations.length > 0 ? [{ path: field.id, violations }] : [];
  });
  return (values) => {
    const found: Violation[] = [];
    for (const { path, violations } of missing)
      if ((values[path] ?? null) === null) found.push(...violations);
    if (withOthers.length > 0)
      found.push(
        ...validateFields(
          withOthers,
          filled((path) => values[path] ?? null),
          { isNew: true },
        ),
      );
    return found.length > 0 ? found : null;
  };
}

/**
 * Added rows that share a unique value with other rows, and those of the others that are pending: both must be checked.
 * `written`: the fields that the added rows have; `matched`: fields of which it is known that no other row has their
 * values together.
 */
export async function sharingAdded(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
  { written, matched }: { written: ReadonlySet<string>; matched: readonly string[] },
): Promise<number[]> {
  const sharing = new Set<number>();
  for (const set of rules(model).uniques) {
    // Of nothing there may be many.
    if (set.some((path) => !written.has(path))) continue;
    if (matched.length > 0 && matched.every((path) => set.includes(path))) continue;
    const columns = set.flatMap((path) => model.byPath.get(path) ?? []);
    const isEqual = columns.map(({ fno }) => sql`other.${columnOf(fno)} = own.${columnOf(fno)}`);
    const table = tableOf(model.collectionId);
    const found = await rows<{ own: number; other: number; p: boolean }>(
      db,
      sql`select own.rid as own, other.rid as other, other.p from ${table} own
            join ${table} other on ${sql.join(isEqual, sql` and `)} and other.rid <> own.rid
          where own.rid = any(${rids}::int4[])`,
    );
    for (const { own, other, p } of found) {
      sharing.add(own);
      if (p) sharing.add(other);
    }
  }
  return [...sharing];
}

/** Checks the pending operations of these rows again and stores what is wrong with them. */
export async function revalidate(db: Db, model: CollectionModel, rids: readonly number[]): Promise<void> {
  // After an undo or a discard most of them have no operation any more.
  const pending = rids.length > chunk ? await pendingAmong(db, model, rids) : rids;
  for (let at = 0; at < pending.length; at += chunk)
    await revalidateChunk(db, model, pending.slice(at, at + chunk));
}

async function pendingAmong(db: Db, model: CollectionModel, rids: readonly number[]): Promise<number[]> {
  const found = await rows<{ rid: number }>(
    db,
    sql`select rid from ${pendingTableOf(model.collectionId)} where rid = any(${rids}::int4[])`,
  );
  return found.map(({ rid }) => rid);
}

/**
 * Checks these rows again and all that share a unique value with them, now or `before` the write that changed them.
 * Answers all of them.
 */
export async function revalidateSharing(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
  before: readonly number[],
): Promise<number[]> {
  const concerned = [...new Set([...rids, ...before, ...(await sharersOf(db, model, rids))])];
  await revalidate(db, model, concerned);
  return concerned;
}

async function revalidateChunk(db: Db, model: CollectionModel, rids: readonly number[]): Promise<void> {
  const { needed } = rules(model);
  const pendingTable = pendingTableOf(model.collectionId);
  const columns = needed.flatMap((path) => model.byPath.get(path) ?? []);
  const selected = columns.map(({ fno }) => sql`t.${columnOf(fno)}`);
  const found = await arrays(
    db,
    sql`select p.rid, p.action, p.cells, p.invalid, t.bad ${selected.length > 0 ? sql`, ${sql.join(selected)}` : sql``}
        from ${pendingTable} p join ${tableOf(model.collectionId)} t using (rid)
        where p.rid = any(${rids}::int4[])`,
  );
  const taken = await findTaken(db, model, rids);
  const changes: { rid: number; invalid: string | null }[] = [];
  for (const [rid, action, cells, invalid, , ...values] of found as [
    number,
    'u' | 'i' | 'd',
    Cells,
    unknown,
    unknown,
    ...Value[],
  ][]) {
    const byPath = new Map(columns.map((column, index) => [column.path, values[index] ?? null]));
    const violations = action === 'd' ? [] : violationsOf(model, action, cells, byPath);
    if (action !== 'd') violations.push(...(taken.get(rid) ?? []));
    const next = violations.length > 0 ? JSON.stringify(violations) : null;
    if (next !== (invalid === null ? null : JSON.stringify(invalid))) changes.push({ rid, invalid: next });
  }
  if (changes.length === 0) return;
  await execute(
    db,
    sql`update ${pendingTable} p set invalid = v.invalid::jsonb
        from unnest(${changes.map(({ rid }) => rid)}::int4[], ${changes.map(({ invalid }) => invalid)}::text[]) v(rid, invalid)
        where p.rid = v.rid`,
  );
}

function violationsOf(
  model: CollectionModel,
  action: 'u' | 'i',
  cells: Cells,
  values: ReadonlyMap<string, Value>,
): Violation[] {
  const { fields, dependents, filled } = rules(model);
  const valueOf = (path: string): Value | undefined => values.get(path);
  if (action === 'i') return validateFields(fields, filled(valueOf), { isNew: true });
  const changed = Object.keys(cells).flatMap((fno) => model.byFno.get(Number(fno))?.path ?? []);
  const touched = new Set(changed);
  const looking = changed.flatMap((path) => dependents.get(path) ?? []);
  const concerned = fields.filter((field) => touched.has(field.id) || looking.includes(field));
  return validateFields(concerned, valueOf, { isNew: false });
}

/** 4900: rows among the given ones whose values another record has already, in the cache or pending. */
async function findTaken(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
): Promise<Map<number, Violation[]>> {
  const result = new Map<number, Violation[]>();
  for (const set of rules(model).uniques) {
    const columns = set.flatMap((path) => model.byPath.get(path) ?? []);
    const keys = columns.map(({ fno }) => String(fno));
    const isEqual = columns.map(({ fno }) => sql`other.${columnOf(fno)} = own.${columnOf(fno)}`);
    const table = tableOf(model.collectionId);
    const pendingTable = pendingTableOf(model.collectionId);
    const twice = await rows<{ rid: number }>(
      db,
      sql`select own.rid from ${table} own join ${pendingTable} p using (rid)
          where own.rid = any(${rids}::int4[]) and (p.action = 'i' or p.action = 'u' and p.cells ?| ${keys}::text[])
            and exists (select 1 from ${table} other left join ${pendingTable} q on q.rid = other.rid
                        where ${sql.join(isEqual, sql` and `)} and other.rid <> own.rid and q.action is distinct from 'd')`,
    );
    for (const { rid } of twice) {
      const violations = result.get(rid) ?? [];
      violations.push({ field: set[0] ?? '', code: 4900, params: { fields: set } });
      result.set(rid, violations);
    }
  }
  return result;
}

/**
 * Pending rows with a unique value of their own: another record that comes or goes makes them right or wrong. Cells of
 * what a run adds are not listed: of those the ones that are wrong, or that there is a like record of by now.
 */
export async function uniquePending(db: Db, model: CollectionModel): Promise<number[]> {
  const sets = rules(model).uniques.map((set) => set.flatMap((path) => model.byPath.get(path) ?? []));
  const fnos = sets.flat().map(({ fno }) => String(fno));
  if (fnos.length === 0) return [];
  const [table, pendingTable] = [tableOf(model.collectionId), pendingTableOf(model.collectionId)];
  const like = sets.map((columns) => {
    const isEqual = columns.map(({ fno }) => sql`other.${columnOf(fno)} = own.${columnOf(fno)}`);
    return sql`select own.rid from ${pendingTable} p join ${table} own using (rid)
                 join ${table} other on ${sql.join(isEqual, sql` and `)} and other.rid <> own.rid
               where p.action = 'i'`;
  });
  const found = await rows<{ rid: number }>(
    db,
    sql`select rid from ${pendingTable} where cells ?| ${fnos}::text[] or action = 'i' and invalid is not null
        union ${sql.join(like, sql` union `)} order by rid`,
  );
  return found.map(({ rid }) => rid);
}

/** Pending rows that share a unique value with one of these rows: they must be checked again together. */
export async function sharersOf(db: Db, model: CollectionModel, rids: readonly number[]): Promise<number[]> {
  const sharers = new Set<number>();
  for (const set of rules(model).uniques) {
    const columns = set.flatMap((path) => model.byPath.get(path) ?? []);
    const isEqual = columns.map(({ fno }) => sql`other.${columnOf(fno)} = own.${columnOf(fno)}`);
    const table = tableOf(model.collectionId);
    const found = await rows<{ rid: number }>(
      db,
      sql`select distinct other.rid from ${table} own join ${table} other on ${sql.join(isEqual, sql` and `)} and other.rid <> own.rid
          where own.rid = any(${rids}::int4[]) and other.p`,
    );
    for (const { rid } of found) sharers.add(rid);
  }
  return [...sharers];
}
