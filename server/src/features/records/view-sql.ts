import { type FilterCondition, runFilterField, type Scalar } from '@sluice/contract';
import { AppError } from '../../platform/errors.ts';
import { type Sql, sql } from '../../platform/db.ts';
import { type CollectionModel, type Column, columnOf, pendingTableOf } from '../cache/model.ts';
import { columnAt } from './column-at.ts';
import type { FindTerms } from './matching.ts';
import { mayHold } from './search-index.ts';

/** What selects and orders the records of a view; every part is optional. */
export interface ViewSpec {
  filter: readonly FilterCondition[];
  search: FindTerms | null;
  order: readonly { path: string; isDescending: boolean }[];
}

export interface ViewSql {
  where: Sql;
  /**
   * Parts of the view one after the other, each in its own order: pending inserts, then the records; for an order
   * the records without a value come last, ascending or descending. Each part can use an index of its own.
   */
  segments: { where: Sql; orderBy: Sql }[];
}

const isText = (column: Column): boolean => column.pgType === 'text';
const collated = (column: Column): Sql =>
  isText(column) ? sql`t.${columnOf(column.fno)} collate sluice_text` : sql`t.${columnOf(column.fno)}`;

/** `search`: the condition of the view's search, which depends on how its user sees values (shown.ts). */
export function viewSql(
  model: CollectionModel,
  view: Pick<ViewSpec, 'filter' | 'order'>,
  search: Sql | null,
): ViewSql {
  const conditions = view.filter.map((condition, index) => conditionSql(model, condition, index));
  if (search) conditions.push(search);
  const order = view.order.map(({ path, isDescending }) => ({
    column: columnAt(model, path, 'orderBy'),
    isDescending,
  }));
  const [first] = order;
  // The same direction for the row id lets one index serve both directions.
  const tail = first?.isDescending ? sql`t.rid desc` : sql`t.rid`;
  const terms = order.map(({ column, isDescending }, index) => {
    const direction = isDescending ? sql`desc` : sql`asc`;
    return index === 0
      ? sql`${collated(column)} ${direction}`
      : sql`${collated(column)} ${direction} nulls last`;
  });
  const orderBy = terms.length > 0 ? sql`${sql.join(terms)}, ${tail}` : tail;
  const inserts = { where: sql`t.p and t.k is null`, orderBy: sql`t.rid desc` };
  const known = sql`t.k is not null`;
  const segments = first
    ? [
        inserts,
        { where: sql`${known} and t.${columnOf(first.column.fno)} is not null`, orderBy },
        { where: sql`${known} and t.${columnOf(first.column.fno)} is null`, orderBy: sql`t.rid` },
      ]
    : [inserts, { where: known, orderBy }];
  return { where: conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`, segments };
}

function conditionSql(model: CollectionModel, condition: FilterCondition, index: number): Sql {
  if (condition.field === runFilterField) {
    const runIds = (condition.values ?? []).map(String);
    return sql`t.p and exists (select 1 from ${pendingTableOf(model.collectionId)} o
      where o.rid = t.rid and o.origin ->> 'runId' = any(${runIds}::text[]))`;
  }
  const column = columnAt(model, condition.field, `filter[${index}].field`);
  const ref = sql`t.${columnOf(column.fno)}`;
  const refuse = (reason: string): never => {
    throw new AppError('MALFORMED', {
      text: { key: 'error.MALFORMED', params: { reason: `filter[${index}]: ${reason}` } },
    });
  };
  const { operator } = condition;
  if (operator === 'isEmpty')
    return isText(column) ? sql`(${ref} is null or ${ref} = '')` : sql`${ref} is null`;
  if (operator === 'isNotEmpty')
    return isText(column) ? sql`(${ref} is not null and ${ref} <> '')` : sql`${ref} is not null`;
  if (operator === 'isTrue') return sql`${ref}`;
  if (operator === 'isFalse') return sql`not ${ref}`;
  if (operator === 'in' || operator === 'notIn') {
    const values = (condition.values ?? refuse('values are missing')).map((value) =>
      typedText(column, value, refuse),
    );
    const texts = values.filter((value) => value !== null);
    const list = sql`${ref} = any(${texts}::${sql.raw(column.pgType)}[])`;
    const withEmpty = values.includes(null) ? sql`(${list} or ${ref} is null)` : list;
    return operator === 'in' ? withEmpty : sql`(${withEmpty}) is not true`;
  }
  const given = condition.value ?? null;
  if (given === null) return refuse('a value is missing');
  switch (operator) {
    case 'contains': {
      const exact = likeSql(ref, `%${escapeLike(given)}%`);
      const rough = mayHold(model, [column], String(given));
      return rough ? sql`(${rough} and ${exact})` : exact;
    }
    case 'doesNotContain':
      return sql`(${likeSql(ref, `%${escapeLike(given)}%`)}) is not true`;
    case 'beginsWith':
      return likeSql(ref, `${escapeLike(given)}%`);
    case 'endsWith':
      return likeSql(ref, `%${escapeLike(given)}`);
    case 'equals':
    case 'doesNotEqual': {
      const equal = equalSql(column, ref, given, refuse);
      return operator === 'equals' ? equal : sql`(${equal}) is not true`;
    }
    case 'greaterThan':
    case 'after':
      return isDayOf(column, given)
        ? sql`${ref} >= ${given}::date + 1`
        : sql`${ref} > ${castSql(column, given, refuse)}`;
    case 'lessThan':
    case 'before':
      return sql`${ref} < ${castSql(column, given, refuse)}`;
    case 'greaterThanOrEqual':
      return sql`${ref} >= ${castSql(column, given, refuse)}`;
    case 'lessThanOrEqual':
      return sql`${ref} <= ${castSql(column, given, refuse)}`;
  }
}

/** A date given for a datetime means the whole day (decisions Q-FILT-02). */
const isDayOf = (column: Column, value: Scalar): boolean =>
  column.pgType === 'timestamptz' && typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);

function equalSql(column: Column, ref: Sql, given: Scalar, refuse: (reason: string) => never): Sql {
  if (isDayOf(column, given)) return sql`(${ref} >= ${given}::date and ${ref} < ${given}::date + 1)`;
  // People do not think of case when they look for a name; ids and numbers have none.
  if (isText(column)) return sql`lower(${ref}) = lower(${String(given)})`;
  return sql`${ref} = ${castSql(column, given, refuse)}`;
}

function castSql(column: Column, given: Scalar, refuse: (reason: string) => never): Sql {
  return sql`${typedText(column, given, refuse)}::${sql.raw(column.pgType)}`;
}

const shapes: Partial<Record<Column['pgType'], RegExp>> = {
  bigint: /^-?\d{1,18}$/,
  numeric: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  'double precision': /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  boolean: /^(true|false)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  time: /^\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?$/,
  timestamptz:
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/,
};

function typedText(column: Column, value: Scalar, refuse: (reason: string) => never): string | null {
  if (value === null) return null;
  const text = String(value);
  const shape = shapes[column.pgType];
  if (shape && !shape.test(text)) return refuse(`'${text}' is no value of ${column.path}`);
  return text;
}

const escapeLike = (value: Scalar): string => String(value).replace(/[\\%_]/g, '\\$&');
/** Lower case of ASCII is enough for a pattern of ASCII, and costs a good deal less than all of Unicode's. */
const likeSql = (ref: Sql, pattern: string): Sql =>
  Buffer.byteLength(pattern) === pattern.length
    ? sql`lower(${ref}::text collate "C") like ${pattern.toLowerCase()}`
    : sql`${ref}::text ilike ${pattern}`;
