import type { DataType, FieldDescriptor } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import { describe, expect, it } from 'vitest';
import type { FormatSettings } from '../../grid/format-value.ts';
import type { GridColumn } from '../../grid/types.ts';
import { type BatchLine, batchColumns, batchCommands, operationsOf, readLine } from './batch-edit.ts';

const column = (id: string, dataType: DataType, more: Partial<FieldDescriptor> = {}): GridColumn => {
  const field = fieldOf(id, { dataType, ...more });
  return { id, name: id, field, index: 0, align: 'start', isReadOnly: field.isReadOnly, group: null };
};
const settings: FormatSettings = {
  formats: { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' },
  timeZone: 'Europe/Amsterdam',
  displayMode: 'both',
  yes: 'Yes',
  no: 'No',
};
const line = (part: Partial<BatchLine>): BatchLine => ({
  columnId: 'f',
  operation: 'set',
  text: '',
  roundTo: '',
  ...part,
});

describe('batch edit', () => {
  it('[GRID-08] offers only fields that can be changed, no arrays, and sums only for numbers', () => {
    const columns = [
      column('name', 'string'),
      column('locked', 'string', { isReadOnly: true }),
      column('lines', 'string', { kind: 'simpleArray' }),
    ];
    expect(batchColumns(columns).map((one) => one.id)).toEqual(['name']);
    expect(operationsOf(column('n', 'float64'))).toContain('percent');
    expect(operationsOf(column('s', 'string'))).toEqual(['set', 'empty']);
    expect(operationsOf(column('s', 'string', { isMandatory: true }))).toEqual(['set']);
  });

  it("reads values in the user's formats and says what is none", () => {
    expect(readLine(line({ text: '1.234,5' }), column('f', 'float64'), settings)).toEqual({
      isOk: true,
      set: 1234.5,
    });
    expect(readLine(line({ text: 'x' }), column('f', 'int'), settings)).toEqual({
      isOk: false,
      fault: 'value',
    });
    expect(readLine(line({ text: '' }), column('f', 'int'), settings)).toEqual({
      isOk: false,
      fault: 'required',
    });
    expect(readLine(line({ operation: 'empty' }), column('f', 'int'), settings)).toEqual({
      isOk: true,
      set: null,
    });
  });

  it('sums are exact decimals with an optional step to round to', () => {
    expect(
      readLine(
        line({ operation: 'percent', text: '-2,5', roundTo: '0,05' }),
        column('f', 'float64'),
        settings,
      ),
    ).toEqual({ isOk: true, calculate: { operator: 'percent', operand: '-2.5', roundTo: '0.05' } });
    expect(readLine(line({ operation: 'round', text: '0' }), column('f', 'float64'), settings)).toEqual({
      isOk: false,
      fault: 'number',
    });
  });

  it('one command sets, and fields with the same sum share one', () => {
    const tenPercent = {
      isOk: true,
      calculate: { operator: 'percent', operand: '10', roundTo: null },
    } as const;
    expect(
      batchCommands([
        { columnId: 'a', read: { isOk: true, set: 'x' } },
        { columnId: 'b', read: tenPercent },
        { columnId: 'c', read: { isOk: true, set: null } },
        { columnId: 'd', read: tenPercent },
      ]),
    ).toEqual([
      { kind: 'set', changes: { a: 'x', c: null } },
      { kind: 'calculate', fields: ['b', 'd'], calculation: tenPercent.calculate },
    ]);
  });
});
