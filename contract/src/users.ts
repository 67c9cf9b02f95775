import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { endpointRightSchema, systemRightSchema, userSchema } from './sessions.ts';
import { paged, pageQuerySchema } from './systems.ts';

/** The default company of who has none. */
export const noCompany = '00000000-0000-0000-0000-000000000000';

/** A user as who manages users sees him. */
export const managedUserSchema = userSchema.extend({
  hasPassword: z.boolean(),
  hasSecondFactor: z.boolean(),
  /** When he was last seen in a session that still stands. */
  lastSeenAt: z.string().nullable(),
  revision: z.number().int(),
  /**
   * What the caller may do to him: change anything, change who he is and how he signs in (names, addresses, links,
   * superuser), delete him.
   */
  rights: z.object({ update: z.boolean(), identity: z.boolean(), delete: z.boolean() }),
});
export type ManagedUser = z.infer<typeof managedUserSchema>;

const nullableText = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .nullable()
    .transform((value) => (value === '' ? null : value));

const userValuesSchema = z
  .object({
    fullName: z.string().trim().min(1).max(200),
    username: nullableText(200),
    email: nullableText(320),
    identityProviderUsername: nullableText(320),
    isActive: z.boolean(),
    isSuperuser: z.boolean(),
    /** Option id of a company; all zeros = none. */
    defaultCompanyId: z.string().max(200),
    roleIds: z.array(z.uuid()).max(200),
    customRights: z.array(endpointRightSchema).max(2000),
    externalSystemRights: z.array(systemRightSchema).max(500),
  })
  .strict();
export type UserValues = z.infer<typeof userValuesSchema>;

/** A link by which somebody sets a password; `path` carries the secret, and is told only this once. */
export const accessLinkSchema = z.object({
  /** Null: it was sent by mail. */
  path: z.string().nullable(),
  mailedTo: z.string().nullable(),
  expiresAt: z.string(),
});
export type AccessLink = z.infer<typeof accessLinkSchema>;

export const getUsers = endpoint({
  route: paths.getUsers,
  summary: 'Users with roles, custom rights and external systems',
  access: 'user',
  query: pageQuerySchema,
  reply: paged(managedUserSchema),
});

const userParams = z.object({ userId: z.uuid() });

export const getUser = endpoint({
  route: paths.getUser,
  summary: 'One user; everybody may read himself',
  access: 'user',
  params: userParams,
  reply: z.object({ resource: managedUserSchema }),
});

export const createUser = endpoint({
  route: paths.createUser,
  summary:
    'Add a user, who is pending until he sets a password by the invitation or signs in with a provider; nobody gives a right that he lacks',
  access: 'user',
  body: userValuesSchema,
  reply: z.object({
    resource: managedUserSchema,
    /** Null for who signs in with a provider alone. */
    invitation: accessLinkSchema.nullable(),
  }),
});

export const updateUser = endpoint({
  route: paths.updateUser,
  summary: 'Change a user; deactivation ends his sessions; a stale revision is refused',
  access: 'user',
  params: userParams,
  body: z.object({ revision: z.number().int().optional(), changes: userValuesSchema.partial() }).strict(),
  reply: z.object({ resource: managedUserSchema }),
  errors: ['REVISION_CONFLICT', 'IN_USE'],
});

export const deleteUser = endpoint({
  route: paths.deleteUser,
  summary: 'Delete a user and end his sessions; what he did stays, by a former user',
  access: 'user',
  params: userParams,
  errors: ['IN_USE'],
});

export const inviteUser = endpoint({
  route: paths.inviteUser,
  summary: 'Invite a pending user again; the link before it stops working',
  access: 'user',
  params: userParams,
  reply: accessLinkSchema,
});

export const resetUserPassword = endpoint({
  route: paths.resetUserPassword,
  summary: 'A link by which a user sets another password, once, within an hour',
  access: 'user',
  params: userParams,
  reply: accessLinkSchema,
});

export const removeSecondFactor = endpoint({
  route: paths.removeSecondFactor,
  summary: 'Take away the second factor of somebody who lost it; his sessions end',
  access: 'user',
  params: userParams,
});
