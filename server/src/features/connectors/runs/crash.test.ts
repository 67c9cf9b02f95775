import { type Run } from '@sluice/contract';
import {
  type Api,
  createDatabase,
  loginApi,
  type ProductProcess,
  startProduct,
  startProductProcess,
  type SandboxProcess,
  startSandboxProcess,
  testPassword,
} from '@sluice/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Random } from '../../push/test-support/random.ts';
import { connectVendors, type Vendors } from '../test-support/vendors.ts';

// `SEED=… ROUNDS=…` repeat a failure or search longer.
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const rounds = Number(process.env['ROUNDS'] ?? 5);
/** Several pages, so that death meets a run between them too. */
const vendors = 8_000;

let sandbox: SandboxProcess;
let product: ProductProcess;
let database: Awaited<ReturnType<typeof createDatabase>>;
let shop: Vendors;
let api: Api;

beforeAll(async () => {
  sandbox = await startSandboxProcess({ journalEntries: 1000 });
  database = await createDatabase(inject('postgresUrl'));
  // Makes the administrator of the database that the killed process lives on.
  await (await startProduct(inject('postgresUrl'), { databaseUrl: database.url, roles: ['web'] })).close();
  product = await startProductProcess({ databaseUrl: database.url, settleMs: 100 });
  api = await loginApi(product.base, 'admin', testPassword);
  shop = await connectVendors(api, {
    postgresUrl: inject('postgresUrl'),
    sandboxUrl: sandbox.url,
    count: vendors,
  });
  await shop.change({ mappings: shop.mappings() });
}, 180_000);
afterAll(async () => {
  await product?.kill();
  await sandbox?.stop();
  await shop?.drop();
  await database?.drop();
});

async function stored<T extends object>(statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** What an undisturbed run would have made: each vendor's mapped values by its account. */
async function expected(): Promise<Map<string, string>> {
  const found = await shop.query<{ account: string; title: string; town: string; kind: string }>(
    'select account, trim(title) as title, town, kind from vendor',
  );
  return new Map(
    found.map(({ account, title, town, kind }) => [account, JSON.stringify([title, town, kind === 'A'])]),
  );
}

async function made(): Promise<Map<string, string>> {
  const [collection] = await stored<{ collection_id: number }>(
    `select collection_id from collection where resource_type_uri_id like '%suppliers%'`,
  );
  const fields = await stored<{ path: string; fno: number }>(
    `select path, fno from collection_field where collection_id = ${collection?.collection_id} and state = 'active'`,
  );
  const column = (path: string): string => `f${fields.find((field) => field.path === path)?.fno}`;
  const table = `cache.c_${collection?.collection_id}`;
  const found = await stored<{ account: string; name: string; city: string; preferred: boolean }>(
    `select t.${column('iban')} as account, t.${column('name')} as name, t.${column('address.city')} as city,
       t.${column('isPreferred')} as preferred
     from ${table} t join ${table}_p p using (rid) where p.action <> 'd'`,
  );
  const links = await stored<{ n: string; distinct: string }>(
    `select count(*) as n, count(distinct rid) as distinct from link`,
  );
  expect(Number(links[0]?.distinct)).toBe(Number(links[0]?.n));
  expect(found.length, 'no vendor twice').toBe(new Set(found.map(({ account }) => account)).size);
  expect(Number(links[0]?.n)).toBe(found.length);
  return new Map(
    found.map(({ account, name, city, preferred }) => [account, JSON.stringify([name, city, preferred])]),
  );
}

describe('kill -9 of the server at any moment of a run', () => {
  it(
    `leaves pending changes and links as an undisturbed run would (${rounds} rounds, SEED=${seed})`,
    { timeout: 3_600_000 },
    async () => {
      const random = new Random(seed);
      let kills = 0;
      let next = vendors;
      for (let round = 1; round <= rounds; round += 1) {
        const town = `Town ${round}`;
        const share = 2 + random.below(39);
        await shop.query(`update vendor set town = '${town}' where (id * 7 + ${round}) % ${share} = 0`);
        await shop.query(`delete from vendor where (id + ${round}) % 97 = ${random.below(97)}`);
        await shop.query(
          `insert into vendor select n, 'Vendor ' || n, 'New', 'NL91ABNA' || lpad(n::text, 10, '0'), 'A'
           from generate_series(${next + 1}, ${next + 150}) n`,
        );
        next += 150;
        const run = await shop.start();
        const deaths = 1 + random.below(3);
        for (let death = 0; death < deaths; death += 1) {
          await new Promise((resolve) => setTimeout(resolve, 5 + random.below(895)));
          await product.kill();
          kills += 1;
          await product.start();
        }
        const end: Run = await shop.ended(run);
        expect(end, `round ${round}`).toMatchObject({ status: 'DONE', message: null });
        const [wanted, found] = [await expected(), await made()];
        const wrong = [...wanted].filter(([account, values]) => found.get(account) !== values);
        expect(wrong.slice(0, 3), `round ${round}: missing or different`).toEqual([]);
        expect(found.size, `round ${round}: nothing too much`).toBe(wanted.size);
        const { inserted, updated, unchanged } = end.counts;
        expect(inserted + updated + unchanged, `round ${round}: each record counted once`).toBe(wanted.size);
      }
      console.log(`SEED=${seed}`, { rounds, kills });
    },
  );
});
