import type { Schedule } from '@sluice/contract';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../platform/call.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { useNextTimes } from './api.ts';
import { timeWords } from './words.ts';

/** A schedule while it is typed. */
export interface TypedSchedule {
  kind: Schedule['kind'];
  minutes: string;
  expression: string;
}

export const typedOf = (schedule: Schedule): TypedSchedule => ({
  kind: schedule.kind,
  minutes: schedule.kind === 'interval' ? String(schedule.minutes) : '60',
  expression: schedule.kind === 'cron' ? schedule.expression : '0 6 * * 1-5',
});

const MOST_MINUTES = 44_640;

/** Null where the minutes are none. */
export const scheduleOf = ({ kind, minutes, expression }: TypedSchedule): Schedule | null => {
  if (kind === 'cron') return { kind, expression: expression.trim() };
  if (kind !== 'interval') return { kind };
  const count = Number(minutes);
  return Number.isInteger(count) && count >= 1 && count <= MOST_MINUTES ? { kind, minutes: count } : null;
};

/** When an action runs by itself; a cron expression shows its next three times. */
export const ScheduleFields = ({
  typed,
  error,
  onChange,
}: {
  typed: TypedSchedule;
  error: string | undefined;
  onChange: (typed: TypedSchedule) => void;
}) => {
  const { t } = useTranslation();
  const next = useNextTimes(useDeferredValue(typed.expression.trim()), typed.kind === 'cron');
  const refusal = next.error instanceof ApiError ? next.error : null;
  const names = {
    afterRefresh: t('actions.scheduleAfterRefresh'),
    interval: t('actions.scheduleInterval'),
    cron: t('actions.scheduleCron'),
    never: t('actions.scheduleNever'),
  } as const;
  return (
    <>
      <SelectField
        label={t('actions.schedule')}
        value={typed.kind}
        options={Object.entries(names).map(([value, label]) => ({ value, label }))}
        onChange={(kind) => onChange({ ...typed, kind: kind as TypedSchedule['kind'] })}
      />
      {typed.kind === 'interval' ? (
        <TextField
          label={t('actions.minutes')}
          inputMode="numeric"
          value={typed.minutes}
          error={error}
          onChange={(minutes) => onChange({ ...typed, minutes })}
        />
      ) : null}
      {typed.kind === 'cron' ? (
        <TextField
          label={t('actions.cron')}
          value={typed.expression}
          spellCheck={false}
          isWide
          error={error ?? (refusal ? (refusal.fieldErrors[0]?.message ?? refusal.message) : null)}
          hint={
            next.data
              ? t('actions.cronNext', { times: next.data.map((time) => timeWords(time, '')).join(' · ') })
              : t('actions.cronHint')
          }
          onChange={(expression) => onChange({ ...typed, expression })}
        />
      ) : null}
    </>
  );
};
