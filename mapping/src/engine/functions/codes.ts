import { textOf } from '../convert.ts';
import { countryCodes, countryNames, currencyCodes } from '../countries.ts';
import { define as entry, example, mapValue, parameter, t, type FunctionEntry } from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('lookup', definition);

interface Country {
  alpha2: string;
  alpha3: string;
  numeric: string;
  name: string;
  nameNl: string;
}
const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

let countryIndex: Map<string, Country> | undefined;
/** Built when the first country is asked for: by every code and name, as people write them. */
function countries(): Map<string, Country> {
  if (countryIndex) return countryIndex;
  const names = new Map(
    countryNames
      .split(/[;\n]+/)
      .filter((part) => part.includes('='))
      .map((part) => [part.slice(0, 2), part.slice(3).split('|')]),
  );
  countryIndex = new Map();
  for (const code of countryCodes.trim().split(/\s+/)) {
    const [name = '', nameNl = name] = names.get(code.slice(0, 2)) ?? [];
    const country = {
      alpha2: code.slice(0, 2),
      alpha3: code.slice(2, 5),
      numeric: code.slice(5),
      name,
      nameNl,
    };
    for (const key of [
      country.alpha2,
      country.alpha3,
      country.numeric,
      String(Number(country.numeric)),
      name,
      nameNl,
    ])
      countryIndex.set(plainName(key), country);
  }
  const others = {
    holland: 'NL',
    thenetherlands: 'NL',
    uk: 'GB',
    greatbritain: 'GB',
    grootbrittannie: 'GB',
    usa: 'US',
    czechrepublic: 'CZ',
    turkey: 'TR',
    deutschland: 'DE',
    belgique: 'BE',
    osterreich: 'AT',
    espana: 'ES',
    italia: 'IT',
    suisse: 'CH',
    schweiz: 'CH',
  };
  for (const [name, code] of Object.entries(others)) {
    const country = countryIndex.get(code.toLowerCase());
    if (country && !countryIndex.has(name)) countryIndex.set(name, country);
  }
  return countryIndex;
}

let currencyIndex: Map<string, { code: string; numeric: string }> | undefined;
function currencies(): Map<string, { code: string; numeric: string }> {
  if (currencyIndex) return currencyIndex;
  currencyIndex = new Map();
  for (const both of currencyCodes.trim().split(/\s+/)) {
    const currency = { code: both.slice(0, 3), numeric: both.slice(3) };
    currencyIndex.set(currency.code, currency).set(currency.numeric, currency);
    currencyIndex.set(String(Number(currency.numeric)), currency);
  }
  for (const [sign, code] of [
    ['€', 'EUR'],
    ['$', 'USD'],
    ['£', 'GBP'],
    ['¥', 'JPY'],
  ] as const) {
    const currency = currencyIndex.get(code);
    if (currency) currencyIndex.set(sign, currency);
  }
  return currencyIndex;
}

export const codeFunctions: readonly FunctionEntry[] = [
  define({
    id: 'countryCode',
    label: t('Country', 'Land'),
    help: t(
      'From any code or an English or Dutch name of a country to a code or a name.',
      'Van elke code of een Engelse of Nederlandse naam van een land naar een code of een naam.',
    ),
    in: ['string', 'unknown', 'int', 'uint', 'nonFormattableInt'],
    out: 'string',
    canFail: true,
    parameters: [
      parameter('to', 'string', t('To', 'Naar'), {
        default: 'alpha2',
        options: [
          ['alpha2', t('two letters (NL)', 'twee letters (NL)')],
          ['alpha3', t('three letters (NLD)', 'drie letters (NLD)')],
          ['numeric', t('number (528)', 'nummer (528)')],
          ['name', t('English name', 'Engelse naam')],
          ['nameNl', t('Dutch name', 'Nederlandse naam')],
        ],
      }),
    ],
    examples: [example('Nederland', {}, 'NL'), example('BE', { to: 'nameNl' }, 'België')],
    apply: (args) => {
      const to = args.text('to') as keyof Country;
      return mapValue(
        (value, row, step) =>
          countries().get(plainName(textOf(value) ?? ''))?.[to] ?? step.fail(row, 'notACountry'),
      );
    },
  }),
  define({
    id: 'currencyCode',
    label: t('Currency', 'Valuta'),
    help: t(
      'From a code, number or sign of a currency to its code or number.',
      'Van een code, nummer of teken van een valuta naar de code of het nummer.',
    ),
    in: ['string', 'unknown', 'int', 'uint', 'nonFormattableInt'],
    out: 'string',
    canFail: true,
    parameters: [
      parameter('to', 'string', t('To', 'Naar'), {
        default: 'code',
        options: [
          ['code', t('code (EUR)', 'code (EUR)')],
          ['numeric', t('number (978)', 'nummer (978)')],
        ],
      }),
    ],
    examples: [example('€', {}, 'EUR'), example('eur', { to: 'numeric' }, '978')],
    apply: (args) => {
      const to = args.text('to') === 'numeric' ? 'numeric' : 'code';
      return mapValue(
        (value, row, step) =>
          currencies().get((textOf(value) ?? '').trim().toUpperCase())?.[to] ??
          step.fail(row, 'notACurrency'),
      );
    },
  }),
];
