import { clockText, dateText, fromZone, momentText, parseClock, weekday } from '../civil.ts';
import { convertScalar } from '../convert.ts';
import {
  boundary,
  checkZone,
  mapWall,
  monthsLater,
  readWall,
  shifting,
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
  parameter,
  t,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('date', definition);

const amount = parameter('amount', 'int', t('How many', 'Hoeveel'), { canBeField: true });
const ams = { zone: 'Europe/Amsterdam' };

export const dateFunctions: readonly FunctionEntry[] = [
  define({
    id: 'toDate',
    label: t('To date', 'Naar datum'),
    help: t(
      'The calendar day of a date-time in a time zone; text in the form YYYY-MM-DD.',
      'De kalenderdag van een datum-tijd in een tijdzone; tekst in de vorm JJJJ-MM-DD.',
    ),
    in: [...dateTypes, 'string', 'unknown'],
    out: 'date',
    canFail: true,
    parameters: [zoneParameter],
    examples: [example('2026-11-21T23:30:00Z', ams, '2026-11-22'), example('2026-11-21', {}, '2026-11-21')],
    check: checkZone,
    apply: (args) => (input, step) => {
      const zone = zoneOf(args, step);
      return mapValue((value, row) => {
        const converted = convertScalar(value, 'date', zone);
        return converted.isOk ? converted.value : step.fail(row, converted.code);
      })(input, step);
    },
  }),
  define({
    id: 'toDateTime',
    label: t('To date-time', 'Naar datum-tijd'),
    help: t('A day with a time on the clocks of a zone.', 'Een dag met een tijd op de klokken van een zone.'),
    in: [...dateTypes, 'string', 'unknown'],
    out: 'datetime',
    canFail: true,
    parameters: [
      parameter('time', 'time', t('Time', 'Tijd'), { default: '00:00', canBeField: true }),
      zoneParameter,
    ],
    examples: [
      example('2026-07-01', { time: '12:00', ...ams }, '2026-07-01T10:00:00Z'),
      example('2026-11-21T10:00:00+01:00', {}, '2026-11-21T09:00:00Z'),
    ],
    check: checkZone,
    apply: (args) => (input, step) => {
      const zone = zoneOf(args, step);
      const times = step.operand('time');
      return mapValue((value, row) => {
        const wall = readWall(value, zone);
        if (!wall) return step.fail(row, 'notADate');
        const time = times[row] ?? null;
        const clock = isEmpty(time) ? 0 : typeof time === 'string' ? parseClock(time) : null;
        if (clock === null) return step.fail(row, 'notATime');
        if (!wall.isMoment) return momentText(fromZone({ day: wall.number, micros: clock }, zone));
        const converted = convertScalar(value, 'datetime', zone);
        return converted.isOk ? converted.value : step.fail(row, converted.code);
      })(input, step);
    },
  }),
  define({
    id: 'toTime',
    label: t('To time', 'Naar tijd'),
    help: t('The time that the clocks of a zone show.', 'De tijd die de klokken van een zone aangeven.'),
    in: ['datetime', 'time', 'string', 'unknown'],
    out: 'time',
    canFail: true,
    parameters: [zoneParameter],
    examples: [example('2026-07-01T10:00:00Z', ams, '12:00'), example('9:05', {}, '09:05')],
    check: checkZone,
    apply: (args) => (input, step) => {
      const zone = zoneOf(args, step);
      return mapValue((value, row) => {
        const converted = convertScalar(value, 'time', zone);
        return converted.isOk ? converted.value : step.fail(row, converted.code);
      })(input, step);
    },
  }),
  define({
    id: 'inZone',
    label: t('Clock of a zone', 'Klok van een zone'),
    help: t(
      'A date-time as text on the clocks of a zone.',
      'Een datum-tijd als tekst op de klokken van een zone.',
    ),
    in: ['datetime'],
    out: 'string',
    parameters: [zoneParameter],
    examples: [
      example('2026-07-01T10:00:00Z', ams, '2026-07-01T12:00:00'),
      example('2026-07-01T10:00:00Z', { zone: 'UTC' }, '2026-07-01T10:00:00'),
    ],
    check: checkZone,
    apply: (args) => mapWall(args, ({ date, micros }) => `${dateText(date)}T${clockText(micros, true)}`),
  }),
  define({
    id: 'addDays',
    label: t('Add days', 'Dagen optellen'),
    help: t('So many days later; negative is earlier.', 'Zoveel dagen later; negatief is eerder.'),
    in: dateTypes,
    out: 'input',
    canFail: true,
    parameters: [amount, zoneParameter],
    examples: [
      example('2026-12-31', { amount: 1 }, '2027-01-01'),
      example('2026-03-28T11:00:00Z', { amount: 1, ...ams }, '2026-03-29T10:00:00Z'),
    ],
    check: checkZone,
    apply: shifting((wall, by) => wall.number + by),
  }),
  define({
    id: 'addMonths',
    label: t('Add months', 'Maanden optellen'),
    help: t(
      'So many months later; the last day of a shorter month.',
      'Zoveel maanden later; de laatste dag van een kortere maand.',
    ),
    in: dateTypes,
    out: 'input',
    canFail: true,
    parameters: [amount, zoneParameter],
    examples: [
      example('2026-01-31', { amount: 1 }, '2026-02-28'),
      example('2026-01-31', { amount: -2 }, '2025-11-30'),
    ],
    check: checkZone,
    apply: shifting(monthsLater),
  }),
  define({
    id: 'addYears',
    label: t('Add years', 'Jaren optellen'),
    help: t('So many years later.', 'Zoveel jaren later.'),
    in: dateTypes,
    out: 'input',
    canFail: true,
    parameters: [amount, zoneParameter],
    examples: [
      example('2024-02-29', { amount: 1 }, '2025-02-28'),
      example('2026-11-21', { amount: -1 }, '2025-11-21'),
    ],
    check: checkZone,
    apply: shifting((wall, by) => monthsLater(wall, by * 12)),
  }),
  define({
    id: 'addBusinessDays',
    label: t('Add working days', 'Werkdagen optellen'),
    help: t(
      'So many days later, without Saturdays and Sundays.',
      'Zoveel dagen later, zonder zaterdagen en zondagen.',
    ),
    in: dateTypes,
    out: 'input',
    canFail: true,
    parameters: [amount, zoneParameter],
    examples: [
      example('2026-11-20', { amount: 1 }, '2026-11-23'),
      example('2026-11-23', { amount: -1 }, '2026-11-20'),
    ],
    check: checkZone,
    apply: shifting((wall, by) => {
      let [number, left] = [wall.number, Math.abs(by)];
      while (left > 0) {
        number += Math.sign(by);
        if (weekday(number) < 6) left -= 1;
      }
      return number;
    }),
  }),
  define({
    id: 'startOf',
    label: t('Start of', 'Begin van'),
    help: t(
      'The first day of the week, month, quarter or year.',
      'De eerste dag van de week, maand, het kwartaal of jaar.',
    ),
    in: dateTypes,
    out: 'input',
    canFail: true,
    parameters: [unitParameter(units), zoneParameter],
    examples: [
      example('2026-11-21', { unit: 'month' }, '2026-11-01'),
      example('2026-11-21', { unit: 'week' }, '2026-11-16'),
    ],
    check: checkZone,
    apply: boundary('start'),
  }),
  define({
    id: 'endOf',
    label: t('End of', 'Eind van'),
    help: t(
      'The last day of the week, month, quarter or year.',
      'De laatste dag van de week, maand, het kwartaal of jaar.',
    ),
    in: dateTypes,
    out: 'input',
    canFail: true,
    parameters: [unitParameter(units), zoneParameter],
    examples: [
      example('2024-02-10', { unit: 'month' }, '2024-02-29'),
      example('2026-11-21', { unit: 'quarter' }, '2026-12-31'),
    ],
    check: checkZone,
    apply: boundary('end'),
  }),
  define({
    id: 'earliest',
    label: t('Earliest', 'Vroegste'),
    help: t('The earliest of the date and others.', 'De vroegste van de datum en andere.'),
    in: dateTypes,
    out: 'input',
    parameters: [othersParameter()],
    examples: [
      example('2026-11-21', { others: ['2026-01-01'] }, '2026-01-01'),
      example('2026-11-21', { others: [null] }, '2026-11-21'),
    ],
    apply: extreme(-1),
  }),
  define({
    id: 'latest',
    label: t('Latest', 'Laatste'),
    help: t('The latest of the date and others.', 'De laatste van de datum en andere.'),
    in: dateTypes,
    out: 'input',
    parameters: [othersParameter()],
    examples: [
      example('2026-11-21', { others: ['2026-12-01'] }, '2026-12-01'),
      example('2026-11-21', { others: [] }, '2026-11-21'),
    ],
    apply: extreme(1),
  }),
];

function othersParameter() {
  return parameter('others', 'date', t('Other dates', 'Andere datums'), { canBeField: true, list: 'values' });
}

function extreme(wanted: 1 | -1): FunctionEntry['apply'] {
  return () => (input, step) => {
    const others = step.operands('others');
    const { zone } = step.facts;
    return mapValue((value, row) => {
      let best = readWall(value, zone);
      if (!best) return step.fail(row, 'notADate');
      let text = value;
      for (const column of others) {
        const item = column[row] ?? null;
        if (isEmpty(item)) continue;
        const other = readWall(item, zone);
        if (!other) return step.fail(row, 'notADate');
        const order = other.number - best.number || other.micros - best.micros;
        if (order * wanted > 0) [best, text] = [other, item];
      }
      return text;
    })(input, step);
  };
}
