/** `npm run bench [-- name… --rows=20000 --records=500]`: each file in a process of its own, one after the other. */
import { execFileSync, fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasPassed, lineOf, type Measurement, ratioOf } from './measure.ts';

const folder = path.dirname(fileURLToPath(import.meta.url));
const all = ['database', 'push', 'start', 'grid', 'mapping', 'connectors', 'screens'];

const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith('--'));
const wanted = given.filter((argument) => !argument.startsWith('--'));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark '${unknown.join("', '")}'. There are: ${all.join(', ')}`);
  process.exit(1);
}

interface Run {
  name: string;
  exitCode: number;
  seconds: number;
  load: { before: number[]; after: number[] };
  measurements: Measurement[];
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();

function machine() {
  const [cpu] = os.cpus();
  return {
    cores: os.cpus().length,
    model: cpu?.model ?? '',
    memoryMb: Math.round(os.totalmem() / 2 ** 20),
    platform: `${os.platform()} ${os.arch()}`,
    node: process.version,
  };
}

async function runFile(name: string): Promise<Run> {
  const before = os.loadavg();
  const startedAt = performance.now();
  const measurements: Measurement[] = [];
  console.log(`\n${name} (load ${shownLoad(before)} on ${os.cpus().length} cores)`);
  const child = fork(path.join(folder, `${name}.ts`), options);
  child.on('message', (message: { measurement: Measurement }) => {
    measurements.push(message.measurement);
    console.log(lineOf(message.measurement));
  });
  const exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  if (exitCode !== 0) console.log(`FAIL ${name} ended with ${exitCode}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { name, exitCode, seconds, load: { before, after: os.loadavg() }, measurements };
}

const shownLoad = (load: readonly number[]): string => load.map((value) => value.toFixed(1)).join(' ');

const startedAt = new Date();
const runs: Run[] = [];
for (const name of wanted.length > 0 ? wanted : all) runs.push(await runFile(name));

const measurements = runs.flatMap((run) => run.measurements);
const failed = measurements.filter((measurement) => hasPassed(measurement) === false);
const commit = git('rev-parse', '--short', 'HEAD');
const result = {
  at: startedAt.toISOString(),
  commit,
  isDirty: git('status', '--porcelain') !== '',
  options,
  machine: machine(),
  runs: runs.map((run) => ({
    ...run,
    measurements: run.measurements.map((measurement) => ({
      ...measurement,
      ratio: ratioOf(measurement),
      passed: hasPassed(measurement),
    })),
  })),
};
fs.mkdirSync(path.join(folder, 'results'), { recursive: true });
const part = wanted.length > 0 ? `-${wanted.join('-')}` : '';
const file = path.join('results', `${startedAt.toISOString().slice(0, 10)}-${commit}${part}.json`);
fs.writeFileSync(path.join(folder, file), `${JSON.stringify(result, null, 1)}\n`);

console.log(
  `\n${measurements.filter((measurement) => hasPassed(measurement) === true).length} within the bar, ${failed.length} beyond it (load ${shownLoad(os.loadavg())}). Kept in bench/${file}`,
);
for (const measurement of failed) console.log(lineOf(measurement));
process.exit(failed.length > 0 || runs.some(({ exitCode }) => exitCode !== 0) ? 1 : 0);
