import type { ExternalSystemErrorCode } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';

const asItIs = (detail: string) => detail;

const en = {
  reached: (version: string, database: string, companies: number) =>
    `Connected to Tryton ${version}, database '${database}', ${companies} ${companies === 1 ? 'company' : 'companies'}.`,
  companyFilter:
    "This Tryton user sees the records of one company only. Set 'Company Filter' to 'All' in the preferences of " +
    'this user in Tryton.',
  companyNotAllowed: (company: number) =>
    `This Tryton user has no access to company ${company}. Add it to the companies of the user in Tryton.`,
  seconds: 'In seconds.',
  failures: {
    AUTH: (detail: string) => `Tryton refused to sign in. Check database, username and password. (${detail})`,
    FORBIDDEN: (detail: string) => `This user may not do that in Tryton. (${detail})`,
    NOT_FOUND: (detail: string) => `There is no such database at this address. (${detail})`,
    RATE: () => 'Tryton asks to wait before the next call.',
    CALL_LIMIT: asItIs,
    PROTOCOL: (detail: string) => `This does not seem to be the address of a Tryton server. (${detail})`,
    UNREACHABLE: (detail: string) => `Nobody answers at this address. (${detail})`,
    TIMEOUT: (detail: string) => `Tryton did not answer in time. (${detail})`,
    SERVER: (detail: string) => `The Tryton server failed. (${detail})`,
    REFUSED: (detail: string) => `Tryton refused: ${detail}`,
    ABORTED: () => 'The call was cancelled.',
  } satisfies Record<ExternalSystemErrorCode, (detail: string) => string>,
};

const nl: typeof en = {
  reached: (version, database, companies) =>
    `Verbonden met Tryton ${version}, database '${database}', ${companies} ${companies === 1 ? 'bedrijf' : 'bedrijven'}.`,
  companyFilter:
    "Deze Tryton-gebruiker ziet alleen de records van één bedrijf. Zet 'Bedrijf filter' op 'Alles' in de " +
    'voorkeuren van deze gebruiker in Tryton.',
  companyNotAllowed: (company) =>
    `Deze Tryton-gebruiker heeft geen toegang tot bedrijf ${company}. Voeg het in Tryton toe aan de bedrijven van ` +
    'de gebruiker.',
  seconds: 'In seconden.',
  failures: {
    AUTH: (detail) =>
      `Tryton weigert de aanmelding. Controleer database, gebruikersnaam en wachtwoord. (${detail})`,
    FORBIDDEN: (detail) => `Deze gebruiker mag dat niet in Tryton. (${detail})`,
    NOT_FOUND: (detail) => `Op dit adres is geen database met deze naam. (${detail})`,
    RATE: () => 'Tryton vraagt te wachten met de volgende aanroep.',
    CALL_LIMIT: asItIs,
    PROTOCOL: (detail) => `Dit lijkt niet het adres van een Tryton-server. (${detail})`,
    UNREACHABLE: (detail) => `Op dit adres antwoordt niemand. (${detail})`,
    TIMEOUT: (detail) => `Tryton antwoordde niet op tijd. (${detail})`,
    SERVER: (detail) => `De Tryton-server faalde. (${detail})`,
    REFUSED: (detail) => `Tryton weigert: ${detail}`,
    ABORTED: () => 'De aanroep is afgebroken.',
  },
};

/** What the adapter itself says to people, in their language. */
export const texts: Record<Locale, typeof en> = { EN: en, NL: nl };
