import type { Entity } from '../model/types.ts';

/**
 * Records of the first production company that break the metadata, as an old import would leave them: an option that
 * is no longer offered, an empty mandatory field, a day that does not exist, numbers out of range.
 */
export const flaws: Record<string, Record<number, Entity>> = {
  Customers: {
    3: { customerGroup: 'craft' },
    5: { name: null },
    9: { customerSince: '2026-02-31' },
    12: { paymentTermDays: -14 },
    15: { website: 'htp:/broken' },
  },
  Products: { 6: { unit: 'gross' }, 11: { salesPrice: null } },
  JournalEntries: { 13: { valueDate: '2026-02-31' }, 17: { description: '' } },
  Employees: { 4: { workStart: '25:10' } },
};
