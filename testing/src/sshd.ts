import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@sluice/server/embedded-postgres';
import { waitUntil } from './test-machine.ts';

export interface SftpServer {
  port: number;
  /** Folder where a session begins. */
  folder: string;
  username: string;
  /** OpenSSH private key that signs in. */
  privateKey: string;
  /** `SHA256:…` of the server's own key. */
  fingerprint: string;
  stop(): Promise<void>;
}

const program = '/usr/sbin/sshd';

/** Why OpenSSH's server cannot run on this machine; null when it can. */
export function findSshdProblem(): string | null {
  const answer = spawnSync(program, ['-V'], { encoding: 'utf8' });
  if (answer.error === undefined) return null;
  return 'sshd is not installed here; run: node scripts/install-systems.mjs';
}

/** A real OpenSSH server with SFTP only, on a free port of this machine, for the user who runs the tests. */
export async function startSshd(): Promise<SftpServer> {
  const problem = findSshdProblem();
  if (problem !== null) throw new Error(problem);
  const home = mkdtempSync(join(tmpdir(), 'sluice-sshd-'));
  const folder = join(home, 'files');
  mkdirSync(folder);
  // sshd of Debian insists on this folder, and only root can make it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const keygen = (name: string): string => {
    const file = join(home, name);
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr}`);
    chmodSync(file, 0o600);
    return file;
  };
  const hostKey = keygen('host');
  const userKey = keygen('user');
  writeFileSync(join(home, 'authorized'), readFileSync(`${userKey}.pub`));
  const port = await freePort();
  const config = `Port ${port}
ListenAddress 127.0.0.1
HostKey ${hostKey}
PidFile ${join(home, 'pid')}
AuthorizedKeysFile ${join(home, 'authorized')}
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp -d ${folder}
ForceCommand internal-sftp -d ${folder}
`;
  writeFileSync(join(home, 'config'), config);
  const child = spawn(program, ['-D', '-e', '-f', join(home, 'config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (text: Buffer) => (log = `${log}${text.toString()}`.slice(-10_000)));
  await waitUntil('sshd listens', 20_000, () => {
    if (child.exitCode !== null) throw new Error(`sshd stopped while starting: ${log}`);
    return log.includes('Server listening');
  });
  const shown = spawnSync('ssh-keygen', ['-l', '-f', `${hostKey}.pub`], { encoding: 'utf8' }).stdout;
  return {
    port,
    folder,
    username: userInfo().username,
    privateKey: readFileSync(userKey, 'utf8'),
    fingerprint: /SHA256:\S+/.exec(shown)?.[0] ?? '',
    stop: async () => {
      await stopProcess(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exited;
}
