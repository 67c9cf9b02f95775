import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { jobSchema } from './jobs.ts';
import { paths } from './paths.ts';
import { domainStatusSchema } from './systems.ts';

/** Something that went wrong and that somebody may have to look at (decisions Q-API-11, Q-DASH-05). */
export const dashboardErrorSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  connector: z.object({ internalId: z.string(), name: z.string() }).nullable(),
  endpoint: z.string(),
  /** A person's name, `connector run`, `cache refresh` or `browser`. */
  origin: z.string(),
  message: z.string(),
  errCode: z.string().nullable(),
  /** Route where it can be mended. */
  url: z.string().nullable(),
});
export type DashboardError = z.infer<typeof dashboardErrorSchema>;

const visitedSchema = z.object({
  menuItemId: z.string(),
  title: z.string(),
  /** The company or, where a table has none, the domain: two tables may have one name. */
  place: z.string(),
  route: z.string(),
  count: z.number().int(),
});

/** A table in which the reader's own changes have waited for a week or longer (decisions Q-PEND-16). */
const waitingSchema = visitedSchema.pick({ title: true, place: true, route: true }).extend({
  /** Records, and since when the oldest of them waits. */
  count: z.number().int(),
  oldestAt: z.string(),
});

const connectionSchema = z.object({
  systemId: z.string(),
  name: z.string(),
  domains: z.array(
    z.object({
      internalId: z.string(),
      name: z.string(),
      status: domainStatusSchema,
      statusMessage: z.string().nullable(),
      lastSyncAt: z.string().nullable(),
      isProduction: z.boolean(),
      callsToday: z.number().int(),
      /** Null: no limit. */
      maxApiCalls: z.number().int().nullable(),
      /** Route of its settings; null for who may not read them. */
      url: z.string().nullable(),
    }),
  ),
});

/** One day of the plots, in the organisation's time zone. */
const dashboardDaySchema = z.object({
  date: z.iso.date(),
  jobs: z.number().int(),
  errors: z.number().int(),
  pushed: z.number().int(),
  rejected: z.number().int(),
});

export const dashboardSchema = z.object({
  /** Newest first; at most `dashboardLimit` of each list, of as many as `totals` says. */
  errors: z.array(dashboardErrorSchema),
  userJobs: z.array(jobSchema),
  connectorJobs: z.array(jobSchema),
  totals: z.object({
    errors: z.number().int(),
    userJobs: z.number().int(),
    connectorJobs: z.number().int(),
  }),
  /** Open jobs, also those that were begun before the period. */
  inProgress: z.array(jobSchema),
  /** Ended in the last 24 hours, at most 10. */
  recentlyDone: z.array(jobSchema),
  /** The oldest first. */
  waiting: z.array(waitingSchema),
  mostVisited: z.array(visitedSchema),
  externalConnections: z.array(connectionSchema),
  /** The last 14 days, the oldest first, whatever the period. */
  days: z.array(dashboardDaySchema),
});
export type Dashboard = z.infer<typeof dashboardSchema>;

export const dashboardLimit = 1000;

export const getDashboard = endpoint({
  route: paths.getDashboard,
  summary: 'Jobs and errors of a period, what is going on, and how the external connections are',
  access: 'user',
  query: z
    .object({
      /** Inclusive, in the organisation's time zone. */
      dateFrom: z.iso.date(),
      dateTo: z.iso.date(),
      systemId: z.string().max(200).optional(),
      /** Ids of the chosen options, joined by `*`. */
      systemLevelIds: z.string().max(1000).optional(),
    })
    .strict(),
  reply: dashboardSchema,
});
