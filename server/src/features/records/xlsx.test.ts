import { Readable } from 'node:stream';
import fc from 'fast-check';
import { readSheet } from 'read-excel-file/node';
import { expect, it } from 'vitest';
import type { PgType } from '../cache/model.ts';
import { workbookOf } from './xlsx.ts';

const letters = fc.constantFrom(
  'a',
  'é',
  '€',
  '😀',
  '"',
  '<',
  '&',
  '>',
  "'",
  '_x0041_',
  '\n',
  '\t',
  ' ',
  '\u0007',
  '\r',
  '\u0085',
  '\uFFFE',
);
const cells: Record<string, fc.Arbitrary<string>> = {
  text: fc.string({ unit: letters, minLength: 1, maxLength: 12 }),
  bigint: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map(String),
  numeric: fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 1, max: 99 }))
    .map(([whole, part]) => `${whole}.${String(part).padStart(2, '0')}`),
  boolean: fc.boolean().map(String),
  date: fc
    .integer({ min: Date.UTC(1900, 2, 1), max: Date.UTC(2099, 11, 31) })
    .map((at) => new Date(at).toISOString().slice(0, 10)),
};
const types = fc.array(fc.constantFrom<PgType>('text', 'bigint', 'numeric', 'boolean', 'date'), {
  minLength: 1,
  maxLength: 6,
});
const table = types.chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.tuple(...columns.map((type) => fc.option(cells[type] ?? fc.constant('x')))), {
      minLength: 1,
      maxLength: 8,
    }),
  }),
);

/** What a spreadsheet says, as the text that the database had. */
const asText = (cell: unknown): string | null =>
  cell === null || cell === undefined
    ? null
    : cell instanceof Date
      ? cell.toISOString().slice(0, 10)
      : String(cell);

it('any table comes back from a workbook as it was: texts with odd letters, numbers, booleans, dates, nothing', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ columns, rows }) => {
      // A row of nothing at the end is no row of a sheet: every one has a number in front.
      const all = rows.map((row, index) => [String(index + 1), ...row]);
      const shown = ['bigint' as const, ...columns].map((pgType, index) => ({ name: `c${index}`, pgType }));
      const parts: Uint8Array[] = [];
      for await (const part of workbookOf('Any', shown, Readable.from([all]))) parts.push(part as Uint8Array);
      const read = await readSheet(Buffer.concat(parts), { trim: false });
      const back = read.slice(1).map((row) => shown.map((_, index) => asText(row[index])));
      const wanted = all.map((row) =>
        row.map((cell, index) =>
          cell !== null && shown[index]?.pgType === 'numeric' ? String(Number(cell)) : cell,
        ),
      );
      expect(back).toEqual(wanted);
    }),
  );
});
