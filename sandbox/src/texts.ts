import type { Language, Text } from './model/types.ts';

/** Every message of the sandbox, by code. Numeric codes are the field rules that the metadata tells. */
const messages = {
  4001: { en: 'A value is required', nl: 'Een waarde is verplicht' },
  4002: { en: "Required because '{field}' is true", nl: "Verplicht omdat '{field}' waar is" },
  4003: {
    en: "Required because '{field}' is '{value}'",
    nl: "Verplicht omdat '{field}' gelijk is aan '{value}'",
  },
  4101: { en: 'Use at least {min} characters', nl: 'Gebruik minstens {min} tekens' },
  4102: { en: 'Use at most {max} characters', nl: 'Gebruik hoogstens {max} tekens' },
  4105: { en: 'The URL is invalid', nl: 'De URL is ongeldig' },
  4200: { en: 'The value must be at most {max}', nl: 'De waarde mag hoogstens {max} zijn' },
  4201: { en: 'The value must be at least {min}', nl: 'De waarde moet minstens {min} zijn' },
  4300: { en: 'The time must be {min} or later', nl: 'De tijd moet {min} of later zijn' },
  4301: {
    en: "The time must be equal to or later than '{field}'",
    nl: "De tijd moet gelijk zijn aan of later dan '{field}'",
  },
  4400: { en: 'Choose one of the options', nl: 'Kies een van de opties' },
  4401: {
    en: "Choose one of the options that go with '{field}' = '{value}'",
    nl: "Kies een van de opties die horen bij '{field}' = '{value}'",
  },
  4900: { en: 'This value is already in use', nl: 'Deze waarde is al in gebruik' },
  TYPE: { en: "'{value}' is not a valid {type}", nl: "'{value}' is geen geldige {type}" },
  'UNKNOWN-PROPERTY': { en: "There is no property '{field}'", nl: "De eigenschap '{field}' bestaat niet" },
  'READ-ONLY': {
    en: "'{field}' cannot be changed once the record exists",
    nl: "'{field}' kan niet meer worden gewijzigd",
  },
  'REF-0404': { en: "'{value}' does not exist in {set}", nl: "'{value}' bestaat niet in {set}" },
  'EMAIL-0001': { en: "'{value}' is not an e-mail address", nl: "'{value}' is geen e-mailadres" },
  'CUST-0214': {
    en: 'The discount is above the {max}% that price list {list} allows',
    nl: 'De korting is hoger dan de {max}% die prijslijst {list} toestaat',
  },
  'CUST-0230': {
    en: 'Customer {key} has {count} orders and cannot be deleted',
    nl: 'Klant {key} heeft {count} orders en kan niet worden verwijderd',
  },
  'ORD-0101': {
    en: 'Customer {customer} is blocked: {reason}',
    nl: 'Klant {customer} is geblokkeerd: {reason}',
  },
  'ORD-0110': { en: 'An order needs at least one line', nl: 'Een order heeft minstens één regel nodig' },
  'ORD-0120': {
    en: 'An invoiced order cannot be changed or deleted',
    nl: 'Een gefactureerde order kan niet worden gewijzigd of verwijderd',
  },
  'JRN-0300': {
    en: 'A posted journal entry cannot be changed or deleted',
    nl: 'Een definitieve journaalpost kan niet worden gewijzigd of verwijderd',
  },
  'JRN-0301': { en: 'Period {period} is closed', nl: 'Periode {period} is gesloten' },
  'JRN-0305': {
    en: 'Give either debit or credit, and not both',
    nl: 'Geef óf debet óf credit op, en niet allebei',
  },
  'JRN-0310': {
    en: 'Account {account} needs a cost centre',
    nl: 'Rekening {account} vraagt een kostenplaats',
  },
  'JRN-0311': { en: 'Account {account} is blocked', nl: 'Rekening {account} is geblokkeerd' },
  'ATT-0102': {
    en: 'A value of attribute {attribute} has at most {max} characters',
    nl: 'Een waarde van attribuut {attribute} heeft hoogstens {max} tekens',
  },
  'PRJ-0110': { en: 'The end is before the start', nl: 'Het einde ligt voor het begin' },
  'PRL-0105': {
    en: 'There is already a default price list: {list}',
    nl: 'Er is al een standaardprijslijst: {list}',
  },
  'CCT-0107': {
    en: 'A cost centre cannot be part of itself',
    nl: 'Een kostenplaats kan geen onderdeel van zichzelf zijn',
  },
  'USE-0409': { en: '{set} still refer to it ({count})', nl: '{set} verwijzen er nog naar ({count})' },
  AUTH: { en: 'Sign in first', nl: 'Meld u eerst aan' },
  FORBIDDEN: { en: 'You have no right to do this', nl: 'U hebt geen recht om dit te doen' },
  'NOT-FOUND': { en: "'{what}' does not exist", nl: "'{what}' bestaat niet" },
  METHOD: { en: '{method} is not allowed here', nl: '{method} is hier niet toegestaan' },
  'BAD-REQUEST': { en: 'The request cannot be read: {what}', nl: 'Het verzoek is niet leesbaar: {what}' },
  'BAD-FILTER': { en: 'The query cannot be read: {what}', nl: 'De vraag is niet leesbaar: {what}' },
  STALE: { en: 'The record was changed by {by} meanwhile', nl: 'De regel is intussen gewijzigd door {by}' },
  'NEEDS-ETAG': { en: 'If-Match is required', nl: 'If-Match is verplicht' },
  EXISTS: { en: 'A record with this key already exists', nl: 'Er bestaat al een regel met deze sleutel' },
  GROUP: {
    en: 'Undone because another request of the group failed',
    nl: 'Ongedaan gemaakt omdat een ander verzoek uit de groep mislukte',
  },
  'DELTA-GONE': {
    en: 'The delta token is too old: read everything again',
    nl: 'Het deltatoken is te oud: lees alles opnieuw',
  },
  'BATCH-LIMIT': {
    en: 'The batch has too many requests: {most} are allowed',
    nl: 'De batch heeft te veel verzoeken: {most} zijn toegestaan',
  },
  'TOO-LARGE': { en: 'The request is too large', nl: 'Het verzoek is te groot' },
  FAULT: { en: 'Failure switched on by the administrator', nl: 'Storing aangezet door de beheerder' },
  INTERNAL: { en: 'Internal error', nl: 'Interne fout' },
} satisfies Record<string | number, Text>;

export type MessageCode = `${keyof typeof messages}`;

/** A text among the parameters (a field's label) is given in the language of the message. */
export type Params = Record<string, string | number | Text>;

export function message(code: MessageCode, language: Language, params: Params = {}): string {
  const texts: Record<string, Text> = messages;
  const found = texts[code]?.[language] ?? code;
  return found.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name] ?? whole;
    return typeof value === 'object' ? value[language] : String(value);
  });
}
