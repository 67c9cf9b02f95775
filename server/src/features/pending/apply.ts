import { arrays, type Db, execute, row, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type CollectionModel, columnOf, isSameText, pendingTableOf, tableOf } from '../cache/model.ts';
import type { Cell, Cells } from '../cache/rebase.ts';
import type { CellTexts } from './changes.ts';

/** What the rules of editing look at, read under the row's lock. */
export interface LockedRow {
  rid: number;
  k: string | null;
  action: 'u' | 'i' | 'd' | null;
  cells: Cells;
  revision: number;
  author: number | null;
  push_id: string | null;
  is_gone: boolean;
  is_unknown: boolean;
}

/**
 * Locks the rows in one order, so that two batches wait for each other and never block each other for good. The lock
 * of the row is the lock of its pending operation, everywhere.
 */
export async function lockRids(db: Db, model: CollectionModel, rids: readonly number[]): Promise<void> {
  const table = tableOf(model.collectionId);
  // Counted, so that thousands of rows that nobody reads are not sent over.
  await execute(
    db,
    sql`select count(*) from (select 1 from ${table} where rid = any(${rids}::int4[]) order by rid for update) l`,
  );
}

export async function lockRows(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
): Promise<Map<number, LockedRow>> {
  if (rids.length === 0) return new Map();
  await lockRids(db, model, rids);
  return await rowStates(db, model, rids);
}

/** As `lockRows`, for who only looks. */
export async function rowStates(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
): Promise<Map<number, LockedRow>> {
  const table = tableOf(model.collectionId);
  const found = await rows<LockedRow>(
    db,
    sql`select t.rid, t.k, p.action, coalesce(p.cells, '{}') as cells, coalesce(p.revision, 0) as revision, p.author,
          p.push_id, coalesce(p.is_gone, false) as is_gone, coalesce(p.is_unknown, false) as is_unknown
        from ${table} t left join ${pendingTableOf(model.collectionId)} p on p.rid = t.rid and t.p
        where t.rid = any(${rids}::int4[])`,
  );
  return new Map(found.map((locked) => [locked.rid, locked]));
}

export async function nextRevision(db: Db): Promise<number> {
  return (await row<{ n: number }>(db, sql`select nextval('pending_revision') as n`))?.n ?? 0;
}

interface CellChange {
  rid: number;
  fno: number;
  old: string | null;
  new: string | null;
}

/** A change as the journal keeps it: with the pending cell before it, and whether there is one after it. */
export interface JournalChange extends CellChange {
  was: Cell | null;
  isKept: boolean;
}

export interface Applied {
  changes: JournalChange[];
  /** Rows whose operation changed, and those that have none any more. */
  touched: number[];
  cleared: number[];
}

/**
 * Writes new values into the rows and keeps the pending operations in step: the first change of a cell remembers the
 * external system's value, a change back to it forgets the cell, and a row without changed cells has no operation.
 * `restored` are cells that an undo puts back as they were (null = no pending cell).
 */
export async function applyCells(
  tx: Tx,
  model: CollectionModel,
  author: { userId: number; at: Date; revision: number; origin?: object },
  locked: ReadonlyMap<number, LockedRow>,
  wanted: ReadonlyMap<number, CellTexts>,
  restored: ReadonlyMap<number, ReadonlyMap<number, Cell | null>> = new Map(),
): Promise<Applied> {
  const written = await writeValues(tx, model, wanted);
  const changes: JournalChange[] = [];
  const byRow = new Map<number, CellChange[]>();
  for (const change of written) {
    const known = byRow.get(change.rid);
    if (known) known.push(change);
    else byRow.set(change.rid, [change]);
  }
  const cleared: number[] = [];
  const kept: { rid: number; cells: string; hasConflict: boolean }[] = [];
  for (const [rid, ofRow] of byRow) {
    const row = locked.get(rid);
    const cells: Cells = { ...row?.cells };
    for (const change of ofRow) {
      const { fno, old, new: next } = change;
      const cell = cells[fno];
      const asItWas = restored.get(rid)?.get(fno);
      // Editing decides a conflict: what the external system holds now becomes the old value.
      const base = cell === undefined ? old : baseOf(cell);
      const isBack = row?.action !== 'i' && isSameText(model.byFno.get(fno)?.pgType ?? 'text', base, next);
      if (asItWas === null || (asItWas === undefined && isBack)) delete cells[fno];
      else
        cells[fno] = asItWas ?? {
          o: base,
          a: author.userId,
          t: author.at.getTime(),
          r: author.revision,
        };
      changes.push({ ...change, was: cell ?? null, isKept: cells[fno] !== undefined });
    }
    // A delete or an insert stays one, whatever becomes of its cells.
    const isUpdate = row?.action !== 'i' && row?.action !== 'd';
    const isEmpty = isUpdate && Object.keys(cells).length === 0 && !row?.is_gone;
    if (isEmpty) cleared.push(rid);
    else
      kept.push({
        rid,
        cells: JSON.stringify(cells),
        hasConflict: Object.values(cells).some((cell) => cell.c !== undefined),
      });
  }
  await savePending(tx, model, author, kept);
  await clearPending(tx, model, cleared);
  return { changes, touched: kept.map(({ rid }) => rid), cleared };
}

