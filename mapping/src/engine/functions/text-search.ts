import { pointsOf } from './text.ts';
import type { Value } from '@sluice/contract';
import {
  anyOrList,
  define as entry,
  example,
  mapAll,
  mapText,
  parameter,
  t,
  textTypes,
  type Args,
  type FunctionEntry,
  composed,
  mapValue,
} from './define.ts';
import { textOf } from '../convert.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('text', definition);

const caseParameter = parameter('caseSensitive', 'bool', t('Match case', 'Hoofdlettergevoelig'), {
  default: false,
});

type Compare = (text: string, part: string) => boolean;
function comparing(compare: Compare): (args: Args) => ReturnType<typeof mapText> {
  return (args) => {
    const isCaseSensitive = args.flag('caseSensitive');
    return (input, step) => {
      const others = step.operand('text');
      return mapText((text, row) => {
        const part = textOf(others[row] ?? null) ?? '';
        return isCaseSensitive ? compare(text, part) : compare(text.toLowerCase(), part.toLowerCase());
      })(input, step);
    };
  };
}
const partParameter = parameter('text', 'string', t('Text', 'Tekst'), { canBeField: true });

export const searchFunctions: readonly FunctionEntry[] = [
  define({
    id: 'replace',
    label: t('Replace', 'Vervangen'),
    help: t('Replaces a text by another, literally.', 'Vervangt een tekst door een andere, letterlijk.'),
    in: textTypes,
    out: 'string',
    parameters: [
      parameter('find', 'string', t('Find', 'Zoek')),
      parameter('by', 'string', t('Replace by', 'Vervang door'), { default: '' }),
      parameter('all', 'bool', t('All of them', 'Allemaal'), { default: true }),
    ],
    examples: [
      example('a.b.c', { find: '.', by: '-' }, 'a-b-c'),
      example('a.b.c', { find: '.', by: '', all: false }, 'ab.c'),
    ],
    apply: (args) => {
      const [find, by, isAll] = [args.text('find'), args.text('by'), args.flag('all')];
      if (find === '') return mapText((text) => text);
      // A function, so that `$&` in the replacement is just text.
      return mapText((text) => (isAll ? text.replaceAll(find, () => by) : text.replace(find, () => by)));
    },
  }),
  define({
    id: 'contains',
    label: t('Contains', 'Bevat'),
    help: t(
      'True where the text occurs in the value, or the value in the list.',
      'Waar als de tekst in de waarde voorkomt, of de waarde in de lijst.',
    ),
    in: [...textTypes, 'any[]'],
    out: 'bool',
    parameters: [partParameter, caseParameter],
    examples: [
      example('Utrecht', { text: 'TRE' }, true),
      example('Utrecht', { text: 'TRE', caseSensitive: true }, false),
    ],
    apply: (args) => {
      const isCaseSensitive = args.flag('caseSensitive');
      const fold = (value: Value): string =>
        isCaseSensitive ? (textOf(value) ?? '') : (textOf(value) ?? '').toLowerCase();
      return (input, step) => {
        const others = step.operand('text');
        return mapValue((value, row) => {
          const part = fold(others[row] ?? null);
          if (Array.isArray(value)) return value.some((item) => fold(item) === part);
          return typeof value === 'string' ? fold(composed(value)).includes(part) : step.fail(row, 'notText');
        })(input, step);
      };
    },
  }),
  define({
    id: 'startsWith',
    label: t('Begins with', 'Begint met'),
    help: t('True where the value begins with the text.', 'Waar als de waarde met de tekst begint.'),
    in: textTypes,
    out: 'bool',
    parameters: [partParameter, caseParameter],
    examples: [example('NL123', { text: 'nl' }, true), example('NL123', { text: '123' }, false)],
    apply: comparing((text, part) => text.startsWith(part)),
  }),
  define({
    id: 'endsWith',
    label: t('Ends with', 'Eindigt op'),
    help: t('True where the value ends with the text.', 'Waar als de waarde op de tekst eindigt.'),
    in: textTypes,
    out: 'bool',
    parameters: [partParameter, caseParameter],
    examples: [example('a.PDF', { text: '.pdf' }, true), example('a.PDF', { text: 'x' }, false)],
    apply: comparing((text, part) => text.endsWith(part)),
  }),
  define({
    id: 'length',
    label: t('Length', 'Lengte'),
    help: t('Number of characters.', 'Aantal tekens.'),
    in: textTypes,
    out: 'uint',
    examples: [example('abc', {}, 3), example('😀é', {}, 2)],
    apply: () => mapText((text) => pointsOf(text).length),
  }),
  define({
    id: 'indexOf',
    label: t('Position of', 'Positie van'),
    help: t(
      'Where the text first occurs; 0 where it does not.',
      'Waar de tekst het eerst voorkomt; 0 als dat nergens is.',
    ),
    in: textTypes,
    out: 'uint',
    parameters: [partParameter],
    examples: [example('abcb', { text: 'b' }, 2), example('abc', { text: 'x' }, 0)],
    apply: () => (input, step) => {
      const others = step.operand('text');
      return mapText((text, row) => {
        const at = text.indexOf(textOf(others[row] ?? null) ?? '');
        return at < 0 ? 0 : pointsOf(text.slice(0, at)).length + 1;
      })(input, step);
    },
  }),
  define({
    id: 'concat',
    label: t('Join with other values', 'Samenvoegen met andere waarden'),
    help: t(
      'Puts the value and others behind each other, with a separator between those that are not empty.',
      'Zet de waarde en andere achter elkaar, met een scheidingsteken tussen wat niet leeg is.',
    ),
    in: anyOrList,
    out: 'string',
    handlesEmpty: true,
    parameters: [
      parameter('others', 'any', t('Other values', 'Andere waarden'), { canBeField: true, list: 'values' }),
      parameter('separator', 'string', t('Separator', 'Scheidingsteken'), { default: '' }),
      parameter('skipEmpty', 'bool', t('Leave out empty ones', 'Lege overslaan'), { default: true }),
    ],
    examples: [
      example('a', { others: ['b', 'c'], separator: ' ' }, 'a b c'),
      example(null, { others: ['b'], separator: '-', skipEmpty: false }, '-b'),
    ],
    apply: (args) => {
      const [separator, isSkipping] = [args.text('separator'), args.flag('skipEmpty')];
      return (input, step) => {
        const others = step.operands('others');
        return mapAll((value, row) => {
          const parts = [value, ...others.map((other) => other[row] ?? null)].map(
            (part) => textOf(part) ?? '',
          );
          const used = isSkipping ? parts.filter((part) => part !== '') : parts;
          return used.every((part) => part === '') ? null : used.join(separator);
        })(input, step);
      };
    },
  }),
];
