import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import { differs, plainColumns, tellingColumns, valueAt } from './duplicates-model.ts';

describe('what tells duplicates apart', () => {
  const columns = plainColumns([
    fieldOf('number'),
    fieldOf('name'),
    fieldOf('vat'),
    fieldOf('address', { kind: 'nestedElements', children: [fieldOf('address.city')] }),
    fieldOf('tags', { kind: 'simpleArray' }),
    fieldOf('secret', { isHidden: true }),
  ]);
  const group = [
    { internalId: '1', number: 'C1', name: 'A', vat: 'V', address: { city: 'Hoorn' } },
    { internalId: '2', number: 'C2', name: 'A', vat: 'V', address: { city: 'Edam' } },
  ];
  it('are the key, and the fields in which the records differ', () => {
    expect(columns.map(({ id }) => id)).toEqual(['number', 'name', 'vat', 'address.city']);
    expect(tellingColumns(columns, [group], ['number'], ['vat'], 8).map(({ id }) => id)).toEqual([
      'number',
      'address.city',
    ]);
    expect(differs(group, 'name')).toBe(false);
    expect(valueAt({ internalId: '1', address: { city: 'Hoorn' } }, 'address.city')).toBe('Hoorn');
  });
});
