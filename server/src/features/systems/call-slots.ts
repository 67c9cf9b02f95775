import type { CallClass, Session } from '@sluice/adapter-kit';

/** A call that takes longer no longer counts: one that hangs must not keep a domain's other tables waiting. */
const HELD_MS = 10_000;

interface Waiting {
  callClass: CallClass;
  begin: () => void;
}

class Slots {
  /** Below zero while more people ask at a time than the system takes. */
  #free: number;
  #waiting: Waiting[] = [];
  readonly #heldMs: number;

  constructor(count: number, heldMs: number) {
    this.#free = count;
    this.#heldMs = heldMs;
  }

  async #take(callClass: CallClass, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    // People do not wait: theirs are single calls.
    if (this.#free > 0 || callClass === 'interactive') {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = {
        callClass,
        begin: () => {
          signal.removeEventListener('abort', stop);
          resolve();
        },
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** A slot that comes free goes to who waits, so that nobody who comes meanwhile gets before: pushes, then others. */
  #give(): void {
    this.#free += 1;
    const next = this.#waiting.find(({ callClass }) => callClass === 'push') ?? this.#waiting[0];
    if (!next || this.#free < 1) return;
    this.#free -= 1;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    next.begin();
  }

  async hold<T>(callClass: CallClass, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(callClass, signal);
    let isHeld = true;
    const give = (): void => {
      if (isHeld) this.#give();
      isHeld = false;
    };
    const timer = setTimeout(give, this.#heldMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      give();
    }
  }
}

/**
 * The session with no more calls of pushes and refreshes at a time than its system takes (`caps.parallel`; decisions
 * Q-PUSH-07), whichever tables they are of. A read holds its slot for a page, not between pages; what takes longer than
 * `heldMs` gives its slot back. Of one process: each worker counts its own.
 */
export function withSlots(session: Session, heldMs = HELD_MS): Session {
  const slots = new Slots(session.caps.parallel, heldMs);
  type Options = { callClass: CallClass; signal: AbortSignal };
  const hold = async <T>({ callClass, signal }: Options, work: () => Promise<T>): Promise<T> =>
    await slots.hold(callClass, signal, work);
  const forPerson = (signal: AbortSignal): Options => ({ callClass: 'interactive', signal });
  return {
    // Asked for each time: a session learns how much its system takes.
    get caps() {
      return session.caps;
    },
    test: async (options) => await hold(forPerson(options.signal), async () => await session.test(options)),
    companies: async (options) =>
      await hold(forPerson(options.signal), async () => await session.companies(options)),
    collections: async (options) => await hold(options, async () => await session.collections(options)),
    describe: async (collection, options) =>
      await hold(options, async () => await session.describe(collection, options)),
    attributes: async (options) => await hold(options, async () => await session.attributes(options)),
    async *read(query) {
      const pages = session.read(query)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await hold(query, async () => await pages.next());
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await pages.return?.();
      }
    },
    readByKeys: async (query) => await hold(query, async () => await session.readByKeys(query)),
    write: async (call) => await hold(call, async () => await session.write(call)),
    probe: async (call) => await hold(call, async () => await session.probe(call)),
    close: async () => await session.close(),
  };
}
