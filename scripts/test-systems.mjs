// npm run test:systems: the tests against real external systems. Installs from Debian what is missing, where the
// user may, and says loudly what cannot be run. `npm run test:systems -- prepare` does that much, and makes what they
// begin with; `-- unit` and `-- e2e` run one half, as in test.mjs.
import { run } from './lib.mjs';
import { finish, playwright, vitest } from './test-report.mjs';

run('node', ['scripts/install-systems.mjs']);
const [part, ...extra] = process.argv.slice(2);
if (part === 'prepare') run('node', ['scripts/ready-systems.ts']);
else {
  if (part !== 'e2e') vitest(['systems'], part === 'unit' ? extra : []);
  if (part !== 'unit') playwright('systems', part === 'e2e' ? extra : []);
  finish();
}
