import type { ActionSummary, Connector } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { call } from '../../platform/call.ts';
import { currentUser } from '../../platform/session.ts';
import { DocumentationDialog } from '../../ui/documentation-dialog.tsx';
import { connectorKeys, useForgetNotes } from './api.ts';

/** The note about a connector, or about one of its actions. */
export const ConnectorDocumentation = ({
  connector,
  action,
  onClose,
}: {
  connector: Connector;
  action: ActionSummary | null;
  onClose: () => void;
}) => {
  const { t } = useTranslation();
  const connectorId = connector.internalId;
  const forget = useForgetNotes(connectorId);
  const formats = currentUser()?.userPreferences.options.formats;
  if (!formats) return null;
  const shared = { formats, onClose, onSaved: () => void forget() };
  if (action) {
    const params = { connectorId, actionId: action.internalId };
    return (
      <DocumentationDialog
        {...shared}
        queryKey={connectorKeys.note(connectorId, action.internalId)}
        read={async () => (await call('getActionDocumentation', { params })).resource}
        save={async (body) => (await call('updateActionDocumentation', { params, body })).resource}
        title={action.name}
        emptyText={t('actions.documentationText')}
      />
    );
  }
  const params = { connectorId };
  return (
    <DocumentationDialog
      {...shared}
      queryKey={connectorKeys.note(connectorId, null)}
      read={async () => (await call('getConnectorDocumentation', { params })).resource}
      save={async (body) => (await call('updateConnectorDocumentation', { params, body })).resource}
      title={connector.name}
      emptyText={t('connectors.documentationText')}
    />
  );
};
