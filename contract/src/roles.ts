import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { crudSchema, endpointRightSchema, systemRightSchema } from './sessions.ts';
import { paged, pageQuerySchema } from './systems.ts';

/** What rights are given on: a table, all tables of a system or of all systems, a part of the product itself. */
export const rightEndpointSchema = z.object({
  /** `data:*`, `data:{system id}:*`, `data:{system id}:{resource type}`, or the name of a part of the product. */
  internalId: z.string(),
  name: z.string(),
  /** Route or path that it stands for; empty where it stands for many. */
  uri: z.string(),
  group: z.enum(['product', 'data']),
  externalSystemId: z.string().nullable(),
  ...crudSchema.shape,
});
export type RightEndpoint = z.infer<typeof rightEndpointSchema>;

export const getEndpoints = endpoint({
  route: paths.getEndpoints,
  summary: 'What rights can be given on; the four flags say which rights exist for it',
  access: 'user',
  query: pageQuerySchema,
  reply: paged(rightEndpointSchema),
});

export const roleSchema = z.object({
  internalId: z.string(),
  name: z.string(),
  description: z.string(),
  isBuiltIn: z.boolean(),
  rights: z.array(endpointRightSchema),
  externalSystemRights: z.array(systemRightSchema),
  userCount: z.number().int(),
  users: z.array(z.object({ internalId: z.string(), fullName: z.string() })),
  revision: z.number().int(),
});
export type Role = z.infer<typeof roleSchema>;

const roleValuesSchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    description: z.string().trim().max(500),
    rights: z.array(endpointRightSchema).max(2000),
    externalSystemRights: z.array(systemRightSchema).max(500),
  })
  .strict();
export type RoleValues = z.infer<typeof roleValuesSchema>;

export const getRoles = endpoint({
  route: paths.getRoles,
  summary: 'Roles with their rights and who has them',
  access: 'user',
  query: pageQuerySchema,
  reply: paged(roleSchema),
});

export const getRole = endpoint({
  route: paths.getRole,
  summary: 'One role',
  access: 'user',
  params: z.object({ roleId: z.uuid() }),
  reply: z.object({ resource: roleSchema }),
});

export const createRole = endpoint({
  route: paths.createRole,
  summary: 'Add a role; nobody gives a right that he lacks',
  access: 'user',
  body: roleValuesSchema,
  reply: z.object({ resource: roleSchema }),
});

export const updateRole = endpoint({
  route: paths.updateRole,
  summary: 'Change a role; a stale revision is refused',
  access: 'user',
  params: z.object({ roleId: z.uuid() }),
  body: z.object({ revision: z.number().int().optional(), changes: roleValuesSchema.partial() }).strict(),
  reply: z.object({ resource: roleSchema }),
  errors: ['REVISION_CONFLICT'],
});

export const deleteRole = endpoint({
  route: paths.deleteRole,
  summary: 'Delete a role; one in use needs confirm=true, and the refusal names who has it',
  access: 'user',
  params: z.object({ roleId: z.uuid() }),
  query: z.object({ confirm: z.enum(['true', 'false']).optional() }),
  errors: ['IN_USE'],
});
