import { z } from 'zod';
import { valueSchema } from './fields.ts';

/** Every code that the product itself gives (decisions Q-GEN-06). */
export const errorCodes = [
  'VALIDATION',
  'MALFORMED',
  'TOO_LARGE',
  'UNAUTHENTICATED',
  'INVALID_CREDENTIALS',
  'NOT_AUTHORIZED_FOR_APPLICATION',
  'SECOND_FACTOR_NEEDED',
  'LINK_EXPIRED',
  'CSRF',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'TOO_MANY_REQUESTS',
  'REVISION_CONFLICT',
  'BEING_PUSHED',
  'SNAPSHOT_GONE',
  'IN_USE',
  'NOTHING_CACHED_YET',
  'DOMAIN_PAUSED',
  'DOMAIN_INACTIVE',
  'UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT',
  'UNAUTHORIZED_FOR_EXTERNAL_SYSTEM',
  'EXTERNAL_SYSTEM',
  'ACTIONS_WOULD_BE_DISCARDED',
  'RUN_ACTIVE',
  'MAPPINGS_NOT_SET_UP',
  'NOT_READY',
  'INTERNAL',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** One field at fault. `field` is a field id, or a path into the body (`[3].changes.name`). */
export const fieldErrorSchema = z.object({
  field: z.string(),
  /** A validation code of the specification, or null for a structural fault. */
  code: z.number().int().nullable(),
  params: z.record(z.string(), valueSchema),
  message: z.string(),
  /** Which record of a batch: its id, where there is one. */
  id: z.string().optional(),
});
export type FieldError = z.infer<typeof fieldErrorSchema>;

export const errorBodySchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  statusCode: z.number().int(),
  statusDescription: z.string(),
  requestId: z.string(),
  logs: z.array(z.string()).optional(),
  errCode: z.string().optional(),
  msg: z.string().optional(),
  fieldErrors: z.array(fieldErrorSchema).optional(),
  /** What the caller needs to decide: the current operation at a revision conflict, counts at IN_USE. */
  details: z.record(z.string(), z.unknown()).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
