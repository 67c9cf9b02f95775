import type { Value } from '@sluice/contract';
import { compareAmounts, isAmount } from '../amount.ts';
import { textOf } from '../convert.ts';
import { isEmpty } from './define.ts';

/** Numbers by value, texts as they are or without regard to case. */
export function isEqual(a: Value, b: Value, isCaseSensitive = true): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (typeof a === 'number' || typeof b === 'number')
    return isAmount(a) && isAmount(b) && compareAmounts(a, b) === 0;
  const [left, right] = [textOf(a), textOf(b)];
  if (left === null || right === null) return false;
  return isCaseSensitive ? left === right : left.toLowerCase() === right.toLowerCase();
}

/** Two values of one kind in order: numbers by value, texts, dates and times as text; null where they have none. */
export function compareValues(a: Value, b: Value): number | null {
  if ((typeof a === 'number' || typeof b === 'number') && isAmount(a) && isAmount(b))
    return compareAmounts(a, b);
  if (typeof a !== 'string' || typeof b !== 'string') return null;
  return a < b ? -1 : a > b ? 1 : 0;
}
