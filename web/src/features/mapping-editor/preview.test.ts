import type { EndMetadata, FieldPath, Mapping, Trigger } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import { countTrigger, withComparison } from './edit-triggers.ts';
import { computePreview, type PreviewInput, rememberLookups } from './preview.ts';

const field = (path: string, dataType: 'string' | 'int' = 'string'): FieldPath => ({
  ...fieldOf(path, { dataType }),
  path,
  group: 'optional',
});
const source: EndMetadata = {
  option: { id: 'shop', name: 'Shop', path: '', resourceTypeUriId: 'shop' },
  fields: [field('title'), field('amount')],
  keyFields: ['title'],
  labelField: null,
  problem: null,
  isWritable: true,
};
const mapping = (targetField: string, from: string, change: Partial<Mapping> = {}): Mapping => ({
  targetField,
  group: 'optional',
  isUnique: false,
  ignoreOnLaterRuns: false,
  defaultValue: null,
  mappingSources: [
    { sourceOptionId: 'shop', source: { type: 'sourceValue', field: from }, transformFns: [] },
  ],
  ...change,
});
const size = 300;
const samples = {
  keys: Array.from({ length: size }, (_, row) => `k${row}`),
  records: Array.from({ length: size }, (_, row) => ({
    title: row % 3 === 0 ? null : `Title ${row}`,
    amount: row === 299 ? 'many' : String(row),
  })),
  targets: Array.from({ length: size }, (_, row) => (row < 100 ? { name: 'old' } : null)),
  targetKeys: Array.from({ length: size }, (_, row) => (row < 100 ? `t${row}` : null)),
  facts: { now: '2026-11-21T22:30:00Z', zone: 'UTC', language: 'EN' as const },
};
const input = (mappings: Mapping[], chosen: string): PreviewInput => ({
  mappings,
  source,
  targetFields: [field('name'), field('stock', 'int')],
  writtenFields: [field('name'), field('stock', 'int')],
  samples,
  outcome: null,
  chosen,
  zone: 'UTC',
  lookup: async (_, keys) => ({ title: { EN: 'C', NL: 'C' }, values: keys.map((key) => [key]) }),
});
const compute = async (mappings: Mapping[], chosen: string) => {
  const preview = await computePreview(input(mappings, chosen), new AbortController().signal);
  if (!preview) throw new Error('aborted');
  return preview;
};

describe('the preview', () => {
  it('counts ok, empty and errors of each field over all slices, and names the record that fails', async () => {
    const preview = await compute([mapping('name', 'title'), mapping('stock', 'amount')], 'stock');
    expect(preview.counts.get('name')).toMatchObject({ ok: 200, empty: 100, error: 0 });
    expect(preview.counts.get('stock')).toMatchObject({ ok: 299, empty: 0, error: 1 });
    expect([...preview.errors.keys()]).toEqual([299]);
    expect(preview.values[298]).toBe(298);
    expect(preview.failedRecords).toBe(1);
  });

  it('has the value after each step of the chosen field, at the place of its mapping', async () => {
    const trimmed = mapping('name', 'title', { defaultValue: 'Nobody' });
    const preview = await compute([mapping('stock', 'amount'), trimmed], 'name');
    expect(preview.steps.map(({ fnId, values }) => [fnId, values[0], values[4]])).toEqual([
      ['source', null, 'Title 4'],
      ['default', 'Nobody', 'Title 4'],
      ['convert', 'Nobody', 'Title 4'],
    ]);
    expect(preview.steps[0]?.path).toBe('mappings[1].mappingSources[0]');
    expect(preview.steps.every(({ values }) => values.length === size)).toBe(true);
  });

  it('[MAP-12] leaves a field alone in records that are linked', async () => {
    const preview = await compute([mapping('name', 'title', { ignoreOnLaterRuns: true })], 'name');
    expect(preview.left.size).toBe(100);
  });

  it('[MAP-17] sees that some values are files in base64 and others are not', async () => {
    const file = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ';
    const mixed = mapping('name', 'title', { defaultValue: file });
    expect((await compute([mixed], 'name')).counts.get('name')?.isMixed).toBe(true);
    expect((await compute([mapping('name', 'title')], 'name')).counts.get('name')?.isMixed).toBe(false);
  });

  it('ends without an answer when it is overtaken', async () => {
    const controller = new AbortController();
    controller.abort();
    expect(await computePreview(input([], ''), controller.signal)).toBeNull();
  });

  it('asks for a key of a lookup once', async () => {
    const asked: unknown[] = [];
    const lookup = rememberLookups(async (_, keys) => {
      asked.push(...keys);
      return { title: { EN: 'C', NL: 'C' }, values: keys.map((key) => [key]) };
    });
    const request = { system: 'target', collection: 'c', keyField: 'k', returnField: 'r' } as const;
    await lookup(request, ['a', 'b']);
    expect((await lookup(request, ['b', 'c'])).values).toEqual([['b'], ['c']]);
    expect(asked).toEqual(['a', 'b', 'c']);
  });
});

describe('the count of a trigger', () => {
  const trigger = (change: Partial<Trigger>): Trigger => ({
    internalId: 't',
    name: 'T',
    sourceRecordSelection: 'newAndExisting',
    conditions: [],
    ...change,
  });
  it.each([
    ['new', 200],
    ['existing', 100],
    ['newAndExisting', 300],
    ['deleted', 0],
    ['all', 300],
  ] as const)('[TRIG-03] [TRIG-04] [TRIG-05] [TRIG-07] %s takes %i of the samples', (selection, count) => {
    const counted = countTrigger(trigger({ sourceRecordSelection: selection }), source, samples, 'UTC');
    expect(counted.matching).toBe(count);
  });

  it('[TRIG-01] counts each condition and all of them together', () => {
    const condition = { field: 'title', operator: 'endsWith', value: '1', values: [] };
    const single = { ...condition, comparison: 'singleValue' as const };
    const many = withComparison({ ...single, operator: 'contains' }, 'multipleValues');
    expect(many.values).toEqual(['1']);
    const counted = countTrigger(trigger({ conditions: [single, many] }), source, samples, 'UTC');
    expect(counted.conditions[0]).toBe(20);
    expect(counted.matching).toBe(20);
  });
});
