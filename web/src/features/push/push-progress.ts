import type { ChangePushAction } from '@sluice/contract';
import { call } from '../../platform/call.ts';
import { createStore } from '../../platform/store.ts';
import type { PushLists } from './selection.ts';

const POLL_MS = 1000;

/** The push whose results are on screen, or can be put there. */
export const shownResults = createStore<{
  collection: string;
  title: string;
  systemName: string;
  action: ChangePushAction;
} | null>(null);

interface Pushing {
  collection: string;
  lists: PushLists;
  confirmUnknown: boolean;
  /** The push has ended: what the table shows may have changed. */
  onEnded: () => void;
}

/** Hands the records over; the work goes on whether or not this page stays open. */
export const startPush = async ({ collection, lists, confirmUnknown, onEnded }: Pushing): Promise<void> => {
  const { changePushAction } = await call('push', {
    params: { collection },
    body: { ...lists, ...(confirmUnknown ? { confirmUnknown: true } : {}) },
    headers: { 'idempotency-key': crypto.randomUUID() },
  });
  void watch(collection, changePushAction).then(onEnded);
};

/** Until it ends; how it went is told by its notification. */
const watch = async (collection: string, action: ChangePushAction): Promise<void> => {
  let now = action;
  while (now.status === 'QUEUED' || now.status === 'RUNNING') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      const reply = await call('getPush', {
        params: { collection, pushId: action.internalId },
        query: { limit: 0 },
        isBackground: true,
      });
      now = reply.changePushAction;
    } catch (error) {
      // The table hears of the changes by the socket as well.
      console.error('push was not followed', error);
      return;
    }
  }
};

/** Fetches what became of each record and shows it. */
export const showResults = async (
  context: { collection: string; title: string; systemName: string },
  pushId: string,
): Promise<void> => {
  const { changePushAction } = await call('getPush', {
    params: { collection: context.collection, pushId },
    query: { limit: 10_000 },
  });
  shownResults.set({ ...context, action: changePushAction });
};
