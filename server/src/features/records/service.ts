import {
  type ColumnsReply,
  maxLimit,
  type PendingOperation,
  type QueryOf,
  type ReceivedError,
  type RecordsReply,
  type Value,
  type getRecords as getRecordsEndpoint,
} from '@sluice/contract';
import type { Actor } from '../../platform/actor.ts';
import { arraysOf, type Db, type Prepared, prepare, row, rows, type Sql, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { BadValue } from '../cache/encode.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import {
  groupOperations,
  operationOf,
  pendingColumn,
  type PendingRow,
  pendingRowOf,
  receivedErrorsOf,
  wireContext,
  type WireContext,
} from '../pending/wire.ts';
import {
  type CollectionContext,
  type ContextServices,
  lastModel,
  metadataOf,
  openCached,
} from './context.ts';
import { noteSearch } from './search-index.ts';
import { noteSortedColumns } from './column-indexes.ts';
import { viewSqlFor } from './shown.ts';
import type { ViewSpec } from './view-sql.ts';
import { firstRids, type Snapshots } from './views.ts';

export interface RecordServices extends ContextServices {
  snapshots: Snapshots;
  /** The organisation's. */
  timeZone: string;
}

type RecordsQuery = QueryOf<typeof getRecordsEndpoint>;

const defaultLimit = 1000;

/** One record of the cache with what is pending on it. */
interface ReadRow {
  rid: number;
  /** By position of the model's columns. */
  values: Value[];
  bad: Record<string, BadValue> | null;
  pending: PendingRow | null;
}

export function viewOf(
  query: Pick<
    RecordsQuery,
    | 'filter'
    | 'search'
    | 'searchDataType'
    | 'searchFields'
    | 'matchCase'
    | 'matchWholeWord'
    | 'orderBy'
    | 'sortOrder'
  >,
): ViewSpec {
  const directions = query.sortOrder?.split(',') ?? [];
  return {
    filter: query.filter ?? [],
    search: query.search
      ? {
          text: query.search,
          dataType: query.searchDataType ?? 'any',
          matchCase: query.matchCase ?? false,
          matchWholeWord: query.matchWholeWord ?? false,
          fields: query.searchFields?.split(',') ?? null,
        }
      : null,
    order: (query.orderBy ?? '')
      .split(',')
      .filter(Boolean)
      .map((path, index) => ({ path, isDescending: directions[index] === 'descending' })),
  };
}

const statements = new WeakMap<CollectionModel, Prepared>();

/** Reads the rows whose ids are its parameter, in their order. A field of another type gets another column. */
function rowsByRids(model: CollectionModel): Prepared {
  const known = statements.get(model);
  if (known) return known;
  const columns = model.columns.map(({ fno }) => sql`t.${columnOf(fno)}`);
  const made = prepare(
    sql`select t.rid, t.bad, ${pendingColumn(model)}${columns.length > 0 ? sql`, ${sql.join(columns)}` : sql``}
        from unnest(${[]}::int4[]) with ordinality x(rid, o)
          left join ${tableOf(model.collectionId)} t on t.rid = x.rid
        order by x.o`,
  );
  statements.set(model, made);
  return made;
}

/** The rows in the order of the ids; an id that is gone gives null. */
export async function readRows(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
): Promise<(ReadRow | null)[]> {
  if (rids.length === 0) return [];
  const found = await arraysOf(db, rowsByRids(model), [rids]);
  return found.map((cells) =>
    cells[0] === null
      ? null
      : {
          rid: cells[0] as number,
          bad: cells[1] as ReadRow['bad'],
          pending: pendingRowOf(cells[2]),
          values: cells.slice(3) as Value[],
        },
  );
}

/** A value that could not be stored is shown as it came, unless somebody has changed it since. */
function shownValue(model: CollectionModel, record: ReadRow, index: number): Value {
  const fno = model.columns[index]?.fno ?? 0;
  const raw = record.bad?.[fno]?.r;
  return raw !== undefined && !record.pending?.cells[fno] ? raw : (record.values[index] ?? null);
}

/** The record's values by field id, as an adapter would deliver them. */
export function valuesOf(model: CollectionModel, record: ReadRow): Record<string, Value> {
  return Object.fromEntries(model.columns.map(({ path }, index) => [path, shownValue(model, record, index)]));
}

