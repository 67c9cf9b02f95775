import type { Formats } from '@sluice/contract';
import { formatFullDate, fromUtc } from '@sluice/mapping';
import { currentLanguage, t } from './i18n/i18n.ts';
import { currentUser } from './session.ts';

/** For the footers; a text, for it is no amount. */
export const thisYear = String(new Date().getFullYear());

/** The organisation's: all of its people see and type the same times, wherever their computer thinks it is. */
export const timeZone = (): string =>
  currentUser()?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** 'just now' under a minute, then minutes, hours, days. */
export const ago = (iso: string, now = Date.now()): string => {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return t('common.justNow');
  if (seconds < 3600) return t('common.minutesAgo', { count: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t('common.hoursAgo', { count: Math.floor(seconds / 3600) });
  return t('common.daysAgo', { count: Math.floor(seconds / 86_400) });
};

/** Time of day for today, else with the date in front, written out as the user prefers. */
export const moment = (iso: string, formats: Formats): string => {
  const parts = fromUtc(iso, timeZone());
  if (!parts) return iso;
  const today = fromUtc(new Date().toISOString(), timeZone())?.date;
  const time = parts.time.slice(0, 5);
  return parts.date === today
    ? time
    : `${formatFullDate(parts.date, formats.fullDate, currentLanguage())} ${time}`;
};

export const todayIso = (): string => fromUtc(new Date().toISOString(), timeZone())?.date ?? '';

/** Full hours since midnight. */
export const hourNow = (): number =>
  Number(fromUtc(new Date().toISOString(), timeZone())?.time.slice(0, 2) ?? 23);

/** A date without a time as a short word: `Fri 20`. */
export const dayName = (date: string, language: string): string =>
  new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );

/** Whole days from an instant until now. */
export const daysSince = (instant: string): number =>
  Math.floor((Date.now() - Date.parse(instant)) / (24 * 60 * 60_000));
