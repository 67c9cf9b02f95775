import type { Run, RunCounts, Schedule } from '@sluice/contract';
import { durationText } from '../../platform/duration.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { currentUser } from '../../platform/session.ts';
import { moment } from '../../platform/time.ts';

export const scheduleWords = (schedule: Schedule): string => {
  switch (schedule.kind) {
    case 'afterRefresh':
      return t('actions.afterRefresh');
    case 'interval':
      return t('actions.everyMinutes', { count: schedule.minutes });
    case 'cron':
      return t('actions.byCron', { expression: schedule.expression });
    case 'never':
      return t('actions.byHand');
  }
};

/** A time as the user writes times; what is not there in words. */
export const timeWords = (iso: string | null, none: string): string => {
  const formats = currentUser()?.userPreferences.options.formats;
  return iso === null || !formats ? none : moment(iso, formats);
};

export const countNames = ['inserted', 'updated', 'deleted', 'unchanged', 'failed', 'conflicts'] as const;

/** `3 new, 2 failed`; what is none is left out. */
export const countWords = (counts: RunCounts): string => {
  const said = countNames.flatMap((name) =>
    counts[name] > 0
      ? [t('runs.counted', { count: counts[name], what: t(`runs.${name}`).toLowerCase() })]
      : [],
  );
  return said.length > 0 ? said.join(', ') : t('runs.nothing');
};

export const durationWords = ({ startedAt, finishedAt }: Run): string => {
  if (startedAt === null || finishedAt === null) return '';
  const seconds = Math.max(0, Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000));
  if (seconds < 60) return t('runs.seconds', { count: seconds });
  return seconds >= 3600
    ? durationText(Math.floor(seconds / 60))
    : t('runs.minutesLong', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
};

/** Route of a table by its data path, whose segments are not encoded. */
export const tablePath = (path: string): string =>
  `/data/${path.split('/').map(encodeURIComponent).join('/')}`;
