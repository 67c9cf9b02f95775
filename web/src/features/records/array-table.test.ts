import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import { draftsOf, emptyDraft, partsOf, valueOfDrafts } from './array-table.ts';

const settings = {
  formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
  timeZone: 'Europe/Amsterdam',
  displayMode: 'both',
  yes: 'Yes',
  no: 'No',
} as const;

describe('an array as a small table', () => {
  const lines = fieldOf('lines', {
    kind: 'complexArray',
    children: [
      fieldOf('product'),
      fieldOf('amount', { dataType: 'float64', scale: 2 }),
      fieldOf('place', { kind: 'nestedElements', children: [fieldOf('place.city')] }),
      fieldOf('marks', { kind: 'primitiveValuesArray' }),
    ],
  });
  it('[DATA-05] has nested fields as columns and writes them back where they were, all else kept', () => {
    const value = [{ product: 'P1', amount: 2.5, place: { city: 'Hoorn', code: 7 }, marks: ['a'], other: 1 }];
    expect(partsOf(lines).map(({ id }) => id)).toEqual(['product', 'amount', 'place.city', 'marks']);
    const [draft] = draftsOf(value, lines, settings);
    if (!draft) throw new Error('no draft');
    expect(draft.texts).toEqual({ product: 'P1', amount: '2,50', 'place.city': 'Hoorn' });
    expect(valueOfDrafts([draft], lines, settings)).toEqual(value);
    const edited = { ...draft, texts: { ...draft.texts, 'place.city': 'Edam', amount: '3' } };
    expect(valueOfDrafts([edited], lines, settings)).toEqual([
      { product: 'P1', amount: 3, place: { city: 'Edam', code: 7 }, marks: ['a'], other: 1 },
    ]);
  });
  it('[DATA-07] of plain values has one column, and a new entry is empty', () => {
    const tags = fieldOf('tags', { kind: 'primitiveValuesArray' });
    const drafts = [...draftsOf(['a', 'b'], tags, settings), emptyDraft(partsOf(tags), settings)];
    expect(valueOfDrafts(drafts, tags, settings)).toEqual(['a', 'b', null]);
  });
});
