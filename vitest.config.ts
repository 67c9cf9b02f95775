import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take a minute and more, and begun last they would run alone at the end, with a core idle. */
const longest = [
  'server/src/features/push/crash.test.ts',
  'server/src/features/cache/interleaving.test.ts',
  'server/src/features/connectors/runs/crash.test.ts',
  'server/src/features/bulk/undo-of-bulk.test.ts',
  'server/src/platform/boundaries.test.ts',
  'server/src/features/connectors/runs/runs.test.ts',
  'server/src/features/push/tryton-crash.system.test.ts',
];

/** A fresh clone knows no times of earlier runs: without this the order there is by the size of the files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(name));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

const node = {
  environment: 'node' as const,
  // Files of a worker share the modules that they import: each with its own took a quarter more of the machine's time.
  isolate: false,
  // One more than the cores of a small machine: now and then one waits for a time to come.
  maxWorkers: 3,
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
        },
      },
      {
        test: {
          ...node,
          name: 'systems',
          include: ['**/*.system.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['testing/src/global-postgres.ts'],
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
