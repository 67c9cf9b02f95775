import { fail } from '../errors.ts';
import type { EntitySet } from '../model/types.ts';
import type { Store } from '../store.ts';
import { keyPath } from './keys.ts';
import { present, type Shape } from './payload.ts';

/** Changed and removed records since a delta token, and the link to go on. */
export function readChanges(
  store: Store,
  set: EntitySet,
  scope: number,
  token: string,
  pageSize: number,
  shape: Shape,
) {
  const parts = /^(\d+)-(\d+)$/.exec(token);
  if (!parts || Number(parts[1]) !== shape.epoch) throw fail(410, 'DELTA-GONE');
  const now = store.seq;
  const changes = store.changes(set, scope, Number(parts[2]), pageSize + 1);
  const page = changes.slice(0, pageSize);
  const address = (seq: number): string => `${shape.service}${set.name}?$deltatoken=${shape.epoch}-${seq}`;
  const last = page.at(-1);
  return {
    values: page.map(({ entity, seq, key }) =>
      entity
        ? present(set, { entity, seq }, shape)
        : {
            '@removed': { reason: 'deleted' },
            '@odata.id': shape.service + keyPath(set, key),
            '@id': keyPath(set, key),
          },
    ),
    link:
      changes.length > pageSize && last
        ? { '@odata.nextLink': address(last.seq) }
        : { '@odata.deltaLink': address(now) },
  };
}
