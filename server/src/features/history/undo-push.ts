import type { ReplyOf, undoPush as undoPushEndpoint } from '@sluice/contract';
import { isSameValue } from '@sluice/mapping';
import type { UserActor } from '../../platform/actor.ts';
import { rows, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate } from '../../platform/mutate.ts';
import { tableOf, textOfValue, valueOfText } from '../cache/model.ts';
import { lockPart, type Part, stageCells } from '../bulk/stage.ts';
import { currentTexts, imagesOf, type LockedRow, nextRevision } from '../pending/apply.ts';
import { insertRows } from '../pending/insert-rows.ts';
import { type CellTexts, isReadOnly } from '../pending/changes.ts';
import * as journal from '../pending/journal.ts';
import { revalidateSharing, sharersOf } from '../pending/revalidate.ts';
import { markDeleted, type PendingServices, publishRows } from '../pending/service.ts';
import { findPush, type PushItem } from '../push/store.ts';
import { openCached, requireRight } from '../records/context.ts';
import { ridOf } from '../records/service.ts';
import { listDone } from './store.ts';

type UndoReply = ReplyOf<typeof undoPushEndpoint>;
type Texts = ReadonlyMap<number, ReadonlyMap<number, string | null>>;

/** The opposite of what was pushed needs the opposite right. */
const rightOf = { u: 'update', i: 'delete', d: 'create' } as const;

/** What was left as it is, and why it is told: a record and, where it is only one cell, its field. */
interface Work extends Part {
  current: Texts;
  skipped: UndoReply['skipped'];
}

const leave = ({ skipped }: Work, { rid, label }: PushItem, field: string | null): void => {
  skipped.push({ id: String(rid), label, field });
};

/**
 * Takes a push back as one step of pending changes: old values, deletes of what was added, and what was deleted as
 * new records. What somebody has changed since, here or in the external system, stays and is told.
 */
export async function takePushBack(
  services: PendingServices,
  actor: UserActor,
  path: string,
  pushId: string,
  ids: readonly string[] | undefined,
): Promise<UndoReply> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  const push = await findPush(services.pool, pushId);
  if (push?.collection_id !== model.collectionId) throw new AppError('NOT_FOUND');
  const items = await listDone(services.pool, pushId, ids?.map(ridOf) ?? null);
  for (const action of new Set(items.map((item) => item.action))) requireRight(context, rightOf[action]);
  const take = (action: PushItem['action']) => items.filter((item) => item.action === action);

  return await mutate(
    { pool: services.pool, actor },
    'push.undo',
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const present = items.filter(({ action }) => action !== 'd').map(({ rid }) => rid);
      const locked = await lockPart(tx, model, present, {});
      const fnos = new Set(
        items.flatMap(({ payload }) =>
          Object.keys(payload ?? {}).flatMap((field) => model.byPath.get(field)?.fno ?? []),
        ),
      );
      const current = await currentTexts(tx, model, present, [...fnos]);
      const base = { tx, context, actor, services, options: {}, skips: {}, ...locked };
      const work: Work = { ...base, current, skipped: [] };
      const cells = oldCells(work, take('u'));
      const staged = await stageCells(work, 'undoPush', cells, 0);
      const removed = await markAdded(work, staged.editId, take('i'));
      const added = await addDeleted(work, staged.editId, take('d'));
      const undone = { insert: added.length, update: staged.changed.length, delete: removed.length };
      const isAny = undone.insert + undone.update + undone.delete > 0;
      tx.audit(`push:${pushId}`, { editId: staged.editId, undone });
      return { editId: isAny ? staged.editId : null, undone, skipped: work.skipped };
    },
  );
}

/** The row as it may be changed, or null: gone, on its way, or about to be deleted. */
function rowOf({ current, pending }: Work, { rid }: PushItem): { row: LockedRow | null } | null {
  if (!current.has(rid)) return null;
  const row = pending.get(rid) ?? null;
  return row?.push_id || row?.action === 'd' || row?.action === 'i' ? null : { row };
}

