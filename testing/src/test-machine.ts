import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What tests build once per machine. Entered by servers that run as another user, hence not private. */
export function testCacheFolder(): string {
  const folder = process.env['SLUICE_TEST_CACHE'] ?? join(tmpdir(), 'sluice-test-cache');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}

/** Whether a missing external system may be passed over; otherwise its tests fail, so that nobody misses them. */
export function areSystemsOptional(): boolean {
  return process.env['SLUICE_SYSTEMS_OPTIONAL'] === '1';
}

/** Of tests that need a system that is missing: says loudly that they are left out, or throws where they may not be. */
export function leaveOut(name: string, problem: string): void {
  if (!areSystemsOptional())
    throw new Error(`${problem}. Set SLUICE_SYSTEMS_OPTIONAL=1 to go on without it.`);
  const line = '!'.repeat(78);
  console.log(`${line}\n!!! NOT RUN: ${name}\n!!! ${problem}\n${line}`);
}

/** External systems never run as root; what root starts runs as `nobody`. */
export function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Polls until `check` is true; what it throws ends the wait. */
export async function waitUntil(
  what: string,
  timeoutMs: number,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await sleep(50);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Runs `work` in one process of this machine at a time; the lock of a process that died is taken over. */
export async function withMachineLock<T>(
  path: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  await waitUntil(`the lock ${path}`, timeoutMs, () => {
    try {
      const file = openSync(path, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return true;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const owner = readOwner(path);
      if (owner !== null && !isAlive(owner)) rmSync(path, { force: true });
      return false;
    }
  });
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function readOwner(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return pid > 0 ? pid : null;
  } catch {
    return null;
  }
}
