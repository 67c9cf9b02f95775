import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const sources = [
  'web/src',
  'web/index.html',
  'web/vite.config.ts',
  'contract/src',
  'mapping/src',
  'package-lock.json',
];
const marker = path.join(repository, 'web/dist/.built');

function newest(file: string): number {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...fs.readdirSync(file).map((name) => newest(path.join(file, name))));
}

/**
 * Builds the screens when their sources are newer than the last build, in a process of its own (a build inside this
 * one would keep 370 MB). The server answers meanwhile; pages wait for it.
 */
export async function buildWeb(say: (line: string) => void): Promise<void> {
  const built = fs.statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changed = Math.max(...sources.map((source) => newest(path.join(repository, source))));
  if (changed <= built) return;
  say('Building the screens');
  await new Promise<void>((resolve, reject) => {
    const vite = path.join(repository, 'node_modules/vite/bin/vite.js');
    const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
      cwd: path.join(repository, 'web'),
      env: { NO_COLOR: '1', NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Building the screens failed:\n${output}`));
    });
  });
  fs.writeFileSync(marker, new Date().toISOString());
}
