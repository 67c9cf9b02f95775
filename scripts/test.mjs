// npm test: everything that needs nothing but npm packages. `npm test -- unit` or `npm test -- e2e` runs one half;
// what stands behind it goes to the test program (`npm test -- unit server/src/features/push`).
import { finish, playwright, vitest } from './test-report.mjs';

const [part, ...extra] = process.argv.slice(2);
if (part !== 'e2e') vitest(['pure', 'server'], part === 'unit' ? extra : []);
if (part !== 'unit') playwright('sandbox', part === 'e2e' ? extra : []);
finish();
