import type { bulkSkipReasons } from '@sluice/contract';

export type SkipReason = (typeof bulkSkipReasons)[number];
/** What a command left as it is, by reason. */
export type Skips = Partial<Record<SkipReason, number>>;

export function skip(skips: Skips, reason: SkipReason, count = 1): void {
  if (count > 0) skips[reason] = (skips[reason] ?? 0) + count;
}
