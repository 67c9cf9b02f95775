import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, startEmbeddedPostgres } from '@sluice/server/embedded-postgres';
import { ensureDatabase } from '@sluice/server/database';
import { testCacheFolder, waitUntil } from './test-machine.ts';
import { removeHome } from './home.ts';

export interface ParseServer {
  /** Where its REST interface begins. */
  url: string;
  applicationId: string;
  restKey: string;
  /** Calls it past the adapter, with the master key. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** It answers nobody until it goes on. */
  pause(): void;
  goOn(): void;
  stop(): Promise<void>;
}

const version = '9.10.0';
const folder = (): string => join(testCacheFolder(), `parse-server-${version}`);

/** Why parse-server cannot run on this machine; null when it can. */
export function findParseServerProblem(): string | null {
  if (existsSync(join(folder(), 'node_modules/parse-server/package.json'))) return null;
  return `parse-server ${version} is not installed here; run: node scripts/install-systems.mjs`;
}

/** A real parse-server on a PostgreSQL of its own. `options` are added to its own configuration. */
export async function startParseServer(options: Record<string, unknown> = {}): Promise<ParseServer> {
  const problem = findParseServerProblem();
  if (problem !== null) throw new Error(problem);
  const home = mkdtempSync(join(tmpdir(), 'sluice-parse-'));
  const postgres = await startEmbeddedPostgres({ home, settings: ['fsync=off', 'synchronous_commit=off'] });
  await ensureDatabase(postgres.url('postgres'), 'parse');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/parse`;
  const keys = { applicationId: 'sluice', restKey: 'rest-key', masterKey: 'master-key' };
  const main = join(dirname(fileURLToPath(import.meta.url)), 'parse-server-main.ts');
  const child = spawn(process.execPath, [main], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PARSE_SERVER_LOGS_FOLDER: join(home, 'logs'),
      PARSE_SETTINGS: JSON.stringify({
        folder: folder(),
        port,
        options: {
          appId: keys.applicationId,
          restAPIKey: keys.restKey,
          masterKey: keys.masterKey,
          databaseURI: postgres.tcpUrl('parse'),
          serverURL: url,
          silent: true,
          logsFolder: join(home, 'logs'),
          ...options,
        },
      }),
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (log = `${log}${text.toString()}`.slice(-10_000)));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGKILL');
      await exited;
    }
    await postgres.stop();
    removeHome(home);
  };
  try {
    await waitUntil('parse-server answers', 90_000, async () => {
      if (child.exitCode !== null) throw new Error(`parse-server stopped while starting: ${log}`);
      return await fetch(`${url}/health`).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    applicationId: keys.applicationId,
    restKey: keys.restKey,
    call: async (method, path, body) => {
      const response = await fetch(`${url}/${path}`, {
        method,
        headers: {
          'x-parse-application-id': keys.applicationId,
          'x-parse-master-key': keys.masterKey,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as unknown;
    },
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    stop,
  };
}
