import type { ExternalSystemErrorCode } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';

type Text = Record<Locale, string>;

/** What the test of a connection says, with what to do about it. */
export const testTexts: Record<'reached' | 'keyless' | ExternalSystemErrorCode, Text> = {
  reached: {
    EN: 'Connected to {version}. Tables, views and queries: {tables}.',
    NL: 'Verbonden met {version}. Tabellen, views en query’s: {tables}.',
  },
  keyless: {
    EN: 'Without a key, these can only be read: {keyless}.',
    NL: 'Zonder sleutel kunnen deze alleen gelezen worden: {keyless}.',
  },
  AUTH: {
    EN: 'The database refuses the username or the password ({detail}).',
    NL: 'De database weigert de gebruikersnaam of het wachtwoord ({detail}).',
  },
  FORBIDDEN: {
    EN: 'The account has no access ({detail}). Give it the right to read the tables.',
    NL: 'Het account heeft geen toegang ({detail}). Geef het recht om de tabellen te lezen.',
  },
  NOT_FOUND: {
    EN: 'The server runs, but it has no such database ({detail}).',
    NL: 'De server draait, maar kent deze database niet ({detail}).',
  },
  PROTOCOL: {
    EN: 'The database gives an error ({detail}).',
    NL: 'De database geeft een fout ({detail}).',
  },
  UNREACHABLE: {
    EN: 'Nobody answers at this address ({detail}). Check host, port and whether the server accepts connections.',
    NL: 'Op dit adres antwoordt niemand ({detail}). Controleer host, poort en of de server verbindingen aanneemt.',
  },
  TIMEOUT: {
    EN: 'The database did not answer in time.',
    NL: 'De database antwoordde niet op tijd.',
  },
  RATE: {
    EN: 'The database asks for fewer calls. Try again later.',
    NL: 'De database vraagt om minder aanroepen. Probeer het later opnieuw.',
  },
  CALL_LIMIT: {
    EN: 'The maximum number of calls for today is reached.',
    NL: 'Het maximale aantal aanroepen voor vandaag is bereikt.',
  },
  SERVER: {
    EN: 'The database cannot serve now ({detail}). Try again later.',
    NL: 'De database kan nu niet antwoorden ({detail}). Probeer het later opnieuw.',
  },
  REFUSED: {
    EN: 'No safe line could be made ({detail}). Give the certificate, or choose another encryption.',
    NL: 'Er kon geen veilige verbinding worden gemaakt ({detail}). Geef het certificaat, of kies een andere versleuteling.',
  },
  ABORTED: {
    EN: 'The test was stopped.',
    NL: 'De test is gestopt.',
  },
};

/** Of a table, view or query that is read. */
export const readTexts: Record<'writes' | 'refused', Text> = {
  writes: {
    EN: '“{name}” wants to change the database, and a source is only read: {detail}',
    NL: '“{name}” wil de database veranderen, en een bron wordt alleen gelezen: {detail}',
  },
  refused: {
    EN: 'The database refuses the query “{name}”: {detail}',
    NL: 'De database weigert de query “{name}”: {detail}',
  },
};

export function fill(text: Text, locale: Locale, values: Record<string, string | number>): string {
  return text[locale].replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}
