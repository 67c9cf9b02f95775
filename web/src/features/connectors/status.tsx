import type { ActionStatus, Run } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from '../../ui/icons.tsx';

type Look = 'success' | 'warning' | 'info' | 'grey' | 'danger';

/** An icon of its own for each (CONN-11, CONN-12). */
const LOOKS: Record<ActionStatus, { look: Look; icon: IconName }> = {
  ACTIVE: { look: 'success', icon: 'success' },
  INACTIVE: { look: 'grey', icon: 'pause' },
  NEVER_SYNCED: { look: 'info', icon: 'clock' },
  MAPPINGS_NOT_SET_UP: { look: 'info', icon: 'settings' },
  ERROR_SYNC_FAILED: { look: 'danger', icon: 'danger' },
  ERROR_AUTH_FAILED: { look: 'danger', icon: 'lock' },
  ERROR_OTHER: { look: 'danger', icon: 'warning' },
};

export const ActionStatusBadge = ({ status, message }: { status: ActionStatus; message: string | null }) => {
  const { t } = useTranslation();
  const { look, icon } = LOOKS[status];
  return (
    <>
      <span className={`badge ${look}`} title={message ?? undefined}>
        <Icon name={icon} size="s" />
        {t(`connectors.status${status}`)}
      </span>
      {message ? <div className="cn-why">{message}</div> : null}
    </>
  );
};

const RUN_LOOKS: Record<Run['status'], { look: Look; icon: IconName }> = {
  QUEUED: { look: 'grey', icon: 'clock' },
  RUNNING: { look: 'info', icon: 'refresh' },
  DONE: { look: 'success', icon: 'success' },
  PARTIALLY_FAILED: { look: 'warning', icon: 'warning' },
  FAILED: { look: 'danger', icon: 'danger' },
  CANCELLED: { look: 'grey', icon: 'close' },
};

export const RunStatusBadge = ({ status }: { status: Run['status'] }) => {
  const { t } = useTranslation();
  const { look, icon } = RUN_LOOKS[status];
  return (
    <span className={`badge ${look}`}>
      <Icon name={icon} size="s" />
      {t(`runs.status${status}`)}
    </span>
  );
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
