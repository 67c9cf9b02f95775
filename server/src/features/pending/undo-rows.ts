import { execute, sql } from '../../platform/db.ts';
import { isSameText, pendingTableOf, tableOf } from '../cache/model.ts';
import type { Cell, Cells } from '../cache/rebase.ts';
import {
  clearPending,
  currentTexts,
  deleteRows,
  type LockedRow,
  lockRows,
  type RowImage,
  writeValues,
} from './apply.ts';
import type { CellTexts } from './changes.ts';
import { discardRows } from './discard-rows.ts';
import { insertRows } from './insert-rows.ts';
import type { RowStep } from './journal.ts';
import { markDeleted } from './service.ts';
import { keep, type Work } from './undo-work.ts';

/** Undo and redo of whole records: added, deleted, discarded; a record that had several of these one after the other. */
export async function replayRows(
  work: Work,
  steps: readonly RowStep[],
  direction: 'undo' | 'redo',
): Promise<void> {
  const rounds = roundsOf(steps);
  for (const round of direction === 'undo' ? rounds.toReversed() : rounds)
    await replayRound(work, round, direction);
}

/** The first step of every record, the second ones, and so on: within a round each record is there once. */
function roundsOf(steps: readonly RowStep[]): RowStep[][] {
  const rounds: RowStep[][] = [];
  const counts = new Map<number, number>();
  for (const step of steps) {
    const at = counts.get(step.rid) ?? 0;
    counts.set(step.rid, at + 1);
    (rounds[at] ??= []).push(step);
  }
  return rounds;
}

async function replayRound(work: Work, steps: readonly RowStep[], direction: 'undo' | 'redo'): Promise<void> {
  const { tx, model } = work;
  const locked = await lockRows(
    tx,
    model,
    steps.map(({ rid }) => rid),
  );
  const take = (kind: RowStep['kind']) => steps.filter((step) => step.kind === kind);
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
  steps: readonly RowStep[],
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
    const { values, action: _, isGone: __, ...rest } = image;
    const texts = Object.entries(values).flatMap(([fno, value]) =>
      work.model.byFno.has(Number(fno)) ? [[Number(fno), value] as const] : [],
    );
    return [{ ...rest, rid, texts: new Map(texts), cells: asOf(work, image.cells) }];
  });
  const author = { userId: work.actor.userId, at: work.at, revision: work.revision };
  for (const rid of await insertRows(work.tx, work.model, author, records)) {
    work.touched.add(rid);
    if (!work.removed.delete(rid)) work.returned.add(rid);
  }
}

/** Cells that come back have not been seen by anybody since. */
const asOf = (work: Work, cells: Cells): Cells =>
  Object.fromEntries(Object.entries(cells).map(([fno, cell]) => [fno, { ...cell, r: work.revision }]));

/** Undo of a delete or a discard: the operation as it was before. */
async function bringBack(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly RowStep[],
): Promise<void> {
  await reinsert(
    work,
    locked,
    steps.filter(({ before }) => before?.action === 'i').map(({ rid, before }) => ({ rid, image: before })),
  );
  const cleared: number[] = [];
  const updates: { rid: number; image: Standing }[] = [];
  const deletes: RowOf[] = [];
  const discarded: RowOf[] = [];
  for (const { rid, kind, before } of steps) {
    if (before?.action === 'i') continue;
    const row = locked.get(rid);
    if (!row) keep(work, rid, null, 'gone');
    else if (row.push_id) keep(work, rid, null, 'beingPushed');
    else if (kind === 'delete') {
      if (row.action !== 'd') keep(work, rid, null, 'changedSince');
      else if (row.author !== work.actor.userId) keep(work, rid, null, 'changedByOther');
      // A refresh may have found the changes under the delete in the external system: then none is left.
      else if (Object.keys(row.cells).length === 0 && !(before && row.is_gone)) cleared.push(rid);
      // Before the delete was done again somebody may have changed what had no changes the first time.
      else updates.push({ rid, image: before ?? newestOf(row, work) });
    } else if (row.action === 'u' && before?.action === 'd' && Object.keys(before.cells).length > 0)
      deletes.push({ rid, image: before });
    else if (row.action !== null) keep(work, rid, null, 'changedSince');
    else if (before) discarded.push({ rid, image: before });
  }
  await turnInto(work, 'u', updates);
  await turnInto(work, 'd', deletes);
  await restoreUpdates(work, discarded);
  await clearPending(work.tx, work.model, cleared);
  for (const rid of cleared) work.touched.add(rid);
}

interface RowOf {
  rid: number;
  image: RowImage;
}

/** Whose operation it is, and what the external system said to it. */
type Standing = Pick<RowImage, 'author' | 'isUnknown' | 'errors'>;

/** Whose operation it is, by the last of its cells. */
function newestOf({ cells }: LockedRow, { actor }: Work): Standing {
  const newest = Object.values(cells).reduce<Cell | null>((a, b) => (a && a.t > b.t ? a : b), null);
  return { author: newest?.a ?? actor.userId, isUnknown: false, errors: null };
}

const errorsOf = ({ image }: { image: Standing }): string | null =>
  image.errors && JSON.stringify(image.errors);

