import type { ReadRecord } from '@sluice/adapter-kit';
import type { RecordSelection } from '@sluice/contract';
import { isSelected } from '@sluice/mapping/engine';
import type { LinkRow } from './run-store.ts';
import type { Source } from './source.ts';

export const takesDeleted = (selection: RecordSelection): boolean =>
  selection === 'deleted' || selection === 'all';

/** Does a trigger's selection take a record that was read? */
export const takes = (
  selection: RecordSelection,
  link: LinkRow | null,
  hash: string,
  isManual: boolean,
): boolean =>
  isSelected(
    selection,
    { isLinked: link !== null, isChanged: link !== null && link.hash !== hash, isGone: false },
    isManual,
  );

/** Of each trigger, for which records its conditions hold, all together and one by one. */
export function conditionsOf(
  { triggers }: Pick<Source, 'triggers'>,
  records: readonly ReadRecord[],
): { holds: boolean[]; results: boolean[][] }[] {
  const fields = new Set(triggers.flatMap(({ compiled }) => compiled.fields));
  const columns = Object.fromEntries(
    [...fields].map((field) => [field, records.map(({ values }) => values[field] ?? null)]),
  );
  return triggers.map(({ compiled }) => {
    const { mask, conditions } = compiled.evaluate(columns, records.length);
    return {
      holds: records.map((_, row) => mask[row] === 1),
      results: records.map((_, row) => conditions.map((held) => held[row] === 1)),
    };
  });
}
