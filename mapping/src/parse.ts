/**
 * The specification's own parsers (section 5, "Value parsing"). They never fail, which is why four of them are called
 * by nothing here: what cannot be read is shown raw or refused (docs/decisions/0023). What a person types goes through
 * typed.ts.
 */

/** PARSE-01..04: `H:mm` or `HH:mm`, optional seconds and 1-6 digits of fraction; null when it is no time. */
export function parseTime(input: string): string | null {
  const match = /^(\d{1,2}):([0-5]\d)(?::([0-5]\d)(\.\d{1,6})?)?$/.exec(input.trim());
  if (!match) return null;
  const [, hour = '', minute = '', second, fraction = ''] = match;
  if (Number(hour) > 23) return null;
  return `${hour.padStart(2, '0')}:${minute}${second === undefined ? '' : `:${second}${fraction}`}`;
}

export const nilUuid = '00000000-0000-0000-0000-000000000000';
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** PARSE-05: 36 characters in the standard hex pattern, in lower case; anything else is the nil UUID. */
export function parseUuid(input: string): string {
  const text = input.trim().toLowerCase();
  return uuidPattern.test(text) ? text : nilUuid;
}

/** PARSE-06..08: true, yes, ja; false, no, nee, niet; anything else null. */
export function parseTableBoolean(input: string): boolean | null {
  const text = input.trim().toLowerCase();
  if (['true', 'yes', 'ja'].includes(text)) return true;
  if (['false', 'no', 'nee', 'niet'].includes(text)) return false;
  return null;
}

const falseStarts = ['no', 'off', 'n', '0', 'nee', 'niet', 'nein', 'non'];

/**
 * PARSE-09..11: empty is false; text that begins with one of the words is false; anything else is true. The exact
 * text `false` is false too: the one deliberate deviation (decisions C-14).
 */
export function parseFieldBoolean(input: string | boolean | null): boolean {
  if (typeof input === 'boolean') return input;
  const text = (input ?? '').trim().toLowerCase();
  if (text === '' || text === 'false') return false;
  return !falseStarts.some((word) => text.startsWith(word));
}

export const minDate = '1900-01-01';
export const maxDate = '2099-12-31';

/** PARSE-12: a date `YYYY-MM-DD` outside the bounds becomes the bound. Dates are text: no Date, no time zone. */
export function clampDate(date: string): string {
  if (date < minDate) return minDate;
  return date > maxDate ? maxDate : date;
}

/** PARSE-13: text that is no number is 0. */
export function parseNumberOrZero(input: string): number {
  const text = input.trim();
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : 0;
}

/** PARSE-14: the first 10 characters. */
export function dateOnly(input: string): string {
  return input.slice(0, 10);
}

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Is `YYYY-MM-DD` a day of the calendar? */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeap ? 29 : (daysOfMonth[month - 1] ?? 0);
  return day >= 1 && day <= days;
}
