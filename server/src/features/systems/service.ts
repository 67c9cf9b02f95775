import { ExternalSystemError } from '@sluice/adapter-kit';
import type { CompanyContent, Domain, DomainForm, ManagedSystem } from '@sluice/contract';
import { type Actor, hasRight, rightsOn, type UserActor } from '../../platform/actor.ts';
import type { Db, Pool } from '../../platform/db.ts';
import { sqlState } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { mutate, type Tx } from '../../platform/mutate.ts';
import { text } from '../../platform/texts.ts';
import { type Catalogue, findSystem } from './catalogue.ts';
import { type Connections, secretSettingsOf } from './connections.ts';
import { stateOf } from './domain-events.ts';
import {
  checkDomain,
  type DomainChange,
  domainColumns,
  requireSecrets,
  sealedSecrets,
} from './domain-form.ts';
import { nextDomainState, shownStatus } from './domain-state.ts';
import { learnTables } from './resource-types.ts';
import * as store from './store.ts';
import type { TableReading } from './table-reading.ts';
import { dropFiles } from './upload-folder.ts';
import { systemUrl } from './uri-acronym.ts';

export interface SystemServices {
  pool: Pool;
  catalogue: Catalogue;
  connections: Connections;
  secretKey: Buffer;
  /** Folder of the files that were uploaded, one folder per domain. */
  uploads: string;
  /** Tells the cache that the tables of a domain are to be read (again). */
  wantRefresh(domainId: string): Promise<void>;
  /** Counts of what a domain's removal would lose, and of what would no longer work. */
  countPending(db: Db, domainId: string): Promise<number>;
  countConnectors(db: Db, domainId: string): Promise<number>;
  removeCollections(tx: Tx, domainId: string): Promise<void>;
  /** How far the reading of each table is. */
  readingOf(db: Db, domainId: string): Promise<TableReading[]>;
  contentsOf(db: Db, domainId: string): Promise<CompanyContent[]>;
  /** IANA name of the organisation's time zone. */
  timeZone: string;
}

export function requireRight(
  actor: Actor,
  endpoint: string,
  action: 'create' | 'read' | 'update' | 'delete',
): void {
  if (!hasRight(actor, { endpoint, action })) throw new AppError('FORBIDDEN');
}

export async function listSystems(services: SystemServices, actor: UserActor): Promise<ManagedSystem[]> {
  requireRight(actor, 'domains', 'read');
  return (await services.catalogue.systems()).map((system) => ({
    internalId: system.system_id,
    name: system.name,
    acronym: system.acronym,
    url: system.url,
    kind: system.kind,
    domainCount: system.domains.length,
    rights: rightsOn(actor, 'domains'),
  }));
}

export async function createSystem(
  services: SystemServices,
  actor: Actor,
  values: { name: string; acronym: string; kind: string },
): Promise<ManagedSystem> {
  if (!services.connections.adapters.has(values.kind)) {
    throw new AppError('VALIDATION', { fields: [{ field: 'kind', code: 4400, params: {} }] });
  }
  const created = await mutate(
    { pool: services.pool, actor },
    'system.create',
    { endpoint: 'domains', action: 'create' },
    async (tx) => {
      const taken = new Set((await store.listSystems(tx)).map((system) => system.url));
      const system = await store.insertSystem(tx, { ...values, url: systemUrl(values.name, taken) });
      tx.audit(`system:${system.system_id}`, values);
      tx.publish({ topic: 'systems' });
      return system;
    },
  );
  services.catalogue.drop();
  return { ...created, internalId: created.system_id, domainCount: 0, rights: rightsOn(actor, 'domains') };
}

export async function updateSystem(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  change: { name?: string | undefined; acronym?: string | undefined },
): Promise<ManagedSystem> {
  const system = await findSystem(services.catalogue, systemId);
  const next = { name: change.name ?? system.name, acronym: change.acronym ?? system.acronym };
  await mutate(
    { pool: services.pool, actor },
    'system.update',
    { endpoint: 'domains', action: 'update' },
    async (tx) => {
      tx.audit(`system:${system.system_id}`, next);
      await store.updateSystem(tx, system.system_id, next);
      tx.publish({ topic: 'systems' });
    },
  );
  services.catalogue.drop();
  return {
    internalId: system.system_id,
    ...next,
    url: system.url,
    kind: system.kind,
    domainCount: system.domains.length,
    rights: rightsOn(actor, 'domains'),
  };
}

