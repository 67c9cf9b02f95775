import { type ErrorClass, ExternalSystemError, type RecordError } from '@sluice/adapter-kit';
import pg from 'pg';
import { codeOf, connectionFailure } from '../failures.ts';
import type { Table } from '../model.ts';

/** A failure of the connection, the account or a whole statement. */
export function failure(error: unknown): ExternalSystemError {
  if (error instanceof ExternalSystemError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const make = (kind: ConstructorParameters<typeof ExternalSystemError>[0], retryable: boolean) =>
    new ExternalSystemError(kind, message, { retryable, errCode: code, cause: error });
  if (error instanceof pg.DatabaseError) {
    if (code.startsWith('28')) return make('AUTH', false);
    if (code === '3D000' || code === '42P01' || code === '3F000') return make('NOT_FOUND', false);
    if (code === '42501' || code === '25006') return make('FORBIDDEN', false);
    if (code === '53300' || code.startsWith('57P') || code.startsWith('40')) return make('SERVER', true);
    if (code === '57014') return make('TIMEOUT', true);
    return make(code.startsWith('53') || code.startsWith('58') ? 'SERVER' : 'PROTOCOL', false);
  }
  return connectionFailure(error, message, code);
}

const classes: Record<string, ErrorClass> = {
  '23505': 'unique',
  '23503': 'reference',
  '23001': 'inUse',
  '23502': 'validation',
  '23514': 'validation',
  '23P01': 'unique',
  '42501': 'forbidden',
  '25006': 'forbidden',
  '40001': 'conflict',
  '40P01': 'conflict',
  P0001: 'validation',
};

/** What PostgreSQL says of one record, and at which field. */
export function recordError(
  error: unknown,
  table: Table,
  action: 'insert' | 'update' | 'delete',
  values: ReadonlyMap<string, string | null>,
): RecordError | null {
  if (!(error instanceof pg.DatabaseError)) return null;
  const code = error.code ?? '';
  const isOfRecord = /^(21|22|23|27|2F|38|39|40|42501|25006|P0|428C9|44)/.test(code);
  if (!isOfRecord) return null;
  const msg = error.detail ? `${error.message}. ${error.detail}` : error.message;
  const errClass =
    code === '23503' && action === 'delete'
      ? 'inUse'
      : (classes[code] ?? (code.startsWith('22') ? 'validation' : 'other'));
  const field = fieldOf(error, table, values);
  const rule = code === '23502' ? { code: 4001 as const } : code === '22001' ? { code: 4102 as const } : {};
  return { errCode: code, msg, field, class: errClass, ...rule };
}

function fieldOf(
  error: pg.DatabaseError,
  table: Table,
  values: ReadonlyMap<string, string | null>,
): string | null {
  if (error.column) return error.column;
  const constraints = [...table.uniques, ...table.references, ...table.checks];
  const named =
    constraints.find(({ name }) => name === error.constraint)?.columns ??
    (error.constraint ? table.primaryKey : []);
  if (named.length > 0) return named.find((name) => values.has(name)) ?? named[0] ?? null;
  if (error.code === '22001')
    return (
      table.columns.find(
        ({ name, type }) => type.max !== undefined && [...(values.get(name) ?? '')].length > type.max,
      )?.name ?? null
    );
  // `invalid input syntax for type integer: "abc"`
  const quoted = /"([^"]*)"$/.exec(error.message)?.[1];
  const holders = [...values].filter(([, value]) => quoted !== undefined && value === quoted);
  return holders.length === 1 ? (holders[0]?.[0] ?? null) : null;
}
