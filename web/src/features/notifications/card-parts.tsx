import type { Notification } from '@sluice/contract';
import { useTranslation } from 'react-i18next';
import type { IconName } from '../../ui/icons.tsx';

/** How a class looks in the panel and on the stack. */
export const LOOKS: Record<
  Notification['class'],
  { className: string; toast: 'error' | 'warning' | 'success' | 'info'; icon: IconName }
> = {
  error: { className: 'err', toast: 'error', icon: 'danger' },
  warning: { className: 'war', toast: 'warning', icon: 'warning' },
  success: { className: 'suc', toast: 'success', icon: 'success' },
  info: { className: 'inf', toast: 'info', icon: 'info' },
};

export const ProgressLine = ({ current, total }: { current: number; total: number }) => {
  const { t } = useTranslation();
  return (
    <div className="bar">
      <div className="bar-line" style={{ flex: 1 }}>
        <i style={{ width: `${(100 * current) / Math.max(1, total)}%` }} />
      </div>
      {t('notifications.progress', { current, total })}
    </div>
  );
};
