import type { ActionStatus, Run } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../ui/icons.tsx';
import { StatusBadge, type StatusLook } from '../../ui/status-badge.tsx';

/** An icon of its own for each (CONN-11, CONN-12). */
const LOOKS: Record<ActionStatus, StatusLook> = {
  ACTIVE: { look: 'success', icon: 'success' },
  INACTIVE: { look: 'grey', icon: 'off' },
  NEVER_SYNCED: { look: 'info', icon: 'clock' },
  MAPPINGS_NOT_SET_UP: { look: 'info', icon: 'settings' },
  ERROR_SYNC_FAILED: { look: 'danger', icon: 'syncFailed' },
  ERROR_AUTH_FAILED: { look: 'danger', icon: 'lock' },
  ERROR_OTHER: { look: 'danger', icon: 'danger' },
};

export const ActionStatusBadge = ({ status, message }: { status: ActionStatus; message: string | null }) => {
  const { t } = useTranslation();
  return (
    <>
      <StatusBadge
        look={LOOKS[status]}
        label={t(`connectors.status${status}`)}
        title={message ?? undefined}
      />
      {message ? <div className="cn-why">{message}</div> : null}
    </>
  );
};

const RUN_LOOKS: Record<Run['status'], StatusLook> = {
  QUEUED: { look: 'grey', icon: 'clock' },
  RUNNING: { look: 'info', icon: 'refresh' },
  DONE: { look: 'success', icon: 'success' },
  PARTIALLY_FAILED: { look: 'warning', icon: 'warning' },
  FAILED: { look: 'danger', icon: 'danger' },
  CANCELLED: { look: 'grey', icon: 'close' },
};

export const RunStatusBadge = ({ status }: { status: Run['status'] }) => {
  const { t } = useTranslation();
  return <StatusBadge look={RUN_LOOKS[status]} label={t(`runs.status${status}`)} />;
};

export const BusyBadge = () => {
  const { t } = useTranslation();
  return (
    <span className="badge info" style={{ marginLeft: 6 }}>
      <Icon name="spinner" size="spin" />
      {t('connectors.running')}
    </span>
  );
};
