import {
  type ExternalSystemError,
  type Outcome,
  type RecordError,
  type WriteCall,
  type WriteOp,
} from '@sluice/adapter-kit';
import type { Dialect } from './dialect.ts';
import { type Line, throwIfAborted, within } from './line.ts';
import { type Column, columnOf, type Table } from './model.ts';
import { exists } from './read.ts';
import { decodeKey, encodeKey, keyCondition, selectionOf, Statement, textOf } from './statement.ts';

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Values of an operation as text parameters. */
type Texts = Map<Column, string | null>;

/**
 * Writes operations on one line. One operation is one statement by itself; several share a transaction with a
 * savepoint for each, so that a refused record undoes only itself.
 */
export async function writeOps(
  dialect: Dialect,
  line: Line,
  table: Table,
  call: WriteCall,
  limits: Limits,
): Promise<Outcome[]> {
  const { ops } = call;
  const writer = new Writer(dialect, line, table, limits);
  const [first] = ops;
  if (ops.length === 1 && first) {
    try {
      return [await writer.one(first)];
    } catch (error) {
      return [{ opId: first.opId, state: 'unknown', reason: dialect.failure(error).message }];
    }
  }
  const outcomes: Outcome[] = [];
  try {
    for (const statement of dialect.begin) await writer.run(statement);
    for (const op of ops) {
      throwIfAborted(limits.signal);
      await writer.run('savepoint one');
      const outcome = await writer.one(op);
      if (outcome.state === 'rejected') await writer.run('rollback to savepoint one');
      await writer.run('release savepoint one');
      outcomes.push(outcome);
    }
  } catch (error) {
    // Nothing was committed: the database undoes it, also when the line is gone.
    await undo(line);
    const reason = dialect.failure(error).message;
    const state = table.isTransactional ? ('notSent' as const) : ('unknown' as const);
    return ops.map(({ opId }) => ({ opId, state, reason }));
  }
  try {
    await writer.run('commit');
    return outcomes;
  } catch (error) {
    const reason = dialect.failure(error).message;
    const isUndone = !line.isBroken && table.isTransactional;
    return outcomes.map((outcome) =>
      outcome.state === 'done'
        ? { opId: outcome.opId, state: isUndone ? 'notSent' : 'unknown', reason }
        : outcome,
    );
  }
}

async function undo(line: Line): Promise<void> {
  if (line.isBroken) return;
  await line.query('rollback').catch(() => line.destroy());
}

class Writer {
  readonly #dialect: Dialect;
  readonly #line: Line;
  readonly #table: Table;
  readonly #limits: Limits;

  constructor(dialect: Dialect, line: Line, table: Table, limits: Limits) {
    this.#dialect = dialect;
    this.#line = line;
    this.#table = table;
    this.#limits = limits;
  }

