import { randomUUID } from 'node:crypto';
import type { FieldError, PendingCounts, PendingOperation, PendingReply, Value } from '@sluice/contract';
import type { Actor, UserActor } from '../../platform/actor.ts';
import { type Db, row, rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { type CollectionModel, pendingTableOf, tableOf } from '../cache/model.ts';
import {
  type CollectionContext,
  type ContextServices,
  openCached,
  requireRight,
} from '../records/context.ts';
import { operationsOf, readRows, resourceOf, ridOf } from '../records/service.ts';
import {
  applyCells,
  deleteRows,
  imagesOf,
  insertRows,
  type LockedRow,
  lockRows,
  nextRevision,
} from './apply.ts';
import { type CellTexts, isReadOnly, textsOfChanges, throwFaults } from './changes.ts';
import * as journal from './journal.ts';
import { othersOf, tellLosers } from './losses.ts';
import { revalidateSharing, sharersOf } from './revalidate.ts';
import { groupOperations, operationOf, wireContext } from './wire.ts';

export interface PendingServices extends ContextServices {
  now(): Date;
}

export interface EditOptions {
  editId?: string | undefined;
  kind?: string | undefined;
  /** `brief` leaves out of the answer what the caller knows: records that are just as they were sent. */
  answer?: 'brief' | undefined;
}

/** Tells everybody who has the table open. */
export function publishRows(
  tx: Tx,
  model: CollectionModel,
  rids: readonly number[],
  removed: readonly number[] = [],
): void {
  if (rids.length === 0 && removed.length === 0) return;
  tx.publish({
    topic: 'collection',
    collectionId: model.collectionId,
    rids: [...rids],
    removed: [...removed],
    isReloadNeeded: rids.length + removed.length > 300,
    refreshedAt: null,
  });
}

export async function beginEdit(
  tx: Tx,
  context: CollectionContext,
  actor: UserActor,
  options: EditOptions,
  kind: string,
): Promise<string> {
  const editId = options.editId ?? randomUUID();
  const isOpen = await journal.openEdit(tx, {
    editId,
    collectionId: context.model.collectionId,
    userId: actor.userId,
    kind: options.kind ?? kind,
  });
  if (!isOpen)
    throw new AppError('MALFORMED', {
      text: { key: 'error.MALFORMED', params: { reason: 'editId belongs to another step' } },
    });
  return editId;
}

export async function replyOf(
  tx: Tx,
  actor: Actor,
  model: CollectionModel,
  rids: readonly number[],
  cleared: readonly number[],
  editId: string | null,
): Promise<PendingReply> {
  const records = (await readRows(tx, model, rids)).filter((record) => record !== null);
  const { operations } = await operationsOf(tx, model, actor, records);
  return {
    resources: records.map((record) => resourceOf(model, record)),
    pendingOperations: groupOperations(operations),
    clearedIds: cleared.map(String),
    editId,
  };
}

/** New records, pending until they are pushed. */
export async function insertRecords(
  services: PendingServices,
  actor: UserActor,
  path: string,
  body: readonly Record<string, Value>[],
  options: EditOptions,
): Promise<PendingReply> {
  const context = await openCached(services, actor, path);
  requireRight(context, 'create');
  const { model } = context;
  const faults: Omit<FieldError, 'message'>[] = [];
  const texts = body.map((record, index) =>
    textsOfChanges(model, record, { place: `[${index}].`, isNew: true }, faults),
  );
  throwFaults(faults);
  return await mutate(
    { pool: services.pool, actor },
    'records.insert',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const editId = await beginEdit(tx, context, actor, options, 'add');
      const author = { userId: actor.userId, at: services.now(), revision: await nextRevision(tx) };
      const rids = await insertRows(
        tx,
        model,
        author,
        texts.map((of) => ({ rid: null, texts: of })),
      );
      const images = await imagesOf(tx, model, rids);
      await journal.addRows(
        tx,
        editId,
        rids.map((rid) => ({ rid, kind: 'add', before: null, after: images.get(rid) ?? null })),
      );
      publishRows(tx, model, await revalidateSharing(tx, model, rids, []));
      tx.audit(`collection:${model.collectionId}`, { editId, records: rids.length });
      return await replyOf(tx, actor, model, rids, [], editId);
    },
  );
}

export interface DeleteReply {
  deleted: number;
  refused: { id: string; reason: 'notFound' | 'beingPushed' }[];
  pendingOperations: ReturnType<typeof groupOperations>;
  removedIds: string[];
  editId: string | null;
}

