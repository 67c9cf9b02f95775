import type { ExternalSystemErrorCode } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';

type Text = Record<Locale, string>;

export const profileTexts = {
  json: { EN: 'Line {line}: this is no JSON ({detail}).', NL: 'Regel {line}: dit is geen JSON ({detail}).' },
  form: { EN: 'Line {line}, {path}: {detail}.', NL: 'Regel {line}, {path}: {detail}.' },
  address: {
    EN: 'Write the address as https://api.example.com/v1',
    NL: 'Schrijf het adres als https://api.example.com/v1',
  },
  outside: {
    EN: '“{path}” leads to another server than the address',
    NL: '“{path}” leidt naar een andere server dan het adres',
  },
  needed: { EN: 'Needed for this way to sign in', NL: 'Nodig voor deze manier van aanmelden' },
  header: {
    EN: 'Line {line} is not of the form “Name: value”',
    NL: 'Regel {line} heeft niet de vorm “Naam: waarde”',
  },
} satisfies Record<string, Text>;

export const ruleTexts = {
  twice: { EN: '“{id}” is used twice', NL: '“{id}” komt twee keer voor' },
  noField: { EN: '“{id}” is not one of the fields', NL: '“{id}” is geen van de velden' },
  unreadable: {
    EN: 'what can be changed must be readable by its key: add “one” or “many”',
    NL: 'wat gewijzigd kan worden moet met de sleutel te lezen zijn: voeg “one” of “many” toe',
  },
  afterKey: { EN: '“after” needs one key field', NL: '“after” vraagt om één sleutelveld' },
} satisfies Record<string, Text>;

/** What the test of a connection says, with what to do about it. */
export const testTexts: Record<'reached' | ExternalSystemErrorCode, Text> = {
  reached: {
    EN: 'Connected. Collections in the profile: {collections}.',
    NL: 'Verbonden. Collecties in het profiel: {collections}.',
  },
  AUTH: {
    EN: 'The service refuses the credentials ({detail}). Check how it wants you to sign in.',
    NL: 'De service weigert de inloggegevens ({detail}). Controleer hoe u zich er moet aanmelden.',
  },
  FORBIDDEN: {
    EN: 'The account may not read this ({detail}).',
    NL: 'Het account mag dit niet lezen ({detail}).',
  },
  NOT_FOUND: {
    EN: 'The service has nothing at this path ({detail}). Check the address and the paths of the profile.',
    NL: 'De service heeft niets op dit pad ({detail}). Controleer het adres en de paden van het profiel.',
  },
  PROTOCOL: {
    EN: 'The answer does not fit the profile ({detail}).',
    NL: 'Het antwoord past niet bij het profiel ({detail}).',
  },
  UNREACHABLE: {
    EN: 'Nobody answers at this address ({detail}). Check the address and whether the service runs.',
    NL: 'Op dit adres antwoordt niemand ({detail}). Controleer het adres en of de service draait.',
  },
  TIMEOUT: { EN: 'The service did not answer in time.', NL: 'De service antwoordde niet op tijd.' },
  RATE: {
    EN: 'The service asks for fewer calls. Try again later.',
    NL: 'De service vraagt om minder aanroepen. Probeer het later opnieuw.',
  },
  CALL_LIMIT: {
    EN: 'The maximum number of calls for today is reached.',
    NL: 'Het maximale aantal aanroepen voor vandaag is bereikt.',
  },
  SERVER: {
    EN: 'The service reports an internal error ({detail}).',
    NL: 'De service meldt een interne fout ({detail}).',
  },
  REFUSED: {
    EN: 'The service refuses the request ({detail}).',
    NL: 'De service weigert het verzoek ({detail}).',
  },
  ABORTED: { EN: 'The test was stopped.', NL: 'De test is gestopt.' },
};

export const fill = (text: Text, locale: Locale, values: Record<string, string | number>): string =>
  text[locale].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** What a profile made of an OpenAPI document leaves open. */
export const draftTexts = {
  json: { EN: 'This is no JSON ({detail}).', NL: 'Dit is geen JSON ({detail}).' },
  version: {
    EN: 'This is no OpenAPI 3 document in JSON.',
    NL: 'Dit is geen OpenAPI 3-document in JSON.',
  },
  none: {
    EN: 'No path of this document gives a list of records.',
    NL: 'Geen pad van dit document geeft een lijst records.',
  },
  made: { EN: 'Collections found: {count}.', NL: 'Collecties gevonden: {count}.' },
  server: { EN: 'The document names the address {server}.', NL: 'Het document noemt het adres {server}.' },
  signIn: {
    EN: 'It signs in with: {kinds}. Choose that above.',
    NL: 'Aanmelden gaat met: {kinds}. Kies dat hierboven.',
  },
  key: {
    EN: '{collection}: the key could not be guessed; “id” is a placeholder.',
    NL: '{collection}: de sleutel was niet te raden; “id” staat er voorlopig.',
  },
  paging: {
    EN: '{collection}: no way of paging found; only what the first answer holds would be read.',
    NL: '{collection}: geen paginering gevonden; alleen wat het eerste antwoord bevat zou gelezen worden.',
  },
  create: {
    EN: '{collection}: records cannot be created.',
    NL: '{collection}: records kunnen niet worden aangemaakt.',
  },
  update: {
    EN: '{collection}: records cannot be changed.',
    NL: '{collection}: records kunnen niet worden gewijzigd.',
  },
  one: {
    EN: '{collection}: one record cannot be read, so that changes were left out.',
    NL: '{collection}: één record kan niet worden gelezen; wijzigen is daarom weggelaten.',
  },
  never: {
    EN: 'Never in such a document: what identifies a record to people (naturalKeys), the meaning of errors, batches, and which records changed since a time.',
    NL: 'Nooit in zo’n document: waaraan mensen een record herkennen (naturalKeys), de betekenis van fouten, batches, en welke records sinds een tijd gewijzigd zijn.',
  },
} satisfies Record<string, Text>;
