import type { GridStore } from './store.ts';

/** Resolves when the store is as wanted; rejects with what could not be read, or why nobody waits any more. */
export const waitForStore = (
  store: GridStore,
  isAsWanted: (store: GridStore) => boolean,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      if (isAsWanted(store)) resolve();
      else if (store.error !== null || signal?.aborted) reject(store.error ?? signal?.reason);
      else return;
      leave();
      signal?.removeEventListener('abort', look);
    };
    const leave = store.subscribe(look);
    signal?.addEventListener('abort', look);
    look();
  });
