import { describe, expect, it } from 'vitest';
import {
  clampDate,
  dateOnly,
  isCalendarDate,
  nilUuid,
  parseFieldBoolean,
  parseNumberOrZero,
  parseTableBoolean,
  parseTime,
  parseUuid,
} from './parse.ts';

describe('time', () => {
  it.each([
    ['9:05', '09:05', '[PARSE-01] [PARSE-04]'],
    ['09:05', '09:05', '[PARSE-01]'],
    ['23:59', '23:59', '[PARSE-01]'],
    ['09:05:59', '09:05:59', '[PARSE-02]'],
    ['9:05:59.1', '09:05:59.1', '[PARSE-03]'],
    ['09:05:59.123456', '09:05:59.123456', '[PARSE-03]'],
    [' 9:05 ', '09:05', ''],
  ])('%s is %s %s', (input, expected) => expect(parseTime(input)).toBe(expected));
  it.each(['9:60', '9:5', '24:00', '9', '', '09:05:60', '09:05:59.1234567', '09:05.5', '9:05 AM', '123:00'])(
    '[PARSE-01] [PARSE-02] [PARSE-03] %j is no time',
    (input) => expect(parseTime(input)).toBeNull(),
  );
});

describe('uuid', () => {
  it('[PARSE-05] the standard pattern is kept in lower case, anything else is the nil value', () => {
    expect(parseUuid(' 6F9619FF-8B86-D011-B42D-00CF4FC964FF ')).toBe('6f9619ff-8b86-d011-b42d-00cf4fc964ff');
    for (const bad of [
      '',
      'x',
      '6f9619ff8b86d011b42d00cf4fc964ff',
      '6f9619ff-8b86-d011-b42d-00cf4fc964fg',
      '{6f9619ff-8b86-d011-b42d-00cf4fc964ff}',
    ]) {
      expect(parseUuid(bad)).toBe(nilUuid);
    }
  });
});

describe('booleans', () => {
  it.each(['true', 'yes', 'ja', 'TRUE', ' Ja '])('[PARSE-06] in the table %j is true', (text) =>
    expect(parseTableBoolean(text)).toBe(true),
  );
  it.each(['false', 'no', 'nee', 'niet', 'NO'])('[PARSE-07] in the table %j is false', (text) =>
    expect(parseTableBoolean(text)).toBe(false),
  );
  it.each(['x', '', '1', '0', 'on'])('[PARSE-08] in the table %j is null', (text) =>
    expect(parseTableBoolean(text)).toBeNull(),
  );
  it.each(['', '  '])('[PARSE-09] as a field value %j is false', (text) =>
    expect(parseFieldBoolean(text)).toBe(false),
  );
  it.each(['no', 'off', 'n', '0', 'nee', 'niet', 'nein', 'non', 'normal', '0.5', 'Official', 'NO'])(
    '[PARSE-10] as a field value %j begins with a word for false',
    (text) => expect(parseFieldBoolean(text)).toBe(false),
  );
  it.each(['x', '1', 'on', 'yes', 'true'])('[PARSE-11] as a field value %j is true', (text) =>
    expect(parseFieldBoolean(text)).toBe(true),
  );
  it('the exact text false and JSON false are false: the one deliberate deviation', () => {
    expect(parseFieldBoolean('false')).toBe(false);
    expect(parseFieldBoolean('False')).toBe(false);
    expect(parseFieldBoolean(false)).toBe(false);
    expect(parseFieldBoolean('falsey')).toBe(true);
  });
});

describe('dates and numbers', () => {
  it('[PARSE-12] dates outside the bounds become the bound', () => {
    expect(clampDate('1850-01-01')).toBe('1900-01-01');
    expect(clampDate('1899-12-31')).toBe('1900-01-01');
    expect(clampDate('2150-01-01')).toBe('2099-12-31');
    expect(clampDate('2024-02-29')).toBe('2024-02-29');
  });
  it('[PARSE-13] text that is no number is 0', () => {
    expect(['abc', '', 'NaN', 'Infinity', '1,5'].map(parseNumberOrZero)).toEqual([0, 0, 0, 0, 0]);
    expect(['12', ' -1.5 ', '1e3'].map(parseNumberOrZero)).toEqual([12, -1.5, 1000]);
  });
  it('[PARSE-14] the date-only form keeps the first 10 characters', () => {
    expect(dateOnly('2024-05-06T07:08')).toBe('2024-05-06');
    expect(dateOnly('2024')).toBe('2024');
  });
  it('knows the calendar', () => {
    expect(['2024-02-29', '2000-02-29', '2026-12-31'].every(isCalendarDate)).toBe(true);
    expect(
      ['2026-02-29', '1900-02-29', '2026-02-31', '2026-13-01', '2026-00-10', '2026-1-1', '2026-04-31'].some(
        isCalendarDate,
      ),
    ).toBe(false);
  });
});
