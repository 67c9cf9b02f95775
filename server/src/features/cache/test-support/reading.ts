import { isDeepStrictEqual } from 'node:util';
import type { PendingOperation } from '@sluice/contract';
import { type Field, fields, noValues, type Row, type Values } from './model.ts';

const lists = { i: 'insert', u: 'update', d: 'delete' } as const;

/** Only the entries that the other one does not have like this. */
export function differing(value: unknown, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null)
    return value;
  const others = new Map(Object.entries(other));
  return Object.fromEntries(
    Object.entries(value).filter(([name, inner]) => !isDeepStrictEqual(inner, others.get(name))),
  );
}

export const isOther = (code: string | null): boolean => code?.startsWith('PL') ?? false;

export function idOf(row: Row): string {
  if (row.id === null) throw new Error(`Row ${row.key} is not in the table`);
  return row.id;
}

export function sorted<T>(entries: readonly (readonly (string | T)[])[]): Record<string, T> {
  return Object.fromEntries(
    [...entries].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) as [string, T][],
  );
}

export const byId = (entries: readonly (readonly unknown[])[]): Record<string, unknown> => sorted(entries);

export function valuesOf(resource: Readonly<Record<string, unknown>>): Values {
  const values = { ...noValues };
  for (const field of fields) values[field] = (resource[field] ?? null) as Values[Field];
  return values;
}

export function plain(operation: PendingOperation) {
  return {
    action: operation.action,
    state: operation.state,
    isGone: operation.isGone,
    isUnknown: operation.isOutcomeUnknown,
    author: operation.action === 'update' ? null : operation.authoredBy.fullName,
    changes: sorted(
      operation.changes.map(({ fieldName, oldValue, newValue, authoredBy, theirs }) => [
        fieldName,
        {
          old: oldValue,
          new: newValue,
          author: authoredBy.fullName,
          ...(theirs === undefined ? {} : { theirs }),
        },
      ]),
    ),
    errors: operation.validationErrors.map(({ field, code }) => `${field} ${code}`).sort(),
  };
}

export function listsOf(operations: readonly PendingOperation[]) {
  const of = (action: PendingOperation['action']): string[] =>
    operations.filter((operation) => operation.action === action).map(({ id }) => id);
  return { insert: of('add'), update: of('update'), delete: of('delete') };
}

export function listsOfRows(rows: readonly Row[]) {
  const result: Record<'insert' | 'update' | 'delete', string[]> = { insert: [], update: [], delete: [] };
  for (const row of rows) if (row.operation) result[lists[row.operation.action]].push(idOf(row));
  return result;
}