/** Records become pending deletes; a pending insert is simply dropped (decisions Q-PEND-07). */
export async function deleteRecords(
  services: PendingServices,
  actor: UserActor,
  path: string,
  ids: readonly string[],
  options: EditOptions,
): Promise<DeleteReply> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const rids = [...new Set(ids.map(ridOf))];
  return await mutate(
    { pool: services.pool, actor },
    'records.delete',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const locked = await lockRows(tx, model, rids);
      const refused: DeleteReply['refused'] = [];
      const inserts: number[] = [];
      const marks: number[] = [];
      const dropped: LockedRow[] = [];
      for (const rid of rids) {
        const row = locked.get(rid);
        if (!row) refused.push({ id: String(rid), reason: 'notFound' });
        else if (row.push_id) refused.push({ id: String(rid), reason: 'beingPushed' });
        else if (row.action === 'i') {
          inserts.push(rid);
          dropped.push(row);
        } else if (row.action !== 'd') marks.push(rid);
      }
      if (marks.length > 0) requireRight(context, 'delete');
      // To delete what another wants to add is to discard it (decisions Q-PEND-07, Q-PEND-12).
      if (dropped.some((row) => othersOf(row, actor).length > 0)) requireRight(context, 'create');
      const sharers = await sharersOf(tx, model, [...inserts, ...marks]);
      const editId = await beginEdit(tx, context, actor, options, 'delete');
      const before = await imagesOf(tx, model, [...inserts, ...marks]);
      await deleteRows(tx, model, inserts);
      await tellLosers(tx, context, actor, dropped);
      await markDeleted(tx, model, actor, services.now(), marks);
      await journal.addRows(
        tx,
        editId,
        [...inserts, ...marks].map((rid) => ({
          rid,
          kind: 'delete',
          before: before.get(rid) ?? null,
          after: null,
        })),
      );
      publishRows(tx, model, await revalidateSharing(tx, model, marks, sharers), inserts);
      tx.audit(`collection:${model.collectionId}`, { editId, records: inserts.length + marks.length });
      const reply = await replyOf(tx, actor, model, marks.slice(0, maxReplied), [], editId);
      return {
        deleted: inserts.length + marks.length,
        refused,
        pendingOperations: reply.pendingOperations,
        removedIds: inserts.map(String),
        editId: inserts.length + marks.length > 0 ? editId : null,
      };
    },
  );
}

export async function deleteRecord(
  services: PendingServices,
  actor: UserActor,
  path: string,
  id: string,
): Promise<void> {
  const { refused } = await deleteRecords(services, actor, path, [id], {});
  if (refused[0]?.reason === 'notFound')
    throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id } } });
  if (refused[0]?.reason === 'beingPushed') throw new AppError('BEING_PUSHED', { details: { ids: [id] } });
}

/** An answer lists at most this many operations; beyond that the caller loads the table again. */
const maxReplied = 10_000;

export async function markDeleted(
  db: Db,
  model: CollectionModel,
  actor: { userId: number },
  at: Date,
  rids: readonly number[],
): Promise<void> {
  if (rids.length === 0) return;
  await rows(
    db,
    sql`with marked as (
          insert into ${pendingTableOf(model.collectionId)} as p (rid, action, revision, author, created_at, updated_at)
          select rid, 'd', nextval('pending_revision'), ${actor.userId}, ${at}, ${at} from unnest(${rids}::int4[]) v(rid)
          on conflict (rid) do update set action = 'd', revision = excluded.revision, author = excluded.author,
            updated_at = excluded.updated_at, errors = null, is_unknown = false, invalid = null
          returning rid)
        update ${tableOf(model.collectionId)} t set p = true from marked where t.rid = marked.rid and not t.p returning 1`,
  );
}

