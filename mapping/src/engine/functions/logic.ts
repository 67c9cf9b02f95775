import { caseParameter, operand } from './conditions.ts';
import { isEqual } from './compare.ts';
import type { Value } from '@sluice/contract';
import { convertScalar } from '../convert.ts';
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
  type Args,
  type ColumnFunction,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('logic', definition);

const valuesParameter = (label = t('Values', 'Waarden')) =>
  parameter('values', 'any', label, { list: 'values', default: null });

/** When skipIf and errorIf act: `isEmpty`, `isTrue`, `oneOf` the values, or a condition in another field. */
const whenParameters = [
  parameter('when', 'string', t('When the value', 'Als de waarde'), {
    default: 'isEmpty',
    options: [
      ['isEmpty', t('is empty', 'leeg is')],
      ['isTrue', t('is true', 'waar is')],
      ['oneOf', t('is one of the values', 'één van de waarden is')],
      ['condition', t('does not matter: a field decides', 'niet uitmaakt: een veld beslist')],
    ],
  }),
  valuesParameter(),
  parameter('condition', 'bool', t('Condition', 'Voorwaarde'), { canBeField: true, default: null }),
];

function acting(
  act: (args: Args) => (value: Value, row: number, step: Parameters<ColumnFunction>[1]) => Value,
) {
  return (args: Args): ColumnFunction => {
    const [when, values] = [args.text('when'), args.values('values')];
    const react = act(args);
    return (input, step) => {
      const conditions = step.operand('condition');
      return mapAll((value, row) => {
        const holds =
          when === 'isEmpty'
            ? value === null || (Array.isArray(value) && value.length === 0)
            : when === 'isTrue'
              ? value === true
              : when === 'oneOf'
                ? values.some((item) => isEqual(item, value))
                : conditions[row] === true;
        return holds ? react(value, row, step) : value;
      })(input, step);
    };
  };
}

