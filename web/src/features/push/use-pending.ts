import type { CollectionMessage, PendingOperation, PendingOperations } from '@sluice/contract';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { call, isAbort } from '../../platform/call.ts';
import type { Store } from '../../platform/store.ts';
import type { PendingRecord } from './selection.ts';

/** The first page is small, so that the dialog shows at once; the rest comes behind it. */
const FIRST_PAGE = 200;
const PAGE = 2500;
/** Asked for by themselves when there is more than a page: they stand on top of the review. */
const URGENT = ['invalid', 'conflict', 'rejected'] as const;

export interface Pending {
  /** Null until the first page is there. */
  records: readonly PendingRecord[] | null;
  total: number;
  /** All of them were read. */
  isComplete: boolean;
  error: unknown;
}

const listOf = (operations: PendingOperations): PendingOperation[] => [
  ...operations.insert,
  ...operations.update,
  ...operations.delete,
];

/** Where to hear what is changed in the table meanwhile, here or elsewhere. */
export type Heard = Pick<Store<{ heard: CollectionMessage['data'] | null }>, 'get' | 'subscribe'>;

/** Changes that come one after the other are read together. */
const GATHER_MS = 500;

/** All pending operations of a collection with the names of their records, page by page; with `heard` kept up to date. */
export const usePending = (collection: string, heard: Heard | null = null) => {
  const [pending, setPending] = useState<Pending>({
    records: null,
    total: 0,
    isComplete: false,
    error: null,
  });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const byId = new Map<string, PendingRecord>();
    const read = async (query: { limit: number; offset?: number; state?: (typeof URGENT)[number] }) => {
      const reply = await call('getPending', { params: { collection }, query, signal });
      for (const record of reply.resources) byId.set(record.operation.id, record);
      return reply;
    };
    const readAll = async (): Promise<void> => {
      const show = (total: number, isComplete: boolean): void =>
        setPending({ records: [...byId.values()], total, isComplete, error: null });
      const isFirst = attempt === 0;
      const { total, counts, resources } = await read({ limit: FIRST_PAGE });
      if (resources.length >= total) {
        show(total, true);
        return;
      }
      await Promise.all(
        URGENT.filter((state) => counts[state] > 0).map((state) => read({ state, limit: PAGE })),
      );
      // What is there already stays in sight until all of it is read anew.
      if (isFirst) show(total, false);
      for (let offset = resources.length; ;) {
        const page = await read({ limit: PAGE, offset });
        offset += page.resources.length;
        const isLast = page.resources.length === 0 || offset >= page.total;
        if (isFirst || isLast) show(page.total, isLast);
        if (isLast) return;
      }
    };
    readAll().catch((error: unknown) => {
      if (!isAbort(error) && !signal.aborted) setPending((before) => ({ ...before, error }));
    });
    return () => controller.abort();
  }, [collection, attempt]);

  /** Takes over what a decision or an edit answered. */
  const merge = useCallback((operations: PendingOperations, clearedIds: readonly string[]) => {
    const changed = new Map(listOf(operations).map((operation) => [operation.id, operation]));
    const cleared = new Set(clearedIds);
    setPending((before) => {
      const records = (before.records ?? [])
        .filter(({ operation }) => !cleared.has(operation.id))
        .map((record) => {
          const operation = changed.get(record.operation.id);
          return operation ? { ...record, operation } : record;
        });
      return { ...before, records, total: before.total - ((before.records?.length ?? 0) - records.length) };
    });
  }, []);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  const listen = useEffectEvent((message: CollectionMessage['data'], readAgain: () => void) => {
    const known = new Set((pending.records ?? []).map(({ operation }) => operation.id));
    const operations = listOf(message.pendingOperations);
    if (message.isReloadNeeded || operations.some(({ id }) => !known.has(id))) readAgain();
    merge(message.pendingOperations, [...message.clearedIds, ...message.removedIds]);
  });
  useEffect(() => {
    if (!heard) return undefined;
    let last = heard.get().heard;
    let timer = 0;
    const readAgain = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(reload, GATHER_MS);
    };
    const leave = heard.subscribe(() => {
      const message = heard.get().heard;
      if (message === null || message === last) return;
      last = message;
      listen(message, readAgain);
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [heard, reload]);
  return { ...pending, merge, reload };
};