  async run(sql: string, values: readonly (string | null)[] = []) {
    return await within(this.#line, this.#limits, async () => await this.#line.query(sql, values));
  }

  /** The outcome of one operation; throws only what concerns more than its record. */
  async one(op: WriteOp): Promise<Outcome> {
    const { opId } = op;
    const problem = this.#problemOf(op);
    if (problem) return { opId, state: 'rejected', errors: [problem] };
    const texts = this.#textsOf(op);
    try {
      if (op.action === 'insert') return await this.#insert(opId, texts);
      return op.action === 'update' ? await this.#update(op, texts) : await this.#delete(op);
    } catch (error) {
      if (this.#line.isBroken) throw error;
      const named = new Map([...texts].map(([{ name }, text]) => [name, text]));
      const refused = this.#dialect.recordError(error, this.#table, op.action, named);
      if (!refused) throw error;
      return { opId, state: 'rejected', errors: [refused] };
    }
  }

  #problemOf(op: WriteOp): RecordError | null {
    const { rights, title } = this.#table;
    const right = op.action === 'insert' ? 'create' : op.action;
    if (!rights[right])
      return { errCode: 'READ_ONLY', msg: `${title} can only be read`, field: null, class: 'forbidden' };
    const unknown = Object.keys(op.values ?? {}).find((id) => !columnOf(this.#table, id));
    if (unknown === undefined) return null;
    return {
      errCode: 'NO_COLUMN',
      msg: `${title} has no column ${unknown}`,
      field: unknown,
      class: 'validation',
    };
  }

  #textsOf({ values = {}, action }: WriteOp): Texts {
    return new Map(
      Object.entries(values).flatMap(([id, value]): [Column, string | null][] => {
        const column = columnOf(this.#table, id);
        // An empty value of a new record leaves the default to the database.
        const isLeft = action === 'insert' && value === null && (column?.hasDefault || column?.isGiven);
        return !column || column.isComputed || isLeft ? [] : [[column, textOf(column, value)]];
      }),
    );
  }

  #returning(): string {
    return ` returning ${selectionOf(this.#dialect, this.#table, []).list}`;
  }

  async #insert(opId: string, texts: Texts): Promise<Outcome> {
    const statement = new Statement(this.#dialect);
    const names = [...texts.keys()].map((column) => statement.name(column));
    const values = [...texts].map(([column, text]) =>
      text === null ? 'null' : statement.value(column, text),
    );
    const what =
      names.length === 0 ? this.#dialect.emptyInsert : `(${names.join(', ')}) values (${values.join(', ')})`;
    const canReturn = this.#dialect.canReturn(this.#line, 'insert');
    const { rows, insertId } = await this.run(
      `insert into ${this.#table.source} ${what}${canReturn ? this.#returning() : ''}`,
      statement.values,
    );
    const [row] = rows;
    if (row) return this.#done(opId, row);
    const parts = this.#table.key.map((column) => texts.get(column) ?? (column.isGiven ? insertId : null));
    return await this.#doneAt(
      opId,
      parts.map((part) => part ?? ''),
    );
  }

  async #update(op: WriteOp, texts: Texts): Promise<Outcome> {
    const { opId } = op;
    const parts = decodeKey(this.#table, op.key ?? '');
    if (!parts) return { opId, state: 'gone' };
    const statement = new Statement(this.#dialect);
    const sets = [...texts].map(
      ([column, text]) =>
        `${statement.name(column)} = ${text === null ? 'null' : statement.value(column, text)}`,
    );
    if (sets.length === 0) return await this.#doneAt(opId, parts);
    const where = this.#condition(statement, parts, op.version);
    const canReturn = this.#dialect.canReturn(this.#line, 'update');
    const { rows, count } = await this.run(
      `update ${this.#table.source} set ${sets.join(', ')} where ${where}${canReturn ? this.#returning() : ''}`,
      statement.values,
    );
    const [row] = rows;
    if (row) return this.#done(opId, row);
    if (count > 0) return await this.#doneAt(opId, parts);
    return { opId, state: (await exists(this.#dialect, this.#line, this.#table, parts)) ? 'stale' : 'gone' };
  }

  async #delete(op: WriteOp): Promise<Outcome> {
    const { opId } = op;
    const done: Outcome = { opId, state: 'done', key: op.key ?? '', version: null };
    const parts = decodeKey(this.#table, op.key ?? '');
    if (!parts) return done;
    const statement = new Statement(this.#dialect);
    const where = this.#condition(statement, parts, op.version);
    const { count } = await this.run(`delete from ${this.#table.source} where ${where}`, statement.values);
    if (count > 0 || !(await exists(this.#dialect, this.#line, this.#table, parts))) return done;
    return { opId, state: 'stale' };
  }

  #condition(statement: Statement, parts: readonly string[], version: string | null | undefined): string {
    const key = keyCondition(statement, this.#table, parts);
    const known = version ?? null;
    if (known === null || this.#table.version === null) return key;
    return `${key} and ${this.#table.version} = ${statement.text(known)}`;
  }

  #done(opId: string, row: readonly (string | null)[]): Outcome {
    const count = this.#table.key.length;
    return { opId, state: 'done', key: encodeKey(row.slice(0, count)), version: row[count] ?? null };
  }

  /** After a statement that tells nothing about the row: it is looked up. */
  async #doneAt(opId: string, parts: readonly string[]): Promise<Outcome> {
    const statement = new Statement(this.#dialect);
    const where = keyCondition(statement, this.#table, parts);
    const { list } = selectionOf(this.#dialect, this.#table, []);
    const { rows } = await this.run(
      `select ${list} from ${this.#table.source} t where ${where}`,
      statement.values,
    );
    const [row] = rows;
    return row ? this.#done(opId, row) : { opId, state: 'gone' };
  }
}

/** A passing failure before anything was written: nothing is in doubt. Others concern the connection as a whole. */
export function notSent({ ops }: WriteCall, failure: ExternalSystemError): Outcome[] {
  if (!['TIMEOUT', 'SERVER', 'RATE'].includes(failure.code)) throw failure;
  const { message: reason, retryAfterMs } = failure;
  return ops.map(({ opId }) => ({
    opId,
    state: 'notSent',
    reason,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  }));
}
