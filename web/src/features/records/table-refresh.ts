import type { CacheState } from '@sluice/contract';
import { call } from '../../platform/call.ts';
import type { TableSession } from './table-session.ts';

const LOOK_MS = 1000;

/** Reading a table anew from its external system, and what such readings bring: by this user or by themselves. */
export class TableRefresh {
  private readonly table: TableSession;
  private timer = 0;
  /** This table's user asked for the refresh that is running. */
  private hasAsked = false;

  constructor(table: TableSession) {
    this.table = table;
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  /** Asks for it; the title tells how far it is. */
  async ask(): Promise<void> {
    const { state, collection } = this.table;
    state.set((before) => ({ ...before, isRefreshing: true }));
    this.hasAsked = true;
    this.showNew();
    try {
      this.note(await call('refreshCache', { params: { collection } }));
    } catch (error) {
      this.hasAsked = false;
      state.set((before) => ({ ...before, isRefreshing: false }));
      throw error;
    }
  }

  /** A refresh has ended, which found so many records for the first time. */
  heard(cachedAt: string, newRecords: number): void {
    this.table.state.set((before) => ({
      ...before,
      cachedAt,
      isRefreshing: false,
      cache: null,
      newRecords: before.newRecords + newRecords,
    }));
    // Whoever asked for the refresh wants to see what it brought; nobody else's rows move by themselves.
    if (this.hasAsked) this.showNew();
    this.hasAsked = false;
  }

  /** Takes new records into the table, each at its place in the order. */
  showNew(): void {
    const { state, grid } = this.table;
    if (state.get().newRecords === 0) return;
    state.set((before) => ({ ...before, newRecords: 0 }));
    grid.store.renew();
  }

  private note(cache: CacheState): void {
    const { state, grid, collection } = this.table;
    const isRunning = cache.state === 'loading';
    const before = state.get().cachedAt;
    state.set((now) => ({
      ...now,
      cache,
      isRefreshing: isRunning,
      cachedAt: cache.cachedAt ?? now.cachedAt,
    }));
    if (isRunning) {
      this.timer = window.setTimeout(() => {
        call('getCacheState', { params: { collection }, isBackground: true })
          .then((next) => this.note(next))
          .catch(() => state.set((now) => ({ ...now, isRefreshing: false })));
      }, LOOK_MS);
    } else if (cache.cachedAt !== before) grid.store.markStale();
  }
}
