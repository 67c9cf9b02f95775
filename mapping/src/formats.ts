import type { Formats, Locale } from '@sluice/contract';

export type ShortDateFormat = Formats['shortDate'];
export type NumberFormat = Formats['numberFormat'];
export type FullDateFormat = Formats['fullDate'];

const narrowSpace = '\u202f';
const separators: Record<NumberFormat, { group: string; decimal: string }> = {
  commaSeparated: { group: ',', decimal: '.' },
  dotSeparated: { group: '.', decimal: ',' },
  'si-style-FR': { group: narrowSpace, decimal: ',' },
  'si-style-EN': { group: narrowSpace, decimal: '.' },
  'gsw-CH': { group: '\u2019', decimal: '.' },
};

/** FMT-03..05: the format that a browser's language suggests. */
export function defaultNumberFormat(browserLanguage: string): NumberFormat {
  if (['en-US', 'en-GB', 'en-CA'].includes(browserLanguage)) return 'commaSeparated';
  return ['gsw-CH', 'de-CH'].includes(browserLanguage) ? 'gsw-CH' : 'dotSeparated';
}

/**
 * A number (or its exact decimal text) in the user's format. `scale` fixes the decimals; without it as many as the
 * value has. `isGrouped` false for nonFormattableInt (DATA-11).
 */
export function formatNumber(
  value: number | string,
  format: NumberFormat,
  options: { scale?: number | undefined; isGrouped?: boolean } = {},
): string {
  const text = plainDecimal(value);
  if (text === null) return String(value);
  const { group, decimal } = separators[format];
  const isNegative = text.startsWith('-');
  let [whole = '0', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  if (options.scale !== undefined) {
    // Shown, never stored: more decimals than the scale stay visible rather than being rounded away.
    fraction = fraction.padEnd(options.scale, '0');
  }
  if (options.isGrouped !== false) whole = whole.replace(/\B(?=(\d{3})+(?!\d))/g, group);
  return `${isNegative ? '-' : ''}${whole}${fraction ? decimal + fraction : ''}`;
}

/** Decimal text without exponent; null when it is no number. */
function plainDecimal(value: number | string): string | null {
  const text = String(value);
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/i.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * Text in the user's number format to exact decimal text (`1.234,5` -> `1234.5`); null when it is no number.
 * Grouping is optional, but where it stands it must stand right: `1.5` in dotSeparated is no number, never 15.
 */
export function parseFormattedNumber(input: string, format: NumberFormat): string | null {
  const { group, decimal } = separators[format];
  let text = input.trim().replace(/\u2212/g, '-');
  // Spreadsheets write other spaces and apostrophes for the same separators.
  if (group === narrowSpace) text = text.replace(/[ \u00a0\u2009]/g, narrowSpace);
  if (format === 'gsw-CH') text = text.replace(/'/g, '\u2019');
  const match = new RegExp(
    `^([+-]?)(\\d+|\\d{1,3}(?:\\${group}\\d{3})+)?(?:\\${decimal}(\\d*))?(?:[eE]([+-]?\\d{1,3}))?$`,
  ).exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  if (whole === '' && fraction === '') return null;
  const digits = whole.replaceAll(group, '').replace(/^0+(?=\d)/, '') || '0';
  const plain = `${sign === '-' ? '-' : ''}${digits}${fraction ? `.${fraction}` : ''}`;
  return exponent === undefined
    ? plain
    : plainDecimal(
        `${plain.includes('.') ? plain : `${plain}.0`}e${Number(exponent) >= 0 ? '+' : ''}${Number(exponent)}`,
      );
}

/** FMT-01: `YYYY-MM-DD` in the chosen format; in these formats `m` is the month without leading zero. */
export function formatDate(date: string, format: ShortDateFormat): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(date);
  if (!match) return date;
  const [, year = '', month = '', day = ''] = match;
  return format.replace(/yyyy|yy|mm|m|dd/g, (part) => {
    if (part === 'yyyy') return year;
    if (part === 'yy') return year.slice(2);
    if (part === 'mm') return month;
    return part === 'm' ? String(Number(month)) : day;
  });
}

const dateStyles = {
  long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  medium: { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
} as const;

/** FMT-06: `YYYY-MM-DD` written out in a language ('Monday 6 May 2024', '6 May 2024'), or as it is for `iso`. */
export function formatFullDate(date: string, format: FullDateFormat, locale: Locale): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(date);
  if (!match || format === 'iso') return match ? match[0] : date;
  // Noon of that day in UTC, written in UTC: no time zone is involved.
  const at = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]), 12);
  const parts = new Intl.DateTimeFormat(locale === 'NL' ? 'nl-NL' : 'en-GB', dateStyles[format]);
  return parts.format(at).replace(',', '');
}

/**
 * Typed text to `YYYY-MM-DD`: the chosen format with any of - / . between, with or without leading zeros, or the
 * ISO form, which is never ambiguous; null when it is no date. The order of day and month is the format's, never guessed.
 */
export function parseFormattedDate(input: string, format: ShortDateFormat): string | null {
  const text = input.trim();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return joinDate(iso[1], iso[2], iso[3]);
  const parts = /^(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{1,4})$/.exec(text);
  if (!parts) return null;
  const order = format.replace(/[^ymd]/g, '').replace(/(.)\1*/g, '$1');
  const named: Record<string, string | undefined> = {};
  [...order].forEach((letter, index) => {
    named[letter] = parts[index + 1];
  });
  return joinDate(named.y, named.m, named.d);
}

function joinDate(year = '', month = '', day = ''): string | null {
  if (month.length > 2 || day.length > 2 || (year.length !== 2 && year.length !== 4)) return null;
  const full = year.length === 4 ? year : `${Number(year) <= 68 ? '20' : '19'}${year}`;
  return `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Minutes that the zone is ahead of UTC at that instant. */
export function offsetMinutes(instant: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(instant);
  const get = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const local = Date.UTC(
    get('year'),
    get('month') - 1,
    get('day'),
    get('hour') % 24,
    get('minute'),
    get('second'),
  );
  return Math.round((local - Math.floor(instant / 1000) * 1000) / 60_000);
}

const formatters = new Map<string, Intl.DateTimeFormat>();
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** `2026-11-21` and `09:05` in the organisation's zone to ISO UTC. In the hour that does not exist it moves forward. */
export function toUtc(date: string, time: string, timeZone: string): string {
  const [whole = time, fraction] = time.split('.');
  const wall = Date.parse(`${date}T${whole.length === 5 ? `${whole}:00` : whole}Z`);
  let instant = wall - offsetMinutes(wall, timeZone) * 60_000;
  instant = wall - offsetMinutes(instant, timeZone) * 60_000;
  return new Date(instant).toISOString().replace('.000Z', fraction ? `.${fraction}Z` : 'Z');
}

/** An ISO UTC instant as date `YYYY-MM-DD` and time `HH:mm[:ss]` in the organisation's zone. */
export function fromUtc(instant: string, timeZone: string): { date: string; time: string } | null {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return null;
  const local = new Date(at + offsetMinutes(at, timeZone) * 60_000).toISOString();
  const seconds = local.slice(17, 19);
  return { date: local.slice(0, 10), time: local.slice(11, 16) + (seconds === '00' ? '' : `:${seconds}`) };
}

/** A date and time as the table shows it. */
export function formatDateTime(instant: string, format: ShortDateFormat, timeZone: string): string {
  const local = fromUtc(instant, timeZone);
  return local ? `${formatDate(local.date, format)} ${local.time}` : instant;
}
