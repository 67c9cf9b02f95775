import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache, removeHome } from './home.ts';
import { testPassword } from './product.ts';

const main = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../server/src/main.ts');

export interface RunningProduct {
  base: string;
  /** Where its sandbox ERP answers; null when it is off. */
  sandboxUrl: string | null;
  home: string;
  pid: number;
  output(): string;
  /** kill -9, database and all left as they are. */
  kill(): Promise<void>;
  /** Ctrl+C. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** The product as `npm start` runs it, on a data folder of its own, with the administrator `admin` and the test password. */
export async function startProductMain(
  options: { home?: string; env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<RunningProduct> {
  const home = options.home ?? fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-home-'));
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_COMPILE_CACHE: compileCache,
      PORT: '0',
      SLUICE_HOME: home,
      SLUICE_ADMIN_PASSWORD: testPassword,
      SLUICE_TIME_ZONE: 'Europe/Amsterdam',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  const base = await waitForAddress(child, () => output, options.timeoutMs ?? 120_000);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return {
    base,
    sandboxUrl: /sandbox ERP runs at (\S+)/.exec(output)?.[1] ?? null,
    home,
    pid: child.pid ?? 0,
    output: () => output,
    kill: async () => await end('SIGKILL'),
    stop: async () => await end('SIGINT'),
    remove: async () => {
      await end('SIGINT');
      removeHome(home);
    },
  };
}

async function waitForAddress(child: ChildProcess, output: () => string, timeoutMs: number): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const address = /Sluice is ready: (\S+)/.exec(output())?.[1];
    if (address) return address;
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The product did not start:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
