import type { Schedule } from '@sluice/contract';
import { Cron } from 'croner';
import { type Db, row, sql } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { ConnectorServices } from './service.ts';
import type { ActionRow, ConnectorRow } from './store.ts';

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
function nextTime(
  schedule: Schedule,
  { timeZone, after, refreshMinutes }: { timeZone: string; after: Date; refreshMinutes: number },
): Date | null {
  switch (schedule.kind) {
    case 'interval':
      return new Date(after.getTime() + schedule.minutes * 60_000);
    case 'cron':
      return nextOfCron(schedule.expression, timeZone, after);
    case 'afterRefresh':
      return new Date(after.getTime() + refreshMinutes * 60_000);
    case 'never':
      return null;
  }
}

/** What people see of an expression while they type it. */
export function nextTimes(expression: string, timeZone: string, after: Date): string[] {
  checkSchedule({ kind: 'cron', expression }, timeZone);
  return cronOf(expression, timeZone)
    .nextRuns(3, after)
    .map((time) => time.toISOString());
}

const cronOf = (expression: string, timeZone: string): Cron =>
  new Cron(expression, { timezone: timeZone, mode: '5-part' });

/** Five fields, by the clock of the organisation (decisions Q-CONN-03). */
const nextOfCron = (expression: string, timeZone: string, after: Date): Date | null =>
  cronOf(expression, timeZone).nextRun(after);

/**
 * When an action runs by itself next. A source is refreshed as often as its domain says, whether its records are kept
 * in the cache or read anew by the run. What was halted waits for a person.
 */
export async function nextRunOf(
  services: Pick<ConnectorServices, 'timeZone' | 'now'>,
  db: Db,
  {
    action,
    connector,
  }: { action: Pick<ActionRow, 'schedule' | 'is_active'>; connector: Pick<ConnectorRow, 'source_system'> },
  { isHalted = false, isFirst = false }: { isHalted?: boolean; isFirst?: boolean } = {},
): Promise<Date | null> {
  if (!action.is_active || isHalted) return null;
  const after = services.now();
  if (isFirst && action.schedule.kind === 'afterRefresh') return after;
  const domain = await row<{ cache_refresh_minutes: number }>(
    db,
    sql`select cache_refresh_minutes from domain where domain_id::text = ${connector.source_system.levelIds[0] ?? ''}`,
  );
  const refreshMinutes = domain?.cache_refresh_minutes ?? 60;
  return nextTime(action.schedule, { timeZone: services.timeZone, after, refreshMinutes });
}
