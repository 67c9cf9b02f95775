import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasBit, type Hits, indexAt, patchHits } from './hits.ts';

const words = 2;
const none: Hits = {
  positions: new Int32Array(),
  masks: new Uint32Array(),
  words,
  before: Int32Array.of(0),
};
const masks = fc.array(fc.nat({ max: 2 ** 30 - 1 }), { minLength: words, maxLength: words });
const hasHit = (mask: readonly number[]): boolean => mask.some((word) => word !== 0);
/** Row id -> mask; rows without a hit are absent, as the database answers them. */
const rows = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 60 }), masks), { maxLength: 40 })
  .map((list) => new Map(list.filter(([, mask]) => hasHit(mask))));
const snapshotOf = (rids: readonly number[]) => ({
  token: 't',
  collectionId: 1,
  generation: 1,
  rids: Int32Array.from(rids),
});
const plain = ({ positions, masks: all, before }: Hits) => ({
  positions: [...positions],
  masks: [...all],
  before: [...before],
});

it('hits that are mended row by row are those that a scan of everything would give', () => {
  // Some rows of the table are not in the snapshot, and its order is not that of the ids.
  const order = fc.shuffledSubarray(
    Array.from({ length: 60 }, (_, index) => index + 1),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(
      order,
      rows,
      rows,
      fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
      (rids, start, now, dirty) => {
        const snapshot = snapshotOf(rids);
        const first = patchHits(none, snapshot, new Set(rids), start);
        const changed = new Map([...now].filter(([rid]) => dirty.includes(rid)));
        const mended = patchHits(first, snapshot, new Set(dirty), changed);
        const wanted = new Map([...[...start].filter(([rid]) => !dirty.includes(rid)), ...changed]);
        expect(plain(mended)).toEqual(plain(patchHits(none, snapshot, new Set(rids), wanted)));
        const expected = rids.flatMap((rid, position) => (wanted.has(rid) ? [position] : []));
        expect([...mended.positions]).toEqual(expected);
        expected.forEach((position, index) => {
          const mask = wanted.get(rids[position] ?? 0) ?? [];
          const bits = Array.from({ length: 60 }, (_, bit) => bit).filter((bit) => hasBit(mask, 0, bit));
          expect((mended.before[index + 1] ?? 0) - (mended.before[index] ?? 0)).toBe(bits.length);
        });
      },
    ),
  );
});

it('the first position at or behind another one is found', () => {
  const sorted = fc.uniqueArray(fc.nat({ max: 50 })).map((list) => Int32Array.from(list).sort());
  fc.assert(
    fc.property(sorted, fc.nat({ max: 60 }), (positions, wanted) => {
      const found = [...positions].findIndex((position) => position >= wanted);
      expect(indexAt(positions, wanted)).toBe(found < 0 ? positions.length : found);
    }),
  );
});
