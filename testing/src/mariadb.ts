import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@sluice/server/embedded-postgres';
import { serverUser, waitUntil } from './test-machine.ts';

export interface MariaDbServer {
  port: number;
  /** Runs statements past the adapter, as the server's administrator; answers lines of cells. */
  sql(statements: string, database?: string): string[][];
  stop(): Promise<void>;
}

/** Why MariaDB cannot run on this machine; null when it can. */
export function findMariaDbProblem(): string | null {
  const answer = spawnSync('mariadbd', ['--version'], { encoding: 'utf8' });
  if (answer.status === 0) return null;
  return 'mariadbd is not installed here; run: node scripts/install-systems.mjs';
}

/** A real MariaDB on a data folder of its own and a free port of this machine. */
export async function startMariaDb(): Promise<MariaDbServer> {
  const problem = findMariaDbProblem();
  if (problem !== null) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mariadb-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const user = serverUser();
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const made = spawnSync(
    'mysql_install_db',
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`mysql_install_db failed: ${made.stdout}${made.stderr}`);
  const port = await freePort();
  const socket = join(folder, 's');
  const child = spawn(
    'mariadbd',
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${socket}`,
      '--innodb-flush-log-at-trx-commit=0',
      '--character-set-server=utf8mb4',
    ],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (text: Buffer) => (log = `${log}${text.toString()}`.slice(-10_000)));
  const client = (statements: string, database?: string) =>
    spawnSync(
      'mariadb',
      [
        '--no-defaults',
        `--socket=${socket}`,
        '--user=root',
        '--default-character-set=utf8mb4',
        '--batch',
        '--skip-column-names',
        ...(database ? [database] : []),
      ],
      { encoding: 'utf8', input: statements },
    );
  await waitUntil('MariaDB answers', 60_000, () => {
    if (child.exitCode !== null) throw new Error(`mariadbd stopped while starting: ${log}`);
    return client('select 1').status === 0;
  });
  return {
    port,
    sql: (statements, database) => {
      const answer = client(statements, database);
      if (answer.status !== 0) throw new Error(answer.stderr);
      const lines = answer.stdout.split('\n').filter((line) => line !== '');
      return lines.map((line) => line.split('\t'));
    },
    stop: async () => {
      await stopProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await exited;
}
