import type { AdapterDefinition } from '@sluice/adapter-kit';
import { openTryton } from './session.ts';

/** Tryton 6.0 and newer over its JSON-RPC: databases are domains, companies the level below. */
export const trytonAdapter: AdapterDefinition = {
  kind: 'tryton',
  title: { EN: 'Tryton', NL: 'Tryton' },
  systemLevels: [
    {
      uriId: 'domains',
      nameSingular: { EN: 'Domain', NL: 'Domein' },
      namePlural: { EN: 'Domains', NL: 'Domeinen' },
    },
    {
      uriId: 'companies',
      nameSingular: { EN: 'Company', NL: 'Bedrijf' },
      namePlural: { EN: 'Companies', NL: 'Bedrijven' },
    },
  ],
  configFields: [
    {
      name: 'url',
      isWide: true,
      label: { EN: 'Address', NL: 'Adres' },
      hint: {
        EN: 'Of the Tryton server, without the database: https://tryton.example.org',
        NL: 'Van de Tryton-server, zonder de database: https://tryton.example.org',
      },
      isMandatory: true,
    },
    { name: 'database', label: { EN: 'Database', NL: 'Database' }, isMandatory: true },
    { name: 'username', label: { EN: 'Username', NL: 'Gebruikersnaam' }, isMandatory: true },
    { name: 'password', label: { EN: 'Password', NL: 'Wachtwoord' }, isMandatory: true },
  ],
  authTypes: ['basic'],
  open: openTryton,
};
