import type { ReplyOf, expectRun } from '@sluice/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { againMs, call, callOnce, errorText, isNotReadYet } from '../../platform/call.ts';
import { DialogFooter } from '../../ui/dialog-footer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, Switch } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useAction, useRefresh } from './api.ts';
import { NarrowingFields, noNarrowing, queryOf } from './narrowing.tsx';
import { countNames, tablePath } from './words.ts';

type Expected = ReplyOf<typeof expectRun>;

/** Typing is over when nothing was typed for this long. */
const CALM_MS = 400;

const Counts = ({ expected }: { expected: Expected }) => {
  const { t } = useTranslation();
  const bare = (count: number | null): string => (count === null ? '?' : t('runs.bare', { count }));
  return (
    <>
      <div className="cn-counts">
        {countNames.map((name) => (
          <div key={name} className={name === 'failed' && expected.counts.failed > 0 ? 's-er' : ''}>
            <b>{bare(expected.counts[name])}</b>
            <span>{t(`runs.${name}`)}</span>
          </div>
        ))}
      </div>
      <p className="mut">
        {expected.isPartial
          ? t('runs.expectedPartial', { count: expected.read })
          : t('runs.expectedOf', { count: expected.read })}
      </p>
      {expected.counts.deleted === null ? (
        <p className="note-line">
          <Icon name="info" />
          {t('runs.expectedUnknown')}
        </p>
      ) : null}
    </>
  );
};

/** Which records, what it would come to, and Start: the result is pending, never in the external system. */
export const ManualRunDialog = ({
  connectorId,
  actionId,
  name,
  onClose,
}: {
  connectorId: string;
  actionId: string;
  name: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const { data, error: loadError } = useAction(connectorId, actionId);
  const [triggerId, setTriggerId] = useState('');
  const [typed, setTyped] = useState(noNarrowing(''));
  const [isNarrowed, setNarrowed] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const sources = data?.metadata.sources ?? [];
  const narrowing = { ...typed, source: typed.source || (sources[0]?.option.id ?? '') };
  const body = JSON.stringify({
    triggerId: triggerId || null,
    query: isNarrowed ? queryOf(narrowing, sources) : null,
  });
  const isReady = data !== undefined;
  const expected = useQuery({
    queryKey: ['expected-run', connectorId, actionId, body],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, CALM_MS));
      signal.throwIfAborted();
      return await call('expectRun', {
        params: { connectorId, actionId },
        body: JSON.parse(body) as object,
        signal,
      });
    },
    enabled: isReady && !isBusy,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: ({ state }) => againMs(state.error),
  });
  const isWaiting = isNotReadYet(expected.error);
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      const { run } = await callOnce('manualRun', {
        params: { connectorId, actionId },
        body: JSON.parse(body) as object,
      });
      onClose();
      toast('info', t('runs.started'), {
        action: {
          label: t('runs.openTable'),
          run: () => void navigate({ to: tablePath(run.targetPath), search: { run: run.internalId } }),
        },
      });
      await refresh();
    } catch (error) {
      setFault(errorText(error));
      setBusy(false);
    }
  };
  const error = loadError ?? expected.error;
  const shownFault = fault ?? (error ? errorText(error) : null);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('runs.manualTitle', { name })}
      width={640}
      footer={
        <DialogFooter
          onClose={onClose}
          action={{
            label: t(isBusy ? 'runs.starting' : 'runs.start'),
            isDisabled: isBusy || !isReady || isWaiting,
            onClick: () => void start(),
          }}
        />
      }
    >
      <div className="cn-body">
        <p className="note-line">
          <Icon name="info" />
          {t('runs.manualNote', { table: data?.metadata.target?.option.name ?? '…' })}
        </p>
        {data && data.resource.triggers.length > 0 ? (
          <SelectField
            label={t('runs.trigger')}
            value={triggerId}
            options={[
              { value: '', label: t('runs.allRecords') },
              ...data.resource.triggers.map((trigger, index) => ({
                value: trigger.internalId,
                label: trigger.name || t('actions.unnamedTrigger', { number: index + 1 }),
              })),
            ]}
            onChange={setTriggerId}
          />
        ) : null}
        <div>
          <Switch label={t('runs.narrow')} isOn={isNarrowed} onChange={setNarrowed} />
        </div>
        {isNarrowed ? <NarrowingFields narrowing={narrowing} sources={sources} onChange={setTyped} /> : null}
        <section aria-label={t('runs.expected')} aria-live="polite" style={{ minHeight: 108 }}>
          <h3 className="b" style={{ marginBottom: 6 }}>
            {t('runs.expected')}
          </h3>
          {isWaiting ? (
            <p className="note-line">
              <Icon name="spinner" size="spin" />
              {t('runs.targetNotRead', { table: data?.metadata.target?.option.name ?? '…' })}
            </p>
          ) : shownFault ? (
            <p className="note-line bad" role="alert">
              <Icon name="danger" />
              {shownFault}
            </p>
          ) : expected.data ? (
            <Counts expected={expected.data} />
          ) : (
            <p className="mut">
              <Icon name="spinner" size="spin" /> {t('runs.counting')}
            </p>
          )}
        </section>
      </div>
    </Dialog>
  );
};
