import type { ChangePushAction, PushResult } from '@sluice/contract';
import type { PendingRecord } from './selection.ts';

type SkipReason = ChangePushAction['skipped'][number]['reason'];

/** One record of a push as the list of results shows it. */
export interface ResultLine {
  id: string;
  name: string | null;
  key: string | null;
  outcome: PushResult['outcome'];
  /** Why it was not sent. */
  reason: SkipReason | null;
  errors: { field: string | null; msg: string }[];
  /** Now: `mended` may go again, `asItWas` would be refused again, `none` is not pending any more. */
  now: 'mended' | 'asItWas' | 'none';
}

const nowOf = (record: PendingRecord | undefined): ResultLine['now'] => {
  if (!record) return 'none';
  const { state, isGone, isOutcomeUnknown } = record.operation;
  return state === 'pending' && !isGone && !isOutcomeUnknown ? 'mended' : 'asItWas';
};

/** What did not go comes first: refused, unknown, not sent; then what went. */
const ORDER: Record<PushResult['outcome'], number> = {
  rejected: 0,
  unknown: 1,
  skipped: 2,
  waiting: 3,
  succeeded: 4,
};

/** The lines of a push, with what has become of each record since. */
export const resultLines = (
  action: Pick<ChangePushAction, 'results' | 'skipped'>,
  pending: readonly PendingRecord[],
): ResultLine[] => {
  const byId = new Map(pending.map((record) => [record.operation.id, record]));
  const known = new Set(action.results.map((result) => result.id));
  const sent = action.results.map((result): ResultLine => {
    const record = byId.get(result.newId ?? result.id);
    return {
      id: result.newId ?? result.id,
      name: result.label ?? result.key ?? record?.label ?? null,
      key: result.key,
      outcome: result.outcome,
      reason: null,
      errors:
        result.fieldErrors.length > 0
          ? result.fieldErrors.map(({ field, msg }) => ({ field, msg }))
          : result.msg
            ? [{ field: null, msg: result.msg }]
            : [],
      now: nowOf(record),
    };
  });
  const unsent = action.skipped
    .filter(({ id }) => !known.has(id))
    .map(({ id, reason }): ResultLine => {
      const record = byId.get(id);
      return {
        id,
        name: record?.label ?? record?.key ?? null,
        key: record?.key ?? null,
        outcome: 'skipped',
        reason,
        errors: (record?.operation.validationErrors ?? []).map(({ field, message }) => ({
          field,
          msg: message,
        })),
        now: nowOf(record),
      };
    });
  return [...sent, ...unsent].toSorted((a, b) => ORDER[a.outcome] - ORDER[b.outcome]);
};

/** Ids that did not go and may go now. */
export const mendedIds = (lines: readonly ResultLine[]): string[] =>
  lines.filter((line) => line.outcome !== 'succeeded' && line.now === 'mended').map((line) => line.id);
