import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseRows } from './chosen-rows.ts';

const tops = [
  { id: 'draft', isDraft: true },
  { id: 'new', isDraft: false },
];

describe('chosen rows', () => {
  it('[KEY-10] all rows are new records by id and one range of the whole snapshot', () => {
    const { rows, count, draftIds } = chooseRows([{ top: 0, bottom: 1_000_001 }], tops, 's1');
    expect(rows).toEqual({ ids: ['new'], snapshot: 's1', ranges: [[0, 999_999]] });
    expect(count).toBe(1_000_001);
    expect(draftIds).toEqual(['draft']);
  });

  it('rows at the top alone need no snapshot', () => {
    expect(chooseRows([{ top: 0, bottom: 1 }], tops, 's1').rows).toEqual({
      ids: ['new'],
      snapshot: null,
      ranges: [],
    });
  });

  it('counts every chosen row exactly once, wherever the spans begin and end', () => {
    const spans = fc.array(fc.tuple(fc.nat(40), fc.nat(8)), { maxLength: 6 }).map((list) => {
      let at = 0;
      return list.map(([gap, length]) => {
        const top = at + gap;
        at = top + length + 2;
        return { top, bottom: top + length };
      });
    });
    fc.assert(
      fc.property(spans, fc.array(fc.boolean(), { maxLength: 12 }), (list, drafts) => {
        const top = drafts.map((isDraft, i) => ({ id: `t${i}`, isDraft }));
        const { rows, count, draftIds } = chooseRows(list, top, 's');
        const positions = new Set(
          list.flatMap((span) => Array.from({ length: span.bottom - span.top + 1 }, (_, i) => span.top + i)),
        );
        const inRanges = rows.ranges.flatMap(([from, to]) =>
          Array.from({ length: to - from + 1 }, (_, i) => from + i + top.length),
        );
        const byId = [...rows.ids, ...draftIds].map((id) => Number(id.slice(1)));
        expect([...byId, ...inRanges].toSorted((a, b) => a - b)).toEqual(
          [...positions].toSorted((a, b) => a - b),
        );
        expect(count).toBe(rows.ids.length + inRanges.length);
      }),
    );
  });
});
