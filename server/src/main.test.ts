import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeHome, testPassword, waitFor } from '@sluice/testing';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

it('Ctrl+C while it starts ends it in order: no error, and no database left running', async () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'sluice-start-'));
  /** The folder of its database: elsewhere for root. */
  const database = (): string => {
    const own = path.join(home, 'database-id');
    const isRoot = process.getuid?.() === 0;
    const root = isRoot && existsSync(own) ? path.join('/var/lib/sluice', readFileSync(own, 'utf8')) : home;
    return path.join(root, 'postgres-18');
  };
  const pidFile = (): string => path.join(database(), 'postmaster.pid');

  async function interrupt(what: string, moment: (output: string) => boolean): Promise<string> {
    const child = spawn(process.execPath, [main], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PORT: '0',
        SLUICE_HOME: home,
        SLUICE_SANDBOX: 'off',
        SLUICE_ADMIN_PASSWORD: testPassword,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    const ended = once(child, 'exit');
    await waitFor(
      what,
      async () => await Promise.resolve(child.exitCode !== null || moment(output)),
      60_000,
      5,
    );
    child.kill('SIGINT');
    const [code]: unknown[] = await ended;
    expect(code, output).toBe(0);
    return output;
  }

  try {
    const first = await interrupt('the database to be made', (output) =>
      output.includes('Creating the database'),
    );
    expect(first).toContain('Sluice is stopping');
    expect(first).not.toMatch(/Error|\n\s+at /);
    expect(first).not.toContain('Sluice is ready');
    expect(existsSync(pidFile())).toBe(false);

    const second = await interrupt('the database server to start', () => existsSync(pidFile()));
    expect(second).toContain('Sluice is stopping');
    expect(second).not.toMatch(/Error|\n\s+at |Taking over/);
    expect(second).not.toContain('Sluice is ready');
    // It was there when this was pressed, and is gone.
    expect(existsSync(pidFile())).toBe(false);
    expect(existsSync(path.join(database(), 'PG_VERSION'))).toBe(true);
  } finally {
    removeHome(home);
  }
});
