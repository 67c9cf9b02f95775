import { fieldOf } from '@sluice/contract/test-support';
import { expect, it } from 'vitest';
import { withoutRepeats } from './repeats.ts';

const field = (id: string) => fieldOf(id, { isKey: true });
const rows = [
  { row: 2, values: { number: 'a', company: '1', name: 'first' } },
  { row: 3, values: { number: 'b', company: '1', name: 'other' } },
  { row: 4, values: { number: null, company: '1', name: 'new' } },
  { row: 5, values: { number: 'a', company: '1', name: 'second' } },
  { row: 6, values: { number: null, company: '1', name: 'new too' } },
  { row: 7, values: { number: 'a', company: '2', name: 'elsewhere' } },
  { row: 8, values: { number: 'a', company: '1', name: 'third' } },
];

it('of rows with the same key the last one counts, and each of the others names it', () => {
  const { rows: kept, repeats } = withoutRepeats(rows, [field('number'), field('company')]);
  expect(kept.map(({ row }) => row)).toEqual([3, 4, 6, 7, 8]);
  expect(repeats).toEqual([
    { row: 2, by: 8 },
    { row: 5, by: 8 },
  ]);
});

it('without a key every row is a record of its own', () => {
  expect(withoutRepeats(rows, [])).toEqual({ rows, repeats: [] });
});
