import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { QueryOf, exportRecords as exportEndpoint } from '@sluice/contract';
import { leafFields } from '@sluice/mapping';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Actor } from '../../platform/actor.ts';
import { compile, row, type Sql, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { textsOfLine } from '../cache/encode.ts';
import { type CollectionModel, type Column, columnOf, tableOf } from '../cache/model.ts';
import { type CollectionContext, openCached } from './context.ts';
import { countRows, type RecordServices, viewOf } from './service.ts';
import { columnAt } from './column-at.ts';
import { viewSqlFor } from './shown.ts';
import { maxCellText, maxSheetRows, workbookOf } from './xlsx.ts';

export type ExportQuery = QueryOf<typeof exportEndpoint>;

export interface ExportedFile {
  /** Made while it is read: a slow reader slows the database down instead of filling memory. */
  stream: Readable;
  /** The collection's id of the address, with the extension of the format. */
  name: string;
  mediaType: string;
}

/** Readers of a million records over a slow line; the table's structure cannot change while they read. */
const timeLimit = '30min';
const byteOrderMark = '\uFEFF';

/**
 * All records that the filter matches, in its order, as people see them (their pending changes included), as CSV or
 * as a spreadsheet. PostgreSQL writes the lines itself (COPY); nothing passes through JavaScript values, so that what
 * is read back is the same byte for byte: dates ISO 8601, numbers with a point, empty text `""`, no value nothing.
 */
export async function exportFile(
  services: RecordServices,
  actor: Actor,
  path: string,
  query: ExportQuery,
): Promise<ExportedFile> {
  const { context, columns } = await openExport(services, actor, path, query);
  const { model } = context;
  const names = columns.map(({ path: field }) => field);
  const headings = query.headings === 'names' ? namesOf(context, actor, names) : names;
  const view = await viewSqlFor(services, actor, model, viewOf(query));
  const list = sql.join(columns.map(exportedColumn));
  const delimiter = { comma: ',', semicolon: ';', tab: '\t' }[query.delimiter ?? 'comma'];
  const isSheet = query.format === 'xlsx';
  const form = isSheet ? sql`(format text)` : sql`(format csv, delimiter ${delimiter})`;
  const statements = view.segments.map((segment) =>
    withLiterals(
      sql`copy (select ${list} from ${tableOf(model.collectionId)} t
          where ${segment.where} and ${view.where} order by ${segment.orderBy}) to stdout ${form}`,
    ),
  );
  const parts = copied(services.pool, statements);
  if (isSheet) {
    // Told before the first byte: a file that breaks off is worse than none.
    await checkSheet(services.pool, context, actor, columns, view.where);
    const shown = columns.map(({ pgType }, index) => ({ name: headings[index] ?? '', pgType }));
    return {
      stream: workbookOf(model.uriId, shown, rowsOf(parts)),
      name: `${model.uriId}.xlsx`,
      mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    };
  }
  const header = `${headings.map((name) => quoted(name, delimiter)).join(delimiter)}\n`;
  return {
    stream: Readable.from(after(query.byteOrderMark ? byteOrderMark + header : header, parts)),
    name: `${model.uriId}.csv`,
    mediaType: 'text/csv; charset=utf-8',
  };
}

async function openExport(services: RecordServices, actor: Actor, path: string, query: ExportQuery) {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const columns = query.columns
    ? query.columns.split(',').map((field) => columnAt(model, field, 'columns'))
    : model.columns;
  return { context, columns };
}

/** Refuses what the file's format cannot hold, for whoever wants to know before he asks for the file. */
export async function checkExport(
  services: RecordServices,
  actor: Actor,
  path: string,
  query: ExportQuery,
): Promise<void> {
  const { context, columns } = await openExport(services, actor, path, query);
  if (query.format === 'xlsx')
    await checkSheet(
      services.pool,
      context,
      actor,
      columns,
      (await viewSqlFor(services, actor, context.model, viewOf(query))).where,
    );
}

async function checkSheet(
  pool: pg.Pool,
  context: CollectionContext,
  actor: Actor,
  columns: readonly Column[],
  where: Sql,
): Promise<void> {
  const { model } = context;
  if ((await countRows(pool, model, where)) >= maxSheetRows)
    throw new AppError('TOO_LARGE', {
      text: { key: 'export.tooManyRows', params: { most: maxSheetRows - 1 } },
    });
  const long = await findLongText(pool, model, columns, where);
  if (!long) return;
  const names = namesOf(context, actor, [long.field]);
  throw new AppError('TOO_LARGE', {
    text: {
      key: 'export.tooLongText',
      params: { field: names[0] ?? long.field, record: long.record, length: long.length, most: maxCellText },
    },
  });
}

/** The first text that is longer than a cell of a spreadsheet, with its record by key, or by id where it has none yet. */
async function findLongText(
  pool: pg.Pool,
  model: CollectionModel,
  columns: readonly Column[],
  where: Sql,
): Promise<{ record: string; field: string; length: number } | null> {
  if (columns.length === 0) return null;
  const keys = model.description.keyFields.flatMap((field) => model.byPath.get(field) ?? []);
  const name = sql`coalesce(nullif(concat_ws(' ', ${sql.join([sql`null`, ...keys.map(({ fno }) => columnOf(fno))])}), ''), rid::text)`;
  // Bytes are known without reading a long text; what no text column holds may still have come as one.
  const mayBeLong = columns.map((column) =>
    column.pgType === 'text' || column.pgType === 'jsonb'
      ? sql`octet_length(t.${columnOf(column.fno)}::text) > ${maxCellText}`
      : sql`octet_length(t.bad::text) > ${maxCellText}`,
  );
  const cells = columns.map((column, index) => sql`(${index}::int, ${exportedColumn(column)})`);
  const found = await row<{ record: string; at: number; length: number }>(
    pool,
    sql`select ${name} as record, x.at, x.length
        from (select t.* from ${tableOf(model.collectionId)} t where ${where} and (${sql.join(mayBeLong, sql` or `)})) t,
          lateral (select c.at, char_length(c.shown) + char_length(regexp_replace(c.shown, ${basicPlane}, '', 'g')) as length
                   from (values ${sql.join(cells)}) c(at, shown) where octet_length(c.shown) > ${maxCellText}) x
        where x.length > ${maxCellText} order by rid, x.at limit 1`,
  );
  return found && { record: found.record, field: columns[found.at]?.path ?? '', length: found.length };
}

/** Letters of one UTF-16 unit; what is left of a text has two each, and spreadsheets count units. */
const basicPlane = '[\\u0001-\\uFFFF]';

/** Fields as people know them; the id where two have the same name. */
function namesOf(context: CollectionContext, actor: Actor, fields: readonly string[]): string[] {
  const named = new Map(leafFields(context.model.fields[actor.locale]).map(({ id, name }) => [id, name]));
  const counts = new Map<string, number>();
  for (const field of fields) {
    const name = named.get(field) ?? field;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return fields.map((field) => {
    const name = named.get(field) ?? field;
    return counts.get(name) === 1 ? name : field;
  });
}

async function* after(first: string, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  yield* rest;
}

/** COPY's text form cut into rows of texts. */
async function* rowsOf(parts: AsyncIterable<Buffer>): AsyncGenerator<(string | null)[][]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + decoder.write(part)).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map((line) => textsOfLine(`${line}\n`));
  }
}

async function* copied(pool: pg.Pool, statements: readonly string[]): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    // One state of the table for all parts; what reads can change nothing, whatever the statement says.
    await client.query('begin isolation level repeatable read read only');
    await client.query(`set local statement_timeout = '${timeLimit}'`);
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
