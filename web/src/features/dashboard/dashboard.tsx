import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type DashboardScope, type PeriodName, periods, useDashboard } from './api.ts';
import { DayPlot } from './day-plot.tsx';
import './dashboard.css';
import { JobTable } from './job-table.tsx';
import { SideCards, type TableLink } from './side-cards.tsx';

/** What is going on, what was done and what went wrong; everything leads to where it can be looked at. */
export const DashboardPage = ({
  scope,
  where,
  tables,
  children,
}: {
  scope: DashboardScope | null;
  /** The system and levels in words. */
  where: ReactNode;
  /** Null until they are known. */
  tables: readonly TableLink[] | null;
  /** Between heading and cards: a welcome. */
  children?: ReactNode;
}) => {
  const { t } = useTranslation();
  const [period, setPeriod] = useState<PeriodName>('today');
  const { dashboard, error, isFetching, isOld, flashing, retry } = useDashboard(period, scope);
  if (error && !dashboard) return <ErrorView error={error} />;
  return (
    <main className="page db" id="main" tabIndex={-1} aria-busy={isFetching}>
      <div className="dh">
        <h1>{t('dashboard.title')}</h1>
        {where}
        <span className="sp" />
        <fieldset className="seg" aria-label={t('dashboard.period')}>
          {(Object.keys(periods) as PeriodName[]).map((name) => (
            <button
              key={name}
              type="button"
              className={period === name ? 'on' : ''}
              aria-pressed={period === name}
              onClick={() => setPeriod(name)}
            >
              {t(`dashboardPeriods.${name}`)}
            </button>
          ))}
        </fieldset>
      </div>
      {children}
      {error ? (
        <p className="note-line warn" role="alert">
          <Icon name="warning" />
          {errorText(error)}
          <button type="button" className="btn" onClick={retry}>
            {t('dashboard.tryAgain')}
          </button>
        </p>
      ) : null}
      {dashboard ? (
        <div className="dg">
          <div className="colm">
            <DayPlot days={dashboard.days} />
            <JobTable dashboard={dashboard} flashing={flashing} isOld={isOld} />
          </div>
          <SideCards dashboard={dashboard} tables={tables} />
        </div>
      ) : (
        <div className="dg" aria-hidden="true">
          <div className="colm">
            <span className="skel" style={{ height: 204 }} />
            <span className="skel" style={{ height: 320 }} />
          </div>
          <div className="colm">
            <span className="skel" style={{ height: 120 }} />
            <span className="skel" style={{ height: 160 }} />
            <span className="skel" style={{ height: 160 }} />
          </div>
        </div>
      )}
    </main>
  );
};
