import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureDatabase } from '@sluice/server/database';
import { createPool } from '@sluice/server/db';
import { startEmbeddedPostgres } from '@sluice/server/embedded-postgres';
import { migrate } from '@sluice/server/migrate';
import type { TestProject } from 'vitest/node';
import { removeHome } from './home.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Databases of tests need not survive a power cut. */
const fast = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=256MB',
  'max_connections=200',
];

/** Vitest's global setup: one PostgreSQL for the run with a migrated template; each file clones it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'sluice-test-'));
  const postgres = await startEmbeddedPostgres({ home, settings: fast });
  await ensureDatabase(postgres.url('postgres'), 'template_sluice');
  const pool = createPool({
    url: postgres.url('template_sluice'),
    max: 2,
    applicationName: 'tests',
    onError: () => undefined,
  });
  await migrate(pool);
  await pool.end();
  project.provide('postgresUrl', postgres.url('postgres'));
  return async () => {
    await postgres.stop();
    removeHome(home);
  };
}
