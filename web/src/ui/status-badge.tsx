import type { DomainStatus } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from './icons.tsx';

/** How a status looks: success, warning, info, grey, and danger for what is none of these (CONN-11). */
export interface StatusLook {
  look: 'success' | 'warning' | 'info' | 'grey' | 'danger';
  icon: IconName;
}

export const StatusBadge = ({
  look: { look, icon },
  label,
  title,
}: {
  look: StatusLook;
  label: string;
  title?: string | undefined;
}) => (
  <span className={`badge ${look}`} title={title}>
    <Icon name={icon} size="s" />
    {label}
  </span>
);

/** An icon of its own for each (CONN-12). */
const LOOKS: Record<DomainStatus, StatusLook> = {
  OK: { look: 'success', icon: 'check' },
  ACTIVE: { look: 'success', icon: 'success' },
  SYNC_PAUSED: { look: 'warning', icon: 'pause' },
  NEVER_SYNCED: { look: 'info', icon: 'clock' },
  INACTIVE: { look: 'grey', icon: 'off' },
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
  return <StatusBadge look={LOOKS[status]} label={t(`manage.status${status}`)} title={title} />;
};
