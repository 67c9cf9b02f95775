import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { crudSchema } from './sessions.ts';

export const domainStatuses = [
  'OK',
  'ACTIVE',
  'INACTIVE',
  'SYNC_PAUSED',
  'NEVER_SYNCED',
  'INVALID_CREDENTIALS_OR_URL',
  'ERROR_OTHER',
] as const;
export const domainStatusSchema = z.enum(domainStatuses);
export type DomainStatus = z.infer<typeof domainStatusSchema>;

export const systemLevelSchema = z.object({
  nameSingular: z.string(),
  namePlural: z.string(),
  uriId: z.string(),
});
export type SystemLevelInfo = z.infer<typeof systemLevelSchema>;

/** One node of the tree of level options; `isProduction` and `status` belong to the domain and are repeated below it. */
export interface SystemLevelOption {
  internalId: string;
  name: string;
  acronym: string;
  uriAcronym: string;
  isProduction: boolean;
  status: DomainStatus;
  children: SystemLevelOption[];
}
export const systemLevelOptionSchema: z.ZodType<SystemLevelOption> = z.lazy(() =>
  z.object({
    internalId: z.string(),
    name: z.string(),
    acronym: z.string(),
    uriAcronym: z.string(),
    isProduction: z.boolean(),
    status: domainStatusSchema,
    children: z.array(systemLevelOptionSchema),
  }),
);

export const externalSystemSchema = z.object({
  id: z.string(),
  name: z.string(),
  acronym: z.string(),
  url: z.string(),
  systemLevels: z.array(systemLevelSchema),
  systemLevelOptions: z.array(systemLevelOptionSchema),
});
export type ExternalSystem = z.infer<typeof externalSystemSchema>;

/** A paged answer, as every list of the product gives it. */
export function paged<T extends z.ZodType>(resource: T) {
  return z.object({
    resources: z.array(resource),
    offset: z.number().int(),
    maxLimit: z.number().int(),
    total: z.number().int().nullable(),
  });
}

export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(-1).optional(),
  offset: z.coerce.number().int().min(0).optional(),
});

export const getExternalSystems = endpoint({
  route: paths.getExternalSystems,
  summary: 'External systems and level options that the user may use',
  access: 'user',
  query: pageQuerySchema,
  reply: paged(externalSystemSchema),
});

export const menuLeafSchema = z.object({
  id: z.string(),
  title: z.string(),
  uri: z.string(),
  baseUri: z.string(),
  resourceTypeUriId: z.string(),
  numberOfSystemLevels: z.number().int(),
});
export type MenuLeaf = z.infer<typeof menuLeafSchema>;

export const menuItemSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Route of an item without children. */
  uri: z.string().nullable(),
  children: z.array(menuLeafSchema),
});
export type MenuItem = z.infer<typeof menuItemSchema>;

export const getMenu = endpoint({
  route: paths.getMenu,
  summary:
    'Main menu: items with children or a route; leaves of `data` belong to the system and levels asked for (level ids joined by an asterisk)',
  access: 'user',
  query: z.object({ systemId: z.string().optional(), systemLevelIds: z.string().optional() }),
  reply: z.object({ mainMenu: z.array(menuItemSchema) }),
});

export const adapterKindSchema = z.object({
  kind: z.string(),
  title: z.string(),
  authTypes: z.array(z.enum(['basic', 'oAuth'])),
  /** False: the domain is its only level. */
  hasCompanies: z.boolean(),
  /** True: its files are uploaded into the product. */
  takesFiles: z.boolean(),
  /** A config field that can be drafted from another document (`draftSetting`). */
  draft: z.object({ field: z.string(), label: z.string(), hint: z.string() }).nullable(),
  configFields: z.array(
    z.object({
      /** A key of the domain form, or `settings.…`. */
      name: z.string(),
      type: z.enum(['text', 'secret', 'multiline', 'select', 'boolean']),
      label: z.string(),
      hint: z.string().nullable(),
      isMandatory: z.boolean(),
      options: z.array(z.object({ value: z.string(), label: z.string() })),
      defaultValue: z.string(),
      showIf: z.object({ field: z.string(), equals: z.string() }).nullable(),
      /** Its values are mostly too long for half a line. */
      isWide: z.boolean(),
    }),
  ),
});
export type AdapterKind = z.infer<typeof adapterKindSchema>;

