import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const configSchema = z.object({
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65535).default(4100),
  SANDBOX_HOST: z.string().min(1).default('127.0.0.1'),
  SANDBOX_HOME: z.string().min(1).default(join(homedir(), '.sluice-sandbox')),
  SANDBOX_JOURNAL_ENTRIES: z.coerce.number().int().min(0).max(1_000_000).default(100_000),
  SANDBOX_USERNAME: z.string().min(1).default('sandbox'),
  SANDBOX_PASSWORD: z.string().min(1).default('sandbox'),
  SANDBOX_EXIT_WITH_STDIN: z.enum(['on', 'off']).default('off'),
  SANDBOX_REQUIRE_IF_MATCH: z.enum(['on', 'off']).default('off'),
});

/** Reads the settings; throws one readable list of all that is wrong. */
export function readConfig(env: Record<string, string | undefined>) {
  const parsed = configSchema.safeParse(env);
  if (!parsed.success) throw new Error(`settings of the sandbox:\n${z.prettifyError(parsed.error)}`);
  const { data } = parsed;
  return {
    port: data.SANDBOX_PORT,
    host: data.SANDBOX_HOST,
    home: data.SANDBOX_HOME,
    journalEntries: data.SANDBOX_JOURNAL_ENTRIES,
    username: data.SANDBOX_USERNAME,
    password: data.SANDBOX_PASSWORD,
    /** Whoever started it holds the other end of stdin: when that is gone, also by kill -9, it stops. */
    exitWithStdin: data.SANDBOX_EXIT_WITH_STDIN === 'on',
    requireIfMatch: data.SANDBOX_REQUIRE_IF_MATCH === 'on',
  };
}
