// Shared by the scripts. Plain JavaScript without dependencies: the machine's own Node 20 may run it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Runs a command with the packages' programs first on PATH; answers whether it succeeded. */
export function run(command, args, options = {}) {
  const bin = path.join(root, 'node_modules', '.bin');
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`, ...options.env },
  });
  if (result.error) console.error(String(result.error));
  return result.status === 0;
}

/** Files that git tracks or would track. */
export function sourceFiles() {
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.stdout.split('\0').filter((file) => file !== '' && fs.existsSync(path.join(root, file)));
}

export function readText(file) {
  return fs.readFileSync(path.join(root, file), 'utf8');
}
