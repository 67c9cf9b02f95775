import type { Domain } from '@sluice/contract';
import { formatNumber } from '@sluice/mapping';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { ago } from '../../platform/time.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { MenuButton, type MenuEntry } from '../../ui/popup-menu.tsx';
import { DomainStatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useDomains, useForget, useManagedSystem } from './api.ts';
import { useDomainActions } from './domain-actions.ts';

const DeleteDialog = ({ domain, onClose }: { domain: Domain; onClose: () => void }) => {
  const { t } = useTranslation();
  const forget = useForget();
  /** What still uses it, with the counts, in the server's words. */
  const [inUse, setInUse] = useState<string | null>(null);
  const remove = async (): Promise<void> => {
    try {
      await call('deleteDomain', {
        params: { systemId: domain.systemId, domainId: domain.internalId },
        ...(inUse === null ? {} : { query: { confirm: 'true' as const } }),
      });
      await forget();
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'IN_USE' && inUse === null) setInUse(error.message);
      else toast('error', errorText(error));
    }
  };
  return (
    <ConfirmDialog
      title={t('manage.deleteDomainTitle', { name: domain.name })}
      text={inUse === null ? t('manage.deleteDomainText') : t('manage.deleteDomainInUse', { reason: inUse })}
      yes={t(inUse === null ? 'manage.deleteDomain' : 'manage.deleteAnyway')}
      isDanger
      onNo={onClose}
      onYes={() => void remove()}
    />
  );
};

