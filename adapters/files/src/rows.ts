import { ExternalSystemError } from '@sluice/adapter-kit';
import { detectDelimiter, detectEncoding } from '@sluice/mapping/files';
import { readSheet } from 'read-excel-file/node';
import { csvRows, decoded, type Encoding, FileFault } from './csv.ts';
import type { FileSettings } from './settings.ts';
import type { FileEntry, FileSource } from './source.ts';

/** A cell as its file has it: text of a CSV, a value of a spreadsheet or of JSON. */
export type Cell = string | number | boolean | null;

export interface FileRow {
  cells: readonly Cell[];
  /** Where the cell of a heading is; the same for all rows of a file where it can be. */
  places: ReadonlyMap<string, number>;
  /** Line of the file, or row of the sheet, from 1. */
  line: number;
}

export const cellOf = ({ cells, places }: FileRow, heading: string): Cell =>
  cells[places.get(heading) ?? -1] ?? null;

const placesOf = (headings: readonly string[]): ReadonlyMap<string, number> =>
  new Map(headings.map((heading, i) => [heading, i]));

export type FileKind = 'delimited' | 'sheet' | 'json';

const kinds: readonly { kind: FileKind; ending: RegExp }[] = [
  { kind: 'delimited', ending: /\.(csv|tsv|tab|txt)$/i },
  { kind: 'sheet', ending: /\.xlsx$/i },
  { kind: 'json', ending: /\.(jsonl|ndjson|json)$/i },
];

export const kindOf = (name: string): FileKind | null =>
  kinds.find(({ ending }) => ending.test(name))?.kind ?? null;

export interface Look {
  encoding: Encoding | null;
  delimiter: string | null;
}

const sampleBytes = 64 * 1024;
/** A spreadsheet is unpacked as a whole. */
const largestSheet = 64 * 2 ** 20;

/** Rows of one file in portions, with what was found out about its form. Faults name file, line and column. */
export async function* fileRows(
  source: FileSource,
  entry: FileEntry,
  settings: FileSettings,
  signal: AbortSignal,
  onLook: (look: Look) => void = () => undefined,
): AsyncGenerator<FileRow[]> {
  try {
    const kind = kindOf(entry.name);
    if (kind === 'sheet') yield await sheetRows(source, entry, settings, signal);
    else if (kind === 'json') yield* jsonRows(source, entry, settings, signal, onLook);
    else yield* delimitedRows(source, entry, settings, signal, onLook);
  } catch (error) {
    if (signal.aborted)
      throw new ExternalSystemError('ABORTED', 'the call was aborted', { retryable: false, cause: error });
    if (!(error instanceof FileFault)) throw error;
    throw new ExternalSystemError(
      'PROTOCOL',
      `${entry.name}, line ${error.line}, column ${error.column}: ${error.message}`,
      { retryable: false, errCode: 'FILE', cause: error },
    );
  }
}

async function* textOf(
  source: FileSource,
  entry: FileEntry,
  settings: FileSettings,
  signal: AbortSignal,
  onEncoding: (encoding: Encoding) => void,
): AsyncGenerator<string> {
  const stream = await source.open(entry.name, signal);
  try {
    const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
    const kept: Uint8Array[] = [];
    let size = 0;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      kept.push(next.value);
      size += next.value.length;
      if (size >= sampleBytes) break;
    }
    const start = Buffer.concat(kept);
    const encoding = settings.encoding ?? detected(start);
    onEncoding(encoding);
    yield* decoded(
      (async function* () {
        yield start;
        for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
      })(),
      encoding,
    );
  } finally {
    stream.destroy();
  }
}

/** Of a sample that may end within a letter. */
function detected(bytes: Uint8Array): Encoding {
  const cut = [0, 1, 2, 3].map((less) => detectEncoding(bytes.subarray(0, bytes.length - less)));
  return cut.find((encoding) => encoding === 'utf-8') ?? cut[0] ?? 'utf-8';
}

