import { textOf } from '../convert.ts';
import { compileRegex, type Regex } from '../regex.ts';
import {
  anyOrList,
  define as entry,
  example,
  mapAll,
  mapText,
  mapValue,
  parameter,
  t,
  textTypes,
  type ArgProblem,
  type Args,
  type ColumnFunction,
  type FunctionEntry,
} from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('text', definition);

const patternParameter = parameter(
  'pattern',
  'string',
  t('Regular expression (RE2)', 'Reguliere expressie (RE2)'),
);

const checkPattern = (args: Args): ArgProblem | null => {
  const compiled = compileRegex(args.text('pattern'));
  return compiled.isOk ? null : { code: 'invalidRegex', params: { reason: compiled.message } };
};

/** An expression that is none fails every record: the check says so before, a run must not die of it. */
function withRegex(args: Args, use: (regex: Regex) => ColumnFunction): ColumnFunction {
  const compiled = compileRegex(args.text('pattern'));
  if (compiled.isOk) return use(compiled.regex);
  return mapValue((_, row, step) => step.fail(row, 'invalidRegex', { reason: compiled.message }));
}

/** Longest text that an expression looks at; beyond it is no value of a field. */
const maxSubject = 200_000;
const isTooLong = (text: string): boolean => text.length > maxSubject;

/** Literal texts and the names between them; `{{` and `}}` are braces. Null where a brace is left open. */
export function parseTemplate(text: string): { literals: string[]; names: string[] } | null {
  const literals = [''];
  const names: string[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const isDouble = text.charAt(at + 1) === character;
    if ((character === '{' || character === '}') && isDouble) {
      literals[literals.length - 1] += character;
      at += 2;
    } else if (character === '{') {
      const end = text.indexOf('}', at);
      if (end < 0) return null;
      names.push(text.slice(at + 1, end).trim());
      literals.push('');
      at = end + 1;
    } else if (character === '}') return null;
    else {
      literals[literals.length - 1] += character;
      at += 1;
    }
  }
  return { literals, names };
}

