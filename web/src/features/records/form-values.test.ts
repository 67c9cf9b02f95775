import { describe, expect, it } from 'vitest';
import { followRecord } from './form-values.ts';

const start = { texts: { name: 'A', city: 'B', term: '14' }, arrays: { tags: ['x'] } };

describe('a form whose record was read anew', () => {
  it('follows where nobody typed and keeps what somebody typed, noting both', () => {
    const form = { texts: { ...start.texts, city: 'typed' }, arrays: start.arrays };
    const fresh = { texts: { name: 'A2', city: 'B2', term: '14' }, arrays: { tags: ['x', 'y'] } };
    const followed = followRecord(form, start, fresh);
    expect(followed.form).toEqual({
      texts: { name: 'A2', city: 'typed', term: '14' },
      arrays: { tags: ['x', 'y'] },
    });
    expect(followed.differences.map(({ field, isKept }) => [field, isKept])).toEqual([
      ['name', false],
      ['city', true],
      ['tags', false],
    ]);
  });
  it('notes nothing where nothing changed', () => {
    expect(followRecord(start, start, start).differences).toEqual([]);
  });
});
