import type { AdapterDefinition } from '@sluice/adapter-kit';
import { restFields } from './form.ts';
import { profileFromOpenApi } from './openapi.ts';
import { RestSession } from './session.ts';
import { readSettings } from './settings.ts';

/** Services that speak JSON over HTTP, each described by a profile. */
export const restAdapter: AdapterDefinition = {
  kind: 'rest',
  title: { EN: 'REST service', NL: 'REST-service' },
  systemLevels: [
    {
      uriId: 'services',
      nameSingular: { EN: 'Service', NL: 'Service' },
      namePlural: { EN: 'Services', NL: 'Services' },
    },
  ],
  authTypes: ['basic'],
  configFields: restFields,
  draft: {
    field: 'settings.profile',
    label: { EN: 'OpenAPI document', NL: 'OpenAPI-document' },
    hint: {
      EN: 'Paste an OpenAPI 3 document (JSON); a profile to start from is made of it',
      NL: 'Plak een OpenAPI 3-document (JSON); er wordt een profiel van gemaakt om mee te beginnen',
    },
    make: profileFromOpenApi,
  },
  checkConfig: (config, locale) => readSettings(config, locale).problems,
  open: (config, context) => new RestSession(readSettings(config, 'EN').settings, context),
};
