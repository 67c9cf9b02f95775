import type { AdapterDefinition, ConfigField } from '@sluice/adapter-kit';

export const databaseLevel: AdapterDefinition['systemLevels'] = [
  {
    uriId: 'databases',
    nameSingular: { EN: 'Database', NL: 'Database' },
    namePlural: { EN: 'Databases', NL: 'Databases' },
  },
];

/** What the domain form asks for a database. */
export const formOf = (
  example: string,
  isDatabaseMandatory: boolean,
  schemas: readonly ConfigField[],
): ConfigField[] => [
  {
    name: 'url',
    isWide: true,
    label: { EN: 'Address', NL: 'Adres' },
    hint: { EN: `For instance ${example}`, NL: `Bijvoorbeeld ${example}` },
    isMandatory: true,
  },
  { name: 'database', label: { EN: 'Database', NL: 'Database' }, isMandatory: isDatabaseMandatory },
  {
    name: 'username',
    label: { EN: 'Username', NL: 'Gebruikersnaam' },
    hint: {
      EN: 'An account that may only read is enough for a source',
      NL: 'Voor een bron is een account dat alleen mag lezen genoeg',
    },
    isMandatory: true,
  },
  { name: 'password', label: { EN: 'Password', NL: 'Wachtwoord' }, isMandatory: false },
  {
    name: 'settings.tls',
    type: 'select',
    label: { EN: 'Encryption', NL: 'Versleuteling' },
    isMandatory: false,
    defaultValue: 'verify',
    options: [
      { value: 'verify', label: { EN: 'TLS, certificate checked', NL: 'TLS, certificaat gecontroleerd' } },
      { value: 'encrypt', label: { EN: 'TLS, any certificate', NL: 'TLS, elk certificaat' } },
      { value: 'off', label: { EN: 'None (trusted network only)', NL: 'Geen (alleen vertrouwd netwerk)' } },
    ],
  },
  {
    name: 'settings.access',
    type: 'select',
    label: { EN: 'Access', NL: 'Toegang' },
    hint: {
      EN: 'Read only: nothing is ever written, whatever the account may do',
      NL: 'Alleen lezen: er wordt nooit iets geschreven, wat het account ook mag',
    },
    isMandatory: false,
    defaultValue: 'read',
    options: [
      { value: 'read', label: { EN: 'Read only', NL: 'Alleen lezen' } },
      { value: 'write', label: { EN: 'Read and write', NL: 'Lezen en schrijven' } },
    ],
  },
  ...schemas,
  {
    name: 'settings.timeZone',
    label: { EN: 'Time zone of times without one', NL: 'Tijdzone van tijden zonder tijdzone' },
    hint: { EN: 'For instance Europe/Amsterdam', NL: 'Bijvoorbeeld Europe/Amsterdam' },
    isMandatory: false,
    defaultValue: 'UTC',
  },
  {
    name: 'settings.certificate',
    type: 'multiline',
    label: { EN: 'Certificate of the authority (PEM)', NL: 'Certificaat van de autoriteit (PEM)' },
    isMandatory: false,
    showIf: { field: 'settings.tls', equals: 'verify' },
  },
  {
    name: 'settings.queries',
    type: 'multiline',
    label: { EN: 'Queries', NL: 'Query’s' },
    hint: {
      EN: 'Each is a table of its own: “open orders: select …”. They are read in a read-only transaction.',
      NL: 'Elk is een eigen tabel: “open orders: select …”. Ze worden gelezen in een transactie die niets kan wijzigen.',
    },
    isMandatory: false,
  },
  {
    name: 'settings.keys',
    type: 'multiline',
    label: { EN: 'Keys', NL: 'Sleutels' },
    hint: {
      EN: 'For views, queries and tables without a key, one a line: “table: column, column”',
      NL: 'Voor views, query’s en tabellen zonder sleutel, één per regel: “tabel: kolom, kolom”',
    },
    isMandatory: false,
  },
  {
    name: 'settings.changes',
    type: 'multiline',
    label: { EN: 'Columns that tell of changes', NL: 'Kolommen die wijzigingen melden' },
    hint: {
      EN: 'Only where the name does not tell (updated_at, modified …), one a line: “table: column”',
      NL: 'Alleen waar de naam het niet zegt (updated_at, modified …), één per regel: “tabel: kolom”',
    },
    isMandatory: false,
  },
];
