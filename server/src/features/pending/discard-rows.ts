import { execute, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, pendingTableOf } from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';
import { baseOf, deleteRows, type LockedRow, resetRows } from './apply.ts';
import type { CellTexts } from './changes.ts';

/** Drops the operations of locked rows: values go back to what the external system holds. */
export async function discardRows(
  tx: Tx,
  model: CollectionModel,
  locked: ReadonlyMap<number, LockedRow>,
  rids: readonly number[],
): Promise<{ removed: number[]; restored: number[] }> {
  const removed: number[] = [];
  const restored: number[] = [];
  const undeleted: { rid: number; author: number }[] = [];
  const reset = new Map<number, CellTexts>();
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
      undeleted.push({ rid, author: firstAuthor(row.cells) });
      continue;
    }
    const texts: CellTexts = new Map();
    for (const [fno, cell] of Object.entries(row.cells))
      if (model.byFno.has(Number(fno))) texts.set(Number(fno), baseOf(cell));
    reset.set(rid, texts);
  }
  await deleteRows(tx, model, removed);
  await resetRows(tx, model, reset);
  if (undeleted.length > 0) {
    await execute(
      tx,
      sql`update ${pendingTableOf(model.collectionId)} p
          set action = 'u', author = v.author, revision = nextval('pending_revision'), errors = null
          from unnest(${undeleted.map(({ rid }) => rid)}::int4[], ${undeleted.map(({ author }) => author)}::int4[]) v(rid, author)
          where p.rid = v.rid`,
    );
  }
  return { removed, restored };
}

const firstAuthor = (cells: Cells): number =>
  Object.values(cells).reduce((first, cell) => (cell.t < first.t ? cell : first)).a;
