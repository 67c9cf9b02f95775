import { ExternalSystemError } from '@sluice/adapter-kit';

export interface Answer {
  rows: (string | null)[][];
  /** Rows that a statement changed. */
  count: number;
  /** Number that the database gave to an inserted row, where it tells (MySQL). */
  insertId: string | null;
}

/** One connection to a database. A query that fails for the record's sake leaves it usable. */
export interface Line {
  readonly isBroken: boolean;
  query(sql: string, values?: readonly (string | null)[]): Promise<Answer>;
  /** One query in a transaction that cannot write, whatever functions it calls. */
  read(sql: string, values?: readonly (string | null)[]): Promise<Answer>;
  /** Rows of a long query in one snapshot, as many at a time as asked; fewer = the end. */
  open(sql: string, values: readonly (string | null)[]): Promise<RowStream>;
  /** Breaks the connection at once; a query that is under way fails. */
  destroy(): void;
  close(): Promise<void>;
}

export interface RowStream {
  next(count: number): Promise<(string | null)[][]>;
  close(): Promise<void>;
}

const idleMs = 60_000;

/** Connections of one session, kept for the next call. */
export class Lines {
  readonly #connect: () => Promise<Line>;
  readonly #idle: { line: Line; timer: NodeJS.Timeout }[] = [];
  #isClosed = false;

  constructor(connect: () => Promise<Line>) {
    this.#connect = connect;
  }

  async take(): Promise<Line> {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      clearTimeout(kept.timer);
      if (!kept.line.isBroken) return kept.line;
    }
    return await this.#connect();
  }

  give(line: Line): void {
    if (line.isBroken) return;
    if (this.#isClosed || this.#idle.length >= 4) {
      void line.close();
      return;
    }
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((kept) => kept.line === line);
      if (at !== -1) this.#idle.splice(at, 1);
      void line.close();
    }, idleMs);
    timer.unref();
    this.#idle.push({ line, timer });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { line, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      await line.close();
    }
  }
}

/** Runs `work` on the line; past the deadline or an abort the line is cut, and that is what the error says. */
export async function within<T>(
  line: Line | null,
  limits: { signal: AbortSignal; timeoutMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs } = limits;
  throwIfAborted(signal);
  let failure: ExternalSystemError | null = null;
  let giveUp: (error: ExternalSystemError) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => (giveUp = reject));
  const stop = (error: ExternalSystemError) => {
    failure = error;
    line?.destroy();
    giveUp(error);
  };
  const timer = setTimeout(
    () =>
      stop(new ExternalSystemError('TIMEOUT', `no answer within ${timeoutMs / 1000} s`, { retryable: true })),
    timeoutMs,
  );
  const onAbort = (): void => stop(aborted(signal));
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work(), stopped]);
  } catch (error) {
    throw failure ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

const aborted = (signal: AbortSignal): ExternalSystemError =>
  new ExternalSystemError('ABORTED', 'the call was aborted', { retryable: false, cause: signal.reason });

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted(signal);
}
