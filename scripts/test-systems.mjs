// npm run test:systems: the tests against real external systems. Installs from Debian what is missing, where the
// user may, and says loudly what cannot be run.
import { run } from './lib.mjs';
import { finish, playwright, vitest } from './test-report.mjs';

run('node', ['scripts/install-systems.mjs']);
const [part, ...extra] = process.argv.slice(2);
if (part !== 'e2e') vitest(['systems'], part === 'unit' ? extra : []);
if (part !== 'unit') playwright('systems', part === 'e2e' ? extra : []);
finish();
