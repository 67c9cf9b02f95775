import type { Notification, ServerMessage } from '@sluice/contract';

const KEPT = 200;

export interface NotificationState {
  /** The newest first. */
  list: readonly Notification[];
  /** Ids of those that were there when the panel was last looked at. */
  read: readonly string[];
  /** What was there at the last Clear all: the time of the newest, and the ids of those that had not ended. */
  cleared: { at: string; running: readonly string[] } | null;
}

export const noNotifications: NotificationState = { list: [], read: [], cleared: null };

export type NotificationMessage = Extract<ServerMessage, { handler: 'notificationCentre' }>;

const withProgress = (item: Notification, current: number): Notification =>
  item.type.kind === 'withProgressBar' ? { ...item, type: { ...item.type, current } } : item;

const isFull = (item: Notification): boolean => 'title' in item;

const isRunning = ({ type }: Notification): boolean =>
  type.kind === 'withProgressBar' && type.current < type.total;

/**
 * Each opening of the socket brings all of the last day: what was cleared stays away, unless it has ended since. What
 * is told live for the first time is neither hidden nor running.
 */
const wasCleared = ({ cleared }: NotificationState, item: Notification): boolean => {
  if (!cleared || Date.parse(item.timestamp) > Date.parse(cleared.at)) return false;
  if (isRunning(item)) return true;
  return item.isHidden && !cleared.running.includes(item.id);
};

/** POST adds, PATCH replaces, DELETE hides; progress sets a bar. */
export const applyMessage = (state: NotificationState, message: NotificationMessage): NotificationState => {
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
  if (!isKnown && method === 'POST' && wasCleared(state, item)) return state;
  return {
    ...state,
    list: isKnown
      ? state.list.map((one) => (one.id === item.id ? item : one))
      : [item, ...state.list].slice(0, KEPT),
  };
};

/** The panel is looked at. */
export const readAll = (state: NotificationState): NotificationState => ({
  ...state,
  read: state.list.map(({ id }) => id),
});

/** Clear all: by the server's own times, so that a wrong clock here does no harm. */
export const clearAll = (state: NotificationState): NotificationState => {
  const times = state.list.map(({ timestamp }) => timestamp);
  const at = [...times, ...(state.cleared ? [state.cleared.at] : [])].reduce<string | null>(
    (newest, time) => (newest === null || Date.parse(time) > Date.parse(newest) ? time : newest),
    null,
  );
  if (at === null) return state;
  const running = [
    ...state.list.filter((item) => isRunning(item)).map(({ id }) => id),
    ...(state.cleared?.running ?? []),
  ];
  return { list: [], read: [], cleared: { at, running: running.slice(0, KEPT) } };
};

/** How many came since the panel was last looked at, on the stack or not (decisions Q-NOTIF-02). */
export const unreadIn = ({ list, read }: NotificationState): number => {
  const known = new Set(read);
  return list.filter(({ id }) => !known.has(id)).length;
};
