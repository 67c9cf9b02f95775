import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Sandbox, type SandboxOptions, startSandbox as start } from '@sluice/sandbox';
import { putSeed } from './sandbox-seed.ts';

export interface SandboxProcess {
  url: string;
  home: string;
  pid: number;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts again on the same data and port; faults are off. */
  restart(): Promise<void>;
  /** Calls the sandbox as its user `sandbox` and gives the status and the JSON of the answer. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<SandboxAnswer>;
  faults(faults: readonly Record<string, unknown>[]): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

export interface SandboxAnswer {
  status: number;
  body: unknown;
  headers: Headers;
}

export interface SandboxProcessOptions {
  journalEntries?: number;
  /** Data folder that is kept afterwards; absent = a temporary one. */
  home?: string;
  env?: Record<string, string>;
}

async function launch(home: string, port: number, options: SandboxProcessOptions) {
  const main = createRequire(import.meta.url).resolve('@sluice/sandbox/main');
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      SANDBOX_HOME: home,
      SANDBOX_PORT: String(port),
      SANDBOX_JOURNAL_ENTRIES: String(options.journalEntries ?? 1000),
      ...options.env,
    },
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', (line) => {
      const ready: unknown = JSON.parse(line);
      if (ready && typeof ready === 'object' && 'url' in ready && typeof ready.url === 'string')
        resolve(ready.url);
      else reject(new Error(`unexpected first line of the sandbox: ${line}`));
    });
  });
  return { child, url };
}

function ended(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

/** A data folder of its own, with the seed in it. */
async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'sandbox-'));
  await putSeed(home);
  return home;
}

/** Starts the sandbox ERP in this process, on data that go with it. */
export async function startSandbox(options: Omit<SandboxOptions, 'home'>): Promise<Sandbox> {
  const home = await makeHome();
  const sandbox = await start({ ...options, home });
  return {
    ...sandbox,
    close: async () => {
      await sandbox.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Starts the sandbox ERP as its own process on a free port. */
export async function startSandboxProcess(options: SandboxProcessOptions = {}): Promise<SandboxProcess> {
  const home = options.home ?? (await makeHome());
  let { child, url } = await launch(home, 0, options);
  const port = Number(new URL(url).port);
  const authorization = `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`;
  const running: SandboxProcess = {
    url,
    home,
    pid: child.pid ?? 0,
    kill: () => ended(child, 'SIGKILL'),
    async restart() {
      await ended(child, 'SIGTERM');
      ({ child, url } = await launch(home, port, options));
      running.pid = child.pid ?? 0;
    },
    async call(method, path, body, headers = {}) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      return {
        status: response.status,
        body: isJson ? (JSON.parse(text) as unknown) : text,
        headers: response.headers,
      };
    },
    async faults(faults) {
      const { status, body } = await running.call('POST', '/admin/faults', { faults });
      if (status !== 200) throw new Error(`the sandbox refused the faults: ${JSON.stringify(body)}`);
    },
    async stop() {
      await ended(child, 'SIGTERM');
      if (options.home === undefined) await rm(home, { recursive: true, force: true });
    },
  };
  return running;
}
