import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { removeHome } from '@sluice/testing';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { socketFolder, startEmbeddedPostgres } from './embedded-postgres.ts';

const homes: string[] = [];
const makeHome = (): string => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'sluice-embedded-'));
  homes.push(home);
  return home;
};
afterEach(() => {
  for (const home of homes.splice(0)) removeHome(home);
});

/** The address by which the server was reached; null = its Unix socket. */
async function reachedAt(connectionString: string): Promise<string | null> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ address: string | null }>(
      'select host(inet_server_addr()) as address',
    );
    return rows[0]?.address ?? null;
  } finally {
    await client.end();
  }
}

it('is reached by its socket, which only its account enters, and by TCP; who starts it again takes it over', async () => {
  const home = makeHome();
  const first = await startEmbeddedPostgres({ home });
  try {
    expect(await reachedAt(first.url('postgres'))).toBeNull();
    expect(await reachedAt(first.tcpUrl('postgres'))).toBe('127.0.0.1');
    const second = await startEmbeddedPostgres({ home });
    expect(second).toMatchObject({ wasRunning: true, pid: first.pid });
    expect(second.url('postgres')).toBe(first.url('postgres'));
    const socket = decodeURIComponent(new URL(first.url('postgres')).hostname);
    expect(existsSync(path.join(socket, `.s.PGSQL.${first.port}`))).toBe(true);
  } finally {
    await first.stop();
  }
  // Killed, it leaves its socket behind; the next one is reached all the same.
  const third = await startEmbeddedPostgres({ home });
  process.kill(third.pid, 'SIGKILL');
  await third.stop();
  const fourth = await startEmbeddedPostgres({ home });
  try {
    expect(fourth.wasRunning).toBe(false);
    expect(await reachedAt(fourth.url('postgres'))).toBeNull();
  } finally {
    await fourth.stop();
  }
});

it('is reached by TCP where it takes over a server without a socket', async () => {
  const home = makeHome();
  const first = await startEmbeddedPostgres({ home, settings: ['unix_socket_directories='] });
  try {
    const second = await startEmbeddedPostgres({ home });
    expect(second.wasRunning).toBe(true);
    expect(await reachedAt(second.url('postgres'))).toBe('127.0.0.1');
  } finally {
    await first.stop();
  }
});

it('has no socket on Windows, nor where the path is longer than one may have', () => {
  expect(socketFolder('/srv/sluice', 'linux')).toBe('/srv/sluice/socket');
  const long = `/srv/${'x'.repeat(80)}`;
  expect(socketFolder(long, 'linux')).toBe(`${long}/socket`);
  expect(socketFolder(`${long}x`, 'linux')).toBeNull();
  expect(socketFolder(long, 'darwin')).toBeNull();
  expect(socketFolder('/srv/sluice', 'win32')).toBeNull();
});
