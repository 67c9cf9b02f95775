import { isCalendarDate } from '../parse.ts';
import { offsetMinutes } from '../formats.ts';

/**
 * Days and wall clock times as numbers. Dates never pass through a local Date: a day is counted from 1970-01-01 in the
 * proleptic Gregorian calendar, a time in microseconds of its day.
 */
export interface Day {
  year: number;
  month: number;
  day: number;
}

const microsPerDay = 86_400_000_000;

export function dayNumber({ year, month, day }: Day): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

export function dayOf(number: number): Day {
  const z = number + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

export const dateText = ({ year, month, day }: Day): string =>
  `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;

/** `YYYY-MM-DD` of the calendar, or null. */
export function parseDay(text: string): Day | null {
  if (!isCalendarDate(text)) return null;
  return { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8, 10)) };
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

/** 31 January and one month is the last day of February. */
export function addMonths(date: Day, months: number): Day {
  const total = date.year * 12 + date.month - 1 + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12 + 1;
  return { year, month, day: Math.min(date.day, daysInMonth(year, month)) };
}

/** 1 = Monday. */
export const weekday = (number: number): number => ((((number + 3) % 7) + 7) % 7) + 1;

/** ISO week: week 1 has the year's first Thursday. */
export function isoWeek(number: number): { year: number; week: number } {
  const thursday = number - weekday(number) + 4;
  const { year } = dayOf(thursday);
  return { year, week: Math.floor((thursday - dayNumber({ year, month: 1, day: 1 })) / 7) + 1 };
}

export type DateUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

export function startOf(date: Day, unit: DateUnit): Day {
  switch (unit) {
    case 'day':
      return date;
    case 'week':
      return dayOf(dayNumber(date) - weekday(dayNumber(date)) + 1);
    case 'month':
      return { ...date, day: 1 };
    case 'quarter':
      return { year: date.year, month: date.month - ((date.month - 1) % 3), day: 1 };
    case 'year':
      return { year: date.year, month: 1, day: 1 };
  }
}

/** The last day of the unit. */
export function endOf(date: Day, unit: DateUnit): Day {
  const start = startOf(date, unit);
  switch (unit) {
    case 'day':
      return date;
    case 'week':
      return dayOf(dayNumber(start) + 6);
    case 'month':
      return { ...start, day: daysInMonth(start.year, start.month) };
    case 'quarter':
      return dayOf(dayNumber(addMonths(start, 3)) - 1);
    case 'year':
      return { year: start.year, month: 12, day: 31 };
  }
}

/** `HH:mm[:ss[.ffffff]]` in microseconds of the day, or null. */
export function parseClock(text: string): number | null {
  const match = /^(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/.exec(text);
  if (!match || Number(match[1]) > 23) return null;
  const seconds = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0);
  return seconds * 1_000_000 + Number((match[4] ?? '').padEnd(6, '0'));
}

/** The canonical text: seconds and fraction only where there are any, or `withSeconds` always the seconds. */
export function clockText(micros: number, withSeconds = false): string {
  const fraction = String(micros % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const seconds = Math.floor(micros / 1_000_000);
  const rest = seconds % 60;
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}`;
  if (fraction !== '') return `${text}:${two(rest)}.${fraction}`;
  return rest === 0 && !withSeconds ? text : `${text}:${two(rest)}`;
}

/** A point in time: a day and the microseconds in it, in UTC or on the clocks of a zone. */
export interface Moment {
  day: number;
  micros: number;
}

const momentPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:\d{2})$/;

/** ISO 8601 with `Z` or an offset, as UTC; null when it is none. */
export function parseMoment(text: string): Moment | null {
  const match = momentPattern.exec(text);
  const date = match ? parseDay(match[1] ?? '') : null;
  const clock = match ? parseClock(match[2] ?? '') : null;
  if (!match || !date || clock === null) return null;
  const zone = match[3] ?? 'Z';
  if (zone === 'Z') return { day: dayNumber(date), micros: clock };
  const minutes = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * (zone.startsWith('-') ? -1 : 1);
  return shift({ day: dayNumber(date), micros: clock }, -minutes * 60_000_000);
}

export const momentText = ({ day, micros }: Moment): string =>
  `${dateText(dayOf(day))}T${clockText(micros, true)}Z`;

/** Moved by so many microseconds. */
export function shift({ day, micros }: Moment, by: number): Moment {
  const total = micros + by;
  const days = Math.floor(total / microsPerDay);
  return { day: day + days, micros: total - days * microsPerDay };
}

const milliseconds = ({ day, micros }: Moment): number => day * 86_400_000 + Math.floor(micros / 1000);

/** Zones change their offset on quarters of an hour, so that one answer holds for all of it. */
const quarter = 900_000;
const offsets = new Map<string, Map<number, number>>();

function offsetOf(at: number, zone: string): number {
  let known = offsets.get(zone);
  if (!known) offsets.set(zone, (known = new Map()));
  const part = Math.floor(at / quarter);
  let offset = known.get(part);
  if (offset === undefined) {
    // A bound on memory; a table of one century of days is below it.
    if (known.size > 50_000) known.clear();
    offset = offsetMinutes(part * quarter, zone);
    known.set(part, offset);
  }
  return offset;
}

/** The wall clock of the zone at that moment. */
export const toZone = (utc: Moment, zone: string): Moment =>
  zone === 'UTC' ? utc : shift(utc, offsetOf(milliseconds(utc), zone) * 60_000_000);

/**
 * The moment at which the clocks of the zone show this. Of the hour that is there twice the first; in the hour that
 * is not there it moves forward.
 */
export function fromZone(wall: Moment, zone: string): Moment {
  if (zone === 'UTC') return wall;
  const at = milliseconds(wall);
  const before = offsetOf(at - 86_400_000, zone);
  const after = offsetOf(at + 86_400_000, zone);
  const first = Math.max(before, after);
  for (const offset of first === Math.min(before, after) ? [first] : [first, Math.min(before, after)]) {
    if (offsetOf(at - offset * 60_000, zone) === offset) return shift(wall, -offset * 60_000_000);
  }
  // No offset fits: the hour that is left out. The offset of before moves it forward.
  return shift(wall, -before * 60_000_000);
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
