import { describe, expect, it } from 'vitest';
import { isPassing, messageKinds, toPattern, toRecordError } from './errors.ts';
import type { ErrorScope } from './errors.ts';
import { toTrytonError } from './rpc.ts';

/** Texts as Tryton 6.0 has them, recorded in both languages; the misprints are Tryton's. */
const recordedTexts: [string, string][] = [
  ['msg_required_validation_record', 'A value is required for field "%(field)s" in "%(model)s".'],
  ['msg_required_validation_record', 'Een waarde is vereist voor veld "%(field)s" in "%(model)s".'],
  [
    'msg_selection_validation_record',
    'The value "%(value)s" for field "%(field)s" in "%(model)s" is not one of the allowed options.',
  ],
  [
    'msg_domain_validation_record',
    'The value for field "%(field)s" in "%(model)s" is not valid according to its domain.',
  ],
  [
    'msg_digits_validation_record',
    'The number of digits in the value "%(value)s" for field "%(field)s" in "%(model)s" exceeds the limit of "%(digits)i".',
  ],
  [
    'msg_size_validation_record',
    'The value for field "%(field)s" in "%(model)s" is too long (%(size)i > %(max_size)i).',
  ],
  ['msg_foreign_model_missing', 'De waarde "%(value)s" voor veld "%(field)s"" in "%(model)s" bestaat niet.'],
  [
    'msg_foreign_model_exist',
    'The records could not be deleted because they are used by field "%(field)s" of "%(model)s".',
  ],
  ['msg_access_rule_error', 'U hebt geen toegang tot "%(model)s".'],
  ['msg_write_error', 'U probeert te schrijven in het record "%(ids)s" van"%(model)s dat niet meer bestaat.'],
];
const patterns = recordedTexts.map(([id, text]) => {
  const kind = messageKinds[id];
  if (kind === undefined) throw new Error(id);
  return { ...kind, pattern: toPattern(text) };
});

const party: ErrorScope = {
  patterns,
  modelNames: new Set(['party', 'relatie']),
  labels: new Map([
    ['code', ['code']],
    ['name', ['name']],
    ['naam', ['name']],
    ['language', ['lang']],
    ['taal', ['lang']],
    ['tax rule', ['customer_tax_rule', 'supplier_tax_rule']],
    ['relatie', ['replaced_by']],
    ['list price', ['list_price', 'list_prices']],
  ]),
  lists: [],
  written: new Set(),
  sizes: new Map(),
  values: {},
};

function scope(values: Record<string, unknown>, more: Partial<ErrorScope> = {}): ErrorScope {
  return { ...party, values, written: new Set(Object.keys(values)), ...more };
}

const userError = (text: string, domain: unknown = null) => toTrytonError('UserError', [text, '', domain]);

