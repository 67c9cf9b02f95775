import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { seed } from './seed/seed.ts';
import { startServer, type RunningServer } from './server.ts';
import { Store } from './store.ts';

export interface SandboxOptions {
  /** Data folder; absent = in memory. */
  home?: string;
  /** 0 = any free port. */
  port?: number;
  host?: string;
  journalEntries?: number;
  username?: string;
  password?: string;
  /** Refuse changes without If-Match (428). */
  requireIfMatch?: boolean;
  now?: () => Date;
  /** What the fault `crashAfterCommit` does; by default it drops all connections and stops listening. */
  crash?: () => void;
}

export type Sandbox = RunningServer;

/** Starts a sandbox ERP in this process; seeds it first where its data folder is new. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  if (options.home !== undefined) mkdirSync(options.home, { recursive: true });
  const store = new Store(options.home === undefined ? ':memory:' : join(options.home, 'sandbox.db'));
  const journalEntries = options.journalEntries ?? 100_000;
  seed(store, journalEntries);
  const running: { server?: RunningServer } = {};
  const server = await startServer({
    store,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    username: options.username ?? 'sandbox',
    password: options.password ?? 'sandbox',
    requireIfMatch: options.requireIfMatch ?? false,
    now: options.now ?? (() => new Date()),
    reset: () => {
      const epoch = Number(store.meta('epoch') ?? 1) + 1;
      store.clear();
      // Versions and delta tokens from before the reset must not fit the new data.
      store.setMeta('epoch', epoch);
      seed(store, journalEntries);
    },
    crash: options.crash ?? (() => void running.server?.close()),
  });
  running.server = server;
  return {
    ...server,
    close: async () => {
      await server.close();
      store.close();
    },
  };
}
