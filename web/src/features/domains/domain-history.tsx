import type { DomainActivity } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { currentUser } from '../../platform/session.ts';
import { moment } from '../../platform/time.ts';
import { DomainStatusBadge } from '../../ui/status-badge.tsx';

/** How the status changed: when, to what, why and by whom. */
export const DomainHistory = ({ history }: { history: DomainActivity['history'] }) => {
  const { t } = useTranslation();
  const formats = currentUser()?.userPreferences.options.formats;
  return (
    <section className="card" style={{ overflow: 'auto' }}>
      <h2>{t('domainHistory.title')}</h2>
      {history.length === 0 ? (
        <p className="dm-why mut">{t('domainHistory.empty')}</p>
      ) : (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">{t('domainHistory.when')}</th>
              <th scope="col">{t('manage.status')}</th>
              <th scope="col">{t('domainHistory.why')}</th>
              <th scope="col">{t('domainHistory.who')}</th>
            </tr>
          </thead>
          <tbody>
            {history.map(({ at, status, message, by }) => (
              <tr key={`${at} ${status}`}>
                <td className="tn">{formats ? moment(at, formats) : at}</td>
                <td>
                  <DomainStatusBadge status={status} />
                </td>
                <td className="sec">{message}</td>
                <td className="sec">{by ?? t('domainHistory.itself')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
};