describe('refusals of Tryton become record errors', () => {
  it.each([
    [
      'a required value in English',
      userError('A value is required for field "Code" in "Party".'),
      {},
      { field: 'code', class: 'validation', code: 4001 },
    ],
    [
      'a required value in Dutch',
      userError('Een waarde is vereist voor veld "Naam" in "Relatie".'),
      {},
      { field: 'name', class: 'validation', code: 4001 },
    ],
    [
      'a Dutch text with an English label',
      userError('Een waarde is vereist voor veld "Name" in "Relatie".'),
      {},
      { field: 'name', class: 'validation', code: 4001 },
    ],
    [
      'a link to nothing, with its misprint',
      userError('De waarde "99999" voor veld "Taal"" in "Relatie" bestaat niet.'),
      { lang: 99_999 },
      { field: 'lang', class: 'reference' },
    ],
    [
      'a value that Tryton keeps in another model',
      userError(
        'The number of digits in the value "Decimal(\'1.123456\')" for field "List Price" in "Product List Price" exceeds the limit of "4".',
      ),
      { list_price: 1.123456 },
      { field: 'list_price', class: 'validation' },
    ],
    [
      'a unique code, in English',
      userError('The code on party must be unique.'),
      { code: '1' },
      { field: 'code', class: 'unique', code: 4900 },
    ],
    [
      'a unique code, in Dutch, where the model is named like a field',
      userError('De code voor relatie moet uniek zijn.'),
      { code: '1' },
      { field: 'code', class: 'unique', code: 4900 },
    ],
    [
      'a label that two fields share, when one of them was written',
      userError('The value for field "Tax Rule" in "Party" is not valid according to its domain.', [[], {}]),
      { supplier_tax_rule: 4 },
      { field: 'supplier_tax_rule', class: 'validation' },
    ],
    [
      'a label that two fields share, when nothing tells which',
      userError('The value for field "Tax Rule" in "Party" is not valid according to its domain.'),
      {},
      { field: null, class: 'validation' },
    ],
    [
      'a record in use',
      userError('The records could not be deleted because they are used by field "Code" of "Company".'),
      {},
      { field: null, class: 'inUse' },
    ],
    ['no access', userError('U hebt geen toegang tot "Valuta".'), {}, { field: null, class: 'forbidden' }],
    [
      'a record that is gone',
      userError('U probeert te schrijven in het record "999999" van"Relatie dat niet meer bestaat.'),
      {},
      { field: null, class: 'notFound' },
    ],
    [
      'a change by another',
      toTrytonError('ConcurrencyException', 'Records were modified in the meanwhile'),
      {},
      { field: null, class: 'conflict' },
    ],
    [
      'a question that needs an answer',
      toTrytonError('UserWarning', ['w.1', 'Are you sure?', '']),
      {},
      { field: null, class: 'validation', errCode: 'UserWarning', msg: 'Are you sure?' },
    ],
    [
      'a text too long for its column, when only one can be meant',
      toTrytonError('value too long for type character varying(3)\n', ''),
      { code: 'TOOLONG', name: 'ok' },
      {
        field: 'code',
        class: 'validation',
        code: 4102,
        msg: 'value too long for type character varying(3)',
      },
    ],
    [
      'a number too large for its column',
      toTrytonError('integer out of range\n', ''),
      { code: '5' },
      { field: null, class: 'other', msg: 'integer out of range' },
    ],
    ['an unknown field', toTrytonError("'nope'", ''), { nope: 1 }, { field: 'nope', class: 'other' }],
    [
      'a payload of an unknown form',
      toTrytonError('UserError', 'just a text'),
      {},
      { field: null, class: 'validation', msg: '"just a text"' },
    ],
  ])('%s', (_, error, values, expected) => {
    expect(toRecordError(error, scope(values))).toMatchObject(expected);
  });

  it('names the list when a line of it is at fault', () => {
    const lists = [
      {
        field: 'contact_mechanisms',
        modelNames: new Set(['contact mechanism']),
        labels: new Map([['type', ['type']]]),
      },
    ];
    const text =
      'The value "bogus" for field "Type" in "Contact Mechanism" is not one of the allowed options.';
    const error = toRecordError(userError(text), scope({ contact_mechanisms: [] }, { lists }));
    expect(error).toMatchObject({ field: 'contact_mechanisms', class: 'validation', code: 4400 });
  });

  it('keeps the words of Tryton and its description', () => {
    const error = toRecordError(toTrytonError('UserError', ['First.', 'Second.', null]), scope({}));
    expect(error).toMatchObject({ errCode: 'UserError', msg: 'First. Second.' });
  });

  it('tells refusals that pass by themselves from those about the data', () => {
    expect(isPassing(toTrytonError('could not serialize access due to concurrent update\n', ''))).toBe(true);
    expect(isPassing(toTrytonError('deadlock detected\nDETAIL: …', ''))).toBe(true);
    expect(isPassing(toTrytonError('integer out of range', ''))).toBe(false);
    expect(isPassing(userError('deadlock detected'))).toBe(false);
  });
});
