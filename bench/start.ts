/** Cold start of the product as `npm start` runs it, on a new and on an existing data folder, and its memory at rest. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@sluice/server/embedded-postgres';
import { removeHome } from '@sluice/testing';
import { buildWeb } from '../server/src/platform/web-build.ts';
import { median, report, say } from './measure.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const rounds = 3;
const startBarMs = 4000;
const memoryBarMb = 200;
const restMs = 10_000;

interface Running {
  /** From the process's first moment to HTTP 200 for the page. */
  tookMs: number;
  child: ChildProcess;
}

async function start(home: string): Promise<Running> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      SLUICE_HOME: home,
      SLUICE_ADMIN_PASSWORD: 'bench password for one run',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.resume();
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The product ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return { tookMs: performance.now() - startedAt, child };
    await sleep(10);
  }
}

async function stop({ child }: Running): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGINT');
  await ended;
}

/** Memory of the process in MB; not a number where there is no /proc. */
function residentMb(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!fs.existsSync(status)) return Number.NaN;
  return Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(status, 'utf8'))?.[1]) / 1024;
}

/** Waits until the tables of the sandbox ERP have been read: nothing more has come for eight seconds. */
async function untilRead(home: string): Promise<void> {
  const log = path.join(home, 'logs', 'sluice.log');
  const count = (): number => fs.readFileSync(log, 'utf8').split('"message":"Refreshed"').length - 1;
  let last = 0;
  for (let calm = 0; calm < 8;) {
    await sleep(1000);
    const now = count();
    calm = now > 0 && now === last ? calm + 1 : 0;
    last = now;
  }
}

say('building the screens, as the first start after an install does');
await buildWeb(say);
const fresh: number[] = [];
const existing: number[] = [];
let afterReading = Number.NaN;
let memory = Number.NaN;
for (let round = 0; round < rounds; round += 1) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-bench-start-'));
  say(`start on a new data folder, round ${round + 1} of ${rounds}`);
  const first = await start(home);
  fresh.push(first.tookMs);
  if (round === 0) {
    say('reading the sandbox ERP in');
    await untilRead(home);
    await sleep(restMs);
    afterReading = residentMb(first.child.pid ?? 0);
  }
  await stop(first);
  say('start on the existing data folder');
  const second = await start(home);
  existing.push(second.tookMs);
  if (round === 0) {
    await sleep(restMs);
    memory = residentMb(second.child.pid ?? 0);
  }
  await stop(second);
  removeHome(home);
}
const start200 = { unit: 'ms', limit: startBarMs, bar: 1, note: 'the limit is the bar itself' } as const;
report({ ...start200, name: 'start on a new data folder to HTTP 200', measured: median(fresh) });
report({ ...start200, name: 'start on an existing data folder to HTTP 200', measured: median(existing) });
report({
  name: 'resident memory of the server at rest',
  unit: 'MB',
  measured: memory,
  limit: memoryBarMb,
  bar: 1,
  note: `${restMs / 1000} s after a start on an existing data folder; the limit is the bar itself`,
});
report({
  name: 'resident memory at rest of the process that read the sandbox in',
  unit: 'MB',
  measured: afterReading,
  limit: null,
  bar: null,
  note: `${restMs / 1000} s after the last table`,
});
