// node scripts/launch.mjs <file> [arguments]: prepares what is missing, then runs the file under the Node that comes
// from npm. (npm's own pre-scripts do not run: .npmrc switches install scripts off, and with them those.)
// Runs under the machine's own Node 20: plain JavaScript, no dependencies.
import { spawn } from 'node:child_process';
import path from 'node:path';
import './prepare.mjs';
import { root } from './lib.mjs';

const [file, ...rest] = process.argv.slice(2);
// Values of a run live for a page of records: a small young generation is as fast and takes 30 MB less (bench/connectors).
const flags = ['--max-semi-space-size=8'];
// What Node made of the TypeScript is kept: every start but the first takes half the time to load it.
const NODE_COMPILE_CACHE = path.join(root, 'node_modules', '.cache', 'compiled');
const bin = path.join(root, 'node_modules', '.bin');
const child = spawn('node', [...flags, file, ...rest], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { NODE_COMPILE_CACHE, ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` },
});
// Ctrl+C reaches the whole group by itself; other signals are handed on. This process ends when the child has ended.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
