import { daysInMonth, parseClock, weekday, type Day } from '../civil.ts';

/**
 * Formats of dates and times: yyyy yy MMMM MMM MM M dd d EEEE EEE HH H mm m ss s and S to SSSSSS; text between single
 * quotes is literal ('' is a quote), and so is every character that is no letter. Names are Dutch or English from
 * tables of their own: those of the platform differ from browser to server.
 */
export type DateLocale = 'nl' | 'en';

const names = {
  nl: {
    months: [
      'januari',
      'februari',
      'maart',
      'april',
      'mei',
      'juni',
      'juli',
      'augustus',
      'september',
      'oktober',
      'november',
      'december',
    ],
    short: ['jan', 'feb', 'mrt', 'apr', 'mei', 'jun', 'jul', 'aug', 'sep', 'okt', 'nov', 'dec'],
    days: ['maandag', 'dinsdag', 'woensdag', 'donderdag', 'vrijdag', 'zaterdag', 'zondag'],
    shortDays: ['ma', 'di', 'wo', 'do', 'vr', 'za', 'zo'],
  },
  en: {
    months: [
      'January',
      'February',
      'March',
      'April',
      'May',
      'June',
      'July',
      'August',
      'September',
      'October',
      'November',
      'December',
    ],
    short: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
    days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    shortDays: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  },
} as const;

export type FormatPart = { literal: string } | { token: string };

const tokens = new Set([
  'yyyy',
  'yy',
  'MMMM',
  'MMM',
  'MM',
  'M',
  'dd',
  'd',
  'EEEE',
  'EEE',
  'HH',
  'H',
  'mm',
  'm',
  'ss',
  's',
]);

/** Null where a letter stands that means nothing, or a quote is left open. */
export function parseFormat(format: string): FormatPart[] | null {
  const parts: FormatPart[] = [];
  for (const [part = '', quoted] of format.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g)) {
    if (part === "'") return null;
    if (quoted !== undefined) parts.push({ literal: quoted === '' ? "'" : quoted.replaceAll("''", "'") });
    else if (/^[A-Za-z]/.test(part)) {
      if (!tokens.has(part) && !/^S{1,6}$/.test(part)) return null;
      parts.push({ token: part });
    } else parts.push({ literal: part });
  }
  return parts;
}

/** Can texts be read back by it? A part that is there twice could contradict itself. */
export function isReadable(parts: readonly FormatPart[]): boolean {
  const found = parts.flatMap((part) => ('token' in part ? part.token.charAt(0) : []));
  return new Set(found).size === found.length;
}

export interface WallTime {
  date: Day;
  /** Days since 1970-01-01, for the weekday. */
  number: number;
  micros: number;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function formatWall(
  parts: readonly FormatPart[],
  { date, number, micros }: WallTime,
  locale: DateLocale,
): string {
  const table = names[locale];
  const seconds = Math.floor(micros / 1_000_000);
  let out = '';
  for (const part of parts) {
    if ('literal' in part) {
      out += part.literal;
      continue;
    }
    switch (part.token) {
      case 'yyyy':
        out += String(date.year).padStart(4, '0');
        break;
      case 'yy':
        out += two(date.year % 100);
        break;
      case 'MMMM':
        out += table.months[date.month - 1] ?? '';
        break;
      case 'MMM':
        out += table.short[date.month - 1] ?? '';
        break;
      case 'MM':
        out += two(date.month);
        break;
      case 'M':
        out += date.month;
        break;
      case 'dd':
        out += two(date.day);
        break;
      case 'd':
        out += date.day;
        break;
      case 'EEEE':
        out += table.days[weekday(number) - 1] ?? '';
        break;
      case 'EEE':
        out += table.shortDays[weekday(number) - 1] ?? '';
        break;
      case 'HH':
        out += two(Math.floor(seconds / 3600));
        break;
      case 'H':
        out += Math.floor(seconds / 3600);
        break;
      case 'mm':
        out += two(Math.floor(seconds / 60) % 60);
        break;
      case 'm':
        out += Math.floor(seconds / 60) % 60;
        break;
      case 'ss':
        out += two(seconds % 60);
        break;
      case 's':
        out += seconds % 60;
        break;
      default:
        out += String(micros % 1_000_000)
          .padStart(6, '0')
          .slice(0, part.token.length);
    }
  }
  return out;
}

export interface Reader {
  /** Null where the text is not so written, or no date or time of that calendar. */
  read(text: string): { date: Day; micros: number } | null;
}

/** A reader of texts in a format. `pivot`: two-digit years up to it are 20xx, those above 19xx. */
export function readerOf(parts: readonly FormatPart[], pivot: number): Reader {
  const captured: string[] = [];
  const source = parts
    .map((part) => {
      if ('literal' in part) return part.literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/ +/g, ' +');
      captured.push(part.token);
      if (part.token === 'yyyy') return '(\\d{4})';
      if (['MMMM', 'MMM', 'EEEE', 'EEE'].includes(part.token)) return '(\\p{L}+)\\.?';
      if (part.token.startsWith('S')) return '(\\d{1,6})';
      return part.token.length === 2 ? '(\\d{2})' : '(\\d{1,2})';
    })
    .join('');
  const pattern = new RegExp(`^${source}$`, 'u');
  // Where each part is among the groups; 0 = not there.
  const place = (...names: string[]): number => captured.findIndex((token) => names.includes(token)) + 1;
  const [year4, year2] = [place('yyyy'), place('yy')];
  const [monthNumber, monthName, dayPlace] = [place('MM', 'M'), place('MMMM', 'MMM'), place('dd', 'd')];
  const [hour, minute, second] = [place('HH', 'H'), place('mm', 'm'), place('ss', 's')];
  const fraction = captured.findIndex((token) => token.startsWith('S')) + 1;
  const hasClock = hour + minute + second + fraction > 0;
  return {
    read(text) {
      const match = pattern.exec(text.trim());
      if (!match) return null;
      const year = year4 > 0 ? Number(match[year4]) : year2 > 0 ? yearOf(Number(match[year2]), pivot) : 1970;
      const month =
        monthNumber > 0 ? Number(match[monthNumber]) : monthName > 0 ? monthOf(match[monthName] ?? '') : 1;
      const day = dayPlace > 0 ? Number(match[dayPlace]) : 1;
      if (day < 1 || month < 1 || month > 12 || day > daysInMonth(year, month)) return null;
      if (!hasClock) return { date: { year, month, day }, micros: 0 };
      const part = (at: number): string => (at > 0 ? (match[at] ?? '0').padStart(2, '0') : '00');
      const micros = parseClock(
        `${part(hour)}:${part(minute)}:${part(second)}${fraction > 0 ? `.${match[fraction] ?? ''}` : ''}`,
      );
      return micros === null ? null : { date: { year, month, day }, micros };
    },
  };
}

const yearOf = (year: number, pivot: number): number => year + (year <= pivot ? 2000 : 1900);

/** By its name in either language; 0 where it is none. */
function monthOf(name: string): number {
  const wanted = name.toLowerCase();
  for (const table of [names.nl, names.en]) {
    for (const list of [table.months, table.short]) {
      const index = list.findIndex((month) => month.toLowerCase() === wanted);
      if (index >= 0) return index + 1;
    }
  }
  return 0;
}
