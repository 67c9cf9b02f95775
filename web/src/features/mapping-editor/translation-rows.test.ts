import { describe, expect, it } from 'vitest';
import { appendRows, faultsOf, parsePair, pasteRows, tableOf } from './translation-rows.ts';

const settings = {
  inputType: 'int',
  returnType: 'bool',
  defaultValue: null,
  notFound: 'error',
} as const;

describe('pasting into a translation table', () => {
  it('[CLIP-02] takes two columns, with empty lines left out', () => {
    expect(parsePair('NL\tNederland\r\n\r\nBE\tBelgië\r\n')).toEqual([
      { key: 'NL', value: 'Nederland' },
      { key: 'BE', value: 'België' },
    ]);
  });

  it('takes cells with quotes and line breaks as spreadsheets write them', () => {
    expect(parsePair('"a\nb"\t"say ""hi"""')).toEqual([{ key: 'a\nb', value: 'say "hi"' }]);
  });

  it.each(['', 'one', 'one\ntwo', 'a\tb\tc', 'a\tb\nc'])('[CLIP-02] %j is not two columns', (text) => {
    expect(parsePair(text)).toBeNull();
  });

  it('an empty third column does no harm', () => {
    expect(parsePair('a\tb\t\nc\td\t')).toHaveLength(2);
  });

  it('writes over the rows that begin at the cell, and beyond the last', () => {
    const rows = [1, 2, 3].map((n) => ({ key: `${n}`, value: `${n}` }));
    const pasted = ['x', 'y', 'z'].map((key) => ({ key, value: '' }));
    expect(pasteRows(rows, 1, pasted).map(({ key }) => key)).toEqual(['1', 'x', 'y', 'z']);
    expect(appendRows([...rows, { key: '', value: '' }], pasted)).toHaveLength(6);
  });
});

describe('rows that are typed', () => {
  it('[TRANS-01] become values of the types, blank rows are none', () => {
    const rows = [
      { key: '1', value: 'true' },
      { key: '', value: '' },
      { key: '2', value: 'false' },
    ];
    expect(tableOf(rows, settings).rows).toEqual([
      { key: 1, value: true },
      { key: 2, value: false },
    ]);
  });

  it('marks both of two rows with one key, by value and at the row that is seen', () => {
    const rows = [
      { key: '', value: '' },
      { key: '7', value: 'true' },
      { key: '7.0', value: 'true' },
      { key: 'seven', value: 'true' },
      { key: '8', value: 'perhaps' },
    ];
    expect([...faultsOf(rows, settings, 'UTC')].sort(([a], [b]) => a - b)).toEqual([
      [1, 'duplicateKey'],
      [2, 'duplicateKey'],
      [3, 'invalidKey'],
      [4, 'invalidValue'],
    ]);
  });

  it('ten thousand rows are checked in one go', () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ key: `${n}`, value: 'true' }));
    expect(faultsOf(rows, settings, 'UTC').size).toBe(0);
    expect(faultsOf([...rows, { key: '5', value: 'true' }], settings, 'UTC').size).toBe(2);
  });
});