/** What the external system holds in an edited cell, as far as it was read. */
export const baseOf = (cell: Cell): string | null => (cell.c === undefined ? cell.o : cell.c);

/** What an UPDATE of rows `t` needs to write texts into their columns, in each row its own: they are joined as `v`. */
function textsToWrite(model: CollectionModel, wanted: ReadonlyMap<number, CellTexts>) {
  const rids = [...wanted.keys()];
  const fnos = [...new Set([...wanted.values()].flatMap((texts) => [...texts.keys()]))];
  const columns = fnos.map((fno) => ({ fno, pgType: model.byFno.get(fno)?.pgType ?? 'text' }));
  const isUniform = [...wanted.values()].every((texts) => texts.size === fnos.length);
  const inputs = columns.flatMap(({ fno }) => {
    const texts = rids.map((rid) => wanted.get(rid)?.get(fno) ?? null);
    const masks = isUniform ? [] : [sql`${rids.map((rid) => wanted.get(rid)?.has(fno) ?? false)}::bool[]`];
    return [...masks, sql`${texts}::text[]`];
  });
  const names = columns.flatMap(({ fno }) => [...(isUniform ? [] : [sql.id(`m${fno}`)]), sql.id(`v${fno}`)]);
  const next = (column: (typeof columns)[number]) => {
    const value = sql`v.${sql.id(`v${column.fno}`)}::${sql.raw(column.pgType)}`;
    return isUniform
      ? value
      : sql`case when v.${sql.id(`m${column.fno}`)} then ${value} else t.${columnOf(column.fno)} end`;
  };
  return {
    columns,
    from: sql`unnest(${sql.join([sql`${rids}::int4[]`, ...inputs])}) v(${sql.join([sql.id('rid'), ...names])})`,
    assignments: columns.map((column) => sql`${columnOf(column.fno)} = ${next(column)}`),
    differs: columns.map((column) => sql`t.${columnOf(column.fno)} is distinct from ${next(column)}`),
  };
}

/** One UPDATE for the whole batch; only rows where something really changes are written. */
export async function writeValues(
  tx: Tx,
  model: CollectionModel,
  wanted: ReadonlyMap<number, CellTexts>,
): Promise<CellChange[]> {
  const { columns, from, assignments, differs } = textsToWrite(model, wanted);
  if (columns.length === 0) return [];
  const returned = columns.map(({ fno }) => sql`old.${columnOf(fno)}::text, new.${columnOf(fno)}::text`);
  const updated = await arrays(
    tx,
    sql`update ${tableOf(model.collectionId)} t set p = true, ${sql.join(assignments)}
        from ${from} where t.rid = v.rid and (${sql.join(differs, sql` or `)})
        returning t.rid, ${sql.join(returned)}`,
  );
  const changes: CellChange[] = [];
  for (const cells of updated) {
    for (let index = 0; index < columns.length; index += 1) {
      const old = cells[1 + index * 2] as string | null;
      const now = cells[2 + index * 2] as string | null;
      if (old !== now)
        changes.push({ rid: cells[0] as number, fno: columns[index]?.fno ?? 0, old, new: now });
    }
  }
  return changes;
}

