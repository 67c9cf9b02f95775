import { execute, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, columnOf, pendingTableOf, tableOf } from '../cache/model.ts';
import type { Cells } from '../cache/rebase.ts';
import { baseOf, clearPending, deleteRows, type LockedRow } from './apply.ts';

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
      undeleted.push({ rid, author: firstAuthor(row.cells) });
      continue;
    }
    cleared.push(rid);
    for (const [key, cell] of Object.entries(row.cells)) {
      const fno = Number(key);
      if (!model.byFno.has(fno)) continue;
      const value = baseOf(cell);
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
