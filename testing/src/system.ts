import { describe, it } from 'vitest';
import { areSystemsOptional, leaveOut } from './test-machine.ts';

/**
 * Tests that need an external system. Where it is missing they fail with the reason; only when the person who
 * runs them said that systems are optional are they left out, loudly.
 */
export function describeSystem(name: string, problem: string | null, body: () => void): void {
  if (problem === null) {
    describe(name, body);
  } else if (areSystemsOptional()) {
    leaveOut(name, problem);
    describe.skip(`${name} (not run: ${problem})`, body);
  } else {
    describe(name, () => {
      it('has the system that it needs', () => leaveOut(name, problem));
    });
  }
}
