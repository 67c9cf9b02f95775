import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { paged, pageQuerySchema } from './systems.ts';

/** What an entry of the audit log is about. */
export const auditAreas = ['signIn', 'people', 'systems', 'connectors', 'records', 'other'] as const;
export type AuditArea = (typeof auditAreas)[number];

export const auditEntrySchema = z.object({
  /** Place in the chain: 1, 2, 3, … */
  seq: z.number().int(),
  at: z.string(),
  actorName: z.string(),
  /** Null where the product itself did it. */
  actorId: z.string().nullable(),
  area: z.enum(auditAreas),
  verb: z.string(),
  target: z.string().nullable(),
  /** What it is called now, else what the entry says it was called; null where neither is known. */
  targetName: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const auditFilterSchema = z.object({
  /** Dates, both inclusive, in the organisation's time zone. */
  dateFrom: z.iso.date().optional(),
  dateTo: z.iso.date().optional(),
  area: z.enum(auditAreas).optional(),
  /** Part of a name, verb, target or detail. */
  search: z.string().max(200).optional(),
});

export const getAudit = endpoint({
  route: paths.getAudit,
  summary: 'Who did what, the newest first',
  access: 'user',
  query: auditFilterSchema.extend(pageQuerySchema.shape),
  reply: paged(auditEntrySchema),
});

export const exportAudit = endpoint({
  route: paths.exportAudit,
  summary: 'The same as CSV (UTF-8), at most 100,000 entries',
  access: 'user',
  query: auditFilterSchema,
  mediaType: 'text/csv',
  reply: z.string(),
});
