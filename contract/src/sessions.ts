import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { userPreferencesSchema } from './preferences.ts';

export const crudSchema = z.object({
  create: z.boolean(),
  read: z.boolean(),
  update: z.boolean(),
  delete: z.boolean(),
});
export type Crud = z.infer<typeof crudSchema>;

export const userSchema = z.object({
  internalId: z.uuid(),
  fullName: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  isActive: z.boolean(),
  isPending: z.boolean(),
  isSuperuser: z.boolean(),
  identityProviderUsername: z.string().nullable(),
  defaultCompanyId: z.string(),
  roles: z.array(z.object({ internalId: z.string(), name: z.string() })),
  customRights: z.array(crudSchema.extend({ endpointId: z.string() })),
  externalSystemRights: z.array(
    z.object({ externalSystemId: z.string(), levelIds: z.array(z.string()).nullable() }),
  ),
});
export type User = z.infer<typeof userSchema>;

const sessionReplySchema = z.object({
  user: userSchema,
  userPreferences: userPreferencesSchema,
  /** Effective rights on the product's own endpoints (domains, companies, users, …), computed by the server. */
  rights: z.record(z.string(), crudSchema),
  /** Where the organisation's help pages are; null = there are none. A page is this, `/` and a key of the screen. */
  helpUrl: z.string().nullable(),
  /** IANA name of the organisation's time zone: dates with a time are shown and typed in it. */
  timeZone: z.string(),
});
export type SessionReply = z.infer<typeof sessionReplySchema>;

export const login = endpoint({
  route: paths.login,
  summary:
    'Sign in with username and password; the csrf token is in the header x-csrf-token and the cookie csrf-token',
  access: 'anonymous',
  body: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(1000) }).strict(),
  reply: sessionReplySchema,
  errors: ['INVALID_CREDENTIALS', 'NOT_AUTHORIZED_FOR_APPLICATION', 'TOO_MANY_REQUESTS'],
});

export const logout = endpoint({
  route: paths.logout,
  summary: 'End the session; answers 204 also without one',
  access: 'anonymous',
});

export const getSession = endpoint({
  route: paths.getSession,
  summary: 'Who is logged in (same answer as login)',
  access: 'user',
  reply: sessionReplySchema,
});

export const getProviders = endpoint({
  route: paths.getProviders,
  summary: 'External identity providers that are set up',
  access: 'anonymous',
  reply: z.object({
    resources: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        kind: z.enum(['business', 'education']),
        isEnabled: z.boolean(),
      }),
    ),
  }),
});

export const reportClientError = endpoint({
  route: paths.reportClientError,
  summary: 'Error of a browser, kept in the server log',
  access: 'anonymous',
  body: z.object({
    error: z.string().max(16_000),
    route: z.string().max(2000).optional(),
    userAgent: z.string().max(1000).optional(),
  }),
});
