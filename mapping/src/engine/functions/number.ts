import { newColumn } from '../column.ts';
import type { Value } from '@sluice/contract';
import {
  add,
  compareAmounts,
  divide,
  isAmount,
  modulo,
  multiply,
  negate,
  round,
  subtract,
  type Amount,
  type RoundingMode,
} from '../amount.ts';
import {
  define as entry,
  example,
  isEmpty,
  mapValue,
  numberTypes,
  parameter,
  t,
  type Args,
  type ColumnFunction,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('number', definition);

/** One number at a time; a loop of its own, because it is the commonest one after text. */
export function mapAmount(compute: (amount: Amount) => Value): ColumnFunction {
  return (input, step) => {
    const out = newColumn(step.size);
    for (let row = 0; row < step.size; row += 1) {
      const value = input[row];
      if (value === null || value === undefined || value === '') out[row] = null;
      else if (isAmount(value)) out[row] = compute(value);
      else out[row] = step.fail(row, 'notANumber');
    }
    return out;
  };
}

/** Two numbers; without the second there is no result. */
function mapTwo(
  compute: (a: Amount, b: Amount) => Value | undefined,
  failure = 'notANumber',
): () => ColumnFunction {
  return () => (input, step) => {
    const others = step.operand('other');
    const out = newColumn(step.size);
    for (let row = 0; row < step.size; row += 1) {
      const value = input[row];
      const other = others[row];
      if (isEmpty(value) || isEmpty(other)) out[row] = null;
      else if (!isAmount(value) || !isAmount(other)) out[row] = step.fail(row, 'notANumber');
      else out[row] = compute(value, other) ?? step.fail(row, failure);
    }
    return out;
  };
}

const other = parameter('other', 'float64', t('Number', 'Getal'), { canBeField: true });
const decimals = parameter('decimals', 'int', t('Decimals', 'Decimalen'), { default: 0 });
/** Decimals beyond this are no amounts. */
export const places = (args: Args): number =>
  Math.max(-12, Math.min(20, Math.trunc(args.number('decimals') ?? 0)));

function rounding(
  id: string,
  mode: RoundingMode,
  label: FunctionEntry['label'],
  help: FunctionEntry['help'],
  shown: [Amount, number, Amount][],
) {
  return define({
    id,
    label,
    help,
    in: numberTypes,
    out: 'float64',
    parameters: [decimals],
    examples: shown.map(([input, digits, output]) => example(input, { decimals: digits }, output)),
    apply: (args) => {
      const digits = places(args);
      return mapAmount((amount) => round(amount, digits, mode));
    },
  });
}

function extreme(
  id: 'min' | 'max',
  label: FunctionEntry['label'],
  help: FunctionEntry['help'],
  output: number,
) {
  const wanted = id === 'min' ? -1 : 1;
  return define({
    id,
    label,
    help,
    in: [...numberTypes, 'float64[]', 'int[]', 'uint[]', 'any[]'],
    out: 'float64',
    parameters: [
      parameter('others', 'float64', t('Other numbers', 'Andere getallen'), {
        canBeField: true,
        list: 'values',
        default: null,
      }),
    ],
    examples: [example(3, { others: [7, 5] }, output), example([3, 7], {}, output)],
    apply: () => (input, step) => {
      const others = step.operands('others');
      return mapValue((value, row) => {
        const all = [
          ...(Array.isArray(value) ? value : [value]),
          ...others.map((column) => column[row] ?? null),
        ];
        let best: Amount | null = null;
        for (const item of all) {
          if (isEmpty(item)) continue;
          if (!isAmount(item)) return step.fail(row, 'notANumber');
          if (best === null || compareAmounts(item, best) === wanted) best = item;
        }
        return best;
      })(input, step);
    },
  });
}

export const numberFunctions: readonly FunctionEntry[] = [
  define({
    id: 'round',
    label: t('Round', 'Afronden'),
    help: t(
      'To so many decimals; exactly half goes away from zero, or to the even digit.',
      'Op zoveel decimalen; precies de helft gaat van nul af, of naar het even cijfer.',
    ),
    in: numberTypes,
    out: 'float64',
    parameters: [
      decimals,
      parameter('mode', 'string', t('Half', 'Helft'), {
        default: 'halfUp',
        options: [
          ['halfUp', t('away from zero', 'van nul af')],
          ['halfEven', t('to the even digit', 'naar het even cijfer')],
        ],
      }),
    ],
    examples: [example(1.005, { decimals: 2 }, 1.01), example(2.5, { mode: 'halfEven' }, 2)],
    apply: (args) => {
      const digits = places(args);
      const mode = args.text('mode') === 'halfEven' ? 'halfEven' : 'halfUp';
      return mapAmount((amount) => round(amount, digits, mode));
    },
  }),
  rounding(
    'floor',
    'floor',
    t('Round down', 'Naar beneden afronden'),
    t('Down to so many decimals.', 'Naar beneden op zoveel decimalen.'),
    [
      [1.29, 1, 1.2],
      [-1.5, 0, -2],
    ],
  ),
  rounding(
    'ceil',
    'ceil',
    t('Round up', 'Naar boven afronden'),
    t('Up to so many decimals.', 'Naar boven op zoveel decimalen.'),
    [
      [1.21, 1, 1.3],
      [-1.5, 0, -1],
    ],
  ),
  rounding(
    'trunc',
    'trunc',
    t('Cut off decimals', 'Decimalen afkappen'),
    t('Cuts off after so many decimals.', 'Kapt af na zoveel decimalen.'),
    [
      [1.29, 1, 1.2],
      [-1.9, 0, -1],
    ],
  ),
  define({
    id: 'abs',
    label: t('Without sign', 'Zonder teken'),
    help: t('A negative number becomes positive.', 'Een negatief getal wordt positief.'),
    in: numberTypes,
    out: 'input',
    examples: [example(-3.5, {}, 3.5), example(2, {}, 2)],
    apply: () => mapAmount((amount) => (compareAmounts(amount, 0) < 0 ? negate(amount) : amount)),
  }),
  define({
    id: 'negate',
    label: t('Change sign', 'Teken omdraaien'),
    help: t('Positive becomes negative and the reverse.', 'Positief wordt negatief en omgekeerd.'),
    in: numberTypes,
    out: 'float64',
    examples: [example(3, {}, -3), example(-0.5, {}, 0.5)],
    apply: () => mapAmount(negate),
  }),
  define({
    id: 'sign',
    label: t('Sign', 'Teken'),
    help: t('-1, 0 or 1.', '-1, 0 of 1.'),
    in: numberTypes,
    out: 'int',
    examples: [example(-3, {}, -1), example(0, {}, 0)],
    apply: () => mapAmount((amount) => compareAmounts(amount, 0)),
  }),
  define({
    id: 'add',
    label: t('Add', 'Optellen'),
    help: t('Adds a number, exactly.', 'Telt er een getal bij op, exact.'),
    in: numberTypes,
    out: 'float64',
    parameters: [other],
    examples: [example(0.1, { other: 0.2 }, 0.3), example(5, { other: -7 }, -2)],
    apply: mapTwo(add),
  }),
  define({
    id: 'subtract',
    label: t('Subtract', 'Aftrekken'),
    help: t('Takes a number off, exactly.', 'Trekt er een getal van af, exact.'),
    in: numberTypes,
    out: 'float64',
    parameters: [other],
    examples: [example(0.3, { other: 0.1 }, 0.2), example(5, { other: 7 }, -2)],
    apply: mapTwo(subtract),
  }),
  define({
    id: 'multiply',
    label: t('Multiply', 'Vermenigvuldigen'),
    help: t('Multiplies by a number, exactly.', 'Vermenigvuldigt met een getal, exact.'),
    in: numberTypes,
    out: 'float64',
    parameters: [other],
    examples: [example(1.1, { other: 1.1 }, 1.21), example(3, { other: -2 }, -6)],
    apply: mapTwo(multiply),
  }),
  define({
    id: 'divide',
    label: t('Divide', 'Delen'),
    help: t(
      'Divides by a number, to 15 digits; by zero it fails or gives empty.',
      'Deelt door een getal, op 15 cijfers; door nul mislukt het of geeft het leeg.',
    ),
    in: numberTypes,
    out: 'float64',
    canFail: true,
    parameters: [other],
    examples: [example(1, { other: 3 }, 0.333333333333333), example(1, { other: 0, onError: 'empty' }, null)],
    apply: mapTwo((a, b) => divide(a, b) ?? undefined, 'divisionByZero'),
  }),
  define({
    id: 'modulo',
    label: t('Remainder', 'Rest van deling'),
    help: t('What is left after dividing.', 'Wat na delen overblijft.'),
    in: numberTypes,
    out: 'float64',
    canFail: true,
    parameters: [other],
    examples: [example(7, { other: 3 }, 1), example(5.5, { other: 2 }, 1.5)],
    apply: mapTwo((a, b) => modulo(a, b) ?? undefined, 'divisionByZero'),
  }),
  extreme(
    'min',
    t('Smallest', 'Kleinste'),
    t(
      'The smallest of the value (or its list) and others.',
      'De kleinste van de waarde (of haar lijst) en andere.',
    ),
    3,
  ),
  extreme(
    'max',
    t('Largest', 'Grootste'),
    t(
      'The largest of the value (or its list) and others.',
      'De grootste van de waarde (of haar lijst) en andere.',
    ),
    7,
  ),
  define({
    id: 'clamp',
    label: t('Keep between', 'Begrenzen'),
    help: t('Not below the one and not above the other.', 'Niet onder de ene en niet boven de andere grens.'),
    in: numberTypes,
    out: 'float64',
    parameters: [
      parameter('low', 'float64', t('Lowest', 'Laagste'), { default: null }),
      parameter('high', 'float64', t('Highest', 'Hoogste'), { default: null }),
    ],
    examples: [example(12, { low: 0, high: 10 }, 10), example(-1, { low: 0 }, 0)],
    apply: (args) => {
      const [low, high] = [args.number('low'), args.number('high')];
      return mapAmount((amount) => {
        if (low !== null && compareAmounts(amount, low) < 0) return low;
        return high !== null && compareAmounts(amount, high) > 0 ? high : amount;
      });
    },
  }),
  define({
    id: 'percentage',
    label: t('Percentage', 'Percentage'),
    help: t('How many per cent the value is of a number.', 'Hoeveel procent de waarde van een getal is.'),
    in: numberTypes,
    out: 'float64',
    canFail: true,
    parameters: [other, parameter('decimals', 'int', t('Decimals', 'Decimalen'), { default: 2 })],
    examples: [example(1, { other: 3 }, 33.33), example(5, { other: 20 }, 25)],
    apply: (args) => {
      const digits = places(args);
      return mapTwo((a, b) => {
        const share = divide(multiply(a, 100), b);
        return share === null ? undefined : round(share, digits, 'halfUp');
      }, 'divisionByZero')();
    },
  }),
];
