import {
  dateText,
  dayNumber,
  dayOf,
  fromZone,
  isoWeek,
  momentText,
  parseClock,
  parseMoment,
  shift,
  weekday,
  type Day,
} from '../civil.ts';
import {
  anyTime,
  checkZone,
  mapWall,
  readWall,
  unitOf,
  unitParameter,
  units,
  zoneOf,
  zoneParameter,
} from './date.ts';
import {
  dateTypes,
  define as entry,
  example,
  isEmpty,
  mapValue,
  numberTypes,
  parameter,
  t,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('date', definition);

/** Whole units from one day to another. */
function difference(a: Day, b: Day, unit: string): number {
  const days = dayNumber(b) - dayNumber(a);
  if (unit === 'day') return days;
  if (unit === 'week') return Math.trunc(days / 7);
  let months = (b.year - a.year) * 12 + b.month - a.month;
  if (months > 0 && b.day < a.day) months -= 1;
  if (months < 0 && b.day > a.day) months += 1;
  return Math.trunc(unit === 'year' ? months / 12 : unit === 'quarter' ? months / 3 : months) + 0;
}

const partNames = ['year', 'quarter', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'] as const;

export const datePartFunctions: readonly FunctionEntry[] = [
  define({
    id: 'dateDiff',
    label: t('Time between', 'Tijd tussen'),
    help: t(
      'Whole units from the value to another date.',
      'Hele eenheden van de waarde tot een andere datum.',
    ),
    in: dateTypes,
    out: 'int',
    canFail: true,
    parameters: [
      parameter('other', 'date', t('Other date', 'Andere datum'), { canBeField: true }),
      unitParameter(['day', ...units]),
      zoneParameter,
    ],
    examples: [
      example('2026-01-31', { other: '2026-03-01', unit: 'month' }, 1),
      example('2026-11-21', { other: '2026-11-01', unit: 'day' }, -20),
    ],
    check: checkZone,
    apply: (args) => {
      const unit = unitOf(args);
      return (input, step) => {
        const others = step.operand('other');
        return mapWall(args, (wall, zone, row) => {
          const value = others[row] ?? null;
          if (isEmpty(value)) return null;
          const other = readWall(value, zone);
          return other ? difference(wall.date, other.date, unit) : step.fail(row, 'notADate');
        })(input, step);
      };
    },
  }),
  define({
    id: 'datePart',
    label: t('Part of a date', 'Deel van een datum'),
    help: t(
      'Year, month, weekday (1 = Monday), hour and so on, as a number.',
      'Jaar, maand, weekdag (1 = maandag), uur enzovoort, als getal.',
    ),
    in: anyTime,
    out: 'int',
    canFail: true,
    parameters: [
      parameter('part', 'string', t('Part', 'Deel'), {
        options: [
          ['year', t('year', 'jaar')],
          ['quarter', t('quarter', 'kwartaal')],
          ['month', t('month', 'maand')],
          ['week', t('ISO week', 'ISO-week')],
          ['day', t('day', 'dag')],
          ['weekday', t('weekday', 'weekdag')],
          ['hour', t('hour', 'uur')],
          ['minute', t('minute', 'minuut')],
          ['second', t('second', 'seconde')],
        ],
      }),
      zoneParameter,
    ],
    examples: [example('2026-11-21', { part: 'weekday' }, 6), example('14:30', { part: 'minute' }, 30)],
    check: checkZone,
    apply: (args) => {
      const part = partNames.find((name) => name === args.text('part')) ?? 'year';
      return (input, step) => {
        const zone = zoneOf(args, step);
        return mapValue((value, row) => {
          const clock = typeof value === 'string' && value.length < 16 ? parseClock(value) : null;
          const wall = clock === null ? readWall(value, zone) : null;
          const isClock = part === 'hour' || part === 'minute' || part === 'second';
          if (!wall && (clock === null || !isClock)) return step.fail(row, 'notADate');
          const seconds = Math.floor((wall?.micros ?? clock ?? 0) / 1_000_000);
          const [number, day] = [wall?.number ?? 0, wall?.date ?? { year: 0, month: 1, day: 1 }];
          switch (part) {
            case 'year':
              return day.year;
            case 'quarter':
              return Math.ceil(day.month / 3);
            case 'month':
              return day.month;
            case 'week':
              return isoWeek(number).week;
            case 'day':
              return day.day;
            case 'weekday':
              return weekday(number);
            case 'hour':
              return Math.floor(seconds / 3600);
            case 'minute':
              return Math.floor(seconds / 60) % 60;
            case 'second':
              return seconds % 60;
          }
        })(input, step);
      };
    },
  }),
  define({
    id: 'isoWeek',
    label: t('ISO week', 'ISO-week'),
    help: t('Year and week, as 2026-W47.', 'Jaar en week, zoals 2026-W47.'),
    in: dateTypes,
    out: 'string',
    canFail: true,
    parameters: [zoneParameter],
    examples: [example('2026-11-21', {}, '2026-W47'), example('2027-01-01', {}, '2026-W53')],
    check: checkZone,
    apply: (args) =>
      mapWall(args, ({ number }) => {
        const { year, week } = isoWeek(number);
        return `${year}-W${String(week).padStart(2, '0')}`;
      }),
  }),
  define({
    id: 'period',
    label: t('Accounting period', 'Boekperiode'),
    help: t(
      'Year and period of the financial year (yyyyPP), or only the period (PP). A year that does not begin in January is named after the year in which it begins.',
      'Jaar en periode van het boekjaar (yyyyPP), of alleen de periode (PP). Een jaar dat niet in januari begint heet naar het jaar waarin het begint.',
    ),
    in: dateTypes,
    out: 'string',
    canFail: true,
    parameters: [
      parameter('format', 'string', t('Form', 'Vorm'), {
        default: 'yyyyPP',
        options: [
          ['yyyyPP', t('202611', '202611')],
          ['yyyy-PP', t('2026-11', '2026-11')],
          ['PP', t('11', '11')],
        ],
      }),
      parameter('fiscalStart', 'uint', t('First month', 'Eerste maand'), { default: 1 }),
      zoneParameter,
    ],
    examples: [example('2026-11-21', {}, '202611'), example('2026-03-01', { fiscalStart: 4 }, '202512')],
    check: (args) =>
      [...Array(12).keys()].includes((args.number('fiscalStart') ?? 1) - 1)
        ? checkZone(args)
        : { code: 'argTooLarge', params: { name: 'fiscalStart', max: 12 } },
    apply: (args) => {
      const [format, first] = [args.text('format'), args.number('fiscalStart') ?? 1];
      return mapWall(args, ({ date }) => {
        const period = ((date.month - first + 12) % 12) + 1;
        const year = date.month < first ? date.year - 1 : date.year;
        return format.replace('yyyy', String(year)).replace('PP', String(period).padStart(2, '0'));
      });
    },
  }),
  define({
    id: 'fromUnix',
    label: t('From Unix time', 'Uit Unix-tijd'),
    help: t(
      'Seconds or milliseconds since 1970 as a date-time.',
      'Seconden of milliseconden sinds 1970 als datum-tijd.',
    ),
    in: numberTypes,
    out: 'datetime',
    canFail: true,
    parameters: [unixUnit()],
    examples: [
      example(1_795_219_200, {}, '2026-11-21T00:00:00Z'),
      example(1500, { unit: 'ms' }, '1970-01-01T00:00:01.5Z'),
    ],
    apply: (args) => {
      const factor = args.text('unit') === 'ms' ? 1000 : 1_000_000;
      return mapValue((value, row, step) => {
        if (typeof value !== 'number') return step.fail(row, 'notANumber');
        const micros = Math.round(value * factor);
        const text = Number.isSafeInteger(micros) ? momentText(shift({ day: 0, micros: 0 }, micros)) : '';
        return text >= '1900' && text < '2100' ? text : step.fail(row, 'dateOutOfRange');
      });
    },
  }),
  define({
    id: 'toUnix',
    label: t('To Unix time', 'Naar Unix-tijd'),
    help: t('Seconds or milliseconds since 1970.', 'Seconden of milliseconden sinds 1970.'),
    in: ['datetime'],
    out: 'int',
    canFail: true,
    parameters: [unixUnit()],
    examples: [
      example('2026-11-21T00:00:00Z', {}, 1_795_219_200),
      example('1970-01-01T00:00:01.5Z', { unit: 'ms' }, 1500),
    ],
    apply: (args) => {
      const factor = args.text('unit') === 'ms' ? 1000 : 1;
      return mapValue((value, row, step) => {
        const moment = typeof value === 'string' ? parseMoment(value) : null;
        if (!moment) return step.fail(row, 'notADateTime');
        return Math.floor((moment.day * 86_400 + moment.micros / 1_000_000) * factor);
      });
    },
  }),
  define({
    id: 'fromExcelSerial',
    label: t('From spreadsheet number', 'Uit rekenbladgetal'),
    help: t(
      'The number that a spreadsheet keeps for a date; with a fraction it is a date-time on the clocks of the zone.',
      'Het getal dat een rekenblad voor een datum bewaart; met decimalen is het een datum-tijd op de klokken van de zone.',
    ),
    in: numberTypes,
    out: 'any',
    canFail: true,
    parameters: [
      parameter('system', 'uint', t('Counts from', 'Telt vanaf'), {
        default: 1900,
        options: [
          [1900, t('1900', '1900')],
          [1904, t('1904', '1904')],
        ],
      }),
      zoneParameter,
    ],
    examples: [example(46_347, {}, '2026-11-21'), example(46_347.5, { zone: 'UTC' }, '2026-11-21T12:00:00Z')],
    check: checkZone,
    apply: (args) => {
      const is1904 = args.number('system') === 1904;
      return (input, step) => {
        const zone = zoneOf(args, step);
        return mapValue((value, row) => {
          if (typeof value !== 'number' || value < 0) return step.fail(row, 'notANumber');
          const whole = Math.floor(value);
          // The 1900 system has a 29 February 1900 that never was.
          const day = is1904 ? whole - 24_107 : whole - (whole > 59 ? 25_569 : 25_568);
          if (day > 47_481 || (!is1904 && (whole === 60 || whole === 0)))
            return step.fail(row, 'dateOutOfRange');
          if (whole === value) return dateText(dayOf(day));
          const seconds = Math.round((value - whole) * 86_400);
          return momentText(fromZone(shift({ day, micros: 0 }, seconds * 1_000_000), zone));
        })(input, step);
      };
    },
  }),
];

function unixUnit() {
  return parameter('unit', 'string', t('Unit', 'Eenheid'), {
    default: 's',
    options: [
      ['s', t('seconds', 'seconden')],
      ['ms', t('milliseconds', 'milliseconden')],
    ],
  });
}
