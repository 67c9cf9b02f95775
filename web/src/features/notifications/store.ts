import type { Notification, ServerMessage } from '@sluice/contract';
import { live } from '../../platform/live.ts';
import { createStore } from '../../platform/store.ts';
import { currentUser } from '../../platform/session.ts';

const KEPT = 200;
const STORAGE_KEY = 'sluice.notifications';

export interface NotificationState {
  list: readonly Notification[];
  unread: number;
}

const stored = (): readonly Notification[] => {
  try {
    const parsed: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
    // What was on screen before the page was loaded anew stays in the panel.
    return Array.isArray(parsed)
      ? (parsed as Notification[]).map((item) => ({ ...item, isHidden: true }))
      : [];
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

/** Takes a card off the stack; the panel keeps it until it is cleared (NOTIF-13). */
export const hideNotification = (id: string): void =>
  notifications.set((state) => ({
    ...state,
    list: state.list.map((item) => (item.id === id ? { ...item, isHidden: true } : item)),
  }));

/** As the user's settings have it: null = not at all. What went wrong with one's own push is always there. */
const asWished = (message: Message): Message | null => {
  const { data } = message;
  if (!('title' in data)) return message;
  const wish = currentUser()?.userPreferences.options.notifications[data.kind] ?? 'show';
  const isOwnFailure = data.kind === 'push' && (data.class === 'error' || data.class === 'warning');
  if (wish === 'off' && !isOwnFailure) return null;
  return wish === 'show' ? message : { ...message, data: { ...data, isHidden: true } };
};

/** Listens from the start: the first messages come as soon as the socket opens. */
export const listenForNotifications = (): void => {
  live.register('notificationCentre', (message) => {
    const wished = asWished(message);
    if (wished) notifications.set((state) => applyMessage(state, wished));
  });
};
