import { Readable } from 'node:stream';
import type { QueryOf, exportRecords as exportEndpoint } from '@sluice/contract';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Actor } from '../../platform/actor.ts';
import { compile, type Sql, sql } from '../../platform/db.ts';
import { type Column, columnOf, tableOf } from '../cache/model.ts';
import { openCached } from './context.ts';
import { type RecordServices, viewOf } from './service.ts';
import { columnAt, viewSql } from './view-sql.ts';

export type ExportQuery = QueryOf<typeof exportEndpoint>;

export interface ExportedFile {
  /** UTF-8 text, made while it is read: a slow reader slows the database down instead of filling memory. */
  stream: Readable;
  /** File name without extension: the collection's id of the address. */
  name: string;
}

/** Readers of a million records over a slow line; the table's structure cannot change while they read. */
const timeLimit = '30min';
const byteOrderMark = '\uFEFF';

/**
 * All records that the filter matches, in its order, as people see them (their pending changes included), as CSV.
 * PostgreSQL writes the lines itself (COPY); nothing passes through JavaScript values, so that what is read back is
 * the same byte for byte: dates ISO 8601, numbers with a point, empty text `""`, no value nothing.
 */
export async function exportCsv(
  services: RecordServices,
  actor: Actor,
  path: string,
  query: ExportQuery,
): Promise<ExportedFile> {
  const { model } = await openCached(services, actor, path);
  const columns = query.columns
    ? query.columns.split(',').map((field) => columnAt(model, field, 'columns'))
    : model.columns;
  const view = viewSql(model, viewOf(query));
  const delimiter = { comma: ',', semicolon: ';', tab: '\t' }[query.delimiter ?? 'comma'];
  const list = sql.join(columns.map(exportedColumn));
  const statements = view.segments.map((segment) =>
    withLiterals(
      sql`copy (select ${list} from ${tableOf(model.collectionId)} t
          where ${segment.where} and ${view.where} order by ${segment.orderBy})
          to stdout (format csv, delimiter ${delimiter})`,
    ),
  );
  const header = `${columns.map(({ path: field }) => quoted(field, delimiter)).join(delimiter)}\n`;
  const first = query.byteOrderMark ? byteOrderMark + header : header;
  return { stream: Readable.from(chunksOf(services.pool, first, statements)), name: model.uriId };
}

async function* chunksOf(
  pool: pg.Pool,
  header: string,
  statements: readonly string[],
): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    // One state of the table for all parts; what reads can change nothing, whatever the statement says.
    await client.query('begin isolation level repeatable read read only');
    await client.query(`set local statement_timeout = '${timeLimit}'`);
    yield Buffer.from(header);
    for (const statement of statements) yield* client.query(copyTo(statement));
    await client.query('commit');
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    // A reader that went away leaves the COPY half done: that connection is of no use to anybody else.
    client.release(failed ?? true);
  }
}

/** A column as the wire writes its values; what could not be stored comes as the external system sent it. */
function exportedColumn(column: Column): Sql {
  const ref = sql`t.${columnOf(column.fno)}`;
  const shown = shownAs(column, ref);
  return sql`case when t.bad is null then ${shown} else coalesce(${shown}, t.bad -> ${String(column.fno)} ->> 'r') end`;
}

function shownAs(column: Column, ref: Sql): Sql {
  switch (column.pgType) {
    case 'text':
      return ref;
    case 'timestamptz':
      return sql`replace(replace(${ref}::text, ' ', 'T'), '+00', 'Z')`;
    case 'numeric':
      return sql`trim_scale(${ref})::text`;
    case 'time':
      return sql`regexp_replace(${ref}::text, '^(\\d\\d:\\d\\d):00$', '\\1')`;
    default:
      return sql`${ref}::text`;
  }
}

/** COPY takes no parameters: they go into the text as literals of the driver's own quoting. */
function withLiterals(statement: Sql): string {
  const { text, values } = compile(statement);
  return text.replace(/\$(\d+)/g, (_, digits: string) => literal(values[Number(digits) - 1]));
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return `'${value}'`;
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  return pg.escapeLiteral(String(value));
}

const quoted = (text: string, delimiter: string): string =>
  text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
