import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import { layoutColumns } from './column-layout.ts';
import type { GridColumn } from './types.ts';

const columns: GridColumn[] = ['a', 'b', 'c', 'd'].map((id, index) => {
  const field = fieldOf(id);
  return { id, name: id, field, index, align: 'start', isReadOnly: false, group: null };
});
const shown = (...args: Parameters<typeof layoutColumns>): string[] =>
  layoutColumns(...args).columns.map((column) => column.id);

describe('column layout', () => {
  it('the first column is pinned while nobody chose', () => {
    expect(layoutColumns(columns, null, {}).pinned).toBe(1);
    expect(layoutColumns(columns, null, { a: { isHidden: true } }).pinned).toBe(1);
  });

  it('pinned columns come first, in the order of the others', () => {
    expect(shown(columns, [3, 2, 1, 0], {}, ['a', 'c'])).toEqual(['c', 'a', 'd', 'b']);
    expect(layoutColumns(columns, null, {}, ['a', 'c']).pinned).toBe(2);
  });

  it('[GRID-04] a hidden column takes no place, pinned or not', () => {
    const layout = layoutColumns(columns, null, { c: { isHidden: true } }, ['c']);
    expect(layout.columns.map((column) => column.id)).toEqual(['a', 'b', 'd']);
    expect(layout.pinned).toBe(0);
  });
});
