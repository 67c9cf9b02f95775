import type { Domain, DomainActivity } from '@sluice/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { currentUser } from '../../platform/session.ts';
import { ago, moment } from '../../platform/time.ts';
import { Icon } from '../../ui/icons.tsx';
import { DomainStatusBadge } from '../../ui/status-badge.tsx';
import { useDomainActions } from './domain-actions.ts';

const Reading = ({
  reading,
  hasCompanies,
}: {
  reading: DomainActivity['reading'];
  hasCompanies: boolean;
}) => {
  const { t } = useTranslation();
  const left = reading.waiting + reading.current.length;
  if (reading.tables === 0) return <>{t(hasCompanies ? 'domainState.noTables' : 'domainState.noneOpened')}</>;
  const names = reading.current.map(({ title }) => title).join(', ') || t('domainState.waiting');
  return (
    <>
      {left === 0
        ? t('domainState.upToDate', { count: reading.tables })
        : t('domainState.readingNow', { count: left, names })}
      {left > 0 ? (
        <>
          <span className="bar-line dm-bar" aria-hidden="true">
            <i style={{ width: `${(100 * (reading.tables - left)) / reading.tables}%` }} />
          </span>
          <progress
            className="vh"
            aria-label={t('domainState.reading')}
            max={reading.tables}
            value={reading.tables - left}
          />
        </>
      ) : null}
      {reading.current.map(({ title, loaded, expected }) => (
        <span key={title} className="dm-sub tn">
          {title}:{' '}
          {!expected
            ? t('domainState.progressUnknown', { loaded })
            : t('domainState.progress', { loaded, expected })}
        </span>
      ))}
      {reading.failed.length > 0 ? (
        <details className="dm-sub">
          <summary>{t('domainState.failed', { count: reading.failed.length })}</summary>
          <ul>
            {reading.failed.map(({ title, message }) => (
              <li key={title}>
                {title}: {message}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
};

/** How a domain is, in words, with what to do about it; reading goes on in sight. */
export const DomainState = ({
  systemId,
  domain,
  activity,
  hasCompanies,
}: {
  systemId: string;
  domain: Domain;
  activity: DomainActivity | null;
  hasCompanies: boolean;
}) => {
  const { t } = useTranslation();
  const { refresh, togglePause } = useDomainActions(systemId, domain);
  const formats = currentUser()?.userPreferences.options.formats;
  const [newest] = activity?.history ?? [];
  const isSince = newest?.status === domain.status;
  const canUpdate = domain.rights.update;
  const params = { systemId, domainId: domain.internalId };
  return (
    <section className="card" aria-labelledby="domain-state">
      <div className="dm-head">
        <h2 id="domain-state" className="sect">
          {t('domainState.title')}
        </h2>
        <span className="sp" />
        {hasCompanies ? (
          <Link className="btn" to="/manage/systems/$systemId/domains/$domainId/companies" params={params}>
            <Icon name="building" />
            {t('domainState.manageCompanies')}
          </Link>
        ) : null}
        {canUpdate && domain.isActive ? (
          <>
            <button type="button" className="btn" onClick={togglePause}>
              <Icon name={domain.isPaused ? 'refresh' : 'pause'} />
              {t(domain.isPaused ? 'manage.resume' : 'manage.pause')}
            </button>
            <button type="button" className="btn" disabled={domain.isPaused} onClick={refresh}>
              <Icon name="refresh" />
              {t('manage.refreshNow')}
            </button>
          </>
        ) : null}
      </div>
      <div className="dm-now" aria-live="polite">
        <DomainStatusBadge status={domain.status} />
        {domain.isProduction ? <span className="prod">{t('common.production')}</span> : null}
        {isSince && newest && formats ? (
          <span className="mut">{t('domainState.since', { time: moment(newest.at, formats) })}</span>
        ) : null}
      </div>
      {domain.statusMessage ? <p className="dm-why">{domain.statusMessage}</p> : null}
      <p className="dm-why sec">
        {t(
          domain.status === 'OK' && !hasCompanies
            ? 'domainState.nextToOpen'
            : `domainState.next${domain.status}`,
        )}
      </p>
      <dl className="dm-facts">
        <dt>{t('domainState.lastRead')}</dt>
        <dd>{domain.lastSyncAt ? ago(domain.lastSyncAt) : t('manage.never')}</dd>
        <dt>{t('domainState.calls')}</dt>
        <dd className="tn">
          {t('domainState.callsOf', {
            used: domain.apiCallsUsed,
            limit: domain.maxApiCalls === null ? t('manage.unlimited') : numeral(domain.maxApiCalls),
          })}
        </dd>
        <dt>{t('domainState.reading')}</dt>
        <dd>
          {activity ? (
            <Reading reading={activity.reading} hasCompanies={hasCompanies} />
          ) : (
            <span className="skel" />
          )}
        </dd>
      </dl>
    </section>
  );
};
