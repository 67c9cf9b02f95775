import type { Trigger, TriggerCondition, Value } from '@sluice/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from './content-hash.ts';
import { describeMacros, describeOperators } from './describe.ts';
import { suggestMappings } from './suggest.ts';
import { field } from './test-support/one-value.ts';
import { compileTrigger, isSelected } from './triggers.ts';

const fields = [
  field('city'),
  field('amount', 'float64'),
  field('day', 'date'),
  field('tags', 'string', { kind: 'primitiveValuesArray' }),
];
const single = (id: string, operator: string, value: TriggerCondition['value']): TriggerCondition => ({
  field: id,
  operator,
  comparison: 'singleValue',
  value,
  values: [],
});
const several = (id: string, operator: string, values: TriggerCondition['values']): TriggerCondition => ({
  field: id,
  operator,
  comparison: 'multipleValues',
  value: null,
  values,
});
const trigger = (...conditions: TriggerCondition[]): Trigger => ({
  internalId: 't',
  name: 'T',
  sourceRecordSelection: 'all',
  conditions,
});
const held = (condition: TriggerCondition, values: Value[]): number[] => {
  const compiled = compileTrigger(trigger(condition), fields, 'Europe/Amsterdam');
  expect(compiled.problems).toEqual([]);
  return [...compiled.evaluate({ [condition.field]: values }, values.length).mask];
};

describe('triggers', () => {
  const cities = ['Utrecht', 'utrecht', 'Maastricht', '', null];

  it('[TRIG-02] each operator selects the right records, empty ones for negative operators only', () => {
    expect(held(single('city', 'in', 'Utrecht'), cities)).toEqual([1, 0, 0, 0, 0]);
    expect(held(single('city', 'notIn', 'Utrecht'), cities)).toEqual([0, 1, 1, 1, 1]);
    expect(held(single('city', 'contains', 'TRECHT'), cities)).toEqual([1, 1, 0, 0, 0]);
    expect(held(single('city', 'doesNotContain', 'trecht'), cities)).toEqual([0, 0, 1, 1, 1]);
    expect(held(single('city', 'beginsWith', 'u'), cities)).toEqual([1, 1, 0, 0, 0]);
    expect(held(single('city', 'endsWith', 'RICHT'), cities)).toEqual([0, 0, 1, 0, 0]);
  });

  it('[TRIG-01] several values: positive operators hold for any of them, negative ones where none matches', () => {
    expect(held(several('city', 'in', ['Utrecht', 'Maastricht']), cities)).toEqual([1, 0, 1, 0, 0]);
    expect(held(several('city', 'contains', ['maas', 'utr']), cities)).toEqual([1, 1, 1, 0, 0]);
    expect(held(several('city', 'doesNotContain', ['maas', 'x']), cities)).toEqual([1, 1, 0, 1, 1]);
    expect(held(several('city', 'notIn', ['Utrecht', 'utrecht']), cities)).toEqual([0, 0, 1, 1, 1]);
  });

  it('[TRIG-02] in compares by the type of the field: numbers by value, dates by day, lists by their items', () => {
    expect(held(several('amount', 'in', ['10.0', 5]), [10, '10', 5.5, null])).toEqual([1, 1, 0, 0]);
    expect(
      held(single('day', 'in', '2026-11-21'), ['2026-11-21', '2026-11-20T23:30:00Z', '2026-11-22']),
    ).toEqual([1, 1, 0]);
    expect(held(single('tags', 'in', 'vip'), [['a', 'vip'], ['a'], null])).toEqual([1, 0, 0]);
    expect(held(single('amount', 'beginsWith', '12'), [125, 1.2, null])).toEqual([1, 0, 0]);
  });

  it('conditions of one trigger are ANDed, and each answers for itself', () => {
    const compiled = compileTrigger(
      trigger(single('city', 'contains', 'u'), single('amount', 'in', 1)),
      fields,
      'UTC',
    );
    const result = compiled.evaluate({ city: ['u', 'u', 'x'], amount: [1, 2, 1] }, 3);
    expect([...result.mask]).toEqual([1, 0, 0]);
    expect(result.conditions.map((column) => [...column])).toEqual([
      [1, 1, 0],
      [1, 0, 1],
    ]);
    expect(result.count).toBe(1);
    expect(compiled.fields).toEqual(['city', 'amount']);
  });

  it('unknown fields and operators and values of a wrong type are named, and hold nowhere', () => {
    const compiled = compileTrigger(
      trigger(
        single('gone', 'in', 'x'),
        single('city', 'sounds like', 'x'),
        single('amount', 'in', 'many'),
        several('city', 'in', []),
        single('city', 'in', ''),
      ),
      fields,
      'UTC',
      'triggers[0]',
    );
    expect(compiled.problems.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'triggers[0].conditions[0] unknownTriggerField',
      'triggers[0].conditions[1] unknownOperator',
      'triggers[0].conditions[2] wrongTriggerValue',
      'triggers[0].conditions[3] missingTriggerValue',
      'triggers[0].conditions[4] missingTriggerValue',
    ]);
    expect(compiled.evaluate({ city: ['x'] }, 1).count).toBe(0);
  });

  it('[TRIG-03] [TRIG-04] [TRIG-05] [TRIG-07] a selection takes new, changed, or gone records', () => {
    const states = {
      fresh: { isLinked: false, isChanged: true, isGone: false },
      changed: { isLinked: true, isChanged: true, isGone: false },
      same: { isLinked: true, isChanged: false, isGone: false },
      gone: { isLinked: true, isChanged: false, isGone: true },
    };
    const taken = (selection: Parameters<typeof isSelected>[0], isManual = false) =>
      Object.entries(states).flatMap(([name, state]) =>
        isSelected(selection, state, isManual) ? [name] : [],
      );
    expect(taken('new')).toEqual(['fresh']);
    expect(taken('existing')).toEqual(['changed']);
    expect(taken('existing', true)).toEqual(['changed', 'same']);
    expect(taken('newAndExisting')).toEqual(['fresh', 'changed']);
    expect(taken('deleted')).toEqual(['gone']);
    expect(taken('all')).toEqual(['fresh', 'changed', 'gone']);
  });

  it('[TRIG-11] the operators are listed for the editor, in both languages', () => {
    expect(describeOperators('EN').map(({ name }) => name)).toEqual([
      'is',
      'is not',
      'contains',
      'does not contain',
      'begins with',
      'ends with',
    ]);
    expect(describeOperators('NL').map(({ name }) => name)).toEqual([
      'is',
      'is niet',
      'bevat',
      'bevat niet',
      'begint met',
      'eindigt op',
    ]);
  });

  it('macros of a push outcome are listed for source updates only', () => {
    const ids = (isForSourceUpdates: boolean) => describeMacros('EN', isForSourceUpdates).map(({ id }) => id);
    expect(ids(false)).not.toContain('pushErrorText');
    expect(ids(true)).toContain('pushErrorText');
  });
});

