import type { ChangePushAction } from '@sluice/contract';
import { call, callOnce } from '../../platform/call.ts';
import { t } from '../../platform/i18n/i18n.ts';
import { createStore } from '../../platform/store.ts';
import { toast } from '../../ui/toasts.tsx';
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
  const { changePushAction } = await callOnce('push', {
    params: { collection },
    body: { ...lists, ...(confirmUnknown ? { confirmUnknown: true } : {}) },
  });
  const { skipped } = changePushAction;
  if (skipped.length > 0) toast('warning', t('push.skippedNow', { count: skipped.length }));
  void watch(collection, changePushAction).then(onEnded);
};

export const isUnderWay = ({ status }: Pick<ChangePushAction, 'status'>): boolean =>
  status === 'QUEUED' || status === 'RUNNING';

/** Until it ends; how it went is told by its notification. */
const watch = async (collection: string, action: ChangePushAction): Promise<void> => {
  let now = action;
  while (isUnderWay(now)) {
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

/** Of all results that were asked for, these are the last. */
let lastShown = 0;

/** Fetches what became of each record and shows it; of a push that still goes on, until it ends or is put away. */
export const showResults = async (
  context: { collection: string; title: string; systemName: string },
  pushId: string,
): Promise<void> => {
  const read = async (isBackground: boolean): Promise<ChangePushAction> => {
    const { changePushAction } = await call('getPush', {
      params: { collection: context.collection, pushId },
      query: { limit: 10_000 },
      isBackground,
    });
    return changePushAction;
  };
  const own = ++lastShown;
  let action = await read(false);
  shownResults.set({ ...context, action });
  void (async () => {
    const isShown = (): boolean => own === lastShown && shownResults.get() !== null;
    while (isUnderWay(action)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (!isShown()) return;
      action = await read(true);
      if (isShown()) shownResults.set({ ...context, action });
    }
  })().catch((error: unknown) => console.error('results of a push were not followed', error));
};
