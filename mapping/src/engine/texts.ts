import type { Locale, Value } from '@sluice/contract';
import { textOf } from './convert.ts';
import { t } from './functions/define.ts';
import type { MappingProblem, RecordError, Texts } from './types.ts';

/** Why a value failed in a record. `{input}` is what came into the step. */
const recordErrors: Record<string, Texts> = {
  notText: t("'{input}' is no text", "'{input}' is geen tekst"),
  notANumber: t("'{input}' is not a number", "'{input}' is geen getal"),
  notWhole: t("'{input}' is not a whole number", "'{input}' is geen geheel getal"),
  negative: t("'{input}' is less than 0", "'{input}' is kleiner dan 0"),
  outOfRange: t('Out of range', 'Buiten bereik'),
  notABool: t("'{input}' is neither yes nor no", "'{input}' is geen ja of nee"),
  notADate: t("'{input}' is not a date", "'{input}' is geen datum"),
  notATime: t("'{input}' is not a time", "'{input}' is geen tijd"),
  notADateTime: t("'{input}' is not a date with a time", "'{input}' is geen datum met een tijd"),
  dateOutOfRange: t('The date is not between 1900 and 2099', 'De datum ligt niet tussen 1900 en 2099'),
  notAUuid: t("'{input}' is not a UUID", "'{input}' is geen UUID"),
  notAScalar: t('One value is needed here, not a list', 'Hier is één waarde nodig, geen lijst'),
  notAList: t('A list is needed here', 'Hier is een lijst nodig'),
  wrongShape: t('The value has not the shape of this field', 'De waarde heeft niet de vorm van dit veld'),
  notComparable: t("'{input}' cannot be compared with that", "'{input}' is daar niet mee te vergelijken"),
  divisionByZero: t('Division by zero', 'Deling door nul'),
  noTranslation: t('No translation for "{value}"', 'Geen vertaling voor "{value}"'),
  missingTable: t('The translation table is missing', 'De vertaaltabel ontbreekt'),
  lookupNone: t("No record with '{value}' in {collection}", "Geen record met '{value}' in {collection}"),
  lookupMany: t(
    "Several records with '{value}' in {collection}",
    "Meerdere records met '{value}' in {collection}",
  ),
  lookupUnavailable: t('Nothing can be looked up here', 'Hier kan niets worden opgezocht'),
  tooLong: t('The text is too long for an expression', 'De tekst is te lang voor een expressie'),
  invalidRegex: t('The regular expression is wrong: {reason}', 'De reguliere expressie klopt niet: {reason}'),
  notAscii: t("'{input}' has characters without a plain form", "'{input}' heeft tekens zonder gewone vorm"),
  notDecodable: t("'{input}' cannot be decoded", "'{input}' is niet te decoderen"),
  notJson: t("'{input}' is not JSON", "'{input}' is geen JSON"),
  notAnIban: t("'{input}' is not an IBAN", "'{input}' is geen IBAN"),
  notAVatNumber: t("'{input}' is not a VAT number", "'{input}' is geen btw-nummer"),
  notAPhoneNumber: t("'{input}' is not a phone number", "'{input}' is geen telefoonnummer"),
  notAPostcode: t("'{input}' is not a postcode", "'{input}' is geen postcode"),
  notAnEmail: t("'{input}' is not an e-mail address", "'{input}' is geen e-mailadres"),
  notACountry: t("'{input}' is not a country", "'{input}' is geen land"),
  notACurrency: t("'{input}' is not a currency", "'{input}' is geen valuta"),
  ownCheck: t('{message}', '{message}'),
  functionFailed: t('The function failed: {reason}', 'De functie is mislukt: {reason}'),
  emptyKey: t('The key field is empty', 'Het sleutelveld is leeg'),
  ambiguousKey: t('Several target records have this key', 'Meerdere doelrecords hebben deze sleutel'),
};