/** Cells that still hold what was pushed get back what they held before. */
function oldCells(work: Work, items: readonly PushItem[]): Map<number, CellTexts> {
  const { context, current } = work;
  const wanted = new Map<number, CellTexts>();
  for (const item of items) {
    const found = rowOf(work, item);
    if (!found) {
      leave(work, item, null);
      continue;
    }
    const texts = new Map<number, string | null>();
    for (const [field, pushed] of Object.entries(item.payload ?? {})) {
      const column = context.model.byPath.get(field);
      const before = item.before?.[field] ?? null;
      const now = column ? valueOfText(column.pgType, current.get(item.rid)?.get(column.fno) ?? null) : null;
      if (column && !found.row?.cells[column.fno] && isSameValue(now, before)) continue;
      const isOurs = column && !found.row?.cells[column.fno] && isSameValue(now, pushed);
      if (!isOurs || isReadOnly(column, false)) leave(work, item, field);
      else texts.set(column.fno, textOfValue(column.pgType, before));
    }
    if (texts.size > 0) wanted.set(item.rid, texts);
  }
  return wanted;
}

/** Records that the push added become pending deletes, unless somebody has worked on them since. */
async function markAdded(work: Work, editId: string, items: readonly PushItem[]): Promise<number[]> {
  const { tx, context, actor, services, current } = work;
  const { model } = context;
  const marks: number[] = [];
  for (const item of items) {
    // What the external system made of a value while it stored it is nobody's change.
    const made = new Set((item.errors ?? []).map(({ field }) => field));
    const isSame = Object.entries(item.payload ?? {}).every(([field, pushed]) => {
      const column = model.byPath.get(field);
      const now = column && valueOfText(column.pgType, current.get(item.rid)?.get(column.fno) ?? null);
      return now === undefined || made.has(field) || isSameValue(now, pushed);
    });
    const found = rowOf(work, item);
    if (found && !found.row && isSame) marks.push(item.rid);
    else leave(work, item, null);
  }
  if (marks.length === 0) return marks;
  const sharers = await sharersOf(tx, model, marks);
  await markDeleted(tx, model, actor, services.now(), marks);
  await journal.addRows(
    tx,
    editId,
    marks.map((rid) => ({ rid, kind: 'delete', before: null, after: null })),
  );
  publishRows(tx, model, await revalidateSharing(tx, model, marks, sharers));
  return marks;
}

/** Records that the push deleted become new ones with the values that they had. */
async function addDeleted(work: Work, editId: string, items: readonly PushItem[]): Promise<number[]> {
  const { tx, context, actor, services } = work;
  const { model } = context;
  const keys = items.flatMap(({ key }) => (key === null ? [] : [key]));
  const back = new Set(
    (
      await rows<{ k: string }>(
        tx,
        sql`select k from ${tableOf(model.collectionId)} where k = any(${keys}::text[])`,
      )
    ).map(({ k }) => k),
  );
  const records: { rid: null; texts: CellTexts }[] = [];
  for (const item of items) {
    // Somebody has put it back already, or the push did not keep what it deleted.
    // What the record held stands in the payload: a delete sends none of it.
    if (!item.payload || (item.key !== null && back.has(item.key))) {
      leave(work, item, null);
      continue;
    }
    const texts = Object.entries(item.payload).flatMap(([field, value]) => {
      const column = model.byPath.get(field);
      if (!column || value === null || isReadOnly(column, true)) return [];
      return [[column.fno, textOfValue(column.pgType, value)] as const];
    });
    records.push({ rid: null, texts: new Map(texts) });
  }
  if (records.length === 0) return [];
  const author = { userId: actor.userId, at: services.now(), revision: await nextRevision(tx) };
  const rids = await insertRows(tx, model, author, records);
  const images = await imagesOf(tx, model, rids);
  await journal.addRows(
    tx,
    editId,
    rids.map((rid) => ({ rid, kind: 'add', before: null, after: images.get(rid) ?? null })),
  );
  publishRows(tx, model, await revalidateSharing(tx, model, rids, []));
  return rids;
}
