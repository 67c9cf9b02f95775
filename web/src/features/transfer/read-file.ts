import {
  type Delimiter,
  type FileCell,
  type FileEncoding,
  decodeText,
  detectDelimiter,
  detectEncoding,
  parseDelimited,
} from '@sluice/mapping/files';

/** Most records of one file: what a person can still look through, and a browser holds. */
const MAX_ROWS = 500_000;

export interface FileTable {
  name: string;
  kind: 'text' | 'sheet';
  /** Null for spreadsheets. */
  encoding: FileEncoding | null;
  delimiter: Delimiter | null;
  rows: FileCell[][];
  /** Rows (from 1, as a spreadsheet counts) where the file breaks the rules of quoting. */
  brokenRows: number[];
}

export class FileError extends Error {
  readonly reason: 'unreadable' | 'empty' | 'tooLarge';

  constructor(reason: FileError['reason'], cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** A CSV, TSV or XLSX file as rows of cells; encoding and delimiter are found where they are not given. */
export const readFile = async (
  file: File,
  given: { encoding?: FileEncoding; delimiter?: Delimiter } = {},
): Promise<FileTable> => {
  const table = /\.xlsx$/i.test(file.name) ? await readSheet(file) : await readText(file, given);
  if (table.rows.length === 0) throw new FileError('empty');
  if (table.rows.length > MAX_ROWS) throw new FileError('tooLarge');
  return table;
};

const readText = async (
  file: File,
  given: { encoding?: FileEncoding; delimiter?: Delimiter },
): Promise<FileTable> => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = given.encoding ?? detectEncoding(bytes);
  const text = decodeText(bytes, encoding);
  const delimiter = given.delimiter ?? detectDelimiter(text);
  const { rows, faults } = parseDelimited(text, delimiter);
  return {
    name: file.name,
    kind: 'text',
    encoding,
    delimiter,
    rows,
    brokenRows: faults.map(({ row }) => row + 1),
  };
};

/** The first sheet. Dates of a spreadsheet are days without a zone: they become text and stay it. */
const readSheet = async (file: File): Promise<FileTable> => {
  // Only who opens a spreadsheet loads what reads it.
  const { readSheet: read } = await import('read-excel-file/browser');
  // Spaces at the ends are part of a value: what was exported comes back as it was.
  const rows = await read(file, { trim: false }).catch((error: unknown) => {
    throw new FileError('unreadable', error);
  });
  return {
    name: file.name,
    kind: 'sheet',
    encoding: null,
    delimiter: null,
    rows: rows.map((row) => row.map(cellOf)),
    brokenRows: [],
  };
};

const cellOf = (value: unknown): FileCell => {
  if (value instanceof Date) return { date: value.toISOString() };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
};
