import type { ChangePushAction } from '@sluice/contract';
import { call, errorText } from '../../platform/call.ts';
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
  title: string;
  lists: PushLists;
  confirmUnknown: boolean;
  systemName: string;
  /** The push has ended: what the table shows may have changed. */
  onEnded: () => void;
}

/** Hands the records over; the work goes on whether or not this page stays open. */
export const startPush = async ({
  collection,
  title,
  lists,
  confirmUnknown,
  systemName,
  onEnded,
}: Pushing): Promise<void> => {
  const { changePushAction } = await call('push', {
    params: { collection },
    body: { ...lists, ...(confirmUnknown ? { confirmUnknown: true } : {}) },
    headers: { 'idempotency-key': crypto.randomUUID() },
  });
  void watch({ collection, title, systemName }, changePushAction).then(onEnded);
};

/** Until it ends; then says how it went and offers the list of what did not go. */
const watch = async (
  context: { collection: string; title: string; systemName: string },
  action: ChangePushAction,
): Promise<void> => {
  let now = action;
  while (now.status === 'QUEUED' || now.status === 'RUNNING') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      const reply = await call('getPush', {
        params: { collection: context.collection, pushId: action.internalId },
        query: { limit: 0 },
        isBackground: true,
      });
      now = reply.changePushAction;
    } catch (error) {
      // The notifications tell the end as well; this page just stops watching.
      console.error('push was not followed', error);
      return;
    }
  }
  tell(context, now);
};

const tell = (
  context: { collection: string; title: string; systemName: string },
  action: ChangePushAction,
): void => {
  const { succeeded, failed, unknown } = action;
  const show = {
    label: t('push.results'),
    run: () => {
      showResults(context, action.internalId).catch((error: unknown) => toast('error', errorText(error)));
    },
  };
  if (failed + unknown === 0) {
    toast('success', t('push.doneAll', { count: succeeded, system: context.systemName }));
    return;
  }
  const parts = [
    succeeded > 0
      ? t('push.donePart', { succeeded, failed })
      : failed > 0
        ? t('push.doneNone', { count: failed, system: context.systemName })
        : '',
    unknown > 0 ? t('push.doneUnknown', { count: unknown }) : '',
    action.message ?? '',
  ].filter(Boolean);
  toast(succeeded > 0 ? 'warning' : 'error', parts.join(', '), { action: show, ms: 15_000 });
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
