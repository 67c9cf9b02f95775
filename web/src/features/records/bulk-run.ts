import type { BulkCommand, ChosenRows } from '@sluice/contract';
import type { EditKind, LongCommand, Tracker } from '../../grid/types.ts';
import { record } from '../../grid/undo.ts';
import { ApiError, call, errorText, isAbort } from '../../platform/call.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { newId } from '../../platform/ids.ts';
import { toast } from '../../ui/toasts.tsx';
import type { TableSession } from './table-session.ts';

/** What is running over many records, for the strip that shows it. */
export interface Job {
  label: string;
  unit: 'records' | 'cells';
  done: number;
  total: number;
  /** Null for what cannot be stopped. */
  cancel: (() => void) | null;
}

/** Shows a long copy or paste, with a button to stop it. */
export const trackLong = (table: TableSession, kind: LongCommand, total: number): Tracker => {
  const labels = {
    prepare: 'bulk.preparing',
    paste: 'bulk.pasting',
    copy: 'bulk.copying',
    fill: 'bulk.filling',
    undo: 'bulk.undoing',
    redo: 'bulk.redoing',
  } as const;
  const controller = new AbortController();
  const show = (done: number): void =>
    table.setJob({
      label: t(labels[kind]),
      unit: 'cells',
      done,
      total,
      cancel: total > 0 ? () => controller.abort() : null,
    });
  show(0);
  return {
    get isStopped() {
      return controller.signal.aborted;
    },
    update: show,
    end: () => table.setJob(null),
  };
};

export interface BulkPart {
  rows: ChosenRows;
  command: BulkCommand;
}

const countRows = ({ ids = [], ranges = [] }: ChosenRows): number =>
  ranges.reduce((sum, [from, to]) => sum + to - from + 1, ids.length);

type SkipReason =
  | 'notFound'
  | 'beingPushed'
  | 'pendingDelete'
  | 'readOnlyField'
  | 'changedByOther'
  | 'incompatible'
  | 'unchanged';

export interface BulkResult {
  editId: string | null;
  changedRecords: number;
  changedCells: number;
  skipped: Partial<Record<SkipReason, number>>;
  invalid: number;
  done: number;
  total: number;
  isCancelled: boolean;
}

/**
 * Runs commands over chosen records, a part a call, all as one undoable step; afterwards the table shows what is
 * there now. Null when it could not run at all: the reason has been told then.
 */
export const runBulk = (
  table: TableSession,
  parts: readonly BulkPart[],
  kind: EditKind,
  label: string,
): Promise<BulkResult | null> => table.grid.steps.run(null, () => run(table, parts, kind, label));

const run = async (
  table: TableSession,
  parts: readonly BulkPart[],
  kind: EditKind,
  label: string,
): Promise<BulkResult | null> => {
  if (table.state.get().job) {
    toast('info', t('bulk.busy'));
    return null;
  }
  const { grid } = table;
  const editId = newId();
  const controller = new AbortController();
  const result: BulkResult = {
    editId: null,
    changedRecords: 0,
    changedCells: 0,
    skipped: {},
    invalid: 0,
    done: 0,
    total: parts.reduce((sum, { rows }) => sum + countRows(rows), 0),
    isCancelled: false,
  };
  const show = (): void =>
    table.setJob({
      label,
      unit: 'records',
      done: result.done,
      total: result.total,
      cancel: () => controller.abort(),
    });
  show();
  try {
    for (const part of parts) {
      const before = result.done;
      let next: number | null = 0;
      while (next !== null && !controller.signal.aborted) {
        const reply: Awaited<ReturnType<typeof call<'bulk'>>> = await call('bulk', {
          params: { collection: table.collection },
          query: { editId, kind },
          body: { ...part, next },
        });
        ({ next } = reply);
        result.editId = reply.editId ?? result.editId;
        result.done = before + reply.done;
        result.total = Math.max(result.total, before + reply.total);
        result.changedRecords += reply.changedRecords;
        result.changedCells += reply.changedCells;
        result.invalid += reply.invalid;
        for (const [reason, count] of Object.entries(reply.skipped) as [SkipReason, number][]) {
          result.skipped[reason] = (result.skipped[reason] ?? 0) + count;
        }
        show();
      }
    }
    result.isCancelled = controller.signal.aborted;
    return result;
  } catch (error) {
    tellFault(table, error);
    return result.editId === null ? null : result;
  } finally {
    table.setJob(null);
    if (result.editId !== null) {
      grid.undoStack = record(grid.undoStack, result.editId);
      grid.emit('undo');
    }
    await table.readAgain(parts.flatMap((part) => part.rows.ids ?? []));
  }
};

/** Why something over chosen rows could not be done; what was stopped on purpose needs no word. */
export const tellFault = ({ grid }: TableSession, error: unknown): void => {
  if (error instanceof ApiError && error.code === 'SNAPSHOT_GONE') {
    grid.store.reset();
    toast('warning', t('bulk.snapshotGone'));
  } else if (!isAbort(error)) toast('error', errorText(error));
};

/** What a command did, in words: what changed, what was left and why. */
export const tellBulk = (result: BulkResult, done: string): void => {
  const { skipped, invalid, isCancelled } = result;
  const reasons = (Object.entries(skipped) as [SkipReason, number][])
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => t(`bulk.skipped_${reason}`, { count }));
  const parts = [
    isCancelled
      ? t('bulk.cancelled', {
          done: result.done,
          total: result.total,
        })
      : done,
    ...(reasons.length > 0 ? [t('bulk.left', { list: reasons.join(', ') })] : []),
    ...(invalid > 0 ? [t('bulk.invalid', { count: invalid })] : []),
  ];
  const sentence = parts.map((part) => (part.endsWith('.') ? part : `${part}.`)).join(' ');
  const isPlain = !isCancelled && invalid === 0 && Object.keys(skipped).length === 0;
  toast(isPlain ? 'success' : invalid > 0 ? 'warning' : 'info', sentence);
};

export const tellChanged = (result: BulkResult): void =>
  tellBulk(
    result,
    result.changedRecords === 0
      ? t('bulk.nothingChanged')
      : t('bulk.changedRecords', { count: result.changedRecords }),
  );
