import { describe, expect, it } from 'vitest';
import { describeFunctions } from '../describe.ts';
import { applied, facts } from '../test-support/one-value.ts';
import { argsOf, checkArgs } from '../args.ts';
import type { Step } from './define.ts';
import { functions } from './index.ts';

describe('the registry of functions', () => {
  it('[XFORM-01] lists every function once, in both languages, with its parameters', () => {
    const ids = functions.map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(120);
    const [en, nl] = [describeFunctions('EN'), describeFunctions('NL')];
    expect(en.map((entry) => entry.id)).toEqual(ids);
    for (const entry of functions) {
      for (const texts of [
        entry.label,
        entry.help,
        ...entry.parameters.map((parameter) => parameter.label),
      ]) {
        expect(texts.EN, entry.id).not.toBe('');
        expect(texts.NL, entry.id).not.toBe('');
      }
      expect(entry.help.EN, entry.id).not.toBe(entry.help.NL);
    }
    expect(nl.find((entry) => entry.id === 'trim')?.name).toBe('Spaties eraf');
    // Two functions of one name could not be told apart in the list.
    for (const described of [en, nl]) {
      const names = described.map((entry) => `${entry.group}: ${entry.name}`);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });

  it.each(functions.map((entry) => [entry.id, entry] as const))(
    'the examples of %s are true',
    async (_, entry) => {
      expect(entry.examples.length).toBe(entry.hasTranslationTable || entry.asks ? 0 : 2);
      for (const { input, args, output } of entry.examples) {
        expect(checkArgs(entry, { fnId: entry.id, args }, 'Europe/Amsterdam'), entry.id).toEqual([]);
        expect(
          await applied([{ fnId: entry.id, args }], input),
          `${entry.id} of ${JSON.stringify(input)}`,
        ).toEqual(output);
      }
    },
  );

  it.each(functions.map((entry) => [entry.id, entry] as const))(
    '%s asks cached collections only where it declares that, and where it does it is given them',
    async (fnId, entry) => {
      const [sample] = entry.examples;
      const args = sample?.args ?? { collection: 'party', keyField: 'code', returnField: 'id' };
      const input = [sample?.input ?? 'x'];
      let isAsked = false;
      const step: Step = {
        size: 1,
        facts,
        get lookup() {
          isAsked = true;
          return undefined;
        },
        fail: () => null,
        leave: () => undefined,
        operand: () => ['x'],
        operands: () => [['x']],
        sourceColumn: () => ['x'],
      };
      await entry.apply(argsOf(entry, { fnId, args }, facts.zone))(input, step);
      expect(isAsked).toBe(entry.asks);
    },
  );
});
