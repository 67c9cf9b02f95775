import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlOf, htmlRow, parseTsv, pasteArea, squared, toTsv } from './clipboard.ts';

describe('clipboard text', () => {
  it('[CLIP-01] any table comes back the same, with tabs, quotes and line breaks in its cells', () => {
    const cell = fc.oneof(
      fc.string(),
      fc.constantFrom('', '"', '""', 'a\tb', 'a\nb', 'a\r\nb', '"x" y', ' \t'),
    );
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(table, (rows) => {
        expect(parseTsv(toTsv(rows))).toEqual(rows);
      }),
    );
  });

  it('reads what spreadsheets write: a line break at the end is no row', () => {
    expect(parseTsv('a\tb\r\n1\t2\r\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect(parseTsv('"two\nlines"\t"say ""hi"""')).toEqual([['two\nlines', 'say "hi"']]);
    expect(parseTsv('\t\n')).toEqual([['', '']]);
    expect(parseTsv('')).toEqual([]);
  });

  it('leaves a cell alone that merely begins with a quote', () => {
    expect(parseTsv('"Het Anker" BV\t5" buis')).toEqual([['"Het Anker" BV', '5" buis']]);
  });

  it('[CLIP-01] any table stands in the HTML form as it is', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '<', '>', '&', '"', '&amp;', '😀', ' ') });
    const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
    const read = (html: string): string[][] =>
      [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
        [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, text = '']) =>
          text
            .replace(/&(?:lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
            .replaceAll('&amp;', '&'),
        ),
      );
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rows, (table) => {
        expect(read(htmlOf(table.map(htmlRow)))).toEqual(table);
      }),
    );
  });

  it('HTML escapes what is in the cells', () => {
    expect(htmlRow(['<b>&"'])).toContain('&lt;b&gt;&amp;&quot;');
  });

  it('a block that divides the selection is repeated, one value fills it, any other is laid down once', () => {
    const selection = { top: 2, left: 1, height: 4, width: 2 };
    expect(pasteArea({ height: 1, width: 1 }, selection)).toEqual(selection);
    expect(pasteArea({ height: 2, width: 2 }, selection)).toEqual(selection);
    expect(pasteArea({ height: 3, width: 2 }, selection)).toEqual({ top: 2, left: 1, height: 3, width: 2 });
    expect(squared([['a'], ['b', 'c']])).toEqual([
      ['a', ''],
      ['b', 'c'],
    ]);
  });
});
