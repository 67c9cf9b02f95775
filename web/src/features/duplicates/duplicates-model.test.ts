import type { FieldDescriptor } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { differs, plainColumns, tellingColumns, valueAt } from './duplicates-model.ts';

const field = (id: string, more: Partial<FieldDescriptor> = {}): FieldDescriptor => ({
  id,
  name: id,
  kind: 'field',
  dataType: 'string',
  isKey: false,
  isMandatory: false,
  isReadOnly: false,
  isReadOnlyOnUpdate: false,
  isHidden: false,
  validations: [],
  ...more,
});

describe('what tells duplicates apart', () => {
  const columns = plainColumns([
    field('number'),
    field('name'),
    field('vat'),
    field('address', { kind: 'nestedElements', children: [field('address.city')] }),
    field('tags', { kind: 'simpleArray' }),
    field('secret', { isHidden: true }),
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
