import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AdapterDefinition, Session } from '@sluice/adapter-kit';
import { createDomainSchema } from '@sluice/contract';
import { type App, createApp } from '@sluice/server/app';
import { ensureDatabase } from '@sluice/server/database';
import { startEmbeddedPostgres } from '@sluice/server/embedded-postgres';
import { createLog } from '@sluice/server/log';
import { removeHome } from '@sluice/testing';
import { patchCompanies } from '../server/src/features/systems/companies.ts';
import * as systems from '../server/src/features/systems/service.ts';
import { ensureAdministrator } from '../server/src/features/sessions/service.ts';
import type { SystemActor, UserActor } from '../server/src/platform/actor.ts';
import type { Pool } from '../server/src/platform/db.ts';
import type { Log } from '../server/src/platform/log.ts';
import { generatedCollection, generatedCompanies } from './generator.ts';

export const benchPassword = 'bench password for one run';

export interface BenchProduct {
  app: App;
  pool: Pool;
  log: Log;
  databaseUrl: string;
  /** The administrator, for calls of services within this process. */
  actor: UserActor;
  /** Address of the API, listening on a free port. */
  base: string;
  stop(): Promise<void>;
}

/** The product on an embedded PostgreSQL with the product's own settings (fsync on), both for this run only. */
export async function startBenchProduct(options: {
  roles: readonly ('web' | 'worker')[];
  adapters?: readonly AdapterDefinition[];
}): Promise<BenchProduct> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-bench-'));
  const postgres = await startEmbeddedPostgres({ home });
  await ensureDatabase(postgres.url('postgres'), 'sluice');
  let isStopping = false;
  const log = createLog((line) => {
    if (!isStopping && /"level":"(warn|error)"/.test(line)) console.error(line);
  });
  const databaseUrl = postgres.url('sluice');
  const app = await createApp({
    databaseUrl,
    roles: options.roles,
    secretKey: Buffer.alloc(32, 7),
    publicUrl: null,
    helpUrl: null,
    timeZone: 'Europe/Amsterdam',
    inactivityMinutes: 30,
    mail: null,
    allowPrivateAddresses: true,
    files: { roots: [], uploads: '/nonexistent' },
    log,
    checkReplies: false,
    ...(options.adapters ? { adapters: options.adapters } : {}),
  });
  await ensureAdministrator(app.pool, { username: 'admin', password: benchPassword });
  const base = await app.http.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    pool: app.pool,
    log,
    databaseUrl,
    actor: {
      kind: 'user',
      userId: 1,
      internalId: '',
      fullName: 'Administrator',
      isSuperuser: true,
      locale: 'EN',
      sessionId: '',
      rights: new Map(),
      systems: new Map(),
    },
    base,
    stop: async () => {
      isStopping = true;
      await app.close();
      await postgres.stop();
      removeHome(home);
    },
  };
}

export interface GeneratedTables {
  session: Session;
  /** Collection ids of the two companies, and the paths of their tables below `/api/v1/data/`. */
  tables: { collectionId: number; path: string }[];
}

const starter: SystemActor = { kind: 'system', name: 'bench', locale: 'EN' };

/** Adds the generated system with a table for each of its two companies; nothing is read yet. */
export async function addGeneratedTables({ app, pool }: BenchProduct): Promise<GeneratedTables> {
  const services = app.systems;
  const system = await systems.createSystem(services, starter, {
    name: 'Bench',
    acronym: 'BNC',
    kind: 'generator',
  });
  const form = createDomainSchema.parse({
    name: 'Rows',
    acronym: 'rows',
    url: 'http://127.0.0.1:9',
    database: 'rows',
    username: 'bench',
    password: 'bench',
  });
  const domain = await systems.createDomain(services, starter, system.internalId, form);
  const enabled = generatedCompanies.map((internalId) => ({ internalId, internalActive: true }));
  await patchCompanies(services, starter, system.internalId, domain.internalId, enabled);
  const { rows } = await pool.query<{ collection_id: number; company_id: string }>(
    'select collection_id, company_id from collection order by company_id',
  );
  return {
    session: await services.connections.of(domain.internalId),
    tables: rows.map(({ collection_id, company_id }) => ({
      collectionId: collection_id,
      path: `${system.url}/domains/rows/companies/${company_id.toLowerCase()}/${generatedCollection}`,
    })),
  };
}
