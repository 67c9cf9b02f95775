import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createDomainSchema } from '@sluice/contract';
import { z } from 'zod';
import type { SystemActor } from '../../platform/actor.ts';
import { freePort } from '../../platform/embedded-postgres.ts';
import { record } from '../../platform/mutate.ts';
import { patchCompanies } from './companies.ts';
import * as systems from './service.ts';
import * as store from './store.ts';

const main = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../../sandbox/src/main.ts');
const readySchema = z.object({ ready: z.literal(true), url: z.url() });

export interface SandboxProcess {
  url: string;
  stop(): Promise<void>;
}

/** Starts the sandbox ERP as a process of its own; it ends with this one, also when this one is killed. */
export async function startSandboxProcess(options: {
  home: string;
  journalEntries: number;
  log: (line: string) => void;
}): Promise<SandboxProcess> {
  const folder = path.join(options.home, 'sandbox');
  fs.mkdirSync(folder, { recursive: true });
  const portFile = path.join(folder, 'port');
  const kept = Number(fs.existsSync(portFile) ? fs.readFileSync(portFile, 'utf8') : 0);
  // The same port as last time where it is free, so that bookmarks of its own pages stay good.
  const { child, url } = await launch(options, folder, kept || (await freePort())).catch(
    async () => await launch(options, folder, await freePort()),
  );
  fs.writeFileSync(portFile, new URL(url).port);
  return { url, stop: async () => await stop(child) };
}

async function launch(
  options: { journalEntries: number; log: (line: string) => void },
  folder: string,
  port: number,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: {
      SANDBOX_HOME: folder,
      SANDBOX_PORT: String(port),
      SANDBOX_JOURNAL_ENTRIES: String(options.journalEntries),
      SANDBOX_EXIT_WITH_STDIN: 'on',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors = (errors + data.toString()).slice(-2000);
    options.log(data.toString().trim());
  });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The sandbox ERP ended (${code ?? 'killed'}): ${errors}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = readySchema.safeParse(parseJson(line));
      if (ready.success) resolve({ child, url: ready.data.url });
    });
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await ended;
}

const starter: SystemActor = { kind: 'system', name: 'sandbox', locale: 'EN' };
const domains = [
  { name: 'Production', acronym: 'production', database: 'production', isProduction: true },
  { name: 'Test', acronym: 'test', database: 'test', isProduction: false },
];

/**
 * Connects the sandbox like any other system, and answers the company to begin with (`{domain}.{company}`, the first as
 * the sandbox lists them: the one with the big tables). A later start only tells its domains where it now listens: null.
 */
export async function connectSandbox(services: systems.SystemServices, url: string): Promise<string | null> {
  const base = `${url.replace(/\/+$/, '')}/odata`;
  const known = (await services.catalogue.systems()).find((system) => system.url === 'sandbox-erp');
  if (known) {
    await record(services.pool, async (tx) => {
      for (const domain of known.domains.filter(
        (candidate) => isSandboxUrl(candidate) && candidate.url !== base,
      )) {
        await store.updateDomain(tx, domain.domain_id, { url: base });
        tx.publish({ topic: 'domain', domainId: domain.domain_id });
      }
    });
    services.catalogue.drop();
    for (const domain of known.domains) services.connections.forget(domain.domain_id);
    return null;
  }
  const system = await systems.createSystem(services, starter, {
    name: 'Sandbox ERP',
    acronym: 'SBX',
    kind: 'odata',
  });
  let first: string | null = null;
  for (const domain of domains) {
    const form = createDomainSchema.parse({
      ...domain,
      url: base,
      username: 'sandbox',
      password: 'sandbox',
      cacheRefreshMinutes: 60,
    });
    const created = await systems.createDomain(services, starter, system.internalId, form);
    const session = await services.connections.of(created.internalId);
    const companies = await session.companies({ locale: 'EN', signal: AbortSignal.timeout(30_000) });
    const changes = companies.map(({ id }) => ({ internalId: id, internalActive: true }));
    await patchCompanies(services, starter, system.internalId, created.internalId, changes);
    if (companies[0]) first ??= `${created.internalId}.${companies[0].id}`;
  }
  return first;
}

/** Only domains that point at this machine's sandbox: somebody may have added others to the system. */
function isSandboxUrl(domain: store.DomainRow): boolean {
  return (
    /^http:\/\/127\.0\.0\.1:\d+\/odata$/.test(domain.url) &&
    domains.some(({ database }) => database === domain.database)
  );
}
