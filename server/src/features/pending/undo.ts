import type { PendingOperations } from '@sluice/contract';
import type { UserActor } from '../../platform/actor.ts';
import { arrays, type Db, execute, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import { openCached } from '../records/context.ts';
import { operationsOf, readRows } from '../records/service.ts';
import {
  applyCells,
  type CellChange,
  clearPending,
  deleteRows,
  insertRows,
  type LockedRow,
  lockRows,
  nextRevision,
  type RowImage,
} from './apply.ts';
import type { CellTexts } from './changes.ts';
import * as journal from './journal.ts';
import { revalidate, sharersOf } from './revalidate.ts';
import { markDeleted, type PendingServices, publishRows } from './service.ts';
import { groupOperations } from './wire.ts';

export interface UndoReply {
  pendingOperations: PendingOperations;
  clearedIds: string[];
  removedIds: string[];
  kept: { id: string; field: string | null; reason: string }[];
}

interface Work {
  tx: Tx;
  model: CollectionModel;
  actor: UserActor;
  at: Date;
  revision: number;
  kept: UndoReply['kept'];
  touched: Set<number>;
  removed: Set<number>;
}

/** Takes one of the user's own steps back, or does it again; what others changed since stays and is reported. */
export async function replay(
  services: PendingServices,
  actor: UserActor,
  path: string,
  editId: string,
  direction: 'undo' | 'redo',
): Promise<UndoReply> {
  const context = await openCached(services, actor, path);
  const { model } = context;
  return await mutate(
    { pool: services.pool, actor },
    `records.${direction}`,
    { endpoint: context.endpoint, action: 'read' },
    async (tx) => {
      const edit = await journal.findEdit(tx, editId);
      if (
        edit?.collection_id !== model.collectionId ||
        edit.user_id !== actor.userId ||
        edit.is_undone !== (direction === 'redo')
      ) {
        throw new AppError('NOT_FOUND');
      }
      const work: Work = {
        tx,
        model,
        actor,
        at: services.now(),
        revision: await nextRevision(tx),
        kept: [],
        touched: new Set(),
        removed: new Set(),
      };
      const changes = await journal.readCells(tx, editId);
      const steps = await journal.readRowSteps(tx, editId);
      if (direction === 'undo') {
        await replayCells(
          work,
          [...changes].reverse().map((change) => ({ ...change, old: change.new, new: change.old })),
        );
        await replayRows(work, steps, direction);
      } else {
        await replayRows(work, steps, direction);
        await replayCells(work, changes);
      }
      await journal.setUndone(tx, editId, direction === 'undo');
      const touched = [...work.touched].filter((rid) => !work.removed.has(rid));
      const sharers = await sharersOf(tx, model, touched);
      await revalidate(tx, model, [...touched, ...sharers]);
      publishRows(tx, model, [...touched, ...sharers], [...work.removed]);
      tx.audit(`collection:${model.collectionId}`, {
        editId,
        records: work.touched.size,
        kept: work.kept.length,
      });
      const records = (await readRows(tx, model, touched)).filter((record) => record !== null);
      const { operations } = await operationsOf(tx, model, actor, records);
      const withOperation = new Set(operations.map(({ id }) => id));
      return {
        pendingOperations: groupOperations(operations),
        clearedIds: touched.map(String).filter((id) => !withOperation.has(id)),
        removedIds: [...work.removed].map(String),
        kept: work.kept.slice(0, 1000),
      };
    },
  );
}

function keep(work: Work, rid: number, fno: number | null, key: string): void {
  work.kept.push({
    id: String(rid),
    field: fno === null ? null : (work.model.byFno.get(fno)?.path ?? null),
    reason: text(work.actor.locale, `undo.${key}`),
  });
}

/** `old` is what the cell must hold now, `new` what it gets. */
async function replayCells(work: Work, changes: readonly CellChange[]): Promise<void> {
  const { tx, model, actor } = work;
  if (changes.length === 0) return;
  // A cell that one step changed twice goes straight to its last value.
  const net = new Map<string, CellChange>();
  for (const change of changes) {
    const key = `${change.rid}.${change.fno}`;
    const first = net.get(key);
    net.set(key, first ? { ...first, new: change.new } : change);
  }
  const rids = [...new Set([...net.values()].map(({ rid }) => rid))];
  const locked = await lockRows(tx, model, rids);
  const current = await currentTexts(tx, model, rids, [...new Set([...net.values()].map(({ fno }) => fno))]);
  const wanted = new Map<number, CellTexts>();
  for (const { rid, fno, old, new: next } of net.values()) {
    const row = locked.get(rid);
    const reason = cannotReplay(row, fno, actor.userId);
    if (reason) keep(work, rid, fno, reason);
    else if ((current.get(rid)?.get(fno) ?? null) !== old) keep(work, rid, fno, 'changedSince');
    else {
      const texts = wanted.get(rid) ?? new Map<number, string | null>();
      texts.set(fno, next);
      wanted.set(rid, texts);
    }
  }
  const author = { userId: actor.userId, at: work.at, revision: work.revision };
  const applied = await applyCells(tx, model, author, locked, wanted);
  for (const rid of [...applied.touched, ...applied.cleared]) work.touched.add(rid);
}

function cannotReplay(row: LockedRow | undefined, fno: number, userId: number): string | null {
  if (!row) return 'gone';
  if (row.push_id) return 'beingPushed';
  if (row.action === 'd') return 'deleted';
  const cell = row.cells[fno];
  return cell && cell.a !== userId ? 'changedByOther' : null;
}

async function currentTexts(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
  fnos: readonly number[],
): Promise<Map<number, Map<number, string | null>>> {
  const known = fnos.filter((fno) => model.byFno.has(fno));
  const found = await arrays(
    db,
    sql`select rid${known.length > 0 ? sql`, ${sql.join(known.map((fno) => sql`${columnOf(fno)}::text`))}` : sql``}
        from ${tableOf(model.collectionId)} where rid = any(${rids}::int4[])`,
  );
  return new Map(
    found.map(([rid, ...texts]) => [
      rid as number,
      new Map(known.map((fno, index) => [fno, texts[index] as string | null])),
    ]),
  );
}

async function replayRows(
  work: Work,
  steps: readonly journal.RowStep[],
  direction: 'undo' | 'redo',
): Promise<void> {
  const { tx, model } = work;
  const locked = await lockRows(
    tx,
    model,
    steps.map(({ rid }) => rid),
  );
  const take = (kind: journal.RowStep['kind']) => steps.filter((step) => step.kind === kind);
  if (direction === 'undo') {
    await dropInserts(work, locked, take('add'));
    await bringBack(work, locked, take('delete'));
    await bringBack(work, locked, take('discard'));
  } else {
    await reinsert(
      work,
      locked,
      take('add').map(({ rid, after }) => ({ rid, image: after })),
    );
    await deleteAgain(work, locked, take('delete'));
    await discardAgain(work, locked, take('discard'));
  }
}

async function dropInserts(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly journal.RowStep[],
): Promise<void> {
  const dropped: number[] = [];
  for (const { rid } of steps) {
    const row = locked.get(rid);
    if (!row) keep(work, rid, null, 'gone');
    else if (row.push_id) keep(work, rid, null, 'beingPushed');
    else if (row.action !== 'i') keep(work, rid, null, 'pushed');
    else if (Object.values(row.cells).some((cell) => cell.a !== work.actor.userId))
      keep(work, rid, null, 'changedByOther');
    else dropped.push(rid);
  }
  await deleteRows(work.tx, work.model, dropped);
  for (const rid of dropped) work.removed.add(rid);
}

async function reinsert(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  images: readonly { rid: number; image: RowImage | null }[],
): Promise<void> {
  const records = images.flatMap(({ rid, image }) => {
    if (!image || locked.has(rid)) return [];
    return [
      {
        rid,
        texts: new Map(
          Object.entries(image.values).flatMap(([fno, value]) =>
            work.model.byFno.has(Number(fno)) ? [[Number(fno), value] as const] : [],
          ),
        ),
        cells: image.cells,
        origin: image.origin,
        author: image.author,
        createdAt: image.createdAt,
      },
    ];
  });
  const author = { userId: work.actor.userId, at: work.at, revision: work.revision };
  for (const rid of await insertRows(work.tx, work.model, author, records)) work.touched.add(rid);
}

/** Undo of a delete or a discard: the operation as it was before. */
async function bringBack(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly journal.RowStep[],
): Promise<void> {
  const { tx, model } = work;
  await reinsert(
    work,
    locked,
    steps.filter(({ before }) => before?.action === 'i').map(({ rid, before }) => ({ rid, image: before })),
  );
  const cleared: number[] = [];
  for (const { rid, kind, before } of steps) {
    if (before?.action === 'i') continue;
    const row = locked.get(rid);
    if (!row) keep(work, rid, null, 'gone');
    else if (row.push_id) keep(work, rid, null, 'beingPushed');
    else if (kind === 'delete') {
      if (row.action !== 'd') keep(work, rid, null, 'changedSince');
      else if (!before) cleared.push(rid);
      else {
        await execute(
          tx,
          sql`update ${pendingTableOf(model.collectionId)} set action = 'u', revision = ${work.revision}, updated_at = ${work.at} where rid = ${rid}`,
        );
        work.touched.add(rid);
      }
    } else if (row.action !== null) keep(work, rid, null, 'changedSince');
    else if (before) await restoreUpdate(work, rid, before);
  }
  await clearPending(tx, model, cleared);
  for (const rid of cleared) work.touched.add(rid);
}

/** A discarded update or delete returns; cells whose external value has moved since become conflicts. */
async function restoreUpdate(work: Work, rid: number, image: RowImage): Promise<void> {
  const { tx, model } = work;
  const fnos = Object.keys(image.cells)
    .map(Number)
    .filter((fno) => model.byFno.has(fno));
  const current = (await currentTexts(tx, model, [rid], fnos)).get(rid);
  const cells = Object.fromEntries(
    fnos.map((fno) => {
      const cell = image.cells[fno];
      const now = current?.get(fno) ?? null;
      const old = cell?.o ?? null;
      const base = { o: old, a: cell?.a ?? image.author, t: cell?.t ?? work.at.getTime(), r: work.revision };
      return [fno, now === old ? base : { ...base, c: now }];
    }),
  );
  const assignments = fnos.map(
    (fno) =>
      sql`${columnOf(fno)} = ${image.values[fno] ?? null}::text::${sql.raw(model.byFno.get(fno)?.pgType ?? 'text')}`,
  );
  await execute(
    tx,
    sql`update ${tableOf(model.collectionId)} set ${sql.join([sql`p = true`, ...assignments])} where rid = ${rid}`,
  );
  await execute(
    tx,
    sql`insert into ${pendingTableOf(model.collectionId)} (rid, action, cells, revision, author, created_at, updated_at, origin, has_conflict)
        values (${rid}, ${image.action}, ${JSON.stringify(cells)}, ${work.revision}, ${image.author}, ${image.createdAt}, ${work.at},
          ${image.origin ? JSON.stringify(image.origin) : null}, ${Object.values(cells).some((cell) => 'c' in cell)})`,
  );
  work.touched.add(rid);
}

async function deleteAgain(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly journal.RowStep[],
): Promise<void> {
  const inserts: number[] = [];
  const marks: number[] = [];
  for (const { rid } of steps) {
    const row = locked.get(rid);
    if (!row) keep(work, rid, null, 'gone');
    else if (row.push_id) keep(work, rid, null, 'beingPushed');
    else if (row.action === 'i') inserts.push(rid);
    else marks.push(rid);
  }
  await deleteRows(work.tx, work.model, inserts);
  await markDeleted(work.tx, work.model, work.actor, work.at, marks);
  for (const rid of inserts) work.removed.add(rid);
  for (const rid of marks) work.touched.add(rid);
}

async function discardAgain(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly journal.RowStep[],
): Promise<void> {
  const rids = steps.flatMap(({ rid }) => {
    const row = locked.get(rid);
    if (row && !row.push_id) return [rid];
    keep(work, rid, null, row ? 'beingPushed' : 'gone');
    return [];
  });
  const result = await discardRows(work.tx, work.model, locked, rids);
  for (const rid of result.removed) work.removed.add(rid);
  for (const rid of result.restored) work.touched.add(rid);
}

/** Drops the operations of locked rows: values go back to what the external system holds. */
export async function discardRows(
  tx: Tx,
  model: CollectionModel,
  locked: ReadonlyMap<number, LockedRow>,
  rids: readonly number[],
): Promise<{ removed: number[]; restored: number[] }> {
  const removed: number[] = [];
  const restored: number[] = [];
  const undeleted: number[] = [];
  const cleared: number[] = [];
  const byField = new Map<number, { rid: number; value: string | null }[]>();
  for (const rid of rids) {
    const row = locked.get(rid);
    if (!row?.action) continue;
    if (row.action === 'i' || (row.is_gone && row.action === 'u')) {
      removed.push(rid);
      continue;
    }
    restored.push(rid);
    if (row.action === 'd' && Object.keys(row.cells).length > 0) {
      // Under the delete lay changes: they come back.
      undeleted.push(rid);
      continue;
    }
    cleared.push(rid);
    for (const [key, cell] of Object.entries(row.cells)) {
      const fno = Number(key);
      if (!model.byFno.has(fno)) continue;
      const value = cell.c === undefined ? cell.o : cell.c;
      const known = byField.get(fno);
      if (known) known.push({ rid, value });
      else byField.set(fno, [{ rid, value }]);
    }
  }
  for (const [fno, values] of byField) {
    await execute(
      tx,
      sql`update ${tableOf(model.collectionId)} t set ${columnOf(fno)} = v.value::${sql.raw(model.byFno.get(fno)?.pgType ?? 'text')}
          from unnest(${values.map(({ rid }) => rid)}::int4[], ${values.map(({ value }) => value)}::text[]) v(rid, value) where t.rid = v.rid`,
    );
  }
  await deleteRows(tx, model, removed);
  await clearPending(tx, model, cleared);
  if (undeleted.length > 0) {
    await execute(
      tx,
      sql`update ${pendingTableOf(model.collectionId)} set action = 'u', revision = nextval('pending_revision'), errors = null
          where rid = any(${undeleted}::int4[])`,
    );
  }
  return { removed, restored };
}
