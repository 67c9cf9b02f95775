import { refusalOf } from '../failures.ts';
import type { Constraint, RawColumn, RawTable } from '../model.ts';
import type { NamedQuery, SqlSettings } from '../settings.ts';
import type { MysqlLine } from './line.ts';
import { columnType, typeOfResult } from './types.ts';

export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Hash over all columns: of a row, it changes with every change. */
export const hashOf = (columns: readonly Pick<RawColumn, 'name'>[], alias = ''): string =>
  `md5(concat_ws(',', ${columns.map(({ name }) => `ifnull(md5(${alias}${quote(name)}), '~')`).join(', ')}))`;

const tablesQuery = `select table_name, table_type, table_comment, engine from information_schema.tables
  where table_schema = database() and table_type in ('BASE TABLE', 'VIEW') order by table_name`;
const columnsQuery = `select table_name, column_name, data_type, column_type, character_maximum_length, numeric_scale,
    is_nullable, column_default, extra, column_comment, privileges
  from information_schema.columns where table_schema = database() order by table_name, ordinal_position`;
const indexQuery = `select table_name, index_name, column_name from information_schema.statistics
  where table_schema = database() and non_unique = 0 and sub_part is null order by table_name, index_name, seq_in_index`;
const referencesQuery = `select table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
  from information_schema.key_column_usage
  where table_schema = database() and referenced_table_schema = database()
  order by table_name, constraint_name, ordinal_position`;
/** MariaDB knows JSON as a text with a check of this form. */
const jsonQuery = `select table_name, check_clause from information_schema.check_constraints
  where constraint_schema = database() and check_clause like 'json_valid(%'`;

type Rows = (string | null)[][];

const groups = (rows: Rows): Map<string, Rows> => Map.groupBy(rows, ([table]) => table ?? '');

/** What the account may read of the database: tables and views; and the named queries. */
export async function readCatalog(line: MysqlLine, settings: SqlSettings): Promise<RawTable[]> {
  const ask = async (sql: string): Promise<Rows> => (await line.query(sql)).rows;
  const tables = await ask(tablesQuery);
  const columns = groups(await ask(columnsQuery));
  const indexes = groups(await ask(indexQuery));
  const references = groups(await ask(referencesQuery));
  const jsonChecks = line.isMariaDb ? await ask(jsonQuery) : [];
  const isJson = (table: string, column: string): boolean =>
    jsonChecks.some(([name, clause]) => name === table && clause === `json_valid(${quote(column)})`);
  const found = tables.flatMap(([name, type, comment, engine]): RawTable[] => {
    if (name === null || name === undefined) return [];
    const own = (columns.get(name) ?? []).filter(([, , , , , , , , , , privileges]) =>
      privileges?.includes('select'),
    );
    if (own.length === 0) return [];
    const may = (right: string): boolean => own.some(([, , , , , , , , , , given]) => given?.includes(right));
    const kept = own.map((row) => columnOf(row, isJson(name, row[1] ?? ''), settings.timeZone));
    const unique = constraintsOf(indexes.get(name) ?? []);
    return [
      {
        schema: '',
        name,
        kind: type === 'VIEW' ? 'view' : 'table',
        source: quote(name),
        comment: comment || null,
        columns: kept,
        primaryKey: unique.find((index) => index.name === 'PRIMARY')?.columns ?? [],
        uniques: unique.filter((index) => index.name !== 'PRIMARY'),
        checks: [],
        references: referencesOf(references.get(name) ?? []),
        // Nothing tells of the right to delete; an account that may insert and change is taken to have it.
        rights: { create: may('insert'), update: may('update'), delete: may('insert') && may('update') },
        version: type === 'VIEW' ? null : hashOf(kept),
        isTransactional: engine === 'InnoDB',
        problem: null,
      },
    ];
  });
  for (const query of settings.queries) found.push(await describeQuery(line, query, settings));
  return found;
}

function columnOf(row: Rows[number], isJson: boolean, zone: string): RawColumn {
  const [, name, type, full, length, scale, nullable, fallback, extra, comment, privileges] = row;
  const may = (right: string): boolean => privileges?.includes(right) ?? false;
  const column = {
    type: isJson ? 'json' : (type ?? ''),
    full: full ?? '',
    length: length ?? null,
    scale: scale ?? null,
  };
  return {
    name: name ?? '',
    type: columnType(column, zone),
    isNotNull: nullable === 'NO',
    hasDefault: fallback !== null && fallback !== undefined && (fallback !== 'NULL' || nullable === 'NO'),
    isGiven: extra?.includes('auto_increment') ?? false,
    isComputed: /\bGENERATED\b/.test(extra ?? '') && !(extra ?? '').includes('DEFAULT_GENERATED'),
    rights: { create: may('insert'), update: may('update') },
    comment: comment || null,
  };
}

function constraintsOf(rows: Rows): Constraint[] {
  return [...Map.groupBy(rows, ([, index]) => index ?? '')].map(([name, parts]) => ({
    name,
    columns: parts.map(([, , column]) => column ?? ''),
  }));
}

function referencesOf(rows: Rows): RawTable['references'] {
  return [...Map.groupBy(rows, ([, constraint]) => constraint ?? '')].map(([name, parts]) => ({
    name,
    columns: parts.map(([, , column]) => column ?? ''),
    schema: '',
    table: parts[0]?.[3] ?? '',
    target: parts.map(([, , , , column]) => column ?? ''),
  }));
}

async function describeQuery(line: MysqlLine, query: NamedQuery, settings: SqlSettings): Promise<RawTable> {
  const table: RawTable = {
    schema: '',
    name: query.name,
    kind: 'query',
    source: `(${query.sql}\n)`,
    comment: null,
    columns: [],
    primaryKey: [],
    uniques: [],
    checks: [],
    references: [],
    rights: { create: false, update: false, delete: false },
    version: null,
    isTransactional: true,
    problem: null,
  };
  try {
    table.columns = (await line.describe(query.sql)).map((column) => ({
      name: column.name,
      type: typeOfResult(column, settings.timeZone),
      isNotNull: false,
      hasDefault: false,
      isGiven: false,
      isComputed: false,
      rights: { create: false, update: false },
      comment: null,
    }));
  } catch (error) {
    if (line.isBroken) throw error;
    table.problem = refusalOf(error);
  }
  return table;
}
