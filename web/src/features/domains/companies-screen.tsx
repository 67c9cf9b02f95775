import type { CompanyContent } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, errorText } from '../../platform/call.ts';
import { numeral } from '../../platform/i18n/i18n.ts';
import { routes } from '../../platform/routes.ts';
import { currentUser } from '../../platform/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { Switch } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { DomainStatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useDomain, useForget } from './api.ts';

/** What is kept of a company, in two cells. */
const Content = ({ content }: { content: CompanyContent | undefined }) => {
  const { t } = useTranslation();
  return (
    <>
      <td className="sec tn">
        {content && content.records > 0
          ? t('companies.contents', { records: content.records, tables: content.tables })
          : t('companies.nothing')}
      </td>
      <td className="num sec tn">{numeral(content?.pending ?? 0)}</td>
    </>
  );
};

/** `/manage/systems/{system}/domains/{id}/companies`: which companies are worked with. */
export const CompaniesScreen = () => {
  const { t } = useTranslation();
  const { systemId, domainId } = useParams({
    from: '/inside/manage/systems/$systemId/domains/$domainId/companies',
  });
  const params = { systemId, domainId };
  const domain = useDomain(systemId, domainId);
  const forget = useForget();
  const companies = useQuery({
    queryKey: ['manage', 'companies', systemId, domainId],
    queryFn: () => call('getCompanies', { params, query: { limit: -1, offset: 0 } }),
    retry: false,
  });
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const contents = useQuery({
    queryKey: ['manage', 'companies', systemId, domainId, 'contents'],
    queryFn: () => call('getCompanyContents', { params }),
    select: (reply) => new Map(reply.resources.map((one) => [one.internalId, one])),
  });
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  usePageTitle(t('manage.companies'));
  if (domain.error) {
    return <ErrorView error={domain.error} />;
  }
  const list = companies.data?.resources ?? [];
  const canEdit = currentUser()?.rights['companies']?.update === true;
  const leaving = list.filter(({ internalId }) => changed.get(internalId) === false);
  const leftPending = leaving.reduce(
    (sum, { internalId }) => sum + (contents.data?.get(internalId)?.pending ?? 0),
    0,
  );
  const save = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    try {
      await call('patchCompanies', {
        params,
        body: [...changed].map(([internalId, internalActive]) => ({ internalId, internalActive })),
      });
      // Until the list is read anew the switches stand as they were saved, not as they were before.
      await forget();
      setChanged(new Map());
      toast('success', t('manage.saved'));
    } catch (error) {
      toast('error', errorText(error));
    }
    setBusy(false);
  };
  const flip = (id: string, stored: boolean, is: boolean): void =>
    setChanged((before) => {
      const next = new Map(before);
      if (is === stored) next.delete(id);
      else next.set(id, is);
      return next;
    });
  return (
    <main id="main" tabIndex={-1} style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}>
      <div className="page">
        <div className="page-in" style={{ maxWidth: 760 }}>
          <Link
            to={routes.manageSystems}
            params={{ systemId }}
            className="m"
            style={{ display: 'inline-flex', alignItems: 'center', gap: 2, marginBottom: 8 }}
          >
            <Icon name="back" size="s" />
            {t('manage.domains')}
          </Link>
          <div className="page-h">
            <h1>{t('manage.companiesOf', { domain: domain.data?.name ?? '' })}</h1>
            {domain.data ? (
              <DomainStatusBadge status={domain.data.status} title={domain.data.statusMessage ?? undefined} />
            ) : null}
          </div>
          <p className="sec" style={{ marginBottom: 12 }}>
            {t('manage.companiesHint')}
          </p>
          {companies.error ? (
            <p className="note-line bad" role="alert">
              <Icon name="danger" />
              <span className="sp">{`${t('common.errorLoading')}: ${errorText(companies.error)}`}</span>
              <button type="button" className="link" onClick={() => void companies.refetch()}>
                {t('common.retry')}
              </button>
            </p>
          ) : (
            <section className="card">
              {companies.isPending ? (
                <div style={{ display: 'grid', gap: 24, padding: 20 }} aria-busy="true">
                  {[300, 260, 320].map((width) => (
                    <span key={width} className="skel" style={{ width }} />
                  ))}
                </div>
              ) : list.length === 0 ? (
                <EmptyState
                  icon="building"
                  title={t('manage.noCompanies')}
                  text={t('manage.noCompaniesText')}
                />
              ) : (
                <table className="tbl">
                  <thead>
                    <tr>
                      <th scope="col">{t('common.name')}</th>
                      <th scope="col">{t('manage.companyAcronym')}</th>
                      <th scope="col">{t('companies.records')}</th>
                      <th scope="col" className="num">
                        {t('companies.pending')}
                      </th>
                      <th scope="col">{t('manage.companyActive')}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.map((company) => (
                      <tr key={company.internalId}>
                        <td className="m">{company.internalName}</td>
                        <td className="sec">{company.internalAcronym}</td>
                        <Content content={contents.data?.get(company.internalId)} />
                        <td>
                          <Switch
                            label={t('manage.switchCompany', { name: company.internalName })}
                            isLabelHidden
                            isDisabled={!canEdit || isBusy}
                            isOn={changed.get(company.internalId) ?? company.internalActive}
                            onChange={(is) => flip(company.internalId, company.internalActive, is)}
                          />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </section>
          )}
        </div>
      </div>
      <div className="dlg-f">
        <span className="sp" />
        <button
          type="button"
          className="btn primary lg"
          disabled={changed.size === 0 || isBusy || !canEdit}
          onClick={() => (leaving.length > 0 ? setAsking(true) : void save())}
        >
          {t('manage.saveCompanies', { count: changed.size })}
        </button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={t('companies.confirmTitle', {
            names: leaving.map(({ internalName }) => internalName).join(', '),
          })}
          text={[
            t('companies.confirmText'),
            ...(leftPending > 0 ? [t('companies.confirmPending', { count: leftPending })] : []),
          ].join(' ')}
          yes={t('companies.confirmYes')}
          isDanger
          onNo={() => setAsking(false)}
          onYes={() => void save()}
        />
      ) : null}
    </main>
  );
};
