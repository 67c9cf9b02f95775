import { newColumn } from '../column.ts';
import type { Scalar, Value } from '@sluice/contract';
import { convertScalar, textOf } from '../convert.ts';
import { compileRegex } from '../regex.ts';
import { compileTable } from '../translation.ts';
import type { LookupAnswer, LookupRequest, Texts } from '../types.ts';
import {
  anyType,
  define as entry,
  example,
  mapText,
  mapValue,
  parameter,
  t,
  textTypes,
  type Args,
  type ColumnFunction,
  type FunctionEntry,
  type Step,
} from './define.ts';
import { compareValues } from './compare.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('lookup', definition);

const onNone = parameter('onNone', 'string', t('Not found', 'Niet gevonden'), {
  default: 'error',
  options: [
    ['error', t('error', 'fout')],
    ['empty', t('empty', 'leeg')],
    ['default', t('default value', 'standaardwaarde')],
    ['passthrough', t('the value itself', 'de waarde zelf')],
  ],
});
const onMany = parameter('onMany', 'string', t('Found several', 'Meerdere gevonden'), {
  default: 'error',
  options: [
    ['error', t('error', 'fout')],
    ['first', t('the first', 'de eerste')],
    ['empty', t('empty', 'leeg')],
  ],
});
const defaultValue = parameter('defaultValue', 'any', t('Default value', 'Standaardwaarde'), {
  default: null,
});
type System = LookupRequest['system'];

const field = (id: string, system: System, label: Texts) =>
  parameter(id, 'string', label, { picks: { what: 'field', system } });

const collectionParameters = (system: System) => [
  parameter('collection', 'string', t('Collection', 'Collectie'), {
    picks: { what: 'collection', system },
  }),
  field('keyField', system, t('Field to search', 'Zoekveld')),
];

const nothingAsked: LookupAnswer = { title: t('', ''), values: [] };

/** One call per batch: the distinct values go out, the answers come back in their order. */
function asking(
  system: System,
  choose: (
    args: Args,
  ) => (found: readonly Value[], value: Value, row: number, step: Step, title: Texts) => Value,
) {
  return (args: Args): ColumnFunction => {
    const request: LookupRequest = {
      system,
      collection: args.text('collection'),
      keyField: args.text('keyField'),
      returnField: args.has('returnField') ? args.text('returnField') : null,
    };
    const answer = choose(args);
    return async (input, step) => {
      const indexOf = new Map<Value, number>();
      for (const value of input)
        if (value !== null && value !== '' && typeof value !== 'object' && !indexOf.has(value))
          indexOf.set(value, indexOf.size);
      const keys = [...indexOf.keys()] as Scalar[];
      const answers = keys.length === 0 ? nothingAsked : await step.lookup?.(request, keys);
      return mapValue((value, row) => {
        if (!answers) return step.fail(row, 'lookupUnavailable');
        if (typeof value === 'object') return step.fail(row, 'notAScalar');
        return answer(answers.values[indexOf.get(value) ?? -1] ?? [], value, row, step, answers.title);
      })(input, step);
    };
  };
}

const lookingUp = (system: System) =>
  asking(system, (args) => {
    const [none, many, fallback] = [args.text('onNone'), args.text('onMany'), args.value('defaultValue')];
    return (found, value, row, step, title) => {
      if (found.length === 0)
        return none === 'empty'
          ? null
          : none === 'default'
            ? (fallback as Scalar)
            : none === 'passthrough'
              ? value
              : step.fail(row, 'lookupNone', { value, collection: title });
      if (found.length > 1 && many !== 'first')
        return many === 'empty' ? null : step.fail(row, 'lookupMany', { value, collection: title });
      return found[0] ?? null;
    };
  });

const lookupParameters = (system: System) => [
  ...collectionParameters(system),
  field('returnField', system, t('Field to return', 'Terug te geven veld')),
  onNone,
  onMany,
  defaultValue,
];

