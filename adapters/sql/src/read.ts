import { z } from 'zod';
import { ExternalSystemError, type Page, type ReadQuery, type ReadRecord } from '@sluice/adapter-kit';
import type { Dialect } from './dialect.ts';
import { type Line, within } from './line.ts';
import { columnOf, type Table } from './model.ts';
import { after, decodeKey, equals, keyCondition, selectionOf, Statement } from './statement.ts';

/** The key behind which an interrupted read goes on. */
const cursorSchema = z.array(z.string()).min(1);

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
  /** Pays for one page. */
  pay(): Promise<void>;
}

/** Pages in key order, from one snapshot of the database. */
export async function* readPages(
  dialect: Dialect,
  line: Line,
  table: Table,
  query: ReadQuery,
  limits: Limits,
): AsyncGenerator<Page> {
  const size = Math.max(query.pageSize, 1);
  const isPart = (query.filter ?? query.orderBy ?? query.offset ?? query.limit) !== undefined;
  const { sql, values } = selectSql(dialect, table, query);
  const selection = selectionOf(
    dialect,
    table,
    query.fields.map(({ id }) => id),
  );
  await limits.pay();
  const rows = await within(line, limits, async () => await line.open(sql, values));
  const keyParts = selection.order.length;
  let kept: (string | null)[][] = [];
  let isEnd = false;
  try {
    for (let page = 0; ; page += 1) {
      if (page > 0) await limits.pay();
      // One row ahead: only so the last page is known to be the last.
      const wanted = size + 1 - kept.length;
      const more = await within(line, limits, async () => await rows.next(wanted));
      isEnd = more.length < wanted;
      kept.push(...more);
      const given = kept.slice(0, size);
      kept = kept.slice(size);
      const isLast = isEnd && kept.length === 0;
      const next = given.at(-1)?.slice(0, keyParts);
      yield {
        records: given.map((row) => selection.toRecord(row)),
        poisoned: [],
        cursor: isLast || isPart || !next ? null : JSON.stringify(next),
        total: null,
      };
      if (isLast) return;
    }
  } finally {
    await rows.close().catch(() => line.destroy());
  }
}

function selectSql(
  dialect: Dialect,
  table: Table,
  query: ReadQuery,
): { sql: string; values: readonly (string | null)[] } {
  const statement = new Statement(dialect);
  const selection = selectionOf(
    dialect,
    table,
    query.fields.map(({ id }) => id),
  );
  const conditions = (query.filter ?? []).map(({ field, value }) => equals(statement, table, field, value));
  if (query.changedSince && table.changed) {
    const since = table.changed.type.toText(query.changedSince.toISOString());
    const name = statement.name(table.changed);
    conditions.push(`(${name} >= ${statement.compared(table.changed, since)} or ${name} is null)`);
  }
  if (query.cursor !== null) {
    const parts = cursorSchema.safeParse(JSON.parse(query.cursor));
    if (!parts.success || parts.data.length !== selection.order.length)
      throw new ExternalSystemError('PROTOCOL', 'the key of the table has changed since the read began', {
        retryable: true,
      });
    conditions.push(after(statement, selection, parts.data));
  }
  const order = [
    ...(query.orderBy ?? []).flatMap(({ field, isDescending }) => {
      const column = columnOf(table, field);
      return column ? [`t.${statement.name(column)} ${isDescending ? 'desc' : 'asc'}`] : [];
    }),
    ...selection.order,
  ];
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const most = query.limit ?? (query.offset === undefined ? null : Number.MAX_SAFE_INTEGER);
  const part = most === null ? '' : ` limit ${most} offset ${query.offset ?? 0}`;
  const sql = `select ${selection.list} from ${selection.from}${table.key.length > 0 ? ' t' : ''}${where} order by ${order.join(', ')}${part}`;
  return { sql, values: statement.values };
}

const keysPerQuery = 500;

/** Live records by key; keys of another form are of no record. */
export async function readKeys(
  dialect: Dialect,
  line: Line,
  table: Table,
  keys: readonly string[],
  fieldIds: readonly string[] | null,
  limits: Limits,
): Promise<ReadRecord[]> {
  const selection = selectionOf(dialect, table, fieldIds);
  const decoded = [...new Set(keys)].flatMap((key) => {
    const parts = decodeKey(table, key);
    return parts ? [parts] : [];
  });
  const found: ReadRecord[] = [];
  for (let at = 0; at < decoded.length; at += keysPerQuery) {
    const statement = new Statement(dialect);
    const part = decoded.slice(at, at + keysPerQuery);
    const tuples = part.map(
      (parts) => `(${parts.map((text, i) => selection.keyParameter(statement, i, text)).join(', ')})`,
    );
    const where = `(${selection.order.join(', ')}) in (${tuples.join(', ')})`;
    await limits.pay();
    const sql = `select ${selection.list} from ${selection.from}${table.key.length > 0 ? ' t' : ''} where ${where}`;
    // A key of the wrong type (text for a number) is refused by the database: then each is asked for by itself.
    const rows = await within(line, limits, async () => await line.read(sql, statement.values)).catch(
      (error: unknown) => {
        if (line.isBroken || part.length === 1)
          return isNoSuchKey(dialect, error) ? { rows: [] } : Promise.reject(error);
        return null;
      },
    );
    if (rows) found.push(...rows.rows.map((row) => selection.toRecord(row)));
    else
      for (const parts of part)
        found.push(
          ...(await readKeys(
            dialect,
            line,
            table,
            [parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts)],
            fieldIds,
            limits,
          )),
        );
  }
  return found;
}

const isNoSuchKey = (dialect: Dialect, error: unknown): boolean => dialect.failure(error).code === 'PROTOCOL';

/** Whether a record exists, for telling a stale version from a record that is gone. */
export async function exists(
  dialect: Dialect,
  line: Line,
  table: Table,
  parts: readonly string[],
): Promise<boolean> {
  const statement = new Statement(dialect);
  const where = keyCondition(statement, table, parts);
  const { rows } = await line.query(`select 1 from ${table.source} t where ${where}`, statement.values);
  return rows.length > 0;
}
