/** A file that breaks its form; `line` and `column` count from 1. */
export class FileFault extends Error {
  readonly line: number;
  readonly column: number;

  constructor(what: string, line: number, column: number) {
    super(what);
    this.name = 'FileFault';
    this.line = line;
    this.column = column;
  }
}

/** One cell is never longer: a quote that was forgotten would swallow the rest of the file. */
const longestCell = 4 * 2 ** 20;

export interface CsvRow {
  cells: string[];
  /** Line of the file where the row begins. */
  line: number;
}

/**
 * Rows of delimited text (RFC 4180: quotes, doubled quotes, line breaks within quotes), as it streams in. Memory does
 * not grow with the file. A quote in the wrong place is an error at its line and column: nothing behind it can be
 * trusted.
 */
export async function* csvRows(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRow[]> {
  const parser = new CsvParser(delimiter);
  for await (const chunk of text) yield parser.push(chunk);
  yield parser.end();
}

class CsvParser {
  readonly #delimiter: string;
  /** What is left of the last chunk: an unfinished line. */
  #rest = '';
  #line = 1;
  /** Of a row that goes on over several lines: its cells so far, and the quoted cell that is open. */
  #row: { cells: string[]; line: number; open: string; openLine: number; openColumn: number } | null = null;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  push(chunk: string): CsvRow[] {
    const text = this.#rest + chunk;
    const rows: CsvRow[] = [];
    let from = 0;
    for (;;) {
      const at = text.indexOf('\n', from);
      if (at === -1) break;
      this.#take(text.slice(from, at), '\n', rows);
      from = at + 1;
    }
    this.#rest = text.slice(from);
    if (this.#rest.length > longestCell) throw new FileFault('the line is too long', this.#line, 1);
    return rows;
  }

  end(): CsvRow[] {
    const rows: CsvRow[] = [];
    if (this.#rest !== '' || this.#row) this.#take(this.#rest, '', rows);
    if (this.#row) throw new FileFault('the quote is never closed', this.#row.openLine, this.#row.openColumn);
    return rows;
  }

  /** One line of the file, without its end. */
  #take(raw: string, end: string, rows: CsvRow[]): void {
    const hasReturn = raw.endsWith('\r');
    const line = hasReturn ? raw.slice(0, -1) : raw;
    const number = this.#line;
    this.#line += 1;
    if (this.#row === null && !line.includes('"')) {
      if (line !== '') rows.push({ cells: line.split(this.#delimiter), line: number });
      return;
    }
    const row = this.#row ?? { cells: [], line: number, open: '', openLine: 0, openColumn: 0 };
    let at = 0;
    let isOpen = this.#row !== null;
    for (;;) {
      if (isOpen) {
        const quote = line.indexOf('"', at);
        if (quote === -1) {
          // The cell goes on in the next line.
          row.open += line.slice(at) + (hasReturn ? '\r' : '') + end;
          if (row.open.length > longestCell)
            throw new FileFault('the quote is never closed', row.openLine, row.openColumn);
          this.#row = row;
          return;
        }
        row.open += line.slice(at, quote);
        at = quote + 1;
        if (line[at] === '"') {
          row.open += '"';
          at += 1;
          continue;
        }
        if (at < line.length && line[at] !== this.#delimiter)
          throw new FileFault('a quote within the cell is not doubled', number, quote + 1);
        row.cells.push(row.open);
        isOpen = false;
      } else if (line[at] === '"') {
        isOpen = true;
        row.open = '';
        row.openLine = number;
        row.openColumn = at + 1;
        at += 1;
        continue;
      } else {
        const next = line.indexOf(this.#delimiter, at);
        const cell = line.slice(at, next === -1 ? undefined : next);
        row.cells.push(cell);
        at = next === -1 ? line.length : next;
      }
      if (at >= line.length) break;
      // Behind a delimiter there is one more cell, be it empty.
      at += 1;
      if (at === line.length) {
        row.cells.push('');
        break;
      }
    }
    this.#row = null;
    rows.push({ cells: row.cells, line: row.line });
  }
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Text of bytes as they stream in; bytes that are none of the encoding's are an error, not a question mark. */
export async function* decoded(bytes: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new FileFault(
        `the text is not ${encoding.toUpperCase()}; choose the encoding in the settings`,
        line,
        1,
      );
    }
  };
  for await (const chunk of bytes) {
    // Small steps, so that the line of a fault is told nearly.
    for (let at = 0; at < chunk.length; at += 16_384) {
      const text = decode(chunk.subarray(at, at + 16_384));
      yield text;
      for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) line += 1;
    }
  }
  yield decode();
}
