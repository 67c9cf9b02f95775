import type { Mapping, TransformFn, Value } from '@sluice/contract';
import { mappingSchema } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { changesOf, compilePlan } from './plan.ts';
import { batchOf, facts, field, mapping } from './test-support/one-value.ts';
import { recordErrorText } from './texts.ts';
import type { RunContext } from './types.ts';

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
const one = async (
  given: Mapping,
  columns: Record<string, Value[]>,
  extra = {},
  context: RunContext = facts,
) => {
  const result = await planOf([given]).run(batchOf(columns, extra), context);
  return {
    values: result.columns[given.targetField],
    errors: result.errors,
    left: result.left[given.targetField],
  };
};
const value = (source: string) => ({ type: 'sourceValue' as const, field: source });
const custom = (constant: Value) => ({ type: 'customValue' as const, value: constant });
const multiple = (mergeString: string, ...fields: string[]) => ({
  type: 'multiple' as const,
  mergeString,
  mergeSources: fields.map((name) => ({ source: value(name), transformFns: [] as TransformFn[] })),
});

describe('sources of a value', () => {
  it('[MAP-04] a source value arrives, also from an element of a list', async () => {
    expect((await one(mapping('code', value('first')), { first: ['a', null] })).values).toEqual(['a', null]);
    const lines = [[{ sku: 'x' }, { sku: 'y' }], [], null];
    expect((await one(mapping('code', value('lines[1].sku')), { lines })).values).toEqual(['y', null, null]);
    const joined = mapping('code', value('lines.sku'), [{ fnId: 'join', args: { separator: '+' } }]);
    expect((await one(joined, { lines })).values).toEqual(['x+y', null, null]);
  });

  it('[MAP-05] the current target value can be used; it is empty for a new record', async () => {
    const keep = mapping('code', { type: 'targetValue', field: 'code' }, [
      { fnId: 'suffix', args: { text: '!' } },
    ]);
    const targets = { code: ['old', undefined] };
    expect((await one(keep, { first: ['a', 'b'] }, { targets })).values).toEqual(['old!', null]);
  });

  it('[MAP-06] a custom value arrives in every record', async () => {
    expect((await one(mapping('units', custom(5)), { first: ['a', 'b'] })).values).toEqual([5, 5]);
  });

  it('[MAP-07] macros answer from the run and from the record', async () => {
    const macro = (macroId: string, extra = {}) => ({ type: 'macro' as const, macroId, ...extra });
    const context = {
      ...facts,
      connectorId: 'c1',
      startedBy: 'Sanne',
      targetLevels: [{ name: 'Production', acronym: 'P' }],
    };
    const of = async (macroId: string, extra = {}, batch = {}) =>
      (await one(mapping('code', macro(macroId, extra)), { first: ['a', 'b'] }, batch, context)).values;
    expect(await of('now')).toEqual(['2026-11-21T22:30:00Z', '2026-11-21T22:30:00Z']);
    expect(await of('today')).toEqual(['2026-11-21', '2026-11-21']);
    expect(await of('startOfMonth')).toEqual(['2026-11-01', '2026-11-01']);
    expect(await of('startedBy')).toEqual(['Sanne', 'Sanne']);
    expect(await of('domain')).toEqual(['Production', 'Production']);
    expect(await of('runId')).toEqual([null, null]);
    expect(await of('sourceKey')).toEqual(['k1', 'k2']);
    expect(await of('sourceRowNumber', {}, { rowNumbers: [7, 8] })).toEqual(['7', '8']);
    expect(await of('targetValue', { field: 'code' }, { targets: { code: ['x', undefined] } })).toEqual([
      'x',
      null,
    ]);
    const [uuid, other] = (await of('stableUuid')) ?? [];
    expect(await of('stableUuid')).toEqual([uuid, other]);
    expect(uuid).not.toBe(other);
    const later = { ...context, now: '2026-11-21T23:30:00Z' };
    expect((await one(mapping('code', macro('today')), { first: ['a'] }, {}, later)).values).toEqual([
      '2026-11-22',
    ]);
  });

  it('[MAP-08] the text of a failed write can be written back', async () => {
    const outcomes = [{ status: 'rejected', errorCode: 'E1', errorText: 'No stock', createdKey: null }];
    const given = mapping('code', { type: 'responseErrorMessage' });
    expect((await one(given, { first: ['a'] }, { outcomes })).values).toEqual(['No stock']);
  });

  it('[MAP-01] [MAP-02] each source collection has its own entry; the other entries do nothing', async () => {
    const given = { ...mapping('code', value('first')) };
    given.mappingSources = [
      { sourceOptionId: 'other', source: custom('x'), transformFns: [] },
      ...given.mappingSources,
    ];
    expect((await one(given, { first: ['a'] })).values).toEqual(['a']);
    given.mappingSources.pop();
    expect(planOf([given]).targetFields).toEqual([]);
  });
});

