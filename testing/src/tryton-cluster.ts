import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@sluice/server/embedded-postgres';
import { runSql } from './run-sql.ts';
import { isAlive, serverUser, testCacheFolder, withMachineLock } from './test-machine.ts';
import { buildTemplate, templateNames } from './tryton-template.ts';

/** One PostgreSQL per machine for all Tryton databases of tests, kept between runs for its template. */
export interface TrytonCluster {
  /** A folder of this run, for the files of its trytond; removed by `release`. */
  folder: string;
  url(database: string): string;
  /** A fresh database that holds Tryton with two companies. */
  createDatabase(): Promise<string>;
  /** Drops this run's databases; the last run to leave stops the server. */
  release(): Promise<void>;
}

const settings = [
  // Data of tests may vanish with the machine.
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=128MB',
  // Tryton computes within its transactions: of a hundred thousand parties for more than a minute.
  'idle_in_transaction_session_timeout=0',
];
const buildTimeoutMs = 600_000;

export async function joinTrytonCluster(): Promise<TrytonCluster> {
  const home = join(testCacheFolder(), 'tryton');
  const runs = join(home, 'runs');
  mkdirSync(runs, { recursive: true, mode: 0o755 });
  const lock = join(home, 'lock');
  const folder = join(runs, `${process.pid}-${Date.now()}`);
  const databases: string[] = [];

  const postgres = await withMachineLock(lock, buildTimeoutMs, async () => {
    const server = await startEmbeddedPostgres({ home, settings });
    await removeOrphans(server.url('postgres'), runs);
    makeFolder(folder);
    await buildTemplate(server.tcpUrl, folder);
    return server;
  });

  return {
    folder,
    url: postgres.tcpUrl,
    async createDatabase() {
      const name = `erp_${process.pid}_${Date.now()}_${databases.length}`;
      await runSql(postgres.url('postgres'), `create database ${name} template ${templateNames().template}`);
      databases.push(name);
      return name;
    },
    async release() {
      await withMachineLock(lock, buildTimeoutMs, async () => {
        for (const name of databases) {
          await runSql(postgres.url('postgres'), `drop database if exists ${name} with (force)`);
        }
        rmSync(folder, { recursive: true, force: true });
        if (readdirSync(runs).length === 0) await postgres.stop();
      });
    },
  };
}

/** A folder that the servers' user owns. */
function makeFolder(folder: string): void {
  mkdirSync(folder, { mode: 0o755 });
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
}

/** Ends and removes what runs of dead processes left behind. */
async function removeOrphans(url: string, runs: string): Promise<void> {
  for (const name of readdirSync(runs)) {
    if (isAlive(Number(name.split('-')[0]))) continue;
    const folder = join(runs, name);
    const pidFile = join(folder, 'trytond.pid');
    if (existsSync(pidFile)) {
      const pid = Number(readFileSync(pidFile, 'utf8'));
      if (isServerOf(pid, folder)) process.kill(pid, 'SIGKILL');
    }
    rmSync(folder, { recursive: true, force: true });
  }
  for (const row of await runSql(url, "select datname from pg_database where datname like 'erp%'")) {
    const name = String(row['datname']);
    const owner = /^erp_(\d+)_/.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) {
      await runSql(url, `drop database if exists ${name} with (force)`);
    }
  }
}

/** Whether the process was really started with this folder: the id may belong to someone else by now. */
function isServerOf(pid: number, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}
