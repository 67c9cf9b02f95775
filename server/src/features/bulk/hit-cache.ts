import type { Bus } from '../../platform/bus.ts';
import type { Pool } from '../../platform/db.ts';
import type { CollectionModel } from '../cache/model.ts';
import type { Snapshot } from '../records/views.ts';
import { type Hits, masksOf, patchHits, scanHits } from './hits.ts';
import type { Matcher } from '../records/matching.ts';

/** What is searched where. The same key is the same search of the same snapshot. */
export interface Search {
  key: string;
  model: CollectionModel;
  matcher: Matcher;
  snapshot: Snapshot;
}

export interface HitCache {
  /** True when the hits are known, but for a few rows that were edited since. */
  has(search: Search): boolean;
  /** The hits as the table is now. */
  load(search: Search): Promise<Hits>;
  /** This row is not as the hits say: they are mended at the next `load`. */
  doubt(search: Search, rid: number): void;
}

interface Entry {
  collectionId: number;
  hits: Promise<Hits>;
  isLoaded: boolean;
  bytes: number;
  /** Rows that were edited since the scan began. */
  dirty: Set<number>;
}

/** More edited rows than this are looked up no faster than by a scan. */
const maxDirty = 2000;
/** Scans of big tables take all that the database has: who types a word letter by letter must not stop the others. */
const maxScans = 2;

/**
 * Hits of the last searches, within a limit of memory, the least recently used go first. What anybody edits comes over
 * the live bus with its row ids: only those rows are looked at again. A refresh, or an edit of very many rows, ends
 * the hits of that table.
 */
export function createHitCache(pool: Pool, bus: Bus, maxBytes = 128 * 2 ** 20): HitCache {
  const kept = new Map<string, Entry>();
  const inTurn = createTurns(maxScans);

  bus.onGap(() => kept.clear());
  bus.subscribe((event) => {
    if (event.topic !== 'collection') return;
    for (const [key, entry] of kept) {
      if (entry.collectionId !== event.collectionId) continue;
      for (const rid of [...event.rids, ...event.removed]) entry.dirty.add(rid);
      const isOver = event.isReloadNeeded || event.refreshedAt !== null || entry.dirty.size > maxDirty;
      if (isOver) kept.delete(key);
    }
  });

  const trim = (): void => {
    let bytes = [...kept.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of kept) {
      if (bytes <= maxBytes) break;
      kept.delete(key);
      bytes -= entry.bytes;
    }
  };

  const track = (key: string, entry: Entry, work: Promise<Hits>): Promise<Hits> => {
    entry.hits = work.then(
      (hits) => {
        entry.isLoaded = true;
        entry.bytes = hits.positions.byteLength + hits.masks.byteLength + hits.before.byteLength;
        trim();
        return hits;
      },
      (error: unknown) => {
        if (kept.get(key) === entry) kept.delete(key);
        throw error;
      },
    );
    return entry.hits;
  };

  const begin = ({ key, model, matcher, snapshot }: Search): Entry => {
    // In place before the scan begins: what is edited meanwhile is looked at again.
    const entry: Entry = {
      collectionId: model.collectionId,
      hits: new Promise<Hits>(() => undefined),
      isLoaded: false,
      bytes: 0,
      dirty: new Set(),
    };
    kept.set(key, entry);
    const scan = inTurn(async () => await scanHits(pool, model, matcher, snapshot));
    void track(key, entry, scan).catch(() => undefined);
    return entry;
  };

  return {
    has: ({ key }) => kept.get(key)?.isLoaded ?? false,
    doubt: ({ key }, rid) => kept.get(key)?.dirty.add(rid),
    load: async (search) => {
      const { key, model, matcher, snapshot } = search;
      const entry = kept.get(key) ?? begin(search);
      if (kept.has(key)) {
        kept.delete(key);
        kept.set(key, entry);
      }
      const hits = await entry.hits;
      if (entry.dirty.size === 0) return hits;
      const rids = entry.dirty;
      entry.dirty = new Set();
      return await track(
        key,
        entry,
        masksOf(pool, model, matcher, [...rids]).then((masks) => patchHits(hits, snapshot, rids, masks)),
      );
    },
  };
}

/** Runs at most so many at once; of those that wait, the one that came last is the one that is still wanted. */
function createTurns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.pop();
      // The turn passes on: nobody can come between.
      if (next) next();
      else running -= 1;
    }
  };
}