/** Of a record and of a mapping alike: something named is not there. */
const missingThings: Record<string, Texts> = {
  functionUnavailable: t("Function '{function}' is unavailable", "Functie '{function}' is niet beschikbaar"),
  unknownSourceField: t("The source has no field '{field}'", "De bron heeft geen veld '{field}'"),
  unknownTargetField: t("The target has no field '{field}'", "Het doel heeft geen veld '{field}'"),
  unknownMacro: t("There is no macro '{macro}'", "Er is geen macro '{macro}'"),
  openBrace: t(
    'A brace stands alone; {{ and }} are literal braces',
    'Een accolade staat alleen; {{ en }} zijn letterlijke accolades',
  ),
  mergeNumber: t(
    'The merge string names {{name}}, which is no source',
    'De samenvoegtekst noemt {{name}}, dat is geen bron',
  ),
};

/** What is wrong with a mapping at design time. */
const problems: Record<string, Texts> = {
  addSource: t('Add at least one source', 'Voeg minstens één bron toe'),
  fixErrors: t('Please fix all the errors before saving', 'Los alle fouten op voor het opslaan'),
  unusedSources: t(
    'Not all of the sources are used in the merge string',
    'Niet alle bronnen worden gebruikt in de samenvoegtekst',
  ),
  mixedBase64: t(
    'Some output values are base64 while others are not',
    'Sommige uitvoerwaarden zijn base64 en andere niet',
  ),
  unsupportedInput: t('Unsupported input type', 'Niet-ondersteund invoertype'),
  typeMismatch: t('Expected {expected}, incoming {incoming}', 'Verwacht {expected}, binnenkomend {incoming}'),
  previousNotConfigured: t('Previous element not configured', 'Vorig element niet ingesteld'),
  unknownTarget: t("The target has no field '{field}'", "Het doel heeft geen veld '{field}'"),
  readOnlyTarget: t("'{field}' is read-only", "'{field}' is alleen-lezen"),
  readOnlyOnUpdate: t(
    "'{field}' can only be set on new records; turn on 'leave alone on later runs'",
    "'{field}' kan alleen bij nieuwe records; zet 'met rust laten bij latere runs' aan",
  ),
  duplicateTarget: t("'{field}' has two mappings", "'{field}' heeft twee mappings"),
  mandatoryNotMapped: t(
    "'{field}' is mandatory and has no mapping",
    "'{field}' is verplicht en heeft geen mapping",
  ),
  missingSource: t("Choose a value for source '{source}'", "Kies een waarde voor bron '{source}'"),
  unknownSource: t('The source is not wired to this action', 'De bron is niet aan deze actie gekoppeld'),
  duplicateSource: t('This source is mapped twice', 'Deze bron is twee keer gekoppeld'),
  missingField: t('Choose a field', 'Kies een veld'),
  missingMacro: t('Choose a macro', 'Kies een macro'),
  onlyInSourceUpdates: t('Only available in source updates', 'Alleen beschikbaar in bronupdates'),
  onlyOnFailure: t('Only available when the push fails', 'Alleen beschikbaar als de push mislukt'),
  keyFromTarget: t(
    'A unique field cannot depend on the target record',
    'Een uniek veld kan niet van het doelrecord afhangen',
  ),
  wrongDefault: t(
    "The default '{value}' is no value of this field",
    "De standaard '{value}' is geen waarde van dit veld",
  ),
  wrongConstant: t("'{value}' is no value of this field", "'{value}' is geen waarde van dit veld"),
  unknownArg: t("There is no argument '{name}'", "Er is geen argument '{name}'"),
  missingArg: t("Fill in '{name}'", "Vul '{name}' in"),
  argNotConstant: t("'{name}' cannot be a field", "'{name}' kan geen veld zijn"),
  argNotOption: t("'{value}' is no choice of '{name}'", "'{value}' is geen keuze van '{name}'"),
  argNotList: t("'{name}' must be a list", "'{name}' moet een lijst zijn"),
  argNotPairs: t("'{name}' must be a list of pairs", "'{name}' moet een lijst van paren zijn"),
  argWrongType: t("'{value}' is no value of '{name}'", "'{value}' is geen waarde van '{name}'"),
  argTooLarge: t("'{name}' is beyond {max}", "'{name}' ligt buiten {max}"),
  sameSeparators: t(
    'The decimal sign and the grouping are the same',
    'Het decimaalteken en de groepering zijn gelijk',
  ),
  unknownZone: t("'{zone}' is no time zone", "'{zone}' is geen tijdzone"),
  invalidFormat: t("'{format}' is no format of dates", "'{format}' is geen datumformaat"),
  duplicateKey: t(
    "Row {row}: the key '{value}' is there twice",
    "Rij {row}: de sleutel '{value}' staat er twee keer in",
  ),
  invalidKey: t(
    "Row {row}: '{value}' is no key of this type",
    "Rij {row}: '{value}' is geen sleutel van dit type",
  ),
  invalidValue: t(
    "Row {row}: '{value}' is no value of this type",
    "Rij {row}: '{value}' is geen waarde van dit type",
  ),
  defaultNeeded: t('Fill in a default value', 'Vul een standaardwaarde in'),
  passthroughTypes: t(
    'Values of type {inputType} cannot pass as {returnType}',
    'Waarden van type {inputType} kunnen niet als {returnType} door',
  ),
  oneTarget: t('Please select one target', 'Selecteer één doel'),
  oneSource: t('Please select at least one source', 'Selecteer minstens één bron'),
  unknownTriggerField: t("The source has no field '{field}'", "De bron heeft geen veld '{field}'"),
  unknownOperator: t("There is no operator '{operator}'", "Er is geen operator '{operator}'"),
  wrongTriggerValue: t("'{value}' is no value of '{field}'", "'{value}' is geen waarde van '{field}'"),
  missingTriggerValue: t('Fill in a value', 'Vul een waarde in'),
};

