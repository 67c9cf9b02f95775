import type { ActionSummary } from '@sluice/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, errorText } from '../../platform/call.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { connectorKeys, useRefresh } from './api.ts';

/** Asks first; the row goes when the server has removed it (ACT-16). */
export const DeleteAction = ({
  connectorId,
  action,
  onClose,
}: {
  connectorId: string;
  action: ActionSummary;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = useRefresh();
  const [running, setRunning] = useState<number | null>(null);
  const remove = async (): Promise<void> => {
    try {
      await call('deleteAction', {
        params: { connectorId, actionId: action.internalId },
        query: running === null ? {} : { cancelRuns: 'true' },
      });
      type Page = { resources: ActionSummary[] };
      client.setQueryData<Page>(connectorKeys.actions(connectorId), (page) =>
        page
          ? { ...page, resources: page.resources.filter((one) => one.internalId !== action.internalId) }
          : page,
      );
      onClose();
      await refresh();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'IN_USE' && running === null) {
        setRunning(Number(error.body?.details?.['count'] ?? 1));
        return;
      }
      toast('error', `${t('actions.deleteFailed')}: ${errorText(error)}`);
      onClose();
    }
  };
  return (
    <ConfirmDialog
      title={t('actions.deleteTitle', { name: action.name })}
      text={running === null ? t('actions.deleteText') : t('connectors.deleteRunning', { count: running })}
      yes={t(running === null ? 'common.delete' : 'connectors.deleteAnyway')}
      isDanger
      onNo={onClose}
      onYes={() => void remove()}
    />
  );
};
