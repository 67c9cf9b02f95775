import { testFunctions } from '../test-support/cases.ts';
import { characterFunctions } from './text-characters.ts';
import { patternFunctions } from './text-patterns.ts';
import { searchFunctions } from './text-search.ts';
import { textFunctions } from './text.ts';

testFunctions([...textFunctions, ...searchFunctions, ...patternFunctions, ...characterFunctions], {
  trim: [
    ['\u00a0\u200b a b \ufeff\t', {}, 'a b'],
    [' a ', { side: 'right' }, ' a'],
    ['   ', {}, ''],
    ['Ünï ', {}, 'Ünï'],
  ],
  collapseSpaces: [
    ['a\u00a0\u00a0b', {}, 'a b'],
    ['  a', {}, ' a'],
    ['ab', {}, 'ab'],
  ],
  upper: [
    ['éß', {}, 'ÉSS'],
    ['i', { locale: 'tr' }, 'İ'],
    ['1 a!', { locale: 'en' }, '1 A!'],
  ],
  lower: [
    ['ÀÉ', {}, 'àé'],
    ['ΑΣ', {}, 'ας'],
    ['1 A!', {}, '1 a!'],
  ],
  titleCase: [
    ['ijsselstein', {}, 'IJsselstein'],
    ['ijs', { locale: 'en' }, 'Ijs'],
    ["DE JONG-ÉVERS d'arc", {}, "De Jong-Évers D'arc"],
    ['e\u0301lan', {}, 'Élan'],
  ],
  left: [
    ['ABC', { length: 0 }, ''],
    ['ABC', { length: 99 }, 'ABC'],
    ['e\u0301x', { length: 1 }, 'é'],
  ],
  right: [
    ['😀😁', { length: 1 }, '😁'],
    ['ABC', { length: 0 }, ''],
    ['ABC', { length: 3 }, 'ABC'],
  ],
  substring: [
    ['ABC', { start: 9 }, ''],
    ['ABC', { start: 0, length: 2 }, 'AB'],
    ['😀ABC', { start: 2, length: 1 }, 'A'],
  ],
  truncate: [
    ['short', { max: 5 }, 'short'],
    ['😀😁😂', { max: 2 }, '😀😁'],
    ['abcdef', { max: 2, ellipsis: '...' }, '..'],
  ],
  padLeft: [
    ['é', { length: 3, character: '·' }, '··é'],
    ['12345', { length: 3 }, '12345'],
    ['😀', { length: 2 }, '0😀'],
  ],
  padRight: [
    ['é', { length: 3, character: '·' }, 'é··'],
    ['12345', { length: 3 }, '12345'],
    ['😀', { length: 2 }, '😀0'],
  ],
  stripLeading: [
    ['000', {}, ''],
    ['12', {}, '12'],
    ['éé1', { character: 'é' }, '1'],
  ],
  prefix: [
    ['a', { text: 'é' }, 'éa'],
    ['a', { text: '😀 ' }, '😀 a'],
    ['a', { text: 5 }, '5a'],
  ],
  suffix: [
    ['a', { text: 'é' }, 'aé'],
    ['a', { text: ' 😀' }, 'a 😀'],
    ['a', { text: 5 }, 'a5'],
  ],
  replace: [
    ['aaa', { find: 'aa', by: 'b' }, 'ba'],
    ['a$b', { find: '$', by: '$&$1' }, 'a$&$1b'],
    ['Ab', { find: 'a', by: 'x' }, 'Ab'],
  ],
  contains: [
    [['a', 'B'], { text: 'b' }, true],
    [['ab'], { text: 'b' }, false],
    [5, { text: '5' }, '!notText'],
    ['Één', { text: 'éÉ' }, true],
    ['abc', { text: 'x' }, false],
  ],
  startsWith: [
    ['Éa', { text: 'é' }, true],
    ['Abc', { text: 'a', caseSensitive: true }, false],
    ['a', { text: 'abc' }, false],
  ],
  endsWith: [
    ['aÉ', { text: 'é' }, true],
    ['abC', { text: 'c', caseSensitive: true }, false],
    ['c', { text: 'abc' }, false],
  ],
  length: [
    [' ', {}, 1],
    ['e\u0301', {}, 1],
    ['x'.repeat(10_000), {}, 10_000],
  ],
  indexOf: [
    ['😀b', { text: 'b' }, 2],
    ['abc', { text: 'abc' }, 1],
    ['abc', { text: 'B' }, 0],
  ],
  concat: [
    [null, { others: [null, ''] }, null],
    [1.5, { others: [true] }, '1.5true'],
    ['a', { others: [null, 'b'], separator: '-' }, 'a-b'],
    ['a', { others: [null, 'b'], separator: '-', skipEmpty: false }, 'a--b'],
    [['x', 'y'], { others: ['é'], separator: ' ' }, 'x, y é'],
    ['', { others: ['b'], separator: '-' }, 'b'],
  ],
  regexReplace: [
    ['aaa', { pattern: 'a', by: 'b', all: false }, 'baa'],
    ['é1', { pattern: '\\pL', by: '<$&>' }, '<é>1'],
    ['abc', { pattern: 'x', by: 'y' }, 'abc'],
  ],
  regexExtract: [
    ['NL-12', { pattern: '(\\pL+)-(\\d+)', group: 2 }, '12'],
    ['NL-12', { pattern: '(\\pL+)', group: 7 }, null],
    ['12', { pattern: '(a)?12', group: 1 }, null],
  ],
  matches: [
    ['Straße', { pattern: '(?i)^STRA' }, true],
    ['a\nb', { pattern: '^b' }, false],
    ['😀', { pattern: '^.$' }, true],
  ],
  split: [
    ['a,,b', { separator: ',' }, ['a', '', 'b']],
    ['a, b', { separator: ', ' }, ['a', 'b']],
    ['é|ü', { separator: '|' }, ['é', 'ü']],
  ],
  splitPart: [
    ['a-b', { separator: '-', part: 3 }, null],
    ['a-b', { separator: '-', part: 0 }, null],
    ['a--b', { separator: '-', part: 2 }, null],
  ],
  template: [
    [null, { template: 'Order {value}' }, null],
    [null, { template: 'fixed' }, 'fixed'],
    [2.5, { template: '{value} {value}' }, '2.5 2.5'],
    ['é', { template: '«{value}»' }, '«é»'],
    ['x', { template: '{ value }!' }, 'x!'],
    ['x', { template: '{nothing}' }, '!unknownSourceField'],
  ],
  removeDiacritics: [
    ['ŁódźØ', {}, 'LodzO'],
    ['plain', {}, 'plain'],
    ['e\u0301', {}, 'e'],
  ],
  toAscii: [
    ['“a”…', {}, '"a"...'],
    ['日', { unknown: '' }, '!notAscii'],
    ['plain', {}, 'plain'],
  ],
  keepChars: [
    ['abc', { class: 'digits' }, null],
    ['é1-ü', { class: 'letters' }, 'éü'],
    ['a\u0000b\u0007', { class: 'printable' }, 'ab'],
  ],
  removeChars: [
    ['é1', { class: 'letters' }, '1'],
    ['abc', { class: 'letters' }, null],
    ['a b', { class: 'digits' }, 'a b'],
  ],
  slug: [
    ['---', {}, null],
    ['Straße 1', {}, 'strasse-1'],
    ['a_b.C', {}, 'a-b-c'],
  ],
  normalizeNewlines: [
    ['a\nb', { style: 'CRLF' }, 'a\r\nb'],
    ['a\r\n\r\nb', {}, 'a\n\nb'],
    ['ab', {}, 'ab'],
  ],
  stripHtml: [
    ['<script>x()</script>a', {}, 'a'],
    ['2 < 3 > 1', {}, '2 < 3 > 1'],
    ['&eacute;&#8364;&unknown;', {}, 'é€&unknown;'],
    ['<b>', {}, null],
  ],
  toText: [
    [0.1, {}, '0.1'],
    [1e21, {}, '1000000000000000000000'],
    [false, {}, 'false'],
    [['a', 1], {}, 'a, 1'],
    ['é', {}, 'é'],
  ],
});
