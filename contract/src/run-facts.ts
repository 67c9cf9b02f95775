import { z } from 'zod';
import { localeSchema } from './fields.ts';

const levelsSchema = z.array(z.object({ name: z.string(), acronym: z.string() }));

/** What is the same for all records of a run: what the macros answer; absent ones are empty. */
export const runFactsSchema = z.object({
  /** ISO UTC, fixed at the start of the run; in source updates the moment of writing back. */
  now: z.string(),
  /** IANA name of the connector's time zone. */
  zone: z.string(),
  language: localeSchema,
  /** A test run has none. */
  runId: z.string().optional(),
  runNumber: z.number().int().optional(),
  runKind: z.enum(['test', 'manual', 'scheduled', 'retry']).optional(),
  /** ISO UTC. */
  runStartedAt: z.string().optional(),
  startedBy: z.string().optional(),
  startedByEmail: z.string().optional(),
  connectorId: z.string().optional(),
  connectorName: z.string().optional(),
  actionId: z.string().optional(),
  actionName: z.string().optional(),
  sourceSystem: z.string().optional(),
  sourceSystemAcronym: z.string().optional(),
  sourceCollection: z.string().optional(),
  /** The chosen levels of the source and of the target, outermost first. */
  sourceLevels: levelsSchema.optional(),
  targetLevels: levelsSchema.optional(),
  targetSystem: z.string().optional(),
  targetCollection: z.string().optional(),
  environment: z.enum(['production', 'test']).optional(),
  /** ISO UTC of the last run that succeeded. */
  previousRunAt: z.string().optional(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;
