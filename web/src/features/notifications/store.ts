import type { Notification, ServerMessage } from '@sluice/contract';
import { live } from '../../platform/live.ts';
import { currentUser } from '../../platform/session.ts';
import { createStore } from '../../platform/store.ts';
import { toast } from '../../ui/toasts.tsx';

const KEPT = 200;
const STORAGE_KEY = 'sluice.notifications';

export interface NotificationState {
  list: readonly Notification[];
  unread: number;
}

const stored = (): readonly Notification[] => {
  try {
    const parsed: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(parsed) ? (parsed as Notification[]) : [];
  } catch {
    return [];
  }
};

export const notifications = createStore<NotificationState>({ list: stored(), unread: 0 });
notifications.subscribe(() => {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(notifications.get().list));
});

type Message = Extract<ServerMessage, { handler: 'notificationCentre' }>;

const withProgress = (item: Notification, current: number): Notification =>
  item.type.kind === 'withProgressBar' ? { ...item, type: { ...item.type, current } } : item;

const isFull = (item: Notification): boolean => 'title' in item;

/** POST adds, PATCH replaces, DELETE hides; progress sets a bar. */
const applyMessage = (state: NotificationState, message: Message): NotificationState => {
  const { data, method } = message;
  if ('parentMessageId' in data) {
    const { parentMessageId, current } = data;
    return {
      ...state,
      list: state.list.map((item) => (item.id === parentMessageId ? withProgress(item, current) : item)),
    };
  }
  if (method === 'DELETE') {
    return {
      ...state,
      list: state.list.map((item) => (item.id === data.id ? { ...item, isHidden: true } : item)),
    };
  }
  const item = data as Notification;
  if (!isFull(item)) return state;
  const isKnown = state.list.some((one) => one.id === item.id);
  return {
    list: isKnown
      ? state.list.map((one) => (one.id === item.id ? item : one))
      : [item, ...state.list].slice(0, KEPT),
    unread: isKnown || item.isHidden ? state.unread : state.unread + 1,
  };
};

export const clearNotifications = (): void => notifications.set({ list: [], unread: 0 });
export const markRead = (): void => notifications.set((state) => ({ ...state, unread: 0 }));

const TOAST_TYPES = { info: 'info', error: 'error', warning: 'warning', success: 'success' } as const;

/** How the user wants to be told; errors of his own pushes always show (decisions Q-NOTIF-03). */
const choiceFor = ({ about, class: kind }: Notification): 'show' | 'panel' | 'off' => {
  if (!about || (about === 'pushFinished' && kind === 'error')) return 'show';
  return currentUser()?.userPreferences.options.notifications[about] ?? 'show';
};

/** Listens from the start: the first messages come as soon as the socket opens. */
export const listenForNotifications = (): void => {
  live.register('dashboard', () => undefined);
  live.register('notificationCentre', (message) => {
    const { data } = message;
    // The server sends a new one as POST when the socket opens and as PATCH while it is open.
    const isNew = 'title' in data && !notifications.get().list.some((one) => one.id === data.id);
    const choice = 'title' in data ? choiceFor(data) : 'show';
    if (isNew && choice === 'off') return;
    notifications.set((state) => applyMessage(state, message));
    if (isNew && choice === 'show' && !data.isHidden && data.type.kind === 'standard') {
      toast(TOAST_TYPES[data.class], data.message ? `${data.title}: ${data.message}` : data.title);
    }
  });
};
