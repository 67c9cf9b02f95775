// npm run audit:verify [-- fingerprint]: is the audit log as it was written? Says in plain words where it is not.
import { verifyAudit } from './features/audit/verify.ts';
import { readConfig } from './platform/config.ts';
import { countOtherProcesses } from './platform/database.ts';
import { createPool } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';

const config = readConfig(process.env);
const expected = process.argv[2]?.trim().toLowerCase() ?? null;
const postgres =
  config.databaseUrl === null
    ? await startEmbeddedPostgres({ home: config.home, log: () => undefined })
    : null;
const url = config.databaseUrl ?? postgres?.url('sluice') ?? '';
const pool = createPool({
  url,
  max: 1,
  applicationName: 'sluice audit',
  onError: (error) => console.error(error),
});
const { checked, problem, fingerprint, isExpectedFound } = await verifyAudit(pool, expected);
await pool.end();
if (postgres && (await countOtherProcesses(url)) === 0) await postgres.stop();

if (problem !== null) {
  console.error(
    `The audit log has been tampered with.\n${problem}\nThe ${checked} rows before it are in order.`,
  );
} else if (isExpectedFound === false) {
  console.error(
    `The rows fit together, but none has the fingerprint ${expected}: the log was written anew, or this is another one.`,
  );
} else {
  console.log(
    `The audit log is in order: ${checked} rows, each as it was written${isExpectedFound ? ', and the fingerprint that you gave is among them' : ''}.`,
  );
  console.log(
    `Fingerprint of its end: ${fingerprint}\nKept somewhere else, it proves at the next check that nothing up to here was touched.`,
  );
}
process.exit(problem === null && isExpectedFound !== false ? 0 : 1);
