import { type ErrorClass, ExternalSystemError, type RecordError } from '@sluice/adapter-kit';
import type { ValidationCode } from '@sluice/contract';
import { codeOf, connectionFailure } from '../failures.ts';
import type { Table } from '../model.ts';

const numberOf = (error: unknown): number =>
  error instanceof Error && 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;

/** A failure of the connection, the account or a whole statement. */
export function failure(error: unknown): ExternalSystemError {
  if (error instanceof ExternalSystemError) return error;
  const number = numberOf(error);
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const make = (kind: ConstructorParameters<typeof ExternalSystemError>[0], retryable: boolean) =>
    new ExternalSystemError(kind, message, { retryable, errCode: code, cause: error });
  if ([1044, 1045, 1698, 1862].includes(number)) return make('AUTH', false);
  if ([1049, 1146].includes(number)) return make('NOT_FOUND', false);
  if ([1142, 1143, 1227, 1290, 1792].includes(number)) return make('FORBIDDEN', false);
  if ([1040, 1203, 1053, 1205, 1213].includes(number)) return make('SERVER', true);
  if ([1317, 1969, 3024].includes(number)) return make('TIMEOUT', true);
  if (code === 'PROTOCOL_CONNECTION_LOST') return make('UNREACHABLE', true);
  if (number >= 1000) return make('PROTOCOL', false);
  return connectionFailure(error, message, code);
}

interface Rule {
  class: ErrorClass;
  code?: ValidationCode;
  /** Where the message names the column, or (`key`) an index or a constraint. */
  column?: RegExp;
  key?: RegExp;
}

const column = /column '(?:[^']*`)?([^'`]+)`?'/i;
const atColumn = /(?:column|field) ['`](?:[^'`]*[`'.])*([^'`]+)['`]/i;

const rules: Record<number, Rule> = {
  1062: { class: 'unique', key: /for key '(?:[^'.]*\.)?([^']+)'/ },
  1586: { class: 'unique', key: /for key '(?:[^'.]*\.)?([^']+)'/ },
  1452: { class: 'reference', column: /FOREIGN KEY \(`([^`]+)`/ },
  1216: { class: 'reference' },
  1451: { class: 'inUse' },
  1217: { class: 'inUse' },
  1048: { class: 'validation', code: 4001, column },
  1364: { class: 'validation', code: 4001, column: /Field '([^']+)'/ },
  1406: { class: 'validation', code: 4102, column },
  1264: { class: 'validation', column },
  1265: { class: 'validation', column },
  1292: { class: 'validation', column: atColumn },
  1366: { class: 'validation', column: /column (?:`[^`]*`\.)*[`']([^`']+)[`']/ },
  1411: { class: 'validation' },
  4025: { class: 'validation', key: /CONSTRAINT `(?:[^`.]*\.)?([^`]+)` failed/ },
  3819: { class: 'validation', key: /constraint '([^']+)' is violated/ },
  1644: { class: 'validation' },
  1142: { class: 'forbidden' },
  1143: { class: 'forbidden' },
  1792: { class: 'forbidden' },
  1290: { class: 'forbidden' },
};

/** What MariaDB or MySQL says of one record, and at which field. */
export function recordError(error: unknown, table: Table): RecordError | null {
  const rule = rules[numberOf(error)];
  if (!rule || !(error instanceof Error)) return null;
  const errCode = String(numberOf(error));
  const { code } = rule;
  return {
    errCode,
    msg: error.message,
    field: fieldOf(error.message, rule, table),
    class: rule.class,
    ...(code === undefined ? {} : { code }),
  };
}

function fieldOf(message: string, rule: Rule, table: Table): string | null {
  const known = (name: string | undefined): string | null =>
    table.columns.find((one) => one.name === name)?.name ?? null;
  if (rule.column) return known(rule.column.exec(message)?.[1]);
  const key = rule.key?.exec(message)?.[1];
  if (key === undefined) return null;
  if (key === 'PRIMARY') return table.primaryKey[0] ?? null;
  // A check of one column bears its name in MariaDB.
  return table.uniques.find(({ name }) => name === key)?.columns[0] ?? known(key);
}
