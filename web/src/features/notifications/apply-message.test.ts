import type { Notification } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import { applyMessage, type NotificationMessage, type NotificationState } from './apply-message.ts';

const empty: NotificationState = { list: [], unread: 0 };
const notification = (id: string, changes: Partial<Notification> = {}): Notification => ({
  id,
  kind: 'pushFinished',
  title: 'Push to Customers',
  message: '',
  description: null,
  timestamp: '2026-11-20T10:00:00Z',
  class: 'info',
  isHidden: false,
  url: null,
  type: { kind: 'withProgressBar', total: 10, current: 0 },
  ...changes,
});
const told = (
  method: NotificationMessage['method'],
  data: NotificationMessage['data'],
  type: NotificationMessage['type'] = 'notification',
): NotificationMessage => ({ handler: 'notificationCentre', type, method, data });
const after = (...messages: NotificationMessage[]): NotificationState => messages.reduce(applyMessage, empty);

describe('messages of the notification centre', () => {
  it('[NOTIF-10] POST adds, PATCH replaces, DELETE takes from the stack', () => {
    const state = after(
      told('POST', notification('a')),
      told('POST', notification('b')),
      told('PATCH', notification('a', { class: 'success', title: 'Done' })),
      told('DELETE', { id: 'b' }),
    );
    expect(state.list).toMatchObject([
      { id: 'b', isHidden: true },
      { id: 'a', title: 'Done', class: 'success' },
    ]);
    expect(state.unread).toBe(2);
  });

  it('[NOTIF-13] what was deleted stays in the list', () => {
    const state = after(told('POST', notification('a')), told('DELETE', { id: 'a' }));
    expect(state.list.map(({ id }) => id)).toEqual(['a']);
  });

  it('[NOTIF-02] a progress update moves the bar of its parent and nothing else', () => {
    const state = after(
      told('POST', notification('a')),
      told('POST', notification('b')),
      told('PATCH', { parentMessageId: 'a', current: 7 }, 'progress'),
    );
    const bars = state.list.map(({ type }) => (type.kind === 'withProgressBar' ? type.current : null));
    expect(bars).toEqual([0, 7]);
  });

  it('an unknown one that is changed is added; of the oldest beyond 200 nothing is kept', () => {
    const many = Array.from({ length: 205 }, (_, i) => told('PATCH', notification(String(i))));
    const state = after(...many);
    expect(state.list).toHaveLength(200);
    expect(state.list[0]?.id).toBe('204');
  });
});
