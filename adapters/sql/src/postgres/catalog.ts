import { z } from 'zod';
import { refusalOf } from '../failures.ts';
import type { RawColumn, RawTable } from '../model.ts';
import type { NamedQuery, SqlSettings } from '../settings.ts';
import type { PgLine } from './line.ts';
import { columnType } from './types.ts';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

const typeSchema = z.object({
  base: z.string(),
  full: z.string(),
  sort: z.string(),
  isArray: z.boolean(),
  modifier: z.number().int(),
  labels: z.array(z.string()).nullable(),
});
const constraintSchema = z.object({ name: z.string(), columns: z.array(z.string()) });
const tableSchema = z.object({
  schema: z.string(),
  name: z.string(),
  kind: z.enum(['table', 'view']),
  comment: z.string().nullable(),
  rights: z.object({ create: z.boolean(), update: z.boolean(), delete: z.boolean() }),
  columns: z.array(
    z.object({
      name: z.string(),
      type: typeSchema,
      isNotNull: z.boolean(),
      hasDefault: z.boolean(),
      isGiven: z.boolean(),
      isComputed: z.boolean(),
      rights: z.object({ create: z.boolean(), update: z.boolean() }),
      comment: z.string().nullable(),
    }),
  ),
  primaryKey: z.array(z.string()).nullable(),
  uniques: z.array(constraintSchema).nullable(),
  checks: z.array(constraintSchema).nullable(),
  references: z
    .array(constraintSchema.extend({ schema: z.string(), table: z.string(), target: z.array(z.string()) }))
    .nullable(),
});

/** Type of a column below its domain, as JSON; `t` is its type, `e` the type below the domain. */
const typeOf = (typeId: string, modifier: string): string => `json_build_object(
  'base', e.typname, 'full', format_type(${typeId}, -1), 'sort', e.typtype, 'isArray', e.typcategory = 'A',
  'modifier', case when t.typtype = 'd' then t.typtypmod else ${modifier} end,
  'labels', (select json_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = e.oid))`;
const typeJoin = `join pg_type e on e.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end`;

const namesOf = (relation: string, numbers: string): string =>
  `(select json_agg(x.attname order by n.i) from unnest(${numbers}) with ordinality n(num, i)
     join pg_attribute x on x.attrelid = ${relation} and x.attnum = n.num)`;

const tablesQuery = `
select json_build_object(
  'schema', s.nspname, 'name', c.relname, 'kind', case when c.relkind in ('v', 'm') then 'view' else 'table' end,
  'comment', obj_description(c.oid, 'pg_class'),
  'rights', json_build_object(
    'create', has_table_privilege(c.oid, 'INSERT') or has_any_column_privilege(c.oid, 'INSERT'),
    'update', has_table_privilege(c.oid, 'UPDATE') or has_any_column_privilege(c.oid, 'UPDATE'),
    'delete', has_table_privilege(c.oid, 'DELETE')),
  'columns', (
    select json_agg(json_build_object(
      'name', a.attname, 'type', ${typeOf('a.atttypid', 'a.atttypmod')},
      'isNotNull', a.attnotnull or t.typnotnull, 'hasDefault', a.atthasdef or t.typdefault is not null,
      'isGiven', a.attidentity <> '', 'isComputed', a.attgenerated <> '' or a.attidentity = 'a',
      'rights', json_build_object('create', has_column_privilege(c.oid, a.attnum, 'INSERT'),
        'update', has_column_privilege(c.oid, a.attnum, 'UPDATE')),
      'comment', col_description(c.oid, a.attnum)) order by a.attnum)
    from pg_attribute a join pg_type t on t.oid = a.atttypid ${typeJoin}
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and has_column_privilege(c.oid, a.attnum, 'SELECT')),
  'primaryKey', (
    select ${namesOf('c.oid', 'i.indkey::int2[]')} from pg_index i where i.indrelid = c.oid and i.indisprimary),
  'uniques', (
    select json_agg(json_build_object('name', x.relname, 'columns', ${namesOf('c.oid', '(i.indkey::int2[])[0:i.indnkeyatts - 1]')}) order by x.relname)
    from pg_index i join pg_class x on x.oid = i.indexrelid
    where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null),
  'checks', (
    select json_agg(json_build_object('name', k.conname, 'columns', ${namesOf('c.oid', 'k.conkey')}))
    from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.conkey is not null),
  'references', (
    select json_agg(json_build_object('name', k.conname, 'columns', ${namesOf('c.oid', 'k.conkey')},
      'schema', fs.nspname, 'table', f.relname, 'target', ${namesOf('k.confrelid', 'k.confkey')}))
    from pg_constraint k join pg_class f on f.oid = k.confrelid join pg_namespace fs on fs.oid = f.relnamespace
    where k.conrelid = c.oid and k.contype = 'f'))::text
from pg_class c join pg_namespace s on s.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition
  and s.nspname not in ('pg_catalog', 'information_schema') and s.nspname !~ '^pg_(toast|temp)'
  and ($1::text = '' or s.nspname = any (string_to_array($1::text, ',')))
  and has_schema_privilege(s.oid, 'USAGE')
  and (has_table_privilege(c.oid, 'SELECT') or has_any_column_privilege(c.oid, 'SELECT'))
order by s.nspname, c.relname`;

/** What the account may read: tables, views, materialised views, foreign tables; and the named queries. */
export async function readCatalog(line: PgLine, settings: SqlSettings): Promise<RawTable[]> {
  const { rows } = await line.query(tablesQuery, [settings.schemas.join(',')]);
  const found = rows.flatMap(([text]): RawTable[] => {
    const parsed = json(tableSchema.extend({ columns: tableSchema.shape.columns.nullable() })).parse(text);
    if (!parsed.columns) return [];
    return [
      {
        ...parsed,
        source: `${quote(parsed.schema)}.${quote(parsed.name)}`,
        columns: parsed.columns.map((column) => ({
          ...column,
          type: columnType(column.type, settings.timeZone),
        })),
        primaryKey: parsed.primaryKey ?? [],
        uniques: parsed.uniques ?? [],
        checks: parsed.checks ?? [],
        references: parsed.references ?? [],
        // The transaction that wrote the row: no column of its own, and it changes with every write.
        version: parsed.kind === 'table' ? 'xmin::text' : null,
        isTransactional: true,
        problem: null,
      },
    ];
  });
  for (const query of settings.queries) found.push(await describeQuery(line, query, settings));
  return found;
}

async function describeQuery(line: PgLine, query: NamedQuery, settings: SqlSettings): Promise<RawTable> {
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
    const described = await line.describe(query.sql);
    const { rows } = await line.query(
      `select ${typeOf('t.oid', 'm.modifier')}::text
       from unnest($1::text::oid[], $2::text::int[]) with ordinality m(id, modifier, i) join pg_type t on t.oid = m.id ${typeJoin}
       order by m.i`,
      [
        `{${described.map(({ typeId }) => typeId).join(',')}}`,
        `{${described.map(({ modifier }) => modifier).join(',')}}`,
      ],
    );
    table.columns = described.map(({ name }, i): RawColumn => ({
      name,
      type: columnType(json(typeSchema).parse(rows[i]?.[0]), settings.timeZone),
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
