import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { paths } from './paths.ts';
import { domainParams, domainStatusSchema, paged } from './systems.ts';

const readingTableSchema = z.object({
  /** Name of the table, with the company's where it is one company's own. */
  title: z.string(),
  /** Records so far, and as many as the external system names; null = it names none. */
  loaded: z.number().int(),
  expected: z.number().int().nullable(),
});

export const domainActivitySchema = z.object({
  /** API calls, in the organisation's time zone. */
  calls: z.object({
    /** Of each hour of today: 24 numbers. */
    hours: z.array(z.number().int()).length(24),
    /** Of the last 14 days, the oldest first. */
    days: z.array(z.object({ date: z.iso.date(), calls: z.number().int() })),
  }),
  reading: z.object({
    tables: z.number().int(),
    /** Tables whose turn has not come. */
    waiting: z.number().int(),
    /** Tables that are being read just now. */
    current: z.array(readingTableSchema),
    /** Tables whose last read failed. */
    failed: z.array(z.object({ title: z.string(), message: z.string() })),
  }),
  /** How the status changed, newest first; at most 50. */
  history: z.array(
    z.object({
      at: z.string(),
      status: domainStatusSchema,
      message: z.string().nullable(),
      /** Null: the product found it out itself. */
      by: z.string().nullable(),
    }),
  ),
});
export type DomainActivity = z.infer<typeof domainActivitySchema>;

export const getDomainActivity = endpoint({
  route: paths.getDomainActivity,
  summary: 'API calls, what is being read, and the history of the status of a domain',
  access: 'user',
  params: domainParams,
  reply: z.object({ resource: domainActivitySchema }),
});

export const companyContentSchema = z.object({
  internalId: z.string(),
  tables: z.number().int(),
  records: z.number().int(),
  /** Records with a pending change. */
  pending: z.number().int(),
});
export type CompanyContent = z.infer<typeof companyContentSchema>;

export const getCompanyContents = endpoint({
  route: paths.getCompanyContents,
  summary: 'What is kept of each company of a domain: tables, records, pending changes',
  access: 'user',
  params: domainParams,
  reply: paged(companyContentSchema),
});
