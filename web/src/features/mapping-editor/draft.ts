import type { Action, Mapping, SourceUpdateConfigs, Trigger } from '@sluice/contract';
import { createStore, type Store } from '../../platform/store.ts';

/** What the editor edits of an action. */
export interface Content {
  mappings: readonly Mapping[];
  triggers: readonly Trigger[];
  sourceUpdateConfigs: SourceUpdateConfigs;
}

export const contentOf = ({ mappings, triggers, sourceUpdateConfigs }: Action): Content => ({
  mappings,
  triggers,
  sourceUpdateConfigs,
});

interface Steps {
  past: readonly Content[];
  now: Content;
  future: readonly Content[];
  /** Edits of one and the same thing in a row are one step: a word typed is undone at once. */
  lastEdit: { name: string; at: number } | null;
}

const SAME_EDIT_MS = 1500;
const MOST_STEPS = 200;

export interface Draft {
  store: Store<Steps>;
  get: () => Content;
  /** `name` says what is edited; null = a step of its own. */
  change: (edit: (content: Content) => Content, name?: string | null, at?: number) => void;
  undo: () => boolean;
  redo: () => boolean;
  /** Begins anew with what the server has. */
  reset: (content: Content) => void;
}

export const createDraft = (content: Content): Draft => {
  const fresh = (now: Content): Steps => ({ past: [], now, future: [], lastEdit: null });
  const store = createStore<Steps>(fresh(content));
  return {
    store,
    get: () => store.get().now,
    change: (edit, name = null, at = Date.now()) =>
      store.set((before) => {
        const now = edit(before.now);
        if (now === before.now) return before;
        const isSame =
          name !== null &&
          before.lastEdit?.name === name &&
          at - before.lastEdit.at < SAME_EDIT_MS &&
          before.past.length > 0;
        return {
          past: isSame ? before.past : [...before.past.slice(1 - MOST_STEPS), before.now],
          now,
          future: [],
          lastEdit: name === null ? null : { name, at },
        };
      }),
    undo: () => {
      const { past, now, future } = store.get();
      const before = past.at(-1);
      if (!before) return false;
      store.set({ past: past.slice(0, -1), now: before, future: [now, ...future], lastEdit: null });
      return true;
    },
    redo: () => {
      const { past, now, future } = store.get();
      const [next, ...rest] = future;
      if (!next) return false;
      store.set({ past: [...past, now], now: next, future: rest, lastEdit: null });
      return true;
    },
    reset: (next) => store.set(fresh(next)),
  };
};

/** JSON with the keys in one order: what was stored comes back in another. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Are they the same for the server? */
export const isSame = (a: unknown, b: unknown): boolean => a === b || plain(a) === plain(b);
