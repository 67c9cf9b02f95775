import type { FieldDescriptor, Value } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { areSameLines, encodeLines, encodeLinks } from './lines.ts';
import type { TrytonField } from './metadata.ts';
import { ValueError } from './values.ts';

const plain = {
  isKey: false,
  isMandatory: false,
  isReadOnlyOnUpdate: false,
  isHidden: false,
  validations: [],
};

function column(id: string, isReadOnly = false): FieldDescriptor {
  return { ...plain, id, name: id, kind: 'fieldInSimpleArray', dataType: 'string', isReadOnly };
}

function type(name: string, tryton: string): [string, TrytonField] {
  const rules = { required: false, readonly: false, states: '{}', searchable: true, sortable: true };
  return [name, { name, type: tryton, string: name, ...rules }];
}

const types = new Map([
  type('id', 'integer'),
  type('street', 'char'),
  type('amount', 'numeric'),
  type('total', 'numeric'),
]);
const addresses: FieldDescriptor = {
  ...plain,
  id: 'addresses',
  name: 'Addresses',
  kind: 'simpleArray',
  isReadOnly: false,
  children: [column('id', true), column('street'), column('amount'), column('total', true)],
};

describe('lists of lines become commands of Tryton', () => {
  it('a new record makes all its lines', () => {
    expect(encodeLines(addresses, types, [{ street: 'A', amount: 1.5 }], [])).toEqual([
      ['create', [{ street: 'A', amount: { __class__: 'Decimal', decimal: '1.5' } }]],
    ]);
  });

  it('changes what differs, deletes what is gone, makes what is new, and leaves the rest alone', () => {
    const before = [
      { id: 1, street: 'A', amount: 1 },
      { id: 2, street: 'B', amount: 2 },
      { id: 3, street: 'C', amount: 3 },
    ];
    const wanted: Value = [
      { id: 1, street: 'A', amount: '1.00' },
      { id: 3, street: 'X', amount: 3 },
      { street: 'New' },
    ];
    expect(encodeLines(addresses, types, wanted, before)).toEqual([
      ['write', [3], { street: 'X' }],
      ['delete', [2]],
      ['create', [{ street: 'New' }]],
    ]);
  });

  it('never writes the id or a column that is read only', () => {
    expect(encodeLines(addresses, types, [{ id: null, street: 'A', total: 9 }], [])).toEqual([
      ['create', [{ street: 'A' }]],
    ]);
  });

  it('an empty value removes all lines', () => {
    expect(encodeLines(addresses, types, null, [{ id: 1, street: 'A' }])).toEqual([['delete', [1]]]);
  });

  it('refuses what is no list of lines, and names the column of a bad value', () => {
    expect(() => encodeLines(addresses, types, 'x', [])).toThrow(ValueError);
    expect(() => encodeLines(addresses, types, [1], [])).toThrow(ValueError);
    expect(() => encodeLines(addresses, types, [{ amount: 'much' }], [])).toThrow(/amount/);
  });

  it('links are added and removed, never made or deleted', () => {
    expect(encodeLinks([1, 3], [1, 2])).toEqual([
      ['remove', [2]],
      ['add', [3]],
    ]);
    expect(encodeLinks([2, 1], [1, 2])).toEqual([]);
    expect(encodeLinks(null, [1])).toEqual([['remove', [1]]]);
  });
});

describe('lines that were read are compared with those that were written', () => {
  it.each([
    [
      'the same in another order',
      [{ street: 'A' }, { street: 'B' }],
      [
        { id: 2, street: 'B' },
        { id: 1, street: 'A' },
      ],
      true,
    ],
    ['one too few', [{ street: 'A' }, { street: 'A' }], [{ id: 1, street: 'A' }], false],
    [
      'twice the same where two differ',
      [{ street: 'A' }, { street: 'A' }],
      [
        { id: 1, street: 'A' },
        { id: 2, street: 'B' },
      ],
      false,
    ],
    ['another value', [{ street: 'A' }], [{ id: 1, street: 'B' }], false],
    ['another id', [{ id: 5, street: 'A' }], [{ id: 1, street: 'A' }], false],
    ['nothing and an empty list', null, [], true],
  ])('%s', (_, wanted, actual, expected) => {
    expect(areSameLines(types, wanted, actual)).toBe(expected);
  });
});
