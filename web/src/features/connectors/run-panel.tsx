import type { ActionSummary, EndMetadata, Run, RunFailure, SourceUpdateFailure } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { SideDialog } from '../../ui/side-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useAction, useRefresh, useRun } from './api.ts';
import { fieldName, valueWords } from './mapping-words.ts';
import { RunStatusBadge } from './status.tsx';
import { countNames, durationWords, tablePath, timeWords } from './words.ts';

const PAGE = 50;
const MOST = 1000;

interface PanelProps {
  connectorId: string;
  canRun: boolean;
  onClose: () => void;
  /** Shows another run instead: the retry that was begun here. */
  onOpenRun: (run: Run) => void;
}

const Failure = ({ failure, target }: { failure: RunFailure; target: EndMetadata | null }) => {
  const { t } = useTranslation();
  return (
    <li className="cn-fail">
      <span className="m tn">{failure.sourceKey}</span>
      {failure.kind === 'conflict' ? <p className="s-wa">{t('runs.conflict')}</p> : null}
      {failure.errors.map((error) => (
        <p key={`${error.path} ${error.message}`}>
          <span className="f">
            {error.targetField === null ? t('runs.wholeRecord') : fieldName(target, error.targetField)}
          </span>
          : <span className="e">{error.message}</span>
          {error.input === null ? null : (
            <span className="mut">
              {' '}
              ({t('runs.input')}: {valueWords(error.input)})
            </span>
          )}
        </p>
      ))}
      <details>
        <summary>{t('runs.sourceRecord')}</summary>
        <pre>{JSON.stringify(failure.sourceRecord, null, 2)}</pre>
      </details>
    </li>
  );
};

/** A run beside the screen: what it made, what failed and why, and what can be done about it. */
export const RunPanel = ({
  connectorId,
  run: known,
  actionName,
  canRun,
  onClose,
  onOpenRun,
}: PanelProps & { run: Run; actionName: string }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [limit, setLimit] = useState(PAGE);
  const [isDiscarding, setDiscarding] = useState(false);
  const params = { connectorId, actionId: known.actionId, runId: known.internalId };
  const { data } = useRun(params, limit);
  const run = data?.resource ?? known;
  const failures = data?.failures;
  // For the names of fields at fault.
  const action = useAction(connectorId, known.actionId, (failures?.total ?? 0) > 0);
  const failed = run.counts.failed + run.counts.conflicts;
  const isOpen = run.finishedAt === null;
  const act = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      toast('error', errorText(error));
    }
    await refresh();
  };
  const discard = async (): Promise<void> => {
    setDiscarding(false);
    await act(async () => {
      const { discarded, refused } = await call('discardRun', { params });
      toast('success', t('runs.discarded', { count: discarded }));
      if (refused > 0) toast('warning', t('runs.discardRefused', { count: refused }));
    });
  };
  return (
    <SideDialog
      onClose={onClose}
      title={t('runs.numberOf', { number: run.number, action: actionName })}
      width={600}
      footer={
        <>
          {run.targetPath ? (
            <button
              type="button"
              className="btn"
              onClick={() =>
                void navigate({
                  to: tablePath(run.targetPath),
                  search: run.pendingCount > 0 ? { run: run.internalId } : {},
                })
              }
            >
              <Icon name="table" />
              {t(run.pendingCount > 0 ? 'runs.showChanges' : 'runs.openTable')}
            </button>
          ) : null}
          <span className="sp" />
          {canRun && isOpen ? (
            <button
              type="button"
              className="btn danger"
              onClick={() =>
                void act(async () => {
                  await call('cancelRun', { params });
                  toast('info', t('runs.cancelled'));
                })
              }
            >
              {t('runs.cancel')}
            </button>
          ) : null}
          {canRun && run.pendingCount > 0 ? (
            <button type="button" className="btn danger" onClick={() => setDiscarding(true)}>
              {t('runs.discard', { count: run.pendingCount })}
            </button>
          ) : null}
          {canRun && !isOpen && failed > 0 ? (
            <button
              type="button"
              className="btn primary"
              onClick={() => void act(async () => onOpenRun((await call('retryRun', { params })).run))}
            >
              <Icon name="refresh" />
              {t('runs.retry', { count: failed })}
            </button>
          ) : null}
        </>
      }
    >
      <div className="cn-body">
        <div className="cn-row">
          <RunStatusBadge status={run.status} />
          <span className="sec tn">
            {isOpen
              ? run.total === null
                ? t('runs.progressUnknown', { current: run.current })
                : t('runs.progress', { current: run.current, total: run.total })
              : durationWords(run)}
          </span>
        </div>
        {isOpen ? (
          <div className={`bar-line ${run.total === null ? 'unknown' : ''}`}>
            <i
              style={run.total === null ? {} : { width: `${(100 * run.current) / Math.max(1, run.total)}%` }}
            />
          </div>
        ) : null}
        {run.message ? (
          <p className={`note-line ${isOpen ? '' : run.status === 'FAILED' ? 'bad' : 'warn'}`}>
            <Icon name={isOpen ? 'info' : run.status === 'FAILED' ? 'danger' : 'warning'} />
            {run.message}
          </p>
        ) : null}
        <div className="cn-counts">
          {countNames.map((name) => (
            <div
              key={name}
              className={
                run.counts[name] === 0 ? '' : name === 'failed' ? 's-er' : name === 'conflicts' ? 's-wa' : ''
              }
            >
              <b>{t('runs.bare', { count: run.counts[name] })}</b>
              <span>{t(`runs.${name}`)}</span>
            </div>
          ))}
        </div>
        <dl className="cn-facts" style={{ padding: 0 }}>
          <dt>{t('runs.when')}</dt>
          <dd className="tn">{timeWords(run.createdAt, '')}</dd>
          <dt>{t('runs.who')}</dt>
          <dd>{run.startedBy?.fullName ?? t('runs.schedule')}</dd>
          <dt>{t('actions.mappings')}</dt>
          <dd>{t('runs.version', { version: run.version })}</dd>
        </dl>
        {isOpen ? null : <p className="sec">{t('runs.pending', { count: run.pendingCount })}</p>}
        {run.sourceUpdates.written > 0 ? (
          <p className="sec">{t('runs.updatesWritten', { count: run.sourceUpdates.written })}</p>
        ) : null}
        {run.sourceUpdates.waiting > 0 ? (
          <p className="sec">{t('runs.updatesWaiting', { count: run.sourceUpdates.waiting })}</p>
        ) : null}
        {run.sourceUpdates.failed > 0 ? (
          <FailedUpdates
            count={run.sourceUpdates.failed}
            failures={data?.sourceUpdateFailures ?? []}
            onRetry={
              canRun
                ? () =>
                    void act(async () => {
                      const { retried } = await call('retrySourceUpdates', { params });
                      toast('info', t('runs.updatesRetried', { count: retried }));
                    })
                : null
            }
          />
        ) : null}
        {failures && (failures.total ?? 0) > 0 ? (
          <section aria-label={t('runs.failures')} style={{ display: 'grid', gap: 8 }}>
            <h3 className="b">
              {t('runs.failures')}{' '}
              <span className="mut">
                {t('runs.failuresShown', { shown: failures.resources.length, total: failures.total })}
              </span>
            </h3>
            <ul style={{ display: 'grid', gap: 8 }}>
              {failures.resources.map((failure) => (
                <Failure key={failure.seq} failure={failure} target={action.data?.metadata.target ?? null} />
              ))}
            </ul>
            {(failures.total ?? 0) > failures.resources.length && limit < MOST ? (
              <button
                type="button"
                className="btn"
                onClick={() => setLimit((now) => Math.min(MOST, now * 4))}
              >
                {t('runs.more')}
              </button>
            ) : null}
          </section>
        ) : null}
      </div>
      {isDiscarding ? (
        <Dialog
          isOpen
          onClose={() => setDiscarding(false)}
          title={t('runs.discardTitle')}
          footer={
            <>
              <span className="sp" />
              <button type="button" className="btn lg" onClick={() => setDiscarding(false)}>
                {t('common.cancel')}
              </button>
              <button type="button" className="btn danger lg" onClick={() => void discard()}>
                {t('runs.discard', { count: run.pendingCount })}
              </button>
            </>
          }
        >
          <p style={{ padding: '0 20px 20px' }}>{t('runs.discardText', { count: run.pendingCount })}</p>
        </Dialog>
      ) : null}
    </SideDialog>
  );
};