async function* delimitedRows(
  source: FileSource,
  entry: FileEntry,
  settings: FileSettings,
  signal: AbortSignal,
  onLook: (look: Look) => void,
): AsyncGenerator<FileRow[]> {
  let encoding: Encoding = 'utf-8';
  const text = textOf(source, entry, settings, signal, (found) => (encoding = found));
  const first = await text.next();
  if (first.done) return;
  const start = first.value;
  const delimiter =
    settings.delimiter ??
    (/\.(tsv|tab)$/i.test(entry.name)
      ? '\t'
      : detectDelimiter(start.slice(0, start.lastIndexOf('\n') + 1) || start));
  onLook({ encoding, delimiter });
  const whole = (async function* () {
    yield start;
    yield* text;
  })();
  let headings: readonly string[] | null = null;
  let places: ReadonlyMap<string, number> = new Map();
  let count = 0;
  try {
    for await (const rows of csvRows(whole, delimiter)) {
      const found: FileRow[] = [];
      for (const { cells, line } of rows) {
        count += 1;
        if (count < settings.headings) continue;
        if (headings === null) {
          headings = headingsOf(cells, settings.headings > 0);
          places = placesOf(headings);
          if (settings.headings > 0) continue;
        }
        if (cells.length > headings.length && cells.slice(headings.length).some((cell) => cell !== ''))
          throw new FileFault(`${cells.length} cells, but there are ${headings.length} columns`, line, 1);
        found.push({ cells, places, line });
      }
      if (found.length > 0) yield found;
    }
  } finally {
    await whole.return();
  }
}

/** Names of the columns, each once; those without one are called by their number. */
function headingsOf(cells: readonly Cell[], hasHeadings: boolean): string[] {
  const taken = new Set<string>();
  return cells.map((cell, i) => {
    const base =
      (hasHeadings
        ? String(cell ?? '')
            .trim()
            .replaceAll('.', '_')
        : '') || `column_${i + 1}`;
    let name = base;
    for (let n = 2; taken.has(name); n += 1) name = `${base}_${n}`;
    taken.add(name);
    return name;
  });
}

async function sheetRows(
  source: FileSource,
  entry: FileEntry,
  settings: FileSettings,
  signal: AbortSignal,
): Promise<FileRow[]> {
  if (entry.size > largestSheet)
    throw new FileFault('the workbook is too large to be unpacked; save it as CSV', 1, 1);
  const chunks: Uint8Array[] = [];
  for await (const chunk of await source.open(entry.name, signal)) chunks.push(chunk);
  const rows = await readSheet(Buffer.concat(chunks), { trim: false }).catch((error: unknown) => {
    throw new FileFault(`not a workbook (${error instanceof Error ? error.message : String(error)})`, 1, 1);
  });
  const at = Math.max(settings.headings, 1) - 1;
  const headings = headingsOf((rows[at] ?? []).map(sheetCell), settings.headings > 0);
  const places = placesOf(headings);
  return rows.slice(settings.headings).flatMap((row, i) => {
    const cells = headings.map((_, n) => sheetCell(row[n]));
    const isEmpty = cells.every((cell) => cell === null || cell === '');
    return isEmpty ? [] : [{ cells, places, line: settings.headings + i + 1 }];
  });
}

/** Dates of a spreadsheet are days or wall clocks without a zone. */
function sheetCell(value: unknown): Cell {
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$/, '')
      .replace(/\.000Z$/, 'Z');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

async function* jsonRows(
  source: FileSource,
  entry: FileEntry,
  settings: FileSettings,
  signal: AbortSignal,
  onLook: (look: Look) => void,
): AsyncGenerator<FileRow[]> {
  let rest = '';
  let line = 0;
  const take = (text: string): FileRow[] => {
    line += 1;
    if (text.trim() === '') return [];
    let parsed: unknown;
    try {
      parsed = JSON.parse(text, exactNumbers);
    } catch (error) {
      const column = Number(/position (\d+)/.exec(String(error))?.[1] ?? 0) + 1;
      throw new FileFault(error instanceof Error ? error.message : String(error), line, column);
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new FileFault('one object a line is expected (JSON lines)', line, 1);
    const cells = new Map<string, Cell>();
    flatten(parsed, '', cells);
    return [{ cells: [...cells.values()], places: placesOf([...cells.keys()]), line }];
  };
  for await (const chunk of textOf(source, entry, settings, signal, (encoding) =>
    onLook({ encoding, delimiter: null }),
  )) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const rows = lines.flatMap(take);
    if (rows.length > 0) yield rows;
  }
  const last = take(rest);
  if (last.length > 0) yield last;
}

/** Numbers that a double would change stay as they are written. */
function exactNumbers(_: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return Number(source) === value && source.replace(/[^0-9]/g, '').length <= 15 ? value : source;
}

function flatten(value: object, prefix: string, cells: Map<string, Cell>): void {
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const path = `${prefix}${name.replaceAll('.', '_')}`;
    if (inner !== null && typeof inner === 'object' && !Array.isArray(inner))
      flatten(inner, `${path}_`, cells);
    else if (Array.isArray(inner)) cells.set(path, JSON.stringify(inner));
    else if (inner === null || ['string', 'number', 'boolean'].includes(typeof inner))
      cells.set(path, inner as Cell);
  }
}
