import type { ActionSummary, Connector, Run } from '@sluice/contract';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentUser } from '../../platform/session.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { ActionRow } from './action-row.tsx';
import { useActionOptions, useActions, useConnector, useNoted } from './api.ts';
import { ConnectorDocumentation } from './connector-documentation.tsx';
import './connectors.css';
import { DeleteAction } from './delete-action.tsx';
import { LinksDialog } from './links-dialog.tsx';
import { ManualRunDialog } from './manual-run-dialog.tsx';
import { Relationships } from './relationships.tsx';
import { RunHistory } from './run-history.tsx';
import { FoundRun, RunPanel } from './run-panel.tsx';
import { RunPlot } from './run-plot.tsx';
import { BackToList, Waiting } from './screen-parts.tsx';
import { ActionStatusBadge, BusyBadge } from './status.tsx';
import { SavedTestRun } from './test-run-dialog.tsx';
import { namesOf, type WiringNames } from './wiring-names.ts';
import { timeWords } from './words.ts';

const General = ({ connector }: { connector: Connector }) => {
  const { t } = useTranslation();
  const told = [...connector.alerts.emails, connector.alerts.webhookUrl].filter((one) => one !== null);
  return (
    <section className="card" aria-label={t('connectors.general')}>
      <div className="cn-head">
        <h2>{t('connectors.general')}</h2>
      </div>
      <dl className="cn-facts">
        <dt>{t('connectors.description')}</dt>
        <dd>{connector.description || <span className="mut">{t('connectors.noDescription')}</span>}</dd>
        <dt>
          {t('connectors.source')} → {t('connectors.target')}
        </dt>
        <dd>
          <span className="cn-wire">
            {connector.sourceName}
            <Icon name="arrowRight" size="s" />
            {connector.targetName}
          </span>
        </dd>
        <dt>{t('connectors.status')}</dt>
        <dd>
          <ActionStatusBadge status={connector.status} message={connector.statusMessage} />
          {connector.isBusy ? <BusyBadge /> : null}
        </dd>
        <dt>{t('connectors.lastRun')}</dt>
        <dd className="tn">{timeWords(connector.lastRunAt, t('connectors.never'))}</dd>
        <dt>{t('connectors.nextRun')}</dt>
        <dd className="tn">{timeWords(connector.nextRunAt, t('connectors.none'))}</dd>
        <dt>{t('connectors.alerts')}</dt>
        <dd>{told.length > 0 ? told.join(', ') : t('connectors.nobodyTold')}</dd>
      </dl>
    </section>
  );
};

type Open =
  | { kind: 'test' | 'manual' | 'delete' | 'links'; action: ActionSummary }
  /** Null: of the connector itself. */
  | { kind: 'documentation'; action: ActionSummary | null }
  | { kind: 'run'; run: Run };

