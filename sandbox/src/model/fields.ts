import type {
  Choice,
  Field,
  FieldFacets,
  ObjectField,
  ObjectListField,
  ScalarField,
  ScalarListField,
  Text,
  EdmType,
} from './types.ts';

export const text = (en: string, nl: string): Text => ({ en, nl });
export const choice = (value: string, en: string, nl: string): Choice => ({ value, label: text(en, nl) });

function scalar(type: EdmType) {
  return (name: string, en: string, nl: string, facets: FieldFacets = {}): ScalarField => ({
    kind: 'scalar',
    name,
    label: text(en, nl),
    type,
    ...facets,
  });
}

export const bool = scalar('Edm.Boolean');
export const int16 = scalar('Edm.Int16');
export const int = scalar('Edm.Int32');
export const long = scalar('Edm.Int64');
export const decimal = scalar('Edm.Decimal');
export const double = scalar('Edm.Double');
export const string = scalar('Edm.String');
export const guid = scalar('Edm.Guid');
export const binary = scalar('Edm.Binary');
export const datetime = scalar('Edm.DateTimeOffset');
export const date = scalar('Edm.Date');
export const time = scalar('Edm.TimeOfDay');
export const duration = scalar('Edm.Duration');

export function object(
  name: string,
  en: string,
  nl: string,
  typeName: string,
  fields: readonly Field[],
): ObjectField {
  return { kind: 'object', name, label: text(en, nl), typeName, fields };
}
export function objectList(
  name: string,
  en: string,
  nl: string,
  typeName: string,
  fields: readonly Field[],
  required = false,
): ObjectListField {
  return { kind: 'objectList', name, label: text(en, nl), typeName, fields, required };
}
export function scalarList(
  name: string,
  en: string,
  nl: string,
  type: EdmType,
  maxLength?: number,
): ScalarListField {
  return { kind: 'scalarList', name, label: text(en, nl), type, ...(maxLength ? { maxLength } : {}) };
}

const countries: readonly Choice[] = [
  choice('NL', 'Netherlands', 'Nederland'),
  choice('BE', 'Belgium', 'België'),
  choice('DE', 'Germany', 'Duitsland'),
  choice('FR', 'France', 'Frankrijk'),
  choice('LU', 'Luxembourg', 'Luxemburg'),
];
export const currencies: readonly Choice[] = [
  choice('EUR', 'Euro', 'Euro'),
  choice('USD', 'US dollar', 'Amerikaanse dollar'),
  choice('GBP', 'Pound sterling', 'Brits pond'),
  choice('CHF', 'Swiss franc', 'Zwitserse frank'),
];

export const address = (name: string, en: string, nl: string): ObjectField =>
  object(name, en, nl, 'Address', [
    string('street', 'Street', 'Straat', { maxLength: 80 }),
    string('houseNumber', 'House number', 'Huisnummer', { maxLength: 10 }),
    string('postcode', 'Postcode', 'Postcode', { maxLength: 10 }),
    string('city', 'City', 'Plaats', { maxLength: 60 }),
    string('country', 'Country', 'Land', { maxLength: 2, choices: countries }),
  ]);

/** Who made and last changed the record; the same four on every entity. */
export const trail: readonly ScalarField[] = [
  datetime('createdAt', 'Created at', 'Aangemaakt op', { computed: true, createdAt: true }),
  datetime('modifiedAt', 'Changed at', 'Gewijzigd op', { computed: true, changedAt: true }),
  string('modifiedBy', 'Changed by', 'Gewijzigd door', { computed: true, maxLength: 60 }),
];
