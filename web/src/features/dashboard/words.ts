import type { DashboardError, Job } from '@sluice/contract';
import { durationText } from '../../platform/duration.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { currentUser } from '../../platform/session.ts';
import { moment } from '../../platform/time.ts';
import type { IconName } from '../../ui/icons.tsx';

/** A time as the user writes times: of today the time alone. */
export const timeOf = (iso: string): string => {
  const formats = currentUser()?.userPreferences.options.formats;
  return formats ? moment(iso, formats) : iso;
};

const ORIGINS: Record<string, 'schedule' | 'sourceChange' | 'connectorRun' | 'cacheRefresh' | 'browser'> = {
  schedule: 'schedule',
  'source change': 'sourceChange',
  'connector run': 'connectorRun',
  'cache refresh': 'cacheRefresh',
  browser: 'browser',
};

/** A person's name stays as it is. */
export const originOf = ({ origin }: Job | DashboardError): string => {
  const known = ORIGINS[origin];
  return known ? t(`dashboardOrigin.${known}`) : origin;
};

/** Less than a minute in seconds (NAV-23). */
export const durationOf = ({ durationMinutes }: Job): string => {
  if (durationMinutes === null) return '';
  return durationMinutes < 1
    ? t('dashboard.seconds', { count: Math.max(1, Math.round(durationMinutes * 60)) })
    : durationText(Math.floor(durationMinutes));
};

export const LOOKS: Record<Job['status'], { className: string; icon: IconName }> = {
  QUEUED: { className: 'mut', icon: 'clock' },
  RUNNING: { className: 's-in', icon: 'push' },
  DONE: { className: 's-ok', icon: 'success' },
  PARTIALLY_FAILED: { className: 's-wa', icon: 'warning' },
  FAILED: { className: 's-er', icon: 'danger' },
  CANCELLED: { className: 'mut', icon: 'close' },
};

/** What the job did, or is doing. */
export const messageOf = (job: Job): string =>
  job.status === 'QUEUED' ? t('dashboard.waiting') : (job.message ?? t(`dashboardStatus.${job.status}`));
