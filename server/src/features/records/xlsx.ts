import { Readable } from 'node:stream';
import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { PgType } from '../cache/model.ts';

/** Rows of one sheet that the format allows, headings included. */
export const maxSheetRows = 1_048_576;
/** More digits than a spreadsheet's number holds: such values are written as text. */
const maxDigits = 15;
/** UTF-16 units of one cell. */
export const maxCellText = 32_767;

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The fixed parts of a workbook with one sheet; style 1 is a date, style 2 a heading. */
const parts: Record<string, string> = {
  '[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  '_rels/.rels': `${head}<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${head}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf fontId="0"/><xf numFmtId="164" fontId="0" applyNumberFormat="1"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`,
};

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** XML 1.0 has no control characters; spreadsheets write them as `_x001F_`, and what looks like that as well. */
function escapeText(text: string): string {
  return text
    .replace(/_x[0-9A-Fa-f]{4}_/g, (match) => `_x005F${match}`)
    .replace(
      /(?![\t\n])[\p{Cc}\uFFFE\uFFFF]/gu,
      (letter) => `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, (letter) => escapes[letter] ?? letter);
}

const dayMs = 86_400_000;
const dayZero = Date.UTC(1899, 11, 30);
const firstDay = '1900-03-01';

/** Days as a spreadsheet counts them; null before March 1900, where its calendar has a day that never was. */
function serialOf(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || date < firstDay) return null;
  return (Date.parse(`${date}T00:00:00Z`) - dayZero) / dayMs;
}

function textCell(at: string, text: string, style = ''): string {
  // Longer ones are refused before the file begins: one that was written meanwhile breaks it off, and is never cut.
  if (text.length > maxCellText) throw new Error(`The text of ${at} is longer than a cell holds`);
  return `<c r="${at}" t="inlineStr"${style}><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

const isPlainNumber = (text: string): boolean =>
  /^-?\d+(\.\d+)?$/.test(text) && text.replace(/[-.]/g, '').replace(/^0+/, '').length <= maxDigits;

function cellOf(at: string, pgType: PgType, text: string | null): string {
  if (text === null) return '';
  switch (pgType) {
    case 'bigint':
    case 'numeric':
    case 'double precision':
      return isPlainNumber(text) ? `<c r="${at}"><v>${text}</v></c>` : textCell(at, text);
    case 'boolean':
      return `<c r="${at}" t="b"><v>${text === 'true' ? 1 : 0}</v></c>`;
    case 'date': {
      const serial = serialOf(text);
      return serial === null ? textCell(at, text) : `<c r="${at}" s="1"><v>${serial}</v></c>`;
    }
    default:
      return textCell(at, text);
  }
}

/** `A`, `B` … `AA`: the letters of a column. */
function lettersOf(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? lettersOf(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}

/**
 * A workbook with one sheet, made while it is read: neither rows nor file are ever whole in memory. Numbers, booleans
 * and dates are what a spreadsheet calculates with; times and long numbers are text, because a spreadsheet would
 * change them.
 */
export function workbookOf(
  title: string,
  columns: readonly { name: string; pgType: PgType }[],
  rows: AsyncIterable<readonly (readonly (string | null)[])[]>,
): Readable {
  return Readable.from(chunksOf(title, columns, rows));
}

async function* chunksOf(
  title: string,
  columns: readonly { name: string; pgType: PgType }[],
  rows: AsyncIterable<readonly (readonly (string | null)[])[]>,
): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    if (data.length > 0) made.push(data);
  });
  const add = (name: string): ZipDeflate => {
    const file = new ZipDeflate(name, { level: 3 });
    zip.add(file);
    return file;
  };
  const sheetName = escapeText(title.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31)).replaceAll('"', '&quot;');
  const workbook = `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${sheetName}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
  for (const [name, text] of Object.entries({ ...parts, 'xl/workbook.xml': workbook }))
    add(name).push(strToU8(text), true);
  const sheet = add('xl/worksheets/sheet1.xml');
  const letters = columns.map((_, index) => lettersOf(index));
  const headings = columns.map(({ name }, index) => textCell(`${letters[index]}1`, name, ' s="2"')).join('');
  let row = 1;
  sheet.push(
    strToU8(
      `${head}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData><row r="1">${headings}</row>`,
    ),
  );
  for await (const part of rows) {
    const text = part
      .map((cells) => {
        row += 1;
        const written = cells.map((cell, index) =>
          cellOf(`${letters[index]}${row}`, columns[index]?.pgType ?? 'text', cell),
        );
        return `<row r="${row}">${written.join('')}</row>`;
      })
      .join('');
    sheet.push(strToU8(text));
    yield* made.splice(0);
  }
  sheet.push(strToU8('</sheetData></worksheet>'), true);
  zip.end();
  yield* made.splice(0);
}
