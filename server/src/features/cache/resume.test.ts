import type { Page, ReadRecord, Session } from '@sluice/adapter-kit';
import type { Sandbox } from '@sluice/sandbox';
import { connectSandbox, type Product, startProduct, startSandbox, wrapSession } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { refreshCollection } from './refresh.ts';

let sandbox: Sandbox;
let product: Product;
let session: Session;
let collectionId: number;

beforeAll(async () => {
  sandbox = await startSandbox({ journalEntries: 10 });
  // Nothing reads by itself.
  product = await startProduct(inject('postgresUrl'), { roles: ['web'] });
  const domain = await connectSandbox(product.admin, sandbox, { database: 'test', companies: ['NL01'] });
  const [found] = await product.query<{ id: number }>(
    `select collection_id as id from collection where resource_type_uri_id = 'customers'`,
  );
  collectionId = found?.id ?? 0;
  session = await product.app.systems.connections.of(domain.domainId);
});
afterAll(async () => {
  await product?.stop();
  await sandbox?.close();
});

const pageSize = 50;

it('of a source that dies halfway all pages that came are kept, however many waited for the database, and it goes on behind them', async () => {
  let all: ReadRecord[] | null = null;
  const cursors: (string | null)[] = [];
  /** The ERP's records in pages that come faster than they can be stored, until `most` of them have come. */
  const readUntil = (most: number): Session['read'] =>
    async function* (query) {
      if (all === null) {
        all = [];
        for await (const { records } of session.read(query)) all.push(...records);
      }
      cursors.push(query.cursor);
      for (let at = Number(query.cursor ?? 0); at < all.length; at += pageSize) {
        if (at >= most) throw new Error('The line was cut');
        const end = Math.min(at + pageSize, all.length);
        const cursor = end < all.length ? String(end) : null;
        yield { records: all.slice(at, end), poisoned: [], cursor, total: null } satisfies Page;
      }
    };
  const quiet = () => undefined;
  const parts = {
    pool: product.app.pool,
    now: () => new Date(),
    log: { info: quiet, warn: quiet, error: quiet },
  };
  const refresh = async (most: number) =>
    await refreshCollection(
      parts,
      wrapSession(session, { read: readUntil(most) }),
      collectionId,
      new AbortController().signal,
    );
  const stored = async () =>
    (
      await product.query<{ rows: number; keys: number; loaded: number; cursor: string | null }>(
        `select count(*)::int as rows, count(distinct k)::int as keys, c.loaded, c.refresh_cursor as cursor
         from cache.c_${collectionId}, collection c where c.collection_id = $1 group by c.loaded, c.refresh_cursor`,
        [collectionId],
      )
    )[0];

  const most = 1050;
  await expect(refresh(most)).rejects.toThrow('The line was cut');
  expect(await stored()).toEqual({ rows: most, keys: most, loaded: most, cursor: String(most) });
  expect(await refresh(Infinity)).toMatchObject({ kind: 'first' });
  expect(cursors).toEqual([null, String(most)]);
  const count = (all ?? []).length;
  expect(count).toBeGreaterThan(most);
  expect(await stored()).toMatchObject({ rows: count, keys: count });
});
