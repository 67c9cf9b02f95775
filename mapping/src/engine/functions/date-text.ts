import { clockText, dateText, dayNumber, fromZone, momentText, parseClock, type Day } from '../civil.ts';
import { anyTime, checkZone, readWall, zoneOf, zoneParameter } from './date.ts';
import { formatWall, isReadable, parseFormat, readerOf, type Reader } from './date-format.ts';
import {
  define as entry,
  example,
  mapText,
  mapValue,
  parameter,
  t,
  textTypes,
  type ArgProblem,
  type Args,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('date', definition);

const formatParameter = (initial: string) =>
  parameter('format', 'string', t('Format', 'Formaat'), { default: initial });
const pivotParameter = parameter(
  'pivot',
  'uint',
  t('Two-digit years up to this are 20xx', 'Jaren van twee cijfers tot hier zijn 20xx'),
  {
    default: 68,
  },
);

/** Several formats stand behind each other with `|`; they are tried in that order. */
const formatsOf = (args: Args) =>
  args
    .text('format')
    .split('|')
    .map((format) => parseFormat(format.trim()));
const checkFormats = (args: Args): ArgProblem | null =>
  formatsOf(args).every((parts) => parts !== null && parts.length > 0 && isReadable(parts))
    ? checkZone(args)
    : { code: 'invalidFormat', params: { format: args.text('format') } };

const readersOf = (args: Args): Reader[] =>
  formatsOf(args).flatMap((parts) =>
    parts && isReadable(parts) ? readerOf(parts, args.number('pivot') ?? 68) : [],
  );

function firstRead(readers: readonly Reader[], text: string): { date: Day; micros: number } | null {
  for (const reader of readers) {
    const found = reader.read(text);
    if (found) return found;
  }
  return null;
}
const isInRange = (text: string): boolean => text >= '1900-01-01' && text < '2100-01-01';

export const dateTextFunctions: readonly FunctionEntry[] = [
  define({
    id: 'parseDate',
    label: t('Text to date', 'Tekst naar datum'),
    help: t(
      'Reads a date in a format (dd-MM-yyyy, d MMMM yyyy); several with | between are tried in order.',
      'Leest een datum in een formaat (dd-MM-yyyy, d MMMM yyyy); meerdere met | ertussen worden op volgorde geprobeerd.',
    ),
    in: textTypes,
    out: 'date',
    canFail: true,
    parameters: [formatParameter('dd-MM-yyyy'), pivotParameter],
    examples: [
      example('21-11-2026', {}, '2026-11-21'),
      example('5 mei 24', { format: 'dd-MM-yyyy | d MMMM yy' }, '2024-05-05'),
    ],
    check: checkFormats,
    apply: (args) => {
      const readers = readersOf(args);
      return mapText((text, row, step) => {
        const found = firstRead(readers, text);
        if (!found) return step.fail(row, 'notADate');
        const date = dateText(found.date);
        return isInRange(date) ? date : step.fail(row, 'dateOutOfRange');
      });
    },
  }),
  define({
    id: 'parseDateTime',
    label: t('Text to date-time', 'Tekst naar datum-tijd'),
    help: t(
      'Reads a date with a time in a format, on the clocks of a zone.',
      'Leest een datum met een tijd in een formaat, op de klokken van een zone.',
    ),
    in: textTypes,
    out: 'datetime',
    canFail: true,
    parameters: [formatParameter('dd-MM-yyyy HH:mm'), zoneParameter, pivotParameter],
    examples: [
      example('21-11-2026 10:00', { zone: 'Europe/Amsterdam' }, '2026-11-21T09:00:00Z'),
      example('20260701T1000', { format: "yyyyMMdd'T'HHmm", zone: 'UTC' }, '2026-07-01T10:00:00Z'),
    ],
    check: checkFormats,
    apply: (args) => {
      const readers = readersOf(args);
      return (input, step) => {
        const zone = zoneOf(args, step);
        return mapText((text, row) => {
          const found = firstRead(readers, text);
          if (!found) return step.fail(row, 'notADateTime');
          const moment = momentText(fromZone({ day: dayNumber(found.date), micros: found.micros }, zone));
          return isInRange(moment) ? moment : step.fail(row, 'dateOutOfRange');
        })(input, step);
      };
    },
  }),
  define({
    id: 'parseTime',
    label: t('Text to time', 'Tekst naar tijd'),
    help: t(
      'Reads H:mm or HH:mm, with seconds and a fraction if there are any.',
      'Leest H:mm of HH:mm, met seconden en een fractie als die er zijn.',
    ),
    in: textTypes,
    out: 'time',
    canFail: true,
    examples: [example('9:05', {}, '09:05'), example('23:59:30.5', {}, '23:59:30.5')],
    apply: () =>
      mapText((text, row, step) => {
        const clock = parseClock(text.trim());
        return clock === null ? step.fail(row, 'notATime') : clockText(clock);
      }),
  }),
  define({
    id: 'formatDate',
    label: t('Date to text', 'Datum naar tekst'),
    help: t(
      'Writes a date, time or date-time in a format, with Dutch or English names.',
      'Schrijft een datum, tijd of datum-tijd in een formaat, met Nederlandse of Engelse namen.',
    ),
    in: anyTime,
    out: 'string',
    canFail: true,
    parameters: [
      formatParameter('dd-MM-yyyy'),
      parameter('locale', 'string', t('Language', 'Taal'), {
        default: 'nl',
        options: [
          ['nl', t('Dutch', 'Nederlands')],
          ['en', t('English', 'Engels')],
        ],
      }),
      zoneParameter,
    ],
    examples: [
      example('2026-11-21', { format: 'EEEE d MMMM yyyy' }, 'zaterdag 21 november 2026'),
      example('2026-07-01T10:00:00Z', { format: 'HH:mm', zone: 'Europe/Amsterdam' }, '12:00'),
    ],
    check: (args) =>
      parseFormat(args.text('format')) === null
        ? { code: 'invalidFormat', params: { format: args.text('format') } }
        : checkZone(args),
    apply: (args) => {
      const parts = parseFormat(args.text('format')) ?? [];
      const locale = args.text('locale') === 'en' ? 'en' : 'nl';
      return (input, step) => {
        const zone = zoneOf(args, step);
        return mapValue((value, row) => {
          const clock = typeof value === 'string' && value.length < 16 ? parseClock(value) : null;
          if (clock !== null)
            return formatWall(
              parts,
              { date: { year: 1970, month: 1, day: 1 }, number: 0, micros: clock },
              locale,
            );
          const wall = readWall(value, zone);
          return wall ? formatWall(parts, wall, locale) : step.fail(row, 'notADate');
        })(input, step);
      };
    },
  }),
];
