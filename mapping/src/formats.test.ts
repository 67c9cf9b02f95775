import { numberFormats, shortDateFormats } from '@sluice/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultNumberFormat,
  formatDate,
  formatFullDate,
  formatNumber,
  fromUtc,
  parseFormattedDate,
  parseFormattedNumber,
  toUtc,
} from './formats.ts';

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('dates', () => {
  it('[FMT-01] each of the nine formats shows the sixth of May 2024', () => {
    expect(shortDateFormats.map((format) => formatDate('2024-05-06', format))).toEqual([
      '06-05-2024',
      '06/05/2024',
      '06/5/24',
      '05/06/24',
      '05/06/2024',
      '06.05.2024',
      '2024/5/06',
      '2024.05.06',
      '2024-05-06',
    ]);
  });
  it('[FMT-07] what a format shows with four digits of year reads back as the same day', () => {
    const full = shortDateFormats.filter((format) => format.includes('yyyy'));
    fc.assert(
      fc.property(day, fc.constantFrom(...full), (date, format) => {
        expect(parseFormattedDate(formatDate(date, format), format)).toBe(date);
      }),
    );
  });
  it('[FMT-06] the full date is written out in the language, shorter, or ISO, and the day is the same everywhere', () => {
    expect(formatFullDate('2024-05-06', 'long', 'NL')).toBe('maandag 6 mei 2024');
    expect(formatFullDate('2024-05-06', 'long', 'EN')).toBe('Monday 6 May 2024');
    expect(formatFullDate('2024-05-06', 'medium', 'NL')).toBe('6 mei 2024');
    expect(formatFullDate('2024-05-06', 'medium', 'EN')).toBe('6 May 2024');
    expect(formatFullDate('2024-05-06', 'iso', 'NL')).toBe('2024-05-06');
    expect(formatFullDate('1900-01-01', 'long', 'EN')).toBe('Monday 1 January 1900');
    expect(formatFullDate('unknown', 'long', 'EN')).toBe('unknown');
  });
  it('two digits of year are 1969 to 2068, and the order of day and month is never guessed', () => {
    expect(parseFormattedDate('06/5/24', 'dd/m/yy')).toBe('2024-05-06');
    expect(parseFormattedDate('06/5/69', 'dd/m/yy')).toBe('1969-05-06');
    expect(parseFormattedDate('06/5/68', 'dd/m/yy')).toBe('2068-05-06');
    expect(parseFormattedDate('05/06/2024', 'mm/dd/yyyy')).toBe('2024-05-06');
    expect(parseFormattedDate('05/06/2024', 'dd/mm/yyyy')).toBe('2024-06-05');
    expect(parseFormattedDate('13/06/2024', 'mm/dd/yyyy')).toBe('2024-13-06');
  });
  it('the ISO form is understood in every format', () => {
    for (const format of shortDateFormats)
      expect(parseFormattedDate('2024-05-06', format)).toBe('2024-05-06');
  });
  it.each(['', 'today', '06-05', '2024', '1-2-3-4', '6 May 2024'])('%j is no date', (text) =>
    expect(parseFormattedDate(text, 'dd-mm-yyyy')).toBeNull(),
  );
});

describe('numbers', () => {
  it('[FMT-02] each of the five formats shows 1234567.89', () => {
    expect(numberFormats.map((format) => formatNumber(1_234_567.89, format))).toEqual([
      '1,234,567.89',
      '1.234.567,89',
      '1\u202f234\u202f567,89',
      '1\u202f234\u202f567.89',
      '1\u2019234\u2019567.89',
    ]);
  });
  it('[DATA-11] a number that is not to be formatted has no grouping in any format', () => {
    for (const format of numberFormats) expect(formatNumber(2024, format, { isGrouped: false })).toBe('2024');
  });
  it('[FMT-03] [FMT-04] [FMT-05] the default follows the browser language', () => {
    expect(['en-US', 'en-GB', 'en-CA'].map(defaultNumberFormat)).toEqual([
      'commaSeparated',
      'commaSeparated',
      'commaSeparated',
    ]);
    expect(['gsw-CH', 'de-CH'].map(defaultNumberFormat)).toEqual(['gsw-CH', 'gsw-CH']);
    expect(['nl-NL', 'de-DE', 'en-AU', 'fr-CH'].map(defaultNumberFormat)).toEqual([
      'dotSeparated',
      'dotSeparated',
      'dotSeparated',
      'dotSeparated',
    ]);
  });
  it('a scale pads and never rounds', () => {
    expect(formatNumber(5, 'dotSeparated', { scale: 2 })).toBe('5,00');
    expect(formatNumber(5.125, 'dotSeparated', { scale: 2 })).toBe('5,125');
    expect(formatNumber('12345678901234567890.10', 'commaSeparated', { scale: 2 })).toBe(
      '12,345,678,901,234,567,890.10',
    );
  });
  it('[FMT-07] typed numbers are read in the chosen format, and a wrong grouping is no number rather than another one', () => {
    expect(parseFormattedNumber('1.234,5', 'dotSeparated')).toBe('1234.5');
    expect(parseFormattedNumber('1.5', 'dotSeparated')).toBeNull();
    expect(parseFormattedNumber('1.234', 'dotSeparated')).toBe('1234');
    expect(parseFormattedNumber('1,234.5', 'commaSeparated')).toBe('1234.5');
    expect(parseFormattedNumber("1'234.5", 'gsw-CH')).toBe('1234.5');
    expect(parseFormattedNumber('1 234,5', 'si-style-FR')).toBe('1234.5');
    expect(parseFormattedNumber('-,5', 'dotSeparated')).toBe('-0.5');
    expect(parseFormattedNumber('1e3', 'commaSeparated')).toBe('1000');
    for (const bad of ['', 'abc', '1,2,3', '1.23.456', '--1', '1,', ',']) {
      expect([null, '1'], bad).toContain(parseFormattedNumber(bad, 'dotSeparated'));
    }
  });
  it('[FMT-07] what a format shows reads back as the same number', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
        fc.constantFrom(...numberFormats),
        (value, format) => {
          expect(Number(parseFormattedNumber(formatNumber(value, format), format))).toBe(
            value === 0 ? 0 : value,
          );
        },
      ),
    );
  });
});

describe('dates with a time', () => {
  const zones = [
    'Europe/Amsterdam',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'UTC',
    'America/St_Johns',
  ];
  it('go to UTC and back in any zone', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 1439 }), fc.constantFrom(...zones), (date, minute, zone) => {
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const utc = toUtc(date, time, zone);
        const back = fromUtc(utc, zone);
        // An hour that a clock skipped comes back later; everything else comes back as it was.
        expect(toUtc(back?.date ?? '', back?.time ?? '', zone)).toBe(utc);
      }),
    );
  });
  it('know summer time', () => {
    expect(toUtc('2026-01-15', '12:00', 'Europe/Amsterdam')).toBe('2026-01-15T11:00:00Z');
    expect(toUtc('2026-07-15', '12:00', 'Europe/Amsterdam')).toBe('2026-07-15T10:00:00Z');
    expect(fromUtc('2026-07-15T22:30:00Z', 'Europe/Amsterdam')).toEqual({
      date: '2026-07-16',
      time: '00:30',
    });
  });
});
