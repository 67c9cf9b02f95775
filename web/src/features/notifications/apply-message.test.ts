import type { Notification } from '@sluice/contract';
import { describe, expect, it } from 'vitest';
import {
  applyMessage,
  clearAll,
  noNotifications,
  type NotificationMessage,
  type NotificationState,
  readAll,
  unreadIn,
} from './apply-message.ts';

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
const after = (...messages: NotificationMessage[]): NotificationState =>
  messages.reduce(applyMessage, noNotifications);

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
    expect(unreadIn(state)).toBe(2);
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

  it('what came since the panel was looked at is unread, also what did not pop up', () => {
    const looked = readAll(after(told('POST', notification('a', { isHidden: true }))));
    expect(unreadIn(looked)).toBe(0);
    const state = [
      told('POST', notification('b', { isHidden: true })),
      told('POST', notification('c')),
      // Sent again by the next socket.
      told('POST', notification('a', { isHidden: true })),
      told('PATCH', notification('c', { title: 'Done' })),
      told('DELETE', { id: 'c' }),
    ].reduce(applyMessage, looked);
    expect(unreadIn(state)).toBe(2);
  });

  it('what was cleared does not come back with the next socket; what is newer does', () => {
    const old = notification('a', { type: { kind: 'standard' } });
    const cleared = clearAll(after(told('POST', old)));
    const again = applyMessage(cleared, told('POST', { ...old, isHidden: true }));
    expect(again.list).toEqual([]);
    const newer = { timestamp: '2026-11-20T10:00:01Z', isHidden: true };
    expect(applyMessage(again, told('POST', notification('b', newer))).list).toHaveLength(1);
    // Told live, with the time at which its work began.
    expect(applyMessage(again, told('POST', { ...old, id: 'c' })).list).toHaveLength(1);
    // Cleared twice, the second time with nothing there.
    expect(applyMessage(clearAll(again), told('POST', { ...old, isHidden: true })).list).toEqual([]);
  });

  it('what was cleared while it went on is told again when it has ended', () => {
    const cleared = clearAll(after(told('POST', notification('a'))));
    expect(applyMessage(cleared, told('POST', notification('a'))).list).toEqual([]);
    const ended = notification('a', {
      isHidden: true,
      class: 'error',
      type: { kind: 'withProgressBar', total: 10, current: 10 },
    });
    expect(applyMessage(cleared, told('POST', ended)).list).toHaveLength(1);
    expect(applyMessage(cleared, told('PATCH', { ...ended, isHidden: false })).list).toHaveLength(1);
  });
});
