import type { ReadRecord } from '@sluice/adapter-kit';
import type { Value } from '@sluice/contract';
import { isSameValue } from '@sluice/mapping';
import type { CollectionModel } from '../cache/model.ts';
import type { PushItem } from './store.ts';

/**
 * Whether a record holds what an item was to write. A record with the same natural key may be somebody else's: only
 * its other values tell. Blanks around a text and its case are the external system's to change.
 */
export function holdsWritten(model: CollectionModel, item: PushItem, record: ReadRecord): boolean {
  return Object.entries(item.payload ?? {}).every(([path, written]) => {
    const isOurs = model.byPath.get(path)?.field.isReadOnly === false && path in record.values;
    return !isOurs || isSameValue(plain(written), plain(record.values[path] ?? null));
  });
}

function plain(value: Value): Value {
  if (typeof value === 'string') return value.trim().toLowerCase() || null;
  return Array.isArray(value) && value.length === 0 ? null : value;
}
