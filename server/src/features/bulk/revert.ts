import type { Column } from '../cache/model.ts';
import { baseOf, imagesOf, type LockedRow } from '../pending/apply.ts';
import { discardRows } from '../pending/discard-rows.ts';
import * as journal from '../pending/journal.ts';
import { othersOf } from '../pending/losses.ts';
import { revalidateSharing, sharersOf } from '../pending/revalidate.ts';
import { publishRows } from '../pending/service.ts';
import { skip } from './skips.ts';
import { type Done, type Part, stageCells } from './stage.ts';

/**
 * One's own pending changes go back to the external system's values. What others have changed stays, also in the same
 * record: to drop that is for the discard dialog, which names them (decisions Q-PEND-12).
 */
export async function revertChanges(part: Part, columns: readonly Column[] | null): Promise<Done> {
  const { actor, skips } = part;
  skip(skips, 'unchanged', part.clean.length * (columns?.length ?? 1));
  const whole: number[] = [];
  const wanted = new Map<number, Map<number, string | null>>();
  let asked = 0;
  for (const row of part.pending.values()) {
    if (row.push_id) skip(skips, 'beingPushed');
    else if (columns === null && isOwn(part, row)) whole.push(row.rid);
    else if (columns === null && row.action !== 'u') skip(skips, 'changedByOther');
    else if (row.action === 'd') skip(skips, 'pendingDelete');
    else {
      const texts = new Map<number, string | null>();
      for (const fno of columns?.map((column) => column.fno) ?? Object.keys(row.cells).map(Number)) {
        const cell = row.cells[fno];
        if (!cell) skip(skips, 'unchanged');
        else if (cell.a !== actor.userId) skip(skips, 'changedByOther');
        else if (part.context.model.byFno.has(fno)) texts.set(fno, baseOf(cell));
      }
      asked += texts.size;
      if (texts.size > 0) wanted.set(row.rid, texts);
    }
  }
  const done = await stageCells(part, 'revert', wanted, asked);
  const dropped = await dropOperations(part, done.editId, whole);
  return { ...done, changed: [...done.changed, ...whole], cells: done.cells + dropped };
}

/** A delete hides the changes of others and gives them back: it is whoever marked it that takes it back. */
function isOwn({ actor }: Part, row: LockedRow): boolean {
  return row.action === 'd' ? row.author === actor.userId : othersOf(row, actor).length === 0;
}

/** Answers how many changed cells went with the operations. */
async function dropOperations(part: Part, editId: string, rids: readonly number[]): Promise<number> {
  const { tx, context, pending } = part;
  const { model } = context;
  if (rids.length === 0) return 0;
  const before = await imagesOf(tx, model, rids);
  await journal.addRows(
    tx,
    editId,
    rids.map((rid) => ({ rid, kind: 'discard', before: before.get(rid) ?? null, after: null })),
  );
  const sharers = await sharersOf(tx, model, rids);
  const { removed, restored } = await discardRows(tx, model, pending, rids);
  publishRows(tx, model, await revalidateSharing(tx, model, restored, sharers), removed);
  return rids.reduce((sum, rid) => {
    const row = pending.get(rid);
    return sum + (row?.action === 'd' ? 0 : Object.keys(row?.cells ?? {}).length);
  }, 0);
}
