import type { FieldDescriptor, Formats } from '@sluice/contract';
import { fieldOf } from '@sluice/contract/test-support';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import {
  dateChoices,
  decodeText,
  detectDelimiter,
  detectEncoding,
  type FileEncoding,
  numberChoices,
  parseDelimited,
  readCell,
  suggestFields,
} from './index.ts';

const field = (id: string, dataType: FieldDescriptor['dataType'], name = id): FieldDescriptor =>
  fieldOf(id, { dataType, name });
const formats: Formats = { shortDate: 'dd-mm-yyyy', numberFormat: 'dotSeparated', fullDate: 'long' };
const context = { formats, timeZone: 'Europe/Amsterdam' };

function encode(text: string, encoding: FileEncoding, hasMark: boolean): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode((hasMark ? '\uFEFF' : '') + text);
  if (encoding === 'windows-1252') return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const units = [...((hasMark ? '\uFEFF' : '') + text)].flatMap((letter) =>
    Array.from({ length: letter.length }, (_, index) => letter.charCodeAt(index)),
  );
  return Uint8Array.from(
    units.flatMap((unit) => (encoding === 'utf-16le' ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255])),
  );
}

describe('files in every encoding', () => {
  it.each<[FileEncoding, boolean]>([
    ['utf-8', true],
    ['utf-8', false],
    ['utf-16le', true],
    ['utf-16le', false],
    ['utf-16be', true],
    ['utf-16be', false],
    ['windows-1252', false],
  ])('%s, with a mark: %s, is found and read', (encoding, hasMark) => {
    const text = 'name;city\nCafé Zürich;Ĳmuiden'.replace('Ĳ', encoding === 'windows-1252' ? 'Ij' : 'Ĳ');
    const bytes = encode(text, encoding, hasMark);
    expect(detectEncoding(bytes)).toBe(encoding);
    expect(decodeText(bytes, encoding)).toBe(text);
  });

  it('a random table survives CSV in UTF-8 and UTF-16 with each delimiter, line breaks and quotes included', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '|', '\n', '\r\n', ' ', '€', '1'),
    });
    const table = fc
      .integer({ min: 2, max: 6 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      )
      // Nothing tells a record of empty cells from an empty line of another width.
      .filter((rows) => rows.every((row) => row.some((text) => text.trim() !== '')));
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(',' as const, ';' as const, '\t' as const, '|' as const),
        fc.constantFrom<FileEncoding>('utf-8', 'utf-16le', 'utf-16be'),
        (rows, delimiter, encoding) => {
          const text = Papa.unparse(rows, { delimiter, newline: '\r\n', quotes: true });
          const bytes = encode(text, encoding, true);
          const read = parseDelimited(decodeText(bytes, detectEncoding(bytes)), delimiter);
          expect(read).toEqual({ rows, faults: [] });
        },
      ),
    );
  });

  it('a random table survives CSV in Windows-1252 with comma and semicolon, line breaks and quotes included', () => {
    const page = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    const cell = fc.string({ unit: fc.constantFrom(...'aé€“”Žÿñ",;\n '), maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
        fc.constantFrom(',' as const, ';' as const),
        (rows, delimiter) => {
          // A letter beyond ASCII in front of one of ASCII is what tells the encoding from UTF-8.
          const all = [['Één', 'b', 'c'], ...rows.filter((row) => row.some((text) => text.trim() !== ''))];
          const text = Papa.unparse(all, { delimiter, newline: '\r\n' });
          const bytes = Uint8Array.from([...text], (letter) => page.indexOf(letter));
          expect(detectEncoding(bytes)).toBe('windows-1252');
          const read = parseDelimited(decodeText(bytes, 'windows-1252'), delimiter);
          expect(read).toEqual({ rows: all, faults: [] });
        },
      ),
    );
  });

  it('the delimiter is the one that cuts all lines alike', () => {
    expect(detectDelimiter('a;b;c\n1,5;2;"x;y"\n2,5;3;z')).toBe(';');
    expect(detectDelimiter('a,b\n"1;2",3\n4,5')).toBe(',');
    expect(detectDelimiter('a\tb, c\n1\t2, 3')).toBe('\t');
    expect(detectDelimiter('only\none')).toBe(',');
  });

  it('a quote that never closes is told with its row', () => {
    expect(parseDelimited('a,b\n1,"2\n3,4', ',').faults).toMatchObject([{ row: 1, code: 'MissingQuotes' }]);
  });
});

describe('columns', () => {
  it('headings find fields by id or name, whatever their case and accents, each field once', () => {
    const fields = [field('vatCode', 'string', 'VAT code'), field('city', 'string', 'Plaats')];
    expect(suggestFields(['vat-code', 'PLAATS', 'City', 'x'], fields).map((one) => one?.id ?? null)).toEqual([
      'vatCode',
      'city',
      null,
      null,
    ]);
  });

  it('dates that can be read in two ways are asked about, never guessed', () => {
    expect(dateChoices(['03-04-2026', '', '05-06-2026'])).toMatchObject({
      isAmbiguous: true,
      example: { text: '03-04-2026' },
    });
    expect(dateChoices(['03-04-2026', '25-06-2026']).isAmbiguous).toBe(false);
    expect(dateChoices(['2026-04-03']).isAmbiguous).toBe(false);
    expect(dateChoices(['not a date']).fitting).toEqual([]);
  });

  it('numbers too: 1.234 is one thing with a point and another with a comma', () => {
    expect(numberChoices(['1.234'])).toMatchObject({ isAmbiguous: true });
    expect(numberChoices(['1.234,5']).fitting).toEqual(['dotSeparated']);
    expect(numberChoices(['12', '7']).isAmbiguous).toBe(false);
  });

  it('cells of a spreadsheet keep their value whatever the formats of the user', () => {
    const column = (dataType: FieldDescriptor['dataType']) => ({
      field: field('f', dataType),
      dateFormat: null,
      numberFormat: null,
    });
    expect(readCell(column('float64'), 1234.5, context)).toEqual({ value: 1234.5, problem: null });
    expect(readCell(column('int'), 7, context)).toEqual({ value: 7, problem: null });
    expect(readCell(column('bool'), true, context)).toEqual({ value: true, problem: null });
    expect(readCell(column('date'), { date: '2026-04-03' }, context)).toEqual({
      value: '2026-04-03',
      problem: null,
    });
    expect(readCell(column('string'), 7, context)).toEqual({ value: '7', problem: null });
    expect(readCell(column('int'), 'x', context)).toEqual({ value: undefined, problem: 'integer' });
  });
});
