import { z } from 'zod';

export const jobStatuses = ['QUEUED', 'RUNNING', 'DONE', 'PARTIALLY_FAILED', 'FAILED', 'CANCELLED'] as const;
export const jobStatusSchema = z.enum(jobStatuses);
export type JobStatus = z.infer<typeof jobStatusSchema>;

/** Long work as the dashboard and the notification centre show it (decisions Q-JOB-01). */
export const jobSchema = z.object({
  id: z.string(),
  kind: z.enum(['push', 'manualRun', 'automaticRun', 'cacheRefresh', 'copy']),
  timestamp: z.string(),
  connector: z.object({ internalId: z.string(), name: z.string() }).nullable(),
  endpoint: z.string(),
  /** A person's name, `schedule` or `source change`. */
  origin: z.string(),
  message: z.string().nullable(),
  status: jobStatusSchema,
  /** Records; null = not known beforehand. */
  total: z.number().int().nullable(),
  current: z.number().int(),
  failed: z.number().int(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  durationMinutes: z.number().nullable(),
  url: z.string().nullable(),
});
export type Job = z.infer<typeof jobSchema>;
