import type { AdapterDefinition } from '@sluice/adapter-kit';
import { ODataSession } from './session.ts';

/** Any service that speaks OData 4 with XML metadata and JSON. */
export const odataAdapter: AdapterDefinition = {
  kind: 'odata',
  title: { EN: 'OData v4', NL: 'OData v4' },
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
  authTypes: ['basic', 'oAuth'],
  configFields: [
    {
      name: 'url',
      isWide: true,
      label: { EN: 'Service address', NL: 'Adres van de service' },
      hint: {
        EN: 'Where the service roots are, for instance https://erp.example.com/odata; {database} stands for the database',
        NL: 'Waar de services staan, bijvoorbeeld https://erp.example.com/odata; {database} staat voor de database',
      },
      isMandatory: true,
    },
    {
      name: 'database',
      label: { EN: 'Environment', NL: 'Omgeving' },
      hint: {
        EN: 'Last part of the address, for instance production; empty when the address is complete',
        NL: 'Laatste deel van het adres, bijvoorbeeld production; leeg als het adres volledig is',
      },
      isMandatory: false,
    },
    {
      name: 'username',
      label: { EN: 'Username', NL: 'Gebruikersnaam' },
      isMandatory: true,
      showIf: { field: 'authType', equals: 'basic' },
    },
    {
      name: 'password',
      label: { EN: 'Password', NL: 'Wachtwoord' },
      isMandatory: true,
      showIf: { field: 'authType', equals: 'basic' },
    },
    {
      name: 'tokenUrl',
      isWide: true,
      label: { EN: 'Token address', NL: 'Adres voor tokens' },
      isMandatory: true,
      showIf: { field: 'authType', equals: 'oAuth' },
    },
    {
      name: 'clientId',
      label: { EN: 'Client id', NL: 'Client-id' },
      isMandatory: true,
      showIf: { field: 'authType', equals: 'oAuth' },
    },
    {
      name: 'clientSecret',
      label: { EN: 'Client secret', NL: 'Clientgeheim' },
      isMandatory: true,
      showIf: { field: 'authType', equals: 'oAuth' },
    },
    {
      name: 'scope',
      label: { EN: 'Scope', NL: 'Scope' },
      isMandatory: false,
      showIf: { field: 'authType', equals: 'oAuth' },
    },
  ],
  open: (config, context) => new ODataSession(config, context),
};
