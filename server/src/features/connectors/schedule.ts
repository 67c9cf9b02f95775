import type { Schedule } from '@sluice/contract';
import { Cron } from 'croner';
import { AppError } from '../../platform/errors.ts';

/** Refuses an expression that never comes or cannot be read. */
export function checkSchedule(schedule: Schedule, timeZone: string): void {
  if (schedule.kind !== 'cron') return;
  const refused = (reason: string): never => {
    throw new AppError('VALIDATION', {
      fields: [{ field: 'schedule.expression', code: null, params: { key: 'connector.badCron', reason } }],
    });
  };
  try {
    if (nextOfCron(schedule.expression, timeZone, new Date()) === null) refused('it never comes');
  } catch (error) {
    if (error instanceof AppError) throw error;
    refused(error instanceof Error ? error.message : String(error));
  }
}

/** When the schedule comes next after a time; null where it does not go by time. */
export function nextTime(schedule: Schedule, timeZone: string, after: Date): Date | null {
  if (schedule.kind === 'interval') return new Date(after.getTime() + schedule.minutes * 60_000);
  if (schedule.kind === 'cron') return nextOfCron(schedule.expression, timeZone, after);
  return null;
}

/** Five fields, by the clock of the organisation (decisions Q-CONN-03). */
const nextOfCron = (expression: string, timeZone: string, after: Date): Date | null =>
  new Cron(expression, { timezone: timeZone, mode: '5-part' }).nextRun(after);
