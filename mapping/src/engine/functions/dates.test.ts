import { testFunctions } from '../test-support/cases.ts';
import { datePartFunctions } from './date-parts.ts';
import { dateTextFunctions } from './date-text.ts';
import { dateFunctions } from './dates.ts';

// The zone of the run is Europe/Amsterdam.
testFunctions([...dateFunctions, ...datePartFunctions, ...dateTextFunctions], {
  toDate: [
    ['2026-11-21T23:30:00Z', { zone: 'UTC' }, '2026-11-21'],
    ['2026-02-30', {}, '!notADate'],
    ['1899-12-31', {}, '!dateOutOfRange'],
    ['21-11-2026', { onError: 'empty' }, null],
  ],
  toDateTime: [
    ['2026-11-21', {}, '2026-11-20T23:00:00Z'],
    ['2026-11-21', { time: '25:00' }, '!notATime'],
    ['2026-03-29', { time: '02:30' }, '2026-03-29T01:30:00Z'],
  ],
  toTime: [
    ['2026-11-21T10:00:00Z', {}, '11:00'],
    ['24:00', {}, '!notATime'],
    ['2026-07-01T10:00:30.5Z', { zone: 'UTC' }, '10:00:30.5'],
  ],
  inZone: [
    ['2026-11-21T10:00:00Z', {}, '2026-11-21T11:00:00'],
    ['2026-11-21T10:00:00Z', { zone: 'Asia/Kathmandu' }, '2026-11-21T15:45:00'],
    ['2026-11-21T23:30:00Z', {}, '2026-11-22T00:30:00'],
  ],
  addDays: [
    ['2024-02-28', { amount: 1 }, '2024-02-29'],
    ['2026-11-21', { amount: 0.5 }, '!notWhole'],
    ['2099-12-31', { amount: 1 }, '!dateOutOfRange'],
  ],
  addMonths: [
    ['2024-01-31', { amount: 1 }, '2024-02-29'],
    ['2026-10-24T22:00:00Z', { amount: 1 }, '2026-11-24T23:00:00Z'],
    ['2026-11-21', { amount: null }, null],
  ],
  addYears: [
    ['2026-11-21', { amount: 10 }, '2036-11-21'],
    ['2026-11-21', { amount: 100 }, '!dateOutOfRange'],
    ['2023-02-28', { amount: 1 }, '2024-02-28'],
  ],
  addBusinessDays: [
    ['2026-11-21', { amount: 1 }, '2026-11-23'],
    ['2026-11-20', { amount: 5 }, '2026-11-27'],
    ['2026-11-20', { amount: 0 }, '2026-11-20'],
  ],
  startOf: [
    ['2026-11-21', { unit: 'quarter' }, '2026-10-01'],
    ['2026-11-21T10:00:00Z', { unit: 'year' }, '2025-12-31T23:00:00Z'],
    ['2026-11-22', { unit: 'week' }, '2026-11-16'],
  ],
  endOf: [
    ['2026-11-21', { unit: 'year' }, '2026-12-31'],
    ['2026-11-16', { unit: 'week' }, '2026-11-22'],
    ['2026-11-21T10:00:00Z', { unit: 'month' }, '2026-11-30T22:59:59Z'],
  ],
  dateDiff: [
    ['2024-02-29', { other: '2025-02-28', unit: 'year' }, 0],
    ['2026-11-21', { other: '2026-11-21', unit: 'day' }, 0],
    ['2026-01-01', { other: '2026-12-31', unit: 'quarter' }, 3],
  ],
  datePart: [
    ['2026-11-21', { part: 'quarter' }, 4],
    ['2026-11-21T23:30:00Z', { part: 'day' }, 22],
    ['2026-11-21', { part: 'week' }, 47],
    ['10:15:30', { part: 'year' }, '!notADate'],
  ],
  isoWeek: [
    ['2024-12-30', {}, '2025-W01'],
    ['2026-01-04', {}, '2026-W01'],
    ['2026-11-22T23:30:00Z', {}, '2026-W48'],
  ],
  period: [
    ['2026-11-21', { format: 'PP' }, '11'],
    ['2026-11-21', { format: 'yyyy-PP', fiscalStart: 7 }, '2026-05'],
    ['2026-01-01', {}, '202601'],
  ],
  fromUnix: [
    [0, {}, '1970-01-01T00:00:00Z'],
    [-1, {}, '1969-12-31T23:59:59Z'],
    [1e15, {}, '!dateOutOfRange'],
  ],
  toUnix: [
    ['1970-01-01T00:00:00Z', {}, 0],
    ['1969-12-31T23:59:59Z', {}, -1],
    ['2026-11-21T01:00:00+01:00', {}, 1_795_219_200],
  ],
  fromExcelSerial: [
    [1, {}, '1900-01-01'],
    [60, {}, '!dateOutOfRange'],
    [61, {}, '1900-03-01'],
    [1, { system: 1904 }, '1904-01-02'],
  ],
  earliest: [
    ['2026-11-21T00:00:00Z', { others: ['2026-11-20'] }, '2026-11-20'],
    ['2026-11-21', { others: ['x'] }, '!notADate'],
    ['2026-11-21', { others: ['2026-11-22', '2026-11-19', null] }, '2026-11-19'],
  ],
  latest: [
    ['2026-11-21T00:00:00Z', { others: ['2026-11-22'] }, '2026-11-22'],
    ['2026-11-21', { others: ['x'] }, '!notADate'],
    ['2026-11-21', { others: ['2026-11-22', null] }, '2026-11-22'],
  ],
  parseDate: [
    ['31-02-2026', {}, '!notADate'],
    ['1-2-69', { format: 'd-M-yy' }, '1969-02-01'],
    ['21 november 2026', { format: 'd MMMM yyyy' }, '2026-11-21'],
    ['Mar 3, 2026', { format: 'MMM d, yyyy' }, '2026-03-03'],
  ],
  parseDateTime: [
    ['21-11-2026', {}, '!notADateTime'],
    ['29-03-2026 02:30', {}, '2026-03-29T01:30:00Z'],
    ['2026-11-21 10:00:30.25', { format: 'yyyy-MM-dd HH:mm:ss.SSS', zone: 'UTC' }, '2026-11-21T10:00:30.25Z'],
  ],
  parseTime: [
    ['24:00', {}, '!notATime'],
    ['7:5', {}, '!notATime'],
    ['07:05:00', {}, '07:05'],
  ],
  formatDate: [
    ['2026-11-21', {}, '21-11-2026'],
    ['2026-03-01', { format: 'EEE d MMM yy', locale: 'en' }, 'Sun 1 Mar 26'],
    ['09:05', { format: "H 'uur' m" }, '9 uur 5'],
    ['2026-11-21T23:30:00Z', { format: 'dd/MM' }, '22/11'],
  ],
});
