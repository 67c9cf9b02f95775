import { type Db, execute, row, rows, sql } from '../../platform/db.ts';
import type { JournalChange, RowImage } from './apply.ts';

export interface EditRow {
  edit_id: string;
  collection_id: number;
  user_id: number;
  kind: string;
  at: string;
  count: number;
  is_undone: boolean;
  /** Only history is left of it: it can neither be undone nor done again. */
  is_over: boolean;
}

/** Undo and redo reach this many steps back (decisions Q-PEND-14). */
const maxSteps = 100;

/** Parts of one step may come in by several calls at once; undoing it waits for all of them. */
const lockOf = (editId: string) => sql`hashtextextended(${editId}, 0)`;
const editColumns = sql`edit_id, collection_id, user_id, kind, at, count, is_undone, is_over`;

/** Begins a step, or goes on with one that was split over several calls. False when it is another user's or table's. */
export async function openEdit(
  db: Db,
  edit: { editId: string; collectionId: number; userId: number; kind: string },
): Promise<boolean> {
  await execute(db, sql`select pg_advisory_xact_lock_shared(${lockOf(edit.editId)})`);
  // A new step ends what could be redone; that it was done and undone stays on record.
  await execute(
    db,
    sql`update edit set is_over = true where collection_id = ${edit.collectionId} and user_id = ${edit.userId} and is_undone and not is_over and edit_id <> ${edit.editId}`,
  );
  await execute(
    db,
    sql`insert into edit (edit_id, collection_id, user_id, kind) values (${edit.editId}, ${edit.collectionId}, ${edit.userId}, ${edit.kind})
        on conflict (edit_id) do nothing`,
  );
  const stored = await row<EditRow>(db, sql`select ${editColumns} from edit where edit_id = ${edit.editId}`);
  return (
    stored?.collection_id === edit.collectionId &&
    stored.user_id === edit.userId &&
    !stored.is_undone &&
    !stored.is_over
  );
}

/** A step that is to be undone or done again: nobody adds to it meanwhile. */
export async function takeEdit(db: Db, editId: string): Promise<EditRow | null> {
  await execute(db, sql`select pg_advisory_xact_lock(${lockOf(editId)})`);
  return await row(db, sql`select ${editColumns} from edit where edit_id = ${editId} for update`);
}

export async function listEdits(db: Db, collectionId: number, userId: number): Promise<EditRow[]> {
  return await rows(
    db,
    sql`select ${editColumns} from edit
        where collection_id = ${collectionId} and user_id = ${userId} and count > 0 and not is_over order by seq desc limit ${maxSteps}`,
  );
}

export async function addCells(db: Db, editId: string, changes: readonly JournalChange[]): Promise<void> {
  if (changes.length === 0) return;
  await execute(
    db,
    sql`insert into edit_cell (edit_id, rid, fno, old, new, was, is_kept)
        select ${editId}, v.rid, v.fno, v.old, v.new, v.was::jsonb, v.is_kept from unnest(${changes.map(({ rid }) => rid)}::int4[], ${changes.map(({ fno }) => fno)}::int4[],
          ${changes.map(({ old }) => old)}::text[], ${changes.map(({ new: next }) => next)}::text[],
          ${changes.map(({ was }) => was && JSON.stringify(was))}::text[], ${changes.map(({ isKept }) => isKept)}::bool[])
          v(rid, fno, old, new, was, is_kept)`,
  );
}

/** Adds to the size of a step; last in a transaction, because it makes other parts of the step wait. */
export async function countCells(db: Db, editId: string, count: number): Promise<void> {
  if (count > 0) await execute(db, sql`update edit set count = count + ${count} where edit_id = ${editId}`);
}

export interface RowStep {
  rid: number;
  kind: 'add' | 'delete' | 'discard';
  before: RowImage | null;
  after: RowImage | null;
}

export async function addRows(db: Db, editId: string, steps: readonly RowStep[]): Promise<void> {
  if (steps.length === 0) return;
  const json = (image: RowImage | null): string | null => (image ? JSON.stringify(image) : null);
  // Asked for before, not beside each new row: that could look through what the statement itself has added so far.
  const known = await rows<{ rid: number; kind: string }>(
    db,
    sql`select distinct on (rid) rid, kind from edit_row
        where edit_id = ${editId} and rid = any(${steps.map(({ rid }) => rid)}::int4[]) order by rid, seq desc`,
  );
  const last = new Map(known.map(({ rid, kind }) => [rid, kind]));
  // A call that comes twice does not do the same to a record once more.
  const added = steps.filter(({ rid, kind }) => last.get(rid) !== kind);
  if (added.length === 0) return;
  await execute(
    db,
    sql`insert into edit_row (edit_id, rid, kind, before, after)
        select ${editId}, v.rid, v.kind, v.before::jsonb, v.after::jsonb
        from unnest(${added.map(({ rid }) => rid)}::int4[], ${added.map(({ kind }) => kind)}::text[],
          ${added.map(({ before }) => json(before))}::text[], ${added.map(({ after }) => json(after))}::text[]) v(rid, kind, before, after)`,
  );
  await countCells(db, editId, added.length);
}

export async function readCells(db: Db, editId: string): Promise<JournalChange[]> {
  return await rows(
    db,
    sql`select rid, fno, old, new, was, is_kept as "isKept" from edit_cell where edit_id = ${editId} order by ctid`,
  );
}

/** In the order in which they were done. */
export async function readRowSteps(db: Db, editId: string): Promise<RowStep[]> {
  return await rows(
    db,
    sql`select rid, kind, before, after from edit_row where edit_id = ${editId} order by seq`,
  );
}

export async function setUndone(db: Db, editId: string, isUndone: boolean): Promise<void> {
  await execute(db, sql`update edit set is_undone = ${isUndone} where edit_id = ${editId}`);
}

/** Who changed what and when is kept for so long; then the steps go with their cells. */
const keptYears = 2;

export async function trimJournal(db: Db): Promise<void> {
  await execute(db, sql`delete from edit where at < now() - make_interval(years => ${keptYears})`);
}
