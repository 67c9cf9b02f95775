import type { Connector } from '@sluice/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useRefresh, useTakeOut } from './api.ts';

/** Asks, takes the row out at once, and puts it back when the server refuses (Q-CONN-06). */
export const DeleteConnector = ({
  connector,
  onClose,
  onBusy,
}: {
  connector: Connector;
  onClose: () => void;
  /** Runs are under way: the question is asked again, with their number. */
  onBusy: (count: number) => void;
}) => {
  const { t } = useTranslation();
  return (
    <Confirm
      connector={connector}
      text={t('connectors.deleteText', { count: connector.actionCount })}
      submit={t('common.delete')}
      cancelRuns={false}
      onClose={onClose}
      onBusy={onBusy}
    />
  );
};

export const DeleteBusyConnector = ({
  connector,
  runs,
  onClose,
}: {
  connector: Connector;
  runs: number;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  return (
    <Confirm
      connector={connector}
      text={t('connectors.deleteRunning', { count: runs })}
      submit={t('connectors.deleteAnyway')}
      cancelRuns
      onClose={onClose}
      onBusy={() => undefined}
    />
  );
};

const Confirm = ({
  connector,
  text,
  submit,
  cancelRuns,
  onClose,
  onBusy,
}: {
  connector: Connector;
  text: string;
  submit: string;
  cancelRuns: boolean;
  onClose: () => void;
  onBusy: (count: number) => void;
}) => {
  const { t } = useTranslation();
  const takeOut = useTakeOut();
  const refresh = useRefresh();
  const [isSent, setSent] = useState(false);
  const remove = async (): Promise<void> => {
    setSent(true);
    const putBack = await takeOut(connector.internalId);
    onClose();
    try {
      await call('deleteConnector', {
        params: { connectorId: connector.internalId },
        query: cancelRuns ? { cancelRuns: 'true' } : {},
      });
      toast('success', t('connectors.deleted', { name: connector.name }));
    } catch (error) {
      putBack();
      if (error instanceof ApiError && error.code === 'IN_USE') {
        onBusy(Number(error.body?.details?.['count'] ?? 1));
        return;
      }
      toast('error', `${t('connectors.deleteFailed')}: ${errorText(error)}`);
      await refresh();
    }
  };
  return (
    <ConfirmDialog
      title={t('connectors.deleteTitle', { name: connector.name })}
      text={text}
      yes={submit}
      isDanger
      isBusy={isSent}
      onNo={onClose}
      onYes={() => void remove()}
    />
  );
};
