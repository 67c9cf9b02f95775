import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_SCROLL_HEIGHT,
  type ScrollMap,
  isStuck,
  jumpTo,
  onScrolled,
  restingScrollTop,
  reveal,
  scrollHeight,
} from './scroll-map.ts';

const map = (rows: number, rowHeight: number): ScrollMap => ({
  contentHeight: rows * rowHeight,
  viewportHeight: 700,
  scrollTop: 0,
  viewTop: 0,
});

describe('scroll mapping', () => {
  it('is exact while everything fits', () => {
    const small = onScrolled(map(1000, 28), 12_345);
    expect(small.viewTop).toBe(12_345);
    expect(scrollHeight(28_000)).toBe(28_000);
  });

  it.each([28, 32, 40])('reaches the last of 1,000,000 rows of %i px', (rowHeight) => {
    const start = map(1_000_000, rowHeight);
    const end = onScrolled(start, MAX_SCROLL_HEIGHT - start.viewportHeight);
    expect(end.viewTop).toBe(start.contentHeight - start.viewportHeight);
    expect(jumpTo(start, Number.MAX_SAFE_INTEGER).viewTop).toBe(start.contentHeight - start.viewportHeight);
  });

  it('the wheel moves by pixels, also far down', () => {
    const far = jumpTo(map(1_000_000, 28), 14_000_000);
    expect(onScrolled(far, far.scrollTop + 100).viewTop).toBe(14_000_100);
    expect(onScrolled(far, far.scrollTop - 100).viewTop).toBe(13_999_900);
  });

  it('a drag of the thumb moves in proportion', () => {
    const start = map(1_000_000, 28);
    const half = onScrolled(start, (MAX_SCROLL_HEIGHT - 700) / 2);
    expect(half.viewTop).toBeCloseTo((start.contentHeight - 700) / 2, -1);
  });

  it('is never stuck: any walk by wheel and thumb stays inside, and rests where the thumb belongs', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('wheel'), by: fc.integer({ min: -600, max: 600 }) }),
      fc.record({ kind: fc.constant('thumb'), by: fc.integer({ min: 0, max: MAX_SCROLL_HEIGHT - 700 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = map(1_000_000, 40);
        for (const { kind, by } of steps) {
          const target = kind === 'wheel' ? now.scrollTop + by : by;
          now = onScrolled(now, Math.max(0, Math.min(target, MAX_SCROLL_HEIGHT - 700)));
          if (isStuck(now)) now = { ...now, scrollTop: restingScrollTop(now) };
          expect(now.viewTop).toBeGreaterThanOrEqual(0);
          expect(now.viewTop).toBeLessThanOrEqual(now.contentHeight - 700);
        }
        const rested = { ...now, scrollTop: restingScrollTop(now) };
        expect(isStuck(rested)).toBe(false);
      }),
    );
  });

  it('is not stuck a pixel before the end', () => {
    const all = map(1_000_000, 40);
    const near = jumpTo(all, all.contentHeight - 700 - 1);
    expect(isStuck({ ...near, scrollTop: restingScrollTop(near) })).toBe(false);
    expect(onScrolled(near, MAX_SCROLL_HEIGHT - 700).viewTop).toBe(all.contentHeight - 700);
  });

  it('reveals with the smallest movement', () => {
    const now = { ...map(1000, 28), viewTop: 280 };
    expect(reveal(now, 300, 328)).toBe(280);
    expect(reveal(now, 0, 28)).toBe(0);
    expect(reveal(now, 2800, 2828)).toBe(2828 - 700);
  });
});
