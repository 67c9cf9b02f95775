import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callOnce, errorText } from '../../platform/call.ts';
import { SelectField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { toast } from '../../ui/toasts.tsx';
import { useActions, useConnectors, useRefresh } from './api.ts';
import './connectors.css';
import { copyResult, skippedWords } from './copy-words.ts';
import { BackToConnector, FormFrame, Waiting } from './screen-parts.tsx';

/** `/connectors/{id}/actions/copy`: actions of this or another connector as a start. */
export const CopyActionsScreen = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const { connectorId } = useParams({ from: '/inside/connectors/$connectorId/actions/copy' });
  const { data: connectors, error } = useConnectors();
  const [from, setFrom] = useState(connectorId);
  const actions = useActions(from);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const connector = connectors?.find(({ internalId }) => internalId === connectorId);
  const title = t('actions.copyTitle', { connector: connector?.name ?? '' });
  usePageTitle(title);
  if (!connectors) return <Waiting error={error} />;
  const copy = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const reply = await callOnce('copyActions', {
        params: { connectorId },
        body: { connectorId: from, actionIds: [...chosen] },
      });
      await refresh();
      const skipped = skippedWords(reply);
      const told = copyResult(reply);
      toast(
        reply.copied < reply.total ? 'warning' : 'success',
        skipped === '' ? told : `${told}. ${skipped}`,
      );
      if (reply.copied > 0)
        await navigate({ to: '/connectors/$connectorId/actions', params: { connectorId } });
    } catch (caught) {
      setFailure(`${t('connectors.copyFailed')}: ${errorText(caught)}`);
    }
    setBusy(false);
  };
  return (
    <FormFrame
      onSubmit={() => void copy()}
      footer={
        <>
          <button
            type="button"
            className="btn lg"
            onClick={() => void navigate({ to: '/connectors/$connectorId/actions', params: { connectorId } })}
          >
            {t('common.cancel')}
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy || chosen.size === 0}>
            {t('actions.copySubmit', { count: chosen.size })}
          </button>
        </>
      }
    >
      <div>
        <BackToConnector connectorId={connectorId} label={connector?.name ?? t('connectors.title')} />
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
      <section className="card">
        <div className="frm" style={{ paddingTop: 16 }}>
          <SelectField
            label={t('actions.copyFrom')}
            value={from}
            options={connectors.map(({ internalId, name }) => ({ value: internalId, label: name }))}
            onChange={(id) => {
              setFrom(id);
              setChosen(new Set());
            }}
          />
          <fieldset className="fs wide">
            <legend className="m" style={{ fontSize: 13, padding: '0 0 4px' }}>
              {t('actions.copyWhich')}
            </legend>
            {actions.data?.length === 0 ? <p className="mut">{t('actions.nothingToCopy')}</p> : null}
            <ul>
              {actions.data?.map((action) => (
                <li key={action.internalId}>
                  <label className="cn-row cn-tick">
                    <input
                      type="checkbox"
                      className="cbx"
                      checked={chosen.has(action.internalId)}
                      onChange={(event) => {
                        const next = new Set(chosen);
                        if (event.target.checked) next.add(action.internalId);
                        else next.delete(action.internalId);
                        setChosen(next);
                      }}
                    />
                    {action.name}
                    {action.isCopyAllowed ? null : (
                      <span className="mut">({t('connectors.copyNotAllowed')})</span>
                    )}
                  </label>
                </li>
              ))}
            </ul>
          </fieldset>
        </div>
      </section>
    </FormFrame>
  );
};
