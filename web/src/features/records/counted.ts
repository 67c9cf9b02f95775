import { formatNumber } from '@sluice/mapping';
import { currentUser } from '../../platform/session.ts';

/** A count for a text: chooses singular or plural, and is written as the user writes numbers. */
export const counted = (count: number): { count: number; replace: { count: string } } => {
  const format = currentUser()?.userPreferences.options.formats.numberFormat ?? 'dotSeparated';
  return { count, replace: { count: formatNumber(count, format) } };
};