export const lookupFunctions: readonly FunctionEntry[] = [
  define({
    id: 'translate',
    label: t('Translate', 'Vertalen'),
    help: t(
      'The value that stands beside it in a table; what is not there fails, becomes the default or stays as it is.',
      'De waarde die er in een tabel naast staat; wat er niet in staat mislukt, wordt de standaard of blijft zoals het is.',
    ),
    in: anyType,
    out: 'table',
    handlesEmpty: true,
    hasTranslationTable: true,
    examples: [],
    apply: (args) => {
      const { table } = args;
      if (!table) return mapValue((_, row, step) => step.fail(row, 'missingTable'));
      const { keyOf, byKey, defaultValue: fallback } = compileTable(table, args.zone);
      return (input, step) => {
        const out = newColumn(step.size);
        for (let row = 0; row < step.size; row += 1) {
          const value = input[row] ?? null;
          const key = keyOf(value);
          const found = key === null ? undefined : byKey.get(key);
          if (found !== undefined) out[row] = found;
          else if (table.notFound === 'default') out[row] = fallback;
          else if (table.notFound === 'passthrough') {
            const converted = convertScalar(value, table.returnType, step.facts.zone);
            out[row] = converted.isOk ? converted.value : step.fail(row, converted.code);
          } else out[row] = step.fail(row, 'noTranslation', { value: textOf(value) ?? '' });
        }
        return out;
      };
    },
  }),
  define({
    id: 'translateRange',
    label: t('Translate by range', 'Vertalen naar bereik'),
    help: t(
      'The value beside the greatest limit that is not above it.',
      'De waarde naast de hoogste grens die er niet boven ligt.',
    ),
    in: anyType,
    out: 'any',
    canFail: true,
    parameters: [
      parameter('ranges', 'any', t('From and value', 'Vanaf en waarde'), { list: 'pairs' }),
      onNone,
      defaultValue,
    ],
    examples: [
      example(
        15,
        {
          ranges: [
            [0, 'low'],
            [10, 'high'],
          ],
        },
        'high',
      ),
      example(
        '2026-05-01',
        {
          ranges: [
            ['2026-01-01', 'Q1'],
            ['2026-04-01', 'Q2'],
          ],
        },
        'Q2',
      ),
    ],
    apply: (args) => {
      const [ranges, none] = [args.pairs('ranges'), args.text('onNone')];
      return mapValue((value, row, step) => {
        let best: readonly [Scalar, Scalar] | null = null;
        for (const range of ranges) {
          const order = compareValues(range[0], value);
          if (order === null || order > 0) continue;
          if (best === null || (compareValues(range[0], best[0]) ?? 0) > 0) best = range;
        }
        if (best) return best[1];
        if (none === 'empty') return null;
        if (none === 'default') return args.value('defaultValue') as Scalar;
        return none === 'passthrough'
          ? value
          : step.fail(row, 'noTranslation', { value: textOf(value) ?? '' });
      });
    },
  }),
  define({
    id: 'translateRegex',
    label: t('Translate by expression', 'Vertalen met expressie'),
    help: t(
      'The value beside the first regular expression that finds something.',
      'De waarde naast de eerste reguliere expressie die iets vindt.',
    ),
    in: textTypes,
    out: 'any',
    canFail: true,
    parameters: [
      parameter('rows', 'string', t('Expression and value', 'Expressie en waarde'), { list: 'pairs' }),
      onNone,
      defaultValue,
    ],
    examples: [
      example('Kerkstr. 4', { rows: [['(?i)str(aat|\\.)', 'street']] }, 'street'),
      example('x', { rows: [['\\d', 1]], onNone: 'empty' }, null),
    ],
    check: (args) => {
      for (const [pattern] of args.pairs('rows')) {
        const compiled = compileRegex(String(pattern));
        if (!compiled.isOk) return { code: 'invalidRegex', params: { reason: compiled.message } };
      }
      return null;
    },
    apply: (args) => {
      const none = args.text('onNone');
      const rows = args.pairs('rows').flatMap(([pattern, value]) => {
        const compiled = compileRegex(String(pattern));
        return compiled.isOk ? [{ regex: compiled.regex, value }] : [];
      });
      return mapText((text, row, step) => {
        const found = rows.find(({ regex }) => regex.test(text));
        if (found) return found.value;
        if (none === 'empty') return null;
        if (none === 'default') return args.value('defaultValue') as Scalar;
        return none === 'passthrough' ? text : step.fail(row, 'noTranslation', { value: text });
      });
    },
  }),
  define({
    id: 'lookupTarget',
    label: t('Look up in the target system', 'Opzoeken in het doelsysteem'),
    help: t(
      'A field of the record of a collection of the target system whose key field has this value.',
      'Een veld van het record van een collectie van het doelsysteem waarvan het zoekveld deze waarde heeft.',
    ),
    in: anyType,
    out: 'any',
    canFail: true,
    asks: true,
    parameters: lookupParameters('target'),
    examples: [],
    apply: lookingUp('target'),
  }),
  define({
    id: 'lookupSource',
    label: t('Look up in the source system', 'Opzoeken in het bronsysteem'),
    help: t(
      'A field of the record of a collection of the source system whose key field has this value.',
      'Een veld van het record van een collectie van het bronsysteem waarvan het zoekveld deze waarde heeft.',
    ),
    in: anyType,
    out: 'any',
    canFail: true,
    asks: true,
    parameters: lookupParameters('source'),
    examples: [],
    apply: lookingUp('source'),
  }),
  define({
    id: 'existsInTarget',
    label: t('Exists in the target system', 'Bestaat in het doelsysteem'),
    help: t(
      'True where a record of the collection has this value.',
      'Waar als een record van de collectie deze waarde heeft.',
    ),
    in: anyType,
    out: 'bool',
    canFail: true,
    asks: true,
    parameters: collectionParameters('target'),
    examples: [],
    apply: asking('target', () => (found) => found.length > 0),
  }),
];
