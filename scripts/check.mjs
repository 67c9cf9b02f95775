// npm run check: format, lint, types, layers, dead code, project rules and document references. All of them run,
// so that one look shows everything.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root, run } from './lib.mjs';

const folders = [
  'contract',
  'mapping',
  'adapters',
  'server',
  'web',
  'sandbox',
  'testing',
  'e2e',
  'bench',
  'scripts',
];

const checks = {
  format: () => run('oxfmt', ['--check']),
  lint: () => run('oxlint', ['--type-aware', ...folders]),
  types: () => run('tsc', ['--noEmit', '-p', 'tsconfig.json']),
  'types of the web': () => run('tsc', ['--noEmit', '-p', 'web/tsconfig.json']),
  layers: () => layers(),
  'dead code': () => run('knip', ['--no-progress']),
  rules: () => run('node', ['scripts/rules.mjs']),
};

/** dependency-cruiser exits green when it cruises nothing: a minimum of modules is demanded. */
function layers() {
  const bin = path.join(root, 'node_modules', '.bin', 'depcruise');
  const sources = ['contract/src', 'mapping/src', 'adapters', 'server/src', 'web/src', 'sandbox/src'];
  const result = spawnSync(bin, ['--config', '.dependency-cruiser.cjs', ...sources], {
    cwd: root,
    encoding: 'utf8',
  });
  const modules = Number(/(\d+) modules/.exec(result.stdout)?.[1] ?? 0);
  if (result.status !== 0) console.error(result.stdout);
  if (modules < 150) console.error(`Only ${modules} modules were looked at: the layers were not checked`);
  return result.status === 0 && modules >= 150;
}

const failed = [];
for (const [name, check] of Object.entries(checks)) {
  const isFine = check();
  console.log(`${isFine ? 'ok    ' : 'FAILED'} ${name}`);
  if (!isFine) failed.push(name);
}
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
