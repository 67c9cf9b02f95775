import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { SteadyPool } from './steady-pool.ts';

let pool: SteadyPool;
afterEach(async () => await pool.end());

const open = (max: number, url = inject('postgresUrl')): SteadyPool => {
  pool = new SteadyPool({ connectionString: url, max });
  return pool;
};

describe('a pool that grows only when it has to', () => {
  it('answers many questions of the same moment with the connections that it has, and opens few more', async () => {
    open(50);
    await Promise.all([pool.query('select 1'), pool.query('select 1')]);
    const answers = await Promise.all(
      Array.from(
        { length: 50 },
        async (_, n) => (await pool.query<{ n: number }>('select $1::int as n', [n])).rows,
      ),
    );
    expect(answers.flat().map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(pool.totalCount).toBeLessThan(12);
  });

  it('opens as many as are held at the same time', async () => {
    open(8);
    const held = await Promise.all(Array.from({ length: 8 }, async () => await pool.connect()));
    expect(new Set(held).size).toBe(8);
    const ninth = pool.connect();
    held[3]?.release();
    expect(await ninth).toBe(held[3]);
    for (const client of held) client.release();
  });

  it('lets those who wait go on when a connection is thrown away', async () => {
    open(2);
    const [first, second] = await Promise.all([pool.connect(), pool.connect()]);
    const others = [pool.query('select 1'), pool.query('select 1'), pool.query('select 1')];
    first.release(new Error('broken'));
    second.release();
    expect((await Promise.all(others)).map(({ rowCount }) => rowCount)).toEqual([1, 1, 1]);
  });

  it('tells all who wait when it ends', async () => {
    open(20);
    const held = await Promise.all(Array.from({ length: 4 }, async () => await pool.connect()));
    const waiting = Promise.allSettled(Array.from({ length: 30 }, async () => await pool.query('select 1')));
    // Their patience is at its end: one more is being opened, and the others wait for that.
    while (pool.totalCount < 5) await setImmediate();
    const ended = pool.end();
    for (const client of held) client.release();
    const statuses = (await waiting).map(({ status }) => status);
    // The one that was being opened may still have been.
    expect(statuses.filter((status) => status === 'rejected').length).toBeGreaterThanOrEqual(29);
    await ended;
    open(1);
  });

  it('tells each who asks that there is no database', async () => {
    open(10, 'postgresql://nobody@127.0.0.1:1/none');
    const asked = await Promise.allSettled(
      Array.from({ length: 10 }, async () => await pool.query('select 1')),
    );
    expect(asked.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'));
    expect(pool.totalCount).toBe(0);
  });
});
