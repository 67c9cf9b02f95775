import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemUrl, uriAcronyms } from './uri-acronym.ts';

const one = (acronym: string): string | undefined => uriAcronyms([{ id: 'a', acronym }]).get('a');

describe('uri acronyms', () => {
  it('[SYS-05] a run of special characters becomes one dash, and what remains is percent-encoded', () => {
    expect(one('A & B/C')).toBe('A-B-C');
    expect(one('Zürich')).toBe(encodeURIComponent('Zürich'));
  });

  it('[SYS-06] dashes at the ends go', () => {
    expect(one('-x-')).toBe('x');
    expect(one('(prod)')).toBe('prod');
  });

  it('[SYS-07] equal ones among siblings get -1, -2 in order of their ids, whatever their case', () => {
    const made = uriAcronyms([
      { id: '3', acronym: 'X' },
      { id: '1', acronym: 'x' },
      { id: '2', acronym: 'x!' },
    ]);
    expect([made.get('1'), made.get('2'), made.get('3')]).toEqual(['x', 'x-1', 'X-2']);
  });

  it('[SYS-07] a number that another sibling already has is skipped', () => {
    const made = uriAcronyms([
      { id: '1', acronym: 'x' },
      { id: '2', acronym: 'x' },
      { id: '3', acronym: 'x-1' },
    ]);
    expect(new Set([...made.values()].map((value) => value.toLowerCase())).size).toBe(3);
    expect(made.get('1')).toBe('x');
  });

  it('an acronym without letters or digits takes the start of the id', () => {
    expect(uriAcronyms([{ id: '0198abcd-1111', acronym: '***' }]).get('0198abcd-1111')).toBe('0198abcd');
  });

  it('[SYS-07] any siblings get names that are different and safe in a url', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ id: fc.uuid(), acronym: fc.string({ maxLength: 6 }) }), {
          selector: (s) => s.id,
        }),
        (siblings) => {
          const names = [...uriAcronyms(siblings).values()].map((name) =>
            decodeURIComponent(name).toLowerCase(),
          );
          expect(new Set(names).size).toBe(siblings.length);
          for (const name of names) expect(name).toMatch(/^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u);
        },
      ),
    );
  });

  it('urls of systems are plain and distinct', () => {
    expect(systemUrl('Éxact Online!', new Set())).toBe('exact-online');
    expect(systemUrl('Exact Online', new Set(['exact-online']))).toBe('exact-online-1');
  });
});