const Row = ({
  domain,
  hasCompanies,
  systemUrl,
  mayAdd,
  onDelete,
}: {
  domain: Domain;
  hasCompanies: boolean;
  systemUrl: string;
  mayAdd: boolean;
  onDelete: () => void;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { refresh, togglePause } = useDomainActions(systemUrl, domain);
  const [isOpen, setOpen] = useState(false);
  const params = { systemId: systemUrl, domainId: domain.internalId };
  const formats = currentUser()?.userPreferences.options.formats.numberFormat ?? 'dotSeparated';
  const entries: MenuEntry[] = [
    {
      label: t('common.edit'),
      icon: 'edit',
      isDisabled: !domain.rights.update,
      onClick: () => void navigate({ to: '/manage/systems/$systemId/domains/$domainId/edit', params }),
    },
    {
      label: t('manage.copy'),
      icon: 'copy',
      isDisabled: !mayAdd,
      onClick: () =>
        void navigate({
          to: '/manage/systems/$systemId/domains/new',
          params: { systemId: systemUrl },
          search: { copyFrom: domain.internalId },
        }),
    },
    ...(hasCompanies
      ? [
          {
            label: t('manage.companies'),
            icon: 'building' as const,
            onClick: () =>
              void navigate({ to: '/manage/systems/$systemId/domains/$domainId/companies', params }),
          },
        ]
      : []),
    {
      label: t('manage.refreshNow'),
      icon: 'refresh',
      isDisabled: !domain.rights.update,
      onClick: refresh,
    },
    {
      label: t(domain.isPaused ? 'manage.resume' : 'manage.pause'),
      icon: 'pause',
      isDisabled: !domain.rights.update,
      onClick: togglePause,
    },
    'divider',
    {
      label: t('manage.deleteDomain'),
      icon: 'trash',
      isDanger: true,
      isDisabled: !domain.rights.delete,
      onClick: onDelete,
    },
  ];
  return (
    <tr>
      <td>
        <Link className="m" to="/manage/systems/$systemId/domains/$domainId/edit" params={params}>
          {domain.name}
        </Link>
        {domain.isProduction ? (
          <span className="prod" style={{ marginLeft: 8, height: 18, fontSize: 10 }}>
            {t('common.production')}
          </span>
        ) : null}
      </td>
      <td className="sec">{domain.database || domain.url || domain.settings['folder']}</td>
      <td className="sec">{t('manage.minutes', { count: domain.cacheRefreshMinutes })}</td>
      <td className="num sec">
        {formatNumber(domain.apiCallsUsed, formats)} /{' '}
        {domain.maxApiCalls === null ? t('manage.unlimited') : formatNumber(domain.maxApiCalls, formats)}
      </td>
      {hasCompanies ? (
        <td>
          <Link to="/manage/systems/$systemId/domains/$domainId/companies" params={params}>
            {domain.companyCount}
          </Link>
        </td>
      ) : null}
      <td>
        <DomainStatusBadge status={domain.status} title={domain.statusMessage ?? undefined} />
        {domain.statusMessage && domain.status !== 'ACTIVE' && domain.status !== 'OK' ? (
          <div className="mut" style={{ fontSize: 12, maxWidth: 260 }}>
            {domain.statusMessage}
          </div>
        ) : null}
      </td>
      <td className="sec">{domain.lastSyncAt ? ago(domain.lastSyncAt) : t('manage.never')}</td>
      <td className="acts">
        <MenuButton entries={entries} isOpen={isOpen} onChange={setOpen}>
          <button type="button" className="iconbtn" aria-label={`${t('manage.actions')}: ${domain.name}`}>
            <Icon name="dots" />
          </button>
        </MenuButton>
      </td>
    </tr>
  );
};

/** `/manage/systems/{system}/domains` */
export const DomainsScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { systemId } = useParams({ from: '/inside/manage/systems/$systemId/domains' });
  const { system, kind, error: systemError, isLoading } = useManagedSystem(systemId);
  const { data, error: domainsError } = useDomains(systemId);
  const [deleting, setDeleting] = useState<Domain | null>(null);
  usePageTitle(t('manage.domains'));
  const error = systemError ?? domainsError;
  if (error) return <ErrorView error={error} />;
  if (!isLoading && !system) return <ErrorView code="404" />;
  const hasCompanies = kind?.hasCompanies ?? true;
  const mayAdd = Boolean(system?.rights.create || system?.rights.update);
  const add = (): void =>
    void navigate({ to: '/manage/systems/$systemId/domains/new', params: { systemId } });
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in">
        <Link
          to="/manage/systems"
          className="m"
          style={{ display: 'inline-flex', alignItems: 'center', gap: 2, marginBottom: 8 }}
        >
          <Icon name="back" size="s" />
          {t('manage.systems')}
        </Link>
        <div className="page-h">
          <h1>{t('manage.domainsOf', { system: system?.name ?? '' })}</h1>
          <span className="sp" />
          {mayAdd ? (
            <button type="button" className="btn primary lg" onClick={add}>
              <Icon name="plus" />
              {t('manage.addDomain')}
            </button>
          ) : null}
        </div>
        <section className="card" style={{ overflow: 'auto' }}>
          {data?.resources.length === 0 ? (
            <EmptyState icon="database" title={t('manage.noDomains')} text={t('manage.noDomainsText')}>
              <button type="button" className="btn primary" onClick={add}>
                {t('manage.addDomain')}
              </button>
            </EmptyState>
          ) : (
            <table className="tbl">
              <thead>
                <tr>
                  <th scope="col">{t('common.name')}</th>
                  <th scope="col">{t('manage.database')}</th>
                  <th scope="col">{t('manage.cacheRefresh')}</th>
                  <th scope="col" className="num">
                    {t('manage.callsToday')}
                  </th>
                  {hasCompanies ? <th scope="col">{t('manage.companies')}</th> : null}
                  <th scope="col">{t('manage.status')}</th>
                  <th scope="col">{t('manage.lastSync')}</th>
                  <th scope="col">
                    <span className="vh">{t('manage.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data?.resources.map((domain) => (
                  <Row
                    key={domain.internalId}
                    domain={domain}
                    hasCompanies={hasCompanies}
                    systemUrl={systemId}
                    mayAdd={mayAdd}
                    onDelete={() => setDeleting(domain)}
                  />
                ))}
              </tbody>
            </table>
          )}
        </section>
      </div>
      {deleting ? <DeleteDialog domain={deleting} onClose={() => setDeleting(null)} /> : null}
    </main>
  );
};
