/** `npm run docs`: writes docs/functions.md and docs/functions.nl.md from the registry of transform functions. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FnParam, Locale, TransformFnDescriptor } from '@sluice/contract';
import { describeFunctions, describeMacros, describeOperators } from '@sluice/mapping/engine';

const words = {
  EN: {
    title: 'Transform functions, macros and operators',
    intro:
      'Made by `npm run docs` from the registry of the mapping engine; its examples run as tests. A value that cannot be\nconverted fails its record; functions that can fail take `onError`: `error`, `empty`, or a value to go on with. An\nempty value stays empty, except where a function is there for it.',
    other: 'In het Nederlands: [functions.nl.md](functions.nl.md).',
    parameters: 'Arguments',
    example: 'Example',
    takes: 'takes',
    gives: 'gives',
    field: 'may be a field',
    macros: 'Macros',
    updates: 'source updates only',
    operators: 'Operators of triggers',
    default: 'default',
  },
  NL: {
    title: 'Transformatiefuncties, macro’s en operatoren',
    intro:
      'Gemaakt met `npm run docs` uit het register van de mapping-engine; de voorbeelden draaien als tests. Een waarde die\nniet om te zetten is laat haar record mislukken; functies die kunnen mislukken kennen `onError`: `error`, `empty` of\neen waarde om mee verder te gaan. Leeg blijft leeg, behalve waar een functie daar juist voor is.',
    other: 'In English: [functions.md](functions.md).',
    parameters: 'Argumenten',
    example: 'Voorbeeld',
    takes: 'neemt',
    gives: 'geeft',
    field: 'mag een veld zijn',
    macros: 'Macro’s',
    updates: 'alleen in bronupdates',
    operators: 'Operatoren van triggers',
    default: 'standaard',
  },
} as const;

const code = (value: unknown): string => `\`${JSON.stringify(value).replaceAll('`', "'")}\``;

function parameterLine(parameter: FnParam, locale: Locale): string {
  const text = words[locale];
  const notes = [
    parameter.dataType + (parameter.list === 'pairs' ? '[][]' : parameter.list === 'values' ? '[]' : ''),
  ];
  if (parameter.options)
    notes.push(parameter.options.map(({ value, description }) => `${code(value)} ${description}`).join(', '));
  if (!parameter.isMandatory && parameter.defaultValue !== null)
    notes.push(`${text.default} ${code(parameter.defaultValue)}`);
  if (parameter.canBeField) notes.push(text.field);
  return `- \`${parameter.id}\`${parameter.isMandatory ? '' : '?'} ${parameter.name} (${notes.join('; ')})`;
}

function functionText(entry: TransformFnDescriptor, locale: Locale): string {
  const text = words[locale];
  const parameters = entry.params.filter(({ id }) => id !== 'onError');
  const canFail = parameters.length < entry.params.length;
  return [
    `### ${entry.id}: ${entry.name}`,
    '',
    entry.description,
    '',
    `*${text.takes}* ${entry.inputTypes.join(', ')}; *${text.gives}* ${entry.returnType}${canFail ? '; `onError`' : ''}`,
    ...(parameters.length > 0
      ? ['', `${text.parameters}:`, '', ...parameters.map((parameter) => parameterLine(parameter, locale))]
      : []),
    ...(entry.examples.length > 0 ? [''] : []),
    ...entry.examples.map(
      ({ input, args, output }) =>
        `- ${text.example}: ${code(input)}${Object.keys(args).length > 0 ? ` ${code(args)}` : ''} → ${code(output)}`,
    ),
  ].join('\n');
}

/** The document in one language. */
export function functionDocs(locale: Locale): string {
  const text = words[locale];
  const entries = describeFunctions(locale);
  const groups = [...new Set(entries.map(({ group }) => group))];
  const parts = groups.map((group) => {
    const own = entries.filter((entry) => entry.group === group);
    return [`## ${own[0]?.groupName ?? group}`, ...own.map((entry) => functionText(entry, locale))].join(
      '\n\n',
    );
  });
  const macros = describeMacros(locale, true).map(
    ({ id, name, description, returnType, isForSourceUpdates }) =>
      `- \`${id}\` ${name} (${returnType}${isForSourceUpdates ? `; ${text.updates}` : ''}): ${description}`,
  );
  const operators = describeOperators(locale).map(({ id, name }) => `- \`${id}\` ${name}`);
  return [
    `# ${text.title}`,
    text.intro,
    text.other,
    ...parts,
    `## ${text.macros}`,
    macros.join('\n'),
    `## ${text.operators}`,
    operators.join('\n'),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

/** Where the documents stand. */
export const documents: Record<Locale, string> = { EN: 'docs/functions.md', NL: 'docs/functions.nl.md' };
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const locale of ['EN', 'NL'] as const)
    fs.writeFileSync(path.join(root, documents[locale]), functionDocs(locale));