describe('the content hash', () => {
  const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Value>;

  it('differs for different values and is the same for the same, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), fc.array(json, { maxLength: 4 }), (a, b) => {
        const plain = (value: Value): string =>
          JSON.stringify(value, (_, part: Value) => (part === '' ? null : Object.is(part, -0) ? 0 : part));
        const sorted = (value: Value): Value =>
          Array.isArray(value)
            ? value.map(sorted)
            : typeof value === 'object' && value !== null
              ? Object.fromEntries(
                  Object.entries(value)
                    .sort(([x], [y]) => (x < y ? -1 : 1))
                    .map(([key, part]) => [key, sorted(part)]),
                )
              : value;
        const isSame = plain(sorted(a)) === plain(sorted(b));
        expect(contentHash(a) === contentHash(b)).toBe(isSame);
      }),
      { numRuns: 2000 },
    );
    expect(contentHash([{ a: 1, b: 2 }])).toBe(contentHash([{ b: 2, a: 1 }]));
    expect(contentHash(['ab', 'c'])).not.toBe(contentHash(['a', 'bc']));
    expect(contentHash([null])).toBe(contentHash(['']));
    expect(contentHash([10])).not.toBe(contentHash(['10']));
  });

  it('never changes: what earlier runs kept must match', () => {
    expect(contentHash(['Café', 12.5, true, null, ['a']])).toBe('342458982516bc70d8c7fe08d9e000d8');
  });

  it('100,000 near-identical records all differ', () => {
    const column = Array.from({ length: 100_000 }, (_, index) => index);
    expect(new Set(column.map((index) => contentHash([index, `x${index % 7}`]))).size).toBe(100_000);
  });
});

describe('suggestions', () => {
  it('go by names in both languages, types and sample values, each with a reason', () => {
    const source = [
      field('voornaam'),
      field('achternaam'),
      field('zipcode'),
      field('woonplaats'),
      field('mail_1'),
      field('created_at', 'datetime'),
      field('btw_nummer'),
      field('land'),
    ];
    const target = [
      field('postcode'),
      field('city'),
      field('email'),
      field('lastName'),
      field('firstName'),
      field('vatNumber'),
      field('country', 'string', { options: [{ value: 'NL' }, { value: 'BE' }] }),
      field('readonly', 'string', { isReadOnly: true }),
    ];
    const found = suggestMappings(source, target, { mail_1: ['a@b.nl', 'c@d.nl'], land: ['NL', 'BE', 'NL'] });
    const pairs = Object.fromEntries(found.map(({ targetField, sourceField }) => [targetField, sourceField]));
    expect(pairs).toEqual({
      postcode: 'zipcode',
      city: 'woonplaats',
      email: 'mail_1',
      lastName: 'achternaam',
      firstName: 'voornaam',
      vatNumber: 'btw_nummer',
      country: 'land',
    });
    const email = found.find(({ targetField }) => targetField === 'email');
    expect(email?.reason.EN).toContain('e-mail addresses');
    expect(email?.reason.NL).toContain('e-mailadressen');
    for (const { score } of found) expect(score).toBeGreaterThanOrEqual(0.5);
  });

  it('never offers a type that cannot fit, or one field twice', () => {
    expect(suggestMappings([field('date', 'bool')], [field('date', 'date')])).toEqual([]);
    const found = suggestMappings([field('name')], [field('name'), field('Name')]);
    expect(found).toHaveLength(1);
  });
});
