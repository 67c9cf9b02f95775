import type { ActionSummary, Alerts, Connector, ExternalSystem } from '@sluice/contract';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, callOnce, errorText } from '../../platform/call.ts';
import { t as words } from '../../platform/i18n/i18n.ts';
import { takeWork } from '../../platform/saved-work.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { AreaField, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { useUnfinished } from '../../ui/unfinished.tsx';
import { useActions, useConnector, useConnectorOptions, useRefresh } from './api.ts';
import './connectors.css';
import { copyResult } from './copy-words.ts';
import { completeEnd, type EndChoice, EndPicker, noEnd } from './end-picker.tsx';
import { BackToList, FormFrame, Waiting } from './screen-parts.tsx';

interface Typed {
  name: string;
  description: string;
  source: EndChoice;
  target: EndChoice;
  emails: string;
  webhookUrl: string;
}

type Faults = Partial<Record<keyof Typed, string>>;

const addressesOf = (emails: string): string[] => emails.split(/[\s,;]+/).filter(Boolean);

const checkTyped = (typed: Typed, systems: readonly ExternalSystem[]): Faults => {
  const required = words('connectors.required');
  const badAddress = addressesOf(typed.emails).find((one) => !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(one));
  return {
    ...(typed.name.trim() === '' ? { name: required } : {}),
    ...(completeEnd(systems, typed.source) ? {} : { source: required }),
    ...(completeEnd(systems, typed.target) ? {} : { target: required }),
    ...(badAddress ? { emails: words('connectors.emailBad', { address: badAddress }) } : {}),
    ...(typed.webhookUrl.trim() === '' || /^https?:\/\/./.test(typed.webhookUrl.trim())
      ? {}
      : { webhookUrl: words('connectors.webhookBad') }),
  };
};

const alertsOf = (typed: Typed): Alerts => ({
  emails: addressesOf(typed.emails),
  webhookUrl: typed.webhookUrl.trim() || null,
});