export const patternFunctions: readonly FunctionEntry[] = [
  define({
    id: 'regexReplace',
    label: t('Replace by expression', 'Vervangen met expressie'),
    help: t(
      'Replaces what a regular expression finds; $1 is its first group, $& all that was found.',
      'Vervangt wat een reguliere expressie vindt; $1 is de eerste groep, $& alles wat gevonden is.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [
      patternParameter,
      parameter('by', 'string', t('Replace by', 'Vervang door'), { default: '' }),
      parameter('all', 'bool', t('All of them', 'Allemaal'), { default: true }),
    ],
    examples: [
      example('2026-11-21', { pattern: '(\\d+)-(\\d+)-(\\d+)', by: '$3.$2.$1' }, '21.11.2026'),
      example('a1b22', { pattern: '\\d+', by: '#' }, 'a#b#'),
    ],
    check: checkPattern,
    apply: (args) => {
      const [by, isAll] = [args.text('by'), args.flag('all')];
      return withRegex(args, (regex) =>
        mapText((text, row, step) =>
          isTooLong(text) ? step.fail(row, 'tooLong') : regex.replace(text, by, isAll),
        ),
      );
    },
  }),
  define({
    id: 'regexExtract',
    label: t('Take out by expression', 'Uithalen met expressie'),
    help: t(
      'What a regular expression finds first, or one of its groups; empty where it finds nothing.',
      'Wat een reguliere expressie het eerst vindt, of een groep daarvan; leeg als er niets is.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [
      patternParameter,
      parameter('group', 'uint', t('Group (0 = all)', 'Groep (0 = alles)'), { default: 0 }),
    ],
    examples: [example('order 42 x', { pattern: '\\d+' }, '42'), example('order', { pattern: '\\d+' }, null)],
    check: checkPattern,
    apply: (args) => {
      const group = args.number('group') ?? 0;
      return withRegex(args, (regex) =>
        mapText((text, row, step) =>
          isTooLong(text) ? step.fail(row, 'tooLong') : (regex.find(text)?.[group] ?? null) || null,
        ),
      );
    },
  }),
  define({
    id: 'matches',
    label: t('Matches expression', 'Voldoet aan expressie'),
    help: t(
      'True where a regular expression finds something; ^ and $ are the ends of the text.',
      'Waar als een reguliere expressie iets vindt; ^ en $ zijn de uiteinden van de tekst.',
    ),
    in: textTypes,
    out: 'bool',
    canFail: true,
    parameters: [patternParameter],
    examples: [
      example('1234 AB', { pattern: '^\\d{4} ?[A-Z]{2}$' }, true),
      example('x', { pattern: '\\d' }, false),
    ],
    check: checkPattern,
    apply: (args) =>
      withRegex(args, (regex) =>
        mapText((text, row, step) => (isTooLong(text) ? step.fail(row, 'tooLong') : regex.test(text))),
      ),
  }),
  define({
    id: 'split',
    label: t('Split', 'Splitsen'),
    help: t('A list of the parts between separators.', 'Een lijst van de delen tussen scheidingstekens.'),
    in: textTypes,
    out: 'string[]',
    parameters: [parameter('separator', 'string', t('Separator', 'Scheidingsteken'))],
    examples: [
      example('a,b,c', { separator: ',' }, ['a', 'b', 'c']),
      example('a', { separator: ',' }, ['a']),
    ],
    apply: (args) => {
      const separator = args.text('separator');
      return mapText((text) => (separator === '' ? Array.from(text) : text.split(separator)));
    },
  }),
  define({
    id: 'splitPart',
    label: t('Part between separators', 'Deel tussen scheidingstekens'),
    help: t(
      'One part, counted from 1; negative counts from the end. Empty where there is no such part.',
      'Eén deel, geteld vanaf 1; negatief telt vanaf het eind. Leeg als het er niet is.',
    ),
    in: textTypes,
    out: 'string',
    parameters: [
      parameter('separator', 'string', t('Separator', 'Scheidingsteken')),
      parameter('part', 'int', t('Part', 'Deel')),
    ],
    examples: [
      example('a-b-c', { separator: '-', part: 2 }, 'b'),
      example('a-b-c', { separator: '-', part: -1 }, 'c'),
    ],
    apply: (args) => {
      const [separator, part] = [args.text('separator'), args.number('part') ?? 1];
      return mapText((text) => {
        const parts = separator === '' ? [text] : text.split(separator);
        return (part === 0 ? null : parts.at(part > 0 ? part - 1 : part)) || null;
      });
    },
  }),
  define({
    id: 'template',
    label: t('Text with fields', 'Tekst met velden'),
    help: t(
      'A text in which {value} is the value so far and {field} a field of the source record; {{ and }} are braces.',
      'Een tekst waarin {value} de waarde tot hier is en {veld} een veld van het bronrecord; {{ en }} zijn accolades.',
    ),
    in: anyOrList,
    out: 'string',
    handlesEmpty: true,
    parameters: [parameter('template', 'string', t('Text', 'Tekst'))],
    examples: [
      example('42', { template: 'Order {value}' }, 'Order 42'),
      example('x', { template: '{{{value}}}' }, '{x}'),
    ],
    check: (args) =>
      parseTemplate(args.text('template')) === null ? { code: 'openBrace', params: {} } : null,
    apply: (args) => {
      const parsed = parseTemplate(args.text('template')) ?? { literals: [args.text('template')], names: [] };
      const { literals, names } = parsed;
      return (input, step) => {
        const columns = names.map((name) => (name === 'value' ? input : step.sourceColumn(name)));
        return mapAll((_, row) => {
          let isBlank = columns.length > 0;
          let result = literals[0] ?? '';
          for (let index = 0; index < columns.length; index += 1) {
            const text = textOf(columns[index]?.[row] ?? null);
            if (text !== null) isBlank = false;
            result += (text ?? '') + (literals[index + 1] ?? '');
          }
          return isBlank || result === '' ? null : result;
        })(input, step);
      };
    },
  }),
];
