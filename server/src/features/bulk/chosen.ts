import type { chosenRowsSchema } from '@sluice/contract';
import type { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import type { CollectionModel } from '../cache/model.ts';
import { ridOf } from '../records/service.ts';
import type { Snapshot, Snapshots } from '../records/views.ts';

/** The records that a command is for, each once, in an order that stays the same from call to call. */
export interface Chosen {
  total: number;
  part(from: number, size: number): number[];
}

export function openSnapshot(snapshots: Snapshots, model: CollectionModel, token: string | null): Snapshot {
  const snapshot = token === null ? null : snapshots.find(token);
  if (snapshot?.collectionId !== model.collectionId) throw new AppError('SNAPSHOT_GONE');
  return snapshot;
}

export function chooseRows(
  snapshots: Snapshots,
  model: CollectionModel,
  { ids, ranges, snapshot: token }: z.output<typeof chosenRowsSchema>,
): Chosen {
  const listed = new Set(ids.map(ridOf));
  if (ranges.length === 0) return chosenOf([...listed], [], new Int32Array());
  const { rids } = openSnapshot(snapshots, model, token);
  const merged = mergeRanges(ranges, rids.length);
  // A record that is named both ways is worked on once, at its place in the snapshot.
  if (listed.size > 0) {
    for (const [first, last] of merged)
      for (let position = first; position <= last; position += 1) listed.delete(rids[position] ?? 0);
  }
  return chosenOf([...listed], merged, rids);
}

function chosenOf(
  listed: readonly number[],
  ranges: readonly (readonly [number, number])[],
  rids: Int32Array,
): Chosen {
  const inRanges = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return {
    total: listed.length + inRanges,
    part: (from, size) => {
      const found = listed.slice(from, from + size);
      let skip = Math.max(0, from - listed.length);
      for (const [first, last] of ranges) {
        if (found.length >= size) break;
        const length = last - first + 1;
        if (skip >= length) {
          skip -= length;
          continue;
        }
        const start = first + skip;
        found.push(...rids.subarray(start, Math.min(last + 1, start + size - found.length)));
        skip = 0;
      }
      return found;
    },
  };
}

/** Sorted, without overlap, within the snapshot; either end may come first. */
function mergeRanges(ranges: readonly (readonly [number, number])[], length: number): [number, number][] {
  const sorted = ranges
    .map(([a, b]): [number, number] => [Math.min(a, b), Math.min(Math.max(a, b), length - 1)])
    .filter(([first, last]) => first <= last)
    .sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [first, last] of sorted) {
    const previous = merged.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}