export const getAdapterKinds = endpoint({
  route: paths.getAdapterKinds,
  summary: 'Kinds of external systems that can be connected, and what each needs to know',
  access: 'user',
  reply: z.object({ resources: z.array(adapterKindSchema) }),
});

export const managedSystemSchema = z.object({
  internalId: z.string(),
  name: z.string(),
  acronym: z.string(),
  url: z.string(),
  kind: z.string(),
  domainCount: z.number().int(),
  rights: crudSchema,
});
export type ManagedSystem = z.infer<typeof managedSystemSchema>;

const systemBodySchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    acronym: z.string().trim().min(1).max(20),
    kind: z.string(),
  })
  .strict();

export const getSystems = endpoint({
  route: paths.getSystems,
  summary: 'External systems, to be managed',
  access: 'user',
  query: pageQuerySchema,
  reply: paged(managedSystemSchema),
});
export const createSystem = endpoint({
  route: paths.createSystem,
  summary: 'Add an external system',
  access: 'user',
  body: systemBodySchema,
  reply: managedSystemSchema,
});
const systemParams = z.object({ systemId: z.string() });
export const updateSystem = endpoint({
  route: paths.updateSystem,
  summary: 'Rename an external system',
  access: 'user',
  params: systemParams,
  body: systemBodySchema.omit({ kind: true }).partial(),
  reply: managedSystemSchema,
});
export const deleteSystem = endpoint({
  route: paths.deleteSystem,
  summary: 'Remove an external system that has no domains',
  access: 'user',
  params: systemParams,
  errors: ['IN_USE'],
});

export const authTypeSchema = z.enum(['basic', 'oAuth']);

/** What a person fills in. A blank or absent secret keeps the stored one. */
export const domainFormSchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    acronym: z.string().trim().min(1).max(20),
    /** Empty for a kind that has no address. */
    url: z.string().trim().max(2000),
    database: z.string().trim().max(200),
    authType: authTypeSchema,
    username: z.string().max(200),
    password: z.string().max(1000).optional(),
    clientId: z.string().max(200),
    clientSecret: z.string().max(1000).optional(),
    tokenUrl: z.string().max(2000),
    scope: z.string().max(500),
    /** Settings of the kind's own, by name; a secret that is left out or blank keeps the stored one. */
    settings: z.record(z.string().regex(/^[a-z]\w{0,63}$/i), z.string().max(1_000_000)),
    isProduction: z.boolean(),
    cacheRefreshMinutes: z.number().int().min(1).max(44_640),
    maxApiCalls: z.number().int().min(1).nullable(),
    isActive: z.boolean(),
    isPaused: z.boolean(),
  })
  .strict();
export type DomainForm = z.infer<typeof domainFormSchema>;

export const domainSchema = domainFormSchema.omit({ password: true, clientSecret: true }).extend({
  internalId: z.string(),
  systemId: z.string(),
  status: domainStatusSchema,
  statusMessage: z.string().nullable(),
  lastSyncAt: z.string().nullable(),
  apiCallsUsed: z.number().int(),
  companyCount: z.number().int(),
  /** Names of the secret settings that are stored. */
  secretSettings: z.array(z.string()),
  hasPassword: z.boolean(),
  hasClientSecret: z.boolean(),
  rights: crudSchema,
});
export type Domain = z.infer<typeof domainSchema>;

export const domainParams = systemParams.extend({ domainId: z.string() });

/** What a new domain may leave out. */
export const createDomainSchema = domainFormSchema.extend({
  database: domainFormSchema.shape.database.default(''),
  authType: authTypeSchema.default('basic'),
  username: domainFormSchema.shape.username.default(''),
  clientId: domainFormSchema.shape.clientId.default(''),
  tokenUrl: domainFormSchema.shape.tokenUrl.default(''),
  scope: domainFormSchema.shape.scope.default(''),
  settings: domainFormSchema.shape.settings.default({}),
  isProduction: z.boolean().default(true),
  cacheRefreshMinutes: domainFormSchema.shape.cacheRefreshMinutes.default(60),
  maxApiCalls: domainFormSchema.shape.maxApiCalls.default(null),
  isActive: z.boolean().default(true),
  isPaused: z.boolean().default(false),
});

