import { describe, expect, it } from 'vitest';
import { englishTitle, keepTogether } from '../platform/titles.ts';
import { HEADING, ROW, megaColumns } from './mega-columns.ts';
import { safePath } from './safe-path.ts';

const titles = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `${letter}${String(i).padStart(2, '0')}` }));

const heightOf = (groups: readonly { items: readonly unknown[] }[]): number =>
  groups.reduce((sum, group) => sum + HEADING + group.items.length * ROW, 0);

describe('mega menu', () => {
  it('loses nothing, keeps the order and stays within the height', () => {
    const all = [...titles('A', 4), ...titles('B', 30), ...titles('C', 2), ...titles('D', 9)];
    const columns = megaColumns(all, 500);
    expect(columns.flat().flatMap((group) => group.items)).toEqual(all);
    for (const groups of columns) {
      expect(heightOf(groups)).toBeLessThanOrEqual(500);
    }
  });

  it('[NAV-10] small groups stay together, large ones are cut with their letter repeated', () => {
    const columns = megaColumns([...titles('A', 12), ...titles('B', 5)], 300);
    const groups = columns.flat();
    expect(groups.filter((group) => group.letter === 'B')).toHaveLength(1);
    expect(
      groups
        .filter((group) => group.letter === 'A')
        .slice(1)
        .every((group) => group.isContinued),
    ).toBe(true);
  });

  it('[NAV-10] a group of five is never cut, one of sixty is, and columns come out about equally long', () => {
    const letters = [...'BCDEFGHIJKLMN'].flatMap((letter) => titles(letter, 5));
    for (const height of [250, 400, 700, 1000]) {
      const columns = megaColumns([...titles('A', 60), ...letters], height);
      const pieces = (letter: string): number =>
        columns.flat().filter((group) => group.letter === letter).length;
      expect(pieces('A')).toBeGreaterThan(1);
      for (const letter of 'BCDEFGHIJKLMN') expect(pieces(letter)).toBe(1);
      const heights = columns.map(heightOf);
      // The last column takes what is left; the others differ by less than a small group.
      const full = heights.slice(0, -1);
      expect(Math.max(...full) - Math.min(...full)).toBeLessThanOrEqual(HEADING + 5 * ROW);
      expect(Math.max(...heights)).toBeLessThanOrEqual(height);
    }
  });

  it('letters with accents belong to the plain letter', () => {
    expect(megaColumns([{ title: 'Éclairs' }, { title: 'Eggs' }], 400)[0]).toHaveLength(1);
  });
});

describe('titles', () => {
  it('English titles capitalise all words but the small ones', () => {
    expect(englishTitle('journal entries of the year')).toBe('Journal Entries of the Year');
    expect(englishTitle('VAT codes to look up')).toBe('VAT Codes to Look Up');
  });
  it('[MENU-05] the last two words stay together, in short places only when there is room', () => {
    expect(keepTogether('Price lists')).toBe('Price\u00a0lists');
    expect(keepTogether('Price lists of the years', true)).toBe('Price lists of the\u00a0years');
    expect(keepTogether('Price lists of their year', true)).not.toContain('\u00a0');
    expect(keepTogether('Price lists of their year')).toContain('\u00a0year');
  });
});

describe('redirects', () => {
  it('only paths of this origin are followed', () => {
    expect(safePath('/data/x?y=1')).toBe('/data/x?y=1');
    for (const bad of ['//evil.example', '/\\evil.example', 'https://evil.example', undefined, '/login']) {
      expect(safePath(bad)).toBe('/');
    }
  });
});
