import { testFunctions } from '../test-support/cases.ts';
import { numberTextFunctions } from './number-text.ts';
import { numberFunctions } from './number.ts';

testFunctions([...numberFunctions, ...numberTextFunctions], {
  toNumber: [
    ['1.5', {}, '!notANumber'],
    ['-1.234.567,8', {}, -1234567.8],
    ['12,5-', {}, -12.5],
    ['1\u202f234,5', { group: ' ' }, 1234.5],
    ['abc', { onError: '0' }, 0],
    ['12345678901234567,89', {}, '12345678901234567.89'],
  ],
  toInt: [
    ['1.5', {}, '!notWhole'],
    ['-2.7', { mode: 'trunc' }, -2],
    ['1e5', {}, '!notANumber'],
    ['9007199254740993', {}, '!outOfRange'],
    [true, {}, 1],
    ['x', { onError: 'empty' }, null],
  ],
  toUint: [
    [-1, {}, '!negative'],
    ['12', {}, 12],
    [1.5, {}, '!notWhole'],
    ['twaalf', {}, '!notANumber'],
    [0, {}, 0],
  ],
  formatNumber: [
    [-1234567.891, { decimals: 2, decimal: '.', group: ',' }, '-1,234,567.89'],
    [2, { decimals: 2 }, '2,00'],
    ['12345678901234567.89', {}, '12345678901234567,89'],
  ],
  round: [
    [-2.5, {}, -3],
    [2.675, { decimals: 2 }, 2.68],
    [1250, { decimals: -2 }, 1300],
  ],
  floor: [
    [-1.01, {}, -2],
    [5, {}, 5],
    ['1.999999999999999999', {}, 1],
  ],
  ceil: [
    [1.0001, {}, 2],
    [5, {}, 5],
    [-0.5, {}, 0],
  ],
  trunc: [
    [1.9, {}, 1],
    [-1.29, { decimals: 1 }, -1.2],
    [0, {}, 0],
  ],
  abs: [
    ['-12345678901234567.5', {}, '12345678901234567.5'],
    [0, {}, 0],
    [-0.1, {}, 0.1],
  ],
  negate: [
    [0, {}, 0],
    ['12345678901234567.5', {}, '-12345678901234567.5'],
    [-7, {}, 7],
  ],
  sign: [
    [12, {}, 1],
    ['-0.00000000000000001', {}, -1],
    [-1e300, {}, -1],
  ],
  add: [
    [1e15, { other: 0.1 }, '1000000000000000.1'],
    [1, { other: 'x' }, '!notANumber'],
    ['0.1', { other: '0.2' }, 0.3],
  ],
  subtract: [
    [1, { other: 0.9 }, 0.1],
    [5, { other: 5 }, 0],
    ['12345678901234567.5', { other: 0.5 }, '12345678901234567'],
  ],
  multiply: [
    [0.07, { other: 100 }, 7],
    [123456789.12, { other: 1.21 }, 149382714.8352],
    [5, { other: 0 }, 0],
  ],
  divide: [
    [10, { other: 4 }, 2.5],
    [1, { other: 0 }, '!divisionByZero'],
    [-1, { other: 8 }, -0.125],
  ],
  modulo: [
    [-7, { other: 3 }, -1],
    [1, { other: 0 }, '!divisionByZero'],
    [0.3, { other: 0.1 }, 0],
  ],
  min: [
    [5, { others: [null] }, 5],
    ['0.5', { others: [0.4] }, 0.4],
    [[], {}, null],
    [-1, { others: ['x'] }, '!notANumber'],
  ],
  max: [
    [5, { others: [null] }, 5],
    ['0.5', { others: [0.4] }, '0.5'],
    [[1, null, 3], {}, 3],
    [-1, { others: ['x'] }, '!notANumber'],
  ],
  clamp: [
    [5, { low: 0, high: 10 }, 5],
    [5, {}, 5],
    ['0.5', { low: 1 }, 1],
  ],
  percentage: [
    [1, { other: 0 }, '!divisionByZero'],
    [0.1, { other: 0.3, decimals: 0 }, 33],
    [-1, { other: 4 }, -25],
  ],
  toBase: [
    [-255, {}, '-ff'],
    [1.5, {}, '!notWhole'],
    [35, { base: 36 }, 'z'],
  ],
  fromBase: [
    ['FF', {}, 255],
    ['12', { base: 2 }, '!notANumber'],
    ['-z', { base: 36 }, -35],
  ],
});
