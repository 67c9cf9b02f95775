import {
  define as entry,
  example,
  mapText,
  parameter,
  t,
  textTypes,
  type Args,
  type FunctionEntry,
} from './define.ts';
import { textOf } from '../convert.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('text', definition);

/** White space as people see it: no-break and zero-width ones too. */
const space = String.raw`[\s\u00a0\u200b-\u200d\u2060\ufeff]`;
const leadingSpace = new RegExp(`^${space}+`);
const trailingSpace = new RegExp(`${space}+$`);
const anySpaces = new RegExp(`${space}+`, 'g');
const isPlainEnd = (code: number): boolean => code > 0x20 && code < 0x7f;

/** Only looks for spaces where the ends are not plain characters. */
function trimmed(text: string, side: string): string {
  let result = text;
  if (side !== 'right' && !isPlainEnd(result.charCodeAt(0))) result = result.replace(leadingSpace, '');
  if (side !== 'left' && !isPlainEnd(result.charCodeAt(result.length - 1))) result = trimRight(result);
  return result;
}

/** A loop: an expression that ends in `+$` looks at every run of spaces to its end. */
function trimRight(text: string): string {
  let end = text.length;
  while (end > 0 && trailingSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Code points; the text itself where every one is a single unit. */
export const pointsOf = (text: string): string | string[] =>
  /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
const cut = (points: string | string[], from: number, to: number): string =>
  typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');

const count = (args: Args, id: string): number => Math.max(0, Math.trunc(args.number(id) ?? 0));
const lengthParameter = (id = 'length') => parameter(id, 'uint', t('Number of characters', 'Aantal tekens'));
const localeParameter = parameter('locale', 'string', t('Language', 'Taal'), {
  default: 'nl',
  options: [
    ['nl', t('Dutch', 'Nederlands')],
    ['en', t('English', 'Engels')],
    ['de', t('German', 'Duits')],
    ['fr', t('French', 'Frans')],
    ['tr', t('Turkish', 'Turks')],
  ],
});
const sides = parameter('side', 'string', t('Side', 'Kant'), {
  default: 'both',
  options: [
    ['both', t('both', 'beide')],
    ['left', t('left', 'links')],
    ['right', t('right', 'rechts')],
  ],
});

function titleCase(text: string, locale: string): string {
  return text.replace(/[\p{L}\p{M}\p{N}’']+/gu, (word) => {
    const lower = word.toLocaleLowerCase(locale);
    if (locale === 'nl' && lower.startsWith('ij')) return `IJ${lower.slice(2)}`;
    const [first = ''] = lower;
    return first.toLocaleUpperCase(locale) + lower.slice(first.length);
  });
}

function pad(text: string, length: number, character: string): string {
  const missing = length - [...text].length;
  return missing > 0 ? character.repeat(missing) : '';
}
const padParameters = [
  parameter('length', 'uint', t('Length', 'Lengte')),
  parameter('character', 'string', t('Character', 'Teken'), { default: '0' }),
];
/** Longest result of padding, so that a slip of the finger does not fill the memory. */
const maxPad = 10_000;
const checkPad = (args: Args) =>
  count(args, 'length') > maxPad ? { code: 'argTooLarge', params: { name: 'length', max: maxPad } } : null;

export const textFunctions: readonly FunctionEntry[] = [
  define({
    id: 'trim',
    label: t('Trim', 'Spaties eraf'),
    help: t(
      'Takes white space off the ends, also no-break and zero-width spaces.',
      'Haalt witruimte van de uiteinden, ook vaste en onzichtbare spaties.',
    ),
    in: textTypes,
    out: 'string',
    parameters: [sides],
    examples: [example(' a ', {}, 'a'), example(' a ', { side: 'left' }, 'a ')],
    apply: (args) => {
      const side = args.text('side');
      return mapText((text) => trimmed(text, side));
    },
  }),
  define({
    id: 'collapseSpaces',
    label: t('Collapse spaces', 'Dubbele spaties weg'),
    help: t('Makes one space of every run of white space.', 'Maakt één spatie van elke reeks witruimte.'),
    in: textTypes,
    out: 'string',
    examples: [example('a   b', {}, 'a b'), example('a\t\n b', {}, 'a b')],
    apply: () => mapText((text) => text.replace(anySpaces, ' ')),
  }),
  define({
    id: 'upper',
    label: t('Upper case', 'Hoofdletters'),
    help: t('Makes capitals of all letters.', 'Maakt van alle letters hoofdletters.'),
    in: textTypes,
    out: 'string',
    parameters: [localeParameter],
    examples: [example('ijs', {}, 'IJS'), example('straße', { locale: 'de' }, 'STRASSE')],
    apply: (args) => {
      const locale = args.text('locale');
      return mapText((text) => (locale === 'tr' ? text.toLocaleUpperCase(locale) : text.toUpperCase()));
    },
  }),
  define({
    id: 'lower',
    label: t('Lower case', 'Kleine letters'),
    help: t('Makes small letters of all letters.', 'Maakt van alle letters kleine letters.'),
    in: textTypes,
    out: 'string',
    parameters: [localeParameter],
    examples: [example('IJS', {}, 'ijs'), example('I', { locale: 'tr' }, 'ı')],
    apply: (args) => {
      const locale = args.text('locale');
      return mapText((text) => (locale === 'tr' ? text.toLocaleLowerCase(locale) : text.toLowerCase()));
    },
  }),
  define({
    id: 'titleCase',
    label: t('Capitalise words', 'Woorden met hoofdletter'),
    help: t(
      'Begins every word with a capital; in Dutch IJ is one letter.',
      'Begint elk woord met een hoofdletter; in het Nederlands is IJ één letter.',
    ),
    in: textTypes,
    out: 'string',
    parameters: [localeParameter],
    examples: [example('de vries', {}, 'De Vries'), example('IJMUIDEN', {}, 'IJmuiden')],
    apply: (args) => {
      const locale = args.text('locale');
      return mapText((text) => titleCase(text, locale));
    },
  }),
  define({
    id: 'left',
    label: t('First characters', 'Eerste tekens'),
    help: t('Keeps the first so many characters.', 'Houdt de eerste zoveel tekens.'),
    in: textTypes,
    out: 'string',
    parameters: [lengthParameter()],
    examples: [example('ABCD', { length: 2 }, 'AB'), example('é€😀x', { length: 3 }, 'é€😀')],
    apply: (args) => {
      const length = count(args, 'length');
      return mapText((text) => cut(pointsOf(text), 0, length));
    },
  }),
  define({
    id: 'right',
    label: t('Last characters', 'Laatste tekens'),
    help: t('Keeps the last so many characters.', 'Houdt de laatste zoveel tekens.'),
    in: textTypes,
    out: 'string',
    parameters: [lengthParameter()],
    examples: [example('ABCD', { length: 2 }, 'CD'), example('A', { length: 5 }, 'A')],
    apply: (args) => {
      const length = count(args, 'length');
      return mapText((text) => {
        const points = pointsOf(text);
        return cut(points, Math.max(0, points.length - length), points.length);
      });
    },
  }),
  define({
    id: 'substring',
    label: t('Part of the text', 'Deel van de tekst'),
    help: t(
      'From a position (the first is 1), so many characters or all the rest.',
      'Vanaf een positie (de eerste is 1), zoveel tekens of de hele rest.',
    ),
    in: textTypes,
    out: 'string',
    parameters: [
      parameter('start', 'uint', t('Start', 'Begin')),
      parameter('length', 'uint', t('Number of characters', 'Aantal tekens'), { default: null }),
    ],
    examples: [example('ABCD', { start: 2, length: 2 }, 'BC'), example('ABCD', { start: 3 }, 'CD')],
    apply: (args) => {
      const start = Math.max(1, count(args, 'start')) - 1;
      const length = args.number('length');
      return mapText((text) => cut(pointsOf(text), start, length === null ? Infinity : start + length));
    },
  }),
  define({
    id: 'truncate',
    label: t('Shorten', 'Inkorten'),
    help: t(
      'Cuts what is longer than the maximum; the ending counts as part of it.',
      'Kort in wat langer is dan het maximum; het slot telt daarin mee.',
    ),
    in: textTypes,
    out: 'string',
    parameters: [
      parameter('max', 'uint', t('Maximum', 'Maximum')),
      parameter('ellipsis', 'string', t('Ending', 'Slot'), { default: '' }),
    ],
    examples: [
      example('Amsterdam', { max: 5 }, 'Amste'),
      example('Amsterdam', { max: 5, ellipsis: '…' }, 'Amst…'),
    ],
    apply: (args) => {
      const max = count(args, 'max');
      const ending = Array.from(args.text('ellipsis')).slice(0, max);
      return mapText((text) => {
        if (text.length <= max) return text;
        const points = pointsOf(text);
        return points.length <= max ? text : cut(points, 0, max - ending.length) + ending.join('');
      });
    },
  }),
  define({
    id: 'padLeft',
    label: t('Fill on the left', 'Links aanvullen'),
    help: t(
      'Puts a character in front until the text is that long.',
      'Zet een teken ervoor tot de tekst zo lang is.',
    ),
    in: textTypes,
    out: 'string',
    parameters: padParameters,
    examples: [example('7', { length: 3 }, '007'), example('abc', { length: 2 }, 'abc')],
    check: checkPad,
    apply: (args) => {
      const [length, [character = '0']] = [Math.min(maxPad, count(args, 'length')), args.text('character')];
      return mapText((text) => pad(text, length, character) + text);
    },
  }),
  define({
    id: 'padRight',
    label: t('Fill on the right', 'Rechts aanvullen'),
    help: t(
      'Puts a character behind until the text is that long.',
      'Zet een teken erachter tot de tekst zo lang is.',
    ),
    in: textTypes,
    out: 'string',
    parameters: padParameters,
    examples: [example('7', { length: 3 }, '700'), example('a', { length: 3, character: ' ' }, 'a  ')],
    check: checkPad,
    apply: (args) => {
      const [length, [character = '0']] = [Math.min(maxPad, count(args, 'length')), args.text('character')];
      return mapText((text) => text + pad(text, length, character));
    },
  }),
  define({
    id: 'stripLeading',
    label: t('Strip leading characters', 'Voorlooptekens weg'),
    help: t(
      'Takes a character off the beginning as often as it is there.',
      'Haalt een teken van het begin, zo vaak als het er staat.',
    ),
    in: textTypes,
    out: 'string',
    parameters: [parameter('character', 'string', t('Character', 'Teken'), { default: '0' })],
    examples: [example('00042', {}, '42'), example('xxa', { character: 'x' }, 'a')],
    apply: (args) => {
      const [character = '0'] = args.text('character');
      return mapText((text) => {
        let from = 0;
        while (text.startsWith(character, from)) from += character.length;
        return text.slice(from);
      });
    },
  }),
  define({
    id: 'prefix',
    label: t('Put in front', 'Ervoor zetten'),
    help: t('Puts a text in front of the value.', 'Zet een tekst voor de waarde.'),
    in: textTypes,
    out: 'string',
    parameters: [parameter('text', 'string', t('Text', 'Tekst'), { canBeField: true })],
    examples: [example('42', { text: 'C-' }, 'C-42'), example(null, { text: 'x' }, null)],
    apply: () => (input, step) => {
      const others = step.operand('text');
      return mapText((text, row) => (textOf(others[row] ?? null) ?? '') + text)(input, step);
    },
  }),
  define({
    id: 'suffix',
    label: t('Put behind', 'Erachter zetten'),
    help: t('Puts a text behind the value.', 'Zet een tekst achter de waarde.'),
    in: textTypes,
    out: 'string',
    parameters: [parameter('text', 'string', t('Text', 'Tekst'), { canBeField: true })],
    examples: [example('12', { text: ' kg' }, '12 kg'), example(null, { text: 'x' }, null)],
    apply: () => (input, step) => {
      const others = step.operand('text');
      return mapText((text, row) => text + (textOf(others[row] ?? null) ?? ''))(input, step);
    },
  }),
];