describe('merges', () => {
  it('[MAP-03] [MAP-10] sources with their own functions are put together, then the functions of the whole', async () => {
    const source = multiple('{1} {{x}} {2}', 'first', 'last');
    source.mergeSources[1]?.transformFns.push({ fnId: 'upper', args: {} });
    const given = mapping('code', source, [{ fnId: 'suffix', args: { text: '.' } }]);
    expect((await one(given, { first: ['Jan', null], last: ['Smit', 'Bos'] })).values).toEqual([
      'Jan {x} SMIT.',
      ' {x} BOS.',
    ]);
  });

  it('[MAP-10] nothing in any source is nothing, so that the default applies', async () => {
    const given = mapping('code', multiple('{1}, {2}', 'first', 'last'), [], { defaultValue: 'none' });
    expect((await one(given, { first: ['', 'a'], last: [null, null] })).values).toEqual(['none', 'a, ']);
  });

  it('a number without source fails each record at its place', async () => {
    const { errors } = await one(mapping('code', multiple('{3}', 'first')), { first: ['a'] });
    expect(errors).toMatchObject([{ code: 'mergeNumber', path: 'mappings[0].mappingSources[0]' }]);
  });

  it('merges cannot contain merges: the contract refuses them, so that no chain comes back to itself', () => {
    const inner = multiple('{1}', 'first');
    const nested = { ...multiple('{1}'), mergeSources: [{ source: inner, transformFns: [] }] };
    expect(mappingSchema.safeParse(mapping('code', inner)).success).toBe(true);
    expect(
      mappingSchema.safeParse({
        ...mapping('code', inner),
        mappingSources: [{ sourceOptionId: 's', source: nested }],
      }).success,
    ).toBe(false);
  });
});

describe('after the functions', () => {
  it('[MAP-09] nothing becomes the default, and only nothing', async () => {
    const given = mapping('total', value('amount'), [], { defaultValue: 1 });
    expect((await one(given, { amount: [null, 0, 2] })).values).toEqual([1, 0, 2]);
  });

  it('a value becomes one of the target type, or its record fails with the value that came in', async () => {
    const given = mapping('units', value('first'));
    const { values, errors } = await one(given, { first: ['12', '-1', 'x', '1.5'] });
    expect(values).toEqual([12, null, null, null]);
    expect(errors.map(({ row, code, input }) => [row, code, input])).toEqual([
      [1, 'negative', '-1'],
      [2, 'notANumber', 'x'],
      [3, 'notWhole', '1.5'],
    ]);
    expect((await one(mapping('on', value('born')), { born: ['2026-07-01'] })).values).toEqual([
      '2026-06-30T22:00:00Z',
    ]);
    expect((await one(mapping('code', value('amount')), { amount: [1e21, 0.5] })).values).toEqual([
      '1000000000000000000000',
      '0.5',
    ]);
  });

  it('rules of the target field are checked, with other fields of the record in view', async () => {
    const { errors } = await one(mapping('name', value('first')), {
      first: ['a'.repeat(11), 'é'.repeat(10), null],
    });
    expect(errors.map(({ row, params }) => [row, params.rule])).toEqual([
      [0, 4102],
      [2, 4001],
    ]);
    const both = planOf([mapping('kind', value('first')), mapping('reason', value('last'))]);
    const result = await both.run(batchOf({ first: ['B', 'A', 'C'], last: [null, null, 'x'] }), facts);
    expect(result.errors.map(({ row, params }) => [row, params.rule])).toEqual([
      [2, 4400],
      [0, 4003],
    ]);
    expect([...result.failed]).toEqual([1, 0, 1]);
  });

  it('a failing value marks its record and no other', async () => {
    const { values, errors } = await one(mapping('total', value('first'), [{ fnId: 'toNumber', args: {} }]), {
      first: ['1,5', 'x', null, '2'],
    });
    expect(values).toEqual([1.5, null, null, 2]);
    expect(errors).toEqual([
      {
        row: 1,
        targetField: 'total',
        path: 'mappings[0].mappingSources[0].transformFns[0]',
        fnIndex: 0,
        input: 'x',
        code: 'notANumber',
        params: {},
      },
    ]);
    const [error] = errors;
    const rule = () => '';
    expect(error && recordErrorText(error, 'EN', rule)).toBe("'x' is not a number");
    expect(error && recordErrorText(error, 'NL', rule)).toBe("'x' is geen getal");
  });

  it('[TRANS-02] the text of a missing translation names the value', () => {
    const error = { code: 'noTranslation', params: { value: 'LUX.' }, input: 'LUX.' };
    expect(recordErrorText(error, 'EN', () => '')).toBe('No translation for "LUX."');
  });

  it('a look-up that breaks off ends the run: no record is blamed for it', async () => {
    const args = { collection: 'c', keyField: 'k', returnField: 'r' };
    const given = mapping('code', value('first'), [{ fnId: 'lookupTarget', args }]);
    const lookup = () => Promise.reject(new Error('the line is cut'));
    await expect(one(given, { first: ['a'] }, {}, { ...facts, lookup })).rejects.toThrow('the line is cut');
  });

  it('what is read of source and target is known before the run', () => {
    const plan = planOf([
      mapping('code', multiple('{1}', 'first')),
      mapping('reason', { type: 'macro', macroId: 'targetValue', field: 'code' }),
      mapping('name', value('lines[0].sku'), [
        { fnId: 'concat', args: { others: [{ source: value('last') }] } },
      ]),
    ]);
    expect(plan.sourceFields.toSorted()).toEqual(['first', 'last', 'lines']);
    expect(plan.readTargetFields).toEqual(['code']);
  });

  it('functions that vanished and unknown fields fail each record and name themselves', async () => {
    const gone = mapping('code', value('first'), [{ fnId: 'teleport', args: {} }]);
    expect((await one(gone, { first: ['a'] })).errors).toMatchObject([
      { code: 'functionUnavailable', params: { function: 'teleport' } },
    ]);
    expect((await one(mapping('code', value('nope')), { first: ['a'] })).errors).toMatchObject([
      { code: 'unknownSourceField' },
    ]);
    expect((await one(mapping('nope', value('first')), { first: ['a'] })).errors).toMatchObject([
      { code: 'unknownTargetField' },
    ]);
  });
});

