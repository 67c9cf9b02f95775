import pg from 'pg';
import type { Log } from './log.ts';
import { channel, type LiveEvent } from './mutate.ts';

type Listener = (event: LiveEvent) => void;

/** Hears what any process published (PostgreSQL LISTEN). Reconnects by itself; `onGap` then says that events were missed. */
export interface Bus {
  subscribe(listener: Listener): () => void;
  onGap(listener: () => void): void;
  close(): Promise<void>;
}

export async function openBus(options: { url: string; applicationName: string; log: Log }): Promise<Bus> {
  const listeners = new Set<Listener>();
  const gapListeners = new Set<() => void>();
  let client: pg.Client | null = null;
  let isClosed = false;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: options.url, application_name: options.applicationName });
    next.on('notification', (message) => {
      if (!message.payload) return;
      const event = JSON.parse(message.payload) as LiveEvent;
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          options.log.error('A live listener failed', { error, topic: event.topic });
        }
      }
    });
    let isGone = false;
    const lost = (error?: Error): void => {
      if (isGone) return;
      isGone = true;
      if (isClosed) return;
      options.log.warn('The live connection was lost; reconnecting', { error });
      void reconnect();
    };
    next.on('error', lost);
    next.on('end', () => lost());
    await next.connect();
    await next.query(`listen ${channel}`);
    client = next;
  };

  const reconnect = async (): Promise<void> => {
    for (let wait = 100; !isClosed; wait = Math.min(wait * 2, 5000)) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      try {
        await connect();
        for (const listener of gapListeners) listener();
        return;
      } catch (error) {
        options.log.warn('Still no live connection', { error });
      }
    }
  };

  await connect();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onGap: (listener) => gapListeners.add(listener),
    close: async () => {
      isClosed = true;
      await client?.end().catch(() => undefined);
    },
  };
}
