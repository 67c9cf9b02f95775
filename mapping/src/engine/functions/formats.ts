import { mapRaw } from './encoding.ts';
import { textOf } from '../convert.ts';
import { define as entry, example, parameter, t, textTypes, type FunctionEntry } from './define.ts';

const define = (definition: Parameters<typeof entry>[1]): FunctionEntry => entry('encoding', definition);

/** Mod 97 of ISO 13616 over digits of any length. */
function mod97(digits: string): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}

const compact = (text: string): string => text.replace(/[\s.-]/g, '').toUpperCase();

function isIban(text: string): boolean {
  const iban = compact(text);
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const moved = iban.slice(4) + iban.slice(0, 4);
  return mod97(moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))) === 1;
}

/** Forms of VAT numbers of the European Union, Norway, Switzerland and the United Kingdom. */
const vatForms: Record<string, RegExp> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CH: /^E?\d{9}(MWST|TVA|IVA)?$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z0-9]{2}\d{9}$/,
  GB: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^\d{9}B\d{2}$/,
  NO: /^\d{9}(MVA)?$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
};

function vatOf(text: string, country: string): string {
  const plain = compact(text).replace(/^GR/, 'EL');
  const own = country.toUpperCase() === 'GR' ? 'EL' : country.toUpperCase();
  const isPrefixed = Object.hasOwn(vatForms, plain.slice(0, 2)) && !vatForms[own]?.test(plain);
  return isPrefixed || own === '' ? plain : own + plain;
}

const isVat = (text: string): boolean => vatForms[text.slice(0, 2)]?.test(text.slice(2)) ?? false;

/** Calling codes with the prefix of calls within the country, which the international form drops. */
const callingCodes: Record<string, [code: string, trunk: string]> = {
  NL: ['31', '0'],
  BE: ['32', '0'],
  DE: ['49', '0'],
  FR: ['33', '0'],
  GB: ['44', '0'],
  LU: ['352', ''],
  AT: ['43', '0'],
  CH: ['41', '0'],
  ES: ['34', ''],
  IT: ['39', ''],
  PT: ['351', ''],
  DK: ['45', ''],
  SE: ['46', '0'],
  NO: ['47', ''],
  FI: ['358', '0'],
  IE: ['353', '0'],
  PL: ['48', ''],
  US: ['1', '1'],
  CA: ['1', '1'],
};

function phoneOf(text: string, country: string): string | null {
  const plain = text.replace(/\(0\)/g, '').replace(/[\s().\-/\u00a0]/g, '');
  const [code, trunk] = callingCodes[country] ?? ['', ''];
  const digits = plain.startsWith('+')
    ? plain.slice(1)
    : plain.startsWith('00')
      ? plain.slice(2)
      : code + (trunk !== '' && plain.startsWith(trunk) ? plain.slice(trunk.length) : plain);
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
}

const postcodes: Record<string, { read: RegExp; write: string }> = {
  NL: { read: /^(?:NL)?([1-9]\d{3})([A-Z]{2})$/, write: '$1 $2' },
  BE: { read: /^(?:B|BE)?([1-9]\d{3})$/, write: '$1' },
  DE: { read: /^(?:D|DE)?(\d{5})$/, write: '$1' },
  FR: { read: /^(?:F|FR)?(\d{5})$/, write: '$1' },
  GB: { read: /^([A-Z]{1,2}\d[A-Z0-9]?)(\d[A-Z]{2})$/, write: '$1 $2' },
  LU: { read: /^(?:L|LU)?(\d{4})$/, write: '$1' },
};
const countryParameter = (initial: string, countries: readonly string[]) =>
  parameter('country', 'string', t('Country', 'Land'), {
    default: initial,
    options: countries.map((code) => [code, t(code, code)]),
  });

