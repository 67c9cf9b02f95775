import type { Notification, ServerMessage } from '@sluice/contract';

const KEPT = 200;

export interface NotificationState {
  /** The newest first. */
  list: readonly Notification[];
  unread: number;
}

export type NotificationMessage = Extract<ServerMessage, { handler: 'notificationCentre' }>;

const withProgress = (item: Notification, current: number): Notification =>
  item.type.kind === 'withProgressBar' ? { ...item, type: { ...item.type, current } } : item;

const isFull = (item: Notification): boolean => 'title' in item;

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
  return {
    list: isKnown
      ? state.list.map((one) => (one.id === item.id ? item : one))
      : [item, ...state.list].slice(0, KEPT),
    unread: isKnown || item.isHidden ? state.unread : state.unread + 1,
  };
};