export const getDomains = endpoint({
  route: paths.getDomains,
  summary: 'Domains of a system',
  access: 'user',
  params: systemParams,
  query: pageQuerySchema,
  reply: paged(domainSchema),
});
export const getDomain = endpoint({
  route: paths.getDomain,
  summary: 'One domain',
  access: 'user',
  params: domainParams,
  reply: z.object({ resource: domainSchema }),
});
export const createDomain = endpoint({
  route: paths.createDomain,
  summary: 'Add a domain',
  access: 'user',
  params: systemParams,
  body: createDomainSchema,
  reply: domainSchema,
});
export const updateDomain = endpoint({
  route: paths.updateDomain,
  summary: 'Change a domain',
  access: 'user',
  params: domainParams,
  body: domainFormSchema.partial(),
  reply: domainSchema,
});
export const deleteDomain = endpoint({
  route: paths.deleteDomain,
  summary:
    'Remove a domain with its cache; refused while connectors use it or changes are pending, unless confirmed',
  access: 'user',
  params: domainParams,
  query: z.object({ confirm: z.enum(['true', 'false']).optional() }),
  errors: ['IN_USE'],
});
export const testConnection = endpoint({
  route: paths.testConnection,
  summary: 'Try a connection with the values of the form (blank secret and internalId = the stored secret)',
  access: 'user',
  params: systemParams,
  body: domainFormSchema
    .pick({
      url: true,
      database: true,
      authType: true,
      username: true,
      password: true,
      clientId: true,
      clientSecret: true,
      tokenUrl: true,
      scope: true,
      settings: true,
    })
    .partial()
    .extend({ url: domainFormSchema.shape.url, internalId: z.string().optional() })
    .strict(),
  reply: z.object({
    status: z.enum(['OK', 'INVALID_CREDENTIALS_OR_URL', 'ERROR_OTHER']),
    message: z.string(),
    isProduction: z.boolean().nullable(),
    /** Values for inputs of the form (names as in `configFields`), to be taken over by a person. */
    suggestions: z.array(z.object({ field: z.string(), value: z.string() })),
  }),
});

export const draftSetting = endpoint({
  route: paths.draftSetting,
  summary:
    'A value to start from for the config field that the kind can draft of a document; nothing is stored',
  access: 'user',
  params: systemParams,
  body: z.object({ source: z.string().min(1).max(5_000_000) }).strict(),
  reply: z.union([
    z.object({ value: z.string(), notes: z.array(z.string()) }),
    z.object({ problem: z.string() }),
  ]),
});

export const refreshDomain = endpoint({
  route: paths.refreshDomain,
  summary: 'Read all collections of the domain anew, now',
  access: 'user',
  params: domainParams,
});

export const domainCompanySchema = z.object({
  internalId: z.string(),
  internalName: z.string(),
  internalAcronym: z.string(),
  internalActive: z.boolean(),
});
export type DomainCompany = z.infer<typeof domainCompanySchema>;

export const getCompanies = endpoint({
  route: paths.getCompanies,
  summary: 'Companies of a domain, read live, with the stored switches',
  access: 'user',
  params: domainParams,
  query: pageQuerySchema.extend({ fields: z.string().optional() }),
  reply: paged(domainCompanySchema),
  errors: ['EXTERNAL_SYSTEM', 'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM'],
});
export const patchCompanies = endpoint({
  route: paths.patchCompanies,
  summary: 'Switch companies on or off; switching on starts the first load of its tables',
  access: 'user',
  params: domainParams,
  body: z
    .array(z.object({ internalId: z.string(), internalActive: z.boolean() }).strict())
    .min(1)
    .max(10_000),
  reply: z.object({ resources: z.array(domainCompanySchema) }),
  errors: ['EXTERNAL_SYSTEM', 'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM'],
});
