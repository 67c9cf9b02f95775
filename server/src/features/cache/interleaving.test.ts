import fc from 'fast-check';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { command } from './test-support/commands.ts';
import { Runner } from './test-support/runner.ts';
import { startWorld, type World } from './test-support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld(inject('postgresUrl'));
});
afterAll(async () => await world?.stop());

// `SEED=… RUNS=…` repeat a failure or search longer.
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env['RUNS'] ?? 60);

describe('edits, refreshes, pushes and discards in any order', () => {
  it(
    'keep every change of every user with its author, and every value of the ERP',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(command, { minLength: 4, maxLength: 14, size: 'max' }),
          async (commands) => {
            const runner = new Runner(world);
            await runner.begin();
            for (const one of commands) await runner.run(one);
          },
        ),
        { seed, numRuns, endOnFailure: process.env['SHRINK'] === undefined },
      );
    },
  );
});
