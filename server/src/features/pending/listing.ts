import type { PendingCounts, PendingOperation, Value } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { type Db, row, rows, sql } from '../../platform/db.ts';
import { type CollectionModel, isOfAuthor, pendingTableOf } from '../cache/model.ts';
import { type ContextServices, openCached } from '../records/context.ts';
import { readRows } from '../records/service.ts';
import { operationOf, wireContext } from './wire.ts';

/** The pending operations with their records, for the review before a push. */
export async function listPending(
  services: ContextServices,
  actor: UserActor,
  path: string,
  query: {
    limit?: number | undefined;
    offset?: number | undefined;
    state?: PendingOperation['state'] | undefined;
    mine?: string | undefined;
  },
) {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const offset = query.offset ?? 0;
  const limit = query.limit ?? 1000;
  const isMine = sql`(author = ${actor.userId} or cells @? ${`$.*.a ? (@ == ${actor.userId})`}::jsonpath)`;
  const conditions = [
    ...(query.state ? [sql`${stateSql} = ${query.state}`] : []),
    ...(query.mine === 'true' ? [isMine] : []),
  ];
  const where = conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
  const pendingTable = pendingTableOf(model.collectionId);
  const found = await rows<{ rid: number }>(
    services.pool,
    sql`select rid from ${pendingTable} where ${where} order by action = 'd', action = 'u', rid offset ${offset} limit ${limit}`,
  );
  const total = await row<{ n: number }>(
    services.pool,
    sql`select count(*)::int as n from ${pendingTable} where ${where}`,
  );
  const records = (
    await readRows(
      services.pool,
      model,
      found.map(({ rid }) => rid),
    )
  ).filter((record) => record !== null);
  const wire = await wireContext(
    services.pool,
    model,
    actor.locale,
    records.flatMap(({ pending }) => (pending ? [pending] : [])),
  );
  const position = new Map(model.columns.map(({ fno, path: field }, index) => [fno, { index, field }]));
  const valueAt = (values: readonly Value[], field: string | undefined): string | null => {
    const index = model.columns.findIndex((column) => column.path === field);
    const value = values[index] ?? null;
    return value === null ? null : String(value);
  };
  // A new record has no label of the external system's yet: its first text tells one from the other, an option does not.
  const firstText = ({ pending, values }: (typeof records)[number]): string | null =>
    pending?.action === 'i'
      ? ((
          values.find(
            (value, index) =>
              model.columns[index]?.pgType === 'text' &&
              !model.columns[index].field.options &&
              String(value ?? '').trim() !== '',
          ) ?? null
        )?.toString() ?? null)
      : null;
  return {
    resources: records.flatMap((record) =>
      record.pending
        ? [
            {
              operation: withValues(
                operationOf(
                  wire,
                  record.pending,
                  (fno) => record.values[position.get(fno)?.index ?? -1] ?? null,
                ),
                model,
                record.values,
              ),
              key:
                model.description.keyFields
                  .map((field) => valueAt(record.values, field))
                  .filter((value) => value !== null)
                  .join(' ') || null,
              label: valueAt(record.values, model.description.labelField ?? undefined) ?? firstText(record),
            },
          ]
        : [],
    ),
    offset,
    maxLimit: 10_000,
    total: total?.n ?? 0,
    counts: await countPending(services.pool, model, actor.userId),
  };
}

/** What a run of a connector adds is stored without a list of its cells: they are all that have a value. */
function withValues(
  operation: PendingOperation,
  model: CollectionModel,
  values: readonly Value[],
): PendingOperation {
  if (operation.action !== 'add' || operation.changes.length > 0) return operation;
  const { id, authoredBy, createdAt } = operation;
  const changes = model.columns.flatMap(({ path: fieldName }, index) => {
    const newValue = values[index] ?? null;
    return newValue === null
      ? []
      : [
          {
            action: 'add' as const,
            id,
            fieldName,
            oldValue: null,
            newValue,
            authoredBy,
            authoredAt: createdAt,
          },
        ];
  });
  return { ...operation, changes };
}

const stateSql = sql`case when push_id is not null then 'beingPushed' when errors is not null or is_unknown then 'rejected'
  when has_conflict or is_gone then 'conflict' when invalid is not null then 'invalid' else 'pending' end`;

export async function countPending(db: Db, model: CollectionModel, userId: number): Promise<PendingCounts> {
  const counted = await row<PendingCounts>(
    db,
    sql`select count(*) filter (where action = 'i')::int as insert, count(*) filter (where action = 'u')::int as update,
          count(*) filter (where action = 'd')::int as delete,
          count(*) filter (where ${stateSql} = 'invalid')::int as invalid,
          count(*) filter (where ${stateSql} = 'conflict')::int as conflict,
          count(*) filter (where ${stateSql} = 'rejected')::int as rejected,
          count(*) filter (where ${stateSql} = 'beingPushed')::int as "beingPushed",
          count(*) filter (where ${isOfAuthor(userId)})::int as mine,
          min(created_at) as "oldestAt"
        from ${pendingTableOf(model.collectionId)}`,
  );
  return (
    counted ?? {
      insert: 0,
      update: 0,
      delete: 0,
      invalid: 0,
      conflict: 0,
      rejected: 0,
      beingPushed: 0,
      mine: 0,
      oldestAt: null,
    }
  );
}
