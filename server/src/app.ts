import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import websocket from '@fastify/websocket';
import type { AdapterDefinition } from '@sluice/adapter-kit';
import { type FileAdapterOptions, fileAdapters } from '@sluice/adapter-files';
import { odataAdapter } from '@sluice/adapter-odata';
import { restAdapter } from '@sluice/adapter-rest';
import { mysqlAdapter, postgresAdapter } from '@sluice/adapter-sql';
import { trytonAdapter } from '@sluice/adapter-tryton';
import { websocketPath } from '@sluice/contract';
import Fastify, { type FastifyInstance } from 'fastify';
import { auditRoutes } from './features/audit/routes.ts';
import { createHitCache } from './features/bulk/hit-cache.ts';
import { bulkRoutes } from './features/bulk/routes.ts';
import * as cache from './features/cache/service.ts';
import * as cacheStore from './features/cache/store.ts';
import { connectorRoutes } from './features/connectors/routes.ts';
import { startAlerts } from './features/connectors/runs/alerts.ts';
import { startRunLoop } from './features/connectors/runs/runner.ts';
import { startScheduler } from './features/connectors/runs/scheduler.ts';
import { startWriteBackLoop } from './features/connectors/write-back.ts';
import { type ConnectorServices, countConnectorsOfDomain } from './features/connectors/service.ts';
import { dashboardRoutes } from './features/dashboard/routes.ts';
import { trimJobs } from './features/dashboard/store.ts';
import { historyRoutes } from './features/history/routes.ts';
import { liveRoutes } from './features/live/service.ts';
import { menuRoutes } from './features/menu/routes.ts';
import { trimNames } from './features/pending/insert-names.ts';
import { trimJournal } from './features/pending/journal.ts';
import { pendingRoutes } from './features/pending/routes.ts';
import { preferenceRoutes } from './features/preferences/routes.ts';
import { pushRoutes } from './features/push/routes.ts';
import { startPushLoop } from './features/push/service.ts';
import { recordRoutes } from './features/records/routes.ts';
import { createSnapshots } from './features/records/views.ts';
import { roleRoutes } from './features/roles/routes.ts';
import { createProviders } from './features/sessions/providers.ts';
import { sessionRoutes } from './features/sessions/routes.ts';
import * as sessions from './features/sessions/service.ts';
import * as sessionStore from './features/sessions/store.ts';
import { addressLength, createCatalogue } from './features/systems/catalogue.ts';
import { createConnections } from './features/systems/connections.ts';
import { systemRoutes } from './features/systems/routes.ts';
import { trimActivity } from './features/systems/store.ts';
import { startTablesLoop } from './features/systems/resource-types.ts';
import type { SystemServices } from './features/systems/service.ts';
import { userRoutes } from './features/users/routes.ts';
import { viewRoutes } from './features/views/routes.ts';
import { openBus } from './platform/bus.ts';
import { readableZlib } from './platform/compression.ts';
import type { Role } from './platform/config.ts';
import { createPool, execute, type Pool, sql } from './platform/db.ts';
import { createRouter, installErrorHandling } from './platform/http.ts';
import type { Log } from './platform/log.ts';
import { type Loop, startLoop } from './platform/loop.ts';
import { migrate } from './platform/migrate.ts';
import { channel, record, trimDoneOnce } from './platform/mutate.ts';
import { createMailer, type Mailer, type MailSettings } from './platform/mail.ts';
import type { ProviderSettings } from './platform/providers.ts';
import { openApi } from './platform/openapi.ts';
import { serveWeb } from './platform/web.ts';

const maxBodyBytes = 16 * 2 ** 20;

export interface AppSettings {
  databaseUrl: string;
  roles: readonly Role[];
  secretKey: Buffer;
  publicUrl: string | null;
  helpUrl: string | null;
  timeZone: string;
  /** The browser logs out after so many minutes without a key or pointer; 0 = never. */
  inactivityMinutes: number;
  allowPrivateAddresses: boolean;
  /** Identity providers by which people sign in. */
  providers?: readonly ProviderSettings[];
  /** Null: no mail is sent. */
  mail: MailSettings | null;
  /** Where files may be read as external systems, and where uploaded ones are kept. */
  files: FileAdapterOptions;
  log: Log;
  /** Check every answer against the contract: tests and development. */
  checkReplies: boolean;
  adapters?: readonly AdapterDefinition[];
  /** Resolves when the built web may be served. */
  webReady?: Promise<void>;
  now?: () => Date;
}

