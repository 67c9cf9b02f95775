import {
  changePushActionSchema,
  type ChangePushAction,
  type PendingOperation,
  pendingOperationSchema,
  pendingReplySchema,
} from '@sluice/contract';
import { z } from 'zod';
import type { Api } from './api.ts';
import { waitFor } from './product.ts';

const listSchema = z.object({
  resources: z.array(z.looseObject({ internalId: z.string() })),
  total: z.number().nullable(),
});
const pendingSchema = z.object({
  resources: z.array(
    z.object({ operation: pendingOperationSchema, key: z.string().nullable(), label: z.string().nullable() }),
  ),
  total: z.number(),
});

/** What a person does with a table, in a line each. */
export function tableOf(api: Api, path: string) {
  const find = async (query: string) => (await api.get(`${path}?${query}`, listSchema)).resources;
  const pending = async (): Promise<PendingOperation[]> => {
    const found: PendingOperation[] = [];
    for (;;) {
      const page = await api.get(`${path}/pending?limit=10000&offset=${found.length}`, pendingSchema);
      found.push(...page.resources.map(({ operation }) => operation));
      if (page.resources.length === 0 || found.length >= page.total) return found;
    }
  };
  const ids = (operations: readonly PendingOperation[], action: PendingOperation['action']): string[] =>
    operations.filter((operation) => operation.action === action).map(({ id }) => id);
  const pushThese = async (operations: readonly PendingOperation[]): Promise<ChangePushAction> =>
    await push(api, path, {
      insert: ids(operations, 'add'),
      update: ids(operations, 'update'),
      delete: ids(operations, 'delete'),
    });
  return {
    path,
    find,
    pending,
    /** Pushes these and answers the finished push. */
    pushThese,
    /** Records by the value of one field. */
    where: async (field: string, value: string | number | boolean) =>
      await find(`filter=${encodeURIComponent(JSON.stringify([{ field, operator: 'equals', value }]))}`),
    patch: async (changes: readonly { id: string; revision?: number; changes: Record<string, unknown> }[]) =>
      await api.send('PATCH', path, changes, pendingReplySchema),
    insert: async (records: readonly Record<string, unknown>[]) =>
      await api.send('POST', path, records, pendingReplySchema),
    remove: async (removed: readonly string[]) =>
      await api.send(
        'DELETE',
        path,
        { ids: removed },
        z.looseObject({ deleted: z.number(), editId: z.string().nullable() }),
      ),
    /** Pushes all that is pending and answers the finished push. */
    pushAll: async (): Promise<ChangePushAction> => await pushThese(await pending()),
  };
}

const answerSchema = z.object({ changePushAction: changePushActionSchema });

/** The slowest external system needs so long for a record: Tryton, for a sale line while it is being read as well. */
const msPerRecord = 60;

export async function push(
  api: Api,
  path: string,
  body: { insert?: string[]; update?: string[]; delete?: string[] },
): Promise<ChangePushAction> {
  const started = await api.send('POST', `${path}/push`, body, answerSchema);
  const { internalId, counts } = started.changePushAction;
  const total = counts.insert + counts.update + counts.delete;
  return await finished(api, path, internalId, {
    timeoutMs: 300_000 + total * msPerRecord,
    // A push of thousands is counted anew each time that it is asked for.
    everyMs: total > 1000 ? 250 : 50,
  });
}

/** Waits for the end of a push and answers it with all its results. */
export async function finished(
  api: Api,
  path: string,
  pushId: string,
  { timeoutMs = 300_000, everyMs = 50 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<ChangePushAction> {
  const read = async (limit: number): Promise<ChangePushAction> =>
    (await api.get(`${path}/push/${pushId}?limit=${limit}`, answerSchema)).changePushAction;
  // Asked for again and again without its results: with them the asking would be most of the work.
  const isOver = async (): Promise<boolean> => (await read(0)).finishedAt !== null;
  await waitFor(`push ${pushId} to end`, isOver, timeoutMs, everyMs);
  return await read(10_000);
}