const emailPattern = /^[^\s@,;<>()"]+@[^\s@,;<>()".]+(?:\.[^\s@,;<>()".]+)+$/;
const emailOf = (text: string): string => {
  const inner = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  return inner
    .trim()
    .replace(/^mailto:/i, '')
    .toLowerCase();
};

const isValid = (
  id: string,
  label: FunctionEntry['label'],
  help: FunctionEntry['help'],
  shown: [string, boolean][],
  test: (text: string) => boolean,
): FunctionEntry =>
  define({
    id,
    label,
    help,
    in: textTypes,
    out: 'bool',
    examples: shown.map(([input, output]) => example(input, {}, output)),
    apply: () => mapRaw((text) => test(text)),
  });

export const formatFunctions: readonly FunctionEntry[] = [
  define({
    id: 'ibanFormat',
    label: t('Write IBAN', 'IBAN schrijven'),
    help: t(
      'In groups of four or without spaces; what is no IBAN fails.',
      'In groepjes van vier of zonder spaties; wat geen IBAN is mislukt.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [
      parameter('style', 'string', t('Style', 'Stijl'), {
        default: 'compact',
        options: [
          ['compact', t('without spaces', 'zonder spaties')],
          ['grouped', t('groups of four', 'groepjes van vier')],
        ],
      }),
    ],
    examples: [
      example('nl91 abna 0417 1643 00', {}, 'NL91ABNA0417164300'),
      example('NL91ABNA0417164300', { style: 'grouped' }, 'NL91 ABNA 0417 1643 00'),
    ],
    apply: (args) => {
      const isGrouped = args.text('style') === 'grouped';
      return mapRaw((text, row, step) => {
        if (!isIban(text)) return step.fail(row, 'notAnIban');
        return isGrouped ? compact(text).replace(/.{4}(?=.)/g, '$& ') : compact(text);
      });
    },
  }),
  isValid(
    'isValidIban',
    t('Is an IBAN', 'Is een IBAN'),
    t('True where form and check digits are right.', 'Waar als vorm en controlegetal kloppen.'),
    [
      ['NL91 ABNA 0417 1643 00', true],
      ['NL91ABNA0417164301', false],
    ],
    isIban,
  ),
  define({
    id: 'vatNormalise',
    label: t('Write VAT number', 'Btw-nummer schrijven'),
    help: t(
      'Capitals without dots and spaces, with the country in front; a wrong form fails.',
      'Hoofdletters zonder punten en spaties, met het land ervoor; een verkeerde vorm mislukt.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [parameter('country', 'string', t('Country', 'Land'), { default: 'NL', canBeField: true })],
    examples: [
      example('nl 8123.45.678.b01', {}, 'NL812345678B01'),
      example('0123.456.789', { country: 'BE' }, 'BE0123456789'),
    ],
    apply: () => (input, step) => {
      const countries = step.operand('country');
      return mapRaw((text, row) => {
        const vat = vatOf(text, textOf(countries[row] ?? null) ?? '');
        return isVat(vat) ? vat : step.fail(row, 'notAVatNumber');
      })(input, step);
    },
  }),
  isValid(
    'isValidVatFormat',
    t('Has the form of a VAT number', 'Heeft de vorm van een btw-nummer'),
    t(
      'True where the form is that of its country; nobody is asked whether it exists.',
      'Waar als de vorm die van zijn land is; of het bestaat wordt niet nagevraagd.',
    ),
    [
      ['NL812345678B01', true],
      ['NL81234', false],
    ],
    (text) => isVat(vatOf(text, '')),
  ),
  define({
    id: 'phoneE164',
    label: t('Write phone number', 'Telefoonnummer schrijven'),
    help: t(
      'The international form +31612345678; numbers without country are of the given one.',
      'De internationale vorm +31612345678; nummers zonder land zijn van het gegeven land.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [countryParameter('NL', Object.keys(callingCodes))],
    examples: [example('06-12 34 56 78', {}, '+31612345678'), example('+49 (0)30 123456', {}, '+4930123456')],
    apply: (args) => {
      const country = args.text('country');
      return mapRaw((text, row, step) => phoneOf(text, country) ?? step.fail(row, 'notAPhoneNumber'));
    },
  }),
  define({
    id: 'postcodeNormalise',
    label: t('Write postcode', 'Postcode schrijven'),
    help: t(
      'As the country writes it; a wrong form fails.',
      'Zoals het land hem schrijft; een verkeerde vorm mislukt.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    parameters: [countryParameter('NL', Object.keys(postcodes))],
    examples: [example('1234ab', {}, '1234 AB'), example('sw1a1aa', { country: 'GB' }, 'SW1A 1AA')],
    apply: (args) => {
      const form = postcodes[args.text('country')];
      return mapRaw((text, row, step) => {
        const plain = compact(text);
        return form?.read.test(plain) ? plain.replace(form.read, form.write) : step.fail(row, 'notAPostcode');
      });
    },
  }),
  define({
    id: 'emailNormalise',
    label: t('Write e-mail address', 'E-mailadres schrijven'),
    help: t(
      'Small letters, without name and brackets; what is no address fails.',
      'Kleine letters, zonder naam en haken; wat geen adres is mislukt.',
    ),
    in: textTypes,
    out: 'string',
    canFail: true,
    examples: [
      example(' Info@Example.NL ', {}, 'info@example.nl'),
      example('An Smit <an@smit.nl>', {}, 'an@smit.nl'),
    ],
    apply: () =>
      mapRaw((text, row, step) =>
        emailPattern.test(emailOf(text)) ? emailOf(text) : step.fail(row, 'notAnEmail'),
      ),
  }),
  isValid(
    'isValidEmail',
    t('Is an e-mail address', 'Is een e-mailadres'),
    t('True where it has the form of one address.', 'Waar als het de vorm van één adres heeft.'),
    [
      ['a@b.nl', true],
      ['a@b', false],
    ],
    (text) => emailPattern.test(text.trim()),
  ),
];
