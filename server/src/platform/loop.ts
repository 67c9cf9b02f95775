import type { Log } from './log.ts';

export interface Loop {
  /** Look for work now rather than at the next tick. */
  wake(): void;
  /** No new work; running work is told to stop and waited for. */
  stop(): Promise<void>;
}

/**
 * Runs what is due, at most `concurrency` at a time. What is due stands in the database and the one who runs it holds
 * an advisory lock: when a process dies its locks are gone with its connections, and another one goes on at once.
 */
export function startLoop<T>(options: {
  name: string;
  everyMs: number;
  concurrency: number;
  log: Log;
  find(limit: number): Promise<T[]>;
  keyOf(task: T): string;
  /** Whether it may begin beside what is running already; absent: always. What may not is found again later. */
  mayBegin?(task: T, running: readonly T[]): boolean;
  run(task: T, signal: AbortSignal): Promise<void>;
}): Loop {
  const running = new Map<string, { task: T; work: Promise<void> }>();
  const stopping = new AbortController();
  let isLooking = false;
  let isWanted = false;

  const look = async (): Promise<void> => {
    if (isLooking) {
      isWanted = true;
      return;
    }
    isLooking = true;
    try {
      do {
        isWanted = false;
        const free = options.concurrency - running.size;
        if (free <= 0 || stopping.signal.aborted) break;
        const tasks = await options.find(options.concurrency + free);
        for (const task of tasks) {
          if (running.size >= options.concurrency) break;
          const others = [...running.values()].map((other) => other.task);
          if (!running.has(options.keyOf(task)) && (options.mayBegin?.(task, others) ?? true)) start(task);
        }
      } while (isWanted);
    } catch (error) {
      if (!stopping.signal.aborted) options.log.error(`${options.name}: cannot look for work`, { error });
    } finally {
      isLooking = false;
    }
  };

  const start = (task: T): void => {
    const key = options.keyOf(task);
    const work = options
      .run(task, stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) options.log.error(`${options.name} failed`, { error, key });
      })
      .finally(() => {
        running.delete(key);
        void look();
      });
    running.set(key, { task, work });
  };

  const timer = setInterval(() => void look(), options.everyMs);
  void look();
  return {
    wake: () => void look(),
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('The server is stopping'));
      await Promise.all([...running.values()].map(({ work }) => work));
    },
  };
}
