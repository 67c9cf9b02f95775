import { live } from '../../platform/live.ts';
import { createStore } from '../../platform/store.ts';
import {
  applyMessage,
  clearAll,
  noNotifications,
  type NotificationMessage,
  type NotificationState,
  readAll,
} from './apply-message.ts';
import { currentUser } from '../../platform/session.ts';

const STORAGE_KEY = 'sluice.notifications';

const stored = (): NotificationState => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<NotificationState>;
    const { list, read, cleared } = { ...noNotifications, ...kept };
    // What was on screen before the page was loaded anew stays in the panel.
    return { list: list.map((item) => ({ ...item, isHidden: true })), read, cleared };
  } catch {
    return noNotifications;
  }
};

export const notifications = createStore<NotificationState>(stored());
notifications.subscribe(() => {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(notifications.get()));
});

const OWNER_KEY = 'sluice.notifications-of';

/** Another user of the same tab begins with an empty panel: what the one before was told is not his to read. */
export const openNotificationsOf = (userId: string): void => {
  if (sessionStorage.getItem(OWNER_KEY) === userId) return;
  sessionStorage.setItem(OWNER_KEY, userId);
  notifications.set(noNotifications);
};

export const clearNotifications = (): void => notifications.set(clearAll);
export const markRead = (): void => notifications.set(readAll);

/** Takes a card off the stack; the panel keeps it until it is cleared (NOTIF-13). */
export const hideNotification = (id: string): void =>
  notifications.set((state) => ({
    ...state,
    list: state.list.map((item) => (item.id === id ? { ...item, isHidden: true } : item)),
  }));

/** As the user's settings have it: null = not at all. What went wrong with one's own push is always there. */
const asWished = (message: NotificationMessage): NotificationMessage | null => {
  const { data } = message;
  if (!('title' in data)) return message;
  const wish = currentUser()?.userPreferences.options.notifications[data.kind] ?? 'show';
  const isOwnFailure = data.kind === 'pushFinished' && (data.class === 'error' || data.class === 'warning');
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
