import { randomUUID } from 'node:crypto';
import { fail, ODataError, type Problem } from './errors.ts';
import { entitySet, entitySets, leaves, scalarFields } from './model/model.ts';
import type { Entity, EntitySet, Field } from './model/types.ts';
import { businessProblems, compute } from './rules/business.ts';
import { checkFields, checkImmutable } from './rules/fields.ts';
import { merge, parseEntity } from './rules/values.ts';
import { column, type SqlValue, type Store, type StoredRecord } from './store.ts';

export interface WriteContext {
  store: Store;
  scope: number;
  user: string;
  now: Date;
}

function exists({ store, scope }: WriteContext) {
  return (setName: string, key: string | number): boolean => {
    const set = entitySet(setName);
    return set !== undefined && store.get(set, scope, [key]) !== undefined;
  };
}

function uniqueProblems(
  { store, scope }: WriteContext,
  set: EntitySet,
  record: Entity,
  before: Entity | null,
): Problem[] {
  return set.alternateKeys.flatMap((fields): Problem[] => {
    const values = fields.map((name) => record[name] ?? null);
    if (values.some((v) => v === null || v === '' || typeof v === 'object')) return [];
    if (before && fields.every((name) => before[name] === record[name])) return [];
    const where = [
      ...fields.map((name) => `${column(name)} = ?`),
      `NOT (${set.key.map((name) => `${column(name)} = ?`).join(' AND ')})`,
    ].join(' AND ');
    const params = [...values, ...store.keyOf(set, record)] as SqlValue[];
    const code = '4900' as const;
    return store.count(set, scope, where, params) > 0
      ? fields.map((target) => ({ code, params: {}, target }))
      : [];
  });
}

function blank(fields: readonly Field[]): Entity {
  return Object.fromEntries(
    fields.map((field) => {
      if (field.kind === 'object') return [field.name, blank(field.fields)];
      return [field.name, field.kind === 'scalar' ? (field.defaultValue ?? null) : []];
    }),
  );
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new ODataError(problems.every((p) => p.code === '4900') ? 409 : 400, problems);
}

export function createRecord(context: WriteContext, set: EntitySet, body: Entity): StoredRecord {
  if (!set.insertable) throw fail(405, 'METHOD', { method: 'POST' });
  const { store, scope, now } = context;
  const problems: Problem[] = [];
  const record = merge(blank(set.fields), parseEntity(set.fields, body, problems));
  refuse(problems);
  const [key] = set.key;
  if (set.firstNumber !== undefined && key !== undefined && (record[key] ?? '') === '') {
    // A person may have taken the number by hand.
    do {
      const next = store.nextNumber(set, scope);
      record[key] = set.numberPrefix ? `${set.numberPrefix}${next}` : next;
    } while (store.get(set, scope, store.keyOf(set, record)));
  }
  for (const field of scalarFields(set))
    if (field.type === 'Edm.Guid' && field.serverDefault) record[field.name] ??= randomUUID();
  compute(set, record);
  Object.assign(record, {
    createdAt: now.toISOString(),
    modifiedAt: now.toISOString(),
    modifiedBy: context.user,
  });
  checkFields({ fields: set.fields, record, before: null, exists: exists(context) }, problems);
  problems.push(...businessProblems({ store, scope, set, before: null, after: record }));
  if (store.get(set, scope, store.keyOf(set, record)))
    problems.push(...set.key.map((target) => ({ code: '4900' as const, params: {}, target })));
  problems.push(...uniqueProblems(context, set, record, null));
  refuse(problems);
  return { entity: record, seq: store.insert(set, scope, record) };
}

export function changeRecord(
  context: WriteContext,
  set: EntitySet,
  found: StoredRecord,
  body: Entity,
): StoredRecord {
  if (!set.updatable) throw fail(405, 'METHOD', { method: 'PATCH' });
  const { store, scope, now } = context;
  const problems: Problem[] = [];
  const before = found.entity;
  const patch = parseEntity(set.fields, body, problems);
  checkImmutable(set.fields, patch, before, problems);
  refuse(problems);
  const record = merge(before, patch);
  compute(set, record);
  Object.assign(record, { modifiedAt: now.toISOString(), modifiedBy: context.user });
  checkFields({ fields: set.fields, record, before, exists: exists(context) }, problems);
  problems.push(
    ...businessProblems({ store, scope, set, before, after: record }),
    ...uniqueProblems(context, set, record, before),
  );
  refuse(problems);
  return { entity: record, seq: store.update(set, scope, store.keyOf(set, before), record) };
}

export function removeRecord(context: WriteContext, set: EntitySet, found: StoredRecord): void {
  if (!set.deletable) throw fail(405, 'METHOD', { method: 'DELETE' });
  const { store, scope } = context;
  const key = store.keyOf(set, found.entity);
  const problems = businessProblems({ store, scope, set, before: found.entity, after: null });
  if (problems.length === 0 && key.length === 1)
    for (const other of entitySets) {
      const paths = leaves(other.fields).filter(
        ({ field }) => field.kind === 'scalar' && field.reference === set.name,
      );
      for (const { path } of paths) {
        const count = store.count(other, scope, `${column(path)} = ?`, [key[0] ?? null]);
        if (count > 0) problems.push({ code: 'USE-0409', params: { set: other.title, count } });
      }
    }
  if (problems.length > 0) throw new ODataError(409, problems);
  store.remove(set, scope, key);
}