/** Outcomes of a push that the source did not take: what it says of each, and trying again. */
const FailedUpdates = ({
  count,
  failures,
  onRetry,
}: {
  count: number;
  failures: readonly SourceUpdateFailure[];
  onRetry: (() => void) | null;
}) => {
  const { t } = useTranslation();
  return (
    <section aria-label={t('runs.updatesFailed', { count })} style={{ display: 'grid', gap: 8 }}>
      <div className="cn-row">
        <h3 className="b">{t('runs.updatesFailed', { count })}</h3>
        <span className="sp" />
        {onRetry ? (
          <button type="button" className="btn" onClick={onRetry}>
            <Icon name="refresh" />
            {t('runs.updatesRetry')}
          </button>
        ) : null}
      </div>
      <p className="sec">{t('runs.updatesText')}</p>
      <ul style={{ display: 'grid', gap: 8 }}>
        {failures.map(({ source, sourceKey, message }) => (
          <li key={`${source} ${sourceKey}`} className="cn-fail">
            <span className="m tn">{sourceKey}</span>
            <p className="e">{message}</p>
          </li>
        ))}
      </ul>
      {count > failures.length ? (
        <p className="mut">{t('runs.failuresShown', { shown: failures.length, total: count })}</p>
      ) : null}
    </section>
  );
};

/** The run that an address names: addresses do not say of which action it is. */
export const FoundRun = ({
  runId,
  actions,
  ...rest
}: PanelProps & { runId: string; actions: readonly ActionSummary[] }) => {
  const { data } = useQuery({
    queryKey: ['connectors', rest.connectorId, 'find-run', runId],
    queryFn: async () => {
      for (const { internalId: actionId } of actions) {
        try {
          const params = { connectorId: rest.connectorId, actionId, runId };
          return (await call('getRun', { params, query: { limit: 0, offset: 0 } })).resource;
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
        }
      }
      return null;
    },
  });
  return data ? (
    <RunPanel
      {...rest}
      run={data}
      actionName={actions.find(({ internalId }) => internalId === data.actionId)?.name ?? ''}
    />
  ) : null;
};
