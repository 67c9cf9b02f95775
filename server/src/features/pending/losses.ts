import { randomUUID } from 'node:crypto';
import type { UserActor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/mutate.ts';
import { sendNotification } from '../notifications/service.ts';
import type { CollectionContext } from '../records/context.ts';
import { titlesOf } from '../systems/catalogue.ts';
import type { LockedRow } from './apply.ts';

/** Whose changes are in an operation, besides the actor's. */
export function othersOf(row: LockedRow, actor: UserActor): number[] {
  const authors = new Set(Object.values(row.cells).map((cell) => cell.a));
  if (row.author !== null && (authors.size === 0 || row.action !== 'u')) authors.add(row.author);
  return [...authors].filter((author) => author !== actor.userId);
}

/** Tells the other authors that operations of theirs were dropped (decisions Q-PEND-12). */
export async function tellLosers(
  tx: Tx,
  context: CollectionContext,
  actor: UserActor,
  dropped: readonly LockedRow[],
): Promise<void> {
  const losses = new Map<number, number>();
  for (const row of dropped)
    for (const author of othersOf(row, actor)) losses.set(author, (losses.get(author) ?? 0) + 1);
  for (const [userId, count] of losses) {
    await sendNotification(tx, userId, {
      id: randomUUID(),
      kind: 'pendingChangedByOthers',
      class: 'warning',
      title: { key: 'discard.notification.title' },
      message: {
        key: 'discard.notification.message',
        params: { user: actor.fullName, count, table: titlesOf(context.address.resourceType) },
      },
      url: null,
    });
  }
}
