import type { Locale, Notification } from '@sluice/contract';
import { type Db, execute, row, rows, sql } from '../../platform/db.ts';
import type { Tx } from '../../platform/mutate.ts';
import { type StoredText, text } from '../../platform/texts.ts';

export type { StoredText };

export interface NewNotification {
  id: string;
  kind: Notification['kind'];
  class: Notification['class'];
  title: StoredText;
  message: StoredText;
  url: string | null;
  progress?: { total: number; current: number };
}

interface NotificationRow {
  notification_id: string;
  kind: Notification['kind'];
  user_id: number;
  created_at: string;
  title: StoredText;
  message: StoredText;
  class: Notification['class'];
  url: string | null;
  total: number | null;
  current: number | null;
  finished_at: string | null;
}

/** Adds a notification, or replaces the one with the same id. */
export async function sendNotification(tx: Tx, userId: number, notification: NewNotification): Promise<void> {
  const { progress } = notification;
  const isFinished = !progress || progress.current >= progress.total;
  const stored = await row<{ is_new: boolean }>(
    tx,
    sql`insert into notification (notification_id, kind, user_id, title, message, class, url, total, current, finished_at)
        values (${notification.id}, ${notification.kind}, ${userId}, ${JSON.stringify(notification.title)}, ${JSON.stringify(notification.message)},
          ${notification.class}, ${notification.url}, ${progress?.total ?? null}, ${progress?.current ?? null}, ${isFinished ? new Date() : null})
        on conflict (notification_id) do update set title = excluded.title, message = excluded.message, class = excluded.class,
          url = excluded.url, total = excluded.total, current = excluded.current, finished_at = excluded.finished_at
        returning xmax = 0 as is_new`,
  );
  tx.publish({
    topic: 'notification',
    userId,
    notificationId: notification.id,
    isNew: stored?.is_new ?? false,
  });
}

/** Moves a bar without sending the whole notification again; `total` null: as it was. */
export async function moveProgress(
  tx: Tx,
  userId: number,
  notificationId: string,
  { current, total }: { current: number; total: number | null },
): Promise<void> {
  await execute(
    tx,
    sql`update notification set current = ${current}, total = coalesce(${total}::int, total)
        where notification_id = ${notificationId}`,
  );
  tx.publish(
    total === null
      ? { topic: 'progress', userId, notificationId, current }
      : { topic: 'notification', userId, notificationId, isNew: false },
  );
}

/** A stored text in somebody's language. */
export const inWords = (locale: Locale, stored: StoredText | null): string | null =>
  stored && text(locale, stored.key, stored.params);

function notificationOf(stored: NotificationRow, locale: Locale): Notification {
  return {
    id: stored.notification_id,
    kind: stored.kind,
    title: text(locale, stored.title.key, stored.title.params),
    message: text(locale, stored.message.key, stored.message.params),
    description: null,
    timestamp: stored.created_at,
    class: stored.class,
    isHidden: false,
    url: stored.url,
    type:
      stored.total === null
        ? { kind: 'standard' }
        : { kind: 'withProgressBar', total: stored.total, current: stored.current ?? 0 },
  };
}

export async function findNotification(db: Db, id: string, locale: Locale): Promise<Notification | null> {
  const stored = await row<NotificationRow>(
    db,
    sql`select * from notification where notification_id = ${id}`,
  );
  return stored ? notificationOf(stored, locale) : null;
}

/** What a socket gets when it opens: running progress and what was missed in the last day (decisions Q-NOTIF-01). */
export async function recentNotifications(db: Db, userId: number, locale: Locale): Promise<Notification[]> {
  const found = await rows<NotificationRow>(
    db,
    sql`select * from notification where user_id = ${userId} and (finished_at is null or created_at > now() - interval '24 hours')
        order by created_at desc limit 200`,
  );
  return found.reverse().map((stored) => notificationOf(stored, locale));
}
