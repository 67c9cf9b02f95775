import { compareValues, isEqual } from './compare.ts';
import type { Scalar, Value } from '@sluice/contract';
import { textOf } from '../convert.ts';
import {
  anyOrList,
  anyType,
  define as entry,
  example,
  isEmpty,
  mapAll,
  mapValue,
  parameter,
  t,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('logic', definition);

export const operand = (id: string, label = t('Value', 'Waarde')) =>
  parameter(id, 'any', label, { canBeField: true, default: null });
export const caseParameter = parameter('caseSensitive', 'bool', t('Match case', 'Hoofdlettergevoelig'), {
  default: true,
});
const words = (id: string, label: FunctionEntry['label'], initial: string[]) =>
  parameter(id, 'string', label, { list: 'values', default: initial });

function ordering(
  id: string,
  label: FunctionEntry['label'],
  help: FunctionEntry['help'],
  holds: (order: number) => boolean,
  shown: [Value, Value, boolean][],
): FunctionEntry {
  return define({
    id,
    label,
    help,
    in: anyType,
    out: 'bool',
    canFail: true,
    parameters: [parameter('other', 'any', t('Other value', 'Andere waarde'), { canBeField: true })],
    examples: shown.map(([input, other, output]) => example(input, { other: other as Scalar }, output)),
    apply: () => (input, step) => {
      const others = step.operand('other');
      return mapValue((value, row) => {
        const other = others[row] ?? null;
        if (isEmpty(other)) return null;
        const order = compareValues(value, other);
        return order === null ? step.fail(row, 'notComparable') : holds(order);
      })(input, step);
    },
  });
}

function booleans(
  id: string,
  label: FunctionEntry['label'],
  help: FunctionEntry['help'],
  combine: (values: boolean[]) => boolean,
  shown: [boolean, boolean, boolean][],
): FunctionEntry {
  return define({
    id,
    label,
    help,
    in: ['bool'],
    out: 'bool',
    parameters: [
      parameter('others', 'bool', t('Other conditions', 'Andere voorwaarden'), {
        canBeField: true,
        list: 'values',
      }),
    ],
    examples: shown.map(([input, other, output]) => example(input, { others: [other] }, output)),
    apply: () => (input, step) => {
      const others = step.operands('others');
      return mapValue((value, row) => {
        const all: boolean[] = [];
        for (const item of [value, ...others.map((column) => column[row] ?? null)]) {
          if (isEmpty(item)) continue;
          if (typeof item !== 'boolean') return step.fail(row, 'notABool');
          all.push(item);
        }
        return combine(all);
      })(input, step);
    },
  });
}

export const conditionFunctions: readonly FunctionEntry[] = [
  define({
    id: 'toBool',
    label: t('To yes or no', 'Naar ja of nee'),
    help: t(
      'Reads words as true or false; other words fail.',
      'Leest woorden als waar of onwaar; andere woorden mislukken.',
    ),
    in: anyType,
    out: 'bool',
    canFail: true,
    parameters: [
      words('trueWords', t('Words for true', 'Woorden voor waar'), ['true', 'yes', 'ja', '1']),
      words('falseWords', t('Words for false', 'Woorden voor onwaar'), ['false', 'no', 'nee', 'niet', '0']),
    ],
    examples: [example('Ja', {}, true), example('X', { trueWords: ['x'], falseWords: ['-'] }, true)],
    apply: (args) => {
      const fold = (list: readonly Scalar[]) =>
        new Set(list.map((word) => String(word).trim().toLowerCase()));
      const [yes, no] = [fold(args.values('trueWords')), fold(args.values('falseWords'))];
      return mapValue((value, row, step) => {
        if (typeof value === 'boolean') return value;
        const word = (textOf(value) ?? '').trim().toLowerCase();
        return yes.has(word) ? true : no.has(word) ? false : step.fail(row, 'notABool');
      });
    },
  }),
  define({
    id: 'formatBool',
    label: t('Yes or no to value', 'Ja of nee naar waarde'),
    help: t('One value for true, another for false.', 'De ene waarde voor waar, de andere voor onwaar.'),
    in: ['bool'],
    out: 'any',
    parameters: [
      parameter('whenTrue', 'any', t('When true', 'Als waar'), { default: null }),
      parameter('whenFalse', 'any', t('When false', 'Als onwaar'), { default: null }),
    ],
    examples: [
      example(true, { whenTrue: 'J', whenFalse: 'N' }, 'J'),
      example(false, { whenTrue: 1, whenFalse: 0 }, 0),
    ],
    apply: (args) => {
      const constant = (id: string): Value => args.value(id) as Scalar;
      const [yes, no] = [constant('whenTrue'), constant('whenFalse')];
      return mapValue((value, row, step) =>
        value === true ? yes : value === false ? no : step.fail(row, 'notABool'),
      );
    },
  }),
  define({
    id: 'not',
    label: t('Not', 'Niet'),
    help: t('True becomes false and the reverse.', 'Waar wordt onwaar en omgekeerd.'),
    in: ['bool'],
    out: 'bool',
    examples: [example(true, {}, false), example(false, {}, true)],
    apply: () =>
      mapValue((value, row, step) => (typeof value === 'boolean' ? !value : step.fail(row, 'notABool'))),
  }),
  booleans(
    'and',
    t('And', 'En'),
    t('True where all are true.', 'Waar als alle waar zijn.'),
    (all) => all.every(Boolean),
    [
      [true, true, true],
      [true, false, false],
    ],
  ),
  booleans(
    'or',
    t('Or', 'Of'),
    t('True where at least one is true.', 'Waar als er minstens één waar is.'),
    (all) => all.some(Boolean),
    [
      [false, true, true],
      [false, false, false],
    ],
  ),
  booleans(
    'xor',
    t('Either or', 'Of het een of het ander'),
    t('True where an odd number of them is true.', 'Waar als een oneven aantal waar is.'),
    (all) => all.filter(Boolean).length % 2 === 1,
    [
      [true, true, false],
      [true, false, true],
    ],
  ),
  define({
    id: 'equals',
    label: t('Equals', 'Is gelijk aan'),
    help: t(
      'True where both are the same; numbers by their value.',
      'Waar als beide hetzelfde zijn; getallen naar hun waarde.',
    ),
    in: anyOrList,
    out: 'bool',
    handlesEmpty: true,
    parameters: [operand('other', t('Other value', 'Andere waarde')), caseParameter],
    examples: [example(10, { other: '10' }, true), example('a', { other: 'A', caseSensitive: false }, true)],
    apply: (args) => {
      const isCaseSensitive = args.flag('caseSensitive');
      return (input, step) => {
        const others = step.operand('other');
        return mapAll((value, row) => isEqual(value, others[row] ?? null, isCaseSensitive))(input, step);
      };
    },
  }),
  ordering(
    'greater',
    t('Greater than', 'Groter dan'),
    t('True where the value is greater or later.', 'Waar als de waarde groter of later is.'),
    (order) => order > 0,
    [
      [2, 1, true],
      ['2026-01-01', '2026-02-01', false],
    ],
  ),
  ordering(
    'less',
    t('Less than', 'Kleiner dan'),
    t('True where the value is less or earlier.', 'Waar als de waarde kleiner of eerder is.'),
    (order) => order < 0,
    [
      [1, 2, true],
      ['10:00', '09:00', false],
    ],
  ),
  ordering(
    'greaterOrEqual',
    t('Greater than or equal', 'Groter dan of gelijk'),
    t('True where the value is not less.', 'Waar als de waarde niet kleiner is.'),
    (order) => order >= 0,
    [
      [2, 2, true],
      [1.5, 2, false],
    ],
  ),
  ordering(
    'lessOrEqual',
    t('Less than or equal', 'Kleiner dan of gelijk'),
    t('True where the value is not greater.', 'Waar als de waarde niet groter is.'),
    (order) => order <= 0,
    [
      [2, 2, true],
      ['b', 'a', false],
    ],
  ),
  define({
    id: 'isBetween',
    label: t('Is between', 'Ligt tussen'),
    help: t('True from the one to the other, both included.', 'Waar vanaf de ene tot en met de andere.'),
    in: anyType,
    out: 'bool',
    canFail: true,
    parameters: [
      parameter('low', 'any', t('From', 'Vanaf'), { canBeField: true }),
      parameter('high', 'any', t('To', 'Tot en met'), { canBeField: true }),
    ],
    examples: [
      example('2026-11-21', { low: '2026-11-01', high: '2026-11-30' }, true),
      example(5, { low: 6, high: 9 }, false),
    ],
    apply: () => (input, step) => {
      const [low, high] = [step.operand('low'), step.operand('high')];
      return mapValue((value, row) => {
        const from = compareValues(value, low[row] ?? null);
        const to = compareValues(value, high[row] ?? null);
        return from === null || to === null ? step.fail(row, 'notComparable') : from >= 0 && to <= 0;
      })(input, step);
    },
  }),
  define({
    id: 'isEmpty',
    label: t('Is empty', 'Is leeg'),
    help: t('True where there is no value.', 'Waar als er geen waarde is.'),
    in: anyOrList,
    out: 'bool',
    handlesEmpty: true,
    examples: [example(null, {}, true), example(0, {}, false)],
    apply: () => mapAll((value) => value === null || (Array.isArray(value) && value.length === 0)),
  }),
  define({
    id: 'isNotEmpty',
    label: t('Is not empty', 'Is niet leeg'),
    help: t('True where there is a value.', 'Waar als er een waarde is.'),
    in: anyOrList,
    out: 'bool',
    handlesEmpty: true,
    examples: [example('a', {}, true), example('', {}, false)],
    apply: () => mapAll((value) => value !== null && !(Array.isArray(value) && value.length === 0)),
  }),
];
