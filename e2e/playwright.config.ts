import { defineConfig } from '@playwright/test';
import { findChromium } from '@sluice/testing';

const chromium = await findChromium();
/**
 * Pages live for seconds here: what V8 spends on making their code faster does not pay. Without it pages took between a
 * tenth and a fifth less of a core, in two pairs of runs of four spec files on a host whose speed varied as much.
 */
const quickStart = '--js-flags=--no-turbofan --no-maglev';

export default defineConfig<object, { journalEntries: number }>({
  testDir: '.',
  outputDir: '../test-results',
  timeout: 120_000,
  expect: { timeout: 15_000 },
  workers: 2,
  // On a product of its own, and told at the end of the run: what failed once is to be mended next.
  retries: 1,
  fullyParallel: false,
  forbidOnly: true,
  use: {
    viewport: { width: 1440, height: 900 },
    // A button that never comes fails its own line, not the whole test's time.
    actionTimeout: 30_000,
    locale: 'en-GB',
    timezoneId: 'Europe/Amsterdam',
    permissions: ['clipboard-read', 'clipboard-write'],
    // A trace of every test takes a tenth of the run; for one that fails, give `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromium.executablePath,
      args: [...chromium.args, quickStart],
      env: { ...process.env, ...chromium.env } as Record<string, string>,
    },
  },
  projects: [
    { name: 'sandbox', testMatch: '*.spec.ts', testIgnore: 'systems/**' },
    {
      name: 'systems',
      testMatch: 'systems/*.spec.ts',
      timeout: 900_000,
      use: { journalEntries: 1000 },
    },
  ],
});
