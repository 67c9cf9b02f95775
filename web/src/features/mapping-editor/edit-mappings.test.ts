import type { FieldPath, MappingSource } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import { contentOf, createDraft, isSame } from './draft.ts';
import { addPart, asMerge, asSingle, moveFn, removePart, withEntry, withoutEntry } from './edit-mappings.ts';
import { groupFields } from './field-rows.ts';

const field = (path: string, group: FieldPath['group'] = 'optional'): FieldPath => ({
  ...fieldOf(path, { isMandatory: group === 'mandatory', isHidden: group === 'hidden' }),
  path,
  group,
});
const entry = (name: string): MappingSource => ({
  sourceOptionId: 'shop',
  source: { type: 'sourceValue', field: name },
  transformFns: [{ fnId: 'trim', args: {} }],
});
const part = (name: string) => ({
  source: { type: 'sourceValue' as const, field: name },
  transformFns: [],
});

describe('editing mappings', () => {
  it('a field gets a mapping with its first source, and loses it with its last', () => {
    const mapped = withEntry([], field('name', 'mandatory'), entry('title'));
    expect(mapped).toMatchObject([{ targetField: 'name', group: 'mandatory', isUnique: false }]);
    const twice = withEntry(mapped, field('name'), { ...entry('label'), sourceOptionId: 'file' });
    expect(twice[0]?.mappingSources).toHaveLength(2);
    expect(withoutEntry(twice, 'name', 'shop')[0]?.mappingSources).toHaveLength(1);
    expect(withoutEntry(mapped, 'name', 'shop')).toEqual([]);
  });

  it('[MAP-03] one source becomes a merge and comes back as it was', () => {
    expect(asMerge(entry('title')).source).toMatchObject({ type: 'multiple', mergeString: '{1}' });
    expect(asSingle(asMerge(entry('title')))).toEqual(entry('title'));
  });

  it('[MAP-10] numbers in the merge string follow the parts', () => {
    const three = addPart(addPart(entry('a'), part('b')), part('c'));
    expect(three.source).toMatchObject({ mergeString: '{1} {2} {3}' });
    expect(removePart(three, 0).source).toMatchObject({ mergeString: '{1} {2}' });
    const source = { type: 'multiple' as const, mergeString: '{{1}} {3}', mergeSources: [part('a')] };
    expect(removePart({ ...three, source }, 0).source).toMatchObject({ mergeString: '{{1}} {2}' });
  });

  it('a step moves within its chain and never out of it', () => {
    const fns = ['a', 'b', 'c'].map((fnId) => ({ fnId, args: {} }));
    const order = (from: number, to: number): string =>
      moveFn(fns, from, to)
        .map(({ fnId }) => fnId)
        .join('');
    expect([order(0, 2), order(2, 0), order(0, 9), order(1, 1)]).toEqual(['bca', 'cab', 'bca', 'abc']);
  });

  it('[MAP-13] fields stand in three groups, a mapping of a field that is gone among them', () => {
    const fields = [field('a', 'mandatory'), field('b'), field('c', 'hidden')];
    const mappings = withEntry(withEntry([], field('b'), entry('x')), field('gone'), entry('y'));
    const groups = groupFields(fields, mappings, [], null, { search: '', filter: 'all' });
    expect(groups.map(({ group, mapped, total }) => [group, mapped, total])).toEqual([
      ['mandatory', 0, 1],
      ['optional', 2, 2],
      ['hidden', 0, 1],
    ]);
    const found = groupFields(fields, mappings, [], null, { search: 'B', filter: 'mapped' });
    expect(found.flatMap(({ rows }) => rows.map((row) => row.field.path))).toEqual(['b']);
  });
});

describe('the draft', () => {
  const empty = contentOf({
    mappings: [],
    triggers: [],
    sourceUpdateConfigs: {
      onPost: { success: [], failure: [] },
      onPatch: { success: [], failure: [] },
      onDelete: { success: [], failure: [] },
    },
  } as unknown as Parameters<typeof contentOf>[0]);
  const add = (name: string) => (content: typeof empty) => ({
    ...content,
    mappings: withEntry(content.mappings, field(name), entry(name)),
  });

  it('typing into one thing is one step of undo, everything else a step of its own', () => {
    const draft = createDraft(empty);
    draft.change(add('a'), 'name', 0);
    draft.change(add('b'), 'name', 500);
    draft.change(add('c'), null, 600);
    expect(draft.get().mappings).toHaveLength(3);
    draft.undo();
    expect(draft.get().mappings).toHaveLength(2);
    draft.undo();
    expect(draft.get()).toBe(empty);
    expect(draft.undo()).toBe(false);
    draft.redo();
    draft.redo();
    expect(draft.get().mappings).toHaveLength(3);
    expect(draft.redo()).toBe(false);
  });

  it('is the same as what the server stored in another order of keys, and not with another order of mappings', () => {
    expect(isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
    expect(isSame([1, 2], [2, 1])).toBe(false);
  });
});