const CopiedActions = ({ actions }: { actions: readonly ActionSummary[] }) => {
  const { t } = useTranslation();
  const parts = [
    { title: t('connectors.willCopy'), own: actions.filter((one) => one.isCopyAllowed), why: '' },
    {
      title: t('connectors.willNotCopy'),
      own: actions.filter((one) => !one.isCopyAllowed),
      why: ` (${t('connectors.copyNotAllowed')})`,
    },
  ].filter(({ own }) => own.length > 0);
  return (
    <section className="card">
      <h2 className="sect">{t('actions.title')}</h2>
      <div style={{ padding: '0 16px 16px', display: 'grid', gap: 10, fontSize: 13 }}>
        <p className="sec">{t('connectors.copyWhat')}</p>
        {actions.length === 0 ? <p className="sec">{t('connectors.noActionsToCopy')}</p> : null}
        {parts.map(({ title, own, why }) => (
          <div key={title}>
            <h3 className="m">{title}</h3>
            <ul>
              {own.map((action) => (
                <li key={action.internalId} className="sec">
                  <Icon name={why ? 'close' : 'check'} size="xs" /> {action.name}
                  {why}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
};

const Form = ({
  mode,
  connector,
  systems,
  actions,
}: {
  mode: 'new' | 'edit' | 'copy';
  connector: Connector | null;
  systems: readonly ExternalSystem[];
  actions: readonly ActionSummary[];
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [start] = useState<Typed>(() => ({
    name: mode === 'copy' ? t('manage.copyName', { name: connector?.name }) : (connector?.name ?? ''),
    description: connector?.description ?? '',
    source: connector?.sourceSystem ?? noEnd,
    target: connector?.targetSystem ?? noEnd,
    emails: connector?.alerts.emails.join(', ') ?? '',
    webhookUrl: connector?.alerts.webhookUrl ?? '',
  }));
  const workKey = `connector:${mode}:${connector?.internalId ?? ''}`;
  const [typed, setTyped] = useState(() => takeWork<Typed>(workKey) ?? start);
  const { question, finish } = useUnfinished(workKey, { start, typed });
  const [faults, setFaults] = useState<Faults>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [discarding, setDiscarding] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const title =
    mode === 'new'
      ? t('connectors.newTitle')
      : t(mode === 'edit' ? 'connectors.editTitle' : 'connectors.copyTitle', { name: connector?.name });
  usePageTitle(title);
  const set = (change: Partial<Typed>): void => setTyped((now) => ({ ...now, ...change }));

  const save = async (isDiscardConfirmed: boolean): Promise<void> => {
    const found = checkTyped(typed, systems);
    setFaults(found);
    const sourceSystem = completeEnd(systems, typed.source);
    const targetSystem = completeEnd(systems, typed.target);
    if (Object.keys(found).length > 0 || !sourceSystem || !targetSystem) return;
    const named = { name: typed.name.trim(), description: typed.description, sourceSystem, targetSystem };
    setBusy(true);
    setFailure(null);
    try {
      let connectorId = connector?.internalId ?? '';
      if (mode === 'new')
        connectorId = (await call('createConnector', { body: { ...named, alerts: alertsOf(typed) } }))
          .internalId;
      else if (mode === 'copy') {
        const made = await callOnce('copyConnector', { params: { connectorId }, body: named });
        connectorId = made.internalId;
        toast(made.copied < made.total ? 'warning' : 'success', copyResult(made));
      } else
        await call('updateConnector', {
          params: { connectorId },
          body: {
            changes: { ...named, alerts: alertsOf(typed) },
            revision: connector?.revision ?? 0,
            confirmDiscardActions: isDiscardConfirmed,
          },
        });
      finish();
      await refresh();
      if (mode !== 'copy') toast('success', t('connectors.saved'));
      await navigate({ to: '/connectors/$connectorId/actions', params: { connectorId } });
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.code === 'ACTIONS_WOULD_BE_DISCARDED') {
        setDiscarding(Number(error.body?.details?.['count'] ?? 0));
        return;
      }
      if (error instanceof ApiError && error.code === 'REVISION_CONFLICT') {
        setFailure(t('connectors.conflict'));
        await refresh();
        return;
      }
      setFailure(mode === 'copy' ? `${t('connectors.copyFailed')}: ${errorText(error)}` : errorText(error));
    }
  };

  const cancel = (): void =>
    void (connector
      ? navigate({
          to: '/connectors/$connectorId/actions',
          params: { connectorId: connector.internalId },
        })
      : navigate({ to: '/connectors' }));
  return (
    <FormFrame
      onSubmit={() => void save(false)}
      footer={
        <>
          <button type="button" className="btn lg" onClick={cancel}>
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy}>
            {t(isBusy ? 'common.saving' : mode === 'copy' ? 'manage.copy' : 'common.save')}
          </button>
        </>
      }
    >
      <div>
        <BackToList label={t('connectors.title')} />
        <div className="page-h" style={{ marginBottom: 0 }}>
          <h1>{title}</h1>
        </div>
      </div>
      {failure ? (
        <p className="note-line bad" role="alert">
          <Icon name="danger" />
          {failure}
        </p>
      ) : null}
      {mode === 'edit' && connector?.problem ? (
        <p className="note-line warn">
          <Icon name="warning" />
          {connector.problem}
        </p>
      ) : null}
      <section className="card">
        <h2 className="sect">{t('connectors.general')}</h2>
        <div className="frm">
          <TextField
            label={t('common.name')}
            value={typed.name}
            error={faults.name}
            isRequired
            isWide
            maxLength={200}
            onChange={(name) => set({ name })}
          />
          <AreaField
            label={t('connectors.description')}
            value={typed.description}
            isProse
            onChange={(description) => set({ description: description.slice(0, 2000) })}
          />
        </div>
      </section>
      <div className="cn-ends">
        <EndPicker
          title={t('connectors.source')}
          text={t('connectors.sourceText')}
          systems={systems}
          end={typed.source}
          error={faults.source}
          onChange={(source) => set({ source })}
        />
        <EndPicker
          title={t('connectors.target')}
          text={t('connectors.targetText')}
          systems={systems}
          end={typed.target}
          error={faults.target}
          onChange={(target) => set({ target })}
        />
      </div>
      {mode === 'copy' ? (
        <CopiedActions actions={actions} />
      ) : (
        <section className="card">
          <h2 className="sect">{t('connectors.alerts')}</h2>
          <p className="mut" style={{ padding: '0 16px 10px', fontSize: 12 }}>
            {t('connectors.alertsText')}
          </p>
          <div className="frm">
            <TextField
              label={t('connectors.emails')}
              value={typed.emails}
              error={faults.emails}
              hint={t('connectors.emailsHint')}
              isWide
              spellCheck={false}
              onChange={(emails) => set({ emails })}
            />
            <TextField
              label={t('connectors.webhook')}
              value={typed.webhookUrl}
              error={faults.webhookUrl}
              hint={t('connectors.webhookHint')}
              isWide
              spellCheck={false}
              onChange={(webhookUrl) => set({ webhookUrl })}
            />
          </div>
        </section>
      )}
      {discarding === null ? null : (
        <Dialog
          isOpen
          onClose={() => setDiscarding(null)}
          title={t('connectors.discardTitle')}
          footer={
            <>
              <span className="sp" />
              <button type="button" className="btn lg" onClick={() => setDiscarding(null)}>
                {t('common.cancel')}
              </button>
              <button
                type="button"
                className="btn danger lg"
                onClick={() => {
                  setDiscarding(null);
                  void save(true);
                }}
              >
                {t('connectors.discardSubmit')}
              </button>
            </>
          }
        >
          <p style={{ padding: '0 20px 20px' }}>{t('connectors.discardText', { count: discarding })}</p>
        </Dialog>
      )}
      {question}
    </FormFrame>
  );
};

/** Nothing can be connected before there is a system. */
const NoSystems = () => {
  const { t } = useTranslation();
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="page-in">
        <BackToList label={t('connectors.title')} />
        <section className="card">
          <EmptyState icon="database" title={t('connectors.noSystems')} text={t('connectors.noSystemsText')}>
            <Link className="btn primary lg" to="/manage/systems">
              {t('connectors.addSystem')}
            </Link>
          </EmptyState>
        </section>
      </div>
    </main>
  );
};

/** `/connectors/new` */
export const NewConnectorScreen = () => {
  const { data: options, error } = useConnectorOptions();
  if (!options) return <Waiting error={error} />;
  if (options.systems.length === 0) return <NoSystems />;
  return <Form mode="new" connector={null} systems={options.systems} actions={[]} />;
};

const Existing = ({ mode, connectorId }: { mode: 'edit' | 'copy'; connectorId: string }) => {
  const { data, error } = useConnector(connectorId);
  const actions = useActions(connectorId);
  if (!data?.metadata || !actions.data) return <Waiting error={error ?? actions.error} />;
  return (
    <Form mode={mode} connector={data.resource} systems={data.metadata.systems} actions={actions.data} />
  );
};

/** `/connectors/{id}/edit` */
export const EditConnectorScreen = () => {
  const { connectorId } = useParams({ from: '/inside/connectors/$connectorId/edit' });
  return <Existing key={connectorId} mode="edit" connectorId={connectorId} />;
};

/** `/connectors/{id}/copy` */
export const CopyConnectorScreen = () => {
  const { connectorId } = useParams({ from: '/inside/connectors/$connectorId/copy' });
  return <Existing key={connectorId} mode="copy" connectorId={connectorId} />;
};
