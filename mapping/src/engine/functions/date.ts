import type { Value, ValueType } from '@sluice/contract';
import {
  addMonths,
  dateText,
  dayNumber,
  dayOf,
  endOf,
  fromZone,
  isZone,
  momentText,
  parseDay,
  parseMoment,
  startOf,
  toZone,
  type DateUnit,
  type Day,
} from '../civil.ts';
import type { Texts } from '../types.ts';
import {
  dateTypes,
  isEmpty,
  mapValue,
  parameter,
  t,
  type ArgProblem,
  type Args,
  type ColumnFunction,
  type Step,
} from './define.ts';

/** What the functions of dates and times share. */
export const zoneParameter = parameter(
  'zone',
  'string',
  t('Time zone (none = of the connector)', 'Tijdzone (geen = van de connector)'),
  {
    default: null,
  },
);
export const zoneOf = (args: Args, step: Step): string => args.text('zone') || step.facts.zone;
export const checkZone = (args: Args): ArgProblem | null =>
  args.text('zone') === '' || isZone(args.text('zone'))
    ? null
    : { code: 'unknownZone', params: { zone: args.text('zone') } };

const unitNames: Record<DateUnit, Texts> = {
  day: t('day', 'dag'),
  week: t('week', 'week'),
  month: t('month', 'maand'),
  quarter: t('quarter', 'kwartaal'),
  year: t('year', 'jaar'),
};
export const unitParameter = (units: readonly DateUnit[]) =>
  parameter('unit', 'string', t('Unit', 'Eenheid'), {
    options: units.map((unit) => [unit, unitNames[unit]]),
  });
export const units: readonly DateUnit[] = ['week', 'month', 'quarter', 'year'];
export const unitOf = (args: Args): DateUnit => (args.text('unit') || 'month') as DateUnit;

/** A date or date-time as the zone's clocks show it. */
export interface Wall {
  date: Day;
  number: number;
  micros: number;
  isMoment: boolean;
}

export function readWall(value: Value, zone: string): Wall | null {
  if (typeof value !== 'string') return null;
  const day = value.length === 10 ? parseDay(value) : null;
  if (day) return { date: day, number: dayNumber(day), micros: 0, isMoment: false };
  const moment = parseMoment(value);
  if (!moment) return null;
  const wall = toZone(moment, zone);
  return { date: dayOf(wall.day), number: wall.day, micros: wall.micros, isMoment: true };
}

const inRange = (text: string): boolean => text >= '1900-01-01' && text < '2100-01-01';

/** The same kind of value on another day: the clock stays where it was. */
function writeWall(wall: Wall, number: number, zone: string): string | null {
  const text = wall.isMoment
    ? momentText(fromZone({ day: number, micros: wall.micros }, zone))
    : dateText(dayOf(number));
  return inRange(text) ? text : null;
}

/** One date or date-time at a time, read in the zone. */
export function mapWall(
  args: Args,
  compute: (wall: Wall, zone: string, row: number, step: Step) => Value,
): ColumnFunction {
  return (input, step) => {
    const zone = zoneOf(args, step);
    return mapValue((value, row) => {
      const wall = readWall(value, zone);
      return wall ? compute(wall, zone, row, step) : step.fail(row, 'notADate');
    })(input, step);
  };
}

/** A shift by a number that may be a field. */
export function shifting(move: (wall: Wall, by: number) => number | null): (args: Args) => ColumnFunction {
  return (args) => (input, step) => {
    const amounts = step.operand('amount');
    return mapWall(args, (wall, zone, row) => {
      const by = amounts[row] ?? null;
      if (isEmpty(by)) return null;
      const number = typeof by === 'number' ? by : Number.NaN;
      if (!Number.isInteger(number) || Math.abs(number) > 100_000) return step.fail(row, 'notWhole');
      const moved = move(wall, number);
      return (moved === null ? null : writeWall(wall, moved, zone)) ?? step.fail(row, 'dateOutOfRange');
    })(input, step);
  };
}

export const monthsLater = (wall: Wall, months: number): number => dayNumber(addMonths(wall.date, months));

export function boundary(which: 'start' | 'end'): (args: Args) => ColumnFunction {
  return (args) => {
    const unit = unitOf(args);
    return mapWall(args, (wall, zone, row, step) => {
      const day = dayNumber((which === 'start' ? startOf : endOf)(wall.date, unit));
      const micros = which === 'start' ? 0 : 86_399_000_000;
      return writeWall({ ...wall, micros }, day, zone) ?? step.fail(row, 'dateOutOfRange');
    });
  };
}

/** The clock of a time, date or date-time in microseconds. */
export const anyTime: readonly ValueType[] = [...dateTypes, 'time'];
