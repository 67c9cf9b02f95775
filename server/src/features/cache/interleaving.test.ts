import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { beginnings, commands, stepsOfAda } from './test-support/commands.ts';
import { Runner } from './test-support/runner.ts';
import { startWorld, type World } from './test-support/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld(inject('postgresUrl'));
});
afterAll(async () => await world?.stop());

// `SEED=… RUNS=…` repeat a failure or search longer, `SHRINK=1` looks for a shorter one.
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env['RUNS'] ?? 40);
const parameters = { seed, numRuns, endOnFailure: process.env['SHRINK'] === undefined };
const timeout = 3_600_000;

describe('edits, refreshes, pushes and discards in any order', () => {
  it('keep every change of every user with its author, and every value of the ERP', { timeout }, async () => {
    const property = fc.asyncProperty(commands, async (list) => {
      const runner = new Runner(world);
      await runner.begin();
      for (const one of list) await runner.run(one);
    });
    await fc.assert(property, parameters);
  });

  it(
    'undo of all that one user did gives back the start, and redo of all of it the end',
    { timeout },
    async () => {
      const property = fc.asyncProperty(beginnings, stepsOfAda, async (beginning, steps) => {
        const runner = new Runner(world);
        await runner.begin();
        for (const one of beginning) await runner.run(one);
        const earlier = runner.countSteps('ada');
        const start = await runner.picture();
        for (const one of steps) await runner.run(one);
        const end = await runner.picture();
        const count = runner.countSteps('ada') - earlier;
        for (let n = 0; n < count; n += 1) await runner.replay('ada', 'undo');
        await runner.check();
        expect(await runner.picture()).toBe(start);
        for (let n = 0; n < count; n += 1) await runner.replay('ada', 'redo');
        await runner.check();
        expect(await runner.picture()).toBe(end);
      });
      await fc.assert(property, parameters);
    },
  );
});