/** Names of things are given in all languages. */
const isTexts = (value: Value | undefined): value is Texts =>
  typeof value === 'object' && value !== null && 'EN' in value && 'NL' in value;

const shown = (value: Value | undefined, locale: Locale): string => {
  const text = textOf((isTexts(value) ? value[locale] : value) ?? null) ?? '';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

/** Braces that are doubled stand for themselves. */
function fill(texts: Texts, locale: Locale, params: Record<string, Value>): string {
  return texts[locale].replace(/\{\{(\w+)\}\}|\{\{|\}\}|\{(\w+)\}/g, (whole, doubled, name) => {
    if (doubled !== undefined) return `{${shown(params[String(doubled)], locale)}}`;
    return name === undefined ? whole.charAt(0) : shown(params[String(name)], locale);
  });
}

/** Texts of the rules of target fields (4001 …), which server and browser have in their catalogues. */
export type RuleText = (code: number, params: Record<string, Value>) => string;

/** An error of a record in words. `rule` errors are those of the target field: `params.rule` is the code. */
export function recordErrorText(
  error: Pick<RecordError, 'code' | 'params' | 'input'>,
  locale: Locale,
  ruleText: RuleText,
): string {
  const { code, params, input } = error;
  if (code === 'rule') return ruleText(Number(params.rule), params);
  const texts = recordErrors[code] ?? missingThings[code] ?? problems[code];
  return texts ? fill(texts, locale, { ...params, input }) : code;
}

export function problemText(
  { code, params }: Pick<MappingProblem, 'code' | 'params'>,
  locale: Locale,
): string {
  const texts = problems[code] ?? missingThings[code] ?? recordErrors[code];
  return texts ? fill(texts, locale, params) : code;
}

/** Every code that has a text, for the test that none is missing. */
export const codesWithText: readonly string[] = [
  ...Object.keys(recordErrors),
  ...Object.keys(missingThings),
  ...Object.keys(problems),
];
