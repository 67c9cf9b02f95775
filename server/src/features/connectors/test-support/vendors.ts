import { type Run, runSchema } from '@sluice/contract';
import {
  type Api,
  connectDomain,
  connectSandbox,
  createDatabase,
  tableOf,
  waitFor,
  waitUntilCached,
} from '@sluice/testing';
import pg from 'pg';
import { z } from 'zod';
import type { End } from './action.ts';

const created = z.object({ internalId: z.string() });
const started = z.object({ run: runSchema });
const optionsSchema = z.array(
  z.looseObject({ id: z.string(), path: z.string(), resourceTypeUriId: z.string() }),
);
export const actionReply = z.object({
  resource: z.looseObject({ revision: z.number(), status: z.string() }),
});

/** A web shop in PostgreSQL whose vendors become suppliers of the sandbox, with a connector and an action for them. */
export interface Vendors {
  /** One statement in the shop's database. */
  query<T extends object>(statement: string): Promise<T[]>;
  /** Lets the held table be read. */
  release(): Promise<void>;
  target: ReturnType<typeof tableOf>;
  /** The shop's own table, which may be written. */
  source: ReturnType<typeof tableOf>;
  /** Of connectors. */
  ends: { shop: End; erp: End };
  /** API path. */
  action: string;
  sourceId: string;
  mappings(): object[];
  change(changes: object): Promise<z.infer<typeof actionReply>>;
  start(body?: object): Promise<Run>;
  find(runId: string): Promise<Run>;
  ended(run: Run): Promise<Run>;
  /** A manual run to its end. */
  runNow(body?: object): Promise<Run>;
  drop(): Promise<void>;
}

export async function connectVendors(
  api: Api,
  options: {
    postgresUrl: string;
    sandboxUrl: string;
    count: number;
    alerts?: object;
    /** What else the shop's database has from the start. */
    more?: readonly string[];
    /** A table of the shop that nobody can read until it is released. */
    held?: string;
  },
): Promise<Vendors> {
  const database = await createDatabase(options.postgresUrl);
  const query = async <T extends object>(statement: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<T>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  await query(`create table vendor (id int primary key, title text, town text, account text, kind text,
    erp_number text, note text, updated_at timestamptz not null default now())`);
  await query(
    `insert into vendor select n, ' Vendor ' || n, case n % 3 when 0 then 'Utrecht' else 'Delft' end,
       'NL91ABNA' || lpad(n::text, 10, '0'), case n % 2 when 0 then 'A' else 'B' end from generate_series(1, ${options.count}) n`,
  );
  for (const statement of options.more ?? []) await query(statement);
  const holder = options.held ? new pg.Client({ connectionString: database.url }) : null;
  await holder?.connect();
  await holder?.query(`begin; lock table ${options.held}`);
  const address = new URL(database.url);
  const erp = await connectSandbox(api, { url: options.sandboxUrl }, { systemName: 'ERP', database: 'test' });
  const source = await connectDomain(api, {
    kind: 'postgresql',
    systemName: 'Web shop',
    url: `postgresql://127.0.0.1:${address.port}`,
    database: address.pathname.slice(1),
    username: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
    settings: { tls: 'off', access: 'write' },
  });
  const target = tableOf(api, erp.table('suppliers'));
  await waitUntilCached(api, target.path);
  const ends = {
    shop: { id: source.systemId, levelIds: [source.domainId] },
    erp: { id: erp.systemId, levelIds: [erp.domainId, `${erp.domainId}.NL01`] },
  };
  const connector = await api.send(
    'POST',
    '/api/v1/connectors',
    {
      name: 'Web shop to ERP',
      ...(options.alerts ? { alerts: options.alerts } : {}),
      sourceSystem: ends.shop,
      targetSystem: ends.erp,
    },
    created,
  );
  const base = `/api/v1/connectors/${connector.internalId}`;
  const found = await api.get(
    `${base}/action-options`,
    z.object({ targetOptions: optionsSchema, sourceOptions: optionsSchema }),
  );
  const end = (list: z.infer<typeof optionsSchema>, id: string) => {
    const option = list.find((one) => one.id.includes(id));
    if (!option) throw new Error(`no option ${id} among ${list.map((one) => one.id).join(', ')}`);
    return { optionId: option.id, path: option.path, resourceTypeUriId: option.resourceTypeUriId };
  };
  const wiring = {
    targets: [end(found.targetOptions, 'suppliers')],
    sources: [end(found.sourceOptions, 'vendor')],
  };
  const sourceId = wiring.sources[0]?.optionId ?? '';
  const made = await api.send('POST', `${base}/actions`, { name: 'Vendors', wiring }, created);
  const action = `${base}/actions/${made.internalId}`;
  const find = async (runId: string): Promise<Run> =>
    (await api.get(`${action}/runs/${runId}`, z.object({ resource: runSchema }))).resource;
  const ended = async (run: Run): Promise<Run> => {
    let last = run;
    await waitFor(
      'the run to end',
      async () => {
        last = await find(run.internalId);
        return last.finishedAt !== null;
      },
      120_000,
    );
    return last;
  };
  const start = async (body: object = {}): Promise<Run> =>
    (await api.send('POST', `${action}/manual-run`, body, started)).run;
  return {
    query,
    release: async () => await holder?.end(),
    target,
    source: tableOf(api, source.table('vendor')),
    ends,
    action,
    sourceId,
    mappings: () => mappingsFrom(sourceId),
    change: async (changes) => {
      const { resource } = await api.get(action, actionReply);
      return await api.send('PATCH', action, { changes, revision: resource.revision }, actionReply);
    },
    start,
    find,
    ended,
    runNow: async (body) => await ended(await start(body)),
    drop: async () => {
      await holder?.end();
      await database.drop();
    },
  };
}

function mappingsFrom(sourceOptionId: string): object[] {
  const from = (field: string, transformFns: object[] = []) => [
    { sourceOptionId, source: { type: 'sourceValue', field }, transformFns },
  ];
  const translationTable = {
    inputType: 'string',
    returnType: 'bool',
    rows: [
      { key: 'A', value: true },
      { key: 'B', value: false },
    ],
    defaultValue: null,
    notFound: 'error',
  };
  return [
    { targetField: 'name', group: 'mandatory', mappingSources: from('title', [{ fnId: 'trim' }]) },
    { targetField: 'iban', group: 'mandatory', isUnique: true, mappingSources: from('account') },
    { targetField: 'currency', group: 'mandatory', defaultValue: 'EUR', mappingSources: from('note') },
    { targetField: 'address.city', mappingSources: from('town') },
    { targetField: 'isPreferred', mappingSources: from('kind', [{ fnId: 'translate', translationTable }]) },
  ];
}
