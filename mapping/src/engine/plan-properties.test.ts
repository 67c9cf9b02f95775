import type { Mapping, TransformFn, Value } from '@sluice/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from './convert.ts';
import { compilePlan } from './plan.ts';
import { batchOf, facts, field, mapping } from './test-support/one-value.ts';

const sourceFields = [
  field('first'),
  field('last'),
  field('amount', 'float64'),
  field('born', 'date'),
  field('lines', 'string', {
    kind: 'simpleArray',
    children: [field('sku', 'string', { kind: 'fieldInSimpleArray' })],
  }),
];
const targetFields = [
  field('name', 'string', { isMandatory: true, validations: [{ code: 4102, params: { max: 10 } }] }),
  field('code'),
  field('total', 'float64'),
  field('units', 'uint'),
  field('on', 'datetime'),
  field('kind', 'string', { options: [{ value: 'A' }, { value: 'B' }] }),
  field('reason', 'string', { validations: [{ code: 4003, params: { field: 'kind', value: 'B' } }] }),
];
const planOf = (mappings: Mapping[]) =>
  compilePlan({ mappings, sourceOptionId: 's', sourceFields, targetFields, zone: facts.zone });
const value = (source: string) => ({ type: 'sourceValue' as const, field: source });
const multiple = (mergeString: string, ...fields: string[]) => ({
  type: 'multiple' as const,
  mergeString,
  mergeSources: fields.map((name) => ({ source: value(name), transformFns: [] as TransformFn[] })),
});

describe('a compiled plan', () => {
  /** The same semantics, one record and one step after the other, without any of the engine's run code. */
  const steps: Record<string, (text: Value) => Value> = {
    trim: (text) => (typeof text === 'string' ? text.trim() || null : text),
    upper: (text) => (typeof text === 'string' ? text.toUpperCase() : text),
    left: (text) => (typeof text === 'string' ? Array.from(text).slice(0, 3).join('') : text),
    default: (text) => (text === null || text === '' ? 'zz' : text),
    emptyIf: (text) => (text === 'a' ? null : text),
  };
  const args: Record<string, TransformFn['args']> = {
    left: { length: 3 },
    default: { value: 'zz' },
    emptyIf: { values: ['a'] },
  };
  const text = fc.option(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', 'é', '😀'), maxLength: 6 }), {
    nil: null,
  });
  const chain = fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 5 });

  function naive(parts: [Value, string[]][], pattern: string, after: string[], fallback: Value): Value {
    const apply = (start: Value, names: string[]): Value =>
      names.reduce<Value>((current, name) => {
        const input = current === '' ? null : current;
        if (input === null && name !== 'default') return null;
        return steps[name]?.(input) ?? null;
      }, start);
    const made = parts.map(([start, names]) => textOf(apply(start, names)));
    const merged = made.every((part) => part === null)
      ? null
      : pattern.replace(/\{(\d)\}/g, (_, number) => made[Number(number) - 1] ?? '');
    const value = apply(merged, after);
    return (value === null || value === '' ? fallback : value) || null;
  }

  it('equals a naive interpreter that takes one record after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 20 }),
        chain,
        chain,
        chain,
        fc.constantFrom('{1}{2}', '{2} {1}', '{1}', '[{2}|{2}]'),
        fc.constantFrom(null, 'dd'),
        async (records, one, two, after, pattern, fallback) => {
          const fns = (names: string[]) => names.map((fnId) => ({ fnId, args: args[fnId] ?? {} }));
          const used = pattern.includes('{2}') ? [one, two] : [one];
          const source = {
            type: 'multiple' as const,
            mergeString: pattern,
            mergeSources: used.map((names, index) => ({
              source: value(index === 0 ? 'first' : 'last'),
              transformFns: fns(names),
            })),
          };
          const given = mapping('code', source, fns(after), { defaultValue: fallback });
          const columns = { first: records.map(([a]) => a), last: records.map(([, b]) => b) };
          const { values, errors } = await planOf([given])
            .run(batchOf(columns), facts)
            .then((result) => ({ values: result.columns.code, errors: result.errors }));
          expect(errors).toEqual([]);
          expect(values).toEqual(
            records.map(([a, b]) => {
              const starts: [Value, string[]][] = [
                [a, one],
                [b, two],
              ];
              const numbers = [...pattern.matchAll(/\{(\d)\}/g)].map((match) => Number(match[1]) - 1);
              const relevant = starts.map((start, index): [Value, string[]] =>
                numbers.includes(index) ? start : [null, []],
              );
              return naive(relevant, pattern, after, fallback);
            }),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives each record the same whether it comes alone or among others', async () => {
    const plan = planOf([
      mapping('units', value('first'), [{ fnId: 'toInt', args: {} }]),
      mapping('name', multiple('{1} {2}', 'first', 'last')),
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 10 }), async (records) => {
        const columns = { first: records.map(([a]) => a), last: records.map(([, b]) => b) };
        const whole = await plan.run(batchOf(columns), facts);
        for (const [row, [a, b]] of records.entries()) {
          const alone = await plan.run(batchOf({ first: [a], last: [b] }), facts);
          for (const id of plan.targetFields)
            expect(whole.columns[id]?.[row]).toEqual(alone.columns[id]?.[0]);
          expect(whole.errors.filter((error) => error.row === row).map((error) => error.code)).toEqual(
            alone.errors.map((error) => error.code),
          );
        }
      }),
    );
  });
});