export function resourceOf(
  model: CollectionModel,
  record: ReadRow,
): { internalId: string } & Record<string, Value> {
  const resource: { internalId: string } & Record<string, Value> = { internalId: String(record.rid) };
  model.columns.forEach(({ path }, index) => {
    setPath(resource, path.split('.'), shownValue(model, record, index));
  });
  return resource;
}

function setPath(target: Record<string, Value>, [first = '', ...rest]: string[], value: Value): void {
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = target[first];
  const holder = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
  target[first] = holder;
  setPath(holder, rest, value);
}

function valueByFno(model: CollectionModel, record: ReadRow): (fno: number) => Value {
  return (fno) => record.values[model.positions.get(fno) ?? -1] ?? null;
}

export async function operationsOf(
  db: Db,
  model: CollectionModel,
  actor: Actor,
  records: readonly ReadRow[],
): Promise<{ wire: WireContext; operations: PendingOperation[] }> {
  const pending = records.flatMap((record) => (record.pending ? [record.pending] : []));
  const wire = await wireContext(db, model, actor.locale, pending);
  const operations = records.flatMap((record) =>
    record.pending ? [operationOf(wire, record.pending, valueByFno(model, record))] : [],
  );
  return { wire, operations };
}

interface PageOfRids {
  rids: number[];
  total: number | null;
  snapshot: string | null;
  snapshotChanged: boolean;
}

async function pageOf(
  services: RecordServices,
  actor: Actor,
  context: CollectionContext,
  query: RecordsQuery,
  offset: number,
  limit: number,
): Promise<PageOfRids> {
  const { pool, snapshots } = services;
  const { model } = context;
  const known = query.snapshot && query.snapshot !== 'new' ? snapshots.find(query.snapshot) : null;
  const isOwn = known?.collectionId === model.collectionId;
  if (known && isOwn) {
    return {
      rids: [...known.rids.subarray(offset, offset + limit)],
      total: query.noTotal ? null : known.rids.length,
      snapshot: known.token,
      snapshotChanged: known.generation !== model.generation,
    };
  }
  const view = viewOf(query);
  const parts = await viewSqlFor(services, actor, model, view);
  await noteSortedColumns(pool, model, view);
  if (view.search || view.filter.some(({ operator }) => operator === 'contains'))
    await noteSearch(pool, model);
  // Nobody waits for a count to see the first rows.
  if (!query.snapshot && offset + limit <= maxLimit) {
    const rids = limit > 0 ? await firstRids(pool, model, parts, offset, limit) : [];
    const total = query.noTotal ? null : await countRows(pool, model, parts.where);
    return { rids, total, snapshot: null, snapshotChanged: false };
  }
  const built = await snapshots.build(pool, model, view, parts);
  return {
    rids: [...built.rids.subarray(offset, offset + limit)],
    total: query.noTotal ? null : built.rids.length,
    snapshot: built.token,
    // The asked one is gone from memory: this is a new one, and positions may have moved.
    snapshotChanged: query.snapshot !== undefined && query.snapshot !== 'new',
  };
}

