import type { Value } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { type CollectionModel, pendingTableOf, tableOf } from '../cache/model.ts';
import { openCached, requireRight } from '../records/context.ts';
import { readRows, ridOf } from '../records/service.ts';
import { applyCells, deleteRows, type LockedRow, lockRows, nextRevision } from './apply.ts';
import { type CellTexts, isReadOnly } from './changes.ts';
import { revalidateSharing, sharersOf } from './revalidate.ts';
import { type PendingServices, publishRows, replyOf } from './service.ts';

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
      isEmpty(record.values[index]) || isReadOnly(column, true)
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

/** An empty list is nothing that anybody has filled in. */
const isEmpty = (value: Value | undefined): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
