import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createPool, perDatabase, type Pool, row, sql, transaction } from './db.ts';
import { record } from './mutate.ts';

const connect = (): Pool =>
  createPool({
    url: inject('postgresUrl'),
    max: 2,
    applicationName: 'test',
    onError: (error) => {
      throw error;
    },
  });
let pool: Pool;
let another: Pool;
beforeAll(() => {
  pool = connect();
  another = connect();
});
afterAll(async () => {
  await pool?.end();
  await another?.end();
});

it('lists of any text come through to PostgreSQL and back as they are', async () => {
  const texts = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !text.includes('\u0000'));
  const marked = fc.array(fc.constantFrom('"', '\\', ',', '{', '}', 'NULL', 'null', ' ', '\n'), {
    maxLength: 6,
  });
  const lists = fc.array(
    fc.oneof(
      texts,
      marked.map((parts) => parts.join('')),
      fc.constant(null),
    ),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const found = await row<{ list: (string | null)[] }>(pool, sql`select ${list}::text[] as list`);
      expect(found?.list).toEqual(list);
    }),
    { numRuns: 200 },
  );
});

it('lists of numbers, truth values and nested lists keep their types', async () => {
  const found = await row(
    pool,
    sql`select ${[1, -2, null]}::int4[] as ints, ${[1.5, -0.25]}::float8[] as floats,
          ${[true, null, false]}::bool[] as flags, ${[]}::text[] as none, ${[
            ['a"', 'b'],
            ['c', 'd'],
          ]}::text[] as nested`,
  );
  expect(found).toEqual({
    ints: [1, -2, null],
    floats: [1.5, -0.25],
    flags: [true, null, false],
    none: [],
    nested: [
      ['a"', 'b'],
      ['c', 'd'],
    ],
  });
});

it('what is remembered of a database is the same for its pool, its connections and its transactions, and of no other', async () => {
  const listOf = perDatabase((): string[] => []);
  listOf(pool).push('by the pool');
  await transaction(pool, async (client) => void listOf(client).push('by a connection'));
  await record(pool, async (tx) => void listOf(tx).push('by a transaction'));
  listOf(another).push('of another');
  expect(listOf(pool)).toEqual(['by the pool', 'by a connection', 'by a transaction']);
  expect(await transaction(another, async (client) => listOf(client))).toEqual(['of another']);
});
