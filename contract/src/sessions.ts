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

/** Rights on one endpoint. */
export const endpointRightSchema = crudSchema.extend({ endpointId: z.string().min(1).max(300) }).strict();
export type EndpointRight = z.infer<typeof endpointRightSchema>;

/** A system that may be used (`*` = every one), whole or some options of its levels only. */
export const systemRightSchema = z
  .object({
    externalSystemId: z.string().min(1).max(100),
    levelIds: z.array(z.string().max(200)).max(1000).nullable(),
  })
  .strict();
export type SystemRight = z.infer<typeof systemRightSchema>;

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
  customRights: z.array(endpointRightSchema),
  externalSystemRights: z.array(systemRightSchema),
});
export type User = z.infer<typeof userSchema>;

const sessionReplySchema = z.object({
  user: userSchema,
  userPreferences: userPreferencesSchema,
  /** Nothing of the preferences was ever saved: a browser may still say what suits this user (FMT-03 to FMT-05). */
  isFirstVisit: z.boolean(),
  /** Effective rights on the product's own endpoints (domains, companies, users, …), computed by the server. */
  rights: z.record(z.string(), crudSchema),
  /** Where the organisation's help pages are; null = there are none. A page is this, `/` and a key of the screen. */
  helpUrl: z.string().nullable(),
  /** IANA name of the organisation's time zone: dates with a time are shown and typed in it. */
  timeZone: z.string(),
  /** After so many minutes without a key or pointer the browser logs out, after a warning; 0 = never. */
  inactivityMinutes: z.number().int(),
});
export type SessionReply = z.infer<typeof sessionReplySchema>;

export const minPasswordLength = 12;
/** Short ones are refused by the service, which says how long it must be. */
const newPasswordSchema = z.string().max(1000);
const passwordSchema = z.string().min(1).max(1000);

export const login = endpoint({
  route: paths.login,
  summary:
    'Sign in with username and password; the csrf token is in the header x-csrf-token and the cookie csrf-token',
  access: 'anonymous',
  body: z
    .object({
      username: z.string().min(1).max(200),
      password: passwordSchema,
      /** Of the second factor, for who has one: six digits, or a recovery code. */
      code: z.string().max(50).optional(),
    })
    .strict(),
  reply: sessionReplySchema,
  errors: [
    'INVALID_CREDENTIALS',
    'SECOND_FACTOR_NEEDED',
    'NOT_AUTHORIZED_FOR_APPLICATION',
    'TOO_MANY_REQUESTS',
  ],
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
    /** Can who forgot his password be sent a link? */
    canMail: z.boolean(),
  }),
});

const providerParams = z.object({ provider: z.string().max(50) });

export const providerLogin = endpoint({
  route: paths.providerLogin,
  summary: 'Where to send the browser for signing in with a provider; sets a cookie for ten minutes',
  access: 'anonymous',
  params: providerParams,
  reply: z.object({ redirectURL: z.url() }),
});

export const providerCallback = endpoint({
  route: paths.providerCallback,
  summary:
    'End of a sign-in with a provider: as login; null when it has ended already in this browser; 401 with "Unauthorized" for who has no active account',
  access: 'anonymous',
  params: providerParams,
  query: z.looseObject({ code: z.string().max(5000).optional(), state: z.string().max(500).optional() }),
  reply: z.union([sessionReplySchema, z.null(), z.literal('Unauthorized')]),
});

export const forgotPassword = endpoint({
  route: paths.forgotPassword,
  summary: 'Send a link for another password, if the account exists and mail is set up; always answers 204',
  access: 'anonymous',
  body: z.object({ username: z.string().trim().min(1).max(320) }).strict(),
  errors: ['TOO_MANY_REQUESTS'],
});

const linkTokenSchema = z.string().min(1).max(100);

export const checkLink = endpoint({
  route: paths.checkLink,
  summary: 'Whom a link for setting a password is for',
  access: 'anonymous',
  body: z.object({ token: linkTokenSchema }).strict(),
  reply: z.object({
    kind: z.enum(['invitation', 'reset']),
    fullName: z.string(),
    username: z.string(),
  }),
  errors: ['LINK_EXPIRED'],
});

export const resetPassword = endpoint({
  route: paths.resetPassword,
  summary: 'Set the password by a link, which works once; all sessions of the user end',
  access: 'anonymous',
  body: z.object({ token: linkTokenSchema, password: newPasswordSchema }).strict(),
  reply: z.object({ username: z.string() }),
  errors: ['LINK_EXPIRED'],
});

export const getSecurity = endpoint({
  route: paths.getSecurity,
  summary: 'How the user signs in',
  access: 'user',
  reply: z.object({
    hasPassword: z.boolean(),
    secondFactor: z.object({ isOn: z.boolean(), recoveryCodesLeft: z.number().int() }),
  }),
});

export const changePassword = endpoint({
  route: paths.changePassword,
  summary: 'Change the own password; all other sessions of the user end',
  access: 'user',
  body: z.object({ currentPassword: passwordSchema, newPassword: newPasswordSchema }).strict(),
  errors: ['TOO_MANY_REQUESTS'],
});

export const beginSecondFactor = endpoint({
  route: paths.beginSecondFactor,
  summary: 'A secret for an authenticator app; it counts once a code of it was confirmed',
  access: 'user',
  body: z.object({ password: passwordSchema }).strict(),
  reply: z.object({
    /** Base32, for typing over. */
    secret: z.string(),
    /** `otpauth://…`, which such apps open and read from a QR code. */
    uri: z.string(),
    /** The same as an SVG picture. */
    qr: z.string(),
  }),
  errors: ['TOO_MANY_REQUESTS'],
});

const recoveryCodesSchema = z.object({ recoveryCodes: z.array(z.string()) });

export const confirmSecondFactor = endpoint({
  route: paths.confirmSecondFactor,
  summary: 'Switch the second factor on; answers the recovery codes, which are told only this once',
  access: 'user',
  body: z.object({ code: z.string().min(1).max(50) }).strict(),
  reply: recoveryCodesSchema,
  errors: ['TOO_MANY_REQUESTS'],
});

export const renewRecoveryCodes = endpoint({
  route: paths.renewRecoveryCodes,
  summary: 'New recovery codes; those before stop working',
  access: 'user',
  body: z.object({ password: passwordSchema }).strict(),
  reply: recoveryCodesSchema,
  errors: ['TOO_MANY_REQUESTS'],
});

export const endSecondFactor = endpoint({
  route: paths.endSecondFactor,
  summary: 'Switch the second factor off',
  access: 'user',
  body: z.object({ password: passwordSchema }).strict(),
  errors: ['TOO_MANY_REQUESTS'],
});

export const reportClientError = endpoint({
  route: paths.reportClientError,
  summary:
    'Error of a browser, kept in the server log; as an object or as plain text, ten a minute from one address',
  access: 'anonymous',
  body: z.union([
    z.string().min(1).max(16_000),
    z.object({
      error: z.string().max(16_000),
      route: z.string().max(2000).optional(),
      userAgent: z.string().max(1000).optional(),
    }),
  ]),
  errors: ['TOO_MANY_REQUESTS'],
});
