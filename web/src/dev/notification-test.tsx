import type { Notification } from '@sluice/contract';
import { notifications } from '../features/notifications/store.ts';
import { newId } from '../platform/ids.ts';
import { toast, type ToastType } from '../ui/toasts.tsx';

const TYPES: readonly ToastType[] = ['default', 'info', 'success', 'warning', 'error'];
const CLASSES: readonly Notification['class'][] = ['info', 'success', 'warning', 'error'];

const show = (notificationClass: Notification['class'], current: number | null): void =>
  notifications.set((state) => ({
    ...state,
    list: [
      {
        id: newId(),
        kind: 'pushFinished',
        title: `A notification of class ${notificationClass}`,
        message: 'It has a message of a length that people meet.',
        description: null,
        timestamp: new Date().toISOString(),
        class: notificationClass,
        isHidden: false,
        url: '/dashboard',
        type: current === null ? { kind: 'standard' } : { kind: 'withProgressBar', total: 100, current },
      },
      ...state.list,
    ],
  }));

/** Every look of notifications, to be tried by who develops them; not in what is built for people (NOTIF-20). */
export const NotificationTest = () => (
  <details className="note-line" style={{ position: 'fixed', right: 8, bottom: 8, zIndex: 500 }}>
    <summary>Notification test panel</summary>
    {TYPES.map((type) => (
      <button key={type} type="button" className="btn" onClick={() => toast(type, `A quick ${type} message`)}>
        {type}
      </button>
    ))}
    {CLASSES.map((name) => (
      <button
        key={name}
        type="button"
        className="btn"
        onClick={() => show(name, name === 'info' ? 40 : null)}
      >
        {name}
      </button>
    ))}
  </details>
);
