import type { ReadRecord } from '@sluice/adapter-kit';
import { isSameValue } from '@sluice/mapping';
import { text } from '../../platform/texts.ts';
import { callOptions, errorOf, publish, retrying, type Run, settle, target } from './run.ts';
import { settleConflicts, settleSuccesses, type Success } from './settle.ts';
import * as store from './store.ts';
import type { ItemError, PushItem } from './store.ts';

/** A write of it is refused where somebody has written the record meanwhile, or there is nothing to compare. */
export const isProtected = (run: Run, item: PushItem): boolean =>
  item.action === 'i' || (run.session.caps.concurrency === 'version' && item.version !== null);

/** Where no version protects an update, the live values are compared before the write (decisions Q-PUSH-05). */
export async function compareFirst(run: Run, items: readonly PushItem[]): Promise<PushItem[]> {
  const open = items.filter((item) => !isProtected(run, item));
  if (open.length === 0) return [...items];
  const compared = await compareLive(run, open);
  const kept = new Set(compared.map(({ seq }) => seq));
  const versions = new Map(compared.map((item) => [item.seq, item]));
  return items
    .filter((item) => isProtected(run, item) || kept.has(item.seq))
    .map((item) => versions.get(item.seq) ?? item);
}

/**
 * Reads the records live. Settles those that are gone, changed since the user saw them, or already as wanted;
 * answers the rest with their live version, fit to be written.
 */
async function compareLive(run: Run, items: readonly PushItem[]): Promise<PushItem[]> {
  const { now } = run.services;
  const keys = items.flatMap(({ key }) => (key === null ? [] : [key]));
  const live = await retrying(run, async () =>
    run.session.readByKeys({ ...callOptions(run), ...target(run), keys }),
  );
  const byKey = new Map(live.map((found) => [found.key, found]));
  const fit: PushItem[] = [];
  const done: Success[] = [];
  const conflicts: { item: PushItem; live: ReadRecord | null; errors: ItemError[] }[] = [];
  for (const item of items) {
    const found = byKey.get(item.key ?? '') ?? null;
    if (!found) {
      if (item.action === 'd') done.push({ item, key: item.key ?? '', live: null });
      else
        conflicts.push({ item, live: null, errors: [errorOf('NOT_FOUND', text('EN', 'push.gone'), null)] });
      continue;
    }
    const isWanted = (field: string): boolean =>
      isSameValue(found.values[field] ?? null, item.payload?.[field] ?? null);
    const moved = Object.entries(item.before ?? {}).filter(
      ([field, seen]) => !isSameValue(found.values[field] ?? null, seen) && !isWanted(field),
    );
    const isDone = item.action === 'u' && Object.keys(item.payload ?? {}).every(isWanted);
    if (isDone) done.push({ item, key: item.key ?? '', live: found });
    else if (moved.length > 0) {
      const fields = moved.map(([field]) => run.model.byPath.get(field)?.field.name ?? field).join(', ');
      const errors = moved.map(([field]) =>
        errorOf('CHANGED_IN_EXTERNAL_SYSTEM', text('EN', 'push.changedExternally', { fields }), field),
      );
      conflicts.push({ item, live: found, errors });
    } else fit.push({ ...item, version: found.version });
  }
  await settle(run, items.length - fit.length, async (tx) => {
    await settleSuccesses(tx, run.model, done, now());
    await settleConflicts(tx, run.model, conflicts, now());
    await store.markPlanned(tx, fit);
    publish(run, tx, [...done.map(({ item }) => item), ...conflicts.map(({ item }) => item)]);
  });
  return fit;
}
