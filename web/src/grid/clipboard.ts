/**
 * The text forms of a block of cells on the clipboard: TSV with RFC 4180 quoting (as Excel, LibreOffice and Google
 * Sheets write and read it) and an HTML table beside it.
 */

const needsQuotes = /[\t\n\r"]/;

const quote = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const tsvLine = (cells: readonly string[]): string => cells.map(quote).join('\t');

export const tsvOf = (lines: readonly string[]): string =>
  // A last line without any character would be taken for the line break at the end, or for no text at all.
  (lines.at(-1) === '' ? [...lines.slice(0, -1), '""'] : lines).join('\r\n');

export const toTsv = (rows: readonly (readonly string[])[]): string => tsvOf(rows.map(tsvLine));

/** Reads what spreadsheets put on the clipboard; a line break at the very end belongs to no row. */
export const parseTsv = (text: string): string[][] => {
  if (!text.includes('"')) return parsePlain(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  let isCellStart = true;
  let i = 0;
  const endCell = (): void => {
    row.push(cell);
    cell = '';
    isCellStart = true;
  };
  const endRow = (): void => {
    endCell();
    rows.push(row);
    row = [];
  };
  while (i < text.length) {
    const c = text[i] ?? '';
    if (isQuoted) {
      if (c === '"' && text[i + 1] === '"') {
        cell += '"';
        i += 2;
        continue;
      }
      if (c === '"') isQuoted = false;
      else cell += c;
      i++;
      continue;
    }
    if (c === '"' && isCellStart && hasClosingQuote(text, i)) {
      isQuoted = true;
      isCellStart = false;
    } else if (c === '\t') {
      endCell();
    } else if (c === '\n' || c === '\r') {
      if (c === '\r' && text[i + 1] === '\n') i++;
      endRow();
    } else {
      cell += c;
      isCellStart = false;
    }
    i++;
  }
  if (!isCellStart || cell !== '' || row.length > 0) endRow();
  return rows;
};

/** Without a quote in it there is nothing to watch for; pastes of 50,000 cells are mostly so. */
const parsePlain = (text: string): string[][] => {
  if (text === '') return [];
  // Splitting at one character is far faster than at a pattern.
  const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.split('\t'));
};

/** A cell that merely begins with a quote (`"Café" De Hoek`) is not a quoted one. */
const hasClosingQuote = (text: string, start: number): boolean => {
  let i = start + 1;
  while (i < text.length) {
    if (text[i] !== '"') {
      i++;
      continue;
    }
    if (text[i + 1] === '"') {
      i += 2;
      continue;
    }
    const after = text[i + 1];
    return after === undefined || after === '\t' || after === '\n' || after === '\r';
  }
  return false;
};

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const htmlCell = (text: string): string =>
  // mso-number-format keeps Excel from turning 0012 into 12.
  `<td style="white-space:pre-wrap;mso-number-format:'\\@'">${escapeHtml(text).replaceAll('\n', '<br>')}</td>`;

export const htmlRow = (cells: readonly string[]): string => `<tr>${cells.map(htmlCell).join('')}</tr>`;

export const htmlOf = (rows: readonly string[]): string =>
  `<meta charset="utf-8"><table>${rows.join('')}</table>`;

/** Makes the rows of a pasted block equally wide. */
export const squared = (rows: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
  if (rows.every((row) => row.length === width)) return rows;
  return rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => '')]);
};

export interface PasteTarget {
  top: number;
  left: number;
  height: number;
  width: number;
}

/**
 * Where a copied block goes: one value fills the selection, a block that divides the selection is repeated, any
 * other is laid down once from the top left corner.
 */
export const pasteArea = (block: { height: number; width: number }, selection: PasteTarget): PasteTarget => {
  const { top, left } = selection;
  const fits =
    selection.height % block.height === 0 &&
    selection.width % block.width === 0 &&
    selection.height * selection.width > block.height * block.width;
  return fits ? selection : { top, left, height: block.height, width: block.width };
};
