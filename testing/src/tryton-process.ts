import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@sluice/server/embedded-postgres';
import { serverUser, waitUntil } from './test-machine.ts';

/** Connection string of a database of the server. */
export type DatabaseUrl = (database: string) => string;

export interface TrytonProcess {
  port: number;
  stop(): Promise<void>;
}

/** Why Tryton cannot run on this machine; null when it can. */
export function findTrytonProblem(): string | null {
  const answer = spawnSync('trytond', ['--version'], { encoding: 'utf8' });
  if (answer.status === 0) return null;
  return 'trytond is not installed here; run: node scripts/install-systems.mjs';
}

/** trytond on a PostgreSQL; serves all its databases. `folder` belongs to the servers' user. */
export async function startTrytond(folder: string, url: DatabaseUrl): Promise<TrytonProcess> {
  const port = await freePort();
  const config = writeConfig(folder, url, port);
  const child = spawn('trytond', ['-c', config, '--pidfile', join(folder, 'trytond.pid')], {
    ...serverUser(),
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (data: Buffer) => (log = `${log}${data.toString()}`.slice(-20_000)));
  await waitUntil('trytond answers', 60_000, async () => {
    if (child.exitCode !== null) throw new Error(`trytond stopped while starting: ${log}`);
    return isAnswering(port);
  });
  return { port, stop: () => stopProcess(child) };
}

async function isAnswering(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, method: 'common.server.version', params: [] }),
    });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** At once: it takes seconds to end in order, and its database is dropped anyway. */
async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await exited;
}

/** Runs trytond's own tool for databases, to its end. */
export function runTrytonAdmin(folder: string, url: DatabaseUrl, password: string, args: string[]): void {
  const config = writeConfig(folder, url, 0);
  const passwordFile = writePrivateFile(folder, 'admin-password', `${password}\n`);
  const answer = spawnSync('trytond-admin', ['-c', config, ...args], {
    ...serverUser(),
    cwd: folder,
    env: { PATH: process.env['PATH'], TRYTONPASSFILE: passwordFile, LANG: 'C.UTF-8' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (answer.status !== 0) throw new Error(`trytond-admin failed: ${answer.stderr.slice(-4000)}`);
}

function writeConfig(folder: string, url: DatabaseUrl, port: number): string {
  // Tryton knows the scheme by its long name only.
  const uri = url('').replace(/^postgres:/, 'postgresql:');
  const text = `[database]
uri = ${uri}
list = True
path = ${folder}
# It closes what is above this after each call, and opening one costs as much as a small call.
minconn = 6
[web]
listen = 127.0.0.1:${port}
[session]
timeout = 3600
max_age = 2592000
max_attempt = 1000
max_attempt_ip_network = 1000
[request]
max_size = 20971520
[password]
length = 4
`;
  return writePrivateFile(folder, 'trytond.conf', text);
}

function writePrivateFile(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  return path;
}
