import type { ChosenRows } from '@sluice/contract';
import type { GridController } from './controller.ts';
import { selectedRowSpans } from './selection.ts';

export interface Span {
  top: number;
  bottom: number;
}

/** Rows as a command of the server takes them, and those that only this table knows. */
export interface Chosen {
  rows: ChosenRows & { ids: string[]; ranges: [number, number][] };
  /** Records that the server is told of. */
  count: number;
  /** Chosen rows that have not reached the server yet. */
  draftIds: string[];
}

/** Records chosen in the table, for a review of their pending changes. */
export interface ChosenRecords {
  /** Those that have pending changes; null where a single row is selected, which chooses nothing. */
  ids: readonly string[] | null;
  /** Chosen as whole rows, so most likely for that review; otherwise the choice is only offered there. */
  isMeant: boolean;
}

/**
 * Spans of positions in the table as ids (rows at the top, which are in no snapshot) and ranges of positions of the
 * snapshot (all others, loaded or not). Spans have to be sorted and apart, as `selectedRowSpans` answers them.
 */
export const chooseRows = (
  spans: readonly Span[],
  tops: readonly { id: string; isDraft: boolean }[],
  snapshot: string | null,
): Chosen => {
  const ids: string[] = [];
  const draftIds: string[] = [];
  const ranges: [number, number][] = [];
  let count = 0;
  for (const { top, bottom } of spans) {
    for (const row of tops.slice(top, Math.min(bottom + 1, tops.length))) {
      if (row.isDraft) draftIds.push(row.id);
      else ids.push(row.id);
    }
    const from = Math.max(top, tops.length) - tops.length;
    const to = bottom - tops.length;
    if (to < from) continue;
    ranges.push([from, to]);
    count += to - from + 1;
  }
  return {
    rows: { ids, ranges, snapshot: ranges.length > 0 ? snapshot : null },
    count: count + ids.length,
    draftIds,
  };
};

/** The rows that the selection touches; Ctrl+A chooses all that the filter matches. */
export const chosenRows = (
  grid: GridController,
  spans: readonly Span[] = selectedRowSpans(grid.selection, grid.extent),
): Chosen => chooseRows(spans, grid.store.topRows, grid.store.currentSnapshot);
