import {
  columnsMediaType,
  columnsReplySchema,
  bulk,
  find,
  distinct,
  lookup,
  getChosenPending,
  getDuplicates,
} from '@sluice/contract';
import type { BulkCommand, ChosenRows, FindSpec } from '@sluice/contract';
import type { Sandbox } from '@sluice/sandbox';
import {
  type Api,
  connectSandbox,
  type Product,
  startProduct,
  startSandbox,
  waitUntilCached,
} from '@sluice/testing';
import type { z } from 'zod';

/** A shop with two people who may do everything and one who may only look. */
export interface Shop {
  product: Product;
  sandbox: Sandbox;
  ada: Api;
  ben: Api;
  cara: Api;
  table(resource: string): string;
  stop(): Promise<void>;
}

export async function startShop(
  postgresUrl: string,
  options: { journalEntries: number; tables: readonly string[] },
): Promise<Shop> {
  const sandbox = await startSandbox({ journalEntries: options.journalEntries });
  const product = await startProduct(postgresUrl);
  const domain = await connectSandbox(product.admin, sandbox);
  const systems = [{ externalSystemId: domain.systemId, levelIds: null }];
  const rightsOf = (may: boolean) =>
    options.tables.map((name) => ({
      endpointId: `data:${domain.systemId}:${name}`,
      create: may,
      read: true,
      update: may,
      delete: may,
    }));
  const ada = await product.addUser({
    username: 'ada',
    fullName: 'Ada Smit',
    rights: rightsOf(true),
    systems,
  });
  const ben = await product.addUser({
    username: 'ben',
    fullName: 'Ben Bos',
    rights: rightsOf(true),
    systems,
  });
  const cara = await product.addUser({
    username: 'cara',
    fullName: 'Cara Dam',
    rights: rightsOf(false),
    systems,
  });
  for (const name of options.tables) await waitUntilCached(product.admin, domain.table(name));
  return {
    product,
    sandbox,
    ada,
    ben,
    cara,
    table: domain.table,
    stop: async () => {
      await product.stop();
      await sandbox.close();
    },
  };
}

/** What an endpoint answers, to read answers by. */
export function replyOf<T extends z.ZodType>({ reply }: { reply?: T }): T {
  if (!reply) throw new Error('The endpoint answers nothing');
  return reply;
}

type BulkReply = z.output<NonNullable<typeof bulk.reply>>;

/** What a person does with many records of a table, in a line each. */
export function bulkOf(api: Api, path: string) {
  const snapshot = async (query = ''): Promise<{ token: string; total: number; ids: string[] }> => {
    const answer = await api.get(`${path}?snapshot=new&limit=5000&${query}`, columnsReplySchema, {
      accept: columnsMediaType,
    });
    return { token: answer.snapshot ?? '', total: answer.total ?? 0, ids: answer.ids.map(String) };
  };
  const call = async (rows: ChosenRows, command: BulkCommand, next = 0, editId?: string) =>
    await api.call('POST', `${path}/bulk${editId ? `?editId=${editId}` : ''}`, { rows, command, next });
  return {
    snapshot,
    call,
    /** One call that does all. */
    run: async (rows: ChosenRows, command: BulkCommand, editId?: string): Promise<BulkReply> =>
      await api.send(
        'POST',
        `${path}/bulk${editId ? `?editId=${editId}` : ''}`,
        { rows, command },
        replyOf(bulk),
      ),
    /** Part by part to the end, as one step. */
    runAll: async (rows: ChosenRows, command: BulkCommand, editId: string): Promise<BulkReply[]> => {
      const replies: BulkReply[] = [];
      for (let next: number | null = 0; next !== null;) {
        const reply: BulkReply = await api.send(
          'POST',
          `${path}/bulk?editId=${editId}`,
          { rows, command, next },
          replyOf(bulk),
        );
        replies.push(reply);
        next = reply.next;
      }
      return replies;
    },
    find: async (
      token: string,
      spec: FindSpec,
      rest: {
        from?: { position: number; field: string } | null;
        direction?: 'next' | 'previous';
        order?: string[];
        isCountWanted?: boolean;
      } = {},
    ) =>
      await api.send(
        'POST',
        `${path}/find`,
        { snapshot: token, find: spec, from: null, ...rest },
        replyOf(find),
      ),
    distinct: async (body: object) => await api.send('POST', `${path}/distinct`, body, replyOf(distinct)),
    lookup: async (body: object) => await api.send('POST', `${path}/lookup`, body, replyOf(lookup)),
    duplicates: async (query = '') => await api.get(`${path}/duplicates?${query}`, replyOf(getDuplicates)),
    /** Ids of the pending ones among chosen records. */
    chosenPending: async (rows: ChosenRows): Promise<string[]> =>
      (await api.send('POST', `${path}/pending/chosen`, { rows }, replyOf(getChosenPending))).ids,
    undo: async (editId: string | null) => await api.call('POST', `${path}/edits/${editId}/undo`),
    redo: async (editId: string | null) => await api.call('POST', `${path}/edits/${editId}/redo`),
  };
}