export async function deleteSystem(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
): Promise<void> {
  const system = await findSystem(services.catalogue, systemId);
  try {
    await mutate(
      { pool: services.pool, actor },
      'system.delete',
      { endpoint: 'domains', action: 'delete' },
      async (tx) => {
        tx.audit(`system:${system.system_id}`, { name: system.name });
        await store.deleteSystem(tx, system.system_id);
        tx.publish({ topic: 'systems' });
      },
    );
  } catch (error) {
    if (sqlState(error) === '23503') {
      throw new AppError('IN_USE', {
        text: { key: 'error.IN_USE', params: { reason: `${system.domains.length} domains` } },
      });
    }
    throw error;
  }
  services.catalogue.drop();
}

function domainReply(
  services: SystemServices,
  domain: store.DomainRow,
  companyCount: number,
  calls: number,
  actor: Actor,
): Domain {
  return {
    internalId: domain.domain_id,
    systemId: domain.system_id,
    name: domain.name,
    acronym: domain.acronym,
    url: domain.url,
    database: domain.database,
    authType: domain.auth_type,
    username: domain.username,
    clientId: domain.client_id,
    tokenUrl: domain.token_url,
    scope: domain.scope,
    isProduction: domain.is_production,
    cacheRefreshMinutes: domain.cache_refresh_minutes,
    maxApiCalls: domain.max_api_calls,
    isActive: domain.is_active,
    isPaused: domain.is_paused,
    status: shownStatus(domain),
    statusMessage: domain.status_message,
    lastSyncAt: domain.last_sync_at,
    apiCallsUsed: calls,
    companyCount,
    settings: domain.settings,
    secretSettings: Object.keys(secretSettingsOf(domain, services.secretKey)),
    hasPassword: domain.sealed_password !== null,
    hasClientSecret: domain.sealed_client_secret !== null,
    rights: rightsOn(actor, 'domains'),
  };
}

export async function listDomains(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
): Promise<Domain[]> {
  requireRight(actor, 'domains', 'read');
  const system = await findSystem(services.catalogue, systemId);
  const [domains, companies, calls] = await Promise.all([
    store.listDomains(services.pool, system.system_id),
    store.listCompanies(services.pool),
    store.readCallCounts(services.pool, services.timeZone),
  ]);
  return domains.map((domain) =>
    domainReply(
      services,
      domain,
      companies.filter((company) => company.domain_id === domain.domain_id && company.is_active).length,
      calls.get(domain.domain_id) ?? 0,
      actor,
    ),
  );
}

export async function getDomain(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
): Promise<Domain> {
  const domain = (await listDomains(services, actor, systemId)).find(
    (candidate) => candidate.internalId === domainId,
  );
  if (!domain) throw new AppError('NOT_FOUND');
  return domain;
}

/** What the audit says of a form. */
const withoutSecrets = (form: DomainChange, columns: Partial<store.DomainValues>) => ({
  ...form,
  password: undefined,
  clientSecret: undefined,
  settings: columns.settings,
});

const isConnectionOf = (form: DomainChange): boolean =>
  (['url', 'database', 'username', 'password', 'settings'] as const).some((name) => form[name] !== undefined);

export async function createDomain(
  services: SystemServices,
  actor: Actor,
  systemId: string,
  form: DomainForm,
): Promise<Domain> {
  const system = await findSystem(services.catalogue, systemId);
  const created = await mutate(
    { pool: services.pool, actor },
    'domain.create',
    { endpoint: 'domains', action: 'create' },
    async (tx) => {
      const columns = domainColumns(services, system.kind, form);
      const domain = await store.insertDomain(tx, system.system_id, columns as store.DomainValues);
      await store.updateDomain(tx, domain.domain_id, sealedSecrets(services, system.kind, domain, form));
      await store.noteStatus(tx, domain.domain_id, {
        status: shownStatus(domain),
        message: null,
        userId: actor.kind === 'user' ? actor.userId : null,
      });
      tx.audit(`domain:${domain.domain_id}`, withoutSecrets(form, columns));
      tx.publish({ topic: 'systems' });
      const stored = await store.findDomain(tx, domain.domain_id);
      if (stored) checkDomain(services, system.kind, stored, actor.locale);
      return stored;
    },
  );
  services.catalogue.drop();
  if (!created) throw new AppError('NOT_FOUND');
  await learnTables(services, system.kind, created.domain_id);
  const ready = (await store.findDomain(services.pool, created.domain_id)) ?? created;
  return domainReply(services, ready, 0, 0, actor);
}