export const logicFunctions: readonly FunctionEntry[] = [
  define({
    id: 'if',
    label: t('If', 'Als'),
    help: t(
      'One value where true, another where false or empty.',
      'De ene waarde als het waar is, de andere als het onwaar of leeg is.',
    ),
    in: ['bool'],
    out: 'any',
    handlesEmpty: true,
    canFail: true,
    parameters: [operand('whenTrue', t('Then', 'Dan')), operand('whenFalse', t('Else', 'Anders'))],
    examples: [
      example(true, { whenTrue: 'a', whenFalse: 'b' }, 'a'),
      example(null, { whenTrue: 'a', whenFalse: 'b' }, 'b'),
    ],
    apply: () => (input, step) => {
      const [yes, no] = [step.operand('whenTrue'), step.operand('whenFalse')];
      return mapAll((value, row) =>
        value !== null && typeof value !== 'boolean'
          ? step.fail(row, 'notABool')
          : ((value === true ? yes : no)[row] ?? null),
      )(input, step);
    },
  }),
  define({
    id: 'switch',
    label: t('Choose by value', 'Kiezen op waarde'),
    help: t(
      'The value that goes with the first equal case, otherwise the default.',
      'De waarde bij het eerste gelijke geval, anders de standaard.',
    ),
    in: anyType,
    out: 'any',
    handlesEmpty: true,
    parameters: [
      parameter('cases', 'any', t('Cases', 'Gevallen'), { list: 'pairs' }),
      operand('default', t('Otherwise', 'Anders')),
      caseParameter,
    ],
    examples: [
      example(
        'A',
        {
          cases: [
            ['A', 1],
            ['B', 2],
          ],
          default: 0,
        },
        1,
      ),
      example('Z', { cases: [['A', 1]], default: 0 }, 0),
    ],
    apply: (args) => {
      const [cases, isCaseSensitive] = [args.pairs('cases'), args.flag('caseSensitive')];
      return (input, step) => {
        const otherwise = step.operand('default');
        return mapAll((value, row) => {
          const found = cases.find(([wanted]) => isEqual(wanted, value, isCaseSensitive));
          return found ? found[1] : (otherwise[row] ?? null);
        })(input, step);
      };
    },
  }),
  define({
    id: 'coalesce',
    label: t('First that is not empty', 'Eerste die niet leeg is'),
    help: t(
      'The value, or the first of the others that is not empty.',
      'De waarde, of de eerste van de andere die niet leeg is.',
    ),
    in: anyOrList,
    out: 'input',
    handlesEmpty: true,
    parameters: [
      parameter('others', 'any', t('Other values', 'Andere waarden'), { canBeField: true, list: 'values' }),
    ],
    examples: [example(null, { others: [null, 'b'] }, 'b'), example('a', { others: ['b'] }, 'a')],
    apply: () => (input, step) => {
      const others = step.operands('others');
      return mapAll((value, row) => {
        if (value !== null) return value;
        for (const column of others) {
          const other = column[row] ?? null;
          if (!isEmpty(other)) return other;
        }
        return null;
      })(input, step);
    },
  }),
  define({
    id: 'default',
    label: t('If empty', 'Als leeg'),
    help: t('Another value where there is none.', 'Een andere waarde als er geen is.'),
    in: anyOrList,
    out: 'input',
    handlesEmpty: true,
    parameters: [parameter('value', 'any', t('Value', 'Waarde'), { canBeField: true })],
    examples: [example(null, { value: 'NL' }, 'NL'), example('BE', { value: 'NL' }, 'BE')],
    apply: () => (input, step) => {
      const values = step.operand('value');
      return mapAll((value, row) => value ?? values[row] ?? null)(input, step);
    },
  }),
  define({
    id: 'emptyIf',
    label: t('Empty if', 'Leeg als'),
    help: t('Some values count as empty, such as N/A.', 'Sommige waarden gelden als leeg, zoals n.v.t.'),
    in: anyType,
    out: 'input',
    parameters: [parameter('values', 'any', t('Values', 'Waarden'), { list: 'values' }), caseParameter],
    examples: [example('N/A', { values: ['N/A', '-'] }, null), example('a', { values: ['N/A'] }, 'a')],
    apply: (args) => {
      const [values, isCaseSensitive] = [args.values('values'), args.flag('caseSensitive')];
      return mapValue((value) =>
        values.some((item) => isEqual(item, value, isCaseSensitive)) ? null : value,
      );
    },
  }),
  define({
    id: 'skipIf',
    label: t('Leave the field if', 'Veld laten staan als'),
    help: t(
      'Leaves the target field as it is – it is not emptied – where the value is empty, true, one of some values, or a field says so.',
      'Laat het doelveld zoals het is – het wordt niet leeggemaakt – als de waarde leeg of waar is, één van bepaalde waarden, of als een veld het zegt.',
    ),
    in: anyOrList,
    out: 'input',
    handlesEmpty: true,
    parameters: whenParameters,
    examples: [example('a', {}, 'a'), example('b', { when: 'oneOf', values: ['x'] }, 'b')],
    apply: acting(() => (_, row, step) => {
      step.leave(row);
      return null;
    }),
  }),
  define({
    id: 'errorIf',
    label: t('Fail if', 'Mislukken als'),
    help: t('A check with a text of your own.', 'Een controle met een eigen tekst.'),
    in: anyOrList,
    out: 'input',
    handlesEmpty: true,
    parameters: [parameter('message', 'string', t('Message', 'Melding')), ...whenParameters],
    examples: [
      example('a', { message: 'No name' }, 'a'),
      example(5, { message: 'No fives', when: 'oneOf', values: [6] }, 5),
    ],
    apply: acting((args) => (_, row, step) => step.fail(row, 'ownCheck', { message: args.text('message') })),
  }),
  define({
    id: 'toUuid',
    label: t('To UUID', 'Naar UUID'),
    help: t(
      'Reads a UUID, with or without braces and hyphens.',
      'Leest een UUID, met of zonder accolades en streepjes.',
    ),
    in: ['string', 'uuid', 'unknown'],
    out: 'uuid',
    canFail: true,
    examples: [
      example('{6F9619FF-8B86-D011-B42D-00CF4FC964FF}', {}, '6f9619ff-8b86-d011-b42d-00cf4fc964ff'),
      example('6f9619ff8b86d011b42d00cf4fc964ff', {}, '6f9619ff-8b86-d011-b42d-00cf4fc964ff'),
    ],
    apply: () =>
      mapValue((value, row, step) => {
        const hex =
          typeof value === 'string'
            ? value
                .trim()
                .replace(/^\{(.*)\}$/, '$1')
                .replaceAll('-', '')
            : '';
        const text = /^[0-9a-fA-F]{32}$/.test(hex)
          ? hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
          : '';
        const converted = convertScalar(text, 'uuid', 'UTC');
        return converted.isOk && converted.value !== null ? converted.value : step.fail(row, 'notAUuid');
      }),
  }),
];
