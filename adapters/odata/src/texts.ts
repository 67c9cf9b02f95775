import type { ExternalSystemErrorCode } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';

type Text = Record<Locale, string>;

/** What the test of a connection says, with what to do about it. */
export const testTexts: Record<'reached' | 'reachedCompanies' | ExternalSystemErrorCode, Text> = {
  reached: {
    EN: 'Connected: {collections} collections.',
    NL: 'Verbonden: {collections} collecties.',
  },
  reachedCompanies: {
    EN: 'Connected: {companies} companies.',
    NL: 'Verbonden: {companies} bedrijven.',
  },
  AUTH: {
    EN: 'The system refuses the credentials. Check username and password, or client id and secret.',
    NL: 'Het systeem weigert de inloggegevens. Controleer gebruikersnaam en wachtwoord, of client-id en geheim.',
  },
  FORBIDDEN: {
    EN: 'The user has no access to this service. Give it the right to read OData.',
    NL: 'De gebruiker heeft geen toegang tot deze service. Geef het recht om OData te lezen.',
  },
  NOT_FOUND: {
    EN: 'There is no OData service at this address. Check the URL and the database.',
    NL: 'Op dit adres is geen OData-service. Controleer de URL en de database.',
  },
  PROTOCOL: {
    EN: 'What answers at this address is not OData 4 ({detail}). Check the URL.',
    NL: 'Wat op dit adres antwoordt is geen OData 4 ({detail}). Controleer de URL.',
  },
  UNREACHABLE: {
    EN: 'Nobody answers at this address ({detail}). Check the URL and whether the system runs.',
    NL: 'Op dit adres antwoordt niemand ({detail}). Controleer de URL en of het systeem draait.',
  },
  TIMEOUT: {
    EN: 'The system did not answer in time.',
    NL: 'Het systeem antwoordde niet op tijd.',
  },
  RATE: {
    EN: 'The system asks for fewer calls. Try again later.',
    NL: 'Het systeem vraagt om minder aanroepen. Probeer het later opnieuw.',
  },
  CALL_LIMIT: {
    EN: 'The maximum number of calls for today is reached.',
    NL: 'Het maximale aantal aanroepen voor vandaag is bereikt.',
  },
  SERVER: {
    EN: 'The system reports an internal error ({detail}).',
    NL: 'Het systeem meldt een interne fout ({detail}).',
  },
  REFUSED: {
    EN: 'The system refuses the request ({detail}).',
    NL: 'Het systeem weigert het verzoek ({detail}).',
  },
  ABORTED: {
    EN: 'The test was stopped.',
    NL: 'De test is gestopt.',
  },
};

export function fill(text: Text, locale: Locale, values: Record<string, string | number>): string {
  return text[locale].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
