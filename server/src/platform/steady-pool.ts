import pg from 'pg';

/** Connections that are opened at once when they are asked for. */
const few = 4;
/** Nearly all questions are answered in less. */
const patienceMs = 30;

type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/**
 * A pool that grows only when it has to. Where many ask in the same moment, pg opens a connection for each of them: a
 * dozen processes that start, log in and learn the catalogue keep two cores busy for a fifth of a second, in which the
 * few that are open would have answered all. Here those who ask wait a moment for one that is given back, and then one
 * more is opened, one at a time.
 */
export class SteadyPool extends pg.Pool {
  #isOpening = false;
  readonly #waiting: (() => void)[] = [];

  constructor(config: pg.PoolConfig) {
    super(config);
    // It is idle only behind this event.
    this.on('release', () => queueMicrotask(() => this.#next()));
    this.on('remove', () => this.#next());
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const client = this.#take();
    if (!taken) return client;
    client.then(
      (one) => taken(undefined, one, () => one.release()),
      (error: Error) => taken(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #take(): Promise<pg.PoolClient> {
    const impatientAt = performance.now() + patienceMs;
    if (this.#waiting.length > 0 || this.#mustWait(impatientAt)) await this.#turn(impatientAt, 'push');
    while (this.#mustWait(impatientAt)) await this.#turn(impatientAt, 'unshift');
    const isOneMore = this.#wouldOpen() && this.#size() >= few;
    if (isOneMore) this.#isOpening = true;
    try {
      return await super.connect();
    } catch (error) {
      // There will be no giving back that wakes the next.
      queueMicrotask(() => this.#next());
      throw error;
    } finally {
      if (isOneMore) {
        this.#isOpening = false;
        this.#next();
      }
    }
  }

  /** With those that pg opens in a moment, for who already waits behind the idle ones. */
  #size(): number {
    return this.totalCount + Math.max(0, this.waitingCount - this.idleCount);
  }

  #wouldOpen(): boolean {
    return this.idleCount <= this.waitingCount && this.totalCount < this.options.max;
  }

  #mustWait(impatientAt: number): boolean {
    if (this.#size() < few || !this.#wouldOpen()) return false;
    return this.#isOpening || performance.now() < impatientAt;
  }

  /** Until a connection is given back or has been opened, or until patience ends. */
  async #turn(impatientAt: number, place: 'push' | 'unshift'): Promise<void> {
    await new Promise<void>((resolve) => {
      const leftMs = impatientAt - performance.now();
      const timer = leftMs > 0 ? setTimeout(() => go(), Math.ceil(leftMs)) : undefined;
      const go = (): void => {
        clearTimeout(timer);
        const at = this.#waiting.indexOf(go);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve();
      };
      this.#waiting[place](go);
    });
  }

  #next(): void {
    this.#waiting[0]?.();
  }
}
