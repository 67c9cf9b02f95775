import type { ConfigField } from '@sluice/adapter-kit';

const auto = { value: 'auto', label: { EN: 'Found by itself', NL: 'Vanzelf gevonden' } };
const plain = (value: string) => ({ value, label: { EN: value, NL: value } });

/** How the files are to be read; the same wherever they are. */
export const fileFields: ConfigField[] = [
  {
    name: 'settings.files',
    type: 'multiline',
    label: { EN: 'Tables', NL: 'Tabellen' },
    hint: {
      EN: 'One a line, “orders: orders-*.csv”: all these files are one table, in the order of their names. Empty = each file is a table.',
      NL: 'Eén per regel, “orders: orders-*.csv”: al die bestanden zijn één tabel, op volgorde van naam. Leeg = elk bestand is een tabel.',
    },
    isMandatory: false,
  },
  {
    name: 'settings.keys',
    type: 'multiline',
    label: { EN: 'Keys', NL: 'Sleutels' },
    hint: {
      EN: 'Columns that name a record, one table a line: “orders: number”. Without them a record is its place in the file.',
      NL: 'Kolommen die een record aanwijzen, één tabel per regel: “orders: nummer”. Zonder is een record zijn plaats in het bestand.',
    },
    isMandatory: false,
  },
  {
    name: 'settings.encoding',
    type: 'select',
    label: { EN: 'Encoding', NL: 'Codering' },
    isMandatory: false,
    defaultValue: 'auto',
    options: [
      auto,
      { value: 'utf-8', label: { EN: 'UTF-8', NL: 'UTF-8' } },
      {
        value: 'windows-1252',
        label: { EN: 'Windows-1252 (Western European)', NL: 'Windows-1252 (West-Europees)' },
      },
      { value: 'utf-16le', label: { EN: 'UTF-16 LE', NL: 'UTF-16 LE' } },
      { value: 'utf-16be', label: { EN: 'UTF-16 BE', NL: 'UTF-16 BE' } },
    ],
  },
  {
    name: 'settings.delimiter',
    type: 'select',
    label: { EN: 'Delimiter', NL: 'Scheidingsteken' },
    isMandatory: false,
    defaultValue: 'auto',
    options: [
      auto,
      { value: 'semicolon', label: { EN: 'Semicolon ;', NL: 'Puntkomma ;' } },
      { value: 'comma', label: { EN: 'Comma ,', NL: 'Komma ,' } },
      { value: 'tab', label: { EN: 'Tab', NL: 'Tab' } },
      { value: 'bar', label: { EN: 'Bar |', NL: 'Streep |' } },
    ],
  },
  {
    name: 'settings.numbers',
    type: 'select',
    label: { EN: 'Numbers', NL: 'Getallen' },
    hint: {
      EN: 'Until this is said, a column like 1.234 stays text.',
      NL: 'Tot dit is gezegd blijft een kolom als 1.234 tekst.',
    },
    isMandatory: false,
    defaultValue: 'auto',
    options: [
      auto,
      { value: 'comma', label: { EN: '1.234,5', NL: '1.234,5' } },
      { value: 'point', label: { EN: '1,234.5', NL: '1,234.5' } },
    ],
  },
  {
    name: 'settings.dates',
    type: 'select',
    label: { EN: 'Dates', NL: 'Datums' },
    hint: {
      EN: 'Until this is said, a column like 03-04-2026 stays text.',
      NL: 'Tot dit is gezegd blijft een kolom als 03-04-2026 tekst.',
    },
    isMandatory: false,
    defaultValue: 'auto',
    options: [auto, ...['dd-mm-yyyy', 'dd/mm/yyyy', 'dd.mm.yyyy', 'mm/dd/yyyy', 'yyyy-mm-dd'].map(plain)],
  },
  {
    name: 'settings.headings',
    label: { EN: 'Line of the headings', NL: 'Regel met de koppen' },
    hint: { EN: '0 = there are none.', NL: '0 = er zijn er geen.' },
    isMandatory: false,
    defaultValue: '1',
  },
];

export const sftpFields: ConfigField[] = [
  {
    name: 'url',
    isWide: true,
    label: { EN: 'Address', NL: 'Adres' },
    hint: {
      EN: 'With the folder, for instance sftp://files.example.com:22/out/orders.',
      NL: 'Met de map, bijvoorbeeld sftp://bestanden.example.com:22/uit/orders.',
    },
    isMandatory: true,
  },
  { name: 'username', label: { EN: 'Username', NL: 'Gebruikersnaam' }, isMandatory: true },
  { name: 'password', label: { EN: 'Password', NL: 'Wachtwoord' }, isMandatory: false },
  {
    name: 'settings.privateKey',
    type: 'secret',
    label: { EN: 'Private key', NL: 'Privésleutel' },
    hint: {
      EN: 'Instead of a password: the whole text of the file (OpenSSH or PEM).',
      NL: 'In plaats van een wachtwoord: de hele tekst van het bestand (OpenSSH of PEM).',
    },
    isMandatory: false,
  },
  {
    name: 'settings.passphrase',
    type: 'secret',
    label: { EN: 'Passphrase of the key', NL: 'Wachtwoordzin van de sleutel' },
    hint: { EN: 'Empty = the key has none.', NL: 'Leeg = de sleutel heeft er geen.' },
    isMandatory: false,
  },
  {
    name: 'settings.fingerprint',
    isWide: true,
    label: { EN: 'Key of the server', NL: 'Sleutel van de server' },
    hint: {
      EN: 'SHA256:…; the test of the connection shows it. Empty = any server is believed.',
      NL: 'SHA256:…; de verbindingstest toont hem. Leeg = elke server wordt geloofd.',
    },
    isMandatory: false,
  },
];
