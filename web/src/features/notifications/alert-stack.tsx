import type { Notification } from '@sluice/contract';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from '../../platform/store.ts';
import { Icon } from '../../ui/icons.tsx';
import { LOOKS, ProgressLine } from './card-parts.tsx';
import { hideNotification, notifications } from './store.ts';

const SHOWN_MS = 6000;
/** Of one whose bar is full. */
const COMPLETE_MS = 4000;
const MOST = 5;

/** A bar that is full needs no more looking at. */
const isComplete = ({ type }: Notification): boolean =>
  type.kind === 'withProgressBar' && type.current >= type.total;

const AlertCard = ({ item, onOpen }: { item: Notification; onOpen: (url: string) => void }) => {
  const { t } = useTranslation();
  const [isHeld, setHeld] = useState(false);
  const { icon, toast } = LOOKS[item.class];
  const { type, url } = item;
  const isFull = isComplete(item);
  useEffect(() => {
    if (isHeld) return undefined;
    // Whatever it says anew gives it its time again.
    const timer = setTimeout(() => hideNotification(item.id), isFull ? COMPLETE_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, item, isFull]);
  return (
    <div
      className={`toast alert-card ${toast}`}
      role={item.class === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
    >
      <Icon name={icon} />
      <span>
        <strong>{item.title}</strong> {[item.message, item.description].filter(Boolean).join(' ')}
      </span>
      <button
        type="button"
        className="iconbtn"
        aria-label={t('common.close')}
        onClick={() => hideNotification(item.id)}
      >
        <Icon name="close" size="s" />
      </button>
      {type.kind === 'withProgressBar' && !isFull ? (
        <ProgressLine current={type.current} total={type.total} />
      ) : null}
      {url && (type.kind === 'standard' || isFull) ? (
        <span className="acts">
          <button
            type="button"
            className="link"
            onClick={() => {
              hideNotification(item.id);
              onOpen(url);
            }}
          >
            {t(item.kind === 'pushFinished' ? 'push.results' : 'notifications.open')}
          </button>
        </span>
      ) : null}
    </div>
  );
};

interface AlertStackProps {
  /** What a card leads to is on screen already: it waits until that is put away, and has nothing to say at its end. */
  isShown: (url: string) => boolean;
  onOpen: (url: string) => void;
}

/** Notifications that have just come, the newest at the bottom. */
export const AlertStack = ({ isShown, onOpen }: AlertStackProps) => {
  const { list } = useStore(notifications);
  const open = list.filter(({ isHidden }) => !isHidden);
  const isTold = ({ url }: Notification): boolean => url !== null && isShown(url);
  const told = open.find((item) => isTold(item) && isComplete(item))?.id;
  useEffect(() => {
    if (told !== undefined) hideNotification(told);
  }, [told]);
  const shown = open.filter((item) => !isTold(item)).slice(0, MOST);
  return shown.toReversed().map((item) => <AlertCard key={item.id} item={item} onOpen={onOpen} />);
};
