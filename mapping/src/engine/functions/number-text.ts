import { mapAmount, places } from './number.ts';
import { formatAmount, isAmount, round } from '../amount.ts';
import { convertScalar } from '../convert.ts';
import type { Texts } from '../types.ts';
import {
  define as entry,
  example,
  mapText,
  mapValue,
  numberTypes,
  parameter,
  t,
  textTypes,
  type Args,
  type ColumnFunction,
  type FunctionEntry,
} from './define.ts';
import { readNumber } from './read-number.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('number', definition);

const signs: [string, Texts][] = [
  ['.', t('point', 'punt')],
  [',', t('comma', 'komma')],
];
const groups: [string, Texts][] = [
  ['', t('none', 'geen')],
  ['.', t('point', 'punt')],
  [',', t('comma', 'komma')],
  [' ', t('space', 'spatie')],
  ["'", t('apostrophe', 'apostrof')],
];
const sameSign = (args: Args) =>
  args.text('group') !== '' && args.text('group') === args.text('decimal')
    ? { code: 'sameSeparators', params: {} }
    : null;

export const numberTextFunctions: readonly FunctionEntry[] = [
  define({
    id: 'toNumber',
    label: t('Text to number', 'Tekst naar getal'),
    help: t(
      'Reads a number as it is written with the given decimal sign; it never guesses.',
      'Leest een getal zoals het met het gegeven decimaalteken geschreven is; er wordt nooit gegokt.',
    ),
    in: [...textTypes, ...numberTypes],
    out: 'float64',
    canFail: true,
    parameters: [
      parameter('decimal', 'string', t('Decimal sign', 'Decimaalteken'), {
        options: signs,
        default: ',',
      }),
      parameter('group', 'string', t('Grouping', 'Groepering'), { options: groups, default: '.' }),
    ],
    examples: [example('1.234,50', {}, 1234.5), example('1,234.50', { decimal: '.', group: ',' }, 1234.5)],
    check: sameSign,
    apply: (args) => {
      const [decimal, group] = [args.text('decimal'), args.text('group')];
      return mapValue((value, row, step) =>
        typeof value === 'number'
          ? value
          : ((typeof value === 'string' ? readNumber(value, decimal, group) : null) ??
            step.fail(row, 'notANumber')),
      );
    },
  }),
  define({
    id: 'toInt',
    label: t('To whole number', 'Naar geheel getal'),
    help: t(
      'A whole number; what has decimals fails, is cut off or rounded. Text is read in its plain form (-12).',
      'Een geheel getal; wat decimalen heeft mislukt, wordt afgekapt of afgerond. Tekst in gewone vorm (-12).',
    ),
    in: ['any'],
    out: 'int',
    canFail: true,
    parameters: [
      parameter('mode', 'string', t('Decimals', 'Decimalen'), {
        default: 'exact',
        options: [
          ['exact', t('fail', 'mislukken')],
          ['trunc', t('cut off', 'afkappen')],
          ['round', t('round', 'afronden')],
        ],
      }),
    ],
    examples: [example('42', {}, 42), example(2.5, { mode: 'round' }, 3)],
    apply: (args) => toInteger(args.text('mode'), 'int'),
  }),
  define({
    id: 'toUint',
    label: t('To whole number, at least 0', 'Naar geheel getal, minstens 0'),
    help: t('A whole number; a negative one fails.', 'Een geheel getal; een negatief getal mislukt.'),
    in: ['any'],
    out: 'uint',
    canFail: true,
    examples: [example('42', {}, 42), example(7, {}, 7)],
    apply: () => toInteger('exact', 'uint'),
  }),
  define({
    id: 'formatNumber',
    label: t('Number to text', 'Getal naar tekst'),
    help: t(
      'Writes a number with so many decimals, a decimal sign and grouping.',
      'Schrijft een getal met zoveel decimalen, een decimaalteken en groepering.',
    ),
    in: numberTypes,
    out: 'string',
    parameters: [
      parameter(
        'decimals',
        'int',
        t('Decimals (none = as many as there are)', 'Decimalen (geen = zoveel als er zijn)'),
        { default: null },
      ),
      parameter('decimal', 'string', t('Decimal sign', 'Decimaalteken'), {
        options: signs,
        default: ',',
      }),
      parameter('group', 'string', t('Grouping', 'Groepering'), { options: groups, default: '' }),
    ],
    examples: [
      example(1234.5, { decimals: 2, group: '.' }, '1.234,50'),
      example(0.5, { decimal: '.' }, '0.5'),
    ],
    check: sameSign,
    apply: (args) => {
      const [decimal, group] = [args.text('decimal'), args.text('group')];
      const digits = args.number('decimals') === null ? null : places(args);
      return mapAmount((amount) => formatAmount(amount, digits, decimal, group));
    },
  }),
  define({
    id: 'toBase',
    label: t('To other base', 'Naar ander talstelsel'),
    help: t('A whole number in base 2 to 36.', 'Een geheel getal in talstelsel 2 tot 36.'),
    in: ['int', 'uint', 'nonFormattableInt', 'float64'],
    out: 'string',
    canFail: true,
    parameters: [parameter('base', 'uint', t('Base', 'Talstelsel'), { default: 16 })],
    examples: [example(255, {}, 'ff'), example(5, { base: 2 }, '101')],
    check: checkBase,
    apply: (args) => {
      const base = baseOf(args);
      return mapValue((value, row, step) =>
        typeof value === 'number' && Number.isSafeInteger(value)
          ? value.toString(base)
          : step.fail(row, 'notWhole'),
      );
    },
  }),
  define({
    id: 'fromBase',
    label: t('From other base', 'Uit ander talstelsel'),
    help: t('Reads a whole number in base 2 to 36.', 'Leest een geheel getal in talstelsel 2 tot 36.'),
    in: textTypes,
    out: 'int',
    canFail: true,
    parameters: [parameter('base', 'uint', t('Base', 'Talstelsel'), { default: 16 })],
    examples: [example('ff', {}, 255), example('101', { base: 2 }, 5)],
    check: checkBase,
    apply: (args) => {
      const base = baseOf(args);
      const digits = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, base);
      const pattern = new RegExp(`^-?[${digits}]+$`, 'i');
      return mapText((text, row, step) => {
        const value = pattern.test(text.trim()) ? Number.parseInt(text.trim(), base) : Number.NaN;
        return Number.isSafeInteger(value) ? value : step.fail(row, 'notANumber');
      });
    },
  }),
];

function baseOf(args: Args): number {
  const base = Math.trunc(args.number('base') ?? 16);
  return base >= 2 && base <= 36 ? base : 16;
}
function checkBase(args: Args) {
  const base = args.number('base') ?? 16;
  return base >= 2 && base <= 36 ? null : { code: 'argTooLarge', params: { name: 'base', max: 36 } };
}

function toInteger(mode: string, type: 'int' | 'uint'): ColumnFunction {
  return mapValue((value, row, step) => {
    const amount = typeof value === 'string' ? value.trim() : value;
    const rounded =
      mode !== 'exact' && isAmount(amount) ? round(amount, 0, mode === 'trunc' ? 'trunc' : 'halfUp') : value;
    const converted =
      typeof rounded === 'boolean'
        ? ({ isOk: true, value: rounded ? 1 : 0 } as const)
        : convertScalar(rounded, type, 'UTC');
    return converted.isOk ? converted.value : step.fail(row, converted.code);
  });
}
