import { randomUUID } from 'node:crypto';
import type { Session } from '@sluice/adapter-kit';
import {
  changePushActionSchema,
  pendingOperationSchema,
  pendingReplySchema,
  type PendingOperation,
} from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  wrapSession,
} from '@sluice/testing';
import { z } from 'zod';
import { continuePush } from '../../push/service.ts';
import { refreshCollection } from '../refresh.ts';
import type { Clock } from './editing.ts';
import type { Changes, User } from './model.ts';

const resourceSchema = z.looseObject({ internalId: z.string(), code: z.string().nullable() });
export type Resource = z.output<typeof resourceSchema>;
const listSchema = z.object({ resources: z.array(resourceSchema) });
const pendingSchema = z.object({ resources: z.array(z.object({ operation: pendingOperationSchema })) });
const pushSchema = z.object({ changePushAction: changePushActionSchema });
const entitySchema = z.looseObject({ code: z.string() });
const company = 'NL01';

/** The product and the ERP, both real, and nothing in either that happens by itself. */
export interface World {
  apis: Record<User, Api>;
  path: string;
  product: Product;
  clock: Clock;
  resources(): Promise<Resource[]>;
  operations(): Promise<PendingOperation[]>;
  /** The ERP asked directly: all price lists. */
  erpRecords(): Promise<Map<string, z.output<typeof entitySchema>>>;
  erp(method: string, path: string, body?: unknown): Promise<number>;
  refresh(isFull: boolean, between: () => Promise<void>): Promise<void>;
  startPush(
    user: User,
    lists: Record<'insert' | 'update' | 'delete', string[]>,
  ): Promise<z.output<typeof pushSchema>>;
  /** `between` runs behind the write call of that number; `isLost`: the answer of the first one is. */
  runPush(
    pushId: string,
    how: { isLost: boolean; after: number; between: () => Promise<void> },
  ): Promise<z.output<typeof pushSchema>>;
  /** Rows whose flag does not say whether they have an operation. */
  strayFlags(): Promise<number>;
  stop(): Promise<void>;
}

export async function startWorld(postgresUrl: string): Promise<World> {
  const clock: Clock = { now: Date.now() };
  // Never the same moment twice, as in life.
  const now = (): Date => new Date((clock.now += 1));
  const sandbox = await startSandbox({ journalEntries: 10, now });
  const product = await startProduct(postgresUrl, { roles: ['web'] });
  const domain = await connectSandbox(product.admin, sandbox, { database: 'test', companies: [company] });
  const path = domain.table('price-lists');
  const endpointId = `data:${domain.systemId}:price-lists`;
  const rights = [{ endpointId, create: true, read: true, update: true, delete: true }];
  const systems = [{ externalSystemId: domain.systemId, levelIds: null }];
  const apis = {
    ada: await product.addUser({ username: 'ada', rights, systems }),
    ben: await product.addUser({ username: 'ben', rights, systems }),
  };
  const [collection] = await product.query<{ collection_id: number }>(
    `select collection_id from collection where resource_type_uri_id = 'price-lists'`,
  );
  const collectionId = collection?.collection_id ?? 0;
  const { systems: services, pool } = product.app;
  const session = await services.connections.of(domain.domainId);
  // The sandbox runs in this process: what it has not answered it does not do later.
  const caps = { ...session.caps, settleMs: 0 };
  const quiet = () => undefined;
  const parts = { pool, now, log: { info: quiet, warn: quiet, error: quiet } };
  const erp = erpOf(sandbox);

  const refresh: World['refresh'] = async (isFull, between) => {
    const read: Session['read'] = async function* (query) {
      yield* session.read(query);
      await between();
    };
    const wrapped = wrapSession(session, { read });
    await refreshCollection(parts, wrapped, collectionId, new AbortController().signal, { isFull });
  };
  const runPush: World['runPush'] = async (pushId, { isLost, after, between }) => {
    let calls = 0;
    const write: Session['write'] = async (call) => {
      const outcomes = await session.write(call);
      calls += 1;
      if (calls === after) await between();
      if (!isLost || calls > 1) return outcomes;
      return call.ops.map(({ opId }) => ({ opId, state: 'unknown', reason: 'the line was cut' }));
    };
    const connections = { ...services.connections, of: async () => wrapSession(session, { caps, write }) };
    const open = { push_id: pushId, collection_id: collectionId, domain_id: domain.domainId };
    const workers = { ...services, ...parts, connections, wakeWorkers: async () => undefined };
    await continuePush(workers, open, new AbortController().signal);
    return await product.admin.get(`${path}/push/${pushId}`, pushSchema);
  };
  await refresh(true, async () => undefined);

  return {
    apis,
    path,
    product,
    clock,
    refresh,
    runPush,
    erp: async (method, rest, body) => (await erp(method, rest, body)).status,
    resources: async () => (await product.admin.get(`${path}?limit=1000&noTotal=true`, listSchema)).resources,
    operations: async () =>
      (await product.admin.get(`${path}/pending?limit=1000`, pendingSchema)).resources.map(
        ({ operation }) => operation,
      ),
    erpRecords: async () => {
      const { body } = await erp('GET', 'PriceLists');
      const { value } = z.object({ value: z.array(entitySchema) }).parse(body);
      return new Map(value.map((entity) => [entity.code, entity]));
    },
    startPush: async (user, lists) => await apis[user].send('POST', `${path}/push`, lists, pushSchema),
    strayFlags: async () => {
      const found = await pool.query<{ n: number }>(
        `select count(*)::int as n from cache.c_${collectionId} t full join cache.c_${collectionId}_p p using (rid)
         where t.p is distinct from (p.rid is not null)`,
      );
      return found.rows[0]?.n ?? 0;
    },
    stop: async () => {
      await product.stop();
      await sandbox.close();
    },
  };
}

function erpOf(sandbox: Sandbox) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${sandbox.url}/odata/test/Companies('${company}')/${path}`, {
      method,
      headers: { authorization: `Basic ${btoa('anna:sandbox')}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json().catch(() => null)) as unknown };
  };
}

const editIdOf = z.looseObject({ editId: z.string().nullable() });

/** What a person does, by the API; each answers the status, and the step that it became. */
export function personOf({ apis, path }: World, user: User) {
  const api = apis[user];
  return {
    edit: async (changed: readonly { id: string; revision?: number }[], changes: Changes) => {
      const editId = randomUUID();
      const body = changed.map((one) => ({ ...one, changes }));
      const { status, body: answer } = await api.call('PATCH', `${path}?editId=${editId}`, body);
      return { status, answer, editId };
    },
    insert: async (values: Changes) => {
      const editId = randomUUID();
      const reply = await api.send('POST', `${path}?editId=${editId}`, [values], pendingReplySchema);
      return { id: reply.resources[0]?.internalId ?? '', editId };
    },
    remove: async (ids: readonly string[]) => {
      const editId = randomUUID();
      await api.send('DELETE', `${path}?editId=${editId}`, { ids }, z.unknown());
      return { editId };
    },
    discard: async (lists: Record<'insert' | 'update' | 'delete', string[]>) =>
      await api.send('DELETE', `${path}/push`, lists, editIdOf),
    replay: async (editId: string, direction: 'undo' | 'redo') =>
      (await api.call('POST', `${path}/edits/${editId}/${direction}`)).status,
    resolve: async (id: string, choice: string) =>
      (await api.call('POST', `${path}/pending/resolve`, [{ id, choice }])).status,
  };
}
