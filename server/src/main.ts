import fs from 'node:fs';
import path from 'node:path';
import { ConfigError, readConfig } from './platform/config.ts';
import { countOtherProcesses, ensureDatabase } from './platform/database.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { createLog } from './platform/log.ts';
import { buildWeb } from './platform/web-build.ts';

const say = (line: string): void => console.log(`  ${line}`);

/** What has been started, the last first. */
const stops: (() => Promise<void>)[] = [];

let isStopping = false;
const starting = start();
try {
  await starting;
} catch (error) {
  // Somebody stops it while it starts: what fails then is no error, and is left to the stopping.
  if (isStopping) await new Promise(() => undefined);
  console.error(error instanceof ConfigError ? error.message : error);
  await stopAll();
  process.exit(1);
}

async function stopAll(): Promise<void> {
  for (const step of stops.splice(0)) await step().catch((error: unknown) => console.error(error));
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  fs.mkdirSync(path.join(config.home, 'logs'), { recursive: true, mode: 0o700 });
  const logFile = fs.createWriteStream(path.join(config.home, 'logs', 'sluice.log'), {
    flags: 'a',
    mode: 0o600,
  });
  const log = createLog((line) => logFile.write(`${line}\n`));
  console.log('Sluice is starting');

  const isWeb = config.roles.includes('web');
  const webReady = isWeb ? buildWeb(say) : Promise.resolve();
  webReady.catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  stopOnSignals();

  // The program takes as long to load as a database to make: both at once.
  const [
    databaseUrl,
    { createApp, ensureAdministrator, setDefaultCompany, connectSandbox, startSandboxProcess },
  ] = await Promise.all([config.databaseUrl ?? startDatabase(config.home), loadProgram()]);
  if (isStopping) return;
  const app = await createApp({
    databaseUrl,
    roles: config.roles,
    secretKey: config.secretKey,
    publicUrl: config.publicUrl,
    helpUrl: config.helpUrl,
    timeZone: config.timeZone,
    mail: config.mail,
    providers: config.providers,
    inactivityMinutes: config.inactivityMinutes,
    allowPrivateAddresses: config.allowPrivateAddresses,
    files: { roots: config.fileRoots, uploads: path.join(config.home, 'files') },
    log,
    checkReplies: false,
    webReady,
  });
  stops.unshift(async () => await app.close());
  const administrator = await ensureAdministrator(app.pool, {
    username: config.adminUsername,
    password: config.adminPassword,
  });
  const address = isWeb
    ? await app.http.listen({ port: config.port, host: config.host }).catch(portProblem(config.port))
    : null;

  if (isStopping) return;
  if (config.sandbox.isOn && config.roles.includes('worker')) {
    const sandbox = await startSandboxProcess({
      home: config.home,
      journalEntries: config.sandbox.journalEntries,
      log: (line) => log.warn('sandbox', { line }),
    });
    stops.unshift(async () => await sandbox.stop());
    const company = await connectSandbox(app.systems, sandbox.url);
    if (administrator && company !== null) await setDefaultCompany(app.pool, administrator.username, company);
    say(`The sandbox ERP runs at ${sandbox.url} (SLUICE_SANDBOX=off switches it off)`);
  }
  await webReady;
  if (isStopping) return;
  console.log(
    address === null
      ? 'Sluice is ready: worker without a web address'
      : `\nSluice is ready: ${config.publicUrl ?? address}`,
  );
  if (administrator?.isGenerated) {
    console.log(
      `\n  Log in as:  ${administrator.username}\n  Password:   ${administrator.password}\n\n  The password is shown only now. Keep it.`,
    );
  } else if (administrator)
    console.log(`  Log in as ${administrator.username} with the password of SLUICE_ADMIN_PASSWORD`);
  log.info('Started', { address, roles: config.roles });
}

/** Starts the embedded database; answers its connection string. */
async function startDatabase(home: string): Promise<string> {
  const postgres = await startEmbeddedPostgres({ home, log: say });
  const url = postgres.url('sluice');
  await ensureDatabase(postgres.url('postgres'), 'sluice');
  stops.unshift(async () => {
    // Another process may have been started on the same data folder: the last one puts the light out.
    if ((await countOtherProcesses(url)) === 0) await postgres.stop();
  });
  return url;
}

/** Everything that is not needed to start the database. */
async function loadProgram() {
  const [{ createApp }, { ensureAdministrator, setDefaultCompany }, { connectSandbox, startSandboxProcess }] =
    await Promise.all([
      import('./app.ts'),
      import('./features/sessions/service.ts'),
      import('./features/systems/sandbox.ts'),
    ]);
  return { createApp, ensureAdministrator, setDefaultCompany, connectSandbox, startSandboxProcess };
}

function portProblem(port: number) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code === 'EADDRINUSE')
      throw new ConfigError([
        `PORT: ${port} is taken by another program; choose another one, for instance PORT=${port + 1} npm start`,
      ]);
    throw error;
  };
}

function stopOnSignals(): void {
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    console.log('\nSluice is stopping');
    // Nothing is taken away from what is still being started: it ends at its next step.
    await starting.catch(() => undefined);
    await stopAll();
    process.exit(0);
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());
}
