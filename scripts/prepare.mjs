// Runs under the machine's own Node (20 or newer), before anything is installed: plain JavaScript, no dependencies.
// Installs the packages when node_modules is missing or older than the lockfile, and says so in one line.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const lockfile = path.join(root, 'package-lock.json');
const marker = path.join(root, 'node_modules', '.package-lock.json');

function modified(file) {
  return fs.existsSync(file) ? fs.statSync(file).mtimeMs : 0;
}

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  console.error(`Node 20 or newer is needed to start; this is ${process.version}. See https://nodejs.org`);
  process.exit(1);
}
if (modified(marker) < modified(lockfile)) {
  console.log('Installing packages, about a minute the first time …');
  // Not `npm ci`: it refuses a lockfile that lacks a package of some other platform (docs/decisions/0006). The
  // versions and hashes are the lockfile's all the same, and nothing of the checkout is written.
  const options = ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const result = npm
    ? spawnSync(process.execPath, [npm, ...options], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', options, { cwd: root, stdio: 'inherit', shell: true });
  if (result.status !== 0) process.exit(result.status ?? 1);
  // npm keeps the time of an unchanged marker: the next start must see that this lockfile is installed.
  const now = new Date();
  if (fs.existsSync(marker)) fs.utimesSync(marker, now, now);
}
