/**
 * What somebody had not finished when the session ended: kept in this browser for a day, for him alone, and handed
 * back to the same place after the next log-in.
 */
interface Saved {
  userId: string;
  at: number;
  parts: Readonly<Record<string, unknown>>;
}

const DAY_MS = 24 * 60 * 60_000;
/** A place that is built anew at once (in another language, say) gets its part again. */
const GIVEN_MS = 3000;
const STORE = 'work';
/** Set while something is kept: whoever has left nothing need not wait for the database to open. */
const KEPT_FLAG = 'sluice.workKept';

type Keeper = () => unknown;
const keepers = new Map<string, Keeper>();
const given = new Map<string, unknown>();
let onRestored: () => void = () => undefined;

export const tellRestored = (tell: () => void): void => {
  onRestored = tell;
};

/** While a place is open: what to save of it, undefined when there is nothing. Answers how to end it. */
export const keepWork = (key: string, save: Keeper): (() => void) => {
  keepers.set(key, save);
  return () => {
    if (keepers.get(key) === save) keepers.delete(key);
  };
};

/** What was saved of this place, once. */
export const takeWork = <T>(key: string): T | undefined => {
  if (!given.has(key)) return undefined;
  const part = given.get(key) as T;
  setTimeout(() => {
    if (given.get(key) === part) given.delete(key);
  }, GIVEN_MS);
  onRestored();
  return part;
};

const openDatabase = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open('sluice-work', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'userId' });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error ?? new Error('no IndexedDB'));
  });

const run = async <T>(work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
  const database = await openDatabase();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, 'readwrite');
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error ?? new Error('IndexedDB failed'));
    });
  } finally {
    database.close();
  }
};

/** The session is over: gathers at once, before the page goes away, and stores. */
export const saveWork = (userId: string): void => {
  const parts = Object.fromEntries(
    [...keepers].flatMap(([key, save]) => {
      const part = save();
      return part === undefined ? [] : [[key, part]];
    }),
  );
  if (Object.keys(parts).length === 0) return;
  const saved: Saved = { userId, at: Date.now(), parts };
  localStorage.setItem(KEPT_FLAG, '1');
  run((store) => store.put(saved)).catch((error: unknown) =>
    console.error('unfinished work was not saved', error),
  );
};

/** After log in, before anything is shown: what was saved for this user is there to be taken. */
export const loadWork = async (userId: string): Promise<void> => {
  given.clear();
  if (localStorage.getItem(KEPT_FLAG) === null) return;
  try {
    const saved = (await run((store) => store.get(userId))) as Saved | undefined;
    if (saved) await run((store) => store.delete(userId));
    if ((await run((store) => store.count())) === 0) localStorage.removeItem(KEPT_FLAG);
    if (!saved) return;
    if (Date.now() - saved.at > DAY_MS) return;
    for (const [key, part] of Object.entries(saved.parts)) given.set(key, part);
  } catch (error) {
    console.error('unfinished work was not read', error);
  }
};
