import type { UserActor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import type { CollectionModel } from '../cache/model.ts';

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
