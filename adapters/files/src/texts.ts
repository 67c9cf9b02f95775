import type { ExternalSystemErrorCode } from '@sluice/adapter-kit';
import type { Locale } from '@sluice/contract';

type Text = Record<Locale, string>;

/** What the test of a connection says, with what to do about it. */
export const testTexts: Record<
  | 'reached'
  | 'collection'
  | 'unsure'
  | 'fingerprint'
  | 'readOnly'
  | 'HOST_KEY'
  | 'PRIVATE_KEY'
  | ExternalSystemErrorCode,
  Text
> = {
  reached: { EN: 'Connected. Tables: {tables}.', NL: 'Verbonden. Tabellen: {tables}.' },
  collection: {
    EN: '{name} (files: {files}, columns: {columns}{form}).',
    NL: '{name} (bestanden: {files}, kolommen: {columns}{form}).',
  },
  unsure: {
    EN: 'These columns of {name} stay text until “Numbers” and “Dates” say how they are to be read: {columns}.',
    NL: 'Deze kolommen van {name} blijven tekst tot “Getallen” en “Datums” zeggen hoe ze te lezen zijn: {columns}.',
  },
  fingerprint: {
    EN: 'The server’s key is {detail}. Once it is filled in, no other server is believed.',
    NL: 'De sleutel van de server is {detail}. Is hij ingevuld, dan wordt geen andere server geloofd.',
  },
  readOnly: { EN: 'Files are read, never written', NL: 'Bestanden worden gelezen, nooit geschreven' },
  AUTH: {
    EN: 'The server refuses the sign-in ({detail}).',
    NL: 'De server weigert de aanmelding ({detail}).',
  },
  HOST_KEY: {
    EN: 'This server is not the one whose key is filled in ({detail}). Ask its administrator whether it got a new key.',
    NL: 'Deze server is niet die waarvan de sleutel is ingevuld ({detail}). Vraag de beheerder of hij een nieuwe sleutel heeft.',
  },
  PRIVATE_KEY: {
    EN: 'The private key cannot be read ({detail}). Paste all of it, its BEGIN and END lines too, and fill in the passphrase that it may have.',
    NL: 'De privésleutel is niet te lezen ({detail}). Plak hem helemaal, ook de regels met BEGIN en END, en vul de wachtwoordzin in die hij kan hebben.',
  },
  FORBIDDEN: { EN: 'The folder may not be read: {detail}.', NL: 'De map mag niet gelezen worden: {detail}.' },
  NOT_FOUND: { EN: 'There is no such folder ({detail}).', NL: 'Deze map bestaat niet ({detail}).' },
  PROTOCOL: { EN: 'A file cannot be read: {detail}.', NL: 'Een bestand kan niet gelezen worden: {detail}.' },
  UNREACHABLE: {
    EN: 'Nobody answers at this address ({detail}).',
    NL: 'Op dit adres antwoordt niemand ({detail}).',
  },
  TIMEOUT: { EN: 'The server did not answer in time.', NL: 'De server antwoordde niet op tijd.' },
  RATE: {
    EN: 'The server asks for fewer calls. Try again later.',
    NL: 'De server vraagt om minder aanroepen. Probeer het later opnieuw.',
  },
  CALL_LIMIT: {
    EN: 'The maximum number of calls for today is reached.',
    NL: 'Het maximale aantal aanroepen voor vandaag is bereikt.',
  },
  SERVER: { EN: 'Reading failed ({detail}).', NL: 'Lezen is mislukt ({detail}).' },
  REFUSED: { EN: 'The server refuses ({detail}).', NL: 'De server weigert ({detail}).' },
  ABORTED: { EN: 'The test was stopped.', NL: 'De test is gestopt.' },
};

export function fill(text: Text, locale: Locale, values: Record<string, string | number>): string {
  return text[locale].replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}
