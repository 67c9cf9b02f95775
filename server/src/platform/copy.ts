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
 * Sends lines of COPY's text format, each with its line end; several may be in one part. Parts are asked for one at a
 * time: PostgreSQL works on one while the next is made.
 */
export async function copyLines(client: PoolClient, into: Sql, parts: Iterable<string>): Promise<void> {
  const iterator = parts[Symbol.iterator]();
  const first = iterator.next();
  if (first.done) return;
  const all = function* (): Generator<string> {
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
  let part = '';
  for (let index = 0; index < items.length; index += 1) {
    part += lineOf(items[index] as T, index);
    if ((index + 1) % linesPerPart === 0) {
      yield part;
      part = '';
    }
  }
  if (part !== '') yield part;
}
