import type { Dashboard, Job } from '@sluice/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { ago, daysSince } from '../../platform/time.ts';
import { keepTogether } from '../../platform/titles.ts';
import { Icon } from '../../ui/icons.tsx';
import { DomainStatusBadge } from '../../ui/status-badge.tsx';
import { LOOKS, messageOf, originOf } from './words.ts';

export interface TableLink {
  title: string;
  route: string;
}

const Nothing = ({ children }: { children: string }) => <p className="db-none">{children}</p>;

const InProgress = ({ jobs }: { jobs: readonly Job[] }) => {
  const { t } = useTranslation();
  return (
    <section className="card">
      <h2>
        {t('dashboard.inProgress')}
        <span className="n">{jobs.length === 0 ? '' : numeral(jobs.length)}</span>
      </h2>
      {jobs.length === 0 ? <Nothing>{t('dashboard.nothingRuns')}</Nothing> : null}
      <ul>
        {jobs.map((job) => (
          <li key={job.id} className="li">
            <div className="r1">
              {job.url === null ? (
                <span className="m trunc">{job.endpoint}</span>
              ) : (
                <Link className="link m trunc" to={job.url}>
                  {job.endpoint}
                </Link>
              )}
              <span className="sp" />
              <span className="mut db-small trunc">{job.connector?.name ?? originOf(job)}</span>
            </div>
            <div className="r2">
              <span className={`bar-line ${job.total === null ? 'unknown' : ''}`} style={{ flex: 1 }}>
                <i
                  style={
                    job.total === null
                      ? undefined
                      : { width: `${(100 * job.current) / Math.max(1, job.total)}%` }
                  }
                />
              </span>
              <span>
                {job.status === 'QUEUED'
                  ? t('dashboard.waiting')
                  : job.total === null
                    ? t('dashboard.soFar', { count: job.current })
                    : t('notifications.progress', { current: job.current, total: job.total })}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};

const RecentlyDone = ({ jobs }: { jobs: readonly Job[] }) => {
  const { t } = useTranslation();
  return (
    <section className="card">
      <h2>{t('dashboard.recentlyDone')}</h2>
      {jobs.length === 0 ? <Nothing>{t('dashboard.nothingDone')}</Nothing> : null}
      <ul>
        {jobs.map((job) => {
          const { className, icon } = LOOKS[job.status];
          const words = `${job.endpoint}: ${messageOf(job)}`;
          return (
            <li key={job.id} className="l1">
              <span className={className} style={{ display: 'grid' }}>
                <Icon name={icon} size="s" />
              </span>
              {job.url === null ? (
                <span className="trunc" title={words}>
                  {words}
                </span>
              ) : (
                <Link className="link trunc" to={job.url} title={words}>
                  {words}
                </Link>
              )}
              <span className="t">{job.finishedAt === null ? '' : ago(job.finishedAt)}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

/** Whether its name says which table is meant. */
const isAlone = (tables: readonly { title: string }[], wanted: string): boolean =>
  tables.filter(({ title }) => title === wanted).length === 1;

/** One's own changes that may have been forgotten; nothing where there are none. */
const Waiting = ({ tables }: { tables: Dashboard['waiting'] }) => {
  const { t } = useTranslation();
  if (tables.length === 0) return null;
  return (
    <section className="card">
      <h2>{t('dashboard.waitingLong')}</h2>
      <ul>
        {tables.map(({ title, place, route, count, oldestAt }) => (
          <li key={route} className="li">
            <div className="r1">
              <span className="s-wa" style={{ display: 'grid' }}>
                <Icon name="warning" size="s" />
              </span>
              <Link className="link m trunc" to={route} title={place}>
                {keepTogether(title)}
              </Link>
              <span className="sp" />
              {isAlone(tables, title) ? null : <span className="mut db-small trunc">{place}</span>}
            </div>
            <div className="r2">
              {t('dashboard.waitingDays', {
                changes: t('dashboard.changes', { count }),
                count: daysSince(oldestAt),
              })}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** So many tables to begin with. */
const FIRST_TABLES = 8;

/** What somebody opens most; before he has opened anything, where to begin. `tables` is null until they are known. */
const MostVisited = ({
  visited,
  tables,
}: {
  visited: Dashboard['mostVisited'];
  tables: readonly TableLink[] | null;
}) => {
  const { t } = useTranslation();
  const isNew = visited.length === 0;
  if (isNew && tables === null) {
    return (
      <section className="card" aria-busy="true">
        <h2>{t('dashboard.beginHere')}</h2>
        <ul aria-hidden="true">
          {Array.from({ length: FIRST_TABLES }, (_, row) => (
            <li key={row} className="l1">
              <span className="skel" style={{ width: 120 + ((row * 37) % 80) }} />
            </li>
          ))}
        </ul>
      </section>
    );
  }
  const links = (isNew ? (tables ?? []).slice(0, FIRST_TABLES) : visited).map((link) => ({
    place: '',
    ...link,
  }));
  return (
    <section className="card">
      <h2>{t(isNew ? 'dashboard.beginHere' : 'dashboard.mostVisited')}</h2>
      {links.length === 0 ? <Nothing>{t('dashboard.nothingHere')}</Nothing> : null}
      <ul>
        {links.map(({ title, place, route }) => (
          <li key={route} className="l1">
            <Icon name="table" />
            <Link className="link trunc" to={route} title={place}>
              {keepTogether(title)}
            </Link>
            {isAlone(links, title) ? null : <span className="t trunc">{place}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
};

const NEAR_LIMIT = 0.9;

const Connections = ({ systems }: { systems: Dashboard['externalConnections'] }) => {
  const { t } = useTranslation();
  return (
    <section className="card">
      <h2>{t('dashboard.connections')}</h2>
      {systems.length === 0 ? <Nothing>{t('dashboard.noConnections')}</Nothing> : null}
      <ul>
        {systems.flatMap(({ systemId, name, domains }) =>
          domains.map((domain) => {
            const { maxApiCalls: most, callsToday: calls } = domain;
            const isNear = most !== null && calls >= most * NEAR_LIMIT;
            return (
              <li key={`${systemId} ${domain.internalId}`} className="li">
                <div className="r1 db-wrap">
                  {domain.url === null ? (
                    <span className="m trunc">{name}</span>
                  ) : (
                    <Link className="link m trunc" to={domain.url}>
                      {name}
                    </Link>
                  )}
                  <span className="mut trunc db-small">{domain.name}</span>
                  <span className="sp" />
                  <DomainStatusBadge status={domain.status} title={domain.statusMessage ?? undefined} />
                </div>
                <div className="r2">
                  {most === null ? null : (
                    <span className={`pb ${isNear ? 'hot' : 'lim'}`}>
                      <i style={{ width: `${Math.min(100, (100 * calls) / Math.max(1, most))}%` }} />
                    </span>
                  )}
                  <span className="trunc">
                    {most === null
                      ? t('dashboard.calls', { count: calls })
                      : t('dashboard.callsOf', { calls, most })}
                  </span>
                  <span className="sp" />
                  <span className="trunc">
                    {domain.lastSyncAt === null
                      ? t('dashboard.neverRead')
                      : t('dashboard.read', { ago: ago(domain.lastSyncAt) })}
                  </span>
                </div>
              </li>
            );
          }),
        )}
      </ul>
    </section>
  );
};

export const SideCards = ({
  dashboard,
  tables,
}: {
  dashboard: Dashboard;
  tables: readonly TableLink[] | null;
}) => (
  <div className="colm">
    <InProgress jobs={dashboard.inProgress} />
    <Waiting tables={dashboard.waiting} />
    <RecentlyDone jobs={dashboard.recentlyDone} />
    <MostVisited visited={dashboard.mostVisited} tables={tables} />
    <Connections systems={dashboard.externalConnections} />
  </div>
);
