import type { DataType, FieldDescriptor, Value } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillSeries, isSeriesUsual } from './series.ts';

const field = (dataType: DataType, more: Partial<FieldDescriptor> = {}): FieldDescriptor =>
  fieldOf('f', { name: 'F', dataType, ...more });

const next = (values: readonly Value[], dataType: DataType, count = 3): Value[] => {
  const series = fillSeries(values, field(dataType), true);
  return Array.from({ length: count }, (_, i) => series(values.length + i));
};

describe('fill series', () => {
  it('numbers go on at their distance, in exact decimals', () => {
    expect(next([1, 2], 'int')).toEqual([3, 4, 5]);
    expect(next([5], 'int')).toEqual([6, 7, 8]);
    expect(next([0.1, 0.2], 'float64')).toEqual([0.3, 0.4, 0.5]);
    expect(next(['9007199254740993.10', '9007199254740993.20'], 'float64')).toEqual([
      '9007199254740993.3',
      '9007199254740993.4',
      '9007199254740993.5',
    ]);
  });

  it('a series goes backwards before its first value; an unsigned number never below zero', () => {
    const series = fillSeries([2, 1], field('uint'), true);
    expect([series(2), series(3)]).toEqual([0, null]);
    expect(fillSeries([10, 20], field('int'), true)(-1)).toBe(0);
  });

  it('dates go on by days, by months of the same day, and keep the time of day', () => {
    expect(next(['2026-02-27'], 'date')).toEqual(['2026-02-28', '2026-03-01', '2026-03-02']);
    expect(next(['2026-01-05', '2026-01-12'], 'date', 2)).toEqual(['2026-01-19', '2026-01-26']);
    expect(next(['2025-11-30', '2025-12-30'], 'date')).toEqual(['2026-01-30', '2026-02-28', '2026-03-30']);
    expect(next(['2026-01-05T09:30:00Z'], 'datetime', 1)).toEqual(['2026-01-06T09:30:00Z']);
  });

  it('a text with a number at its end counts on and keeps its zeros', () => {
    expect(next(['BIN-009'], 'string')).toEqual(['BIN-010', 'BIN-011', 'BIN-012']);
    expect(next(['Rack 2', 'Rack 4'], 'string', 2)).toEqual(['Rack 6', 'Rack 8']);
  });

  it('values without an order repeat, and so do options', () => {
    expect(next(['a', 'b'], 'string')).toEqual(['a', 'b', 'a']);
    expect(next([1, 2, 4], 'int')).toEqual([1, 2, 4]);
    expect(next([true, null], 'bool')).toEqual([true, null, true]);
    const options = field('int', { options: [{ value: 1 }, { value: 2 }] });
    expect(fillSeries([1], options, true)(1)).toBe(1);
  });

  it('a lone number is copied unless one asks for the series; a lone date counts on', () => {
    expect(isSeriesUsual([5], field('int'))).toBe(false);
    expect(isSeriesUsual([5, 6], field('int'))).toBe(true);
    expect(isSeriesUsual(['2026-01-01'], field('date'))).toBe(true);
    expect(isSeriesUsual(['abc'], field('string'))).toBe(false);
  });

  it('always gives back the values it was made of, whatever they are', () => {
    const value = fc.oneof(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.constant(null),
      fc
        .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
      fc.stringMatching(/^[a-z]{0,3}\d{0,4}$/),
    );
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 6 }),
        fc.constantFrom<DataType>('int', 'float64', 'date', 'string'),
        fc.boolean(),
        (values, dataType, isSeries) => {
          const series = fillSeries(values, field(dataType), isSeries);
          expect(values.map((_, i) => series(i))).toEqual(values);
        },
      ),
    );
  });
});
