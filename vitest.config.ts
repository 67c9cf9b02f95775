import { defineConfig } from 'vitest/config';

const node = { environment: 'node' as const, testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...node,
          name: 'pure',
          include: [
            '{contract,mapping,sandbox,testing}/**/*.test.ts',
            'adapters/**/*.test.ts',
            'web/src/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.system.test.ts'],
        },
      },
      {
        test: {
          ...node,
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.system.test.ts'],
          globalSetup: ['testing/src/global-postgres.ts'],
          // One more than the cores of a small machine: now and then one waits for a time to come.
          maxWorkers: 3,
        },
      },
      {
        test: {
          ...node,
          name: 'systems',
          include: ['**/*.system.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['testing/src/global-postgres.ts'],
          maxWorkers: 3,
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
