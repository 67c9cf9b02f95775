import type { ActionSummary, Run } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useRuns } from './api.ts';
import { RunStatusBadge } from './status.tsx';
import { countWords, durationWords, timeWords } from './words.ts';

const PAGE = 10;

const kinds = {
  manual: 'runs.kindManual',
  scheduled: 'runs.kindScheduled',
  retry: 'runs.kindRetry',
} as const;

/** The runs of all actions of a connector, newest first. */
export const RunHistory = ({
  connectorId,
  actions,
  onOpen,
}: {
  connectorId: string;
  actions: readonly ActionSummary[];
  onOpen: (run: Run) => void;
}) => {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const ids = actions.map(({ internalId }) => internalId).filter((id) => chosen === '' || id === chosen);
  const { runs, total, isPending } = useRuns(connectorId, ids, limit);
  const shown = runs.slice(0, limit);
  return (
    <section className="card" style={{ overflow: 'auto' }} aria-label={t('runs.history')}>
      <div className="cn-head">
        <h2>{t('runs.history')}</h2>
        <span className="sp" />
        {actions.length > 1 ? (
          <span className="fl" style={{ width: 220 }}>
            <span className="inp sm">
              <select
                aria-label={t('actions.title')}
                value={chosen}
                onChange={(event) => setChosen(event.target.value)}
              >
                <option value="">{t('runs.allActions')}</option>
                {actions.map(({ internalId, name }) => (
                  <option key={internalId} value={internalId}>
                    {name}
                  </option>
                ))}
              </select>
            </span>
          </span>
        ) : null}
      </div>
      {shown.length === 0 ? (
        isPending && ids.length > 0 ? (
          <div style={{ height: 120 }} aria-busy="true" />
        ) : (
          <EmptyState icon="clock" title={t('runs.empty')} text={t('runs.emptyText')} />
        )
      ) : (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">{t('runs.when')}</th>
              <th scope="col">{t('runs.action')}</th>
              <th scope="col">{t('connectors.status')}</th>
              <th scope="col">{t('runs.result')}</th>
              <th scope="col">{t('runs.duration')}</th>
              <th scope="col">{t('runs.who')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((run) => (
              <tr key={run.internalId}>
                <td className="tn">
                  <button type="button" className="link" onClick={() => onOpen(run)}>
                    {timeWords(run.createdAt, '')}
                  </button>
                </td>
                <td>
                  {actions.find(({ internalId }) => internalId === run.actionId)?.name}{' '}
                  <span className="mut">{t('runs.number', { number: run.number })}</span>
                </td>
                <td>
                  <RunStatusBadge status={run.status} />
                </td>
                <td className="sec tn">
                  {run.finishedAt === null
                    ? t('runs.progressUnknown', { current: run.current })
                    : countWords(run.counts)}
                </td>
                <td className="sec tn">{durationWords(run)}</td>
                <td className="sec">
                  {run.startedBy?.fullName ?? t('runs.schedule')}{' '}
                  <span className="mut">{t(kinds[run.kind])}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {total > shown.length && limit < 100 ? (
        <div style={{ padding: 12 }}>
          <button type="button" className="btn" onClick={() => setLimit((now) => Math.min(100, now * 3))}>
            {t('runs.more')}
          </button>
        </div>
      ) : null}
    </section>
  );
};
