import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { compile, type Sql } from './db.ts';

const needsEscape = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text as one field of COPY's text format. */
export function copyText(text: string): string {
  return needsEscape.test(text)
    ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : text;
}

/** A text, or nothing, as one field of COPY's text format. */
export const copyField = (text: string | null): string => (text === null ? '\\N' : copyText(text));

/**
 * Memory for lines on their way to the database, used again and again. As texts they would grow old in the heap when the
 * database is slower than who reads, and cleaning up after them keeps everybody waiting.
 */
export class LineMemory {
  #free: Buffer[] = [];

  /** The bytes of a text; they stay as they are until they are given back. */
  keep(text: string): Buffer {
    const size = Buffer.byteLength(text);
    const fitting = this.#free.findIndex(({ length }) => length >= size);
    // Where none is large enough, one goes for the larger one that comes.
    const [free] = this.#free.splice(Math.max(0, fitting), 1);
    const memory = fitting >= 0 && free ? free : Buffer.allocUnsafeSlow(Math.ceil(size * 1.25));
    memory.write(text);
    return memory.subarray(0, size);
  }

  /** Of `keep`, once the database has all of them. */
  giveBack(parts: readonly Buffer[]): void {
    this.#free.push(...parts.map(({ buffer }) => Buffer.from(buffer)));
  }
}

/**
 * Sends lines of COPY's text format, each with its line end; several may be in one part. Parts are asked for one at a
 * time: PostgreSQL works on one while the next is made.
 */
export async function copyLines(
  client: PoolClient,
  into: Sql,
  parts: Iterable<string | Buffer>,
): Promise<void> {
  const iterator = parts[Symbol.iterator]();
  const first = iterator.next();
  if (first.done) return;
  const all = function* (): Generator<string | Buffer> {
    yield first.value;
    yield* { [Symbol.iterator]: () => iterator };
  };
  const { text } = compile(into);
  await pipeline(Readable.from(all(), { highWaterMark: 1 }), client.query(copyFrom(text)));
}

const linesPerPart = 500;

/** The lines of some items in parts of a handy size, made when they are asked for. */
export function* partsOf<T>(
  items: readonly T[],
  lineOf: (item: T, index: number) => string,
): Generator<string> {
  for (let from = 0; from < items.length; from += linesPerPart)
    yield items
      .slice(from, from + linesPerPart)
      .map((item, index) => lineOf(item, from + index))
      .join('');
}
