import type { CallClass, Session } from '@sluice/adapter-kit';

/** Who waits is served in this order, and within a class in turn. */
const classes: readonly CallClass[] = ['interactive', 'push', 'cache'];

interface Waiting {
  callClass: CallClass;
  begin: () => void;
}

class Slots {
  #free: number;
  #waiting: Waiting[] = [];

  constructor(count: number) {
    this.#free = Math.max(1, count);
  }

  async #take(callClass: CallClass, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
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

  /** The slot goes from hand to hand: nobody who comes meanwhile gets before those who wait. */
  #give(): void {
    const next = classes
      .map((callClass) => this.#waiting.find((waiting) => waiting.callClass === callClass))
      .find((waiting) => waiting !== undefined);
    if (next) {
      this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
      next.begin();
    } else this.#free += 1;
  }

  async hold<T>(callClass: CallClass, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(callClass, signal);
    try {
      return await work();
    } finally {
      this.#give();
    }
  }
}

/**
 * The session with no more calls at a time than its system takes (`caps.parallel`; decisions Q-PUSH-07), whichever
 * tables they are of: refreshes, pushes and runs of a domain share it. A read holds its slot for a page, not between
 * pages. Of one process: each worker counts its own.
 */
export function withSlots(session: Session): Session {
  const slots = new Slots(session.caps.parallel);
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
