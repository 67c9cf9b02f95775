import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@sluice/server/embedded-postgres';
import { compileCache } from './home.ts';

const script = fileURLToPath(new URL('./product-process.ts', import.meta.url));

/** The product in a process of its own, which may be killed and started again at the same address. */
export interface ProductProcess {
  base: string;
  /** What its last life wrote to its log. */
  log(): string;
  /** kill -9; answers when it is dead. */
  kill(): Promise<void>;
  /** Answers when it listens. */
  start(): Promise<void>;
}

export async function startProductProcess(options: {
  databaseUrl: string;
  /** Overrides the adapter's own: how long after a lost answer the system may still work. */
  settleMs: number;
}): Promise<ProductProcess> {
  const port = await freePort();
  const settings = JSON.stringify({ ...options, port });
  let child: ChildProcess | null = null;
  let log = '';
  const start = async (): Promise<void> => {
    log = '';
    const started = spawn(process.execPath, [script, settings], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache },
    });
    child = started;
    started.stderr.on('data', (data: Buffer) => (log = (log + data.toString()).slice(-100_000)));
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: started.stdout }).once('line', () => resolve());
      started.once('exit', (code, signal) => {
        reject(new Error(`The product ended (${code ?? signal}) before it listened:\n${log}`));
      });
    });
  };
  await start();
  return {
    base: `http://127.0.0.1:${port}`,
    log: () => log,
    start,
    kill: async () => {
      const dying = child;
      if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => dying.once('exit', () => resolve()));
      dying.kill('SIGKILL');
      await ended;
    },
  };
}
