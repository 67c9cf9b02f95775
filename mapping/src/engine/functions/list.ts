import type { Value } from '@sluice/contract';
import { add, compareAmounts, divide, isAmount, type Amount } from '../amount.ts';
import { textOf } from '../convert.ts';
import {
  anyOrList,
  define as entry,
  example,
  isEmpty,
  listTypes,
  mapAll,
  mapList,
  parameter,
  t,
  type FunctionEntry,
} from './define.ts';
import { compareValues, isEqual } from './compare.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('list', definition);

const numbersOf = (list: readonly Value[]): Amount[] | null => {
  const present = list.filter((item) => !isEmpty(item));
  return present.every(isAmount) ? (present as Amount[]) : null;
};

/** Numbers in texts by their value: item 2 before item 10. */
function naturalOrder(a: string, b: string): number {
  const split = (text: string): string[] => text.match(/\d+|\D+/g) ?? [];
  const [left, right] = [split(a), split(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [x = '', y = ''] = [left[index], right[index]];
    const isNumber = /^\d/.test(x) && /^\d/.test(y);
    const order = isNumber ? compareAmounts(x, y) : x < y ? -1 : x > y ? 1 : 0;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const keyOf = (value: Value): string => `${typeof value}:${textOf(value) ?? ''}`;

export const listFunctions: readonly FunctionEntry[] = [
  define({
    id: 'toList',
    label: t('To list', 'Naar lijst'),
    help: t(
      'A list of the value and others, without the empty ones.',
      'Een lijst van de waarde en andere, zonder de lege.',
    ),
    in: anyOrList,
    out: 'list',
    handlesEmpty: true,
    parameters: [
      parameter('others', 'any', t('Other values', 'Andere waarden'), {
        canBeField: true,
        list: 'values',
        default: null,
      }),
    ],
    examples: [example('a', { others: ['b', null] }, ['a', 'b']), example('a', {}, ['a'])],
    apply: () => (input, step) => {
      const others = step.operands('others');
      return mapAll((value, row) => {
        const all = [value, ...others.map((column) => column[row] ?? null)];
        return all.flatMap((item) => (Array.isArray(item) ? item : [item])).filter((item) => !isEmpty(item));
      })(input, step);
    },
  }),
  define({
    id: 'join',
    label: t('List to text', 'Lijst naar tekst'),
    help: t(
      'The items behind each other, without the empty ones.',
      'De items achter elkaar, zonder de lege.',
    ),
    in: listTypes,
    out: 'string',
    parameters: [parameter('separator', 'string', t('Separator', 'Scheidingsteken'), { default: ', ' })],
    examples: [example(['a', 'b'], {}, 'a, b'), example([1, null, 2], { separator: '/' }, '1/2')],
    apply: (args) => {
      const separator = args.text('separator');
      return mapList((list) => list.flatMap((item) => textOf(item) ?? []).join(separator) || null);
    },
  }),
  define({
    id: 'first',
    label: t('First item', 'Eerste item'),
    help: t('The first item of the list.', 'Het eerste item van de lijst.'),
    in: listTypes,
    out: 'item',
    examples: [example(['a', 'b'], {}, 'a'), example([], {}, null)],
    apply: () => mapList((list) => list[0] ?? null),
  }),
  define({
    id: 'last',
    label: t('Last item', 'Laatste item'),
    help: t('The last item of the list.', 'Het laatste item van de lijst.'),
    in: listTypes,
    out: 'item',
    examples: [example(['a', 'b'], {}, 'b'), example([], {}, null)],
    apply: () => mapList((list) => list.at(-1) ?? null),
  }),
  define({
    id: 'item',
    label: t('Item', 'Item'),
    help: t(
      'One item, counted from 1; negative counts from the end.',
      'Eén item, geteld vanaf 1; negatief telt vanaf het eind.',
    ),
    in: listTypes,
    out: 'item',
    parameters: [parameter('position', 'int', t('Position', 'Positie'))],
    examples: [example(['a', 'b', 'c'], { position: 2 }, 'b'), example(['a', 'b'], { position: -1 }, 'b')],
    apply: (args) => {
      const position = args.number('position') ?? 1;
      return mapList((list) =>
        position === 0 ? null : (list.at(position > 0 ? position - 1 : position) ?? null),
      );
    },
  }),
  define({
    id: 'count',
    label: t('Number of items', 'Aantal items'),
    help: t(
      'How many items the list has; 0 for an empty one.',
      'Hoeveel items de lijst heeft; 0 als hij leeg is.',
    ),
    in: anyOrList,
    out: 'uint',
    handlesEmpty: true,
    examples: [example(['a', 'b'], {}, 2), example(null, {}, 0)],
    apply: () => mapAll((value) => (value === null ? 0 : Array.isArray(value) ? value.length : 1)),
  }),
  define({
    id: 'distinct',
    label: t('Without duplicates', 'Zonder dubbele'),
    help: t(
      'Every item once, in the order of their first places.',
      'Elk item één keer, in de volgorde van hun eerste plaats.',
    ),
    in: listTypes,
    out: 'input',
    examples: [example(['a', 'b', 'a'], {}, ['a', 'b']), example([1, 1], {}, [1])],
    apply: () => mapList((list) => [...new Map(list.map((item) => [keyOf(item), item])).values()]),
  }),
  define({
    id: 'sort',
    label: t('Sort', 'Sorteren'),
    help: t(
      'In order; numbers in texts by their value.',
      'Op volgorde; getallen in teksten naar hun waarde.',
    ),
    in: listTypes,
    out: 'input',
    canFail: true,
    parameters: [
      parameter('direction', 'string', t('Direction', 'Richting'), {
        default: 'ascending',
        options: [
          ['ascending', t('ascending', 'oplopend')],
          ['descending', t('descending', 'aflopend')],
        ],
      }),
    ],
    examples: [
      example(['b10', 'b2'], {}, ['b2', 'b10']),
      example([1, 3, 2], { direction: 'descending' }, [3, 2, 1]),
    ],
    apply: (args) => {
      const sign = args.text('direction') === 'descending' ? -1 : 1;
      return mapList((list, row, step) => {
        const numbers = numbersOf(list);
        if (numbers && numbers.length === list.length)
          return numbers.toSorted((a, b) => sign * compareAmounts(a, b));
        if (!list.every((item) => typeof item === 'string')) return step.fail(row, 'notComparable');
        return list.toSorted((a, b) => sign * naturalOrder(String(a), String(b)));
      });
    },
  }),
  define({
    id: 'filter',
    label: t('Choose items', 'Items kiezen'),
    help: t(
      'Only the items for which a comparison holds.',
      'Alleen de items waarvoor een vergelijking klopt.',
    ),
    in: listTypes,
    out: 'input',
    parameters: [
      parameter('operator', 'string', t('Comparison', 'Vergelijking'), {
        options: [
          ['equals', t('equals', 'is gelijk aan')],
          ['notEquals', t('does not equal', 'is niet gelijk aan')],
          ['contains', t('contains', 'bevat')],
          ['greater', t('is greater than', 'is groter dan')],
          ['less', t('is less than', 'is kleiner dan')],
          ['isNotEmpty', t('is not empty', 'is niet leeg')],
        ],
      }),
      parameter('value', 'any', t('Value', 'Waarde'), { canBeField: true, default: null }),
    ],
    examples: [
      example([1, 5, 3], { operator: 'greater', value: 2 }, [5, 3]),
      example(['a', null], { operator: 'isNotEmpty' }, ['a']),
    ],
    apply: (args) => {
      const operator = args.text('operator');
      const holds = (item: Value, value: Value): boolean => {
        switch (operator) {
          case 'equals':
            return isEqual(item, value);
          case 'notEquals':
            return !isEqual(item, value);
          case 'contains':
            return (textOf(item) ?? '').toLowerCase().includes((textOf(value) ?? '').toLowerCase());
          case 'greater':
            return (compareValues(item, value) ?? 0) > 0;
          case 'less':
            return (compareValues(item, value) ?? 0) < 0;
          default:
            return !isEmpty(item);
        }
      };
      return (input, step) => {
        const values = step.operand('value');
        return mapList((list, row) => list.filter((item) => holds(item, values[row] ?? null)))(input, step);
      };
    },
  }),
  define({
    id: 'sum',
    label: t('Sum', 'Som'),
    help: t(
      'All numbers of the list together, exactly; 0 for an empty list.',
      'Alle getallen van de lijst samen, exact; 0 voor een lege lijst.',
    ),
    in: listTypes,
    out: 'float64',
    canFail: true,
    examples: [example([0.1, 0.2], {}, 0.3), example([], {}, 0)],
    apply: () =>
      mapList((list, row, step) => {
        const numbers = numbersOf(list);
        return numbers ? numbers.reduce<Amount>(add, 0) : step.fail(row, 'notANumber');
      }),
  }),
  define({
    id: 'average',
    label: t('Average', 'Gemiddelde'),
    help: t('The mean of the numbers, to 15 digits.', 'Het gemiddelde van de getallen, op 15 cijfers.'),
    in: listTypes,
    out: 'float64',
    canFail: true,
    examples: [example([1, 2], {}, 1.5), example([], {}, null)],
    apply: () =>
      mapList((list, row, step) => {
        const numbers = numbersOf(list);
        return numbers
          ? divide(numbers.reduce<Amount>(add, 0), numbers.length)
          : step.fail(row, 'notANumber');
      }),
  }),
  define({
    id: 'slice',
    label: t('Part of the list', 'Deel van de lijst'),
    help: t(
      'From a position (the first is 1), so many items or all the rest.',
      'Vanaf een positie (de eerste is 1), zoveel items of de hele rest.',
    ),
    in: listTypes,
    out: 'input',
    parameters: [
      parameter('from', 'uint', t('From', 'Vanaf')),
      parameter('length', 'uint', t('How many', 'Hoeveel'), { default: null }),
    ],
    examples: [
      example(['a', 'b', 'c'], { from: 2 }, ['b', 'c']),
      example(['a', 'b', 'c'], { from: 1, length: 2 }, ['a', 'b']),
    ],
    apply: (args) => {
      const start = Math.max(0, (args.number('from') ?? 1) - 1);
      const length = args.number('length');
      return mapList((list) => list.slice(start, length === null ? undefined : start + length));
    },
  }),
  define({
    id: 'flatten',
    label: t('Lists into one list', 'Lijsten tot één lijst'),
    help: t('A list of lists becomes one list.', 'Een lijst van lijsten wordt één lijst.'),
    in: listTypes,
    out: 'any[]',
    examples: [example([['a'], ['b', 'c']], {}, ['a', 'b', 'c']), example(['a'], {}, ['a'])],
    apply: () => mapList((list) => list.flatMap((item) => (Array.isArray(item) ? item : [item]))),
  }),
];
