import { describe, expect, it } from 'vitest';
import { describeFunctions } from '../describe.ts';
import { applied } from '../test-support/one-value.ts';
import { checkArgs } from '../args.ts';
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
      const needsSystem =
        entry.hasTranslationTable || ['lookupTarget', 'lookupSource', 'existsInTarget'].includes(entry.id);
      expect(entry.examples.length).toBe(needsSystem ? 0 : 2);
      for (const { input, args, output } of entry.examples) {
        expect(checkArgs(entry, { fnId: entry.id, args }, 'Europe/Amsterdam'), entry.id).toEqual([]);
        expect(
          await applied([{ fnId: entry.id, args }], input),
          `${entry.id} of ${JSON.stringify(input)}`,
        ).toEqual(output);
      }
    },
  );
});
