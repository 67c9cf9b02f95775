import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createStore, useStore } from '../platform/store.ts';
import { Icon, type IconName } from './icons.tsx';

export type ToastType = 'error' | 'warning' | 'info' | 'success' | 'default';

interface Toast {
  id: number;
  type: ToastType;
  message: string;
  action?: { label: string; run: () => void } | undefined;
  ms: number;
}

const ERROR_MS = 10_000;
const OTHER_MS = 6000;

const toasts = createStore<readonly Toast[]>([]);
let counter = 0;

/** A quick notification: errors stay for 10 s, others for 6 s; hovering keeps it. */
export const toast = (
  type: ToastType,
  message: string,
  options: { action?: Toast['action']; ms?: number } = {},
): void => {
  const ms = options.ms ?? (type === 'error' ? ERROR_MS : OTHER_MS);
  const next: Toast = { id: ++counter, type, message, ms, action: options.action };
  // The same words twice in a row are one notification.
  toasts.set((list) => [...list.filter((one) => one.message !== message), next].slice(-5));
};

const dismiss = (id: number): void => toasts.set((list) => list.filter((one) => one.id !== id));

const ICONS: Record<ToastType, IconName> = {
  error: 'danger',
  warning: 'warning',
  info: 'info',
  success: 'success',
  default: 'info',
};

const ToastCard = ({ item }: { item: Toast }) => {
  const { t } = useTranslation();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => dismiss(item.id), item.ms);
    return () => clearTimeout(timer);
  }, [isHeld, item]);
  return (
    <div
      className={`toast ${item.type}`}
      role={item.type === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
    >
      <Icon name={ICONS[item.type]} />
      <span>{item.message}</span>
      <button
        type="button"
        className="iconbtn"
        aria-label={t('common.close')}
        onClick={() => dismiss(item.id)}
      >
        <Icon name="close" size="s" />
      </button>
      {item.action ? (
        <span className="acts">
          <button
            type="button"
            className="link"
            onClick={() => {
              item.action?.run();
              dismiss(item.id);
            }}
          >
            {item.action.label}
          </button>
        </span>
      ) : null}
    </div>
  );
};

/** Quick notifications at the side; `children` are the cards of longer ones above them. */
export const Toasts = ({ children }: { children?: ReactNode }) => {
  const list = useStore(toasts);
  return (
    <div className="toasts">
      {children}
      {list.map((item) => (
        <ToastCard key={item.id} item={item} />
      ))}
    </div>
  );
};