async function savePending(
  tx: Tx,
  model: CollectionModel,
  author: { userId: number; at: Date; revision: number; origin?: object },
  kept: readonly { rid: number; cells: string; hasConflict: boolean }[],
): Promise<void> {
  if (kept.length === 0) return;
  await execute(
    tx,
    sql`insert into ${pendingTableOf(model.collectionId)} as p (rid, action, cells, revision, author, created_at, updated_at, origin, has_conflict)
        select v.rid, 'u', v.cells::jsonb, ${author.revision}, ${author.userId}, ${author.at}, ${author.at},
          ${author.origin ? JSON.stringify(author.origin) : null}::jsonb, v.has_conflict
        from unnest(${kept.map(({ rid }) => rid)}::int4[], ${kept.map(({ cells }) => cells)}::text[],
          ${kept.map(({ hasConflict }) => hasConflict)}::bool[]) v(rid, cells, has_conflict)
        on conflict (rid) do update set cells = excluded.cells, revision = excluded.revision, updated_at = excluded.updated_at,
          has_conflict = excluded.has_conflict, errors = null, is_unknown = p.is_unknown and p.action = 'i'`,
  );
}

export async function clearPending(db: Db, model: CollectionModel, rids: readonly number[]): Promise<void> {
  if (rids.length === 0) return;
  await deletePending(db, model, rids);
  await execute(
    db,
    sql`update ${tableOf(model.collectionId)} set p = false where rid = any(${rids}::int4[])`,
  );
}

const deletePending = async (db: Db, model: CollectionModel, rids: readonly number[]): Promise<number> =>
  await execute(db, sql`delete from ${pendingTableOf(model.collectionId)} where rid = any(${rids}::int4[])`);

/** Ends the operations of these rows: the texts that they come with are theirs again. */
export async function resetRows(
  db: Db,
  model: CollectionModel,
  wanted: ReadonlyMap<number, CellTexts>,
): Promise<void> {
  const isUnchanged = [...wanted].flatMap(([rid, texts]) => (texts.size === 0 ? [rid] : []));
  await clearPending(db, model, isUnchanged);
  const changed = new Map([...wanted].filter(([, texts]) => texts.size > 0));
  if (changed.size === 0) return;
  const { from, assignments } = textsToWrite(model, changed);
  await execute(
    db,
    sql`update ${tableOf(model.collectionId)} t set p = false, ${sql.join(assignments)} from ${from} where t.rid = v.rid`,
  );
  await deletePending(db, model, [...changed.keys()]);
}

/** A pending row as the journal keeps it: enough to bring it back exactly. */
export interface RowImage {
  action: 'u' | 'i' | 'd';
  cells: Cells;
  author: number;
  createdAt: string;
  origin: object | null;
  isGone: boolean;
  isUnknown: boolean;
  /** What the external system said when it refused it. */
  errors: object | null;
  /** Texts of the columns: all of a pending insert, the changed ones of an update. */
  values: Record<string, string | null>;
}

/** The texts of these columns as they are now. */
export async function currentTexts(
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

export async function imagesOf(
  db: Db,
  model: CollectionModel,
  rids: readonly number[],
): Promise<Map<number, RowImage>> {
  const found = await rows<Omit<RowImage, 'values'> & { rid: number }>(
    db,
    sql`select rid, action, cells, author, created_at as "createdAt", origin, is_gone as "isGone",
          is_unknown as "isUnknown", errors
        from ${pendingTableOf(model.collectionId)} where rid = any(${rids}::int4[])`,
  );
  // Of thousands of changed rows often one column of thirty.
  const fnos = found.some(({ action }) => action === 'i')
    ? model.columns.map(({ fno }) => fno)
    : [...new Set(found.flatMap(({ cells }) => Object.keys(cells).map(Number)))];
  const texts = await currentTexts(
    db,
    model,
    found.map(({ rid }) => rid),
    fnos,
  );
  return new Map(
    found.map(({ rid, ...image }) => {
      const values = [...(texts.get(rid) ?? [])].filter(([fno, value]) =>
        image.action === 'i' ? value !== null : image.cells[fno] !== undefined,
      );
      return [rid, { ...image, values: Object.fromEntries(values) }];
    }),
  );
}

export async function deleteRows(db: Db, model: CollectionModel, rids: readonly number[]): Promise<void> {
  if (rids.length === 0) return;
  await deletePending(db, model, rids);
  await execute(db, sql`delete from ${tableOf(model.collectionId)} where rid = any(${rids}::int4[])`);
}
