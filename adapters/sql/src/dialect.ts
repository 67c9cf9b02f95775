import type { ExternalSystemError, RecordError, SessionContext } from '@sluice/adapter-kit';
import type { Line } from './line.ts';
import type { RawTable, Table } from './model.ts';
import type { SqlSettings } from './settings.ts';

/** What differs between the databases. */
export interface Dialect {
  /** The schema whose tables need no prefix. */
  homeSchema(settings: SqlSettings): string;
  connect(settings: SqlSettings, context: SessionContext): Promise<Line>;
  /** Tables and views that the account may read, and the named queries. */
  catalog(line: Line, settings: SqlSettings): Promise<RawTable[]>;
  /** Name and version of the server, for people. */
  version(line: Line): Promise<string>;
  quote(name: string): string;
  parameter(n: number): string;
  /** Begins a transaction in which constraints are checked at each statement. */
  begin: readonly string[];
  /** Hash of a whole row as text: the key of rows that have none. */
  rowHash(table: Table): string;
  /** `insert … returning` exists. */
  canReturn(line: Line, action: 'insert' | 'update'): boolean;
  emptyInsert: string;
  /** A query that is only read wanted to write. */
  isWriteWhileReading(error: unknown): boolean;
  /** A failure of the connection or the account; statements' refusals are `recordError`. */
  failure(error: unknown): ExternalSystemError;
  /** Why the database refuses one record; null: the error concerns more than the record. */
  recordError(
    error: unknown,
    table: Table,
    action: 'insert' | 'update' | 'delete',
    values: ReadonlyMap<string, string | null>,
  ): RecordError | null;
}
