import { describe, expect, it } from 'vitest';
import { fillTarget } from './fill.ts';
import type { Range } from './selection.ts';

const source: Range = { kind: 'cells', top: 5, bottom: 6, left: 2, right: 3 };

describe('fill target', () => {
  it('grows down, up, right and left of the block', () => {
    expect(fillTarget(source, { row: 9, col: 2 })).toMatchObject({ top: 7, bottom: 9, left: 2, right: 3 });
    expect(fillTarget(source, { row: 1, col: 3 })).toMatchObject({ top: 1, bottom: 4, left: 2, right: 3 });
    expect(fillTarget(source, { row: 5, col: 6 })).toMatchObject({ top: 5, bottom: 6, left: 4, right: 6 });
    expect(fillTarget(source, { row: 6, col: 0 })).toMatchObject({ top: 5, bottom: 6, left: 0, right: 1 });
  });

  it('goes along the axis of the longer way, and nowhere inside the block', () => {
    expect(fillTarget(source, { row: 20, col: 6 })).toMatchObject({ left: 2, right: 3, bottom: 20 });
    expect(fillTarget(source, { row: 6, col: 3 })).toBeNull();
  });
});