export async function updateDomain(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
  form: DomainChange,
): Promise<Domain> {
  await getDomain(services, actor, systemId, domainId);
  const { kind } = await findSystem(services.catalogue, systemId);
  const columns = domainColumns(services, kind, form);
  await mutate(
    { pool: services.pool, actor },
    'domain.update',
    { endpoint: 'domains', action: 'update' },
    async (tx) => {
      const domain = await store.lockDomain(tx, domainId);
      if (!domain) throw new AppError('NOT_FOUND');
      requireSecrets(services, domain, form);
      const state = nextDomainState(stateOf(domain), { type: 'saved' });
      await store.updateDomain(tx, domainId, {
        ...columns,
        ...sealedSecrets(services, kind, domain, form),
        status: state.status,
        status_message: state.message,
        failures: state.failures,
      });
      const stored = await store.findDomain(tx, domainId);
      if (stored)
        await store.noteStatus(tx, domainId, {
          status: shownStatus(stored),
          message: null,
          userId: actor.userId,
        });
      if (stored && (form.url !== undefined || form.settings !== undefined))
        checkDomain(services, kind, stored, actor.locale);
      tx.audit(`domain:${domainId}`, withoutSecrets(form, columns));
      tx.publish({ topic: 'systems' });
      tx.publish({ topic: 'domain', domainId });
    },
  );
  services.catalogue.drop();
  services.connections.forget(domainId);
  if (isConnectionOf(form)) await learnTables(services, kind, domainId);
  if (isConnectionOf(form) || form.isPaused === false || form.isActive === true)
    await services.wantRefresh(domainId);
  return await getDomain(services, actor, systemId, domainId);
}

export async function deleteDomain(
  services: SystemServices,
  actor: UserActor,
  systemId: string,
  domainId: string,
  isConfirmed: boolean,
): Promise<void> {
  const domain = await getDomain(services, actor, systemId, domainId);
  await mutate(
    { pool: services.pool, actor },
    'domain.delete',
    { endpoint: 'domains', action: 'delete' },
    async (tx) => {
      const counts = {
        connectors: await services.countConnectors(tx, domainId),
        pending: await services.countPending(tx, domainId),
      };
      const inUse = Object.entries(counts).filter(([, count]) => count > 0);
      if (inUse.length > 0 && !isConfirmed) {
        const reasons = inUse.map(([what, count]) => text(actor.locale, `inUse.${what}`, { count }));
        throw new AppError('IN_USE', {
          text: { key: 'error.IN_USE', params: { reason: reasons.join(', ') } },
          details: Object.fromEntries(inUse),
        });
      }
      tx.audit(`domain:${domainId}`, { name: domain.name, ...counts });
      await services.removeCollections(tx, domainId);
      await store.deleteDomain(tx, domainId);
      tx.publish({ topic: 'systems' });
      tx.publish({ topic: 'domain', domainId });
    },
  );
  services.catalogue.drop();
  services.connections.forget(domainId);
  await dropFiles(services, domainId);
}

/** An adapter's failure as the error of a call (decisions Q-PUSH-08, ERR-10, ERR-11). */
export function externalError(error: unknown): unknown {
  if (!(error instanceof ExternalSystemError)) return error;
  const external = { errCode: error.errCode ?? error.code, msg: error.message };
  if (error.code === 'AUTH')
    return new AppError('UNAUTHORIZED_FOR_EXTERNAL_SYSTEM', { external, cause: error });
  if (error.code === 'FORBIDDEN')
    return new AppError('UNAUTHORIZED_FOR_EXTERNAL_ENDPOINT', { external, cause: error });
  return new AppError('EXTERNAL_SYSTEM', {
    text: { key: 'error.EXTERNAL_SYSTEM', params: { reason: error.message } },
    external,
    cause: error,
  });
}