export async function countRows(db: Db, model: CollectionModel, where: Sql): Promise<number> {
  const counted = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from ${tableOf(model.collectionId)} t where ${where}`,
  );
  return counted?.n ?? 0;
}

export async function getRecords(
  services: RecordServices,
  actor: Actor,
  path: string,
  query: RecordsQuery,
  form: 'columns' | 'objects',
): Promise<ColumnsReply | RecordsReply> {
  const ahead = readAhead(services, query);
  const context = await openCached(services, actor, path);
  const { model } = context;
  if (query.limit === -1) {
    throw new AppError('MALFORMED', {
      text: { key: 'error.MALFORMED', params: { reason: 'limit -1 is not for data collections' } },
    });
  }
  const { offset, limit } = spanOf(query);
  const { rids, ...page } = await pageOf(services, actor, context, query, offset, limit);
  const isSame = ahead?.model === model && ahead.snapshot === page.snapshot;
  const early = isSame ? await ahead.records : null;
  const records = early ?? (await readRows(services.pool, model, rids));
  const common = {
    offset,
    maxLimit,
    ...page,
    ...(query.metadata
      ? { metadata: metadataOf(context, actor.locale, query.metadata === 'field-options') }
      : {}),
    ...(query.templateResource ? { templateResource: templateOf(model) } : {}),
    ...(query.pendingOperations || query.pendingResources
      ? await allPending(services, actor, model, query)
      : {}),
  };
  if (form === 'objects') {
    return { resources: records.flatMap((record) => (record ? [resourceOf(model, record)] : [])), ...common };
  }
  const present = records.filter((record) => record !== null);
  const { wire, operations } = await operationsOf(services.pool, model, actor, present);
  const receivedErrors: Record<string, ReceivedError[]> = {};
  for (const record of present) {
    if (record.bad)
      receivedErrors[record.rid] = receivedErrorsOf(wire, record.bad, valueByFno(model, record));
  }
  return {
    ids: records.map((record) => (record ? String(record.rid) : null)),
    columns: Object.fromEntries(
      model.columns.map(({ path: field }, index) => [
        field,
        records.map((record) => (record ? shownValue(model, record, index) : null)),
      ]),
    ),
    operations,
    receivedErrors,
    ...common,
  };
}

const spanOf = (query: RecordsQuery): { offset: number; limit: number } => ({
  offset: query.offset ?? 0,
  limit: Math.min(query.limit ?? defaultLimit, maxLimit),
});

/**
 * A page of a snapshot, read while the collection is looked up: two questions to PostgreSQL at once instead of one
 * after the other. Counts only where model and snapshot turn out to be the same; null records: ask again.
 */
function readAhead(
  { pool, snapshots }: RecordServices,
  query: RecordsQuery,
): { model: CollectionModel; snapshot: string; records: Promise<(ReadRow | null)[] | null> } | null {
  const known = query.snapshot && query.snapshot !== 'new' ? snapshots.find(query.snapshot) : null;
  const model = known ? lastModel(pool, known.collectionId) : null;
  if (!known || !model || query.limit === -1) return null;
  const { offset, limit } = spanOf(query);
  const rids = [...known.rids.subarray(offset, offset + limit)];
  return { model, snapshot: known.token, records: readRows(pool, model, rids).catch(() => null) };
}

/** Default values of a new record (EDIT-05). */
function templateOf(model: CollectionModel): Record<string, Value> {
  return Object.fromEntries(
    model.columns.flatMap(({ path, field }) =>
      field.defaultValue === undefined ? [] : [[path, field.defaultValue]],
    ),
  );
}

async function allPending(
  services: RecordServices,
  actor: Actor,
  model: CollectionModel,
  query: RecordsQuery,
): Promise<Partial<RecordsReply>> {
  const pending = await rows<{ rid: number }>(
    services.pool,
    sql`select rid from ${pendingTableOf(model.collectionId)} order by rid limit ${maxPending}`,
  );
  const records = (
    await readRows(
      services.pool,
      model,
      pending.map(({ rid }) => rid),
    )
  ).filter((record) => record !== null);
  const { operations } = await operationsOf(services.pool, model, actor, records);
  return {
    ...(query.pendingOperations ? { pendingOperations: groupOperations(operations) } : {}),
    ...(query.pendingResources
      ? { pendingResources: records.map((record) => resourceOf(model, record)) }
      : {}),
  };
}

/** More pending operations than this are paged with GET {path}/pending. */
const maxPending = 10_000;

export async function getRecord(
  services: RecordServices,
  actor: Actor,
  path: string,
  id: string,
  metadata: 'fields' | 'field-options' | undefined,
) {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const [record] = await readRows(services.pool, model, [ridOf(id)]);
  if (!record) throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id } } });
  const { wire, operations } = await operationsOf(services.pool, model, actor, [record]);
  return {
    resource: resourceOf(model, record),
    pendingOperations: groupOperations(operations),
    receivedErrors: receivedErrorsOf(wire, record.bad, valueByFno(model, record)),
    ...(metadata ? { metadata: metadataOf(context, actor.locale, metadata === 'field-options') } : {}),
  };
}

/** A record's id on the wire is its row id: opaque to callers, the same before and after a push. */
export function ridOf(id: string): number {
  if (!/^[1-9]\d{0,9}$/.test(id) || Number(id) > 2_147_483_647) {
    throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id } } });
  }
  return Number(id);
}