const ActionTable = ({
  connectorId,
  actions,
  names,
  canRun,
  noted,
  onOpen,
}: {
  connectorId: string;
  actions: readonly ActionSummary[];
  names: WiringNames;
  canRun: boolean;
  /** Actions with a note. */
  noted: readonly string[];
  onOpen: (open: Open) => void;
}) => {
  const { t } = useTranslation();
  const canUpdate = currentUser()?.rights['connectors']?.update === true;
  return (
    <section className="card" style={{ overflow: 'auto' }} aria-label={t('actions.title')}>
      <div className="cn-head">
        <h2>{t('actions.title')}</h2>
        <span className="sp" />
        {canUpdate ? (
          <>
            <Link className="btn" to="/connectors/$connectorId/actions/copy" params={{ connectorId }}>
              <Icon name="copy" />
              {t('actions.copyExisting')}
            </Link>
            <Link className="btn primary" to="/connectors/$connectorId/actions/new" params={{ connectorId }}>
              <Icon name="plus" />
              {t('actions.new')}
            </Link>
          </>
        ) : null}
      </div>
      {actions.length === 0 ? (
        <EmptyState icon="push" title={t('actions.empty')} text={t('actions.emptyText')} />
      ) : (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">{t('common.more')}</span>
              </th>
              <th scope="col">{t('actions.name')}</th>
              <th scope="col">{t('actions.active')}</th>
              <th scope="col">{t('connectors.status')}</th>
              <th scope="col">{t('actions.allowCopy')}</th>
              <th scope="col">{t('actions.schedule')}</th>
              <th scope="col">{t('connectors.lastRun')}</th>
              <th scope="col">{t('connectors.nextRun')}</th>
              <th scope="col">
                <span className="vh">{t('common.more')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {actions.map((action) => (
              <ActionRow
                key={action.internalId}
                connectorId={connectorId}
                action={action}
                names={names}
                canUpdate={canUpdate}
                canRun={canRun}
                isNoted={noted.includes(action.internalId)}
                onOpen={(kind) => onOpen({ kind, action })}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
};

/** `/connectors/{id}/actions`: all that there is to know of a connector. */
export const ConnectorScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { connectorId } = useParams({ from: '/inside/connectors/$connectorId/actions' });
  const { run: runId } = useSearch({ from: '/inside/connectors/$connectorId/actions' });
  const connector = useConnector(connectorId);
  const { data: actions, error: actionsError } = useActions(connectorId);
  const { data: options } = useActionOptions(connectorId);
  const { data: noted } = useNoted(connectorId);
  const [open, setOpen] = useState<Open | null>(null);
  const resource = connector.data?.resource;
  usePageTitle(resource?.name ?? t('connectors.title'));
  if (!resource || !actions) return <Waiting error={connector.error ?? actionsError} />;
  const names = namesOf(options);
  const documentation = t(noted?.isNoted ? 'connectors.documentationThere' : 'connectors.documentation');
  const canRun = connector.data?.metadata?.runRights.create === true;
  const close = (): void => {
    setOpen(null);
    if (runId !== undefined)
      void navigate({ to: '/connectors/$connectorId/actions', params: { connectorId }, replace: true });
  };
  const nameOfAction = (run: Run): string =>
    actions.find(({ internalId }) => internalId === run.actionId)?.name ?? '';
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in cn-page">
        <BackToList label={t('connectors.title')} />
        <div className="page-h">
          <h1>{resource.name}</h1>
          <button
            type="button"
            className={`iconbtn ${noted?.isNoted ? 'noted' : ''}`}
            aria-label={documentation}
            title={documentation}
            onClick={() => setOpen({ kind: 'documentation', action: null })}
          >
            <Icon name="form" />
          </button>
          <span className="sp" />
          {currentUser()?.rights['connectors']?.update ? (
            <Link className="btn lg" to="/connectors/$connectorId/edit" params={{ connectorId }}>
              <Icon name="edit" />
              {t('common.edit')}
            </Link>
          ) : null}
        </div>
        <div className="cn-cards">
          {resource.problem ? (
            <p className="note-line bad">
              <Icon name="danger" />
              {resource.problem}
            </p>
          ) : null}
          <div className="cn-ends">
            <General connector={resource} />
            <Relationships
              actions={actions}
              names={names}
              onShow={(action) => setOpen({ kind: 'links', action })}
            />
          </div>
          <ActionTable
            connectorId={connectorId}
            actions={actions}
            names={names}
            canRun={canRun}
            noted={noted?.actionIds ?? []}
            onOpen={setOpen}
          />
          <RunPlot connectorId={connectorId} />
          <RunHistory
            connectorId={connectorId}
            actions={actions}
            onOpen={(run) => setOpen({ kind: 'run', run })}
          />
        </div>
      </div>
      {open?.kind === 'run' ? (
        <RunPanel
          connectorId={connectorId}
          run={open.run}
          actionName={nameOfAction(open.run)}
          canRun={canRun}
          onClose={close}
          onOpenRun={(run) => setOpen({ kind: 'run', run })}
        />
      ) : null}
      {open === null && runId !== undefined ? (
        <FoundRun
          connectorId={connectorId}
          runId={runId}
          actions={actions}
          canRun={canRun}
          onClose={close}
          onOpenRun={(run) => setOpen({ kind: 'run', run })}
        />
      ) : null}
      {open?.kind === 'links' ? (
        <LinksDialog connectorId={connectorId} action={open.action} onClose={close} />
      ) : null}
      {open?.kind === 'documentation' ? (
        <ConnectorDocumentation connector={resource} action={open.action} onClose={close} />
      ) : null}
      {open?.kind === 'delete' ? (
        <DeleteAction connectorId={connectorId} action={open.action} onClose={close} />
      ) : null}
      {open?.kind === 'manual' ? (
        <ManualRunDialog
          connectorId={connectorId}
          actionId={open.action.internalId}
          name={open.action.name}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'test' ? (
        <SavedTestRun connectorId={connectorId} action={open.action} onClose={close} />
      ) : null}
    </main>
  );
};
