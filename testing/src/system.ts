import { describe, it } from 'vitest';
import { areSystemsOptional } from './test-machine.ts';

/**
 * Tests that need an external system. Where it is missing they fail with the reason; only when the person who
 * runs them said that systems are optional are they left out, loudly.
 */
export function describeSystem(name: string, problem: string | null, body: () => void): void {
  if (problem === null) {
    describe(name, body);
  } else if (areSystemsOptional()) {
    const line = '!'.repeat(78);
    console.log(`${line}\n!!! NOT RUN: ${name}\n!!! ${problem}\n${line}`);
    describe.skip(`${name} (not run: ${problem})`, body);
  } else {
    describe(name, () => {
      it('has the system that it needs', () => {
        throw new Error(`${problem}. Set SLUICE_SYSTEMS_OPTIONAL=1 to go on without it.`);
      });
    });
  }
}