export interface App {
  http: FastifyInstance;
  pool: Pool;
  /** For what start-up does by itself: adding the sandbox. */
  systems: SystemServices;
  close(): Promise<void>;
}

/** Builds everything and passes it as arguments; nothing is global. */
export async function createApp(settings: AppSettings): Promise<App> {
  const { log, databaseUrl } = settings;
  const now = settings.now ?? (() => new Date());
  const applicationName = `sluice ${process.pid}`;
  const pool = createPool({
    url: databaseUrl,
    // The workers keep up to 16 for their locks, beside what all of them and the requests work with.
    max: 22,
    applicationName,
    onError: (error) => log.warn('An idle database connection was lost', { error }),
  });
  await migrate(pool);
  const bus = await openBus({ url: databaseUrl, applicationName: `${applicationName} live`, log });
  const catalogue = createCatalogue(pool);
  const connections = createConnections({
    pool,
    adapters: settings.adapters ?? [
      odataAdapter,
      trytonAdapter,
      postgresAdapter,
      mysqlAdapter,
      restAdapter,
      ...fileAdapters(settings.files),
    ],
    secretKey: settings.secretKey,
    allowPrivateAddresses: settings.allowPrivateAddresses,
    timeZone: settings.timeZone,
    now,
  });
  const context = { pool, catalogue, connections };
  const cacheServices: cache.CacheServices = {
    ...context,
    log,
    now,
    wakeWorkers: async () => {
      await execute(
        pool,
        sql`select pg_notify(${channel}, ${JSON.stringify({ topic: 'push', pushId: '' })})`,
      );
    },
  };
  const systems: SystemServices = {
    ...context,
    secretKey: settings.secretKey,
    uploads: settings.files.uploads,
    wantRefresh: async (domainId) => await cache.refreshDomain(cacheServices, domainId),
    countPending: cacheStore.countPendingOfDomain,
    countConnectors: countConnectorsOfDomain,
    removeCollections: async (tx, domainId) => await cacheStore.dropCollections(tx, domainId),
    readingOf: cacheStore.readingOfDomain,
    contentsOf: cacheStore.contentsOfCompanies,
    timeZone: settings.timeZone,
  };
  bus.subscribe((event) => {
    if (event.topic === 'systems' || event.topic === 'domain') catalogue.drop();
    if (event.topic === 'domain') connections.forget(event.domainId);
  });
  bus.onGap(() => catalogue.drop());

  const mailer = createMailer(settings.mail);
  const http = await createHttp(settings, { ...cacheServices, systems, bus, mailer });
  const loops = settings.roles.includes('worker') ? startWorkers(cacheServices, settings, mailer) : [];
  bus.subscribe((event) => {
    if (event.topic === 'push' || event.topic === 'systems') for (const loop of loops) loop.wake();
  });

  return {
    http,
    pool,
    systems,
    close: async () => {
      await http.close();
      await Promise.all(loops.map((loop) => loop.stop()));
      await connections.close();
      mailer?.close();
      await bus.close();
      await pool.end();
    },
  };
}

