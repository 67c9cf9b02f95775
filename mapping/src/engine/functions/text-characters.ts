import type { Value } from '@sluice/contract';
import { textOf } from '../convert.ts';
import {
  anyOrList,
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
} from './define.ts';
import { plainText } from './html.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('text', definition);

/** Characters of each kind, as they stand in the brackets of an expression. */
const kinds: Record<string, { kept: RegExp; removed: RegExp }> = {
  digits: { kept: /[^\p{Nd}]+/gu, removed: /\p{Nd}+/gu },
  letters: { kept: /[^\p{L}\p{M}]+/gu, removed: /[\p{L}\p{M}]+/gu },
  alnum: { kept: /[^\p{L}\p{M}\p{Nd}]+/gu, removed: /[\p{L}\p{M}\p{Nd}]+/gu },
  printable: { kept: /[\p{C}\p{Zl}\p{Zp}]+/gu, removed: /[^\p{C}\p{Zl}\p{Zp}]+/gu },
};
const classParameter = parameter('class', 'string', t('Characters', 'Tekens'), {
  options: [
    ['digits', t('digits', 'cijfers')],
    ['letters', t('letters', 'letters')],
    ['alnum', t('letters and digits', 'letters en cijfers')],
    ['printable', t('printable ones', 'afdrukbare')],
  ],
});

function filtering(args: Args, isKeeping: boolean): ColumnFunction {
  const kind = kinds[args.text('class')];
  if (!kind) return mapText((text) => text);
  const unwanted = isKeeping ? kind.kept : kind.removed;
  return mapText((text) => text.replace(unwanted, ''));
}

const marks = /\p{M}+/gu;
/** Letters that are no letter with a mark. */
const special: Record<string, string> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
  ĳ: 'ij',
  Ĳ: 'IJ',
  ħ: 'h',
  Ħ: 'H',
  ŋ: 'n',
  Ŋ: 'N',
  ŧ: 't',
  Ŧ: 'T',
};
const signs: Record<string, string> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  '€': 'EUR',
  '£': 'GBP',
  '©': '(c)',
  '®': '(r)',
  '™': '(tm)',
  '°': 'o',
  '×': 'x',
  '·': '.',
  '•': '*',
  '«': '<<',
  '»': '>>',
};
const withoutMarks = (text: string): string =>
  /[\u0080-\uffff]/.test(text)
    ? text
        .normalize('NFD')
        .replace(marks, '')
        .replace(/[ßẞæÆœŒøØđĐðÐþÞłŁıĳĲħĦŋŊŧŦ]/g, (letter) => special[letter] ?? letter)
        .normalize('NFC')
    : text;