async function turnInto(
  work: Work,
  action: 'u' | 'd',
  rows: readonly { rid: number; image: Standing }[],
): Promise<void> {
  if (rows.length === 0) return;
  await execute(
    work.tx,
    sql`update ${pendingTableOf(work.model.collectionId)} p
        set action = ${action}, author = v.author, is_unknown = v.is_unknown, errors = v.errors::jsonb,
          revision = ${work.revision}, updated_at = ${work.at}
        from unnest(${rows.map(({ rid }) => rid)}::int4[], ${rows.map(({ image }) => image.author)}::int4[],
          ${rows.map(({ image }) => image.isUnknown)}::bool[], ${rows.map(errorsOf)}::text[])
          v(rid, author, is_unknown, errors)
        where p.rid = v.rid`,
  );
  for (const { rid } of rows) work.touched.add(rid);
}

/** Discarded updates and deletes return; cells whose external value has moved since become conflicts. */
async function restoreUpdates(work: Work, rows: readonly RowOf[]): Promise<void> {
  if (rows.length === 0) return;
  const { tx, model } = work;
  const fnos = [...new Set(rows.flatMap(({ image }) => Object.keys(image.cells).map(Number)))];
  const rids = rows.map(({ rid }) => rid);
  const current = await currentTexts(tx, model, rids, fnos);
  const back: (RowOf & { cells: Cells })[] = [];
  const wanted = new Map<number, CellTexts>();
  for (const { rid, image } of rows) {
    const cells: Cells = {};
    const texts: CellTexts = new Map();
    for (const [key, { c: _, ...cell }] of Object.entries(image.cells)) {
      const fno = Number(key);
      const column = model.byFno.get(fno);
      if (!column) continue;
      const now = current.get(rid)?.get(fno) ?? null;
      const value = image.values[fno] ?? null;
      // What the external system has come to by itself needs no push any more.
      if (isSameText(column.pgType, now, value)) continue;
      texts.set(fno, value);
      const moved = isSameText(column.pgType, now, cell.o) ? {} : { c: now };
      cells[fno] = { ...cell, r: work.revision, ...moved };
    }
    if (texts.size === 0 && image.action === 'u') {
      keep(work, rid, null, 'changedSince');
      continue;
    }
    back.push({ rid, image, cells });
    if (texts.size > 0) wanted.set(rid, texts);
  }
  await writeValues(tx, model, wanted);
  await insertPending(work, back);
  for (const { rid } of back) work.touched.add(rid);
}

async function insertPending(work: Work, back: readonly (RowOf & { cells: Cells })[]): Promise<void> {
  if (back.length === 0) return;
  const { tx, model } = work;
  const rids = back.map(({ rid }) => rid);
  await execute(
    tx,
    sql`update ${tableOf(model.collectionId)} set p = true where rid = any(${rids}::int4[]) and not p`,
  );
  await execute(
    tx,
    sql`insert into ${pendingTableOf(model.collectionId)} (rid, action, cells, revision, author, created_at, updated_at, origin,
          has_conflict, is_unknown, errors)
        select v.rid, v.action, v.cells::jsonb, ${work.revision}, v.author, v.created_at, ${work.at}, v.origin::jsonb,
          v.has_conflict, v.is_unknown, v.errors::jsonb
        from unnest(${rids}::int4[], ${back.map(({ image }) => image.action)}::text[],
          ${back.map(({ cells }) => JSON.stringify(cells))}::text[], ${back.map(({ image }) => image.author)}::int4[],
          ${back.map(({ image }) => image.createdAt)}::timestamptz[],
          ${back.map(({ image }) => image.origin && JSON.stringify(image.origin))}::text[],
          ${back.map(({ cells }) => Object.values(cells).some((cell) => 'c' in cell))}::bool[],
          ${back.map(({ image }) => image.isUnknown)}::bool[], ${back.map(errorsOf)}::text[])
          v(rid, action, cells, author, created_at, origin, has_conflict, is_unknown, errors)`,
  );
}

async function deleteAgain(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly RowStep[],
): Promise<void> {
  const inserts: number[] = [];
  const marks: number[] = [];
  for (const { rid, before } of steps) {
    const row = locked.get(rid);
    if (!row) keep(work, rid, null, 'gone');
    else if (row.push_id) keep(work, rid, null, 'beingPushed');
    else if (row.action === 'd') keep(work, rid, null, 'changedSince');
    else if (row.action !== 'i') marks.push(rid);
    else if (isChangedByOther(work, row, before)) keep(work, rid, null, 'changedByOther');
    else inserts.push(rid);
  }
  await deleteRows(work.tx, work.model, inserts);
  await markDeleted(work.tx, work.model, work.actor, work.at, marks);
  for (const rid of inserts) work.removed.add(rid);
  for (const rid of marks) work.touched.add(rid);
}

async function discardAgain(
  work: Work,
  locked: ReadonlyMap<number, LockedRow>,
  steps: readonly RowStep[],
): Promise<void> {
  const rids = steps.flatMap(({ rid, before }) => {
    const row = locked.get(rid);
    const reason = !row
      ? 'gone'
      : row.push_id
        ? 'beingPushed'
        : isChangedByOther(work, row, before)
          ? 'changedByOther'
          : null;
    if (reason === null) return [rid];
    keep(work, rid, null, reason);
    return [];
  });
  const result = await discardRows(work.tx, work.model, locked, rids);
  for (const rid of result.removed) work.removed.add(rid);
  for (const rid of result.restored) work.touched.add(rid);
}

/** A step that drops a whole operation must not take along what another has added since. */
function isChangedByOther({ actor }: Work, row: LockedRow, before: RowImage | null): boolean {
  if (row.action === 'd' && row.author !== actor.userId && row.author !== before?.author) return true;
  return Object.entries(row.cells).some(([fno, cell]) => {
    const known = before?.cells[fno];
    return cell.a !== actor.userId && (cell.a !== known?.a || cell.t !== known.t);
  });
}
