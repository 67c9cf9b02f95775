import type { UserActor } from '../../platform/actor.ts';
import { arrays, type Db, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { type CollectionModel, columnOf, tableOf } from '../cache/model.ts';

/** One undo or redo under way: what it did, and what it had to leave as it is. */
export interface Work {
  tx: Tx;
  model: CollectionModel;
  actor: UserActor;
  at: Date;
  revision: number;
  kept: { id: string; field: string | null; reason: string }[];
  touched: Set<number>;
  removed: Set<number>;
  /** New records that were gone. */
  returned: Set<number>;
}

export function keep(work: Work, rid: number, fno: number | null, key: string): void {
  work.kept.push({
    id: String(rid),
    field: fno === null ? null : (work.model.byFno.get(fno)?.path ?? null),
    reason: text(work.actor.locale, `undo.${key}`),
  });
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
