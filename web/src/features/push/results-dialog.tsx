import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { numeral } from '../../platform/i18n/i18n.ts';
import { requireUser } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { isUnderWay, shownResults } from './push-progress.ts';
import { type ResultLine, mendedIds, resultLines } from './results-model.ts';
import { usePending } from './use-pending.ts';
import './review.css';

interface ResultsProps {
  nameOf: (collection: string, fieldId: string) => string;
  onShow: (collection: string, id: string, fieldId: string | null) => void;
  /** Opens the review with these records chosen; null while another table is open. */
  onReview: ((ids: string[]) => void) | null;
}

/** What became of each record of a push; one click leads to the record, or to the very cell. */
export const ResultsDialog = (props: ResultsProps) => {
  const shown = useStore(shownResults);
  return shown ? <Results key={shown.action.internalId} shown={shown} {...props} /> : null;
};

const TABS = ['failed', 'unsent', 'done'] as const;
type Tab = (typeof TABS)[number];

const tabOf = ({ outcome }: ResultLine): Tab =>
  outcome === 'succeeded' ? 'done' : outcome === 'rejected' || outcome === 'unknown' ? 'failed' : 'unsent';

const OUTCOME = {
  rejected: 'push.outcomeRejected',
  unknown: 'push.outcomeUnknown',
  skipped: 'push.skipped',
  waiting: 'push.skipped',
  succeeded: 'review.outcomeDone',
} as const;

const MARK = {
  rejected: 'rejected',
  unknown: 'invalid',
  skipped: 'invalid',
  waiting: 'pushing',
  succeeded: 'new',
} as const;

const Results = ({
  shown,
  nameOf,
  onShow,
  onReview,
}: ResultsProps & { shown: NonNullable<ReturnType<typeof shownResults.get>> }) => {
  const { t } = useTranslation();
  const { action, collection, title, systemName } = shown;
  const { records, reload } = usePending(collection);
  const isRunning = isUnderWay(action);
  const settled = action.succeeded + action.failed;
  const planned = action.counts.insert + action.counts.update + action.counts.delete;
  const seen = useRef(settled);
  useEffect(() => {
    if (seen.current === settled) return;
    seen.current = settled;
    reload();
  }, [settled, reload]);
  const lines = useMemo(() => resultLines(action, records ?? []), [action, records]);
  const counts = { failed: 0, unsent: 0, done: 0 };
  for (const line of lines) counts[tabOf(line)]++;
  const [picked, setPicked] = useState<Tab | null>(null);
  const tab = picked ?? TABS.find((one) => counts[one] > 0) ?? 'failed';
  const mended = mendedIds(lines);
  const left = counts.failed + counts.unsent;
  const close = (): void => shownResults.set(null);
  const { user } = requireUser();
  const mayCancel = isRunning && (user.isSuperuser || user.internalId === action.authoredBy.internalId);
  const [isCancelling, setCancelling] = useState(false);
  const cancelRest = (): void => {
    setCancelling(true);
    call('cancelPush', { params: { collection, pushId: action.internalId } }).catch((failure: unknown) => {
      setCancelling(false);
      toast('error', errorText(failure));
    });
  };
  return (
    <Dialog
      isOpen
      isTall={lines.length > 8}
      onClose={close}
      title={t('push.resultsTitle')}
      subtitle={`${title}, ${systemName}. ${
        isRunning
          ? t('push.running', { current: settled, total: planned })
          : t('push.donePart', { succeeded: action.succeeded, failed: action.failed })
      }`}
      width={880}
      footer={
        mayCancel ? (
          <DialogFooter
            // Why it stands still, where it does: the external system asked for a pause, or cannot be reached.
            note={
              action.message ? (
                <span className="sec">{t('push.standsStill', { reason: action.message })}</span>
              ) : null
            }
            close={t('common.close')}
            onClose={close}
            action={{ label: t('push.cancelRest'), isDisabled: isCancelling, onClick: cancelRest }}
          />
        ) : left > 0 && onReview && !isRunning ? (
          <DialogFooter
            note={
              <span className="sec">
                {mended.length === 0
                  ? t('review.mendFirst')
                  : t('review.mended', { count: mended.length, total: left })}
              </span>
            }
            close={t('common.close')}
            onClose={close}
            action={{
              label: (
                <>
                  <Icon name="push" />
                  {t('review.pushAgain', { count: mended.length })}
                </>
              ),
              isDisabled: mended.length === 0,
              onClick: () => {
                close();
                onReview(mended);
              },
            }}
          />
        ) : undefined
      }
    >
      <div className="rv-tabs" style={{ marginTop: 0 }}>
        <div className="tabs" role="tablist" aria-label={t('push.resultsTitle')}>
          {TABS.map((id) => (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={tab === id}
              className={`${tab === id ? 'on' : ''} ${id === 'failed' && counts.failed > 0 ? 'err' : ''}`}
              onClick={() => setPicked(id)}
            >
              {t(`review.${id}`)} <span className="n">{numeral(counts[id])}</span>
            </button>
          ))}
        </div>
      </div>
      <VirtualList
        key={tab}
        className="rv-list rv-results"
        label={t('push.resultsTitle')}
        items={lines.filter((line) => tabOf(line) === tab)}
        keyOf={(line) => line.id}
        estimate={(line) => 33 + line.errors.length * 22}
        render={(line) => (
          <div className="rec">
            <div className="hd">
              <i className={`mk mk-${MARK[line.outcome]}`} />
              <span className="nm">
                <span className="trunc">{line.name ?? t('push.kindNew')}</span>
                {line.name && line.key && line.key !== line.name ? (
                  <span className="id">{line.key}</span>
                ) : null}
                {line.outcome !== 'succeeded' && line.now === 'mended' ? (
                  <span className="badge success">
                    <Icon name="check" size="s" />
                    {t('review.isMended')}
                  </span>
                ) : null}
              </span>
              <span className="sec">
                {line.reason
                  ? t(`review.skip_${line.reason}`)
                  : t(
                      isRunning && line.outcome === 'waiting' ? 'push.outcomeWaiting' : OUTCOME[line.outcome],
                    )}
              </span>
              <button
                type="button"
                className="link"
                onClick={() => {
                  close();
                  onShow(collection, line.id, line.errors[0]?.field ?? null);
                }}
              >
                {t('push.showInTable')}
              </button>
            </div>
            {line.errors.length > 0 ? (
              <ul>
                {line.errors.map((error, i) => (
                  <li key={i}>
                    {error.field ? <b>{nameOf(collection, error.field)}: </b> : null}
                    {error.msg}
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
        )}
      >
        {counts[tab] === 0 ? <EmptyState icon="check" title={t('review.noneHere')} /> : null}
      </VirtualList>
    </Dialog>
  );
};
