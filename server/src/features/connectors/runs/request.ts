import type { Trigger } from '@sluice/contract';
import type { ActionContent } from '../store.ts';
import type { RunRow } from './run-store.ts';
import { takesDeleted } from './select.ts';
import type { Narrowing } from './source.ts';

/** Of a manual run the chosen trigger; without one it takes all (decisions Q-TRIG-01, Q-TRIG-05). */
export function triggersOf(
  content: Pick<ActionContent, 'triggers'>,
  triggerId: string | null,
  isManual: boolean,
): Trigger[] {
  if (!isManual) return content.triggers;
  const chosen = content.triggers.find(({ internalId }) => internalId === triggerId);
  return [chosen ?? { internalId: '', name: '', sourceRecordSelection: 'all', conditions: [] }];
}

/** The part of the source that was asked for; null = all of it. */
export function narrowingOf(query: RunRow['request']['query']): Narrowing | null {
  if (!query) return null;
  const { field, value, offset = 0, limit, orderBy, sortOrder } = query;
  if (!field && !orderBy && offset === 0 && limit === undefined) return null;
  return {
    ...(field ? { filter: { field, value: value ?? null } } : {}),
    ...(orderBy ? { orderBy: { field: orderBy, isDescending: sortOrder === 'descending' } } : {}),
    offset,
    limit: limit ?? null,
  };
}

/** Only who has read all of a source knows what is gone from it (decisions Q-TRIG-03). */
export const seesDeleted = (
  query: RunRow['request']['query'],
  triggers: readonly Pick<Trigger, 'sourceRecordSelection'>[],
): boolean =>
  narrowingOf(query) === null &&
  triggers.some(({ sourceRecordSelection }) => takesDeleted(sourceRecordSelection));
