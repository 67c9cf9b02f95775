import { describe, expect, it } from 'vitest';
import { englishTitle, keepTogether } from '../platform/titles.ts';
import { megaColumns } from './mega-columns.ts';
import { safePath } from './safe-path.ts';

const titles = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `${letter}${String(i).padStart(2, '0')}` }));

describe('mega menu', () => {
  it('loses nothing, keeps the order and stays within the height', () => {
    const all = [...titles('A', 4), ...titles('B', 30), ...titles('C', 2), ...titles('D', 9)];
    const columns = megaColumns(all, 500);
    expect(columns.flat().flatMap((group) => group.items)).toEqual(all);
    for (const groups of columns) {
      const height = groups.reduce((sum, group) => sum + 30 + group.items.length * 28, 0);
      expect(height).toBeLessThanOrEqual(500);
    }
  });

  it('small groups stay together, large ones are cut with their letter repeated', () => {
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

  it('letters with accents belong to the plain letter', () => {
    expect(megaColumns([{ title: 'Éclairs' }, { title: 'Eggs' }], 400)[0]).toHaveLength(1);
  });
});

describe('titles', () => {
  it('English titles capitalise all words but the small ones', () => {
    expect(englishTitle('journal entries of the year')).toBe('Journal Entries of the Year');
    expect(englishTitle('VAT codes to look up')).toBe('VAT Codes to Look Up');
  });
  it('the last two words stay together, in short places only when there is room', () => {
    expect(keepTogether('Price lists')).toBe('Price\u00a0lists');
    expect(keepTogether('General ledger accounts and more', true)).not.toContain('\u00a0');
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
