import type { Notification } from '@sluice/contract';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numeral } from '../../platform/i18n/i18n.ts';
import { live } from '../../platform/live.ts';
import { useStore } from '../../platform/store.ts';
import { ago } from '../../platform/time.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useOverlay } from '../../ui/overlays.ts';
import { unreadIn } from './apply-message.ts';
import { LOOKS, ProgressLine } from './card-parts.tsx';
import { clearNotifications, markRead, notifications } from './store.ts';

const RELATIVE_TIME_MS = 60_000;
const Card = ({ item, onOpen }: { item: Notification; onOpen: (url: string) => void }) => {
  const { t } = useTranslation();
  const { className, icon } = LOOKS[item.class];
  const { url, type } = item;
  return (
    <li className={`nc ${className}`}>
      <Icon name={icon} />
      <h3>{item.title}</h3>
      <span className="time">{ago(item.timestamp)}</span>
      <p>{[item.message, item.description].filter(Boolean).join(' ')}</p>
      {type.kind === 'withProgressBar' ? <ProgressLine current={type.current} total={type.total} /> : null}
      {url ? (
        <div className="ln2">
          <button type="button" className="link" onClick={() => onOpen(url)}>
            {t(item.kind === 'pushFinished' ? 'push.results' : 'notifications.open')}
          </button>
        </div>
      ) : null}
    </li>
  );
};

type Tab = 'all' | 'problems' | 'logs';
const TABS: readonly Tab[] = ['all', 'problems', 'logs'];
const isProblem = (item: Notification): boolean => item.class === 'error' || item.class === 'warning';
const inTab = (tab: Tab, item: Notification): boolean =>
  tab === 'all' || (tab === 'problems') === isProblem(item);

const Panel = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { list } = useStore(notifications);
  const status = useStore(live.status);
  const [tab, setTab] = useState<Tab>('all');
  const [, tick] = useState(0);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), RELATIVE_TIME_MS);
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') onClose();
    };
    const handleDown = (event: PointerEvent): void => {
      const { target } = event;
      const isBell = target instanceof Element && target.closest('[data-bell]');
      if (!isBell && target instanceof Node && !panel.current?.contains(target)) onClose();
    };
    window.addEventListener('keydown', handleKey);
    window.addEventListener('pointerdown', handleDown);
    panel.current?.focus();
    return () => {
      clearInterval(timer);
      window.removeEventListener('keydown', handleKey);
      window.removeEventListener('pointerdown', handleDown);
    };
  }, [onClose]);
  const shown = list.filter((item) => inTab(tab, item));
  return (
    <aside className="panel panel-over" ref={panel} tabIndex={-1} aria-label={t('notifications.title')}>
      <div className="ph2">
        <h2>{t('notifications.title')}</h2>
        <span className="sp" />
        <button type="button" className="btn ghost" onClick={clearNotifications} disabled={list.length === 0}>
          {t('notifications.clearAll')}
        </button>
        <button type="button" className="iconbtn" aria-label={t('common.close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div className="tabs" role="tablist">
        {TABS.map((id) => {
          const count = list.filter((item) => inTab(id, item)).length;
          return (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={tab === id}
              className={`${tab === id ? 'on' : ''} ${id === 'problems' && count > 0 ? 'err' : ''}`}
              onClick={() => setTab(id)}
            >
              {t(`notifications.${id}`)}
              <span className="n">{numeral(count)}</span>
            </button>
          );
        })}
      </div>
      {status === 'lost' ? (
        <p className="note-line warn" style={{ margin: 8 }}>
          <Icon name="warning" />
          {t('notifications.paused')}
        </p>
      ) : null}
      {shown.length === 0 ? (
        <EmptyState icon="bell" title={t('notifications.empty')} />
      ) : (
        <ul style={{ overflow: 'auto', minHeight: 0 }}>
          {shown.map((item) => (
            <Card
              key={item.id}
              item={item}
              onOpen={(url) => {
                onClose();
                void navigate({ href: url });
              }}
            />
          ))}
        </ul>
      )}
    </aside>
  );
};

export const NotificationBell = () => {
  const { t } = useTranslation();
  const unread = unreadIn(useStore(notifications));
  const [isOpen, setOpen] = useState(false);
  useOverlay('weak', isOpen, () => setOpen(false));
  const [close] = useState(() => () => {
    setOpen(false);
    markRead();
  });
  return (
    <>
      <button
        type="button"
        data-bell
        className={`icon ${isOpen ? 'open' : ''}`}
        aria-expanded={isOpen}
        data-hint="notifications"
        aria-label={unread > 0 ? t('nav.notificationsUnread', { count: unread }) : t('nav.notifications')}
        onClick={() => {
          markRead();
          setOpen((is) => !is);
        }}
      >
        <Icon name="bell" />
        {unread > 0 ? <span className="count">{unread > 99 ? '99+' : unread}</span> : null}
      </button>
      {isOpen ? <Panel onClose={close} /> : null}
    </>
  );
};
