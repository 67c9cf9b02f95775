import { changePushActionSchema, type PendingOperation, type PushResult } from '@sluice/contract';
import {
  type Api,
  connectSandbox,
  createDatabase,
  loginApi,
  type ProductProcess,
  type SandboxProcess,
  startProduct,
  startProductProcess,
  startSandboxProcess,
  tableOf,
  testPassword,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import pg from 'pg';
import { z } from 'zod';
import type { Random } from './random.ts';

/** Longer than any request of the sandbox takes, its latency fault included. */
const settleMs = 1000;
export const longestLatencyMs = 150;

export const tableNames = ['journal', 'customers'] as const;
export type TableName = (typeof tableNames)[number];
const sets = { journal: 'JournalEntries', customers: 'Customers' } as const;
const texts = { journal: 'description', customers: 'name' } as const;

/** One pending operation of a round, and what may become of it. */
export interface Planned {
  id: string;
  table: TableName;
  action: 'insert' | 'update' | 'delete';
  /** What it writes into the text of the record. */
  marker: string;
  /** Key in the ERP of what is changed or deleted. */
  key: string | null;
  /** The ERP must refuse it, or the engine for it: it may never succeed. */
  isBad: boolean;
  /** Text of the record before, as the ERP had it when the push began. */
  before: string | null;
}

export type Row = Record<string, unknown>;
const pageSchema = z.object({
  value: z.array(z.record(z.string(), z.unknown())),
  '@odata.nextLink': z.string().optional(),
});

/** A product that can be killed, an ERP that can fail, and a database that survives both. */
export class Lane {
  readonly name: string;
  readonly random: Random;
  readonly sandbox: SandboxProcess;
  readonly product: ProductProcess;
  readonly api: Api;
  readonly paths: Record<TableName, string>;
  readonly #database: pg.Client;
  readonly #drop: () => Promise<void>;
  #collections: Record<TableName, number>;
  #spare: Record<TableName, Row[]> = { journal: [], customers: [] };

  readonly #used: Record<TableName, Set<string>> = { journal: new Set(), customers: new Set() };

  private constructor(parts: {
    name: string;
    random: Random;
    sandbox: SandboxProcess;
    product: ProductProcess;
    api: Api;
    paths: Record<TableName, string>;
    database: pg.Client;
    drop: () => Promise<void>;
    collections: Record<TableName, number>;
  }) {
    this.name = parts.name;
    this.random = parts.random;
    this.sandbox = parts.sandbox;
    this.product = parts.product;
    this.api = parts.api;
    this.paths = parts.paths;
    this.#database = parts.database;
    this.#drop = parts.drop;
    this.#collections = parts.collections;
  }

  static async start(postgresUrl: string, name: string, random: Random): Promise<Lane> {
    const { url: databaseUrl, drop } = await createDatabase(postgresUrl);
    const sandbox = await startSandboxProcess({ journalEntries: 4000 });
    const first = await startProduct(postgresUrl, { databaseUrl });
    const domain = await connectSandbox(first.admin, sandbox);
    const paths = { journal: domain.table('journal-entries'), customers: domain.table('customers') };
    for (const table of tableNames) await waitUntilCached(first.admin, paths[table]);
    await first.close();
    const product = await startProductProcess({ databaseUrl, settleMs });
    const api = await loginApi(product.base, 'admin', testPassword);
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const found = await database.query<{ code: string; collection_id: number }>(
      'select code, collection_id from collection',
    );
    const collectionOf = (table: TableName): number =>
      found.rows.find(({ code }) => code === sets[table])?.collection_id ?? 0;
    const collections = { journal: collectionOf('journal'), customers: collectionOf('customers') };
    const lane = new Lane({ name, random, sandbox, product, api, paths, database, drop, collections });
    for (const table of tableNames) {
      const all = await tableOf(api, paths[table]).find('limit=5000');
      // A posted entry refuses every change, and a faulty record its push.
      lane.#spare[table] = all.filter((row) => row['isPosted'] !== true && row[texts[table]]).slice(20);
    }
    return lane;
  }

  async stop(): Promise<void> {
    await this.product.kill();
    await this.sandbox.stop();
    await this.#database.end();
    await this.#drop();
  }

  async query<T extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<T[]> {
    return (await this.#database.query<T>(text, values)).rows;
  }

  /** A record that no round has used. */
  spare(table: TableName): { id: string; key: string; text: string } {
    const row = this.#spare[table].shift();
    if (!row) throw new Error(`No more records of ${table}`);
    this.#used[table].add(String(row['number']));
    return { id: String(row['internalId']), key: String(row['number']), text: String(row[texts[table]]) };
  }

  /** Keys of the records that rounds have changed or deleted. */
  used(table: TableName): ReadonlySet<string> {
    return this.#used[table];
  }

  /** The ERP asked directly. */
  async erp(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    return await this.sandbox.call(method, `/odata/production/Companies('NL01')/${path}`, body);
  }

  address(table: TableName, key: string): string {
    return table === 'journal' ? `${sets.journal}(${key})` : `${sets.customers}('${key}')`;
  }

  /** The text of a record in the ERP; null when there is none. */
  async erpText(table: TableName, key: string): Promise<string | null> {
    const { status, body } = await this.erp('GET', this.address(table, key));
    return status === 404 ? null : String(z.record(z.string(), z.unknown()).parse(body)[texts[table]]);
  }

  async erpChange(table: TableName, key: string, values: Row): Promise<void> {
    const { status } = await this.erp('PATCH', this.address(table, key), values);
    if (status !== 200) throw new Error(`The ERP answered ${status} to a colleague`);
  }

  /** Keys and texts of the records whose text begins like this. */
  async erpStarting(table: TableName, prefix: string): Promise<{ key: string; text: string }[]> {
    const field = texts[table];
    const { body } = await this.erp(
      'GET',
      `${sets[table]}?$filter=startswith(${field},'${prefix}')&$select=number,${field}`,
    );
    return pageSchema
      .parse(body)
      .value.map((row) => ({ key: String(row['number']), text: String(row[field]) }));
  }

  async erpCount(table: TableName): Promise<number> {
    return Number((await this.erp('GET', `${sets[table]}/$count`)).body);
  }

  /** Every record of the ERP by key, without who changed it when. */
  async erpAll(table: TableName): Promise<Map<string, Row>> {
    const all = new Map<string, Row>();
    for (let path: string | undefined = sets[table]; path;) {
      const page = pageSchema.parse((await this.erp('GET', path)).body);
      for (const { modifiedAt: _, modifiedBy: __, ...row } of page.value) {
        const plain = Object.entries(row).filter(([name]) => !name.includes('@'));
        all.set(String(row['number']), Object.fromEntries(plain));
      }
      path = page['@odata.nextLink']?.replace(/^.*Companies\('NL01'\)\//i, '');
    }
    return all;
  }

  async pending(table: TableName): Promise<PendingOperation[]> {
    return await tableOf(this.api, this.paths[table]).pending();
  }

  /** Waits until no push is open, and lifts the sandbox when it has crashed. */
  async untilPushed(timeoutMs = 60_000): Promise<void> {
    await waitFor(
      `the pushes of ${this.name} to end`,
      async () => {
        await this.liftSandbox();
        const open = await this.query(`select 1 from push where finished_at is null`, []);
        return open.length === 0;
      },
      timeoutMs,
    );
  }

  async liftSandbox(): Promise<void> {
    const isUp = await fetch(`${this.sandbox.url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isUp) await this.sandbox.restart();
  }

  /** After a start of the product: its first answers prove that old connections are forgotten. */
  async untilReady(): Promise<void> {
    await waitFor('the product to answer', async () => {
      const answer = await this.api.call('GET', '/readyz').catch(() => null);
      return answer?.status === 200;
    });
  }

  /** The pushes of a table since the last time that this was asked. */
  readonly #known = new Set<string>();
  async newPushes(table: TableName): Promise<string[]> {
    const found = await this.query<{ push_id: string }>(
      'select push_id from push where collection_id = $1 order by created_at',
      [this.#collections[table]],
    );
    const fresh = found.map(({ push_id }) => push_id).filter((id) => !this.#known.has(id));
    for (const id of fresh) this.#known.add(id);
    return fresh;
  }

  async pushed(table: TableName, pushId: string): Promise<z.output<typeof changePushActionSchema>> {
    const schema = z.object({ changePushAction: changePushActionSchema });
    return (await this.api.get(`${this.paths[table]}/push/${pushId}?limit=1000`, schema)).changePushAction;
  }

  /** Key of a row in the cache. */
  async keyOf(table: TableName, id: string): Promise<string | null> {
    const [row] = await this.query<{ k: string | null }>(
      `select k from cache.c_${this.#collections[table]} where rid = $1`,
      [Number(id)],
    );
    return row?.k ?? null;
  }

  /** Rows of the cache that do not say what the ERP says, once a refresh has come after the last push. */
  async differences(table: TableName): Promise<string[]> {
    const records = await this.erpAll(table);
    const deadline = Date.now() + 60_000;
    for (;;) {
      const found = await this.#differ(table, records);
      if (found.length === 0 || Date.now() > deadline) return found;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async #differ(table: TableName, records: ReadonlyMap<string, Row>): Promise<string[]> {
    const found = await tableOf(this.api, this.paths[table]).find('limit=5000');
    const shown = new Map(found.map((row) => [String(row['number']), row]));
    const field = texts[table];
    const wrong = [...records].flatMap(([key, row]) => {
      const [cached, real] = [shown.get(key)?.[field] || null, row[field] || null];
      return cached === real ? [] : [`${key} is '${String(real)}', not '${String(cached)}'`];
    });
    const strays = found.filter((row) => !records.has(String(row['number'])));
    if (found.length !== shown.size) wrong.push('a key is there twice');
    return [...wrong, ...strays.map((row) => `${row['internalId']} is not in the ERP`)];
  }

  lists(plans: readonly Planned[]): Record<Planned['action'], string[]> {
    const of = (action: Planned['action']): string[] =>
      plans.filter((plan) => plan.action === action).map(({ id }) => id);
    return { insert: of('insert'), update: of('update'), delete: of('delete') };
  }
}

export type Outcome = PushResult['outcome'];
