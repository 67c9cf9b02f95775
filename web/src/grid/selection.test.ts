import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveOfKey, moveSelection, stepSelection } from './navigation.ts';
import {
  addCell,
  countCells,
  cutRanges,
  hasWholeRows,
  isCellSelected,
  selectAll,
  selectCell,
  selectCol,
  selectRow,
  selectedRowSpans,
  startSelection,
  stretchTo,
  widenToCols,
  widenToRows,
} from './selection.ts';

const extent = { rows: 1_000_000, cols: 20 };
const at = (row: number, col: number) => ({ row, col });

describe('selection', () => {
  it('a column of a million rows is one range', () => {
    const selection = selectCol(startSelection, 3);
    expect(selection.ranges).toHaveLength(1);
    expect(countCells(selection, extent)).toBe(1_000_000);
    expect(isCellSelected(selection, 999_999, 3)).toBe(true);
    expect(isCellSelected(selection, 999_999, 4)).toBe(false);
  });

  it('Shift stretches from the anchor in every direction', () => {
    const selection = stretchTo(stretchTo(selectCell(at(5, 5)), at(8, 9)), at(2, 3));
    expect(cutRanges(selection, extent)).toEqual([{ kind: 'cells', top: 2, bottom: 5, left: 3, right: 5 }]);
    expect(selection.active).toEqual(at(5, 5));
  });

  it('rows stretch as rows and columns as columns', () => {
    const rows = stretchTo(selectRow(startSelection, 4), at(9, 7));
    expect(hasWholeRows(rows)).toBe(true);
    expect(selectedRowSpans(rows, extent)).toEqual([{ top: 4, bottom: 9 }]);
    const cols = stretchTo(selectCol(startSelection, 4), at(9, 2));
    expect(countCells(cols, extent)).toBe(3_000_000);
  });

  it('Ctrl adds ranges, and cells in two of them count once', () => {
    const first = stretchTo(selectCell(at(0, 0)), at(3, 3));
    const both = stretchTo(addCell(first, at(2, 2)), at(5, 5));
    expect(both.ranges).toHaveLength(2);
    expect(countCells(both, extent)).toBe(16 + 16 - 4);
  });

  it('Shift + Space and Ctrl + K widen to whole rows and columns', () => {
    const some = stretchTo(selectCell(at(2, 2)), at(4, 3));
    expect(countCells(widenToRows(some), extent)).toBe(3 * 20);
    expect(countCells(widenToCols(some), extent)).toBe(2 * 1_000_000);
    expect(countCells(selectAll(some), extent)).toBe(20_000_000);
  });

  it('counts the union of any ranges as a cell by cell count does', () => {
    const cell = fc.record({ row: fc.nat(11), col: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (pairs) => {
        let selection = selectCell(pairs[0]?.[0] ?? at(0, 0));
        for (const [from, to] of pairs) selection = stretchTo(addCell(selection, from), to);
        let count = 0;
        for (let row = 0; row < 12; row++) {
          for (let col = 0; col < 10; col++) if (isCellSelected(selection, row, col)) count++;
        }
        expect(countCells(selection, { rows: 12, cols: 10 })).toBe(count);
      }),
    );
  });
});

describe('movement', () => {
  it('[KEY-15] arrows, Home, End and Page keys move and stay inside the table', () => {
    const start = selectCell(at(0, 0));
    const go = (key: string, ctrlKey = false, from = start) => {
      const move = moveOfKey({ key, ctrlKey, metaKey: false });
      return move ? moveSelection(from, move, extent, 24, false).active : null;
    };
    expect(go('ArrowUp')).toEqual(at(0, 0));
    expect(go('PageDown')).toEqual(at(24, 0));
    expect(go('End')).toEqual(at(0, 19));
    expect(go('End', true)).toEqual(at(999_999, 19));
    expect(go('ArrowDown', true)).toEqual(at(999_999, 0));
    expect(go('x')).toBeNull();
  });

  it('Tab goes on in the next row, and leaves the table at its end', () => {
    const small = { rows: 2, cols: 2 };
    expect(stepSelection(selectCell(at(0, 1)), 'tab', 1, small, null)?.active).toEqual(at(1, 0));
    expect(stepSelection(selectCell(at(1, 1)), 'tab', 1, small, null)).toBeNull();
    expect(stepSelection(selectCell(at(0, 0)), 'tab', -1, small, null)).toBeNull();
  });

  it('Enter after a run of Tabs returns to the column where it began', () => {
    expect(stepSelection(selectCell(at(3, 6)), 'enter', 1, extent, 2)?.active).toEqual(at(4, 2));
  });

  it('Tab and Enter go round inside a range and visit every cell of it once', () => {
    for (const axis of ['tab', 'enter'] as const) {
      let selection = stretchTo(selectCell(at(1, 1)), at(3, 2));
      const seen = new Set<string>();
      for (let i = 0; i < 6; i++) {
        seen.add(`${selection.active.row} ${selection.active.col}`);
        selection = stepSelection(selection, axis, 1, extent, null) ?? selection;
      }
      expect(seen.size).toBe(6);
      expect(selection.active).toEqual(at(1, 1));
    }
  });
});
