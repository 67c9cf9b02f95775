import type { Dashboard, DashboardError, Job } from '@sluice/contract';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { durationOf, LOOKS, messageOf, originOf, timeOf } from './words.ts';

const PAGE = 20;
const TABS = ['userJobs', 'connectorJobs', 'errors'] as const;
type Tab = (typeof TABS)[number];

const Progress = ({ job }: { job: Job }) => {
  const { t } = useTranslation();
  const { current, total } = job;
  return (
    <>
      <span className={`bar-line ${total === null ? 'unknown' : ''}`} style={{ flex: 1 }}>
        <i style={total === null ? undefined : { width: `${(100 * current) / Math.max(1, total)}%` }} />
      </span>
      <span className="sec tn db-count">
        {total === null
          ? t('dashboard.soFar', { count: current })
          : t('notifications.progress', { current, total })}
      </span>
    </>
  );
};

const State = ({ job }: { job: Job }) => {
  const { className, icon } = LOOKS[job.status];
  const duration = durationOf(job);
  return (
    <span className="st">
      <span className={className} style={{ display: 'grid' }}>
        <Icon name={icon} size="s" />
      </span>
      {job.status === 'RUNNING' ? (
        <Progress job={job} />
      ) : (
        <span className={`trunc tn ${job.status === 'FAILED' ? 's-er' : ''}`} title={messageOf(job)}>
          {messageOf(job)}
        </span>
      )}
      {duration ? <span className="mut tn db-count">{duration}</span> : null}
    </span>
  );
};

const Place = ({ url, children }: { url: string | null; children: string }) =>
  url === null ? (
    <>{children}</>
  ) : (
    <Link className="link" to={url}>
      {children}
    </Link>
  );

const Row = ({ item, tab, isFlashing }: { item: Job | DashboardError; tab: Tab; isFlashing: boolean }) => (
  <tr className={isFlashing ? 'flash' : ''}>
    <td className="tn sec">{timeOf(item.timestamp)}</td>
    {tab === 'userJobs' ? null : (
      <td title={item.connector?.name}>
        {item.connector ? <Place url={item.url}>{item.connector.name}</Place> : null}
      </td>
    )}
    <td title={item.endpoint}>
      {tab === 'userJobs' || item.connector === null ? (
        <Place url={item.url}>{item.endpoint || '–'}</Place>
      ) : (
        <span className="sec">{item.endpoint}</span>
      )}
    </td>
    <td className="sec" title={originOf(item)}>
      {originOf(item)}
    </td>
    <td>
      {'status' in item ? (
        <State job={item} />
      ) : (
        <span className="st">
          <span className="s-er" style={{ display: 'grid' }}>
            <Icon name="danger" size="s" />
          </span>
          <span className="trunc" title={item.message}>
            {item.message}
          </span>
        </span>
      )}
    </td>
  </tr>
);

/** The three lists of the period, twenty to a page, the newest first. */
export const JobTable = ({
  dashboard,
  flashing,
  isOld,
}: {
  dashboard: Dashboard;
  flashing: ReadonlySet<string>;
  isOld: boolean;
}) => {
  const { t } = useTranslation();
  const [tab, setTab] = useState<Tab>('userJobs');
  const [offset, setOffset] = useState(0);
  const list: readonly (Job | DashboardError)[] = dashboard[tab];
  const from = offset < list.length ? offset : 0;
  const shown = list.slice(from, from + PAGE);
  const total = dashboard.totals[tab];
  const show = (next: Tab): void => {
    setTab(next);
    setOffset(0);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length];
    if (step === 0 || !next) return;
    event.preventDefault();
    show(next);
    document.getElementById(`db-tab-${next}`)?.focus();
  };
  return (
    <section className="card db-jobs" aria-label={t('dashboard.jobs')}>
      <div
        className="tabs"
        role="tablist"
        tabIndex={-1}
        aria-label={t('dashboard.jobs')}
        onKeyDown={handleKey}
      >
        {TABS.map((id) => (
          <button
            key={id}
            id={`db-tab-${id}`}
            type="button"
            role="tab"
            aria-selected={tab === id}
            aria-controls="db-panel"
            tabIndex={tab === id ? 0 : -1}
            className={`${tab === id ? 'on' : ''} ${id === 'errors' && dashboard.totals.errors > 0 ? 'err' : ''}`}
            onClick={() => show(id)}
          >
            {t(`dashboard.${id}`)} <span className="n">{numeral(dashboard.totals[id])}</span>
          </button>
        ))}
      </div>
      <div
        id="db-panel"
        role="tabpanel"
        aria-labelledby={`db-tab-${tab}`}
        aria-busy={isOld}
        className={isOld ? 'db-old' : ''}
      >
        {shown.length === 0 ? (
          <EmptyState
            icon={tab === 'errors' ? 'success' : 'clock'}
            title={t(tab === 'errors' ? 'dashboard.noErrors' : 'dashboard.noJobs')}
            text={t(`dashboardEmpty.${tab}`)}
          />
        ) : (
          <table className="jt">
            <colgroup>
              <col style={{ width: 118 }} />
              {tab === 'userJobs' ? null : <col style={{ width: '20%' }} />}
              <col style={{ width: '22%' }} />
              <col style={{ width: '15%' }} />
              <col />
            </colgroup>
            <thead>
              <tr>
                <th scope="col">{t('dashboard.time')}</th>
                {tab === 'userJobs' ? null : <th scope="col">{t('dashboard.connector')}</th>}
                <th scope="col">{t('dashboard.endpoint')}</th>
                <th scope="col">{t('dashboard.originTitle')}</th>
                <th scope="col">{t('dashboard.message')}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((item) => (
                <Row key={item.id} item={item} tab={tab} isFlashing={flashing.has(item.id)} />
              ))}
            </tbody>
          </table>
        )}
      </div>
      {total > PAGE ? (
        <div className="pager">
          <span>
            {t('dashboard.page', { from: from + 1, to: Math.min(from + PAGE, list.length), total })}
          </span>
          <span className="sp" />
          <button
            type="button"
            className="btn"
            disabled={from === 0}
            onClick={() => setOffset(Math.max(0, from - PAGE))}
          >
            <Icon name="back" size="s" />
            {t('dashboard.previous')}
          </button>
          <button
            type="button"
            className="btn"
            disabled={from + PAGE >= list.length}
            onClick={() => setOffset(from + PAGE)}
          >
            {t('dashboard.next')}
            <Icon name="chevronRight" size="s" />
          </button>
        </div>
      ) : null}
    </section>
  );
};