/** The pending operations with their records, for the review before a push. */
export async function listPending(
  services: PendingServices,
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
  // A new record has no label of the external system's yet: its first text tells one from the other.
  const firstText = ({ pending, values }: (typeof records)[number]): string | null =>
    pending?.action === 'i'
      ? ((
          values.find(
            (value, index) => model.columns[index]?.pgType === 'text' && String(value ?? '').trim() !== '',
          ) ?? null
        )?.toString() ?? null)
      : null;
  return {
    resources: records.flatMap((record) =>
      record.pending
        ? [
            {
              operation: operationOf(
                wire,
                record.pending,
                (fno) => record.values[position.get(fno)?.index ?? -1] ?? null,
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
          count(*) filter (where author = ${userId} or cells @? ${`$.*.a ? (@ == ${userId})`}::jsonpath)::int as mine
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
    }
  );
}

/** Decides conflicts of records whose external value moved, or that vanished (decisions Q-PEND-05, Q-PEND-06). */
export async function resolveConflicts(
  services: PendingServices,
  actor: UserActor,
  path: string,
  body: readonly {
    id: string;
    field?: string | undefined;
    choice: 'keepMine' | 'takeTheirs' | 'insertAgain' | 'discard';
  }[],
) {
  const context = await openCached(services, actor, path);
  requireRight(context, 'update');
  const { model } = context;
  const rids = [...new Set(body.map(({ id }) => ridOf(id)))];
  return await mutate(
    { pool: services.pool, actor },
    'records.resolve',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const locked = await lockRows(tx, model, rids);
      const sharers = await sharersOf(tx, model, rids);
      const theirs = new Map<number, CellTexts>();
      const removed: number[] = [];
      for (const { id, field, choice } of body) {
        const rid = ridOf(id);
        const row = locked.get(rid);
        if (!row?.action)
          throw new AppError('NOT_FOUND', { text: { key: 'record.notFound', params: { id } } });
        if (row.push_id) throw new AppError('BEING_PUSHED', { details: { ids: [id] } });
        const fno = field === undefined ? null : model.byPath.get(field)?.fno;
        const conflicting = Object.entries(row.cells).filter(
          ([key, cell]) => cell.c !== undefined && (fno === null || key === String(fno)),
        );
        if (choice === 'keepMine')
          await keepMine(
            tx,
            model,
            rid,
            conflicting.map(([key]) => key),
            row,
          );
        else if (choice === 'takeTheirs') {
          const texts = theirs.get(rid) ?? new Map<number, string | null>();
          for (const [key, cell] of conflicting) texts.set(Number(key), cell.c ?? null);
          theirs.set(rid, texts);
        } else if (row.is_gone && choice === 'insertAgain')
          await insertAgain(tx, model, rid, actor, services.now());
        else if (row.is_gone && choice === 'discard') removed.push(rid);
      }
      const revision = await nextRevision(tx);
      const applied = await applyCells(
        tx,
        model,
        { userId: actor.userId, at: services.now(), revision },
        locked,
        theirs,
      );
      await deleteRows(tx, model, removed);
      const kept = rids.filter((rid) => !removed.includes(rid));
      publishRows(tx, model, await revalidateSharing(tx, model, kept, sharers), removed);
      tx.audit(`collection:${model.collectionId}`, { decisions: body.length });
      const reply = await replyOf(tx, actor, model, rids, applied.cleared, null);
      return {
        resources: reply.resources,
        pendingOperations: reply.pendingOperations,
        clearedIds: [...applied.cleared, ...removed].map(String),
      };
    },
  );
}

async function keepMine(
  tx: Tx,
  model: CollectionModel,
  rid: number,
  keys: readonly string[],
  row: LockedRow,
): Promise<void> {
  const cells = { ...row.cells };
  for (const key of keys) {
    const cell = cells[key];
    if (!cell || cell.c === undefined) continue;
    const { c, ...rest } = cell;
    cells[key] = { ...rest, o: c };
  }
  row.cells = cells;
  await rows(
    tx,
    sql`update ${pendingTableOf(model.collectionId)} set cells = ${JSON.stringify(cells)}, errors = null,
          has_conflict = ${Object.values(cells).some((cell) => cell.c !== undefined)}, revision = nextval('pending_revision')
        where rid = ${rid} returning 1`,
  );
}

/** A record that vanished under its changes becomes a new one with all its values. */
async function insertAgain(
  tx: Tx,
  model: CollectionModel,
  rid: number,
  actor: UserActor,
  at: Date,
): Promise<void> {
  const [record] = await readRows(tx, model, [rid]);
  if (!record) return;
  const revision = await nextRevision(tx);
  const cells = Object.fromEntries(
    model.columns.flatMap((column, index) =>
      record.values[index] === null || isReadOnly(column, true)
        ? []
        : [[column.fno, { o: null, a: actor.userId, t: at.getTime(), r: revision }]],
    ),
  );
  await rows(
    tx,
    sql`update ${tableOf(model.collectionId)} set k = null, ver = null where rid = ${rid} returning 1`,
  );
  await rows(
    tx,
    sql`update ${pendingTableOf(model.collectionId)} set action = 'i', cells = ${JSON.stringify(cells)}, is_gone = false,
          has_conflict = false, errors = null, is_unknown = false, revision = ${revision} where rid = ${rid} returning 1`,
  );
}
