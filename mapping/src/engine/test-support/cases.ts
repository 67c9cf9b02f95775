import type { TransformArg, Value } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import type { FunctionEntry } from '../functions/define.ts';
import { applied } from './one-value.ts';

/** What comes in, the arguments, what comes out: a value, or `!code` of the error. */
export type Case = readonly [input: Value, args: Record<string, TransformArg>, output: Value];

/** A value that a function of these input types cannot take, with the codes that it may fail with. */
function wrongFor(entry: FunctionEntry): Value | undefined {
  const types = entry.inputTypes;
  if (types.includes('any')) return undefined;
  if (types.includes('string')) return types.includes('any[]') ? undefined : { no: 'text' };
  if (types.includes('float64') || types.includes('int')) return 'x';
  return 'neither';
}

/**
 * Runs the cases of every function of a group. Beside them each function is given nothing, an empty text and a value
 * of a wrong type, so that with its two examples it has at least eight.
 */
export function testFunctions(
  entries: readonly FunctionEntry[],
  cases: Record<string, readonly Case[]>,
): void {
  describe.each(entries.map((entry) => [entry.id, entry] as const))('%s', (id, entry) => {
    const given = cases[id] ?? [];
    it.each(given.map((row) => [JSON.stringify(row), row] as const))(
      '%s',
      async (_, [input, args, output]) => {
        expect(await applied([{ fnId: id, args }], input)).toEqual(output);
      },
    );
    const args = given[0]?.[1] ?? entry.examples[0]?.args ?? {};
    if (!entry.handlesEmpty)
      it.each([null, ''])('gives back nothing for nothing (%j)', async (input) => {
        expect(await applied([{ fnId: id, args }], input)).toBeNull();
      });
    const wrong = wrongFor(entry);
    if (wrong !== undefined)
      it('fails the record for a value of a wrong type', async () => {
        expect(await applied([{ fnId: id, args: { ...args, onError: 'error' } }], wrong)).toMatch(/^!not/);
      });
    it('has at least eight cases', () => {
      const others = (entry.handlesEmpty ? 0 : 2) + (wrong === undefined ? 0 : 1);
      expect(given.length + entry.examples.length + others).toBeGreaterThanOrEqual(8);
    });
  });
}