describe('which fields are written', () => {
  it('[MAP-11] unique fields give the match key alone, and an empty one fails the record', async () => {
    const plan = planOf([
      mapping('code', value('first'), [], { isUnique: true }),
      mapping('name', value('last')),
    ]);
    expect(plan.uniqueFields).toEqual(['code']);
    const keys = await plan.matchKeys(batchOf({ first: ['a', null], last: ['b', 'c'] }), facts);
    expect(keys.columns).toEqual({ code: ['a', null] });
    expect(keys.errors).toMatchObject([{ row: 1, code: 'emptyKey' }]);
  });

  it('[MAP-12] a field that is ignored on later runs is left alone in records of earlier runs', async () => {
    const given = mapping('code', value('first'), [], { ignoreOnLaterRuns: true });
    const { left } = await one(given, { first: ['a', 'b'] }, { isLinked: [true, false] });
    expect([...(left ?? [])]).toEqual([1, 0]);
  });

  it('skipIf leaves the field, emptyIf empties it', async () => {
    const plan = planOf([
      mapping('code', value('first'), [{ fnId: 'skipIf', args: {} }]),
      mapping('reason', value('first'), [{ fnId: 'emptyIf', args: { values: ['-'] } }]),
    ]);
    const result = await plan.run(batchOf({ first: [null, '-'] }), facts);
    const current = (id: string): Value => (id === 'code' ? 'old' : 'why');
    expect(changesOf(result, 0, current)).toEqual({ reason: null });
    expect(changesOf(result, 1, current)).toEqual({ code: '-', reason: null });
    expect(changesOf(result, 1, undefined)).toEqual({ code: '-' });
  });

  it('a trace shows the value after each step, by the same run', async () => {
    const plan = planOf([
      mapping(
        'code',
        multiple('{1}-{2}', 'first', 'last'),
        [
          { fnId: 'upper', args: {} },
          { fnId: 'left', args: { length: 3 } },
        ],
        { defaultValue: 'x' },
      ),
      mapping('units', value('amount')),
    ]);
    const [code, units] = await plan.trace(
      batchOf({ first: ['a', 'b'], last: ['c', 'd'], amount: [1, 1.5] }, { targets: { code: ['o', 'p'] } }),
      1,
      facts,
    );
    expect(code?.steps.map(({ fnId, value: after }) => [fnId, after])).toEqual([
      ['source', 'b'],
      ['source', 'd'],
      ['merge', 'b-d'],
      ['upper', 'B-D'],
      ['left', 'B-D'],
      ['default', 'B-D'],
      ['convert', 'B-D'],
    ]);
    expect(code).toMatchObject({ value: 'B-D', oldValue: 'p', error: null });
    expect(units).toMatchObject({ value: null, error: { code: 'notWhole', row: 1, input: 1.5 } });
  });
});