export const characterFunctions: readonly FunctionEntry[] = [
  define({
    id: 'removeDiacritics',
    label: t('Remove accents', 'Accenten weg'),
    help: t(
      'Letters without their accents; æ becomes ae, ß ss.',
      'Letters zonder accenten; æ wordt ae, ß ss.',
    ),
    in: textTypes,
    out: 'string',
    examples: [example('Café', {}, 'Cafe'), example('Straße Ærø', {}, 'Strasse AEro')],
    apply: () => mapText(withoutMarks),
  }),
  define({
    id: 'toAscii',
    label: t('Plain characters only', 'Alleen gewone tekens'),
    help: t(
      'Writes everything with ASCII characters; what has no such form becomes the replacement, or fails without one.',
      'Schrijft alles in ASCII-tekens; wat niet kan wordt het vervangteken, of mislukt als er geen is.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [parameter('unknown', 'string', t('Replacement', 'Vervangteken'), { default: '?' })],
    examples: [example('Crème – € 5', {}, 'Creme - EUR 5'), example('日本', {}, '??')],
    apply: (args) => {
      const unknown = args.text('unknown');
      return mapText((text, row, step) => {
        const plain = withoutMarks(text).replace(/[\u{80}-\u{10ffff}]/gu, (sign) => signs[sign] ?? '\u0000');
        if (!plain.includes('\u0000')) return plain;
        return unknown === '' ? step.fail(row, 'notAscii') : plain.replaceAll('\u0000', () => unknown);
      });
    },
  }),
  define({
    id: 'keepChars',
    label: t('Keep characters', 'Tekens houden'),
    help: t('Keeps only characters of one kind.', 'Houdt alleen tekens van één soort.'),
    in: textTypes,
    out: 'string',
    parameters: [classParameter],
    examples: [
      example('+31 (0)6-12', { class: 'digits' }, '310612'),
      example('Bl.4a!', { class: 'alnum' }, 'Bl4a'),
    ],
    apply: (args) => emptied(filtering(args, true)),
  }),
  define({
    id: 'removeChars',
    label: t('Remove characters', 'Tekens weghalen'),
    help: t('Removes all characters of one kind.', 'Haalt alle tekens van één soort weg.'),
    in: textTypes,
    out: 'string',
    parameters: [classParameter],
    examples: [example('a1b2', { class: 'digits' }, 'ab'), example('a1-b2', { class: 'alnum' }, '-')],
    apply: (args) => emptied(filtering(args, false)),
  }),
  define({
    id: 'slug',
    label: t('Short name for addresses', 'Korte naam voor adressen'),
    help: t(
      'Small letters and digits without accents, joined by hyphens.',
      'Kleine letters en cijfers zonder accenten, verbonden met streepjes.',
    ),
    in: textTypes,
    out: 'string',
    examples: [example('Ünit 4!', {}, 'unit-4'), example('  A & B ', {}, 'a-b')],
    apply: () =>
      emptied(
        mapText((text) =>
          withoutMarks(text)
            .toLowerCase()
            .split(/[^a-z0-9]+/)
            .filter((part) => part !== '')
            .join('-'),
        ),
      ),
  }),
  define({
    id: 'normalizeNewlines',
    label: t('Line ends', 'Regeleinden'),
    help: t('Writes all line ends in one way.', 'Schrijft alle regeleinden op één manier.'),
    in: textTypes,
    out: 'string',
    parameters: [
      parameter('style', 'string', t('Style', 'Stijl'), {
        default: 'LF',
        options: [
          ['LF', t('LF', 'LF')],
          ['CRLF', t('CRLF', 'CRLF')],
          ['space', t('a space', 'een spatie')],
        ],
      }),
    ],
    examples: [example('a\r\nb\rc', {}, 'a\nb\nc'), example('a\nb', { style: 'space' }, 'a b')],
    apply: (args) => {
      const by = { LF: '\n', CRLF: '\r\n', space: ' ' }[args.text('style')] ?? '\n';
      return mapText((text) => text.replace(/\r\n|\r|\n/g, by));
    },
  }),
  define({
    id: 'stripHtml',
    label: t('Remove HTML', 'HTML weghalen'),
    help: t(
      'The text without tags, with entities as characters.',
      'De tekst zonder tags, met entiteiten als tekens.',
    ),
    in: textTypes,
    out: 'string',
    examples: [example('<p>a &amp; <b>b</b></p>', {}, 'a & b'), example('1 &lt; 2<br>x', {}, '1 < 2\nx')],
    apply: () => emptied(mapText(plainText)),
  }),
  define({
    id: 'toText',
    label: t('To text', 'Naar tekst'),
    help: t(
      'Any value as text: numbers with a point and without grouping, dates as YYYY-MM-DD.',
      'Elke waarde als tekst: getallen met een punt en zonder groepering, datums als JJJJ-MM-DD.',
    ),
    in: anyOrList,
    out: 'string',
    examples: [example(12.5, {}, '12.5'), example(true, {}, 'true')],
    apply: () => mapValue((value): Value => textOf(value)),
  }),
];

/** Nothing left is empty. */
function emptied(run: ColumnFunction): ColumnFunction {
  return (input, step) => {
    const out = run(input, step);
    return Array.isArray(out) ? out.map((value) => (value === '' ? null : value)) : out;
  };
}
