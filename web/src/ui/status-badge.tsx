import type { DomainStatus } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from './icons.tsx';

type Look = 'success' | 'warning' | 'info' | 'grey' | 'danger';

/** Success, warning, info, grey; danger for anything else. OK counts as success. */
const LOOKS: Record<DomainStatus, { look: Look; icon: IconName }> = {
  OK: { look: 'success', icon: 'success' },
  ACTIVE: { look: 'success', icon: 'success' },
  SYNC_PAUSED: { look: 'warning', icon: 'pause' },
  NEVER_SYNCED: { look: 'info', icon: 'clock' },
  INACTIVE: { look: 'grey', icon: 'lock' },
  INVALID_CREDENTIALS_OR_URL: { look: 'danger', icon: 'lock' },
  ERROR_OTHER: { look: 'danger', icon: 'danger' },
};

export const DomainStatusBadge = ({
  status,
  title,
}: {
  status: DomainStatus;
  title?: string | undefined;
}) => {
  const { t } = useTranslation();
  const { look, icon } = LOOKS[status];
  return (
    <span className={`badge ${look}`} title={title}>
      <Icon name={icon} size="s" />
      {t(`manage.status${status}`)}
    </span>
  );
};
