import type { Connector } from '@sluice/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../platform/call.ts';
import { currentUser, session } from '../../platform/session.ts';
import { useStore } from '../../platform/store.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { MenuButton, type MenuEntry } from '../../ui/popup-menu.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useConnectors } from './api.ts';
import './connectors.css';
import { DeleteBusyConnector, DeleteConnector } from './delete-connector.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { Waiting } from './screen-parts.tsx';
import { ActionStatusBadge, BusyBadge } from './status.tsx';
import { downloadConnector } from './transfer.ts';
import { timeWords } from './words.ts';

const matches = (connector: Connector, text: string): boolean =>
  [connector.name, connector.description, connector.sourceName, connector.targetName].some((part) =>
    part.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase()),
  );

const Row = ({ connector, onDelete }: { connector: Connector; onDelete: () => void }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const rights = currentUser()?.rights['connectors'];
  const params = { connectorId: connector.internalId };
  const go =
    (
      to:
        | '/connectors/$connectorId/actions'
        | '/connectors/$connectorId/edit'
        | '/connectors/$connectorId/copy',
    ) =>
    () =>
      void navigate({ to, params });
  const entries: MenuEntry[] = [
    { label: t('connectors.open'), icon: 'table', onClick: go('/connectors/$connectorId/actions') },
    ...(rights?.update
      ? [{ label: t('common.edit'), icon: 'edit' as const, onClick: go('/connectors/$connectorId/edit') }]
      : []),
    ...(rights?.create
      ? [{ label: t('manage.copy'), icon: 'copy' as const, onClick: go('/connectors/$connectorId/copy') }]
      : []),
    {
      label: t('connectors.export'),
      icon: 'down',
      onClick: () =>
        void downloadConnector(connector).catch((error: unknown) => toast('error', errorText(error))),
    },
    ...(rights?.delete
      ? [
          'divider' as const,
          { label: t('common.delete'), icon: 'trash' as const, isDanger: true, onClick: onDelete },
        ]
      : []),
  ];
  return (
    <tr>
      <td>
        <Link className="m" to="/connectors/$connectorId/actions" params={params}>
          {connector.name}
        </Link>
        {connector.description ? <div className="cn-desc">{connector.description}</div> : null}
      </td>
      <td className="sec">
        <span className="cn-wire">
          {connector.sourceName}
          <Icon name="arrowRight" size="s" />
          <span className="vh">{t('connectors.target')}</span>
          {connector.targetName}
        </span>
        {connector.problem ? <div className="err-t">{connector.problem}</div> : null}
      </td>
      <td className="num">{connector.actionCount}</td>
      <td>
        <ActionStatusBadge status={connector.status} message={connector.statusMessage} />
        {connector.isBusy ? <BusyBadge /> : null}
      </td>
      <td className="sec tn">{timeWords(connector.lastRunAt, t('connectors.never'))}</td>
      <td className="sec tn">{timeWords(connector.nextRunAt, t('connectors.none'))}</td>
      <td className="acts">
        <MenuButton entries={entries} isOpen={isOpen} onChange={setOpen}>
          <button
            type="button"
            className="iconbtn"
            aria-label={t('connectors.rowActions', { name: connector.name })}
          >
            <Icon name="dots" />
          </button>
        </MenuButton>
      </td>
    </tr>
  );
};

/** `/connectors` */
export const ConnectorsScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const state = useStore(session);
  const { data: connectors, error } = useConnectors();
  const [search, setSearch] = useState('');
  const [deleting, setDeleting] = useState<Connector | null>(null);
  const [busy, setBusy] = useState<{ connector: Connector; runs: number } | null>(null);
  const [isImporting, setImporting] = useState(false);
  usePageTitle(t('connectors.title'));
  if (!connectors) return <Waiting error={error} />;
  const canCreate = state.status === 'loggedIn' && state.rights['connectors']?.create === true;
  const shown = connectors.filter((connector) => matches(connector, search));
  const add = (): void => void navigate({ to: '/connectors/new' });
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in cn-page">
        <div className="page-h">
          <h1>{t('connectors.title')}</h1>
          <span className="sp" />
          {connectors.length > 0 ? (
            <label className="field find" style={{ width: 220, height: 36 }}>
              <Icon name="search" />
              <input
                type="search"
                aria-label={t('connectors.search')}
                placeholder={t('connectors.search')}
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            </label>
          ) : null}
          {canCreate ? (
            <>
              <button type="button" className="btn lg" onClick={() => setImporting(true)}>
                <Icon name="up" />
                {t('connectors.import')}
              </button>
              {connectors.length > 0 ? (
                <button type="button" className="btn primary lg" onClick={add}>
                  <Icon name="plus" />
                  {t('connectors.new')}
                </button>
              ) : null}
            </>
          ) : null}
        </div>
        <section className="card" style={{ overflow: 'auto' }} aria-label={t('connectors.title')}>
          {connectors.length === 0 ? (
            <EmptyState icon="push" title={t('connectors.empty')} text={t('connectors.emptyText')}>
              {canCreate ? (
                <button type="button" className="btn primary lg" onClick={add}>
                  {t('connectors.new')}
                </button>
              ) : null}
            </EmptyState>
          ) : shown.length === 0 ? (
            <EmptyState
              icon="search"
              title={t('connectors.noneFound')}
              text={t('connectors.noneFoundText', { text: search })}
            />
          ) : (
            <table className="tbl">
              <thead>
                <tr>
                  <th scope="col">{t('common.name')}</th>
                  <th scope="col">
                    {t('connectors.source')} → {t('connectors.target')}
                  </th>
                  <th scope="col" className="num">
                    {t('connectors.actionCount')}
                  </th>
                  <th scope="col">{t('connectors.status')}</th>
                  <th scope="col">{t('connectors.lastRun')}</th>
                  <th scope="col">{t('connectors.nextRun')}</th>
                  <th scope="col">
                    <span className="vh">{t('common.more')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((connector) => (
                  <Row
                    key={connector.internalId}
                    connector={connector}
                    onDelete={() => setDeleting(connector)}
                  />
                ))}
              </tbody>
            </table>
          )}
        </section>
      </div>
      {deleting ? (
        <DeleteConnector
          connector={deleting}
          onClose={() => setDeleting(null)}
          onBusy={(runs) => setBusy({ connector: deleting, runs })}
        />
      ) : null}
      {busy ? <DeleteBusyConnector {...busy} onClose={() => setBusy(null)} /> : null}
      {isImporting ? <ImportDialog onClose={() => setImporting(false)} /> : null}
    </main>
  );
};
