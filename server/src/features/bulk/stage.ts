import type { UserActor } from '../../platform/actor.ts';
import { type Db, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, type Column, pendingTableOf, tableOf } from '../cache/model.ts';
import { applyCells, type LockedRow, lockRows, nextRevision } from '../pending/apply.ts';
import { type CellTexts, isReadOnly } from '../pending/changes.ts';
import * as journal from '../pending/journal.ts';
import { isRuled, revalidateSharing, sharersOf } from '../pending/revalidate.ts';
import { beginEdit, type EditOptions, type PendingServices, publishRows } from '../pending/service.ts';
import { stageClean } from '../pending/stage-clean.ts';
import type { CollectionContext } from '../records/context.ts';
import { skip, type Skips } from './skips.ts';

/** What one call of a command did. */
export interface Done {
  editId: string;
  /** Rows that are not as they were. */
  changed: number[];
  cells: number;
  skips: Skips;
}

/** One call of a command at work, with its rows locked. */
export interface Part {
  tx: Tx;
  context: CollectionContext;
  actor: UserActor;
  services: PendingServices;
  options: EditOptions;
  skips: Skips;
  /** Rows without a pending operation. */
  clean: number[];
  /** Rows with one. */
  pending: ReadonlyMap<number, LockedRow>;
}

/** Locks the rows in one order, as every edit does, and looks closer only at those with a pending operation. */
export async function lockPart(
  tx: Tx,
  model: CollectionModel,
  rids: readonly number[],
  skips: Skips,
): Promise<Pick<Part, 'clean' | 'pending'>> {
  const found = await rows<{ rid: number; is_clean: boolean }>(
    tx,
    sql`select rid, not p and k is not null as is_clean from ${tableOf(model.collectionId)}
        where rid = any(${rids}::int4[]) order by rid for update`,
  );
  skip(skips, 'notFound', rids.length - found.length);
  const clean = found.flatMap(({ rid, is_clean }) => (is_clean ? [rid] : []));
  const others = found.flatMap(({ rid, is_clean }) => (is_clean ? [] : [rid]));
  const pending = others.length > 0 ? await lockRows(tx, model, others) : new Map<number, LockedRow>();
  return { clean, pending };
}

/** May this cell of a row that may be edited be written without asking? If not, it is counted. */
export function isFree(part: Part, row: LockedRow | undefined, column: Column): boolean {
  if (isReadOnly(column, row?.action === 'i')) {
    skip(part.skips, 'readOnlyField');
    return false;
  }
  const cell = row?.cells[column.fno];
  // Who overwrites another's value, or the external system's newer one, must have seen it: nobody has, here.
  if (cell && (cell.a !== part.actor.userId || cell.c !== undefined)) {
    skip(part.skips, 'changedByOther');
    return false;
  }
  return true;
}

/** Rows whose cells may be edited at all; the others are counted. */
export function editableRows(part: Part): (LockedRow | number)[] {
  const editable: (LockedRow | number)[] = [...part.clean];
  for (const row of part.pending.values()) {
    if (row.push_id) skip(part.skips, 'beingPushed');
    else if (row.action === 'd') skip(part.skips, 'pendingDelete');
    else editable.push(row);
  }
  return editable;
}

/**
 * Stages cells as one step of the journal. `wanted` holds only what was asked for and is allowed; in rows without a
 * pending operation it may also repeat values as they are, so that all rows have the same fields: `asked` is how many
 * cells were meant.
 */
export async function stageCells(
  part: Part,
  kind: string,
  wanted: ReadonlyMap<number, CellTexts>,
  asked: number,
): Promise<Done> {
  const { tx, context, actor, services, pending, skips } = part;
  const { model } = context;
  const rids = [...wanted.keys()];
  const fnos = new Set([...new Set(wanted.values())].flatMap((texts) => [...texts.keys()]));
  const ruled = isRuled(
    model,
    [...fnos].flatMap((fno) => model.byFno.get(fno)?.path ?? []),
  );
  const before = ruled ? await sharersOf(tx, model, rids) : [];
  const editId = await beginEdit(tx, context, actor, part.options, kind);
  const author = { userId: actor.userId, at: services.now(), revision: await nextRevision(tx) };
  const plain = new Map<number, CellTexts>();
  const shared = new Map<number, CellTexts>();
  for (const [rid, texts] of wanted) (pending.has(rid) ? shared : plain).set(rid, texts);
  const staged = await stageClean(tx, model, author, editId, plain);
  const applied = await applyCells(tx, model, author, pending, shared);
  await journal.addCells(tx, editId, applied.changes);
  await journal.countCells(tx, editId, staged.cells + applied.changes.length);
  const changed = [...staged.changed, ...applied.touched, ...applied.cleared];
  const concerned = ruled ? await revalidateSharing(tx, model, changed, before) : [];
  publishRows(tx, model, [...new Set([...changed, ...concerned])]);
  const cells = staged.cells + applied.changes.length;
  skip(skips, 'unchanged', asked - cells);
  return { editId, changed, cells, skips };
}

/** Of these rows, how many break a rule now. */
export async function countInvalid(db: Db, model: CollectionModel, rids: readonly number[]): Promise<number> {
  if (rids.length === 0) return 0;
  const [counted] = await rows<{ n: number }>(
    db,
    sql`select count(*)::int as n from ${pendingTableOf(model.collectionId)}
        where rid = any(${rids}::int4[]) and invalid is not null`,
  );
  return counted?.n ?? 0;
}