async function createHttp(
  settings: AppSettings,
  services: cache.CacheServices & {
    systems: SystemServices;
    bus: Awaited<ReturnType<typeof openBus>>;
    mailer: Mailer | null;
  },
): Promise<FastifyInstance> {
  const { log } = settings;
  const isHttps = settings.publicUrl?.startsWith('https:') ?? false;
  const http = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    genReqId: () => crypto.randomUUID(),
    requestTimeout: 20 * 60_000,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
  });
  installErrorHandling(http, log);
  await http.register(cookie);
  await http.register(helmet, {
    hsts: isHttps,
    contentSecurityPolicy: {
      directives: {
        'default-src': ["'self'"],
        // What unpacks a spreadsheet for an import works in a thread made of the page's own script.
        'worker-src': ["'self'", 'blob:'],
        'img-src': ["'self'", 'data:', 'blob:'],
        // Mantine and the grid place elements by style attributes.
        'style-src': ["'self'", "'unsafe-inline'"],
        'connect-src': ["'self'", 'ws:', 'wss:'],
        'upgrade-insecure-requests': isHttps ? [] : null,
      },
    },
  });
  await http.register(compress, {
    threshold: 1024,
    // Not fonts: theirs is compressed.
    customTypes: /json|text|javascript|svg|css/,
    encodings: ['zstd', 'br', 'gzip'],
    zlib: readableZlib,
  });
  // A file that is uploaded goes on as it comes in; no body is made of it.
  http.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
  await http.register(websocket, { options: { maxPayload: 64 * 1024 } });

  const sessionServices = {
    pool: services.pool,
    isHttps,
    helpUrl: settings.helpUrl,
    timeZone: settings.timeZone,
    inactivityMinutes: settings.inactivityMinutes,
    secretKey: settings.secretKey,
    log,
    mailer: services.mailer,
    providers: createProviders(settings.providers ?? []),
    publicUrl: settings.publicUrl,
    address: () => settings.publicUrl ?? listeningAddress(http),
    now: services.now,
  };
  const router = createRouter(
    http,
    {
      authenticate: async (request, reply) => await sessions.authenticate(sessionServices, request, reply),
      checkCsrf: sessions.checkCsrf,
      log,
      checkReplies: settings.checkReplies,
    },
    async (segments, actor, fields) =>
      await addressLength(services.catalogue, services.connections, segments, actor, fields),
  );
  const recordServices = { ...services, snapshots: createSnapshots(), timeZone: settings.timeZone };
  sessionRoutes(router, sessionServices);
  userRoutes(router, sessionServices);
  roleRoutes(router, services);
  auditRoutes(router, sessionServices);
  preferenceRoutes(router, services);
  menuRoutes(router, services);
  systemRoutes(router, services.systems);
  recordRoutes(router, recordServices);
  pendingRoutes(router, services);
  pushRoutes(router, services);
  bulkRoutes(router, {
    ...recordServices,
    hits: createHitCache(services.pool, services.bus),
  });
  historyRoutes(router, services);
  viewRoutes(router, recordServices);
  connectorRoutes(router, { ...services, timeZone: settings.timeZone });
  dashboardRoutes(router, { ...services, timeZone: settings.timeZone });
  liveRoutes(http, websocketPath, {
    ...recordServices,
    timeZone: settings.timeZone,
    authenticate: async (request) => await sessions.authenticate(sessionServices, request, null),
    publicUrl: settings.publicUrl,
  });
  http.get('/api/v1/openapi.json', async () => openApi(router.endpoints()));
  http.get('/healthz', async () => ({ status: 'live' }));
  http.get('/readyz', async (_, reply) => {
    try {
      await execute(services.pool, sql`select 1 from migration limit 1`);
      return { status: 'ready' };
    } catch {
      return await reply.status(503).send({ status: 'database not reachable' });
    }
  });
  const { timeZone, webReady: ready = Promise.resolve() } = settings;
  await serveWeb(http, { ready, log, timeZone });
  return http;
}

/** What the product is reached at from this machine. */
function listeningAddress(http: FastifyInstance): string {
  const listening = http.server.address();
  return listening && typeof listening === 'object' ? `http://localhost:${listening.port}` : '';
}

function startWorkers(cached: cache.CacheServices, settings: AppSettings, mailer: Mailer | null): Loop[] {
  const { timeZone, publicUrl, allowPrivateAddresses } = settings;
  const services: ConnectorServices = { ...cached, timeZone };
  return [
    startAlerts({ ...services, mailer, publicUrl, allowPrivateAddresses }),
    startPushLoop(services),
    startRunLoop(services),
    startScheduler(services),
    startWriteBackLoop(services),
    cache.startRefreshLoop(services),
    cache.startIndexLoop(services),
    startTablesLoop(services),
    startHousekeeping(services),
  ];
}

const housekeepingMs = 10 * 60_000;

function startHousekeeping(services: cache.CacheServices): Loop {
  // A loop looks again as soon as a task has ended: what is always due would run without a pause.
  let dueAt = 0;
  return startLoop({
    name: 'Housekeeping',
    everyMs: 60_000,
    concurrency: 1,
    log: services.log,
    find: async () => (Date.now() >= dueAt ? ['clean'] : []),
    keyOf: (task) => task,
    run: async () => {
      dueAt = Date.now() + housekeepingMs;
      await record(services.pool, async (tx) => {
        await sessionStore.deleteExpiredSessions(tx, services.now());
        await trimJournal(tx);
        await trimNames(tx);
        await trimJobs(tx);
        await trimActivity(tx);
        await trimDoneOnce(tx);
        await cacheStore.dropDisabled(tx);
      });
    },
  });
}
