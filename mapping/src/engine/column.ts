import type { Value } from '@sluice/contract';

/** A column to be filled row by row. */
// oxlint-disable-next-line unicorn/no-new-array -- the length is meant; literal growth costs twice the time
export const newColumn = (size: number): Value[] => new Array<Value>(size);

/** The same value in every row. */
export const filledColumn = (size: number, value: Value): Value[] => newColumn(size).fill(value);
