import type { ConfigField } from '@sluice/adapter-kit';

const oauth2 = { field: 'settings.signIn', equals: 'oauth2' };

/** What the domain form asks for a REST service. */
export const restFields: ConfigField[] = [
  {
    name: 'url',
    isWide: true,
    label: { EN: 'Address', NL: 'Adres' },
    hint: {
      EN: 'What all paths of the profile begin with, for instance https://api.example.com/v1',
      NL: 'Waar alle paden van het profiel mee beginnen, bijvoorbeeld https://api.example.com/v1',
    },
    isMandatory: true,
  },
  {
    name: 'settings.signIn',
    type: 'select',
    label: { EN: 'Sign in with', NL: 'Aanmelden met' },
    isMandatory: false,
    defaultValue: 'bearer',
    options: [
      { value: 'none', label: { EN: 'Nothing', NL: 'Niets' } },
      { value: 'basic', label: { EN: 'Username and password', NL: 'Gebruikersnaam en wachtwoord' } },
      { value: 'bearer', label: { EN: 'Bearer token', NL: 'Bearer-token' } },
      { value: 'headers', label: { EN: 'Headers', NL: 'Headers' } },
      { value: 'query', label: { EN: 'A parameter of the address', NL: 'Een parameter van het adres' } },
      { value: 'oauth2', label: { EN: 'OAuth 2, client credentials', NL: 'OAuth 2, client credentials' } },
    ],
  },
  {
    name: 'username',
    label: { EN: 'Username', NL: 'Gebruikersnaam' },
    isMandatory: true,
    showIf: { field: 'settings.signIn', equals: 'basic' },
  },
  {
    name: 'settings.headers',
    type: 'multiline',
    label: { EN: 'Headers', NL: 'Headers' },
    hint: {
      EN: 'One a line: “X-Api-Key: {secret}”; {secret} stands for the secret below',
      NL: 'Eén per regel: “X-Api-Key: {secret}”; {secret} staat voor het geheim hieronder',
    },
    isMandatory: true,
    showIf: { field: 'settings.signIn', equals: 'headers' },
  },
  {
    name: 'settings.parameter',
    label: { EN: 'Name of the parameter', NL: 'Naam van de parameter' },
    isMandatory: true,
    showIf: { field: 'settings.signIn', equals: 'query' },
  },
  {
    name: 'password',
    label: { EN: 'Password, token or key', NL: 'Wachtwoord, token of sleutel' },
    hint: {
      EN: 'Kept sealed; not needed for OAuth 2 or without signing in',
      NL: 'Wordt verzegeld bewaard; niet nodig bij OAuth 2 of zonder aanmelden',
    },
    isMandatory: false,
  },
  {
    name: 'tokenUrl',
    isWide: true,
    label: { EN: 'Token address', NL: 'Adres voor tokens' },
    isMandatory: true,
    showIf: oauth2,
  },
  { name: 'clientId', label: { EN: 'Client id', NL: 'Client-id' }, isMandatory: true, showIf: oauth2 },
  {
    name: 'clientSecret',
    label: { EN: 'Client secret', NL: 'Clientgeheim' },
    isMandatory: true,
    showIf: oauth2,
  },
  { name: 'scope', label: { EN: 'Scope', NL: 'Scope' }, isMandatory: false, showIf: oauth2 },
  {
    name: 'settings.profile',
    type: 'multiline',
    label: { EN: 'Profile', NL: 'Profiel' },
    hint: {
      EN: 'JSON that describes collections, pages, writes and errors of the service',
      NL: 'JSON die collecties, pagina’s, schrijven en fouten van de service beschrijft',
    },
    isMandatory: true,
  },
];
